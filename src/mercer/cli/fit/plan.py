"""Execution of ``mercer fit``, and the equivalent Python program."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from mercer._runtime.files import replacing
from mercer.cli.fit.decisions import (
    check_classes,
    check_decisions,
    check_task,
    chosen_threshold,
    class_weights,
    decide,
    rare_options,
    with_labels,
)
from mercer.cli.fit.fitted import Fitted
from mercer.cli.fit.program import exact_program, program
from mercer.cli.fit.unlabeled import check_unlabeled, compared, evaluate_plain
from mercer.cli.shared.destinations import check_folder, check_suffix
from mercer.cli.shared.inputs import Samples, read_samples
from mercer.cli.shared.places import rows_of_file

if TYPE_CHECKING:
    from mercer.cli.shared.progress_bar import Step

__all__ = ["Plan"]

REPORT = 2  # steps of the progress that the report counts as
SAMPLED = 5000  # rows of larger tables on which scores are computed, and models without approximation fitted


@dataclass(frozen=True)
class Plan:
    """Options of the command."""

    data: str
    target: str | None
    groups: str | None
    task: str
    kernel: str
    model: str
    folds: int
    rows: int | None
    approximation: str | int
    positive: str | None
    threshold: str | None
    scoring: str | None
    class_weight: tuple[str, ...]
    min_class: int | None
    rare: str | None
    baselines: bool
    time_limit: float | None
    seed: int
    output: Path
    report: Path | None
    kinds: tuple[str, ...]
    drop_missing: bool
    unlabeled: bool

    def __post_init__(self) -> None:
        if self.report is not None:
            check_suffix(self.report, ".html", ".htm")
        if self.unlabeled:
            check_unlabeled(self.model, self.task, drop_missing=self.drop_missing)
        if self.kernel != "auto":
            from mercer.kernels import kernel

            kernel(self.kernel)  # raises for unknown names before anything is read
        check_decisions(self)

    @cached_property
    def options(self) -> dict[str, Any]:
        """Estimator parameters that differ from their defaults."""
        kinds = dict(_kind(text) for text in self.kinds)
        model = "transductive" if self.unlabeled else self.model
        given = {"kernel": self.kernel, "model": model, "kinds": kinds, "random_state": self.seed}
        found = {name: value for name, value in given.items() if value and value != "auto"}
        if self.approximation != "auto":
            found["approximation"] = None if self.approximation == "none" else self.approximation
        if self.scoring is not None:
            found["scoring"] = self.scoring
        if self.class_weight:
            found["class_weight"] = class_weights(self.class_weight)
        if self.time_limit is not None:
            found["time_limit"] = round(self.time_limit / (self.folds + 1), 3)
        return found

    @cached_property
    def sizes(self) -> tuple[int | None, int | None]:
        """Number of rows that are sampled for everything, and for the scores; None for all rows."""
        if self.rows is not None:
            return self.rows or None, None
        from mercer.auto.models import MODELS

        tasks = [self.task] if self.task in MODELS else list(MODELS)
        named = [MODELS[task][self.model] for task in tasks if self.model in MODELS[task]]
        scales = self.approximation != "none" and not self.unlabeled and all(model.approximates for model in named)
        return (None, SAMPLED) if scales else (SAMPLED, None)

    def run(self) -> Fitted:
        """Read the data, evaluate, fit and write; all files are replaced together at the end."""
        check_folder(self.output, self.report)
        from mercer.cli.shared.progress_bar import progress

        with progress("reading") as step:
            return self._run(step)

    def _run(self, step: "Step") -> Fitted:
        start = perf_counter()
        options = self.options
        samples = self._read()
        from mercer.auto import AutoClassifier, AutoRegressor, TablePreparer, evaluate
        from mercer.auto.grams import shared_grams

        task = self.task
        if task == "auto":
            task, why = self._infer_task(samples)
            samples = samples.noted(why)
        check_task(self, task)
        if task == "classification":
            samples = samples.without_rare(*rare_options(self))
            options = with_labels(options, samples.y)
            check_classes(self, samples.y)
        drawn, scored = self.sizes
        samples = samples.draw(drawn, self.seed, stratify=task == "classification").grouped(options.get("kinds"))
        model = (AutoClassifier if task == "classification" else AutoRegressor)(**options)

        def prepare(X: Any) -> None:
            TablePreparer(options.get("kinds")).fit(X).transform(X)

        scored_folds = self.folds * (2 if self.unlabeled else 1)  # with and without unlabelled rows
        total = scored_folds + 1 + (REPORT if self.report is not None else 0)  # the folds and the fit to all rows
        with shared_grams(samples.X), rows_of_file(samples.source, samples.X, prepare):
            evaluation = evaluate(
                model,
                samples.X,
                samples.y,
                samples.groups,
                cv=self.folds,
                progress=lambda done, _, text: step(done, total, text),
                max_samples=scored,
                scoring=self.scoring,
                baselines=self.baselines,
                positive=self.positive,
            )
            plain = None
            if self.unlabeled:
                plain = evaluate_plain(
                    model, samples, self.folds, lambda done, _, text: step(self.folds + done, total, text)
                )
                samples = compared(samples, evaluation, plain)
            threshold = chosen_threshold(self, evaluation)
            step(scored_folds, total, "fit on all rows")
            model.fit(samples.X, samples.y, samples.groups)
        decide(model, evaluation, threshold)
        step(scored_folds + 1, total, "writing" if self.report is None else "writing the report")
        self._write(model, evaluation, samples)
        files = {"model": str(self.output), "report": None if self.report is None else str(self.report)}
        return Fitted(samples, task, model, evaluation, plain, files, perf_counter() - start)

    def _read(self) -> Samples:
        samples = read_samples(
            self.data,
            target=self.target,
            groups=self.groups,
            drop_missing=self.drop_missing,
            unlabeled=self.unlabeled,
        )
        if samples.y is None:
            raise ValueError(f"fit: {samples.name!r} has no targets; give a table with a target, or use mercer embed.")
        if self.unlabeled and all(label is not None for label in samples.y):
            raise ValueError(
                f"fit: --unlabeled needs rows without a target, but all {samples.n} rows of {samples.name!r} have a "
                f"value in {samples.target!r}; remove --unlabeled."
            )
        return samples

    def _infer_task(self, samples: Samples) -> tuple[str, str]:
        """Task inferred from the target, and the reason."""
        from mercer.auto.task import infer_task, labeled_rows, why_task

        labels = samples.y[labeled_rows(samples.y)]
        task, why = infer_task(labels), why_task(labels)
        if self.unlabeled and task == "regression":
            raise ValueError(
                f"fit: --unlabeled needs a classification target. {why} Use --task classification if the values are "
                "classes, or --drop-missing."
            )
        return task, why

    def _write(self, model: Any, evaluation: Any, samples: Samples) -> None:
        from mercer.persistence import save

        with replacing(self.output, *([self.report] if self.report else [])) as (model_file, *report_files):
            save(model, model_file)
            for file in report_files:
                from mercer.report import write_report

                code = exact_program(self, model, samples)
                write_report(file, model, evaluation, samples.source, samples.X, samples.y, code=code)

    def program(self) -> list[str]:
        """Return the equivalent Python program."""
        return program(self)


def _kind(text: str) -> tuple[str, str]:
    column, sign, kind = text.rpartition("=")
    if not sign or not column:
        raise ValueError(f"fit: --kinds expects COL=KIND, such as age=number, got {text!r}.")
    return column, kind
