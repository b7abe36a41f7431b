"""Computations of ``mercer embed``: kernel, embedding, figure and table."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mercer._runtime.files import replacing
from mercer.cli.shared.destinations import check_folder, check_suffix
from mercer.cli.shared.inputs import Samples, read_samples
from mercer.cli.shared.places import rows_of_file
from mercer.cli.shared.programs import COUNTING, READING, imports, quoted, reading_program, sampling_program
from mercer.cli.shared.terminal import escaped

if TYPE_CHECKING:
    from rich.console import Console

    from mercer.cli.shared.progress_bar import Step

__all__ = ["Chart"]


@dataclass(frozen=True)
class Chart:
    """Options of the command."""

    data: str
    target: str | None
    kernel: str
    method: str
    components: int
    rows: int
    seed: int
    output: Path
    table: Path | None

    def __post_init__(self) -> None:
        check_suffix(self.output, ".png", ".svg")
        if self.table is not None:
            check_suffix(self.table, ".csv")

    def run(self) -> dict[str, Any]:
        """Read the data, select the kernel, embed and write; all files are replaced together at the end."""
        from mercer.cli.shared.progress_bar import progress

        check_folder(self.output, self.table)
        with progress("reading") as step:
            return self._run(step)

    def _run(self, step: "Step") -> dict[str, Any]:
        step(0, 4, "reading")
        samples = read_samples(self.data, target=self.target, supervised=self.supervised, likely=True)
        if samples.y is not None and not self.supervised:
            samples = samples.noted(
                f"The target {samples.target!r} is left out of the samples and colours the points; see --target."
            )
        samples = samples.draw(self.rows or None, self.seed)
        from mercer.auto import TablePreparer

        step(1, 4, "kernel")
        with rows_of_file(samples.source, samples.X, lambda X: TablePreparer().fit(X).transform(X)):
            prepared, kernel, notes = self._prepared(samples)
        model = self._model(kernel)
        step(2, 4, f"embedding of {samples.n} samples")
        Z = model.fit(prepared, samples.y).transform(prepared)
        step(3, 4, "writing")
        self._write(model, prepared, Z, samples)
        ratio = getattr(model, "explained_variance_ratio_", None)
        return {
            "data": {"name": samples.name, "rows": samples.n, "of": samples.total},
            "target": samples.target,
            "method": type(model).__name__,
            "kernel": str(kernel),
            "definiteness": kernel.definiteness.value,
            "components": Z.shape[1],
            "explained": None if ratio is None else ratio,
            "notes": list(dict.fromkeys([*samples.notes, *notes])),
            "files": {"picture": str(self.output), "table": None if self.table is None else str(self.table)},
        }

    @property
    def supervised(self) -> bool:
        """Whether targets are used for more than colours."""
        return self.target is not None or self.method == "klda"

    def _prepared(self, samples: Samples) -> tuple[Any, Any, list[str]]:
        """Prepared samples, the resolved kernel and notes."""
        from mercer.auto import AutoClassifier, AutoRegressor, TablePreparer, infer_task

        if self.kernel == "auto" and self.supervised:
            classes = self.method == "klda" or infer_task(samples.y) == "classification"
            chosen = AutoClassifier if classes else AutoRegressor
            auto = chosen(simple=True, random_state=self.seed).fit(samples.X, samples.y)
            return auto.preparer_.transform(samples.X), auto.kernel_, auto.notes_
        preparer = TablePreparer().fit(samples.X)
        prepared = preparer.transform(samples.X)
        if self.kernel != "auto":
            import mercer

            return prepared, mercer.kernel(self.kernel).resolve(prepared), preparer.notes_
        from mercer.auto.candidates import proposals
        from mercer.auto.view import named_columns

        found, notes = proposals(prepared, preparer.kinds_)
        first: dict[tuple[str, ...], Any] = {}  # first proposal for each set of columns, with its middle width
        for proposal in found:
            first.setdefault(tuple(named_columns(proposal.forms[0])), proposal.forms[len(proposal.forms) // 2])
        return prepared, sum(first.values()).resolve(prepared), [*preparer.notes_, *notes]

    def _model(self, kernel: Any) -> Any:
        from mercer.decomposition import KernelPCA
        from mercer.discriminant import KernelDiscriminantAnalysis

        model = KernelPCA if self.method == "kpca" else KernelDiscriminantAnalysis
        return model(n_components=self.components, kernel=kernel)

    def _write(self, model: Any, prepared: Any, Z: Any, samples: Samples) -> None:
        import polars as pl

        from mercer.plots import EmbeddingDisplay, blank, png, svg

        figure, ax = blank(7, 5)
        EmbeddingDisplay.from_estimator(model, prepared, _legible(samples.y), ax=ax)
        ax.set_title(escaped(samples.name))
        with replacing(self.output, *([self.table] if self.table else [])) as (picture, *tables):
            if self.output.suffix.lower() == ".png":
                picture.write_bytes(png(figure, dpi=150))
            else:
                picture.write_text(svg(figure), encoding="utf-8")
            for table in tables:
                pl.DataFrame(_columns(Z, samples)).write_csv(table)

    @staticmethod
    def show(console: "Console", found: dict[str, Any]) -> None:
        """Print notes, method, kernel, explained variance and files."""
        from rich.text import Text

        from mercer.cli.shared.output import print_notes
        from mercer.cli.shared.tables import facts, verdict

        data, explained = found["data"], found["explained"]
        console.print(Text.assemble((data["name"], "bold"), f"  {data['rows']} rows"))
        print_notes(console, found["notes"])
        console.print()
        shown: dict[str, Any] = {
            "method": found["method"],
            "kernel": found["kernel"],
            "certificate": verdict(found["definiteness"]),
            "components": str(found["components"]),
        }
        if explained is not None:
            shown["components"] += ", explained variance " + ", ".join(f"{share:.1%}" for share in explained)
        console.print(facts(shown | {name: path for name, path in found["files"].items() if path}))

    def program(self) -> list[str]:
        """Return the equivalent Python program."""
        model = "KernelPCA" if self.method == "kpca" else "KernelDiscriminantAnalysis"
        home = "mercer.decomposition" if self.method == "kpca" else "mercer.discriminant"
        needed = [
            f"from {home} import {model}",
            "import polars as pl",
            "from mercer.plots import EmbeddingDisplay, blank",
        ]
        picture = f"figure.savefig({quoted(self.output)}, dpi=150)"
        lines = [
            *reading_program(self.data, self.target, supervised=self.supervised, likely=True),
            *sampling_program(self.rows or None, self.seed),
        ]
        if self.kernel == "auto" and self.supervised:
            estimator = "AutoClassifier"
            needed.append("from mercer.auto import AutoClassifier")
            if self.method == "kpca":
                estimator = '(AutoClassifier if infer_task(y) == "classification" else AutoRegressor)'
                needed[-1] = "from mercer.auto import AutoClassifier, AutoRegressor, infer_task"
            lines += [
                f"auto = {estimator}(simple=True, random_state={self.seed}).fit(X, y)",
                "prepared, kernel = auto.preparer_.transform(X), auto.kernel_",
            ]
        else:
            needed.append("from mercer.auto import TablePreparer")
            lines += ["preparer = TablePreparer().fit(X)", "prepared = preparer.transform(X)"]
        if self.kernel != "auto":
            needed.append("import mercer")
            lines.append(f"kernel = mercer.kernel({quoted(self.kernel)}).resolve(prepared)")
        elif not self.supervised:
            needed += ["from mercer.auto import named_columns, proposals"]
            lines += [
                "usual = {}",
                "for proposal in proposals(prepared, preparer.kinds_)[0]:",
                "    columns = tuple(named_columns(proposal.forms[0]))",
                "    usual.setdefault(columns, proposal.forms[len(proposal.forms) // 2])",
                "kernel = sum(usual.values()).resolve(prepared)",
            ]
        return [
            *imports(needed, READING, COUNTING if self.rows else ()),
            "",
            *lines,
            f"model = {model}(n_components={self.components}, kernel=kernel).fit(prepared, y)",
            "Z = model.transform(prepared)",
            "figure, ax = blank(7, 5)",
            "EmbeddingDisplay.from_estimator(model, prepared, y, ax=ax)",
            picture,
            *(self._table_program() if self.table else []),
        ]

    def _table_program(self) -> list[str]:
        target = quoted(self.target) if self.target else 'data.likely_target or "target"'
        return [
            'table = {f"coordinate {j + 1}": column for j, column in enumerate(Z.T)}',
            f"table |= {{}} if y is None else {{{target}: y}}",
            f"pl.DataFrame(table).write_csv({quoted(self.table)})",
        ]


def _legible(y: Any) -> Any:
    """Labels without control characters, which no font has and no SVG file may hold."""
    return [escaped(label) for label in y.tolist()] if y is not None and y.dtype.kind == "U" else y


def _columns(Z: Any, samples: Samples) -> dict[str, Any]:
    coordinates = {f"coordinate {j + 1}": column for j, column in enumerate(Z.T)}
    return coordinates if samples.y is None else {**coordinates, str(samples.target or "target"): samples.y}
