"""Nearest neighbours in the metric of a kernel, computed by panels of rows of the Gram matrix."""

from collections.abc import Iterator

import numpy as np

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.finite import all_finite, quiet
from mercer.operators.tiles import panels

__all__ = ["nearest", "settle", "smallest", "squares", "within", "within_panels"]

_BUFFERS = 5  # panels in memory at once: kernel values, squares, a mask, and the indices that a partition returns
_ZERO = 16  # squares up to 16 ε (k(x,x) + k(z,z)) count as zero, because rounding can produce them
_WRONG = 1e-6  # squares below -1e-6 (k(x,x) + k(z,z)) are not explained by rounding, even in single precision


def squares(
    operator: GramOperator,
    rows_diag: FloatArray | None,
    cols_diag: FloatArray,
    *,
    skip_self: bool = False,
    memory_budget: int = MEMORY_BUDGET,
) -> Iterator[tuple[slice, DoubleArray]]:
    """Yield squared distances D² = k(x, x) + k(z, z) − 2k(x, z) by panels of rows.

    Parameters
    ----------
    operator : GramOperator of shape (m, n)
        Kernel values k(x, z) of samples x (rows) and candidates z (columns).
    rows_diag : ndarray of shape (m,) or None
        Values k(x, x). None: not known; the squares lack this term, which is the same for all candidates of a row.
    cols_diag : ndarray of shape (n,)
        Values k(z, z).
    skip_self : bool, default=False
        Whether rows and columns are the same samples and a sample is not its own neighbour; its square is infinite.
    memory_budget : int, default=64000000
        Maximal number of bytes for the panels, which have at least one row.

    Yields
    ------
    rows : slice
        Rows of the panel.
    D2 : ndarray of shape (n_rows, n)
        Squared distances. Squares that rounding cannot distinguish from zero are zero.

    Raises
    ------
    NotPositiveDefiniteError
        If a square is negative by more than rounding, so that the kernel is indefinite and defines no metric.
    """
    m, n = operator.shape
    cols = np.asarray(cols_diag, dtype=np.float64)
    eps = float(np.finfo(operator.dtype).eps)
    for rows in panels(m, max(1, memory_budget // (8 * _BUFFERS * n))):
        D2 = operator.rows(rows).astype(np.float64, copy=False)
        norms = cols if rows_diag is None else np.asarray(rows_diag[rows], dtype=np.float64)[:, None] + cols
        with quiet():
            D2 *= -2
            D2 += norms
            _require_finite(operator, D2)
        if rows_diag is not None:
            settle(D2, norms, eps)
        if skip_self:
            D2[np.arange(rows.stop - rows.start), np.arange(rows.start, rows.stop)] = np.inf
        yield rows, D2


def nearest(
    operator: GramOperator,
    rows_diag: FloatArray | None,
    cols_diag: FloatArray,
    k: int,
    *,
    skip_self: bool = False,
    memory_budget: int = MEMORY_BUDGET,
) -> tuple[DoubleArray, IndexArray]:
    """Find the k nearest candidates of every sample in the metric d²(x, z) = k(x, x) + k(z, z) − 2k(x, z).

    Parameters
    ----------
    operator : GramOperator of shape (m, n)
        Kernel values k(x, z) of samples x (rows) and candidates z (columns).
    rows_diag : ndarray of shape (m,) or None
        Values k(x, x). None: not known; the squared distances lack this term, which does not change the order.
    cols_diag : ndarray of shape (n,)
        Values k(z, z).
    k : int
        Number of neighbours, at most n, or n − 1 with `skip_self`.
    skip_self : bool, default=False
        Whether rows and columns are the same samples and a sample is not its own neighbour.
    memory_budget : int, default=64000000
        Maximal number of bytes for panels of rows.

    Returns
    -------
    squares : ndarray of shape (m, k)
        Squared distances in ascending order, without k(x, x) if `rows_diag` is None.
    indices : ndarray of int of shape (m, k)
        Columns of the neighbours. Equally near candidates are ordered by index.

    Raises
    ------
    NotPositiveDefiniteError
        If a squared distance is negative by more than rounding, so that the kernel defines no metric.

    See Also
    --------
    within : All candidates within a radius.
    mercer.neighbors.KernelKNeighborsClassifier : Classifier based on it.

    Notes
    -----
    Cost: O(mn) kernel values and comparisons. Memory: O(mk) and `memory_budget`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.operators import PrecomputedOperator
    >>> x = np.array([[0.0], [1.0], [3.0]])
    >>> D2, found = nearest(PrecomputedOperator(x @ x.T), x[:, 0] ** 2, x[:, 0] ** 2, 2, skip_self=True)
    >>> D2, found
    (array([[1., 9.],
           [1., 4.],
           [4., 9.]]), array([[1, 2],
           [0, 2],
           [1, 0]]))
    """
    m = operator.shape[0]
    best, found = np.empty((m, k)), np.empty((m, k), dtype=np.int64)
    for rows, D2 in squares(operator, rows_diag, cols_diag, skip_self=skip_self, memory_budget=memory_budget):
        found[rows] = smallest(D2, k)
        best[rows] = np.take_along_axis(D2, found[rows], axis=1)
    return best, found


def within_panels(
    operator: GramOperator,
    rows_diag: FloatArray,
    cols_diag: FloatArray,
    radius: float,
    *,
    skip_self: bool = False,
    memory_budget: int = MEMORY_BUDGET,
) -> Iterator[tuple[slice, DoubleArray, IndexArray, IndexArray]]:
    """Yield the result of `within` by panels of rows as ``(rows, squares, indices, indptr)``."""
    with np.errstate(over="ignore"):  # an overflowing square includes all samples but not the sample itself (infinite)
        largest = min(np.square(np.float64(radius)), np.finfo(np.float64).max)
    for rows, D2 in squares(operator, rows_diag, cols_diag, skip_self=skip_self, memory_budget=memory_budget):
        near = largest >= D2
        indptr = np.concatenate([[0], near.sum(axis=1).cumsum()])
        yield rows, D2[near], np.nonzero(near)[1], indptr


def within(
    operator: GramOperator,
    rows_diag: FloatArray,
    cols_diag: FloatArray,
    radius: float,
    *,
    skip_self: bool = False,
    memory_budget: int = MEMORY_BUDGET,
) -> tuple[DoubleArray, IndexArray, IndexArray]:
    """Find all candidates within a radius of every sample, in the layout of CSR matrices.

    Parameters
    ----------
    operator : GramOperator of shape (m, n)
        Kernel values k(x, z) of samples x (rows) and candidates z (columns).
    rows_diag : ndarray of shape (m,)
        Values k(x, x).
    cols_diag : ndarray of shape (n,)
        Values k(z, z).
    radius : float
        Largest distance √(k(x, x) + k(z, z) − 2k(x, z)) of a neighbour.
    skip_self : bool, default=False
        Whether rows and columns are the same samples and a sample is not its own neighbour.
    memory_budget : int, default=64000000
        Maximal number of bytes for panels of rows.

    Returns
    -------
    squares : ndarray of shape (n_neighbors,)
        Squared distances of all neighbours, row by row.
    indices : ndarray of int of shape (n_neighbors,)
        Columns of the neighbours, ascending within a row.
    indptr : ndarray of int of shape (m + 1,)
        The neighbours of sample i are ``indices[indptr[i]:indptr[i + 1]]``.

    See Also
    --------
    nearest : A fixed number of neighbours.

    Notes
    -----
    Cost: O(mn) kernel values. Memory: the number of neighbours, at most m·n, and `memory_budget`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.operators import PrecomputedOperator
    >>> x = np.array([[0.0], [1.0], [3.0]])
    >>> within(PrecomputedOperator(x @ x.T), x[:, 0] ** 2, x[:, 0] ** 2, 1.0)
    (array([0., 1., 1., 0., 0.]), array([0, 1, 0, 1, 2]), array([0, 2, 4, 5]))
    """
    found = within_panels(operator, rows_diag, cols_diag, radius, skip_self=skip_self, memory_budget=memory_budget)
    _, D2, indices, indptr = zip(*found, strict=True)
    counts = np.concatenate([np.diff(part) for part in indptr])
    return np.concatenate(D2), np.concatenate(indices), np.concatenate([[0], counts.cumsum()])


def smallest(values: FloatArray, k: int) -> IndexArray:
    """Return the columns of the k smallest values of every row in ascending order; equal values are ordered by column.

    >>> smallest(np.array([[2.0, 1.0, 2.0, 1.0]]), 3)
    array([[1, 3, 0]])
    """
    n = values.shape[1]
    if k == n:
        return np.argsort(values, axis=1, kind="stable")
    found = np.argpartition(values, k - 1, axis=1)[:, :k]
    last = np.take_along_axis(values, found, axis=1).max(axis=1)
    # A partition returns arbitrary ones of the values that equal the k-th value.
    for row in np.flatnonzero((values <= last[:, None]).sum(axis=1) > k):
        candidates = np.flatnonzero(values[row] <= last[row])
        found[row] = candidates[np.argsort(values[row, candidates], kind="stable")[:k]]
    found.sort(axis=1)
    order = np.argsort(np.take_along_axis(values, found, axis=1), axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1)


def _require_finite(operator: GramOperator, D2: DoubleArray) -> None:
    if not all_finite(D2):
        raise ValueError(
            f"{operator.who}: squared distances k(x, x) + k(z, z) - 2k(x, z) overflow, although the kernel values are "
            "finite; rescale the features, or divide the kernel by a constant."
        )


def settle(D2: DoubleArray, scale: DoubleArray, eps: float) -> None:
    """Set squares D² = k(x,x) + k(z,z) − 2k(x,z) that rounding cannot distinguish from zero to zero, in place.

    `scale` is k(x,x) + k(z,z), which is overwritten, and `eps` is the rounding error of the kernel values. Raises
    `NotPositiveDefiniteError` if a square is negative for another reason.
    """
    np.abs(scale, out=scale)
    if D2.min() > _ZERO * eps * scale.max():
        return
    if (-_WRONG * scale > D2).any():
        raise NotPositiveDefiniteError(
            f"A squared distance in feature space is {D2.min():g}: the kernel is not positive semidefinite on these "
            "samples and defines no metric; see mercer.kernels.repair."
        )
    D2[_ZERO * eps * scale >= D2] = 0.0
