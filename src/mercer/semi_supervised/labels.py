"""Class labels, some of them missing."""

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets

from mercer._estimator import warn
from mercer._typing import IndexArray
from mercer._validation import as_dense, describe

__all__ = ["PartialLabels", "read_labels"]

_KINDS: tuple[Any, ...] = (str, bytes, Number | np.bool_)


@dataclass(frozen=True, eq=False)
class PartialLabels:
    """Classes of labelled and unlabelled samples.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Sorted class labels.
    label : ndarray of int of shape (n,)
        Class index of each sample, -1 for unlabelled samples.
    """

    classes: Any
    label: IndexArray

    @property
    def labeled(self) -> IndexArray:
        """Indices of labelled samples."""
        return np.flatnonzero(self.label >= 0)

    @property
    def unlabeled(self) -> IndexArray:
        """Indices of unlabelled samples."""
        return np.flatnonzero(self.label < 0)


def read_labels(who: str, y: Any, unlabeled: Any = "auto") -> PartialLabels:
    """Read class labels, some of them missing.

    Parameters
    ----------
    who : str
        Name in error messages.
    y : array-like of shape (n,)
        Labels: strings, numbers or booleans. None, NaN and pandas' NA always mark unlabelled samples.
    unlabeled : label, "auto" or None, default="auto"
        Label that marks further unlabelled samples. "auto": -1 if at least two other labels occur; if -1 is one of two
        labels and no label is missing, it is a class, and a warning is issued. None: no further label.

    Returns
    -------
    PartialLabels
        Classes and class indices.

    Raises
    ------
    ValueError
        If there are fewer than two classes, or labels of different types.

    Examples
    --------
    >>> read_labels("TransductiveSVC", [0, 1, -1, -1]).label.tolist()
    [0, 1, -1, -1]
    >>> read_labels("TransductiveSVC", ["cat", None, "dog"]).classes.tolist()
    ['cat', 'dog']
    """
    if np.ndim(unlabeled):
        raise TypeError(f"{who}: expected unlabeled='auto' or one label, got {describe(unlabeled)}.")
    y = _as_array(who, y)
    unknown = np.array([_is_missing(label) for label in y.tolist()], dtype=bool)
    if not _is_missing(unlabeled):
        unknown |= _marked(who, y, unknown, unlabeled)
    if unknown.all():
        raise ValueError(f"{who}: none of the {len(y)} samples has a label; expected labels of at least two classes.")
    known = _of_one_kind(who, y[~unknown])
    if known.dtype.kind not in "iubUS":
        assert_all_finite(known, input_name="y", estimator_name=who)
        check_classification_targets(known)
    classes, index = np.unique(known, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"{who}: the number of classes has to be greater than one; got 1 class, {classes.tolist()[0]!r}, among the "
            f"{len(known)} samples with a label."
        )
    label = np.full(len(y), -1, dtype=np.int64)
    label[~unknown] = index
    return PartialLabels(classes, label)


def _as_array(who: str, y: Any) -> Any:
    """Return y as an array of shape (n,); mixed sequences, which NumPy would convert to strings, stay objects."""
    if isinstance(y, list | tuple) and any(isinstance(value, str | bytes) for value in y):
        y = np.array(y, dtype=object)
    y = as_dense(who, y, name="y")
    if y.ndim == 2 and y.shape[1] == 1:
        warn(
            f"A column-vector y was passed when a 1d array was expected; {who} reads {y.shape} as y.ravel().",
            DataConversionWarning,
        )
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"{who}: expected labels y of shape (n,), got shape {y.shape}.")
    return y


def _is_missing(value: Any) -> bool:
    """Whether a label is None, NaN or pandas' NA."""
    not_a_number = isinstance(value, float | np.floating) and bool(np.isnan(value))
    return value is None or not_a_number or type(value).__name__ == "NAType"


def _of_one_kind(who: str, known: Any) -> Any:
    """Return labels of dtype object as strings, numbers or booleans; raise ValueError for a mixture."""
    if known.dtype != object:
        return known
    values = known.tolist()
    for kind in _KINDS:
        if all(isinstance(value, kind) for value in values):
            return np.array(values)
    types = ", ".join(sorted({type(value).__name__ for value in values}))
    raise ValueError(
        f"{who}: expected labels that are all strings or all numbers, got labels of the types {types}; convert them, "
        "for example with str."
    )


def _marked(who: str, y: Any, unknown: Any, unlabeled: Any) -> Any:
    """Return the samples whose label marks them as unlabelled."""
    auto = isinstance(unlabeled, str) and unlabeled == "auto"
    value = -1 if auto else unlabeled
    marked = np.array([not gap and label == value for label, gap in zip(y.tolist(), unknown, strict=True)], dtype=bool)
    if not auto or not marked.any():
        return marked
    others = sorted({str(label) for label in y[~marked & ~unknown].tolist()})
    if len(others) >= 2:
        return marked
    if not unknown.any():  # otherwise None or NaN marks unlabelled samples, and -1 is a class
        warn(
            f"{who}: the label -1 counts as a class, because fewer than two other labels occur ({', '.join(others)}). "
            "If -1 marks unlabelled samples, pass unlabeled=-1; if it is a class, pass unlabeled=None.",
            UserWarning,
        )
    return np.zeros(len(y), dtype=bool)
