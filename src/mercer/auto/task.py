"""Targets: inference of the task, missing labels, validation."""

from typing import Any, Literal, TypeAlias

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import as_dense, as_labels, describe
from mercer.data.frames import as_frame, as_series
from mercer.data.hashing.categories import is_missing

__all__ = [
    "Task",
    "as_partial_target",
    "as_target",
    "check_classes",
    "check_numbers",
    "infer_task",
    "known_labels",
    "labeled_rows",
    "why_task",
]

Task: TypeAlias = Literal["classification", "regression"]

FEW = 20  # largest number of distinct integers that are taken as classes


def infer_task(y: Any) -> Task:
    """Infer from a target whether the task is classification or regression.

    Texts, booleans and few distinct integers are classes; other numbers are a regression target. Integers are classes
    if there are at most 20 distinct values and at least twice as many samples. Two distinct whole floats are classes,
    too.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Target without missing values.

    Returns
    -------
    {"classification", "regression"}
        The task.

    See Also
    --------
    why_task : The reason, as a sentence.
    AutoClassifier : Classifier for raw tables.
    AutoRegressor : Regressor for raw tables.

    Examples
    --------
    >>> from mercer.auto import infer_task
    >>> infer_task(["ham", "spam"]), infer_task([3, 1, 3, 1]), infer_task([0.5, 1.0, 2.5])
    ('classification', 'classification', 'regression')
    """
    return _decide(as_target("infer_task", y))[0]


def why_task(y: Any) -> str:
    """Explain the result of `infer_task` in one sentence.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Target without missing values.

    Returns
    -------
    str
        The task and the reason for it.

    See Also
    --------
    infer_task : The task alone.

    Examples
    --------
    >>> from mercer.auto import why_task
    >>> why_task(["ham", "spam"])
    'Classification, since the target holds 2 distinct labels.'
    """
    return _decide(as_target("why_task", y))[1]


def _decide(y: Any) -> tuple[Task, str]:
    different = len(np.unique(y)) if y.dtype.kind != "O" else len(set(y.tolist()))
    if y.dtype.kind not in "iuf":
        return "classification", f"Classification, since the target holds {different} distinct labels."
    whole = bool((y == np.floor(y)).all())
    if whole and (different == 2 or (y.dtype.kind in "iu" and different <= FEW and 2 * different <= len(y))):
        return "classification", f"Classification, since the target holds only {different} distinct integers."
    what = "integers" if whole else "numbers"
    return "regression", f"Regression, since the target holds {different} distinct {what}."


def as_target(who: str, y: Any) -> Any:
    """Convert a target to a 1-D array of numbers, booleans, or labels of one type; raise if values are missing."""
    array = _column(who, y)
    missing = _missing_rows(array)
    if len(missing):
        raise ValueError(
            f"{who}: Input y contains NaN: the target is missing in {len(missing)} of {len(array)} rows (first row "
            f"{missing[0]}); drop these rows."
        )
    return _of_one_type(who, array) if array.dtype.kind == "O" else as_labels(who, array)


def _missing_rows(array: Any) -> IndexArray:
    """Rows of a 1-D array without a value; only arrays of objects are read value by value."""
    if array.dtype.kind == "O":
        return np.flatnonzero([is_missing(value) for value in array.tolist()])
    return np.flatnonzero(array != array)  # NaN and NaT differ from themselves


def as_partial_target(who: str, y: Any) -> Any:
    """Convert partial labels to a 1-D array of objects with None for missing ones; raise if all are missing.

    >>> as_partial_target("AutoClassifier", [1.0, float("nan"), 0.0]).tolist()
    [1.0, None, 0.0]
    """
    if isinstance(y, list | tuple) and any(isinstance(value, str) for value in y):
        y = np.array(y, dtype=object)  # NumPy would convert NaN to text
    values = _column(who, y).tolist()
    labels = np.empty(len(values), dtype=object)
    labels[:] = [None if is_missing(value) else value for value in values]
    if len(labels) and not len(labeled_rows(labels)):
        raise ValueError(
            f"{who}: none of the {len(labels)} samples has a label; label samples of at least two classes."
        )
    return labels


def known_labels(who: str, y: Any) -> tuple[IndexArray, Any]:
    """Rows with a label, and their labels, of an array returned by `as_target` or `as_partial_target`.

    >>> rows, labels = known_labels("AutoClassifier", as_partial_target("AutoClassifier", ["a", None, "b"]))
    >>> rows.tolist(), labels.tolist()
    ([0, 2], ['a', 'b'])
    """
    rows = labeled_rows(y)
    return rows, y if len(rows) == len(y) and y.dtype != object else as_target(who, y[rows])


def labeled_rows(y: Any) -> IndexArray:
    """Rows whose label is not None.

    >>> labeled_rows(["a", None, "b"])
    array([0, 2])
    """
    values = as_dense("labeled_rows", y, name="y")
    if values.dtype != object:
        return np.arange(len(values), dtype=np.int64)
    return np.flatnonzero([label is not None for label in values.tolist()])


def _column(who: str, y: Any) -> Any:
    """Convert a target to a 1-D array without changing its values."""
    if y is None:
        raise ValueError(f"{who}: requires y to be passed, but the target y is None.")
    frame, series = as_frame(y), as_series(y)
    if frame is not None and frame.shape[1] == 1:
        array = np.asarray(next(frame.iter_columns()).to_numpy())
    else:
        array = as_dense(who, y, name="y") if series is None else np.asarray(series.to_numpy())
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.utils import column_or_1d

        array = column_or_1d(array, warn=True)
    if array.ndim != 1:
        raise ValueError(f"{who}: y should be a 1d array, one target for each sample, got {describe(y)}.")
    return array


def _of_one_type(who: str, array: Any) -> Any:
    values = [value.item() if isinstance(value, np.generic) else value for value in array.tolist()]
    types = {type(value) for value in values}
    if len(types) > 1 and not types <= {int, float}:
        names = " and ".join(sorted(t.__name__ for t in types))
        raise TypeError(f"{who}: y mixes values of types {names}; convert all of them to text or to numbers.")
    return np.array(values) if types <= {str, bool, int, float} else as_labels(who, array)


def check_classes(who: str, y: Any) -> None:
    """Raise unless there are at least two classes, and at most half of the samples are alone in their class."""
    from sklearn.utils.multiclass import check_classification_targets

    _check_finite(who, y)
    if y.dtype.kind == "f" and not (y == np.floor(y)).all():
        different = len(np.unique(y))
        raise ValueError(
            f"{who}: Unknown label type: continuous. The target holds {different} distinct numbers with fractions, "
            "which are not classes; use AutoRegressor, or bin the target into classes first."
        )
    check_classification_targets(y)
    classes, sizes = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError(
            f"{who}: the target is constant: all {len(y)} samples have the class {classes[:1].tolist()}, expected at "
            "least two classes."
        )
    alone = classes[sizes < 2]
    if 2 * len(alone) > len(y):
        shown = ", ".join(map(repr, alone[:5].tolist())) + (f" and {len(alone) - 5} more" if len(alone) > 5 else "")
        hint = "; if the target is a quantity, use AutoRegressor" if y.dtype.kind in "iuf" else ""
        raise ValueError(
            f"{who}: {len(alone)} of {len(y)} samples are the only one of their class ({shown}), expected at most half "
            f"of the samples; drop or merge these classes{hint}."
        )


def _check_finite(who: str, y: Any) -> None:
    finite = np.isfinite(y) if y.dtype.kind == "f" else np.ones(len(y), dtype=bool)
    if not finite.all():
        raise ValueError(f"{who}: Input y contains infinity (first in row {int(np.argmin(finite))}); drop such rows.")


def check_numbers(who: str, y: Any) -> DoubleArray:
    """Convert a regression target to float64; raise unless it is finite and not constant."""
    if y.dtype.kind not in "fiub":
        what = "Complex data not supported" if y.dtype.kind == "c" else "use AutoClassifier for labels"
        raise ValueError(f"{who}: y must hold real numbers, got dtype {y.dtype}; {what}.")
    values = y.astype(np.float64)
    _check_finite(who, values)
    if len(values) < 2:
        raise ValueError(f"{who}: one sample (n_samples=1) is not enough to choose and fit a model; give at least 4.")
    if (values == values[0]).all():
        raise ValueError(
            f"{who}: the target is constant: all {len(values)} samples have the value {values[0]:g}, expected at least "
            "two different values."
        )
    return np.asarray(values)
