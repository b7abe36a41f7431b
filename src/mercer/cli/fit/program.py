"""Python programs that are equivalent to ``mercer fit``."""

from typing import TYPE_CHECKING, Any

from mercer.cli.fit.decisions import rare_options
from mercer.cli.fit.unlabeled import plain_program
from mercer.cli.shared.inputs import Samples
from mercer.cli.shared.programs import DRAWING, READING, imports, quoted, reading_program, sampling_program

if TYPE_CHECKING:
    from mercer.cli.fit.plan import Plan

__all__ = ["exact_program", "program"]


def program(plan: "Plan") -> list[str]:
    """Lines of a program that does what the command does."""
    auto = plan.task == "auto" and not plan.unlabeled
    estimator = "AutoRegressor" if plan.task == "regression" else "AutoClassifier"
    names = ["AutoClassifier", "AutoRegressor", "infer_task"] if auto else [estimator]
    names += ["evaluate", *(["code"] if plan.report else [])]
    names += ["choose_threshold"] if plan.threshold else []
    stratify = 'task == "classification"' if auto else str(plan.task != "regression")
    drawn, scored = plan.sizes
    rare = _rare_program(plan)
    groups = None if plan.groups == "auto" else plan.groups
    lines = [
        *imports(
            [f"from mercer.auto import {', '.join(sorted(names))}", "from mercer.persistence import save"],
            READING,
            DRAWING if drawn else (),
            ["from mercer.auto import rare_classes", "from mercer.data import take"] if rare else (),
            ["from mercer.report import write_report"] if plan.report else (),
            ["from mercer.data import take"] if plan.unlabeled else (),
        ),
        "",
        *reading_program(plan.data, plan.target, groups=groups, **missing(plan)),
        *(["task = infer_task(y)"] if auto else []),
        *rare,
        *sampling_program(drawn, plan.seed, stratify),
        *(['groups = "auto"'] if plan.groups == "auto" else []),
        *(['Estimator = AutoClassifier if task == "classification" else AutoRegressor'] if auto else []),
        f"model = {'Estimator' if auto else estimator}({arguments(plan.options)})",
        f"evaluation = evaluate(model, X, y, groups, {_evaluation(plan, scored)})",
        "for metric in evaluation.metrics:",
        "    mean, low, high = evaluation.interval(metric)",
        '    print(f"{metric}: {mean:.4f} ({low:.4f} to {high:.4f})")',
        *(plain_program(arguments({**plan.options, "model": "svm"}), plan.folds) if plan.unlabeled else []),
        "model.fit(X, y, groups)",
        *([f"model.use_threshold(choose_threshold(evaluation, {quoted(plan.threshold)}))"] if plan.threshold else []),
        "print(model.kernel_)",
        f"save(model, {quoted(plan.output)})",
    ]
    if plan.report:
        lines.append(f"write_report({quoted(plan.report)}, model, evaluation, data, X, y, code={_code_call(plan)})")
    return lines


def exact_program(plan: "Plan", model: Any, samples: Samples) -> str:
    """Python program that fits the selected model to the rows that were used."""
    from mercer.auto import code

    groups = None if plan.groups == "auto" else plan.groups
    text = code(model, plan.data, plan.target, groups=groups, **missing(plan))
    stratify = hasattr(model, "classes_")
    rare = _rare_program(plan, grouped=False) if stratify else []
    draws = samples.n != samples.total
    if not draws and not rare:
        return text
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("X, y, _ = "))
    lines[at + 1 : at + 1] = [
        *rare,
        *(
            [
                f"rows = sample_rows(y, {plan.sizes[0]}, stratify={stratify}, random_state={plan.seed})",
                "X, y = take(X, rows), y[rows]",
            ]
            if draws
            else []
        ),
    ]
    names = (["rare_classes"] if rare else []) + (["sample_rows"] if draws else [])
    own = [f"from mercer.auto import {', '.join(names)}", DRAWING[1]]
    return "\n".join([lines[0], *own, *lines[1:]])


def missing(plan: "Plan") -> dict[str, bool]:
    """Options of `split` and `code` for rows without a target."""
    return {"drop_missing": plan.drop_missing, "unlabeled": plan.unlabeled}


def arguments(options: dict[str, Any]) -> str:
    """Format estimator parameters as Python keyword arguments."""
    return ", ".join(f"{name}={quoted(v) if isinstance(v, str) else repr(v)}" for name, v in options.items())


def _evaluation(plan: "Plan", scored: int | None) -> str:
    given: dict[str, Any] = {"cv": plan.folds}
    given |= {"max_samples": scored} if scored else {}
    given |= {"scoring": plan.scoring} if plan.scoring else {}
    given |= {"baselines": True} if plan.baselines else {}
    given |= {"positive": plan.positive} if plan.positive else {}
    return arguments(given)


def _rare_program(plan: "Plan", *, grouped: bool = True) -> list[str]:
    """Lines that merge or drop rare classes; none if they are kept."""
    least, rare = rare_options(plan)
    if rare == "keep" or plan.task == "regression":
        return []
    lines = [f"rows, y, _ = rare_classes(y, {least}, {quoted(rare)})", "X = take(X, rows)"]
    return [*lines, "groups = None if groups is None else groups[rows]"] if grouped else lines


def _code_call(plan: "Plan") -> str:
    groups = None if plan.groups == "auto" else plan.groups
    named = {"target": plan.target, "groups": groups, **missing(plan)}
    given = [f"{name}={quoted(v) if isinstance(v, str) else v}" for name, v in named.items() if v]
    return f"code({', '.join(['model', quoted(plan.data), *given])})"
