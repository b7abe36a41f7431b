"""Validation of labels and priors for discriminant rules."""

from typing import Any

import numpy as np

from mercer._estimator import warn
from mercer._typing import DoubleArray, IndexArray
from mercer._validation import as_doubles

__all__ = ["checked_priors", "numbered"]


def numbered(who: str, y: Any, kept: IndexArray) -> tuple[Any, IndexArray]:
    """Return the classes of the samples with positive weight, and the class number of every sample.

    Samples of weight 0 get the number 0.

    Examples
    --------
    >>> numbered("Model", np.array(["b", "a", "c", "b"]), np.array([0, 1, 3]))
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 0, 1]))
    """
    classes, label = np.unique(y[kept], return_inverse=True)
    if len(classes) < 2:
        only = classes.tolist()[0]
        raise ValueError(
            f"{who}: expected samples of at least two classes, but the data contains only one class: {only!r}."
        )
    everywhere = np.zeros(len(y), dtype=np.int64)
    everywhere[kept] = label
    return classes, everywhere


def checked_priors(who: str, priors: Any, n_classes: int) -> DoubleArray | None:
    """Return the class priors, normalised to sum 1 with a warning if they do not; None for None.

    Examples
    --------
    >>> checked_priors("Model", [0.25, 0.75], 2)
    array([0.25, 0.75])
    """
    if priors is None:
        return None
    values = as_doubles(who, priors, name="priors")
    if values.shape != (n_classes,):
        raise ValueError(
            f"{who}: priors must have shape ({n_classes},), one value per class, got shape {values.shape}."
        )
    if not (np.isfinite(values).all() and (values >= 0).all() and values.sum() > 0):
        raise ValueError(f"{who}: priors must be non-negative, finite and not all zero, got {values.tolist()}.")
    if abs(values.sum() - 1) > 1e-5:
        warn(f"{who}: the priors do not sum to 1. Renormalizing", UserWarning)
    return np.asarray(values / values.sum())
