"""Nearest samples in the metric of a kernel, by rows of the Gram matrix that are used up as they are made."""

from collections.abc import Iterator

import numpy as np

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.exceptions import NotPositiveDefiniteError
from mercer.operators import GramOperator
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.finite import all_finite, quiet
from mercer.operators.tiles import panels

__all__ = ["nearest", "settle", "smallest", "squares", "within", "within_panels"]

_BUFFERS = 5  # panels alive at once: kernel values, squares, a mask, and the row numbers that a partition returns
_ZERO = 16  # times ε·(k(x,x) + k(z,z)): a square that rounding makes of zero
_WRONG = 1e-6  # times k(x,x) + k(z,z): a negative square that not even values of single precision explain


def squares(
    operator: GramOperator,
    rows_diag: FloatArray | None,
    cols_diag: FloatArray,
    *,
    skip_self: bool = False,
    memory_budget: int = MEMORY_BUDGET,
) -> Iterator[tuple[slice, DoubleArray]]:
    """Panels of D² = k(x, x) + k(z, z) − 2k(x, z), rows after rows, in at most about `memory_budget` bytes.

    Parameters
    ----------
    operator : GramOperator, shape (m, n)
        k(x, z) of samples x (rows) and candidates z (columns).
    rows_diag : array, shape (m,), or None
        k(x, x). None: not known; the squares lack it, which is the same for all candidates of a row.
    cols_diag : array, shape (n,)
        k(z, z).
    skip_self : bool
        Whether rows and columns are the same samples and none is a neighbour of itself: its square is infinite.
    memory_budget : int
        Bytes for the panels; at least one row is made.

    Yields
    ------
    rows, D2 : slice, array of shape (rows, n)
        Squares that rounding cannot tell from zero are zero.

    Raises
    ------
    NotPositiveDefiniteError
        If a square is negative by more than rounding: the kernel is indefinite, and there is no such metric.
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
    """The k nearest candidates of every sample, nearest first; of equally near ones those of lower index.

    Parameters are those of `squares`; k is at most n, or n − 1 with `skip_self`.

    Returns
    -------
    squares, indices : arrays of shape (m, k)
        Squared distances (without k(x, x) where `rows_diag` is None), and rows of the candidates.

    Notes
    -----
    O(mn) kernel values and comparisons; memory O(mk) and the budget, never m·n.

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
    """As `within`, rows after rows: ``(rows, squares, indices, indptr)``, for those who use neighbours up at once."""
    with np.errstate(over="ignore"):  # a square that overflows reaches all samples, but not the infinite one of itself
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
    """All candidates at a distance of at most `radius`, in the layout of CSR matrices; by index within a row.

    Parameters are those of `squares`.

    Returns
    -------
    squares, indices, indptr : arrays
        The neighbours of sample i are ``indices[indptr[i]:indptr[i + 1]]``, and so are their squared distances.

    Notes
    -----
    As many entries as there are neighbours: up to m·n.

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
    """Columns of the k smallest values of every row, in order; equal values by column, as a stable sort has them.

    >>> smallest(np.array([[2.0, 1.0, 2.0, 1.0]]), 3)
    array([[1, 3, 0]])
    """
    n = values.shape[1]
    if k == n:
        return np.argsort(values, axis=1, kind="stable")
    found = np.argpartition(values, k - 1, axis=1)[:, :k]
    last = np.take_along_axis(values, found, axis=1).max(axis=1)
    # A partition takes any of the values that equal the last one.
    for row in np.flatnonzero((values <= last[:, None]).sum(axis=1) > k):
        candidates = np.flatnonzero(values[row] <= last[row])
        found[row] = candidates[np.argsort(values[row, candidates], kind="stable")[:k]]
    found.sort(axis=1)
    order = np.argsort(np.take_along_axis(values, found, axis=1), axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1)


def _require_finite(operator: GramOperator, D2: DoubleArray) -> None:
    if not all_finite(D2):
        raise ValueError(
            f"{operator.who}: squared distances k(x, x) + k(z, z) - 2k(x, z) overflow, though the kernel values are "
            "finite; rescale the features, or divide the kernel by a constant."
        )


def settle(D2: DoubleArray, scale: DoubleArray, eps: float) -> None:
    """Set squares D² = k(x,x) + k(z,z) − 2k(x,z) to zero, in place, that rounding cannot tell from it.

    `scale` is k(x,x) + k(z,z), which is overwritten, `eps` the rounding of the kernel values. Raises
    `NotPositiveDefiniteError` if a square is negative for another reason.
    """
    np.abs(scale, out=scale)
    if D2.min() > _ZERO * eps * scale.max():
        return
    if (-_WRONG * scale > D2).any():
        raise NotPositiveDefiniteError(
            f"A squared distance in feature space is {D2.min():g}: the kernel is not positive semidefinite on these "
            "samples, and has no metric; see mercer.kernels.repair."
        )
    D2[_ZERO * eps * scale >= D2] = 0.0
