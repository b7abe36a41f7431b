"""Block Lanczos method for the largest eigenvalues of a symmetric matrix, which needs only products with it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._runtime.pools import limit_pools
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray

__all__ = ["Krylov", "Product", "array_product", "block_lanczos"]

Product: TypeAlias = Callable[[DoubleArray], DoubleArray]  # V ↦ AV

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Krylov:
    """Result of `block_lanczos`.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Ritz values, descending.
    vectors : ndarray of shape (n, k)
        Ritz vectors.
    residual : float
        max_j ‖Av_j − θ_j v_j‖ / max|θ| in exact arithmetic.
    steps : int
        Number of products with a block.
    """

    values: DoubleArray
    vectors: DoubleArray
    residual: float
    steps: int


def block_lanczos(
    product: Product, n: int, k: int, *, block: int, room: int, tol: float, max_steps: int, rng: np.random.Generator
) -> Krylov:
    r"""Compute the k largest eigenvalues and their vectors from the Krylov space of R, AR, A²R, … for a random block R.

    Rayleigh–Ritz on an orthonormal basis of the space: H = QᵀAQ = SΘSᵀ, with vectors QS. A product with a whole block
    reads A once, where single vectors would read it `block` times. When the basis has `room` columns, it is replaced by
    the best Ritz vectors and the newest block (thick restart), which is again a basis of a Krylov space.

    Parameters
    ----------
    product : callable
        Function V ↦ AV for V of shape (n, columns) and a symmetric A.
    n : int
        Number of rows of A.
    k : int
        Number of eigenpairs, 1 ≤ k ≤ n.
    block : int
        Number of columns of R, which bounds the multiplicity with which an eigenvalue is found.
    room : int
        Maximal number of columns of the basis, at least k + 3 `block` and less than n.
    tol : float
        Positive tolerance: stop when ‖Av − θv‖ ≤ tol · max|θ| for all k pairs.
    max_steps : int
        Maximal number of products with a block.
    rng : Generator
        Source of R.

    Returns
    -------
    Krylov
        Ritz pairs and residual.

    Notes
    -----
    ‖Av − θv‖ is known without a product: AQ = QH + FR, where F is orthonormal to Q and R belongs to the newest block,
    so that the residual of Qs is FRs. The basis is fully orthogonalised. Cost: O(n² block + n room block) per step and
    n · room numbers of memory.

    References
    ----------
    * Musco and Musco, Randomized block Krylov methods for stronger and faster approximate singular value decomposition,
      2015.
    * Wu and Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, 2000,
      doi:10.1137/S0895479898334605.
    """
    Q = np.empty((n, room), order="F")
    H = np.zeros((room, room))
    F = _orthogonalised(Q[:, :0], rng.standard_normal((n, block)))[1]
    m = near = 0
    ahead = _Forecast(tol)
    for step in range(1, max_steps + 1):
        new = slice(m, m + F.shape[1])
        Q[:, new], m = F, new.stop
        C, F, R = _orthogonalised(Q[:, :m], product(Q[:, new]), near=near, scale=float(np.abs(H[:m, :m]).max()))
        H[:m, new], H[new, :m], near = C, C.T, new.start
        full, exhausted = m + block > room, F.shape[1] == 0
        if not (full or exhausted or step == max_steps or step >= ahead.step):
            continue
        values, S = _ritz(H[:m, :m], k + block)
        largest = np.abs(values).max()
        residual = float(np.linalg.norm(R @ S[new, :k], axis=0).max(initial=0.0) / largest) if largest else 0.0
        if m >= k and (residual <= tol or step == max_steps):
            break
        ahead.learn(step, residual)
        if full:
            Q[:, : len(values)], m, near = Q[:, :m] @ S, len(values), 0
            H[...] = 0
            np.fill_diagonal(H[:m, :m], values)
        if exhausted:  # invariant space of fewer than k dimensions: continue in its complement
            F = _orthogonalised(Q[:, :m], rng.standard_normal((n, block)))[1]
    return Krylov(values[:k], Q[:, :m] @ S[:, :k], residual, step)


@contextmanager
def array_product(A: DoubleArray, n_jobs: int | None = None) -> Iterator[Product]:
    """Yield the function V ↦ AV of a symmetric array, computed by the core; BLAS is limited to one thread.

    The core reads half of A once for all columns. Block Lanczos alternates few large products with many small ones,
    which are slower with several BLAS threads.
    """
    ready()
    threads = thread_count(n_jobs)
    A = A if A.flags.c_contiguous else np.ascontiguousarray(A.T)

    def product(V: DoubleArray) -> DoubleArray:
        V = np.ascontiguousarray(V)
        out = np.empty_like(V)
        _core.symmetric_product(A, V, out, threads)
        return out

    with limit_pools(1, "blas"):
        yield product


class _Forecast:
    """Forecast of the next step at which the residual is worth computing, from its rate of decrease."""

    def __init__(self, tol: float) -> None:
        self.tol, self.step, self._known = tol, 3, (0, 1.0)

    def learn(self, step: int, residual: float) -> None:
        before, known = self._known
        rate = np.log(known / residual) / (step - before) if 0 < residual < known else 0.0
        steps = np.log(residual / self.tol) / rate if rate else 0.0
        self.step, self._known = step + int(np.clip(steps / 2, 1, 4)), (step, residual)


def _ritz(H: DoubleArray, most: int) -> tuple[DoubleArray, DoubleArray]:
    values, S = eigh(H, check_finite=False)
    return values[: -most - 1 : -1], S[:, : -most - 1 : -1]


def _orthogonalised(
    Q: DoubleArray, W: DoubleArray, *, near: int = 0, scale: float = 0.0
) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """Return C, F, R with W = QC + FR and orthonormal [Q F]; columns of W − QC that consist of rounding are dropped.

    The rows of C before `near` are zero up to rounding. F is computed from eigenvectors of the Gram matrix of W (SVQB
    of Stathopoulos and Wu), which needs large products only.
    """
    C = np.zeros((Q.shape[1], W.shape[1]))
    C[near:] = Q[:, near:].T @ W
    F = W - Q[:, near:] @ C[near:]
    live = np.linalg.norm(F, axis=0) > 8 * _EPS * max(scale, float(np.abs(C).max(initial=0.0)))
    F, R = F[:, live], np.eye(F.shape[1])[live]
    for attempt in range(4) if live.any() else ():
        G = F.T @ F
        size = np.sqrt(np.diagonal(G))
        values, U = np.linalg.eigh(G / np.outer(size, size))
        root = np.sqrt(np.maximum(values, 16 * _EPS * values[-1]))
        F = F @ (U / size[:, None] / root)
        R = (U * root).T @ (size[:, None] * R)
        if attempt and values[0] > 0.5:
            break
        D = Q.T @ F  # division by small numbers has amplified the rounding errors along Q
        F -= Q @ D
        C += D @ R
    return C, F, R
