r"""Kernels deformed by a graph: reproducing kernels of the norm ‖f‖² + r fᵀLf.

For a graph Laplacian L over samples with Gram matrix K the kernel is K̃ = K(I + rLK)⁻¹ (Sindhwani, Niyogi and Belkin,
2005). A kernel method with this kernel is the same method with manifold regularisation.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mercer._runtime.factors import solve_triangle, try_cholesky
from mercer._runtime.interrupt import pieces
from mercer._runtime.limits import require_memory
from mercer._runtime.products import inner_products, product
from mercer._typing import DoubleArray, IndexArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator

__all__ = ["DeformedKernel", "deformed_kernel"]

_MATRICES = 4  # number of matrices of the size of the graph in memory at the same time


@dataclass(frozen=True, eq=False)
class DeformedKernel:
    """Deformed kernel K̃ between some samples, which also rewrites expansions in k̃ as expansions in k.

    Attributes
    ----------
    samples : ndarray of int of shape (l,)
        Samples of the expansion, the labelled ones.
    matrix : ndarray of shape (l, l)
        Matrix K̃ between them, bitwise symmetric.
    """

    samples: IndexArray
    matrix: DoubleArray
    _vertices: IndexArray = field(repr=False)
    _pull: DoubleArray = field(repr=False)  # rLK̃, vertices by samples
    _rows: DoubleArray = field(repr=False)  # K, samples by all samples

    def expand(self, coef: DoubleArray) -> tuple[DoubleArray, DoubleArray]:
        """Return the coefficients a of Σ_i coef_i k̃(x_i, ·) = Σ_j a_j k(x_j, ·), a = Jᵀcoef − rLK̃coef.

        Parameters
        ----------
        coef : ndarray of shape (l, columns)
            Coefficients of `samples`.

        Returns
        -------
        a : ndarray of shape (n, columns)
            Coefficients of all samples.
        mismatch : ndarray of shape (l, columns)
            Rounding error Ka − K̃coef at `samples`.
        """
        a = np.zeros((self._rows.shape[1], coef.shape[1]))
        a[self._vertices] = -product(self._pull, coef)
        a[self.samples] += coef
        return a, product(self._rows, a) - product(self.matrix, coef)


def deformed_kernel(
    K: GramOperator,
    samples: IndexArray,
    vertices: IndexArray,
    A: Any,
    r: float,
    *,
    normalize: bool = False,
    power: int = 1,
) -> DeformedKernel:
    r"""Deform a kernel by the Laplacian of a graph.

    L = BᵀB with B = RᵀE, where E subtracts one vertex of each connected component and RRᵀ is the Laplacian without
    these vertices. Then K̃ = K − rKBᵀ(I + rBKBᵀ)⁻¹BK, a symmetric positive definite system that needs neither an inverse
    nor a factor of K. For L^p, B is RᵀEL^((p−1)/2) if p is odd, and L^(p/2) if it is even.

    Parameters
    ----------
    K : GramOperator of shape (n, n)
        Positive semidefinite Gram matrix.
    samples : ndarray of int of shape (l,)
        Distinct samples between which K̃ is computed.
    vertices : ndarray of int of shape (m,)
        Distinct samples of the vertices.
    A : CSR matrix of shape (m, m)
        Symmetric, non-negative weights of edges, zero on the diagonal.
    r : float
        Non-negative factor of fᵀLf relative to ‖f‖².
    normalize : bool, default=False
        Whether L is I − D^(−½)AD^(−½) instead of D − A, with the degrees D = diag(A1). A vertex without edges has no
        term.
    power : int, default=1
        Power p ≥ 1 of L.

    Returns
    -------
    DeformedKernel
        Deformed kernel between `samples`.

    Raises
    ------
    NotPositiveDefiniteError
        If I + rBKBᵀ is not positive definite, because K is not positive semidefinite or r is too large for rounding.

    Notes
    -----
    Cost: O(5m³ + m²l) time and four m x m matrices. Every step can be interrupted.

    Examples
    --------
    For two samples joined by an edge, K̃ = (K⁻¹ + rL)⁻¹:

    >>> from mercer.operators import PrecomputedOperator
    >>> K, A, both = np.array([[2.0, 0.0], [0.0, 1.0]]), sp.csr_array([[0.0, 1.0], [1.0, 0.0]]), np.arange(2)
    >>> deformed_kernel(PrecomputedOperator(K), both, both, A, 1.0).matrix.round(3)
    array([[1.  , 0.5 ],
           [0.5 , 0.75]])
    >>> np.linalg.inv(np.linalg.inv(K) + np.array([[1.0, -1.0], [-1.0, 1.0]])).round(3)
    array([[1.  , 0.5 ],
           [0.5 , 0.75]])
    """
    K.require_symmetric("deformed_kernel")
    n, m, l = K.shape[0], len(vertices), len(samples)
    require_memory(
        8 * (_MATRICES * m**2 + l * (n + 2 * m + 2 * l)),
        what=f"{K.who}: dense matrices of a graph of {m} vertices",
        instead="Fit on fewer unlabelled samples.",
    )
    rows = np.asarray(K.rows(samples), dtype=np.float64)
    matrix = np.ascontiguousarray(rows[:, samples])
    if r == 0 or not A.nnz:
        return DeformedKernel(samples, matrix, vertices, np.zeros((m, l)), rows)
    B = _Root(K.who, A, normalize=normalize, power=power)
    whole = m == n and bool((vertices == np.arange(n)).all())
    T: Any = B.product(B.product((K if whole else K.take(vertices)).array()).T)
    T *= r
    T.flat[:: len(T) + 1] += 1.0
    T = T.T  # column-major; symmetric up to rounding, of which one triangle is read
    if try_cholesky(T):
        raise NotPositiveDefiniteError(
            f"{K.who}: I + r LK with r={r:g} is not positive definite on these samples: the kernel is not positive "
            "semidefinite, or r is too large for floating-point precision. Lower r (the parameter manifold), or see "
            "mercer.kernels.repair."
        )
    across: Any = np.asfortranarray(B.product(rows[:, vertices].T))
    across *= np.sqrt(r)
    solve_triangle(T, across)
    matrix -= inner_products(across)
    solve_triangle(T, across, transposed=True)
    pull = B.transposed_product(across)
    pull *= np.sqrt(r)
    return DeformedKernel(samples, matrix, vertices, pull, rows)


class _Root:
    """Factor B with BᵀB = L^p, as a product of sparse matrices and, for odd p, a triangular one."""

    def __init__(self, who: str, A: Any, *, normalize: bool, power: int) -> None:
        degrees = np.asarray(A.sum(axis=1), dtype=np.float64)
        if not np.isfinite(degrees).all():
            raise ValueError(f"{who}: the weights of the edges overflow; scale sample_weight down.")
        side = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)) if normalize else np.ones(len(degrees))
        L = sp.csr_array((sp.diags_array(degrees) - A) * side[:, None] * side)
        self._steps, self._R = [L] * (power // 2), None
        if power % 2:
            E, self._R = _differences(who, A, degrees)
            self._steps.append(sp.csr_array(E * side))

    def product(self, X: DoubleArray) -> DoubleArray:
        for step in self._steps:
            X = _sparse_product(step, X)
        return X if self._R is None else product(self._R.T, X)

    def transposed_product(self, Y: DoubleArray) -> DoubleArray:
        Y = Y if self._R is None else product(self._R, Y)
        for step in reversed(self._steps):
            Y = _sparse_product(step.T.tocsr(), Y)
        return Y


def _sparse_product(S: Any, X: DoubleArray) -> DoubleArray:
    """Return SX, computed in pieces that Ctrl-C can interrupt."""
    out = np.empty((S.shape[0], X.shape[1]))
    for start, stop in pieces(0, X.shape[1], 8.0 * S.nnz):  # a product of sparse matrices is slower than BLAS
        out[:, start:stop] = S @ X[:, start:stop]
    return out


def _differences(who: str, A: Any, degrees: DoubleArray) -> tuple[Any, DoubleArray]:
    """Return E of shape (m − components, m) in CSR and a lower triangular R with D − A = EᵀRRᵀE."""
    n_pieces, piece = connected_components(A, directed=False)
    order = np.argsort(-degrees, kind="stable")
    ground = order[np.unique(piece[order], return_index=True)[1]]  # the vertex of largest degree of each component
    rest = np.setdiff1d(np.arange(len(degrees)), ground)
    count, ones = np.arange(len(rest)), np.ones(len(rest))
    where = np.tile(count, 2), np.concatenate([rest, ground[piece[rest]]])
    E = sp.csr_array((np.concatenate([ones, -ones]), where), shape=(len(rest), len(degrees)))
    R = np.asfortranarray((-A[rest][:, rest]).toarray())
    R.flat[:: len(R) + 1] += degrees[rest]
    if try_cholesky(R):
        raise ValueError(
            f"{who}: the {n_pieces} connected components of the graph cannot be separated, because the weights of "
            f"edges range from {A.data.min():g} to {A.data.max():g}; use sample weights that differ less."
        )
    return E, np.tril(R)
