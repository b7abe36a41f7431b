r"""Leave-one-out decisions of discriminant analysis in closed form.

The decision rule is a function of the ridge regression of scores on features (see `mercer.solvers.discriminant`). The
ridge regression without sample i follows from the one with it. With h_i the i-th diagonal entry of the hat matrix,

    score of x_i without i:  s_i = Θ_{l_i} − r_i/(1 − h_i),  r_i = μ a_i/w_i,  1 − h_i = μ [(G + μI)⁻¹]_ii − w_i/W,
    M without i:             M_i = M − w_i r_i r_iᵀ/(1 − h_i),    G = diag(√w) K̃ diag(√w).

The sample is also removed from class sizes and scores: W_i = W − w_i, and T_ij = Θ_j + (w_i/W_i) Θ_{l_i} have mean
zero. The discriminant functions of the rule fitted to the other samples with the same μ are then, up to a constant,

    log π_j + W_i (T_ij M_i⁻¹ (s_i + (w_i/W_i) Θ_{l_i}) − ½ T_ij M_i⁻¹ T_ijᵀ) + W_i/(2 ω_j),

with ω_j the size of class j without i. The cost is O(n c²) in total, given a and the diagonal; nothing is refitted.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from mercer._runtime.factors import invert_triangle, try_cholesky
from mercer._typing import DoubleArray, IndexArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.solvers.discriminant import ClassScatter, Scatter, scale_by_weight, score_loss
from mercer.solvers.discriminant_eigen import ScatterSpectrum, spectral_ridge

__all__ = ["LeaveOneOut", "decided", "leave_one_out", "leave_one_out_path"]

_EPS = float(np.finfo(np.float64).eps)
_ROWS = 256  # number of rows at a time, which avoids a temporary as large as the matrix


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Leave-one-out decisions of all samples.

    Attributes
    ----------
    decision : ndarray of shape (n, c)
        Discriminant functions; NaN for samples without weight and for the only sample of a class.
    error : float
        Weighted error rate. The only sample of a class always counts as an error.
    loss : float
        Weighted mean of −log p(class | sample), without samples that are the only one of their class.
    """

    decision: DoubleArray
    error: float
    loss: float


def leave_one_out(scatter: Scatter, mu: float, priors: DoubleArray | None = None) -> LeaveOneOut:
    """Compute leave-one-out decisions for one μ by a Cholesky factor and its inverse; K̃ is overwritten.

    The cost is 2n³/3 operations. `priors` are the class probabilities; None: the class fractions without the sample.
    """
    root = np.sqrt(scatter.weight)
    scale_by_weight(scatter)
    A = scatter.K.T
    A.flat[:: len(A) + 1] += mu
    if try_cholesky(A):
        raise NotPositiveDefiniteError(
            "Leave-one-out needs a positive semidefinite kernel, but the centred Gram matrix plus mu is not positive "
            "definite; raise reg, or see mercer.kernels.repair."
        )
    inverse = invert_triangle(A)
    for i in range(1, len(A)):  # clear the remainder of K̃
        inverse[:i, i] = 0.0
    targets = root[:, None] * scatter.targets()
    a = root[:, None] * (inverse.T @ (inverse @ targets))
    columns = range(0, len(A), _ROWS)
    diagonal = np.concatenate([(inverse[:, first : first + _ROWS] ** 2).sum(axis=0) for first in columns])
    return decided(scatter, a, diagonal, mu, priors)


def leave_one_out_path(
    scatter: Scatter, spectrum: ScatterSpectrum, mus: DoubleArray, priors: DoubleArray | None = None
) -> list[LeaveOneOut]:
    """Compute leave-one-out decisions for every μ of a grid from one spectrum, in O(c n²) each."""
    U, filters = spectrum.vectors, 1 / (spectrum.values[:, None] + mus)
    diagonals = np.concatenate([U[first : first + _ROWS] ** 2 @ filters for first in range(0, len(U), _ROWS)])
    return [
        decided(scatter, spectral_ridge(scatter, spectrum, mu), diagonal, mu, priors)
        for mu, diagonal in zip(mus.tolist(), diagonals.T, strict=True)
    ]


def decided(
    scatter: ClassScatter, a: DoubleArray, diagonal: DoubleArray, mu: float, priors: DoubleArray | None
) -> LeaveOneOut:
    """Return decisions from the ridge coefficients a and the diagonal of (G + μI)⁻¹."""
    total, label = scatter.total, scatter.label
    positive = scatter.weight > 0
    alone = positive & (np.bincount(label[positive], minlength=len(scatter.size)) == 1)[label]
    kept = np.flatnonzero(positive & ~alone)
    w, own = scatter.weight[kept], label[kept]
    target, rest = scatter.scores[own], (total - w)[:, None]
    size = np.tile(scatter.size, (len(kept), 1))
    size[np.arange(len(kept)), own] -= w

    left = np.maximum(mu * diagonal[kept] - w / total, _EPS)[:, None]  # 1 − h, positive up to rounding
    residual = mu * a[kept] / w[:, None]
    shift = target * w[:, None] / rest
    # In coordinates where M is the identity, M_i⁻¹ is a rank-one update of it (Sherman–Morrison).
    whiten = np.linalg.inv(np.linalg.cholesky(score_loss(scatter, a, mu))).T
    scores, move = scatter.scores @ whiten, shift @ whiten
    score, change = (target - residual / left + shift) @ whiten, residual * np.sqrt(w[:, None] / left) @ whiten
    gain = 1 / np.maximum(1 - _dots(change, change), _EPS)
    along = change @ scores.T + _dots(move, change)
    linear = score @ scores.T + _dots(move, score) + gain * along * _dots(score, change)
    square = (scores**2).sum(axis=1) + 2 * move @ scores.T + _dots(move, move) + gain * along**2
    with np.errstate(divide="ignore"):
        prior = np.log(size / rest if priors is None else priors)
    decision = np.full((len(label), len(scatter.size)), np.nan)
    decision[kept] = prior + rest * (linear - square / 2 + 0.5 / size)
    return LeaveOneOut(decision, *_scores(decision[kept], own, w, float(scatter.weight[alone].sum())))


def _scores(decision: DoubleArray, own: IndexArray, weight: DoubleArray, alone: float) -> tuple[float, float]:
    wrong = weight @ (decision.argmax(axis=1) != own) + alone
    sure = log_softmax(decision, axis=1)[np.arange(len(own)), own]
    possible = np.isfinite(sure)  # a class with prior zero is never predicted
    loss = -(weight[possible] @ sure[possible]) / max(weight[possible].sum(), np.finfo(float).tiny)
    return float(wrong / (weight.sum() + alone)), float(loss)


def _dots(left: DoubleArray, right: DoubleArray) -> DoubleArray:
    """Return inner products of rows as a column."""
    return np.asarray(np.einsum("ij,ij->i", left, right)[:, None])
