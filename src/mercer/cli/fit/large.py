"""``mercer fit --blocks``, ``--parquet`` and ``--dask``: one ridge model of a table that is larger than memory."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.cli.shared.destinations import check_folder

if TYPE_CHECKING:
    from mercer.cli.shared.progress_bar import Step

__all__ = ["LargeFit", "check_large", "show_large"]

_LANDMARKS = 500
_HELD_OUT, _MOST_HELD_OUT = 0.1, 20_000  # share and number of rows for the score
_LEAST = 2  # rows
_LABELS = 10_000  # rows that decide the task
_ALPHAS = np.logspace(-3, 3, 7)
_PASSES = {"classification": 6, "regression": 8}  # over all rows in a fit; the second fit needs one less


def check_large(given: Mapping[str, Any]) -> None:
    """Raise ValueError for options of `mercer fit` that have no effect on fits in blocks."""
    named = [option for option, value in given.items() if value not in (None, False, ())]
    if named:
        raise ValueError(f"fit: {named[0]} cannot be combined with --blocks, --parquet or --dask; remove one of them.")


@dataclass(frozen=True)
class LargeFit:
    """Options of the command."""

    data: str
    target: str | None
    task: str
    kernel: str
    approximation: str | int
    seed: int
    output: Path
    dask: str | None
    parquet: bool
    checkpoint: Path | None = None

    def run(self) -> dict[str, Any]:
        """Read the table in blocks, score on rows that the fit has not seen, fit to all rows and save."""
        from mercer.cli.shared.progress_bar import progress

        with progress("reading") as step:
            return self._run(step)

    def _run(self, step: "Step") -> dict[str, Any]:
        begun = perf_counter()
        check_folder(self.output)
        if self.target is None:
            raise ValueError("fit: --blocks, --parquet and --dask need --target, the column to predict.")
        if self.approximation == "none":
            raise ValueError(
                "fit: --blocks, --parquet and --dask need landmarks; leave out --approximation none, or give a number."
            )
        if self.checkpoint is not None and self.dask is not None:
            raise ValueError(
                "fit: --checkpoint cannot be combined with --dask: a cluster repeats lost work by itself; remove one."
            )
        from mercer.data.blocks.dask_blocks import connected
        from mercer.datasets import read_blocks
        from mercer.datasets.apart import check_apart

        if self.dask is None:
            step(0, 1, "checking the files")
            check_apart(self.data)
        table = read_blocks(self.data, target=self.target)
        assert table.feature_names is not None  # tables have names
        if self.parquet and table.csv_options is not None:
            raise ValueError(f"fit: --parquet expects Parquet files, got CSV files in {self.data!r}; use --blocks.")
        if table.n_rows < _LEAST:
            raise ValueError(
                f"fit: {self.data} has {table.n_rows} row{'s' * (table.n_rows != 1)}, expected at least {_LEAST}, to "
                "fit to some and to compute the score on others; add rows."
            )
        with nullcontext() if self.dask is None else connected("fit", self.dask):
            source: Any = table
            if self.dask is not None:
                from mercer.data.blocks.dask_blocks import read_frame

                source = read_frame(table.paths, self.target, table.feature_names, table.csv_options)
            found = self._fit(source, step)
        return {
            **found,
            "data": {"name": Path(self.data).name, "rows": source.n_rows, "columns": source.n_features},
        } | {
            "target": self.target,
            "files": {"model": str(self.output)},
            "seconds": perf_counter() - begun,
        }

    def _fit(self, source: Any, step: "Step") -> dict[str, Any]:
        from mercer.auto.task import infer_task
        from mercer.cli.fit.passes import CountedBlocks
        from mercer.data import Checkpointed
        from mercer.data.blocks.survey import Survey, Surveyed
        from mercer.persistence import save

        def report(passes: float) -> None:
            step(state["begin"] + min(passes, state["passes"]), state["total"], state["text"])

        state: dict[str, Any] = {"begin": 0, "passes": 1, "total": 2 + 2 * max(_PASSES.values()), "text": "reading"}
        counted = CountedBlocks(source, report) if self.dask is None else None

        def begin(after: int, passes: int, text: str) -> None:
            state.update(begin=after, passes=passes, text=text)
            if counted is not None:
                counted.begin()
            report(0)

        source = source if counted is None else counted
        scored = every = source
        if self.checkpoint is not None:  # both stay until the model is saved
            scored = Checkpointed(source, self.checkpoint / "scores", keep=True)
            every = Checkpointed(source, self.checkpoint / "model", keep=True)
        survey = Surveyed.together(source.map(Survey("fit")))
        y, n = survey.y, survey.n
        task = infer_task(y[:_LABELS]) if self.task == "auto" else self.task
        passes = _PASSES[task]
        state["total"] = 2 + 2 * passes
        model = self._model(task, survey.spread, n)
        rng = np.random.default_rng(self.seed)
        held = np.sort(rng.choice(n, max(1, min(_MOST_HELD_OUT, int(_HELD_OUT * n))), replace=False))
        weight = np.ones(n)
        weight[held] = 0.0
        begin(1, passes, "fit for the scores")
        model.fit(scored, sample_weight=weight)
        begin(1 + passes, 1, "scores")
        scores = _scores(task, model, y, held, _named(source, source.take(held)))
        begin(2 + passes, passes, "fit on all rows")
        model.fit(every)
        save(model, self.output)
        if self.checkpoint is not None:
            scored.clear()
            every.clear()
            if not any(self.checkpoint.iterdir()):
                self.checkpoint.rmdir()
        return {
            "task": task,
            "model": type(model).__name__,
            "kernel": _shortened(str(model.kernel_)),
            "alpha": float(model.alpha_ if hasattr(model, "alpha_") else model.alpha),
            "landmarks": model.approximation_.n_components,
            "residual": model.approximation_.residual_trace,
            "held out": len(held),
            "scores": scores,
        }

    def _model(self, task: str, spread: Any, n: int) -> Any:
        from mercer.kernels import RBF
        from mercer.ridge import KernelRidgeClassifier, KernelRidgeCV

        kernel: Any = self.kernel
        if kernel == "auto":  # columns are standardised by their widths
            variance = spread.squares / spread.mass
            gamma = 1 / (len(variance) * np.where(variance > 0, variance, 1.0))
            kernel = RBF(gamma=tuple(gamma.tolist()))
        landmarks = min(n, _LANDMARKS if isinstance(self.approximation, str) else self.approximation)
        if task == "classification":
            return KernelRidgeClassifier(kernel=kernel, approximation=landmarks)
        return KernelRidgeCV(alphas=_ALPHAS, kernel=kernel, approximation=landmarks, fit_intercept=True)


def _named(source: Any, X: Any) -> Any:
    """Rows with the names of their columns."""
    import polars as pl

    return pl.DataFrame(X, schema=list(source.feature_names))


def _scores(task: str, model: Any, y: Any, held: Any, samples: Any) -> dict[str, dict[str, float]]:
    """Scores of the rows that were held out, and those of a constant prediction, by metric."""
    from mercer.auto.metrics import ClassMetrics, NumberMetrics

    metrics: Any = ClassMetrics(y, None) if task == "classification" else NumberMetrics(None)
    truth = y[held]
    found = metrics.of(truth, *metrics.answers(model, samples))
    constant = metrics.of(truth, *metrics.baseline(np.delete(y, held), len(held)))
    return {name: {"value": value, "baseline": constant[name]} for name, value in found.items()}


def _shortened(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:100]}…"


def show_large(console: Any, found: dict[str, Any]) -> None:
    """Print data, score, model and file."""
    from rich.text import Text

    from mercer.auto.metrics import metric_range
    from mercer.cli.shared.tables import facts, number, plain_table

    data = found["data"]
    size = f"{data['rows']} rows, {data['columns']} columns, read in blocks"
    console.print(Text.assemble((data["name"], "bold"), f"  {size}  →  {found['task']} of {found['target']}"))
    console.print()
    constant = "majority" if found["task"] == "classification" else "mean"
    table = plain_table(f"score of {found['held out']} rows that the scored fit did not see", "value", constant)
    for column in table.columns[1:]:
        column.justify, column.no_wrap = "right", True
    for metric, score in found["scores"].items():
        whole = metric_range(metric)[1] == 1
        value, baseline = (number(score[name], whole=whole) for name in ("value", "baseline"))
        table.add_row(metric, Text(value, style="bold"), baseline)
    console.print(table)
    console.print()
    shown = {
        "model": f"{found['model']}(alpha={found['alpha']:.4g}), fitted to all rows",
        "kernel": found["kernel"],
        "approximation": f"{found['landmarks']} landmarks, relative residual {found['residual']:.2g}",
        "saved": found["files"]["model"],
    }
    console.print(facts(shown))
    console.print(Text(f"{found['seconds']:.1f} s", style="dim"))
