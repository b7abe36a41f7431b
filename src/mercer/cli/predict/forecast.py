"""Predictions of a saved model as a table, with scores if the data hold the target."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mercer._runtime.files import replacing
from mercer.cli.shared.destinations import check_folder, check_suffix
from mercer.cli.shared.programs import READING, imports, quoted

__all__ = ["Forecast"]

WRITERS = {".csv": "write_csv", ".jsonl": "write_ndjson", ".parquet": "write_parquet"}
SCREEN = Path("-")


@dataclass
class Forecast:
    """The options of the command, and what came out."""

    model: Path
    data: str
    output: Path
    target: str | None
    key: str | None
    table: Any = None
    scores: dict[str, float] | None = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.writer = "write_csv" if self.output == SCREEN else WRITERS[check_suffix(self.output, *WRITERS)]

    def run(self) -> None:
        """Load, read, predict; write if a file is asked for."""
        if self.output != SCREEN:
            check_folder(self.output)
        from mercer.datasets import read
        from mercer.persistence import load

        if not self.model.exists():
            raise FileNotFoundError(f"{self.model}: there is no such model; mercer fit writes them.")
        model, data = load(self.model), read(self.data)
        if not hasattr(model, "predict"):
            raise ValueError(f"{self.model}: holds a {type(model).__name__}, which predicts nothing.")
        self.notes += data.notes
        X, truth, keys = self._parts(model, data)
        predictions = model.predict(X)
        self.table = self._tabulate(model, X, predictions, keys)
        if truth is not None:
            self.scores = _scores(model, truth, predictions)
        if self.output != SCREEN:
            with replacing(self.output) as (path,):
                getattr(self.table, self.writer)(path)

    def _parts(self, model: Any, data: Any) -> tuple[Any, Any, Any]:
        """Samples with the columns that the model knows, their targets and their names where there are some."""
        from mercer.data.frames import as_frame, locate

        frame = as_frame(data.X)
        if frame is None:
            for option in (self.target, self.key):
                if option is not None:
                    raise ValueError(f"predict: {data.name!r} has no columns, {option!r} was asked for.")
            return data.X, data.y, None
        columns = frame.columns
        keys = None if self.key is None else data.X[columns[locate("predict", columns, self.key)]]
        known = model.preparer_.kinds_ if hasattr(model, "preparer_") else columns
        unknown = [name for name in columns if name not in known and name != self.key]
        target = self._target(model, unknown, data)
        unused = [name for name in unknown if name != target]
        if unused:
            self.notes.append(f"Columns that the model does not know are not used: {', '.join(unused)}.")
        X = data.X.select([name for name in columns if name in known and name != target])
        return X, None if target is None else self._truth(data, target), keys

    def _target(self, model: Any, unknown: list[str], data: Any) -> str | None:
        """The column asked for, the one that the data name, or the only unknown one if its values could be targets."""
        from mercer.data.frames import locate

        columns = data.X.columns
        if self.target is not None:
            return str(columns[locate("predict", columns, self.target)])
        if data.target in unknown:
            return str(data.target)
        if len(unknown) != 1 or not _could_be_targets(model, data.X[unknown[0]]):
            return None
        self.notes.append(f"Column {unknown[0]!r} is taken as the target, since the model does not know it.")
        return unknown[0]

    def _truth(self, data: Any, target: str) -> Any:
        try:
            return data.split(target).y
        except ValueError as error:  # values are missing
            if self.target is not None:
                raise
            self.notes.append(f"There is no score: {error}")
            return None

    def _tabulate(self, model: Any, X: Any, predictions: Any, keys: Any) -> Any:
        import polars as pl

        n = len(predictions)
        table: dict[str, Any] = {"row": range(1, n + 1)} if keys is None else {keys.name: keys}
        if "prediction" in table:
            raise ValueError("predict: the column 'prediction' cannot name the rows, since predictions are called so.")
        table["prediction"] = predictions
        if hasattr(model, "decision_function"):
            values = model.decision_function(X)
            if values.ndim == 1:
                table["score"] = values
            elif values.shape[1] == len(model.classes_):
                table |= {f"score {label}": column for label, column in zip(model.classes_, values.T, strict=True)}
        return pl.DataFrame(table)

    def plain(self) -> dict[str, Any]:
        """Scores and notes; the predictions too, unless they went to a file."""
        screen = self.output == SCREEN
        return {
            "rows": self.table.height,
            "scores": self.scores,
            "notes": self.notes,
            "output": None if screen else str(self.output),
            **({"predictions": self.table.to_dicts()} if screen else {}),
        }

    def show(self) -> None:
        """The table on the screen, or where it went; what else there is to say goes aside where the table is."""
        from rich.console import Console

        from mercer.cli.shared.output import tell
        from mercer.cli.shared.tables import facts

        screen = self.output == SCREEN
        console = Console(stderr=screen, highlight=False)
        tell(console, self.notes)
        if screen:
            print(self.table.write_csv(), end="")
            sys.stdout.flush()
        shown = {name: f"{value:.4g}" for name, value in (self.scores or {}).items()}
        shown |= {} if screen else {"written": f"{self.output}, {self.table.height} rows"}
        if shown:
            console.print(facts(shown))

    def program(self) -> list[str]:
        """The same in Python."""
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
            'if hasattr(model, "decision_function"):',
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


def _scores(model: Any, truth: Any, predictions: Any) -> dict[str, float]:
    from sklearn import metrics
    from sklearn.base import is_classifier

    if is_classifier(model):
        truth, predictions = truth.astype(str), predictions.astype(str)  # a class may be unknown, and of another type
        used = {"accuracy": metrics.accuracy_score}
    else:
        used = {
            "R²": metrics.r2_score,
            "RMSE": metrics.root_mean_squared_error,
            "MAE": metrics.mean_absolute_error,
        }
    return {name: float(metric(truth, predictions)) for name, metric in used.items()}
