"""Computations of ``mercer predict``: table of predictions, scores if the target is known."""

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._runtime.files import replacing
from mercer.cli.shared.destinations import check_folder, check_suffix
from mercer.cli.shared.places import rows_of_file
from mercer.cli.shared.programs import READING, imports, quoted

if TYPE_CHECKING:
    from mercer.cli.shared.progress_bar import Step

__all__ = ["Forecast"]

WRITERS = {".csv": "write_csv", ".jsonl": "write_ndjson", ".parquet": "write_parquet"}
SCREEN = Path("-")
BLOCK = 2000  # rows that are predicted between two reports of progress


@dataclass
class Forecast:
    """Options of the command, and its results."""

    model: Path
    data: str
    output: Path
    target: str | None
    key: str | None
    table: Any = None
    scores: dict[str, float] | None = None
    positive: Any = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.writer = "write_csv" if self.output == SCREEN else WRITERS[check_suffix(self.output, *WRITERS)]

    def run(self, step: "Step") -> None:
        """Load the model, read the data, predict, and write the table if a file was given."""
        if self.output != SCREEN:
            check_folder(self.output)
        from mercer.datasets import read
        from mercer.persistence import load

        if not self.model.exists():
            raise FileNotFoundError(f"{self.model}: no such model file; create one with mercer fit.")
        model, data = load(self.model), read(self.data)
        if not hasattr(model, "predict"):
            raise ValueError(f"{self.model}: holds a {type(model).__name__}, which has no predict method.")
        self.notes += data.notes
        X, truth, keys = self._parts(model, data)
        preparer = getattr(model, "preparer_", None)
        with warnings.catch_warnings(), rows_of_file(data, X, getattr(preparer, "transform", None)):
            warnings.filterwarnings("ignore", message="TablePreparer: .* were not seen in fit")  # a note has them
            self._count_new(model, X)
            self._predict(model, X, truth, keys, step)

    def _count_new(self, model: Any, X: Any) -> None:
        """Notes on categories that the model has not seen."""
        preparer = getattr(model, "preparer_", None)
        found = {} if preparer is None else preparer.new_categories(X)
        self.notes += [f"{name}: {n} of {len(X)} rows have a category not seen in fit." for name, n in found.items()]

    def _predict(self, model: Any, X: Any, truth: Any, keys: Any, step: "Step") -> None:
        """Compute the table and the scores, and write the table if a file was given."""
        from mercer.cli.predict.scores import prediction_scores
        from mercer.data import n_samples, take
        from mercer.model_selection import GramCache

        n, parts = n_samples(X), []
        for start in range(0, max(n, 1), BLOCK):
            step(start, n, f"prediction of row {start + 1} of {n}")
            samples = X if n <= BLOCK else take(X, slice(start, start + BLOCK))
            with GramCache():  # predictions and probabilities share one matrix
                parts.append((model.predict(samples), self._certainty(model, samples)))
        predictions = np.concatenate([part for part, _ in parts])
        certainty = {name: np.concatenate([part[name] for _, part in parts]) for name in parts[0][1]}
        self._explain(model)
        self.table = self._tabulate(predictions, certainty, keys)
        if truth is not None:
            self.scores = prediction_scores(model, truth, predictions, certainty)
            self._compare_rows(model, X)
        step(n, n, "writing")
        if self.output != SCREEN:
            with replacing(self.output) as (path,):
                getattr(self.table, self.writer)(path)

    def _compare_rows(self, model: Any, X: Any) -> None:
        """Note on rows that the model was trained on."""
        from mercer.data import n_samples

        equal, compared = model.count_training_rows(X) if hasattr(model, "count_training_rows") else (0, 0)
        if equal:
            what = f"{equal} of {compared} rows" + (
                "" if compared == n_samples(X) else f", a sample of {n_samples(X)},"
            )
            self.notes.append(f"{what} equal rows of the training data: scores on them are optimistic.")

    def _parts(self, model: Any, data: Any) -> tuple[Any, Any, Any]:
        """Samples with the columns known to the model, their targets and identifiers; None if there are none."""
        from mercer.data.frames import as_frame, locate

        frame = as_frame(data.X)
        if frame is None:
            for option in (self.target, self.key):
                if option is not None:
                    raise ValueError(f"predict: {data.name!r} has no columns, but column {option!r} was requested.")
            return data.X, data.y, None
        columns = frame.columns
        keys = None if self.key is None else data.X[columns[locate("predict", columns, self.key)]]
        known = model.preparer_.kinds_ if hasattr(model, "preparer_") else getattr(model, "feature_names_in_", columns)
        self._require(model, known, columns)
        unknown = [name for name in columns if name not in known and name != self.key]
        target = self._target(model, unknown, data)
        unused = [name for name in unknown if name != target]
        if unused:
            self.notes.append(f"Ignored columns that are unknown to the model: {', '.join(unused)}.")
        X = data.X.select([name for name in columns if name in known and name != target])
        return X, None if target is None else self._truth(data, target), keys

    def _require(self, model: Any, known: Any, columns: list[str]) -> None:
        """Raise ValueError if the file has not all columns that the model reads."""
        from mercer._validation.near import near_misses
        from mercer.datasets.input_files import listed

        kinds = known if hasattr(model, "preparer_") else {}
        missing = [str(name) for name in known if str(name) not in columns and kinds.get(name) != "drop"]
        if missing:
            near = near_misses(missing[0], columns)
            hint = f"did you mean {near[0]!r}?" if near else f"its columns are {listed(map(repr, columns))}."
            raise ValueError(f"{self.data}: has no column {listed(map(repr, missing))}, which the model reads; {hint}")

    def _target(self, model: Any, unknown: list[str], data: Any) -> str | None:
        """Requested target, target of the data set, or the only unknown column if its values could be targets."""
        from mercer.data.frames import locate

        columns = data.X.columns
        if self.target is not None:
            return str(columns[locate("predict", columns, self.target)])
        if data.target in unknown:
            return str(data.target)
        if len(unknown) != 1 or not _could_be_targets(model, data.X[unknown[0]]):
            return None
        self.notes.append(f"Column {unknown[0]!r} is used as the target, since it is unknown to the model.")
        return unknown[0]

    def _truth(self, data: Any, target: str) -> Any:
        """Targets of all rows; None, with a note, if some are missing and --target was not given."""
        try:
            y = data.split(target, unlabeled=True).y
            missing = sum(value is None for value in y.tolist())
        except ValueError:  # all are missing
            missing = len(data)
        if not missing:
            return y
        what = f"{missing} of {len(data)} rows have no {target!r}"
        if self.target is not None:
            raise ValueError(f"predict: {what}; fill in the values, or remove --target to predict without a score.")
        self.notes.append(f"No score was computed: {what}.")
        return None

    def _tabulate(self, predictions: Any, certainty: dict[str, Any], keys: Any) -> Any:
        import polars as pl

        n = len(predictions)
        table: dict[str, Any] = {"row": range(1, n + 1)} if keys is None else {keys.name: keys}
        if "prediction" in table:
            raise ValueError(
                "predict: --id cannot be 'prediction', the name of the column of predictions; rename the column."
            )
        table["prediction"] = predictions
        return pl.DataFrame(table | certainty)

    @staticmethod
    def _certainty(model: Any, X: Any) -> dict[str, Any]:
        """Probabilities of the classes, the ends of prediction intervals, or else decision values."""
        if hasattr(model, "predict_proba"):
            P = model.predict_proba(X)
            return {f"probability {label}": column for label, column in zip(model.classes_, P.T, strict=True)}
        if hasattr(model, "predict_interval"):
            return dict(zip(("lower", "upper"), model.predict_interval(X).T, strict=True))
        if hasattr(model, "decision_function"):
            values = model.decision_function(X)
            if values.ndim == 1:
                return {"score": values}
            if values.shape[1] == len(model.classes_):
                return {f"score {label}": column for label, column in zip(model.classes_, values.T, strict=True)}
        return {}

    def _explain(self, model: Any) -> None:
        """Notes on the meaning of the columns."""
        if not hasattr(model, "predict_proba"):
            if hasattr(model, "predict_interval"):
                self.notes.append("lower and upper are the ends of 90 % prediction intervals.")
            return
        self.positive = getattr(model, "positive_", None)
        threshold = getattr(model, "threshold_", None)
        if threshold is not None:
            self.notes.append(f"Positive class: {threshold}.")
        elif self.positive is not None:
            self.notes.append(f"Positive class: {self.positive}, the column {f'probability {self.positive}'!r}.")

    def plain(self) -> dict[str, Any]:
        """Return scores and notes, and the predictions unless they were written to a file."""
        screen = self.output == SCREEN
        return {
            "rows": self.table.height,
            "scores": self.scores,
            "positive": self.positive,
            "notes": self.notes,
            "output": None if screen else str(self.output),
            **({"predictions": self.table.to_dicts()} if screen else {}),
        }

    def show(self) -> None:
        """Print the table or the name of its file, notes and scores; notes go to stderr if the table goes to stdout."""
        from mercer.cli.shared.output import print_data, print_notes, terminal
        from mercer.cli.shared.tables import facts, number

        screen = self.output == SCREEN
        console = terminal(stderr=screen)
        print_notes(console, self.notes)
        if screen:
            print_data(self.table.write_csv())
        shown = {name: number(value, whole=False) for name, value in (self.scores or {}).items()}
        shown |= {} if screen else {"written": f"{self.output}, {self.table.height} rows"}
        if shown:
            console.print(facts(shown))

    def program(self) -> list[str]:
        """Return the equivalent Python program."""
        key = f"data.X[{quoted(self.key)}]" if self.key else "range(1, len(predictions) + 1)"
        last = f"table.{self.writer}({quoted(self.output)})"
        return [
            *imports(["import polars as pl", "from mercer.persistence import load"], READING),
            "",
            f"model = load({quoted(self.model)})",
            f"data = read({quoted(self.data)})",
            "X = data.X",
            'if hasattr(X, "columns"):',
            "    X = X.select(name for name in X.columns if name in model.preparer_.kinds_)",
            "predictions = model.predict(X)",
            f'table = {{{quoted(self.key or "row")}: {key}, "prediction": predictions}}',
            'if hasattr(model, "predict_proba"):',
            "    P = model.predict_proba(X)",
            '    table |= {f"probability {label}": column for label, column in zip(model.classes_, P.T)}',
            'elif hasattr(model, "predict_interval"):',
            '    table["lower"], table["upper"] = model.predict_interval(X).T',
            'elif hasattr(model, "decision_function"):',
            "    values = model.decision_function(X)",
            "    if values.ndim == 1:",
            '        table["score"] = values',
            "    elif values.shape[1] == len(model.classes_):",
            '        table |= {f"score {label}": column for label, column in zip(model.classes_, values.T)}',
            "table = pl.DataFrame(table)",
            "print(table.write_csv())" if self.output == SCREEN else last,
            *([f"print(model.score(X, data.split({quoted(self.target)}).y))"] if self.target else []),
        ]


def _could_be_targets(model: Any, column: Any) -> bool:
    if not hasattr(model, "classes_"):
        return bool(column.dtype.is_numeric())
    return bool({str(value) for value in column.unique()} & {str(label) for label in model.classes_})
