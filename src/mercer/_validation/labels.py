"""Validation of labels: classes of samples, and groups of samples that belong together."""

import datetime as dt
import decimal
import numbers
from typing import Any

import numpy as np

from mercer._typing import IndexArray
from mercer._validation.arrays import as_numbers
from mercer._validation.describe import describe
from mercer._validation.sparse import as_dense

__all__ = ["as_labels", "group_codes"]

_KINDS: dict[str, tuple[type, ...]] = {
    "texts": (str,),
    "bytes": (bytes,),
    "dates": (dt.date, dt.timedelta, np.datetime64, np.timedelta64),
    "numbers": (numbers.Real, decimal.Decimal, np.bool_),  # after dates: np.timedelta64 is registered as Integral
}


def as_labels(who: str, values: Any, *, name: str = "y", missing: bool = False) -> Any:
    """Convert labels to an array, in which equal labels can be found.

    Labels are texts, numbers or dates. Masked arrays, complex numbers, rows of different lengths, missing labels and
    labels of several types raise an error, because `numpy.unique` reads what a mask hides, counts missing values as one
    more label, and cannot sort the others.

    Parameters
    ----------
    who : str
        Name of the caller in messages.
    values : array-like
        Labels.
    name : str, default="y"
        Name of the labels in messages.
    missing : bool, default=False
        Whether NaN, NaT and None are allowed.

    Returns
    -------
    ndarray
        Labels of any shape.

    Raises
    ------
    TypeError
        If the labels are masked, of several types, or other objects.
    ValueError
        If a label is complex or missing (unless `missing`), or if the labels have no common shape.

    Examples
    --------
    >>> as_labels("SVC", ["b", "a"])
    array(['b', 'a'], dtype='<U1')
    """
    array = as_dense(who, values, name=name)
    if array.dtype.kind in "cV":
        return as_numbers(who, array, name=name)  # raises the common error
    if array.dtype.kind in "fmM" and not missing:
        absent = np.flatnonzero((array != array).ravel())  # NaN and NaT differ from themselves
        if len(absent):
            _refuse_missing(who, name, int(absent[0]))
    if array.dtype.kind == "O":
        _check_objects(who, name, array.ravel().tolist(), missing=missing)
    return array


def group_codes(who: str, groups: Any, n: int) -> IndexArray:
    """Number of the group of each of `n` samples, from one label for each.

    >>> group_codes("KernelRidgeCV", ["b", "a", "b"], 3)
    array([1, 0, 1])
    """
    labels = as_labels(who, groups, name="groups")
    if labels.shape != (n,):
        raise ValueError(
            f"{who}: groups must have shape ({n},), one group for each of {n} samples, got {labels.shape}."
        )
    return np.unique(labels, return_inverse=True)[1]


def _refuse_missing(who: str, name: str, sample: int) -> None:
    raise ValueError(
        f"{who}: Input {name} contains NaN or None, so that the label is missing for sample {sample}; fill it "
        "in, or drop such samples."
    )


def _check_objects(who: str, name: str, values: list[Any], *, missing: bool) -> None:
    """Raise unless all objects are labels of one type."""
    first: tuple[str, Any] | None = None
    for i, value in enumerate(values):
        if _is_missing(value):
            if not missing:
                _refuse_missing(who, name, i)
            continue
        kind = next((kind for kind, types in _KINDS.items() if isinstance(value, types)), None)
        if kind is None:
            raise TypeError(
                f"{who}: {name} holds {describe(value)} for sample {i}, expected a text, a number or a date; convert "
                "labels with str()."
            )
        if first is not None and kind != first[0]:
            raise TypeError(
                f"{who}: {name} mixes {first[0]} and {kind}, such as {describe(first[1])} and {describe(value)}; "
                "convert all of them to texts."
            )
        first = (kind, value) if first is None else first


def _is_missing(value: Any) -> bool:
    """Whether a label is None, NaN, NaT or pandas' NA."""
    compared = isinstance(value, numbers.Real | decimal.Decimal | np.datetime64)
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (compared and bool(value != value))
