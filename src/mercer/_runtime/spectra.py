"""Eigenvalues and singular values of dense matrices, computed in pieces that Ctrl-C can interrupt."""

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from mercer._runtime.interrupt import PIECE, interruptible, pieces
from mercer._runtime.lapack import call, column_stride, integers
from mercer._runtime.products import product
from mercer._typing import DoubleArray

__all__ = ["eigh", "eigvalsh", "qr", "svd"]

_PANEL = 1024  # number of columns checked for NaN at a time
_COLUMNS, _FEWEST = 32, 4  # maximal and minimal number of columns reduced to tridiagonal form at a time
_READ = 3e8  # maximal number of entries read for them: 0.3 s if memory is slow


def eigh(
    A: Any, *, top: int | None = None, lower: bool = True, overwrite: bool = False, check_finite: bool = True
) -> tuple[DoubleArray, DoubleArray]:
    """Compute eigenvalues of a symmetric matrix in ascending order and their eigenvectors.

    The steps are those of LAPACK's ``syevr``, the driver that needs the least memory: 26n numbers in addition to A and
    the vectors.

    Parameters
    ----------
    A : array-like of shape (n, n)
        Symmetric matrix, of which one triangle is read.
    top : int, default=None
        Number of largest eigenvalues. None: all.
    lower : bool, default=True
        Whether the lower triangle is read.
    overwrite : bool, default=False
        Whether that triangle and the diagonal may be overwritten, which saves a copy if A is a column-major array of
        float64.
    check_finite : bool, default=True
        Whether infinities and NaN raise ValueError. Otherwise the result is undefined for them.

    Returns
    -------
    values : ndarray of shape (top,)
        Eigenvalues. LAPACK may miss some of many eigenvalues that are equal up to rounding, unless `top` is None.
    vectors : ndarray of shape (n, top)
        Eigenvectors in a column-major array.

    Examples
    --------
    >>> eigh(np.diag([3.0, 1.0]))[0]
    array([1., 3.])
    """
    F = _owned(A, overwrite=overwrite, check_finite=check_finite)
    return _spectrum(F, len(F) if top is None else top, "L" if lower else "U", vectors=True)


def eigvalsh(A: Any, *, lower: bool = True, overwrite: bool = False, check_finite: bool = True) -> DoubleArray:
    """Compute eigenvalues of a symmetric matrix in ascending order; parameters as in `eigh`."""
    F = _owned(A, overwrite=overwrite, check_finite=check_finite)
    return _spectrum(F, len(F), "L" if lower else "U", vectors=False)[0]


def qr(A: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
    """Compute A = QR with orthonormal columns of Q and upper triangular R, for A with at least as many rows as columns.

    A tall matrix is divided into blocks of rows, and the factors R of the blocks are factored together.
    """
    n, r = A.shape
    parts = list(pieces(0, n, 4.0 * r**2, least=max(64, 2 * r)))
    if len(parts) == 1:
        Q, R = np.linalg.qr(A)
        return Q, R
    found = [np.linalg.qr(A[start:stop]) for start, stop in parts]
    across, R = qr(np.vstack([corner for _, corner in found]))
    Q, first = np.empty((n, r)), 0
    for (start, stop), (part, corner) in zip(parts, found, strict=True):
        Q[start:stop] = part @ across[first : first + len(corner)]
        first += len(corner)
    return Q, R


def svd(A: DoubleArray) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Compute the thin singular value decomposition: U, singular values in descending order, and Vᵀ.

    A tall matrix is replaced by its factor R.
    """
    if 20.0 * A.size * min(A.shape) <= PIECE or len(A) < 2 * A.shape[1]:
        U, size, Vt = np.linalg.svd(A, full_matrices=False)
        return U, size, Vt
    Q, R = qr(A)
    U, size, Vt = np.linalg.svd(R)
    return product(Q, U), size, Vt


def _owned(A: Any, *, overwrite: bool, check_finite: bool) -> DoubleArray:
    """Return A as a column-major array that LAPACK may overwrite."""
    F = np.asarray(A, dtype=np.float64, order="F")
    if check_finite and not all(np.isfinite(F[:, j : j + _PANEL]).all() for j in range(0, F.shape[1], _PANEL)):
        raise ValueError("array must not contain infs or NaNs")
    copied = F is not A and F.base is None
    return F if copied or (overwrite and F.flags.writeable) else F.copy(order="F")


def _spectrum(F: DoubleArray, k: int, uplo: str, *, vectors: bool) -> tuple[DoubleArray, DoubleArray]:
    """Return the k largest eigenvalues and their vectors; F is overwritten."""
    n, job = len(F), "V" if vectors else "N"
    chosen = ("A" if k == n else "I", 0.0, 0.0, n - k + 1, n, 0.0)  # range of eigenvalues, and tolerance
    if n == 0:
        return np.empty(0), np.empty((0, 0))
    if 10.0 * n**3 <= PIECE:
        return _found("syevr", (job, chosen[0], uplo, n, F, column_stride(F), *chosen[1:]), n, k, vectors=vectors)
    scale = _scaled(F, uplo)
    d, e, tau = _tridiagonal(F, uplo)
    own = job, chosen[0], n, d, e, *chosen[1:]
    # The tridiagonal problem takes O(n²) and does not use the threads of BLAS.
    values, Z = interruptible(lambda: _found("stevr", own, n, k, vectors=vectors), 100.0 * n * k)
    if vectors:
        _transform(F, uplo, tau, Z)
    return values / scale, Z


def _found(routine: str, own: tuple[Any, ...], n: int, k: int, *, vectors: bool) -> tuple[DoubleArray, DoubleArray]:
    """Query LAPACK for the size of its workspace, and call it."""
    values, count, support = np.empty(n), integers(1), integers(2 * n)
    Z = np.empty((n, k) if vectors else (1, 1), order="F")
    out = count, values, Z, column_stride(Z), support
    size, isize = np.empty(1), integers(1)
    call(routine, np.float64, *own, *out, size, -1, isize, -1)
    room, iroom = int(size[0]), int(isize[0])
    if info := call(routine, np.float64, *own, *out, np.empty(room), room, integers(iroom), iroom):
        raise LinAlgError(f"eigenvalues of a {n} x {n} matrix: LAPACK's {routine} failed with info={info}.")
    m = int(count[0])
    if m < k == n:  # occurs only if the matrix is not finite
        raise LinAlgError(f"eigenvalues of a {n} x {n} matrix: LAPACK's {routine} found {m} of them.")
    return values[:m], Z[:, :m]


def _scaled(F: DoubleArray, uplo: str) -> float:
    """Scale a triangle so that squares neither overflow nor underflow, as LAPACK does, and return the factor."""
    columns = [F[j:, j] if uplo == "L" else F[: j + 1, j] for j in range(len(F))]
    largest = max(float(np.abs(column).max()) for column in columns)
    info = np.finfo(np.float64)
    least = np.sqrt(info.tiny / info.eps)
    most = min(1 / least, 1 / np.sqrt(np.sqrt(info.tiny)))
    if largest == 0 or least <= largest <= most or not np.isfinite(largest):
        return 1.0
    scale = float(np.clip(largest, least, most) / largest)
    for column in columns:
        np.multiply(column, scale, out=column)
    return scale


def _tridiagonal(A: DoubleArray, uplo: str) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Return diagonal, subdiagonal and scales of the reflections that reduce A to tridiagonal form, stored in A.

    This is LAPACK's ``sytrd`` with panels small enough for Ctrl-C.
    """
    n, ld, dtype = len(A), column_stride(A), A.dtype
    d, e, tau = np.empty(n), np.empty(n), np.empty(n)
    nb = 2 * int(np.clip(_READ / n**2, _FEWEST, _COLUMNS) // 2)
    W = np.empty((n, nb), order="F")
    low, high = 0, n  # the remaining part
    while high - low > _COLUMNS:
        m = high - low - nb
        if uplo == "L":
            call("latrd", dtype, uplo, m + nb, nb, A[low:, low:], ld, e[low:], tau[low:], W, n)
            done, rest = range(low, low + nb), low + nb
            call("syr2k", dtype, uplo, "N", m, nb, -1.0, A[rest:, low:], ld, W[nb:], n, 1.0, A[rest:, rest:], ld)
            A[np.add(done, 1), done] = e[low:rest]
            low = rest
        else:
            call("latrd", dtype, uplo, high, nb, A, ld, e, tau, W, n)
            done, rest = range(m, high), m
            call("syr2k", dtype, uplo, "N", m, nb, -1.0, A[:, m:], ld, W, n, 1.0, A, ld)
            A[np.subtract(done, 1), done] = e[m - 1 : high - 1]
            high = rest
        d[done] = A[done, done]
    call("sytd2", dtype, uplo, high - low, A[low:, low:], ld, d[low:], e[low:], tau[low:])
    return d, e, tau


def _transform(A: DoubleArray, uplo: str, tau: DoubleArray, Z: DoubleArray) -> None:
    """Transform the eigenvectors of the tridiagonal matrix into those of A, in place."""
    n, dtype, size = len(A), A.dtype, np.empty(1)
    for start, stop in pieces(0, Z.shape[1], 2.0 * n**2):
        part = Z[:, start:stop]
        own = "L", uplo, "N", n, stop - start, A, column_stride(A), tau, part, column_stride(part)
        call("ormtr", dtype, *own, size, -1)
        call("ormtr", dtype, *own, np.empty(int(size[0])), int(size[0]))
