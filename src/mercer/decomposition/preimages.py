"""Pre-images: samples whose images approximate points of feature space."""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import as_dense, check_dense, check_integer, check_real, check_size, check_vectors, describe
from mercer._words import one_word
from mercer.data import as_matrix, n_samples, take
from mercer.kernels import RBF, Exponential, Kernel, Matern, RationalQuadratic, Scaled
from mercer.kernels.features import scale_columns
from mercer.operators import GramOperator, PrecomputedOperator, gram
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels
from mercer.solvers.fixed_point import fixed_points
from mercer.solvers.preimage import INVERTIBLE, Neighbours, input_distances, invertible, multilaterate, nearest
from mercer.solvers.slopes import DIFFERENTIABLE, Slopes, slopes
from mercer.solvers.solution import Solution, Status

__all__ = ["Preimages", "preimages"]

_WHO = "preimages"
_STARTS = 3  # training samples to start from: narrow kernels have several local minima close together


@dataclass(frozen=True, eq=False)
class Preimages:
    """Result of `preimages`: samples z_j with φ(z_j) ≈ Ψ_j.

    Parameters
    ----------
    values : ndarray of shape (n_points, n_features), or data of n_points samples
        Pre-images. For ``method="nearest"`` they are ``take(X_fit, indices)``, and None if X_fit is a Gram matrix.
    distances : ndarray of shape (n_points,)
        Distances ‖φ(z_j) − Ψ_j‖ in feature space.
    indices : ndarray of shape (n_points,)
        Index of the training sample nearest to Ψ_j; the answer of ``method="nearest"``.
    solution : mercer.solvers.Solution
        Certificate. ``objective`` is Σ_j ‖φ(z_j) − Ψ_j‖² plus the regularisation penalty. ``violation`` is the largest
        remaining step ‖∇f‖/2|A| relative to max|x|. It is 0 for "nearest" and "distance", which do not iterate
        ("distance" solves a linear system and does not minimise f).

    See Also
    --------
    preimages : The function that returns this object.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.decomposition import preimages
    >>> from mercer.kernels import RBF
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> found = preimages("fixed_point", RBF(gamma=0.5), X, [[0.5, 0.5, 0.0]])
    >>> found.values.round(4) + 0.0, found.distances.round(4)
    (array([[0.5, 0. ]]), array([0.1956]))
    """

    values: Any
    distances: DoubleArray
    indices: IndexArray
    solution: Solution


@one_word
def preimages(
    method: Literal["fixed_point", "distance", "nearest"],
    kernel: Kernel | None,
    X_fit: Data,
    coef: Any,
    *,
    start: Any = None,
    n_jobs: int | None = None,
    n_neighbors: int = 10,
    reg: float = 0.0,
    tol: float = 1e-10,
    max_iter: int = 1000,
) -> Preimages:
    """Find samples whose images are nearest to points of feature space.

    For every row of `coef`, Ψ_j = Σ_i C_ji φ(x_i) is approximated by the image φ(z_j) of a sample. The squared distance
    is f(z) = ‖φ(z) − Ψ‖² = k(z, z) − 2 Σ_i c_i k(z, x_i) + cᵀKc.

    Parameters
    ----------
    method : {"fixed_point", "distance", "nearest"}
        "fixed_point" minimises f by the iteration of Mika et al., safeguarded by descent; the kernel must have a known
        derivative. "distance" solves one linear system from the distances to training samples (Kwok and Tsang); the
        kernel must determine Euclidean distances. "nearest" returns the training sample with the smallest ‖φ(x_i) − Ψ‖,
        for every kernel and every kind of data.
    kernel : Kernel or None
        Kernel of the samples. None means that `X_fit` is the Gram matrix, which requires ``method="nearest"``.
    X_fit : array-like, sparse matrix, data frame or list of length n_samples
        Training samples, or their Gram matrix.
    coef : array-like of shape (n_points, n_samples)
        Coefficients C. For kernel PCA with centring, rows sum to one.
    start : array-like of shape (n_points, n_features), default=None
        Start of the fixed-point iteration: the noisy samples if the task is to denoise them. The iteration falls back
        on training samples if the kernel vanishes there. None starts from the three nearest training samples and
        returns the best result.
    n_jobs : int, default=None
        Number of threads; None uses all available ones.
    n_neighbors : int, default=10
        Number of neighbours for "distance"; at most n_samples are used.
    reg : float, default=0.0
        Penalty λ ≥ 0 for "fixed_point", which minimises f(z) + λ‖z − z₀‖² with z₀ = `start`, or the nearest training
        sample without `start` (Abrahamsen and Hansen).
    tol : float, default=1e-10
        The fixed-point iteration stops when steps are shorter than tol · max|x|.
    max_iter : int, default=1000
        Maximum number of fixed-point iterations from each start.

    Returns
    -------
    Preimages
        The samples, their distances in feature space, the nearest training samples and a certificate.

    See Also
    --------
    KernelPCA.inverse_transform : Pre-images of coordinates.
    KernelPCA.expand : Coefficients of projections.

    Notes
    -----
    "nearest" and "distance" cost O(mn²) for m points, "fixed_point" O(mn²) plus O(mnd) per iteration. Memory is needed
    for X_fit, `coef`, the result and blocks of 64 MB. CSR data stays sparse; pre-images are dense.

    References
    ----------
    * Mika, Schölkopf, Smola, Müller, Scholz and Rätsch, *Kernel PCA and de-noising in feature spaces*, 1999.
    * Kwok and Tsang, *The pre-image problem in kernel methods*, 2004, doi:10.1109/TNN.2004.837781.
    * Abrahamsen and Hansen, *Regularized pre-image estimation for kernel PCA de-noising*, 2011,
      doi:10.1007/s11265-010-0515-4.

    Examples
    --------
    All methods recover a sample from its own image:

    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> from mercer.decomposition import preimages
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> image = [[0.0, 1.0, 0.0]]  # φ of the second sample
    >>> for method in ("fixed_point", "distance", "nearest"):
    ...     print(preimages(method, RBF(gamma=0.5), X, image).values.round(6) + 0.0)
    [[1. 0.]]
    [[1. 0.]]
    [[1. 0.]]
    """
    if method not in ("fixed_point", "distance", "nearest"):
        raise ValueError(f"{_WHO}: method must be 'fixed_point', 'distance' or 'nearest', got {describe(method)}.")
    check_dense(f"{_WHO}: coef", coef)
    C = check_vectors(_WHO, coef, name="coef").astype(np.float64, copy=False)
    if C.shape[1] != n_samples(X_fit):
        raise ValueError(
            f"{_WHO}: coef has {C.shape[1]} columns, but X_fit has {n_samples(X_fit)} samples; pass one coefficient "
            "per training sample."
        )
    n_neighbors = check_integer(_WHO, "n_neighbors", n_neighbors, low=1)
    if kernel is None:
        if method != "nearest":
            raise ValueError(
                f"{_WHO}: method={method!r} needs a kernel and vectors, not a Gram matrix; use method='nearest'."
            )
        return _nearest(None, PrecomputedOperator(X_fit), C)
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{_WHO}: kernel must be a kernel of mercer.kernels or None, got {describe(kernel)}.")
    if method == "nearest":
        return _nearest(X_fit, gram(kernel, X_fit, n_jobs=n_jobs), C)
    kernel, scale = _isotropic(kernel.resolve(X_fit))
    slope = _check_supported(method, kernel)
    X = check_vectors(_WHO, as_matrix(X_fit, _WHO), name="X_fit").astype(np.float64, copy=False)
    X = X if scale is None else scale_columns(X, scale)
    if slope is None:
        return _distance(kernel, X, C, scale, n_neighbors, n_jobs)
    penalty = check_real(_WHO, "reg", reg, low=0.0) / (1.0 if scale is None else scale) ** 2
    limits = {
        "tol": check_real(_WHO, "tol", tol, low=0.0),
        "max_iter": check_integer(_WHO, "max_iter", max_iter, low=1),
        "n_jobs": n_jobs,
    }
    return _fixed_point(kernel, slope, X, C, scale, start, np.broadcast_to(penalty, X.shape[1]), limits)


def _nearest(X_fit: Data, K: GramOperator, coef: DoubleArray) -> Preimages:
    near = nearest(K, coef)
    indices = near.indices[:, 0]
    return _result(None if X_fit is None else take(X_fit, indices), near, near.distances[:, 0], violation=0.0)


def _distance(
    kernel: Kernel, X: Any, coef: DoubleArray, scale: DoubleArray | None, n_neighbors: int, n_jobs: int | None
) -> Preimages:
    near = nearest(gram(kernel, X, n_jobs=n_jobs), coef, n_neighbors)
    Z = multilaterate(X, near.indices, input_distances(kernel, near))
    squared = np.empty(len(Z))
    prepared = kernel.prepare(X)
    for rows in panels(len(Z), max(1, MEMORY_BUDGET // (8 * X.shape[0]))):
        samples = kernel.prepare(Z[rows])
        products = np.einsum("ij,ij->i", kernel.block(samples, prepared, n_jobs=n_jobs), coef[rows])
        squared[rows] = kernel.diag(samples, n_jobs=n_jobs) - 2 * products
    return _result(_back(Z, scale), near, squared + near.norms, violation=0.0)


def _fixed_point(
    kernel: Kernel,
    slope: Slopes,
    X: Any,
    coef: DoubleArray,
    scale: DoubleArray | None,
    start: Any,
    penalty: DoubleArray,
    limits: dict[str, Any],
) -> Preimages:
    near = nearest(gram(kernel, X, n_jobs=limits["n_jobs"]), coef, _STARTS)
    starts = [_dense(X[column]) for column in near.indices.T]
    if start is not None:
        starts.insert(0, _start(start, starts[0].shape) * (1.0 if scale is None else scale))
    found = fixed_points(kernel, slope, X, coef, starts, trust=start is not None, penalty=penalty, **limits)
    status, unsettled = Status.CONVERGED, found.n_iter[~found.settled]
    if len(unsettled):  # a stop before max_iter is due to rounding
        status = Status.MAX_ITER if unsettled.max() == limits["max_iter"] else Status.PRECISION
    return _result(
        _back(found.Z, scale),
        near,
        found.value - found.penalty + near.norms,
        violation=float(found.step.max()),
        status=status,
        n_iter=int(found.n_iter.max()),
        penalty=float(found.penalty.sum()),
    )


def _result(
    values: Any,
    near: Neighbours,
    squared: DoubleArray,
    *,
    violation: float,
    status: Status = Status.CONVERGED,
    n_iter: int = 1,
    penalty: float = 0.0,
) -> Preimages:
    squared = np.maximum(squared, 0.0)
    solution = Solution(float(squared.sum()) + penalty, math.nan, violation, status, n_iter)
    return Preimages(values, np.sqrt(squared), near.indices[:, 0], solution)


def _isotropic(kernel: Kernel) -> tuple[Kernel, DoubleArray | None]:
    """Return the kernel in coordinates where gamma is a number, and the factors of these coordinates."""
    if isinstance(kernel, Scaled):
        part, scale = _isotropic(kernel.kernel)
        return replace(kernel, kernel=part), scale
    match kernel:
        case RBF(gamma=tuple(gamma)) | RationalQuadratic(gamma=tuple(gamma)):
            return replace(kernel, gamma=1.0), np.sqrt(gamma)
        case Exponential(gamma=tuple(gamma)) | Matern(gamma=tuple(gamma)):
            return replace(kernel, gamma=1.0), np.asarray(gamma)
        case _:
            return kernel, None


def _back(Z: DoubleArray, scale: DoubleArray | None) -> DoubleArray:
    return Z if scale is None else Z / scale


def _start(start: Any, shape: tuple[int, ...]) -> DoubleArray:
    given = check_vectors(_WHO, as_matrix(start, _WHO), name="start")
    if given.shape != shape:
        raise ValueError(
            f"{_WHO}: start must have shape {shape}, one point for each row of coef, got {describe(given)}."
        )
    check_size(_WHO, given, name="start")
    return _dense(given)


def _dense(X: Any) -> DoubleArray:
    return np.asarray(as_dense(_WHO, X), dtype=np.float64)


def _check_supported(method: str, kernel: Kernel) -> Slopes | None:
    """Return the derivative for "fixed_point" and None for "distance"; raise if the kernel is not supported."""
    slope, distances = slopes(kernel), invertible(kernel)
    if method == "fixed_point":
        if slope is not None:
            return slope
        need, other, fits = f"with a known derivative: {DIFFERENTIABLE}", "distance", distances
    else:
        if distances:
            return None
        need, other, fits = f"that determines Euclidean distances: {INVERTIBLE}", "fixed_point", slope is not None
    instead = f"method={other!r}, which supports this kernel, or " if fits else ""
    raise ValueError(
        f"{_WHO}: method={method!r} needs a kernel of vectors {need}; got {kernel}. Use {instead}method='nearest', "
        "which supports every kernel."
    )
