"""Data-dependent widths: ``gamma="scale"``, ``"auto"`` and ``"median"``.

For kernels of a squared distance, scale = 1/(D·Var X) (scikit-learn's rule; 1 if the variance is 0), auto = 1/D, and
median = 1/m² with the median m of the nonzero distances. Kernels of an unsquared distance take the square root of each.
"""

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp

import mercer._core as _core
from mercer._runtime.engine import ready
from mercer._typing import Data, FloatArray
from mercer._validation import check_real, check_vector, is_vector, positive_vector
from mercer.kernels.sharing import as_vectors

__all__ = ["RULES", "Gamma", "check_gamma", "is_rule", "resolve_gamma"]

Rule: TypeAlias = Literal["scale", "auto", "median"]
Gamma: TypeAlias = float | tuple[float, ...] | Rule
RULES = get_args(Rule)
MEDIAN_POINTS = 1000


def is_rule(gamma: object) -> bool:
    """Whether gamma is the name of a rule and not a number or a vector."""
    return isinstance(gamma, str)


def check_gamma(who: str, gamma: Any) -> Gamma:
    """Check gamma and return it as a float, a tuple or the name of a rule."""
    if isinstance(gamma, str):
        if gamma not in RULES:
            raise ValueError(
                f"{who}: parameter gamma must be a positive number, a vector of them, 'scale', 'auto' or 'median', "
                f"got {gamma!r}."
            )
        return str(gamma)  # type: ignore[return-value]
    if is_vector(gamma):
        return positive_vector(who, "gamma", gamma)
    return check_real(who, "gamma", gamma, low=0.0, strict=True)


def resolve_gamma(
    who: str, rule: Gamma, X: Data, sample_weight: FloatArray | None, *, squared: bool = True, l1: bool = False
) -> float:
    """Value of a rule on X, with weighted samples if weights are given."""
    array = as_vectors(X, who)
    n, d = array.shape
    weight = None if sample_weight is None else check_vector(who, "sample_weight", sample_weight, n)
    if weight is not None and (weight.min() < 0 or weight.sum() == 0):
        raise ValueError(
            f"{who}: sample_weight must be nonnegative and have a positive sum, got the minimum {weight.min():g} and "
            f"the sum {weight.sum():g}."
        )
    if rule == "median":
        median = _median_distance(who, array, weight, l1=l1)
        return 1 / median**2 if squared else 1 / median
    with np.errstate(over="ignore", invalid="ignore"):
        variance = 1.0 if rule == "auto" else _variance(array, weight)
    if not np.isfinite(d * variance):
        raise ValueError(
            f"{who}: gamma='scale' needs the variance of X, which overflows; "
            "rescale the data or give gamma as a number."
        )
    gamma = 1 / (d * variance) if variance > 0 else 1.0
    return float(gamma if squared else np.sqrt(gamma))


def _variance(array: Any, weight: FloatArray | None) -> float:
    """Variance of all entries, each with the weight of its row."""
    if weight is None and not sp.issparse(array):
        return float(array.var(dtype=np.float64))
    w = np.full(array.shape[0], 1.0) if weight is None else weight
    w = w / (w.sum() * array.shape[1])
    if sp.issparse(array):
        mean = float((array.T @ w).sum())
        return float((array.multiply(array).T @ w).sum()) - mean * mean
    mean = float((w @ array).sum())
    return float((w @ np.square(array - mean, dtype=np.float64)).sum())


def _median_distance(who: str, array: Any, weight: FloatArray | None, *, l1: bool) -> float:
    """Median of the nonzero distances between at most `MEDIAN_POINTS` samples, weighted if weights are given."""
    if weight is not None:
        array, weight = array[np.flatnonzero(weight)], weight[weight > 0]
    if array.shape[0] > MEDIAN_POINTS:
        chosen = np.sort(np.random.default_rng(0).choice(array.shape[0], MEDIAN_POINTS, replace=False))
        array, weight = array[chosen], None if weight is None else weight[chosen]
    array = np.asarray(array.toarray() if sp.issparse(array) else array, dtype=np.float64)  # at most 1000 rows
    n = array.shape[0]
    steps = [(_core.Op.l1, 0, 0.0, 0.0)] if l1 else [(_core.Op.sqdist, 0, 0.0, 0.0), (_core.Op.sqrt, 0, 0.0, 0.0)]
    side, distances = _core.Side(n), np.empty((n, n))
    side.add_dense(array, None, array.mean(axis=0), None)
    ready()
    _core.gram(_core.Program(steps, []), side, side, True, [], distances, 1)
    i, j = np.triu_indices(n, 1)
    values = distances[i, j]
    keep = values > 0
    if not keep.any():
        raise ValueError(f"{who}: gamma='median' needs at least two different samples; give gamma as a number.")
    values = values[keep]
    if weight is None:
        return float(np.median(values))
    order = np.argsort(values)
    mass = np.cumsum((weight[i] * weight[j])[keep][order])
    low, high = np.searchsorted(mass, mass[-1] / 2), np.searchsorted(mass, mass[-1] / 2, side="right")
    return float((values[order[low]] + values[order[min(high, len(order) - 1)]]) / 2)
