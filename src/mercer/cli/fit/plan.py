"""Execution of ``mercer fit``, and the equivalent Python program."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

from mercer._runtime.files import replacing
from mercer.cli.fit.fitted import Fitted
from mercer.cli.fit.unlabeled import check_unlabeled, compared, evaluate_plain, plain_program
from mercer.cli.shared.destinations import check_folder, check_suffix
from mercer.cli.shared.inputs import Samples, read_samples
from mercer.cli.shared.programs import DRAWING, READING, imports, quoted, reading_program, sampling_program

__all__ = ["Plan"]

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

    @cached_property
    def options(self) -> dict[str, Any]:
        """Estimator parameters that differ from their defaults."""
        kinds = dict(_kind(text) for text in self.kinds)
        model = "transductive" if self.unlabeled else self.model
        given = {"kernel": self.kernel, "model": model, "kinds": kinds, "random_state": self.seed}
        found = {name: value for name, value in given.items() if value and value != "auto"}
        if self.approximation != "auto":
            found["approximation"] = None if self.approximation == "none" else self.approximation
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
        start = perf_counter()
        options = self.options
        check_folder(self.output, self.report)
        from mercer.cli.shared.progress_bar import progress_bar

        samples = self._read()
        from mercer.auto import AutoClassifier, AutoRegressor, evaluate

        task = self.task
        if task == "auto":
            task, why = self._infer_task(samples)
            samples = samples.noted(why)
        drawn, scored = self.sizes
        samples = samples.draw(drawn, self.seed, stratify=task == "classification")
        model = (AutoClassifier if task == "classification" else AutoRegressor)(**options)
        with progress_bar("cross-validation") as step:
            evaluation = evaluate(
                model, samples.X, samples.y, samples.groups, cv=self.folds, progress=step, max_samples=scored
            )
            plain = None
            if self.unlabeled:
                plain = evaluate_plain(model, samples, self.folds, step)
                samples = compared(samples, evaluation, plain)
            step(0, 1, "fit on all rows")
            model.fit(samples.X, samples.y, samples.groups)
            step(1, 1, "writing")
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

                code = self._exact_program(model, samples)
                write_report(file, model, evaluation, samples.source, samples.X, samples.y, code=code)

    def _exact_program(self, model: Any, samples: Samples) -> str:
        """Python program that fits the selected model to the sampled rows."""
        from mercer.auto import code

        text = code(model, self.data, self.target, groups=self.groups, **self._missing)
        if samples.n == samples.total:
            return text
        lines = text.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("X, y, _ = "))
        stratify = hasattr(model, "classes_")
        lines[at + 1 : at + 1] = [
            f"rows = sample_rows(y, {self.sizes[0]}, stratify={stratify}, random_state={self.seed})",
            "X, y = take(X, rows), y[rows]",
        ]
        return "\n".join([lines[0], *DRAWING, *lines[1:]])

    def program(self) -> list[str]:
        """Return the equivalent Python program."""
        auto = self.task == "auto" and not self.unlabeled
        estimator = "AutoRegressor" if self.task == "regression" else "AutoClassifier"
        names = ["AutoClassifier", "AutoRegressor", "infer_task"] if auto else [estimator]
        names += ["evaluate", *(["code"] if self.report else [])]
        stratify = 'task == "classification"' if auto else str(self.task != "regression")
        drawn, scored = self.sizes
        lines = [
            *imports(
                [f"from mercer.auto import {', '.join(sorted(names))}", "from mercer.persistence import save"],
                READING,
                DRAWING if drawn else (),
                ["from mercer.data import take"] if self.unlabeled else (),
                ["from mercer.report import write_report"] if self.report else (),
            ),
            "",
            *reading_program(self.data, self.target, groups=self.groups, **self._missing),
            *(["task = infer_task(y)"] if auto else []),
            *sampling_program(drawn, self.seed, stratify),
            *(['Estimator = AutoClassifier if task == "classification" else AutoRegressor'] if auto else []),
            f"model = {'Estimator' if auto else estimator}({_arguments(self.options)})",
            f"evaluation = evaluate(model, X, y, groups, cv={self.folds}{f', max_samples={scored}' if scored else ''})",
            "for metric in evaluation.metrics:",
            "    mean, low, high = evaluation.interval(metric)",
            '    print(f"{metric}: {mean:.4f} ({low:.4f} to {high:.4f})")',
            *(plain_program(_arguments({**self.options, "model": "svm"}), self.folds) if self.unlabeled else []),
            "model.fit(X, y, groups)",
            "print(model.kernel_)",
            f"save(model, {quoted(self.output)})",
        ]
        if self.report:
            program = self._code_call()
            lines.append(f"write_report({quoted(self.report)}, model, evaluation, data, X, y, code={program})")
        return lines

    @property
    def _missing(self) -> dict[str, bool]:
        """Options of `split` and `code` for rows without a target."""
        return {"drop_missing": self.drop_missing, "unlabeled": self.unlabeled}

    def _code_call(self) -> str:
        named = {"target": self.target, "groups": self.groups, **self._missing}
        given = [f"{name}={quoted(v) if isinstance(v, str) else v}" for name, v in named.items() if v]
        return f"code({', '.join(['model', quoted(self.data), *given])})"


def _arguments(options: dict[str, Any]) -> str:
    """Format estimator parameters as Python keyword arguments."""
    return ", ".join(f"{name}={quoted(v) if isinstance(v, str) else repr(v)}" for name, v in options.items())


def _kind(text: str) -> tuple[str, str]:
    column, sign, kind = text.rpartition("=")
    if not sign or not column:
        raise ValueError(f"fit: --kinds expects COL=KIND, such as age=number, got {text!r}.")
    return column, kind
