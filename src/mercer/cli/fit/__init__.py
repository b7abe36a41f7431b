"""``mercer fit``: a model from a table, with scores from nested cross-validation."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from mercer.cli.shared.options import Code, Flag, Json, Output, Rows, Seed, Target

__all__ = ["fit"]


def fit(
    data: str,
    /,
    *,
    target: Target = None,
    groups: str | None = None,
    task: Literal["auto", "classification", "regression"] = "auto",
    kernel: str = "auto",
    model: Literal["auto", "svm", "ridge", "logistic", "lda", "knn", "perceptron"] = "auto",
    folds: Annotated[int, Parameter(validator=Number(gte=2))] = 5,
    rows: Rows = 5000,
    seed: Seed = 0,
    output: Output | None = None,
    report: Path | None = None,
    kinds: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None,
    drop_missing: Flag = False,
    json: Json = False,
    code: Code = False,
) -> None:
    """Learn a model from a table, with honest scores, and save it.

    Kinds of columns, kernel, model and its parameters are chosen by cross-validation; the whole of that is repeated in
    outer folds, for scores on samples that the model has not seen. What is decided is told.

    Parameters
    ----------
    data
        A file, a folder or a bundled name (see mercer datasets).
    target
        Column to predict; needed unless the data name it.
    groups
        Column of samples that belong together, and are never split between folds.
    task
        What the target is; auto looks at its values.
    kernel
        A kernel on the prepared columns, or auto.
    model
        The learner; lda, logistic and perceptron only for classes.
    folds
        Outer folds, for the scores.
    output
        File of the model; the name of the data with the ending .mercer by default.
    report
        File of a report to write, .html.
    kinds
        Kinds of columns where the guess is wrong, as COL=KIND: number, category, text, sequence, molecule, tree, drop.
    drop_missing
        Leave out rows without target.
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
        seed=seed,
        output=Path(f"{Path(data).stem}.mercer") if output is None else output,
        report=report,
        kinds=tuple(kinds or ()),
        drop_missing=drop_missing,
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
