"""``mercer fit``: model selection, nested cross-validation and fit of a table."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from mercer.cli.shared.options import Code, Flag, Json, Output, Seed, Target

__all__ = ["fit"]


def _check_landmarks(type_: object, value: int | str) -> None:  # noqa: ARG001 - called with both by cyclopts
    """Raise ValueError for numbers below 1."""
    if isinstance(value, int) and value < 1:
        raise ValueError("Must be >= 1.")


def fit(
    data: str,
    /,
    *,
    target: Target = None,
    groups: str | None = None,
    task: Literal["auto", "classification", "regression"] = "auto",
    kernel: str = "auto",
    model: Literal["auto", "svm", "ridge", "logistic", "lda", "knn", "perceptron", "transductive"] = "auto",
    folds: Annotated[int, Parameter(validator=Number(gte=2))] = 5,
    rows: Annotated[int | None, Parameter(validator=Number(gte=0))] = None,
    approximation: Annotated[Literal["auto", "none"] | int, Parameter(validator=_check_landmarks)] = "auto",
    seed: Seed = 0,
    output: Output | None = None,
    report: Path | None = None,
    kinds: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    drop_missing: Flag = False,
    unlabeled: Flag = False,
    json: Json = False,
    code: Code = False,
) -> None:
    """Fit a model to a table, score it and save it.

    Infers the kinds of columns and selects kernel, model and parameters by cross-validation. Scores come from nested
    cross-validation: the whole selection is repeated in every outer fold. All decisions are printed as notes.

    The saved model is fitted to all rows, with an approximated kernel if there are many; models that cannot be
    approximated are fitted to about 5000 rows. For larger tables, kernel and parameters are selected on 2000 rows, and
    scores are computed on about 5000 rows.

    Parameters
    ----------
    data
        File, folder or name of a bundled data set (see mercer datasets).
    target
        Column to predict. Required unless the data set defines its target.
    groups
        Column of group labels. Rows of a group are never split between folds.
    task
        Classification or regression; auto infers it from the target.
    kernel
        Kernel on the prepared columns, as a name or quoted expression; auto selects one.
    model
        Model to fit. Regression supports ridge, svm and knn; auto compares svm and ridge.
    folds
        Number of outer folds for the scores.
    rows
        Use about this many rows of larger tables for everything; 0 uses all rows, also for the scores.
        [default: all rows for the model, 5000 for the scores]
    approximation
        Approximation of the kernel for large tables: auto (exact where possible), none, or a number of landmarks.
    output
        Save the model to this file. [default: NAME.mercer, after DATA]
    report
        Write a report to this file (.html).
    kinds
        Override inferred kinds of columns, as COL=KIND. Kinds: number, category, text, sequence, molecule, tree, drop.
    drop_missing
        Drop rows without a target.
    unlabeled
        Use rows without a target as unlabelled samples (implies --model transductive).
    """
    from mercer.cli.fit.plan import Plan
    from mercer.cli.shared.output import print_code, print_json, terminal

    plan = Plan(
        data=data,
        target=target,
        groups=groups,
        task=task,
        kernel=kernel,
        model=model,
        folds=folds,
        rows=rows,
        approximation=approximation,
        seed=seed,
        output=Path(f"{Path(data).stem}.mercer") if output is None else output,
        report=report,
        kinds=tuple(kinds or ()),
        drop_missing=drop_missing,
        unlabeled=unlabeled or model == "transductive",
    )
    if code:
        print_code(plan.program(), json=json)
        return
    fitted = plan.run()
    if json:
        print_json(fitted.plain())
    else:
        from mercer.cli.fit.summary import show_fit

        show_fit(terminal(), fitted.plain())
