r"""Discriminant directions of classes in feature space, by ridge regression on class scores.

With weights w_i of sum W, class sums ω_j and centred features φ̃, let

    S_b = Σ_j ω_j m_j m_jᵀ,  S_w = Σ_i w_i (φ̃_i − m_{l_i})(φ̃_i − m_{l_i})ᵀ,  S_t = S_b + S_w

be the scatter between the class means m_j, within the classes, and in total. Directions solve S_b v = λ (S_w + μI) v,
which is S_b v = θ (S_t + μI) v with θ = λ/(1 + λ). They are scaled to vᵀ(S_w + μI)v = W, so that squared distances
between projections are Mahalanobis distances.

**Ridge regression yields them.** Give every class a row of scores Θ (c, c−1) with Θᵀ diag(ω) Θ = I and Θᵀω = 0
(Gram–Schmidt of the class indicators against 1), and solve (K̃ + μ diag(1/w)) a = Θ[labels], the ridge regression of the
scores on φ̃. Then Θᵀ diag(ω) · (class means of the fit K̃a) = I − M with M = μ Θᵀ (class sums of a), and if
(I − M)q = λMq, a direction is Σ_i (aq)_i φ̃_i. One Cholesky factorisation and an eigenproblem of size c − 1 replace an
eigenproblem of size n. The δ of spectral regression equals μ.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import eigh

from mercer._typing import DoubleArray, IndexArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import Centering, GramOperator
from mercer.operators.build import overwritable
from mercer.operators.centering import center_in_place
from mercer.solvers.ridge import solve_ridge
from mercer.solvers.solution import Solution, Status

__all__ = [
    "ClassScatter",
    "Directions",
    "Scatter",
    "class_scatter",
    "class_scores",
    "directions",
    "indicators",
    "ridge_directions",
    "rotated",
    "scale_by_weight",
    "score_loss",
]

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class ClassScatter:
    """Classes of samples and the scatter of their means.

    Attributes
    ----------
    label : ndarray of int of shape (n,)
        Class index of each sample.
    weight : ndarray of shape (n,)
        Sample weights.
    size : ndarray of shape (c,)
        Weights ω of the classes, all positive.
    scores : ndarray of shape (c, c − 1)
        Class scores Θ.
    between : ndarray of shape (c − 1, c − 1)
        Matrix Θᵀ diag(ω) (inner products of the class means) diag(ω) Θ, which has the eigenvalues of S_b.
    trace : float
        Trace of S_t.
    noise : float
        Rounding error of numbers of the size of `trace`.
    """

    label: IndexArray
    weight: DoubleArray
    size: DoubleArray
    scores: DoubleArray
    between: DoubleArray
    trace: float
    noise: float

    @property
    def total(self) -> float:
        """Sum W of the weights."""
        return float(self.size.sum())

    @property
    def spread(self) -> float:
        """Unit of μ: tr(S_w)/W; tr(S_t)/W if S_w is zero, and 1 if S_t is zero."""
        within = self.trace - float(np.trace(self.between))
        if self.trace <= self.noise:
            return 1.0
        return (within if within > self.noise else self.trace) / self.total

    @cached_property
    def basis(self) -> DoubleArray:
        """Orthonormal columns that span the range of `between`."""
        values, vectors = eigh(self.between)
        return np.asarray(vectors[:, values > self.noise])

    def targets(self) -> DoubleArray:
        """Return Θ[labels] of shape (n, c − 1)."""
        return np.asarray(self.scores[self.label])

    def sums(self, values: DoubleArray) -> DoubleArray:
        """Return sums over the samples of each class, (n, columns) → (c, columns)."""
        return indicators(self.label, len(self.size)).T @ values


@dataclass(frozen=True, eq=False)
class Scatter(ClassScatter):
    """Centred Gram matrix with its classes.

    Attributes
    ----------
    K : ndarray of shape (n, n)
        Centred matrix K̃, which solvers overwrite.
    centering : Centering
        Means that were subtracted from K.
    images : ndarray of shape (n, c − 1)
        Product K̃ diag(w) Θ[labels].
    """

    K: DoubleArray
    centering: Centering
    images: DoubleArray


@dataclass(frozen=True, eq=False)
class Directions:
    """Discriminant directions v with vᵀ(S_w + μI)v = W, sorted by descending ratio.

    Attributes
    ----------
    coef : ndarray of shape (n, r)
        Coefficients of the projections Σ_i coef_i k(x_i, x) + offset. r is the rank of S_b, at most c − 1.
    offset : ndarray of shape (r,)
        Constants, for which the mean of the samples is projected to zero.
    ratio : ndarray of shape (r,)
        Ratios λ of the scatter between the classes to the scatter within them, descending.
    means : ndarray of shape (c, r)
        Projections of the class means.
    solution : Solution
        Certificate. `objective` is Σ(1 − θ), the share of scatter within classes. `violation` is the relative residual
        of the linear system or of S_b v = λ(S_w + μI)v.
    """

    coef: DoubleArray
    offset: DoubleArray
    ratio: DoubleArray
    means: DoubleArray
    solution: Solution


def class_scatter(K: GramOperator | DoubleArray, label: IndexArray, weight: DoubleArray) -> Scatter:
    """Centre K and compute the scatter of its classes in O(c n²).

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        Symmetric Gram matrix. An ndarray must be C-contiguous float64 and is overwritten.
    label : ndarray of int of shape (n,)
        Class indices 0, …, c − 1; every class has a positive weight.
    weight : ndarray of shape (n,)
        Non-negative sample weights.

    Returns
    -------
    Scatter
        Centred matrix and scatter.

    Examples
    --------
    Classes at ±1 and ±3 on a line have the same mean, so S_b = 0:

    >>> x = np.array([-1.0, 1.0, -3.0, 3.0])
    >>> scatter = class_scatter(np.outer(x, x), np.array([0, 0, 1, 1]), np.ones(4))
    >>> scatter.trace, scatter.spread, scatter.basis.shape
    (20.0, 5.0, (1, 0))
    """
    K = overwritable(K, buffers=2)
    centering = center_in_place(K, weight)
    size = np.bincount(label, weight).astype(np.float64)
    scores = class_scores(size)
    weighted = weight[:, None] * scores[label]
    images = K @ weighted
    between = weighted.T @ images
    trace = float(weight @ np.diagonal(K))
    noise = len(K) * _EPS * (trace + float(size.sum()) * abs(centering.mean))
    return Scatter(label, weight, size, scores, (between + between.T) / 2, trace, noise, K, centering, images)


def class_scores(size: DoubleArray) -> DoubleArray:
    """Return scores Θ of shape (c, c − 1) with Θᵀ diag(size) Θ = I and Θᵀ size = 0."""
    root = np.sqrt(size)
    # Gram–Schmidt against the indicator of all samples, whose column is dropped.
    frame = np.linalg.qr(np.column_stack([root, np.eye(len(size))[:, :-1]]))[0][:, 1:]
    return np.asarray(frame / root[:, None])


def ridge_directions(scatter: Scatter, mu: float) -> Directions:
    """Return directions by one ridge regression on the class scores, in n³/3 + 2cn² operations; K̃ is overwritten."""
    weight = None if (scatter.weight == 1).all() else scatter.weight
    # The share 1 − θ of the scatter within classes must be accurate even if it is small.
    answer = solve_ridge(scatter.K, scatter.targets(), mu, weight=weight, tol=1e-12, overwrite=True)
    return rotated(scatter, answer.coef, mu, answer.solution)


def score_loss(scatter: ClassScatter, a: DoubleArray, mu: float) -> DoubleArray:
    """Return M = μ Θᵀ (class sums of a), the part of the scores that the ridge regression does not explain."""
    M = mu * scatter.scores.T @ scatter.sums(a)
    return np.asarray((M + M.T) / 2)


def score_gain(scatter: Scatter, a: DoubleArray) -> DoubleArray:
    """Return I − M = Θᵀ (class sums of w K̃a), the part of the scores that the ridge regression explains."""
    G = scatter.images.T @ a
    return np.asarray((G + G.T) / 2)


def scale_by_weight(scatter: Scatter) -> None:
    """Replace K̃ by diag(√w) K̃ diag(√w)."""
    root = np.sqrt(scatter.weight)
    if (root != 1).any():
        K = scatter.K
        K *= root
        K *= root[:, None]


def rotated(scatter: Scatter, a: DoubleArray, mu: float, solution: Solution) -> Directions:
    """Return directions from the ridge coefficients a, by an eigenproblem of size c − 1."""
    basis = scatter.basis
    gain, loss = (basis.T @ matrix @ basis for matrix in (score_gain(scatter, a), score_loss(scatter, a, mu)))
    least = float(np.linalg.eigvalsh(loss).min(initial=np.inf))
    indefinite = solution.status is Status.NOT_PSD
    if (least <= 0 and indefinite) or np.linalg.eigvalsh(gain).min(initial=np.inf) <= 0:
        raise NotPositiveDefiniteError(
            "Discriminant directions need a positive semidefinite kernel, but with this kernel the scatter within or "
            "between classes is negative; raise reg, or see mercer.kernels.repair."
        )
    if least <= 0:  # by rounding: to working precision, all samples of a class coincide
        loss.flat[:: len(loss) + 1] += 2 * _EPS * np.abs(loss).sum() - least
        solution = replace(solution, status=Status.SINGULAR)
    ratio, rotation = (part[..., ::-1] for part in eigh(gain, loss))  # accurate for small gain and for small loss
    rotation, share = basis @ rotation, ratio / (1 + ratio)  # θ
    coef = a @ rotation * np.sqrt(scatter.total / share)
    means = scatter.scores @ rotation * np.sqrt(scatter.total * share)
    certificate = replace(solution, objective=float((1 - share).sum()), gap=float("nan"))
    return directions(*scatter.centering.fold(coef), ratio, means, certificate)


def indicators(label: IndexArray, n_classes: int) -> DoubleArray:
    """Return class indicators, with one column per class."""
    return np.asarray(label[:, None] == np.arange(n_classes), dtype=np.float64)


def directions(
    coef: DoubleArray, offset: DoubleArray, ratio: DoubleArray, means: DoubleArray, solution: Solution
) -> Directions:
    """Return directions with signs such that the last class whose mean is not zero lies on the positive side."""
    away = np.abs(means) > 1e-8 * np.abs(means).max(axis=0, initial=0.0)
    last = len(means) - 1 - away[::-1].argmax(axis=0)
    sign = np.where(means[last, np.arange(means.shape[1])] < 0, -1.0, 1.0)
    return Directions(coef * sign, offset * sign, ratio, means * sign, solution)
