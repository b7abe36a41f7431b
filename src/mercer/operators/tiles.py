"""Operations of every operator that need blocks alone, computed by tiles within the memory budget.

A tile is as large as the budget allows. For symmetric operators only the tiles on and above the diagonal are computed;
each tile above the diagonal is used twice.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import check_rows

if TYPE_CHECKING:
    from mercer.operators.base import GramOperator

__all__ = [
    "Index",
    "as_index",
    "count",
    "dense",
    "evaluated",
    "grouped_matmul",
    "inner",
    "matmul",
    "narrow",
    "numbers",
    "panels",
    "product",
    "rmatmul",
    "same",
]

Index: TypeAlias = "slice | IndexArray"  # slices have step 1 and lie within the range


def as_index(who: str, rows: Any, n: int, *, name: str) -> Index:
    """Return row indices in the form that ``_block`` takes. Contiguous slices stay slices, which are read in place."""
    if isinstance(rows, slice) and rows.step in (None, 1):
        start, stop, _ = rows.indices(n)
        return slice(start, max(start, stop))
    return check_rows(who, rows, n, name=name)


def count(index: Index) -> int:
    """Return the number of chosen rows."""
    return index.stop - index.start if isinstance(index, slice) else len(index)


def numbers(index: Index) -> IndexArray:
    """Return the chosen row indices as an array."""
    return np.arange(index.start, index.stop) if isinstance(index, slice) else index


def same(rows: Index, cols: Index) -> bool:
    """Whether rows and columns are the same selection, so that a block of a symmetric matrix is symmetric."""
    match rows, cols:
        case slice(), slice():
            return rows == cols
        case np.ndarray(), np.ndarray():
            return rows is cols or np.array_equal(rows, cols)
        case _:
            return False


def narrow(F: DoubleArray | None, rows: IndexArray) -> DoubleArray | None:
    """Return the chosen rows of a factor, or None unless they have fewer columns than rows."""
    return F[rows] if F is not None and F.shape[1] < len(rows) else None


def panels(n: int, step: int) -> Iterator[slice]:
    """Yield slices of at most `step` rows that cover 0..n."""
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _tile_shape(operator: "GramOperator") -> tuple[int, int]:
    m, n = operator.shape
    # One buffer more than `_block` needs, because the product converts float32 tiles to float64.
    entries = max(1, operator.memory_budget // (8 * (operator._buffers + 1)))
    side = math.isqrt(entries)
    if operator.symmetric:
        return min(m, side), min(n, side)
    columns = min(n, max(side, entries // m))
    return min(m, max(1, entries // columns)), columns


def _tiles(operator: "GramOperator") -> Iterator[tuple[slice, slice]]:
    (m, n), (height, width) = operator.shape, _tile_shape(operator)
    for rows in panels(m, height):
        for cols in panels(n, width):
            if not operator.symmetric or cols.start >= rows.start:
                yield rows, cols


def evaluated(operator: "GramOperator") -> Iterator[tuple[slice, slice, FloatArray]]:
    """Yield every tile with its values, in one buffer that the next tile overwrites."""
    buffer = np.empty(math.prod(_tile_shape(operator)), dtype=operator.dtype)
    for rows, cols in _tiles(operator):
        shape = count(rows), count(cols)
        tile = buffer[: math.prod(shape)].reshape(shape)
        operator._block(rows, cols, tile)
        yield rows, cols, tile


def matmul(operator: "GramOperator", V: FloatArray) -> FloatArray:
    """Return K V from tiles; V is a float64 array of shape (n, columns)."""
    out = np.zeros((operator.shape[0], V.shape[1]))
    for rows, cols, tile in evaluated(operator):
        out[rows] += tile @ V[cols]
        if operator.symmetric and cols != rows:
            out[cols] += tile.T @ V[rows]
    return out


def rmatmul(operator: "GramOperator", V: FloatArray) -> FloatArray:
    """Return Kᵀ V from tiles for operators that are not symmetric; V is a float64 array of shape (m, columns)."""
    out = np.zeros((operator.shape[1], V.shape[1]))
    for rows, cols, tile in evaluated(operator):
        out[cols] += tile.T @ V[rows]
    return out


def grouped_matmul(operator: "GramOperator", starts: IndexArray, V: FloatArray) -> DoubleArray:
    """Return K[:, g] V[g] of consecutive groups of columns by panels of rows, of shape (groups, m, columns of V)."""
    m, n = operator.shape
    out = np.empty((len(starts) - 1, m, V.shape[1]))
    step = max(1, operator.memory_budget // (8 * n * operator._buffers))
    buffer = np.empty((min(m, step), n), dtype=operator.dtype)
    for rows in panels(m, step):
        block = buffer[: rows.stop - rows.start]
        operator._block(rows, slice(0, n), block)
        for result, first, last in zip(out, starts[:-1], starts[1:], strict=True):
            np.matmul(block[:, first:last], V[first:last], out=result[rows])
    return out


def dense(operator: "GramOperator", out: FloatArray) -> None:
    """Write the whole matrix tile by tile, bitwise symmetric if the operator is symmetric."""
    for rows, cols in _tiles(operator):
        tile = out[rows, cols]
        operator._block(rows, cols, tile)
        if operator.symmetric:
            if cols == rows:
                tile[...] = np.triu(tile) + np.triu(tile, 1).T
            else:
                out[cols, rows] = tile.T


def product(A: FloatArray, V: FloatArray, budget: int) -> FloatArray:
    """Multiply an array A by V in float64.

    The product is computed by panels of rows, because BLAS copies arrays that are float32, unaligned or strided in both
    directions.
    """
    out = np.empty((A.shape[0], V.shape[1]))
    for rows in panels(A.shape[0], max(1, budget // (8 * A.shape[1]))):
        np.matmul(A[rows], V, out=out[rows])
    return out


def inner(A: FloatArray, V: FloatArray, budget: int) -> DoubleArray:
    """Return AᵀV in float64 by panels of rows, for the reasons of `product` and without reading columns of A."""
    out = np.zeros((A.shape[1], V.shape[1]))
    for rows in panels(A.shape[0], max(1, budget // (8 * A.shape[1]))):
        out += A[rows].T @ V[rows]
    return out
