"""Matrices and coordinates of non-linear dimension reduction."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import LinearOperator, splu

from mercer._runtime.factors import solve_cholesky, try_cholesky
from mercer._runtime.interrupt import PIECE
from mercer._runtime.limits import available_memory, require_memory
from mercer._runtime.spectra import eigh, eigvalsh, qr
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import GramOperator
from mercer.operators.build import overwritable
from mercer.operators.centering import center_in_place
from mercer.operators.tiles import panels
from mercer.solvers.eigen import EigenMethod, EigenSolution, choose_eigen_solver, top_eigenpairs
from mercer.solvers.solution import Solution, Status

__all__ = [
    "Coordinates",
    "barycentric_weights",
    "bottom_eigenpairs",
    "negative_mass",
    "normalized_laplacian",
    "principal_coordinates",
]

_EPS = float(np.finfo(np.float64).eps)
_LOCAL = 1_000_000  # maximal number of entries in a stack of small matrices
_DENSE = 0.01  # fraction of non-zero entries above which dense factors are used
_SIMILAR = 0.1  # operations of a sparse factor, relative to those of a dense one, from which the dense one is as fast
_SHIFT = 1e-10  # shift relative to the spectrum that makes a singular matrix regular


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Kernel PCA of a matrix K, or classical scaling of −2K as squared distances.

    Attributes
    ----------
    embedding : ndarray of shape (n, k)
        Coordinates v_j √λ_j for the largest eigenvalues λ of HKH; zero if λ_j is not positive.
    coef : ndarray of shape (n, k)
        Coefficients; the coordinates of a new sample with row κ of K are κ·coef + offset.
    offset : ndarray of shape (k,)
        Constants of the coordinates.
    values : ndarray of shape (k,)
        Eigenvalues λ, descending.
    square : float
        ‖HKH‖², the sum of all λ².
    solution : Solution
        Certificate of the eigenpairs.
    """

    embedding: DoubleArray
    coef: DoubleArray
    offset: DoubleArray
    values: DoubleArray
    square: float
    solution: Solution


def principal_coordinates(K: GramOperator | DoubleArray, k: int, **options: Any) -> Coordinates:
    """Centre K and compute the coordinates for its k largest eigenvalues; an ndarray K is overwritten.

    Coordinates of eigenvalues of at most 10 n ε times the largest one are zero. `options` are passed to
    `top_eigenpairs`.

    Examples
    --------
    >>> D = np.array([[0.0, 3.0, 5.0], [3.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
    >>> Y = principal_coordinates(-(D**2) / 2, 2).embedding
    >>> np.linalg.norm(Y[:, None] - Y, axis=2).round(12).tolist() == D.tolist()
    True
    """
    K = overwritable(K)
    centering = center_in_place(K)
    square = float(np.vdot(K, K))
    top = top_eigenpairs(K, k, overwrite=True, **options)
    axes = top.values > 10 * len(K) * _EPS * max(float(top.values[0]), 0.0)
    root = np.sqrt(np.where(axes, top.values, 0.0))
    coef, offset = centering.fold(top.vectors * np.divide(1.0, root, out=np.zeros_like(root), where=axes))
    return Coordinates(top.vectors * root, coef, offset, top.values, square, top.solution)


def negative_mass(K: GramOperator | DoubleArray) -> float:
    """Return Σ|λ₋| / Σ|λ| of HKH in O(n³), 0 if −2K are squared Euclidean distances; an ndarray is overwritten.

    Examples
    --------
    >>> negative_mass(np.diag([1.0, 2.0])), negative_mass(-np.eye(3))
    (0.0, 1.0)
    """
    K = overwritable(K)
    center_in_place(K)
    values = eigvalsh(K.T, overwrite=True, check_finite=False)
    sizes = np.abs(values)
    values[sizes <= 10 * len(values) * _EPS * sizes.max()] = 0.0
    total = float(np.abs(values).sum())
    return float(np.abs(values[values < 0]).sum()) / total if total else 0.0


def barycentric_weights(
    operator: GramOperator, diagonal: DoubleArray, D2: DoubleArray, indices: IndexArray, reg: float
) -> DoubleArray:
    """Return weights w of sum 1 on neighbours that minimise ‖φ(x) − Σ_j w_j φ(x_j)‖² + reg·tr(G)·‖w‖².

    G is the Gram matrix of the neighbours around x: 2G_jl = d²(x, j) + d²(x, l) − d²(j, l) from squared distances.
    If tr(G) = 0, the penalty is reg·‖w‖².

    Parameters
    ----------
    operator : GramOperator of shape (n, n)
        Kernel values of the candidates.
    diagonal : ndarray of shape (n,)
        Diagonal of `operator`.
    D2 : ndarray of shape (m, k)
        Squared distances of m samples to their neighbours.
    indices : ndarray of int of shape (m, k)
        Neighbours of the samples among the candidates.
    reg : float
        Regularisation; zero is allowed if no G is singular.

    Returns
    -------
    ndarray of shape (m, k)
        Weights.

    Examples
    --------
    The point 1 between its neighbours 0 and 3:

    >>> from mercer.operators import PrecomputedOperator
    >>> x = np.array([[0.0], [3.0]])
    >>> K, near = PrecomputedOperator(x @ x.T), np.array([[0, 1]])
    >>> barycentric_weights(K, x[:, 0] ** 2, np.array([[1.0, 4.0]]), near, reg=1e-12).round(6)
    array([[0.666667, 0.333333]])
    """
    m, k = indices.shape
    weights = np.empty((m, k, 1))
    for rows in panels(m, max(1, _LOCAL // k**2)):
        norms, near = diagonal[indices[rows]], D2[rows]
        G = near[:, :, None] + near[:, None] - norms[:, :, None] - norms[:, None]
        G /= 2
        for i, chosen in enumerate(indices[rows]):
            G[i] += operator.block(chosen, chosen)
        trace = np.trace(G, axis1=1, axis2=2)
        G[:, np.arange(k), np.arange(k)] += (reg * np.where(trace > 0, trace, 1.0))[:, None]
        try:
            weights[rows] = np.linalg.solve(G, np.ones((len(G), k, 1)))
        except np.linalg.LinAlgError:
            weights[rows] = np.nan
    weights /= weights.sum(axis=1, keepdims=True)
    if not np.isfinite(weights).all():
        raise ValueError(
            f"barycentric_weights: the weights on neighbours are not unique with reg={reg:g}; raise reg, for example "
            "to 1e-3."
        )
    return weights[:, :, 0]


def normalized_laplacian(A: Any) -> tuple[Any, DoubleArray]:
    """Return the normalised Laplacian L = I − D^(−½)AD^(−½) and the degrees d = A1, D = diag(d).

    Parameters
    ----------
    A : GramOperator, ndarray or CSR matrix of shape (n, n)
        Symmetric, non-negative affinities with at least one positive entry in every row. The diagonal is taken to be
        zero. An ndarray is overwritten.

    Returns
    -------
    L : ndarray or CSR array of shape (n, n)
        Normalised Laplacian.
    degrees : ndarray of shape (n,)
        Degrees d.

    Examples
    --------
    >>> L, degrees = normalized_laplacian(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> L, degrees
    (array([[ 1., -1.],
           [-1.,  1.]]), array([2., 2.]))
    """
    who = getattr(A, "who", "normalized_laplacian")
    if not sp.issparse(A):
        A = overwritable(A)
        smallest = float(A.min())
        if smallest < 0:
            raise ValueError(
                f"{who}: affinities must not be negative, but the smallest kernel value is {smallest:g}; use a kernel "
                "such as 'rbf', or affinities of nearest neighbours."
            )
        np.fill_diagonal(A, 0.0)
    degrees = np.asarray(A.sum(axis=1), dtype=np.float64)
    if degrees.min() <= 0:
        raise ValueError(
            f"{who}: sample {int(degrees.argmin())} has no affinity to any other sample; leave it out, or "
            "use a wider kernel."
        )
    scale = 1 / np.sqrt(degrees)
    if sp.issparse(A):
        return sp.csr_array(sp.eye_array(len(scale)) - A * scale[:, None] * scale), degrees
    A *= -scale[:, None]
    A *= scale
    np.fill_diagonal(A, 1.0)
    return A, degrees


def bottom_eigenpairs(
    L: Any, null: DoubleArray, k: int, *, bound: float, method: EigenMethod = "auto", **options: Any
) -> EigenSolution:
    """Compute the k smallest eigenvalues of a PSD matrix, ascending, except the one of a known null vector.

    They are the largest eigenvalues of K = b(I − uuᵀ) − L, the matrix of a kernel PCA, where u is the null vector and
    b ≥ λmax. For a sparse L and Lanczos, (I − uuᵀ)(L + σI)⁻¹(I − uuᵀ) with a small σ is used.

    Parameters
    ----------
    L : ndarray or CSR matrix of shape (n, n)
        Symmetric matrix; an ndarray is overwritten.
    null : ndarray of shape (n,)
        Unit vector u with Lu = 0.
    k : int
        Number of eigenvalues, less than n.
    bound : float
        Upper bound b on the eigenvalues.
    method : {"auto", "dense", "arpack"}, default="auto"
        Method. "auto": `choose_eigen_solver`, with LAPACK as fallback if Lanczos fails.
    **options
        Options of `top_eigenpairs`.

    Returns
    -------
    EigenSolution
        Eigenpairs. `violation` is the residual of L relative to b, `objective` the sum of the values.
    """
    n, sparse = len(null), sp.issparse(L)
    if sparse and (choose_eigen_solver(n, k) if method == "auto" else method) == "arpack":
        found = _shift_invert(L, null, k, bound=bound, **options)
        if found.solution.converged or method != "auto":
            return found
    if sparse:
        require_memory(
            8 * n**2,
            what=f"bottom_eigenpairs: a dense {n} x {n} matrix of 64-bit numbers",
            instead="Use method='arpack', which works on the sparse matrix.",
        )
    K = L.toarray() if sparse else L
    K *= -1
    for i in range(n):  # row by row, because an outer product would be another matrix
        K[i] -= bound * null[i] * null
    K.flat[:: n + 1] += bound
    top = top_eigenpairs(K, k, method=method, overwrite=True, **options)
    values = bound - top.values
    return replace(top, values=values, solution=replace(top.solution, objective=float(values.sum())))


def _inverse(A: Any) -> Callable[[DoubleArray], DoubleArray]:
    """Return the function V ↦ A⁻¹V for a sparse, symmetric, positive definite A.

    The sparse factor of a matrix with many entries, or of a graph without small separators, is nearly dense. A dense
    factorisation is then as fast or faster, and can be interrupted by Ctrl-C.
    """
    if _fills(A) and not try_cholesky(F := A.toarray(order="F")):
        return lambda V: solve_cholesky(F, V)
    solve: Any = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).solve
    return solve  # type: ignore[no-any-return]


def _fills(A: Any) -> bool:
    """Whether a sparse factor is expected to be nearly dense, and to take longer than Ctrl-C should wait.

    The number of operations is that of a factor inside the envelope of the reverse Cuthill-McKee order, Σ w_i² for rows
    of w_i entries before the diagonal. Neighbour graphs of manifolds have narrow envelopes, those of noise in many
    dimensions have none.
    """
    n, room = int(A.shape[0]), available_memory()
    if room is not None and 16 * n**2 > room:
        return False
    if A.nnz > _DENSE * n**2:
        return True
    order = reverse_cuthill_mckee(sp.csr_matrix(A), symmetric_mode=True)
    ordered = sp.csr_array(A)[order][:, order]
    ordered.sort_indices()
    widths = np.arange(n) - ordered.indices[ordered.indptr[:-1]]
    operations = float(np.square(widths, dtype=np.float64).sum())
    return operations > max(2 * PIECE, _SIMILAR * float(n) ** 3 / 3)


def _shift_invert(L: Any, null: DoubleArray, k: int, *, bound: float, **options: Any) -> EigenSolution:
    n = len(null)
    shifted = sp.csc_array(L + sp.diags_array(np.full(n, _SHIFT * bound)))
    inverted = _inverse(shifted)

    def solve(V: DoubleArray) -> DoubleArray:
        V = V.reshape(n, -1)
        V = inverted(V - np.outer(null, null @ V))
        return np.asarray(V - np.outer(null, null @ V))

    inverse = LinearOperator((n, n), matvec=solve, matmat=solve, dtype=np.float64)
    top = top_eigenpairs(inverse, k, method="arpack", **options)
    # The error of a solution lies mainly in the span of the wanted vectors; one more solve removes the rest of it.
    V = qr(solve(top.vectors))[0]
    values, S = eigh(V.T @ (L @ V))
    V = V @ S
    V *= np.where(V[np.abs(V).argmax(axis=0), np.arange(k)] < 0, -1.0, 1.0)
    violation = float(np.linalg.norm(L @ V - V * values, axis=0).max()) / bound
    status = Status.PRECISION if top.solution.converged else top.solution.status
    if violation <= max(options.get("tol", 0.0), 10 * n * _EPS):
        status = Status.CONVERGED
    solution = replace(top.solution, objective=float(values.sum()), violation=violation, status=status)
    return replace(top, values=values, vectors=V, solution=solution)
