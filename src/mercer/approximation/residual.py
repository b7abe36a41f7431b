"""Error of the dual objective of an approximated kernel machine, from sampled rows of the Gram matrix."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import check_integer, check_real, generator
from mercer._words import one_word
from mercer.operators import GramOperator
from mercer.operators.tiles import panels

__all__ = ["ResidualEnergy", "residual_energy", "sampled_energy", "shrunken_gap"]


class ResidualEnergy(NamedTuple):
    """Result of `residual_energy`: an estimate of Σ_t c_tᵀ(K − K̂)c_t and an upper bound.

    Parameters
    ----------
    value : float
        Estimate; exact if all rows were used.
    upper : float
        Upper bound at level `confidence`.
    confidence : float
        Level of the bound; 1 if all rows were used.

    See Also
    --------
    residual_energy : Compute it.

    Examples
    --------
    >>> from mercer.approximation import ResidualEnergy
    >>> ResidualEnergy(2.0, 2.5, 0.95).upper
    2.5
    """

    value: float
    upper: float
    confidence: float


@one_word
def residual_energy(
    K: GramOperator,
    coef: DoubleArray,
    weights: DoubleArray,
    features: Callable[[IndexArray], FloatArray],
    *,
    n_rows: int = 400,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> ResidualEnergy:
    """Estimate Σ_t c_tᵀ(K − K̂)c_t for an approximation K̂ = FFᵀ from sampled rows of K.

    The dual objective of a kernel machine with coefficients c is ½cᵀKc plus terms that do not depend on the kernel.
    Half of the result is therefore the amount by which the objective at c grows if K̂ is replaced by K.

    Parameters
    ----------
    K : GramOperator of shape (n, n)
        Exact Gram matrix.
    coef : ndarray of shape (n, n_targets)
        Dual coefficients c_t.
    weights : ndarray of shape (n_components, n_targets)
        Fᵀc_t.
    features : callable
        Function from row indices to rows of F.
    n_rows : int, default=400
        Number of rows that are sampled. If at most that many rows have a coefficient, they are all used.
    confidence : float, default=0.95
        Level of the upper bound.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the sample.

    Returns
    -------
    ResidualEnergy
        Estimate, upper bound and its level.

    See Also
    --------
    mercer.solvers.Solution : Certificate that contains half of the upper bound as `exact_gap`.

    Notes
    -----
    Rows are drawn with probability proportional to ‖c_i‖√k(x_i, x_i), which bounds the share of a row up to a constant.
    The upper bound is Student's for the mean of the draws. It is also at most (Σ_i ‖c_i‖√k(x_i, x_i))², which bounds
    Σ_t c_tᵀKc_t. The cost is n_rows · n kernel values.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.approximation import nystroem, residual_energy, select_landmarks
    >>> from mercer.operators import gram
    >>> X = np.linspace(0, 4, 50)[:, None]
    >>> K = gram("rbf(gamma=0.5)", X)
    >>> F = select_landmarks(K, 4, random_state=0).factor
    >>> c = np.ones((50, 1))
    >>> found = residual_energy(K, c, F.T @ c, lambda rows: F[rows])
    >>> round(found.value, 6), round(float((c.T @ (K.dense() - F @ F.T) @ c)[0, 0]), 6), found.confidence
    (11.613134, 11.613134, 1.0)
    """
    n_rows = check_integer("residual_energy", "n_rows", n_rows, low=2)
    confidence = check_real("residual_energy", "confidence", confidence, low=0.5, high=1.0)
    diag = np.asarray(K.diag(), dtype=np.float64)
    return sampled_energy(
        diag,
        coef,
        lambda rows: _shares(K, coef, weights, features, rows),
        n_rows=n_rows,
        confidence=confidence,
        random_state=random_state,
    )


def sampled_energy(
    diag: DoubleArray,
    coef: DoubleArray,
    shares: Callable[[IndexArray], DoubleArray],
    *,
    n_rows: int,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> ResidualEnergy:
    """`residual_energy` for the diagonal of K and a function that returns the shares c_i((K − K̂)c)_i of some rows i."""
    size = np.linalg.norm(coef, axis=1) * np.sqrt(np.maximum(diag, 0.0))
    used = np.flatnonzero(size > 0)
    if len(used) <= n_rows:
        value = max(0.0, float(shares(used).sum())) if len(used) else 0.0
        return ResidualEnergy(value, value, 1.0)
    total = float(size.sum())
    draws = generator("residual_energy", random_state).choice(len(size), n_rows, p=size / total)
    rows, times = np.unique(draws, return_counts=True)
    terms = np.repeat(shares(rows) * (total / size[rows]), times)
    value = max(0.0, float(terms.mean()))
    error = float(terms.std(ddof=1) / np.sqrt(n_rows))
    upper = float(terms.mean()) + float(stdtrit(n_rows - 1, confidence)) * error
    return ResidualEnergy(value, min(max(value, upper), total**2), confidence)


def shrunken_gap(objective: float, quadratic: float, gap: float) -> float:
    """Amount by which the exact dual objective exceeds the approximated one at the best multiple of the coefficients.

    At tc the exact objective is ½t²(q + 2g) + t(D − ½q), for the approximated objective D with quadratic term ½q and
    g = ½cᵀ(K − K̂)c. Coefficients of a poor approximation are too large for the exact problem; at t = 1 the bound could
    exceed that of c = 0.

    Parameters
    ----------
    objective : float
        Approximated objective D at c.
    quadratic : float
        Value q of the quadratic terms.
    gap : float
        g, or an upper bound on it.

    Returns
    -------
    float
        Minimum over 0 ≤ t ≤ 1, at most `gap`; NaN if `gap` is.

    Examples
    --------
    >>> round(shrunken_gap(-1.0, 2.0, 0.5), 6), round(shrunken_gap(-1.0, 2.0, 100.0), 6)
    (0.333333, 0.990099)
    """
    curvature, slope = quadratic + 2 * gap, objective - quadratic / 2
    t = min(1.0, max(0.0, -slope / curvature)) if curvature > 0 else 1.0
    return t * t * curvature / 2 + t * slope - objective


def _shares(
    K: GramOperator,
    coef: DoubleArray,
    weights: DoubleArray,
    features: Callable[[IndexArray], FloatArray],
    rows: IndexArray,
) -> DoubleArray:
    """Shares Σ_t c_it ((K − K̂)c_t)_i of some rows i, by panels of columns."""
    product = np.zeros((len(rows), coef.shape[1]))
    for cols in panels(K.shape[1], max(1, K.memory_budget // (8 * max(1, len(rows))))):
        product += K.block(rows, cols) @ coef[cols]
    product -= features(rows) @ weights
    return np.asarray(np.einsum("ij,ij->i", coef[rows], product))
