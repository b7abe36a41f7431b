"""Largest eigenvalues of symmetric matrices and their eigenvectors, with a certificate."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.sparse.linalg import LinearOperator

from mercer._runtime.products import inner_products, symmetric_product
from mercer._runtime.spectra import eigh, qr
from mercer._typing import DoubleArray
from mercer._validation import describe
from mercer.operators import GramOperator
from mercer.operators.build import overwritable
from mercer.solvers.lanczos import Product, array_product, block_lanczos
from mercer.solvers.solution import Solution, Status

__all__ = ["EigenMethod", "EigenSolution", "choose_eigen_solver", "top_eigenpairs"]

EigenMethod: TypeAlias = Literal["auto", "dense", "arpack", "randomized"]

_EPS = float(np.finfo(np.float64).eps)
_ROUNDING = 16 * _EPS  # relative residual for tol=0
_STRAIGHT = 1e-13  # maximal inner product of vectors that count as orthonormal
_SMALL = 600  # number of rows up to which LAPACK is the fastest method for any k
_PANEL = 256  # number of columns of a product held at a time
_EQUAL = 1e-8  # relative distance below which eigenvalues may be a multiple one


@dataclass(frozen=True, eq=False)
class EigenSolution:
    """The k algebraically largest eigenvalues of a symmetric matrix and their eigenvectors.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Eigenvalues in descending order.
    vectors : ndarray of shape (n, k)
        Orthonormal columns. The entry of largest magnitude, the first one on ties, is positive.
    solution : Solution
        Certificate. `objective` is the sum of the values. `violation` is max_j ‖Av_j − λ_j v_j‖ / max_j |λ_j|; A has an
        eigenvalue within this relative distance of every λ_j. `gap` is NaN, because eigenvalues may have been missed.
    method : str
        Method that was used.
    """

    values: DoubleArray
    vectors: DoubleArray
    solution: Solution
    method: str


def choose_eigen_solver(n: int, k: int) -> Literal["dense", "arpack"]:
    """Choose the eigensolver for the k largest eigenvalues of a matrix with n rows, as ``eigen_solver="auto"`` does.

    Parameters
    ----------
    n : int
        Number of rows of a symmetric matrix in memory.
    k : int
        Number of eigenvalues.

    Returns
    -------
    {"dense", "arpack"}
        "dense" (LAPACK) if n ≤ 600 or k > n / 25, else "arpack" (block Lanczos).

    See Also
    --------
    mercer.decomposition.KernelPCA : Uses it for ``eigen_solver="auto"``.

    Examples
    --------
    >>> choose_eigen_solver(5000, 20), choose_eigen_solver(5000, 1000), choose_eigen_solver(100, 2)
    ('arpack', 'dense', 'dense')
    """
    return "dense" if n <= _SMALL or k > n // 25 else "arpack"


def top_eigenpairs(
    A: Any,
    k: int,
    *,
    method: EigenMethod = "auto",
    tol: float = 0.0,
    max_iter: int | None = None,
    random_state: int | np.random.Generator = 0,
    overwrite: bool = False,
    iterated_power: int | Literal["auto"] = "auto",
    n_oversamples: int = 10,
    n_jobs: int | None = None,
) -> EigenSolution:
    """Compute the k largest eigenvalues of a symmetric matrix and their eigenvectors.

    Parameters
    ----------
    A : ndarray of float64, GramOperator or LinearOperator of shape (n, n)
        Symmetric matrix, which is not checked. For a LinearOperator only products are used.
    k : int
        Number of eigenvalues, 1 ≤ k ≤ n.
    method : {"auto", "dense", "arpack", "randomized"}, default="auto"
        "dense": LAPACK, on the `array` of an operator. "arpack" (scikit-learn's name for Lanczos): block Lanczos until
        `tol` is met. "randomized": block Lanczos with a fixed number of steps, 1 + `iterated_power`. "auto":
        `choose_eigen_solver` for arrays, with LAPACK as fallback if Lanczos takes too many steps; "arpack" for
        operators. If n is little more than k, "dense" is used in any case.
    tol : float, default=0.0
        Relative residual at which "arpack" stops. 0: rounding.
    max_iter : int, default=None
        Maximal number of products with a block for "arpack". None: about 10n columns in total.
    random_state : int or Generator, default=0
        Source of the first block.
    overwrite : bool, default=False
        Whether A, if it is an array, may be overwritten. LAPACK then needs no copy.
    iterated_power : int or "auto", default="auto"
        Number of further steps for "randomized". "auto": 7 for k < n/10, else 4, as in scikit-learn.
    n_oversamples : int, default=10
        Number of columns of a block beyond k for "randomized".
    n_jobs : int, default=None
        Number of threads for products with an array. None: all available cores.

    Returns
    -------
    EigenSolution
        Eigenvalues in descending order, eigenvectors and certificate.

    Notes
    -----
    "dense" takes O(n³) time and, with `overwrite`, n·k numbers of memory. The other methods take O(n²) time per column
    and about 10 n·k numbers of memory.

    Examples
    --------
    >>> A = np.diag([1.0, 5.0, 3.0])
    >>> top = top_eigenpairs(A, 2)
    >>> top.values.round(12), top.solution.violation < 1e-14
    (array([5., 3.]), True)
    """
    n = _rows(A)
    if not 1 <= k <= n:
        raise ValueError(f"top_eigenpairs: k must be between 1 and the {n} rows of A, got {k}.")
    if method not in ("auto", "dense", "arpack", "randomized"):
        raise ValueError(
            f"top_eigenpairs: method must be 'auto', 'dense', 'arpack' or 'randomized', got {describe(method)}."
        )
    array = isinstance(A, np.ndarray)
    if method == "dense" and isinstance(A, LinearOperator):
        raise TypeError(
            f"top_eigenpairs: method='dense' needs a matrix, got {describe(A)}; pass an array or use method='arpack'."
        )
    chosen = method if method != "auto" else choose_eigen_solver(n, k) if array else "arpack"
    randomized = chosen == "randomized"
    block = k + n_oversamples if randomized else 8 * -(-k // 40)  # BLAS is faster for multiples of 8
    if chosen == "dense" or n <= k + 4 * block:  # the Krylov space would soon be the whole space
        if isinstance(A, LinearOperator):
            return _dense(A @ np.eye(n), k, overwrite=True)
        return _dense(overwritable(A), k, overwrite=overwrite or not array)
    steps = max_iter or max(10, 10 * n // block)
    if randomized:
        steps = 1 + ((7 if k < 0.1 * n else 4) if iterated_power == "auto" else iterated_power)
    elif method == "auto" and array:
        steps = min(steps, max(10, n // (2 * block)))  # about the cost of LAPACK
    rng = np.random.default_rng(random_state)
    with array_product(A, n_jobs) if array else nullcontext(A.__matmul__) as product:
        found = _lanczos(product, n, k, block, steps, max(tol, _ROUNDING), rng, chosen)
    if method == "auto" and array and not found.solution.converged:
        return _dense(A, k, overwrite=overwrite)
    return found


def _lanczos(
    product: Product, n: int, k: int, block: int, steps: int, tol: float, rng: np.random.Generator, method: str
) -> EigenSolution:
    room = max(k + 3 * block, min(k + 30 * block, n // 2))
    ritz = block_lanczos(product, n, k, block=block, room=room, tol=tol, max_steps=steps, rng=rng)
    if block < k and (ritz.values[: k - block + 1] - ritz.values[block - 1 :]).min() <= _EQUAL * abs(ritz.values[0]):
        # An eigenvalue that was found as often as the block allows may have a higher multiplicity.
        return _lanczos(product, n, k, k, steps, tol, rng, method)
    status = Status.CONVERGED if method == "randomized" or ritz.residual <= tol else Status.MAX_ITER
    vectors = _orthonormal(ritz.vectors)
    return _certified(product, ritz.values, vectors, method, n_iter=ritz.steps, status=status)


def _orthonormal(V: DoubleArray) -> DoubleArray:
    """Orthonormalise nearly orthonormal columns, whose last ones are noise if the Krylov space ends early."""
    if np.abs(inner_products(V) - np.eye(V.shape[1])).max() <= _STRAIGHT:
        return V
    Q, R = qr(V)
    return np.asarray(Q * np.sign(np.diagonal(R)))


def _rows(A: Any) -> int:
    if not isinstance(A, np.ndarray | GramOperator | LinearOperator):
        raise TypeError(f"top_eigenpairs: A must be an array or an operator, got {describe(A)}.")
    if isinstance(A, np.ndarray) and A.dtype != np.float64:
        raise TypeError(f"top_eigenpairs: A must be an array of float64, got {A.dtype}; call A.astype(float).")
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"top_eigenpairs: A must be square, got shape {A.shape}.")
    if isinstance(A, GramOperator):
        A.require_symmetric("top_eigenpairs")
    return int(A.shape[0])


def _dense(A: DoubleArray, k: int, *, overwrite: bool) -> EigenSolution:
    n = len(A)
    if not (overwrite and A.flags.forc and A.flags.writeable):
        A = A.copy()
    F = A if A.flags.f_contiguous else A.T
    diagonal = np.diagonal(F).copy()
    values, vectors = eigh(F, top=k, overwrite=True, check_finite=False)
    if len(values) < k:  # LAPACK may miss some of many equal eigenvalues, unless all are requested
        _mirror(F, diagonal)
        values, vectors = (part[..., n - k :] for part in eigh(F, overwrite=True, check_finite=False))
    for left in range(k // 2):  # reverse the order without another matrix
        swapped = [k - 1 - left, left]
        vectors[:, swapped[::-1]] = vectors[:, swapped]
    np.fill_diagonal(F, diagonal)  # LAPACK has overwritten the lower triangle but not the strict upper one

    def product(V: DoubleArray) -> DoubleArray:
        return symmetric_product(F, V)

    return _certified(product, values[::-1].copy(), vectors, "dense", n_iter=1, status=Status.CONVERGED)


def _mirror(F: DoubleArray, diagonal: DoubleArray) -> None:
    """Copy the strict upper triangle to the lower one, which LAPACK has overwritten."""
    for i in range(1, len(F)):
        F[i, :i] = F[:i, i]
    np.fill_diagonal(F, diagonal)


def _certified(
    product: Product, values: DoubleArray, vectors: DoubleArray, method: str, *, n_iter: int, status: Status
) -> EigenSolution:
    """Fix the signs, in place, and compute the residual in float64."""
    worst, k = 0.0, len(values)
    for first in range(0, k, _PANEL):
        part = slice(first, min(first + _PANEL, k))
        V = vectors[:, part]
        V *= np.where(V[np.abs(V).argmax(axis=0), np.arange(V.shape[1])] < 0, -1.0, 1.0)
        residual = product(V)
        residual -= V * values[part]
        worst = max(worst, float(np.linalg.norm(residual, axis=0).max()))
    largest = float(np.abs(values).max())
    violation = worst / largest if worst else 0.0
    solution = Solution(float(values.sum()), float("nan"), violation, status, n_iter)
    return EigenSolution(values, vectors, solution, method)
