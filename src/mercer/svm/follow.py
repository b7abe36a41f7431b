"""Machines for ascending values of C, each from the solution before it."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from mercer._estimator import Training
from mercer._typing import DoubleArray

__all__ = ["follow"]


def follow(model: Any, training: Training, y: Any, values: Sequence[float]) -> Iterator[Any]:
    """Copies of an SVC or SVR, fitted for one C after the other.

    Coefficients at their bound move on to the new bound, the others stay: most of the next solution is there before
    the solver starts.

    Parameters
    ----------
    model : SVC or SVR
        It is changed: its C, and `warm_start`, which becomes True.
    training : Training
        The samples.
    y : ndarray of shape (n,)
        Targets.
    values : sequence of float
        Positive, finite and ascending.
    """
    model.set_params(warm_start=True)
    for C in values:
        if hasattr(model, "dual_coef_"):
            model.dual_coef_ = _stretched(model, training, y, C / model.C)
        model.set_params(C=float(C))
        model._fit_training(training, y)
        yield copy(model)


def _stretched(model: Any, training: Training, y: Any, factor: float) -> DoubleArray:
    """The coefficients, those at their bound times a factor: most of them will be at the new one."""
    bound = model.C * training.weight[model.support_]
    if hasattr(model, "class_weight_"):
        bound = bound * model.class_weight_[np.searchsorted(model.classes_, y[model.support_])]
    coef = model._coef
    return np.asarray(np.where(np.abs(coef) >= bound * (1 - 1e-12), coef * factor, coef))
