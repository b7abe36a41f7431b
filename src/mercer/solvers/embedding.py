"""Matrices that non-linear dimension reduction builds from data, and the coordinates that follow from them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, splu

from mercer._runtime.factors import solve_cholesky, try_cholesky
from mercer._runtime.limits import require_memory
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
_LOCAL = 1_000_000  # numbers in a stack of small matrices
_DENSE = 0.01  # share of entries beyond which factors are dense
_SHIFT = 1e-10  # of the spectrum: what makes a singular matrix regular


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Kernel PCA of a matrix K, or classical scaling of −2K as squared distances.

    Attributes
    ----------
    embedding : array, shape (n, k)
        v_j √λ_j for the largest eigenvalues λ of HKH; zero where λ_j is not positive.
    coef, offset : arrays of shape (n, k), (k,)
        Coordinates of a new sample with row κ of K: κ·coef + offset.
    values : array, shape (k,)
        λ, descending.
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
    """Centre K, and take coordinates along its k largest eigenvalues; an ndarray K is overwritten.

    Eigenvalues of at most 10 n ε times the largest one are no axes: their coordinates are zero. `options` are those of
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
    """Σ|λ₋| / Σ|λ| of HKH, in O(n³): how far −2K is from squares of Euclidean distances; an ndarray K is overwritten.

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
    """Weights w of sum 1 of samples on their neighbours that minimise ‖φ(x) − Σ_j w_j φ(x_j)‖² + reg·tr(G)·‖w‖².

    G is the Gram matrix of the neighbours around x: 2G_jl = d²(x, j) + d²(x, l) − d²(j, l) from squared distances.
    Where tr(G) = 0, the penalty is reg·‖w‖².

    Parameters
    ----------
    operator, diagonal : GramOperator of shape (n, n), array of shape (n,)
        k of the candidates and its diagonal.
    D2, indices : arrays of shape (m, k)
        Squared distances of m samples to their neighbours, and which candidates these are.
    reg : float
        Zero is allowed where no G is singular.

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
            f"barycentric_weights: weights on neighbours are not unique with reg={reg:g}: raise reg, e.g. to 1e-3."
        )
    return weights[:, :, 0]


def normalized_laplacian(A: Any) -> tuple[Any, DoubleArray]:
    """L = I − D^(−½)AD^(−½), and the degrees d = A1, D = diag(d); an ndarray A is overwritten.

    Parameters
    ----------
    A : GramOperator, ndarray or CSR matrix, shape (n, n)
        Symmetric affinities, none negative, and at least one positive in every row. Loops do not count: the diagonal
        is taken to be zero.

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
                f"{who}: affinities must not be negative, but the smallest kernel value is {smallest:g}; take a kernel "
                "such as 'rbf', or affinities of nearest neighbours."
            )
        np.fill_diagonal(A, 0.0)
    degrees = np.asarray(A.sum(axis=1), dtype=np.float64)
    if degrees.min() <= 0:
        raise ValueError(
            f"{who}: sample {int(degrees.argmin())} has no affinity to any other one; leave it out, or "
            "widen the kernel."
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
    """The k smallest eigenvalues of a PSD matrix, ascending, apart from a null vector that is known.

    They are the largest of K = b(I − uuᵀ) − L, the matrix of a kernel PCA, where u is the null vector and b ≥ λmax;
    or, for a sparse L and Lanczos, of (I − uuᵀ)(L + σI)⁻¹(I − uuᵀ) with a small σ.

    Parameters
    ----------
    L : array or CSR matrix, shape (n, n)
        Symmetric; an array is destroyed.
    null : array, shape (n,)
        u, of norm 1, with Lu = 0.
    k : int
        Less than n.
    bound : float
        b.
    method : {"auto", "dense", "arpack"}
        "auto": `choose_eigen_solver`, and LAPACK if Lanczos fails.
    options
        Of `top_eigenpairs`.

    Returns
    -------
    EigenSolution
        With the residual of L relative to b as `violation`, and the sum of the values as `objective`.
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
            instead="Take method='arpack', which works on the sparse matrix.",
        )
    K = L.toarray() if sparse else L
    K *= -1
    for i in range(n):  # row by row: an outer product would be another matrix
        K[i] -= bound * null[i] * null
    K.flat[:: n + 1] += bound
    top = top_eigenpairs(K, k, method=method, overwrite=True, **options)
    values = bound - top.values
    return replace(top, values=values, solution=replace(top.solution, objective=float(values.sum())))


def _inverse(A: Any) -> Callable[[DoubleArray], DoubleArray]:
    """V ↦ A⁻¹V for a sparse, symmetric, positive definite A.

    A sparse factor of a matrix with many entries is nearly dense. A dense one then takes less time and no more memory,
    and Ctrl-C need not wait for it.
    """
    n = A.shape[0]
    if A.nnz > _DENSE * n**2 and not try_cholesky(F := A.toarray(order="F")):
        return lambda V: solve_cholesky(F, V)
    solve: Any = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).solve
    return solve  # type: ignore[no-any-return]


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
    # Solutions are wrong mostly along the vectors sought, where it does no harm: one more takes the rest out of these.
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
