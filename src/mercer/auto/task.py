"""Classes or numbers: what a target asks for, and whether it can be learned from."""

from typing import Any, Literal, TypeAlias

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import describe
from mercer.data.frames import as_frame, as_series
from mercer.data.hashing.categories import is_missing

__all__ = ["Task", "as_target", "check_classes", "check_numbers", "infer_task", "why_task"]

Task: TypeAlias = Literal["classification", "regression"]

FEW = 20  # different integers up to which they are classes


def infer_task(y: Any) -> Task:
    """What a target asks for: classification for texts, booleans and few integers, regression for other numbers.

    At most 20 different integers, each of them twice on the average, are classes; so are two different whole floats.

    >>> infer_task(["ham", "spam"]), infer_task([3, 1, 3, 1]), infer_task([0.5, 1.0, 2.5])
    ('classification', 'classification', 'regression')
    """
    return _decide(as_target("infer_task", y))[0]


def why_task(y: Any) -> str:
    """One sentence on what `infer_task` says, to be told to people.

    >>> why_task(["ham", "spam"])
    'Classification, since the target holds labels (2 different ones).'
    """
    return _decide(as_target("why_task", y))[1]


def _decide(y: Any) -> tuple[Task, str]:
    different = len(np.unique(y)) if y.dtype.kind != "O" else len(set(y.tolist()))
    if y.dtype.kind not in "iuf":
        return "classification", f"Classification, since the target holds labels ({different} different ones)."
    whole = bool((y == np.floor(y)).all())
    if whole and (different == 2 or (y.dtype.kind in "iu" and different <= FEW and 2 * different <= len(y))):
        return "classification", f"Classification, since the target holds only {different} different integers."
    what = "integers" if whole else "numbers"
    return "regression", f"Regression, since the target holds {different} different {what}."


def as_target(who: str, y: Any) -> Any:
    """The target as a 1-D array without missing values: numbers, booleans, or labels of one type."""
    if y is None:
        raise ValueError(f"{who}: requires y to be passed, but the target y is None.")
    frame, series = as_frame(y), as_series(y)
    if frame is not None and frame.shape[1] == 1:
        array = np.asarray(next(frame.iter_columns()).to_numpy())
    else:
        array = np.asarray(y) if series is None else np.asarray(series.to_numpy())
    if array.ndim == 2 and array.shape[1] == 1:
        from sklearn.utils import column_or_1d

        array = column_or_1d(array, warn=True)
    if array.ndim != 1:
        raise ValueError(f"{who}: y should be a 1d array, one target for each sample, got {describe(y)}.")
    missing = [i for i, value in enumerate(array.tolist()) if is_missing(value)]
    if missing:
        raise ValueError(
            f"{who}: Input y contains NaN: the target is missing in {len(missing)} of {len(array)} rows (first row "
            f"{missing[0]}); drop these rows."
        )
    return array if array.dtype.kind != "O" else _of_one_type(who, array)


def _of_one_type(who: str, array: Any) -> Any:
    values = [value.item() if isinstance(value, np.generic) else value for value in array.tolist()]
    types = {type(value) for value in values}
    if len(types) > 1 and not types <= {int, float}:
        names = " and ".join(sorted(t.__name__ for t in types))
        raise TypeError(f"{who}: y mixes values of types {names}; make all of them labels (text) or numbers.")
    return np.array(values) if types <= {str, bool, int, float} else array


def check_classes(who: str, y: Any) -> None:
    """Raise unless there are two classes or more, and at most half of the samples are the only one of their class."""
    from sklearn.utils.multiclass import check_classification_targets

    _check_finite(who, y)
    if y.dtype.kind == "f" and not (y == np.floor(y)).all():
        different = len(np.unique(y))
        raise ValueError(
            f"{who}: Unknown label type: continuous. The target holds {different} different numbers with fractions, "
            "which are no classes; use AutoRegressor, or cut them into classes first."
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
            f"of them; drop or merge these classes{hint}."
        )


def _check_finite(who: str, y: Any) -> None:
    finite = np.isfinite(y) if y.dtype.kind == "f" else np.ones(len(y), dtype=bool)
    if not finite.all():
        raise ValueError(f"{who}: Input y contains infinity (first in row {int(np.argmin(finite))}); drop such rows.")


def check_numbers(who: str, y: Any) -> DoubleArray:
    """Finite numbers that differ, as float64."""
    if y.dtype.kind not in "fiub":
        what = "Complex data not supported" if y.dtype.kind == "c" else "use AutoClassifier for labels"
        raise ValueError(f"{who}: y must hold real numbers, got dtype {y.dtype}; {what}.")
    values = y.astype(np.float64)
    _check_finite(who, values)
    if len(values) < 2:
        raise ValueError(f"{who}: one sample (n_samples=1) is not enough to choose and fit a model; give at least 4.")
    if (values == values[0]).all():
        raise ValueError(f"{who}: the target is constant: all {len(values)} samples have {values[0]:g}.")
    return np.asarray(values)
