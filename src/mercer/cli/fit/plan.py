"""Options of ``mercer fit``, run or written as a program."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any

from mercer._runtime.files import replacing
from mercer.cli.fit.fitted import Fitted
from mercer.cli.shared.destinations import check_folder, check_suffix
from mercer.cli.shared.inputs import Samples, read_samples
from mercer.cli.shared.programs import DRAWING, READING, imports, quoted, reading_program, sampling_program

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """The options of the command, as it documents them."""

    data: str
    target: str | None
    groups: str | None
    task: str
    kernel: str
    model: str
    folds: int
    rows: int
    seed: int
    output: Path
    report: Path | None
    kinds: tuple[str, ...]
    drop_missing: bool

    def __post_init__(self) -> None:
        if self.report is not None:
            check_suffix(self.report, ".html", ".htm")
        if self.kernel != "auto":
            from mercer.kernels import kernel

            kernel(self.kernel)  # a name that is wrong is told at once, before anything is read

    @cached_property
    def options(self) -> dict[str, Any]:
        """Parameters of the estimator that differ from its defaults."""
        kinds = dict(_kind(text) for text in self.kinds)
        given = {"kernel": self.kernel, "model": self.model, "kinds": kinds, "random_state": self.seed}
        return {name: value for name, value in given.items() if value and value != "auto"}

    def run(self) -> Fitted:
        """Read, evaluate, fit, write; the files appear together, at the end."""
        start = perf_counter()
        options = self.options
        check_folder(self.output, self.report)
        from mercer.cli.shared.progress_bar import progress_bar

        samples = read_samples(self.data, target=self.target, groups=self.groups, drop_missing=self.drop_missing)
        if samples.y is None:
            raise ValueError(f"fit: {samples.name!r} carries no targets to learn from; use embed, or name a table.")
        from mercer.auto import AutoClassifier, AutoRegressor, evaluate, infer_task
        from mercer.auto.task import why_task

        task = infer_task(samples.y) if self.task == "auto" else self.task
        if self.task == "auto":
            samples = samples.noted(why_task(samples.y))
        samples = samples.draw(self.rows or None, self.seed, stratify=task == "classification")
        model = (AutoClassifier if task == "classification" else AutoRegressor)(**options)
        with progress_bar("cross-validation") as step:
            evaluation = evaluate(model, samples.X, samples.y, samples.groups, cv=self.folds, progress=step)
            step(0, 1, "fit on all rows")
            model.fit(samples.X, samples.y, samples.groups)
            step(1, 1, "writing")
            self._write(model, evaluation, samples)
        files = {"model": str(self.output), "report": None if self.report is None else str(self.report)}
        return Fitted(samples, task, model, evaluation, files, perf_counter() - start)

    def _write(self, model: Any, evaluation: Any, samples: Samples) -> None:
        from mercer.persistence import save

        with replacing(self.output, *([self.report] if self.report else [])) as (model_file, *report_files):
            save(model, model_file)
            for file in report_files:
                from mercer.report import write_report

                code = self._exact_program(model, samples)
                write_report(file, model, evaluation, samples.source, samples.X, samples.y, code=code)

    def _exact_program(self, model: Any, samples: Samples) -> str:
        """The chosen model in Python, on the rows that were drawn."""
        from mercer.auto import code

        text = code(model, self.data, self.target, groups=self.groups, drop_missing=self.drop_missing)
        if samples.n == samples.total:
            return text
        lines = text.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("X, y, _ = "))
        stratify = hasattr(model, "classes_")
        lines[at + 1 : at + 1] = [
            f"rows = sample_rows(y, {self.rows}, stratify={stratify}, random_state={self.seed})",
            "X, y = take(X, rows), y[rows]",
        ]
        return "\n".join([lines[0], *DRAWING, *lines[1:]])

    def program(self) -> list[str]:
        """The same in Python."""
        auto = self.task == "auto"
        estimator = {"classification": "AutoClassifier", "regression": "AutoRegressor"}.get(self.task)
        names = ["AutoClassifier", "AutoRegressor", "infer_task"] if auto else [str(estimator)]
        names += ["evaluate", *(["code"] if self.report else [])]
        stratify = 'task == "classification"' if auto else str(self.task == "classification")
        given = ", ".join(f"{k}={quoted(v) if isinstance(v, str) else repr(v)}" for k, v in self.options.items())
        lines = [
            *imports(
                [f"from mercer.auto import {', '.join(sorted(names))}", "from mercer.persistence import save"],
                READING,
                DRAWING if self.rows else (),
                ["from mercer.report import write_report"] if self.report else (),
            ),
            "",
            *reading_program(self.data, self.target, groups=self.groups, drop_missing=self.drop_missing),
            *(["task = infer_task(y)"] if auto else []),
            *sampling_program(self.rows or None, self.seed, stratify),
            *(['Estimator = AutoClassifier if task == "classification" else AutoRegressor'] if auto else []),
            f"model = {'Estimator' if auto else estimator}({given})",
            f"evaluation = evaluate(model, X, y, groups, cv={self.folds})",
            "for metric in evaluation.metrics:",
            "    mean, low, high = evaluation.interval(metric)",
            '    print(f"{metric}: {mean:.4f} ({low:.4f} to {high:.4f})")',
            "model.fit(X, y, groups)",
            "print(model.kernel_)",
            f"save(model, {quoted(self.output)})",
        ]
        if self.report:
            program = self._code_call()
            lines.append(f"write_report({quoted(self.report)}, model, evaluation, data, X, y, code={program})")
        return lines

    def _code_call(self) -> str:
        named = {"target": self.target, "groups": self.groups, "drop_missing": self.drop_missing}
        given = [f"{name}={quoted(v) if isinstance(v, str) else v}" for name, v in named.items() if v]
        return f"code({', '.join(['model', quoted(self.data), *given])})"


def _kind(text: str) -> tuple[str, str]:
    column, sign, kind = text.rpartition("=")
    if not sign or not column:
        raise ValueError(f"fit: --kinds takes COL=KIND, such as age=number; got {text!r}.")
    return column, kind
