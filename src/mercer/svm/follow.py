"""Fits for ascending values of C, each started from the previous solution."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from mercer._estimator import Training
from mercer._typing import DoubleArray, IndexArray

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
    keeps = model.warm_start
    model.set_params(warm_start=True)
    for C in values:
        if hasattr(model, "_duals"):  # approximated: `dual_coef_` belongs to the landmarks
            model._duals = model._duals.copy()
            model._duals.data = _stretched(model, training, y, C / model.C, model._duals.indices, model._duals.data)
        elif hasattr(model, "dual_coef_"):
            model.dual_coef_ = _stretched(model, training, y, C / model.C, model.support_, model._coef)
        model.set_params(C=float(C))
        model._fit_training(training, y)
        fitted = copy(model)
        if hasattr(fitted, "_duals") and not keeps:
            fitted._duals = None
        yield fitted


def _stretched(
    model: Any, training: Training, y: Any, factor: float, samples: IndexArray, coef: DoubleArray
) -> DoubleArray:
    """Coefficients, with those at their bound multiplied by a factor, since most of them will be at the new bound."""
    bound = model.C * training.weight[samples]
    if hasattr(model, "class_weight_"):
        bound = bound * model.class_weight_[np.searchsorted(model.classes_, y[samples])]
    return np.asarray(np.where(np.abs(coef) >= bound * (1 - 1e-12), coef * factor, coef))
