"""Fits for ascending values of C, each started from the previous solution."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from mercer._estimator import Training
from mercer._typing import DoubleArray

__all__ = ["follow"]


def follow(model: Any, training: Training, y: Any, values: Sequence[float]) -> Iterator[Any]:
    """Yield copies of an SVC or SVR that are fitted for one value of C after the other.

    Coefficients at their bound are moved to the new bound and the others are kept, which brings the start close to the
    next solution.

    Parameters
    ----------
    model : SVC or SVR
        Changed in place: its C, and its `warm_start`, which becomes True.
    training : Training
        Training data.
    y : ndarray of shape (n,)
        Targets.
    values : sequence of float
        Values of C: positive, finite and ascending.

    Yields
    ------
    model : SVC or SVR
        Fitted copy for each value of C.
    """
    model.set_params(warm_start=True)
    for C in values:
        if hasattr(model, "dual_coef_"):
            model.dual_coef_ = _stretched(model, training, y, C / model.C)
        model.set_params(C=float(C))
        model._fit_training(training, y)
        yield copy(model)


def _stretched(model: Any, training: Training, y: Any, factor: float) -> DoubleArray:
    """Coefficients, with those at their bound multiplied by a factor, since most of them will be at the new bound."""
    bound = model.C * training.weight[model.support_]
    if hasattr(model, "class_weight_"):
        bound = bound * model.class_weight_[np.searchsorted(model.classes_, y[model.support_])]
    coef = model._coef
    return np.asarray(np.where(np.abs(coef) >= bound * (1 - 1e-12), coef * factor, coef))
