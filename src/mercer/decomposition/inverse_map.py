"""Learned inverse of a projection: kernel ridge regression from coordinates to samples."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray
from mercer._validation import describe
from mercer.approximation import nystroem
from mercer.kernels import Kernel
from mercer.operators import gram
from mercer.solvers.moments import Moments
from mercer.solvers.ridge import solve_ridge
from mercer.solvers.ridge_features import CenteredMoments, solve_feature_ridge
from mercer.solvers.solution import Solution, Status

__all__ = ["fit_landmark_map", "fit_ridge_map"]


def fit_ridge_map(kernel: Kernel, Z: DoubleArray, X: Data, alpha: float, *, n_jobs: int | None = None) -> DoubleArray:
    """Fit kernel ridge regression from coordinates to samples.

    The coefficients are B = (k(Z, Z) + αI)⁻¹X, so that k(z, Z)B approximates the sample with the coordinates z.

    Parameters
    ----------
    kernel : Kernel
        Resolved kernel of the samples; here it compares coordinates.
    Z : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    X : ndarray or CSR of shape (n_samples, n_features)
        Samples.
    alpha : float
        Ridge penalty α ≥ 0.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Coefficients B.

    Notes
    -----
    One n × n matrix is held, or two if it is not positive definite, as with "sigmoid".

    References
    ----------
    * Bakır, Weston and Schölkopf, *Learning to find pre-images*, 2004.
    """
    if sp.issparse(X):
        require_memory(
            8 * X.shape[0] * X.shape[1],
            what="KernelPCA: the ridge map of sparse data, whose results are dense vectors,",
            instead="Use inverse_map='nearest'.",
        )
        X = X.toarray()
    _check_vectors(X)
    n = len(Z)
    require_memory(
        8 * n**2,
        what=f"KernelPCA: the ridge map, a dense {n} x {n} matrix of 64-bit numbers,",
        instead="Fit on fewer samples, or use another inverse_map.",
    )
    operator = gram(kernel, Z, n_jobs=n_jobs)
    operator.who = "KernelPCA: inverse_map='ridge' of coordinates"
    K = np.empty((n, n))
    operator.dense(out=K)
    answer = solve_ridge(K, X, alpha, overwrite=True)
    _check_regular(answer.solution, alpha)
    return answer.coef


def fit_landmark_map(
    kernel: Kernel,
    landmarks: DoubleArray,
    blocks: Iterable[tuple[slice, DoubleArray]],
    X: Data,
    alpha: float,
    *,
    n_jobs: int | None = None,
) -> DoubleArray:
    """Fit the ridge regression of `fit_ridge_map` in the span of the kernel values with some coordinates.

    The function f(z) = k(z, `landmarks`)B minimises Σ_i ‖x_i − f(z_i)‖² + α‖f‖² over all samples. It is that of
    `fit_ridge_map` if the landmarks are the coordinates of all samples.

    Parameters
    ----------
    kernel : Kernel
        Resolved kernel of the samples; here it compares coordinates.
    landmarks : ndarray of shape (n_landmarks, n_components)
        Coordinates of the landmarks.
    blocks : iterable of (slice, ndarray of shape (n_rows, n_components))
        Coordinates of all samples in panels of rows.
    X : ndarray or CSR of shape (n_samples, n_features)
        Samples.
    alpha : float
        Ridge penalty α ≥ 0.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    ndarray of shape (n_landmarks, n_features)
        Coefficients B.
    """
    if not sp.issparse(X):
        _check_vectors(X)
    who = "KernelPCA: inverse_map='ridge' of coordinates"
    among = gram(kernel, landmarks, n_jobs=n_jobs)
    among.who = who
    factor = nystroem(among)
    total, energy = None, np.zeros(X.shape[1])
    for rows, Z in blocks:
        K = gram(kernel, Z, landmarks, n_jobs=n_jobs)
        K.who = who
        samples = X[rows].toarray() if sp.issparse(X) else X[rows]
        part = Moments.of(factor.features(K), samples)
        energy += np.einsum("ij,ij->j", samples, samples)
        total = part if total is None else total + part
    assert total is not None  # there is at least one sample
    centered = CenteredMoments.of(total, energy, intercept=False)
    answer = solve_feature_ridge(centered, np.full(X.shape[1], float(alpha)))
    _check_regular(answer.solution, alpha)
    return factor.coefficients(answer.weights)


def _check_vectors(X: Any) -> None:
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f"):
        raise TypeError(
            f"KernelPCA: inverse_map='ridge' needs vectors as training samples, got {describe(X)}; "
            "use inverse_map='nearest'."
        )


def _check_regular(solution: Solution, alpha: float) -> None:
    if solution.status is Status.SINGULAR:
        raise ValueError(
            f"KernelPCA: with alpha={alpha:g} the linear system of inverse_map='ridge' is singular; raise alpha."
        )
