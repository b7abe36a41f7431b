"""Learned inverse of a projection: kernel ridge regression from coordinates to samples."""

import numpy as np
import scipy.sparse as sp

from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray
from mercer._validation import describe
from mercer.kernels import Kernel
from mercer.operators import gram
from mercer.solvers.ridge import solve_ridge
from mercer.solvers.solution import Status

__all__ = ["fit_ridge_map"]


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
    if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f"):
        raise TypeError(
            f"KernelPCA: inverse_map='ridge' needs vectors as training samples, got {describe(X)}; "
            "use inverse_map='nearest'."
        )
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
    if answer.solution.status is Status.SINGULAR:
        raise ValueError(
            f"KernelPCA: with alpha={alpha:g} the linear system of inverse_map='ridge' is singular; raise alpha."
        )
    return answer.coef
