"""``mercer fit``: model selection, nested cross-validation and fit of a table."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from mercer.cli.shared.help_texts import BLOCKS, MODEL, ROWS, SCORES
from mercer.cli.shared.options import Code, Column, Flag, Json, KernelText, Output, Seconds, Seed, Target

__all__ = ["fit"]


def _check_landmarks(type_: object, value: int | str) -> None:  # noqa: ARG001 - called with both by cyclopts
    """Raise ValueError for numbers below 1."""
    if isinstance(value, int) and value < 1:
        raise ValueError("Must be >= 1.")


def fit(
    data: str | None = None,
    /,
    *,
    target: Annotated[Target, ROWS] = None,
    task: Annotated[Literal["auto", "classification", "regression"], ROWS] = "auto",
    kinds: Annotated[
        list[str] | None, ROWS, Parameter(consume_multiple=True, negative="", metavar="COL=KIND...")
    ] = None,
    groups: Annotated[Column, ROWS] = None,
    rows: Annotated[int | None, ROWS, Parameter(validator=Number(gte=0))] = None,
    min_class: Annotated[int | None, ROWS, Parameter(validator=Number(gte=1))] = None,
    rare: Annotated[Literal["keep", "merge", "drop"] | None, ROWS] = None,
    drop_missing: Annotated[Flag, ROWS] = False,
    unlabeled: Annotated[Flag, ROWS] = False,
    kernel: Annotated[KernelText, MODEL] = "auto",
    model: Annotated[
        Literal["auto", "svm", "ridge", "logistic", "lda", "knn", "perceptron", "transductive"], MODEL
    ] = "auto",
    approximation: Annotated[Literal["auto", "none"] | int, MODEL, Parameter(validator=_check_landmarks)] = "auto",
    class_weight: Annotated[
        list[str] | None, MODEL, Parameter(consume_multiple=True, negative="", metavar="LABEL=WEIGHT...")
    ] = None,
    positive: Annotated[str | None, MODEL, Parameter(metavar="LABEL")] = None,
    threshold: Annotated[str | None, MODEL, Parameter(metavar="RULE")] = None,
    scoring: Annotated[str | None, MODEL, Parameter(metavar="NAME")] = None,
    folds: Annotated[int, SCORES, Parameter(validator=Number(gte=2))] = 5,
    baselines: Annotated[bool, SCORES, Parameter(show_default=False)] = True,
    blocks: Annotated[Flag, BLOCKS] = False,
    parquet: Annotated[str | None, BLOCKS, Parameter(metavar="FOLDER")] = None,
    dask: Annotated[str | None, BLOCKS, Parameter(metavar="ADDRESS")] = None,
    checkpoint: Annotated[Path | None, BLOCKS, Parameter(metavar="FOLDER")] = None,
    output: Output | None = None,
    report: Path | None = None,
    time_limit: Annotated[float | None, Seconds] = None,
    seed: Seed = 0,
    json: Json = False,
    code: Code = False,
) -> None:
    """Fit a model to a table, score it and save it.

    Infers the kinds of columns and selects kernel, model and parameters by cross-validation. Scores come from nested
    cross-validation: the whole selection is repeated in every outer fold. A linear model and gradient boosting are
    scored on the same folds. Lines with ! qualify the scores. All decisions are printed as notes.

    The saved model is fitted to all rows, with an approximated kernel if there are many; models that cannot be
    approximated are fitted to about 5000 rows. For larger tables, kernel and parameters are selected on 2000 rows, and
    scores are computed on about 5000 rows.

    Parameters
    ----------
    data
        File, folder or name of a bundled data set (see mercer datasets). Required unless --parquet is given.
    target
        Column to predict. [default: the target of the data set, or the only column named target, class, label or y]
    task
        Classification or regression; auto infers it from the target.
    kinds
        Override inferred kinds of columns: number, category, date, ordered, text, sequence, molecule, tree, drop.
    groups
        Column of group labels. Rows of a group are never split between folds. With auto, equal rows, related sequences
        and probably identical graphs are groups.
    rows
        Use about this many rows of larger tables for everything; 0 uses all rows, also for the scores.
        [default: all rows for the model, 5000 for the scores]
    min_class
        Classes with fewer rows are rare. [default: the number of folds]
    rare
        Keep rare classes, merge them into one class (other), or drop their rows. [default: keep, or merge with
        --min-class]
    drop_missing
        Drop rows without a target.
    unlabeled
        Use rows without a target as unlabelled samples (implies --model transductive).
    kernel
        Kernel on the prepared columns, as a name or quoted expression; auto selects one.
    model
        Model to fit. Regression supports ridge, svm and knn; auto compares svm and ridge.
    approximation
        Approximation of the kernel for large tables: auto (exact where possible), none, or a number of landmarks.
    class_weight
        Weights of classes, such as spam=5; balanced weights classes inversely to their sizes.
    positive
        Label of the positive class. [default: the rarer of two classes]
    threshold
        Predict the positive class from this probability: a number, cost:FP:FN (costs of a false positive and of a false
        negative), recall:R or precision:P. Chosen on out-of-fold probabilities and saved with the model.
    scoring
        Score by which kernels, models and parameters are compared, by its name in scikit-learn, such as roc_auc.
        [default: log-loss or squared error]
    folds
        Number of outer folds for the scores.
    baselines
        Score a linear model and gradient boosting on the same folds.
    blocks
        Read Parquet or CSV files, or a folder of them, in blocks, and fit one kernel ridge model with landmarks to all
        rows. Columns must be numeric. Only the penalty of a regression is selected. Scores are computed on 10 % of the
        rows, at most 20000, which a first fit leaves out.
    parquet
        As --blocks, with the Parquet file or the folder of Parquet files to read in place of DATA.
    dask
        As --blocks, on the Dask cluster whose scheduler has this address. All workers must be able to read the files.
    checkpoint
        With --blocks or --parquet: save sums in this folder every minute. After a crash or a kill, the same command
        continues from there. The folder is removed when the model is saved.
    output
        Save the model to this file. [default: NAME.mercer, after DATA]
    report
        Write a report to this file (.html).
    time_limit
        Time limit in seconds for all folds and the saved model; each fit gets an equal part. Steps that would exceed
        it are skipped, and notes list them.
    """
    if (data is None) == (parquet is None):
        got = "neither" if data is None else "both"
        raise ValueError(f"fit: expected either DATA or --parquet FOLDER, got {got}; name the table in one of them.")
    if parquet is not None:
        data, blocks = parquet, True
    assert data is not None  # one of them is a string
    if checkpoint is not None and not blocks and dask is None:
        raise ValueError("fit: --checkpoint needs --blocks or --parquet; other fits are not saved at intervals.")
    if blocks or dask is not None:
        from mercer.cli.fit.large import LargeFit, check_large, show_large
        from mercer.cli.shared.output import print_json, terminal

        check_large(
            {
                "--code": code,
                "--report": report,
                "--groups": groups,
                "--unlabeled": unlabeled,
                "--drop-missing": drop_missing,
                "--kinds": kinds,
                "--rows": rows,
                "--scoring": scoring,
                "--threshold": threshold,
                "--positive": positive,
                "--class-weight": class_weight,
                "--min-class": min_class,
                "--rare": rare,
                "--time-limit": time_limit,
                "--model": None if model == "auto" else model,
            }
        )
        path = Path(f"{Path(data).stem}.mercer") if output is None else output
        large = LargeFit(data, target, task, kernel, approximation, seed, path, dask, parquet is not None, checkpoint)
        found = large.run()
        print_json(found) if json else show_large(terminal(), found)
        return
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
        positive=positive,
        threshold=threshold,
        scoring=scoring,
        class_weight=tuple(class_weight or ()),
        min_class=min_class,
        rare=rare,
        baselines=baselines,
        time_limit=time_limit,
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
