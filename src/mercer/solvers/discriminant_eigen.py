"""Discriminant directions by eigenvectors of size n, for many penalties at once and as a reference."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mercer._runtime.factors import cholesky, solve_triangle
from mercer._runtime.products import inner_products
from mercer._runtime.spectra import svd
from mercer._typing import DoubleArray, IndexArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator
from mercer.operators.build import overwritable
from mercer.solvers.discriminant import Directions, Scatter, directions, indicators, rotated, scale_by_weight
from mercer.solvers.eigen import top_eigenpairs
from mercer.solvers.solution import Solution, Status

__all__ = [
    "ScatterMatrices",
    "ScatterSpectrum",
    "coefficient_directions",
    "eigen_certificate",
    "eigen_directions",
    "generalised",
    "scatter_matrices",
    "scatter_spectrum",
    "spectral_directions",
    "spectral_ridge",
]

_EPS = float(np.finfo(np.float64).eps)
_RESIDUAL = 1e-8  # relative residual up to which eigenvectors count as converged
_ROWS = 256  # number of rows at a time, which avoids a temporary as large as the matrix


@dataclass(frozen=True, eq=False)
class ScatterSpectrum:
    """Eigendecomposition diag(√w) K̃ diag(√w) = U diag(values) Uᵀ for all penalties; `vectors` is U."""

    values: DoubleArray
    vectors: DoubleArray
    violation: float


def scatter_spectrum(scatter: Scatter) -> ScatterSpectrum:
    """Return all eigenvalues and eigenvectors, for many μ or for `eigen_directions`; K̃ is overwritten."""
    scale_by_weight(scatter)
    n = len(scatter.K)
    found = top_eigenpairs(scatter.K, n, method="dense", overwrite=True)
    lowest, largest = float(found.values[-1]), float(found.values[0])
    if lowest < -max(10 * n * _EPS * largest, scatter.noise):
        raise NotPositiveDefiniteError(
            "Discriminant directions need a positive semidefinite kernel, but the centred Gram matrix has an "
            f"eigenvalue of {lowest:.3g}, while the largest is {largest:.3g}; see mercer.kernels.repair."
        )
    return ScatterSpectrum(np.maximum(found.values, 0.0), found.vectors, found.solution.violation)


def spectral_ridge(scatter: Scatter, spectrum: ScatterSpectrum, mu: float) -> DoubleArray:
    """Return (K̃ + μ diag(1/w))⁻¹ Θ[labels] from the spectrum in O(c n²)."""
    root = np.sqrt(scatter.weight)[:, None]
    U = spectrum.vectors
    inner = U.T @ (root * scatter.targets())
    return np.asarray(root * (U @ (inner / (spectrum.values + mu)[:, None])))


def spectral_directions(scatter: Scatter, spectrum: ScatterSpectrum, mu: float) -> Directions:
    """Return the directions of `ridge_directions` from the spectrum."""
    certificate = Solution(0.0, float("nan"), spectrum.violation, Status.CONVERGED, 1)
    return rotated(scatter, spectral_ridge(scatter, spectrum, mu), mu, certificate)


def eigen_directions(scatter: Scatter, spectrum: ScatterSpectrum, mu: float) -> Directions:
    """Return directions by the generalised eigenproblem in principal coordinates, the reference for the ridge method.

    The eigenvectors and the buffer of K̃ are overwritten.
    """
    Z = spectrum.vectors
    Z *= np.sqrt(spectrum.values)
    root = np.sqrt(scatter.weight)[:, None]
    means = _center_classes(Z, scatter.label, root, scatter.size)
    axes, ratio, violation = _generalised(Z, means, scatter.size, mu, scatter.basis.shape[1], out=scatter.K)
    projected = means @ axes
    # The optimality conditions give the coefficients without a division by small eigenvalues:
    # μ v = S_b v/λ − S_w v, and both scatters are sums over samples.
    coef = (root**2 * projected[scatter.label] / ratio - root * (Z @ axes)) / mu
    return directions(*scatter.centering.fold(coef), ratio, projected, eigen_certificate(ratio, violation))


def coefficient_directions(
    K: GramOperator | DoubleArray, label: IndexArray, weight: DoubleArray, penalty: Callable[[float], float]
) -> Directions:
    """Return directions v = Σ a_i φ(x_i) with a penalty on a instead of v, M a = λ (N + μ diag(1/w)) a.

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        Symmetric Gram matrix. An ndarray is overwritten. A second matrix of its size is allocated.
    label : ndarray of int of shape (n,)
        Class indices 0, …, c − 1; every class has a positive weight.
    weight : ndarray of shape (n,)
        Non-negative weights w. With this penalty, integer weights are equivalent to repeating samples.
    penalty : callable
        Function from the scale tr(N)/W to μ.

    Returns
    -------
    Directions
        Directions and certificate.

    Notes
    -----
    M and N, see `scatter_matrices`, are S_b and S_w with the rows of K as features. They are not formed.
    """
    K = overwritable(K, buffers=2)
    root = np.sqrt(weight)[:, None]
    size = np.bincount(label, weight).astype(np.float64)
    if (root != 1).any():
        K *= root
        K *= root.T
    means = _center_classes(K, label, root, size)
    centre = size @ means / size.sum()
    means -= centre
    within, between = float(np.vdot(K, K)), float(size @ (means**2).sum(axis=1))
    noise = len(K) * _EPS * (within + between + size.sum() * float(centre @ centre))
    mu = penalty((within if within > noise else between) / float(size.sum()))
    weighted = np.sqrt(size)[:, None] * means
    rank = int((np.linalg.eigvalsh(weighted @ weighted.T) > noise).sum())
    axes, ratio, violation = _generalised(K, means, size, mu, rank)
    return directions(root * axes, -centre @ axes, ratio, means @ axes, eigen_certificate(ratio, violation))


class ScatterMatrices(NamedTuple):
    """Matrices M and N of the kernel Fisher discriminant, each of shape (n_samples, n_samples)."""

    M: DoubleArray
    N: DoubleArray


def scatter_matrices(K: GramOperator | DoubleArray, label: IndexArray, weight: DoubleArray) -> ScatterMatrices:
    """M = Σ_j ω_j (M_j − M̄)(M_j − M̄)ᵀ between and N = Σ_i w_i (K_i − M_{l_i})(K_i − M_{l_i})ᵀ within the classes.

    M_j is the weighted mean of the columns of K that belong to class j, ω_j the weight of the class, and M̄ the mean of
    all columns. An ndarray K is overwritten. The two results are new matrices of its size.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 4.0])
    >>> M, N = scatter_matrices(np.outer(x, x), np.array([0, 0, 1]), np.ones(3))
    >>> N  # (x_i − mean of its class)², summed: ½, times the features
    array([[0. , 0. , 0. ],
           [0. , 0.5, 2. ],
           [0. , 2. , 8. ]])
    """
    K = overwritable(K, buffers=3)
    root = np.sqrt(weight)[:, None]
    size = np.bincount(label, weight).astype(np.float64)
    K *= root  # symmetric K: row i is now √w_i times column i
    means = _center_classes(K, label, root, size)
    means -= size @ means / size.sum()
    means *= np.sqrt(size)[:, None]
    return ScatterMatrices(means.T @ means, K.T @ K)


def _generalised(
    Z: DoubleArray, means: DoubleArray, size: DoubleArray, mu: float, rank: int, *, out: DoubleArray | None = None
) -> tuple[DoubleArray, DoubleArray, float]:
    """Solve S_b v = λ (S_w + μI) v for class-centred features Z; return directions, λ and the residual."""
    if rank == 0:
        return np.empty((len(Z), 0)), np.empty(0), 0.0
    S = inner_products(Z, out=out)
    S.flat[:: len(S) + 1] += mu
    Q = means.T * np.sqrt(size)  # S_b = QQᵀ
    found = generalised(S, Q, rank, lambda V: Z.T @ (Z @ V) + mu * V)
    return found.axes * np.sqrt(size.sum()), found.ratio, found.violation


class Generalised(NamedTuple):
    """Solutions of QQᵀv = λSv with vᵀSv = 1, λ = σ² descending, from the singular value decomposition of L⁻¹Q."""

    axes: DoubleArray  # v, of shape (n, rank)
    ratio: DoubleArray  # λ
    rotation: DoubleArray  # right singular vectors as columns: Qᵀv = σ · rotation
    violation: float  # largest relative residual


def generalised(
    S: DoubleArray, Q: DoubleArray, rank: int, penalised: Callable[[DoubleArray], DoubleArray]
) -> Generalised:
    """Solve QQᵀv = λSv; the symmetric, row-major S is overwritten, and `penalised` returns its products with V."""
    L = cholesky(S.T)
    left, singular, right = svd(solve_triangle(L, np.array(Q, order="F")))
    ratio = singular[:rank] ** 2
    V = solve_triangle(L, np.array(left[:, :rank], order="F"), transposed=True)
    expected = ratio * penalised(V)
    residual = np.linalg.norm(Q @ (Q.T @ V) - expected, axis=0) / np.linalg.norm(expected, axis=0)
    return Generalised(V, ratio, right[:rank].T, float(residual.max()))


def _center_classes(Z: DoubleArray, label: IndexArray, root: DoubleArray, size: DoubleArray) -> DoubleArray:
    """Subtract √w_i times the class mean from every row of Z, which contains √w_i times features; return the means."""
    means = (root * indicators(label, len(size))).T @ Z / size[:, None]
    for first in range(0, len(Z), _ROWS):
        rows = slice(first, first + _ROWS)
        Z[rows] -= root[rows] * means[label[rows]]
    return np.asarray(means)


def eigen_certificate(ratio: DoubleArray, violation: float) -> Solution:
    """Return the certificate of directions from the residual of the eigenproblem."""
    status = Status.CONVERGED if violation <= _RESIDUAL else Status.PRECISION
    return Solution(float((1 / (1 + ratio)).sum()), float("nan"), violation, status, 1)
