"""Labels and priors of a discriminant rule, checked."""

from typing import Any

import numpy as np

from mercer._estimator import warn
from mercer._typing import DoubleArray, IndexArray

__all__ = ["checked_priors", "numbered"]


def numbered(who: str, y: Any, kept: IndexArray) -> tuple[Any, IndexArray]:
    """The classes of samples that count, and a number for every sample; those that do not count get 0 or their own.

    >>> numbered("Model", np.array(["b", "a", "c", "b"]), np.array([0, 1, 3]))
    (array(['a', 'b'], dtype='<U1'), array([1, 0, 0, 1]))
    """
    classes, label = np.unique(y[kept], return_inverse=True)
    if len(classes) < 2:
        only = classes.tolist()[0]
        raise ValueError(
            f"{who}: needs samples of at least two classes, but the data contains only one class: {only!r}."
        )
    everywhere = np.zeros(len(y), dtype=np.int64)
    everywhere[kept] = label
    return classes, everywhere


def checked_priors(who: str, priors: Any, n_classes: int) -> DoubleArray | None:
    """Probabilities of the classes; None for None. Others than those of sum 1 are made so, with a warning.

    >>> checked_priors("Model", [0.25, 0.75], 2)
    array([0.25, 0.75])
    """
    if priors is None:
        return None
    values = np.asarray(priors, dtype=np.float64)
    if values.shape != (n_classes,):
        raise ValueError(
            f"{who}: priors must hold one number for each of {n_classes} classes, got shape {values.shape}."
        )
    if not (np.isfinite(values).all() and (values >= 0).all() and values.sum() > 0):
        raise ValueError(f"{who}: priors must be non-negative, finite and not all zero, got {values.tolist()}.")
    if abs(values.sum() - 1) > 1e-5:
        warn(f"{who}: the priors do not sum to 1. Renormalizing", UserWarning)
    return np.asarray(values / values.sum())
