"""Evaluation of prepared data: dense blocks, products with vectors, paired rows.

Everything native runs in one pass over tiles in the core. Blocks of foreign nodes (kernels in Python, strings, graphs)
are computed a panel of rows at a time, so that no temporary is larger than `PANEL_BYTES`.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import _core
from mercer._runtime.engine import engine, thread_count
from mercer._typing import FloatArray
from mercer.kernels.program import Prepared

__all__ = ["block", "matmul", "paired"]

PANEL_BYTES = 64_000_000


def _check_pair(left: Prepared, right: Prepared) -> np.dtype[Any]:
    who = type(left.kernel).__name__
    if left.kernel != right.kernel:
        raise ValueError(f"{who}: the two data sets were prepared for different kernels, {left.kernel} and {right.kernel}; prepare both with one resolved kernel.")
    for a, b in zip(left.operands, right.operands, strict=True):
        if a.array.shape[1] != b.array.shape[1]:
            raise ValueError(f"{who}: X has {a.array.shape[1]} features but Y has {b.array.shape[1]}; both need the same columns.")
    return np.result_type(left.dtype, right.dtype)


def _sides(left: Prepared, right: Prepared) -> tuple[_core.Side, _core.Side]:
    return left.side(right if any(o.sparse for o in right.operands) and not any(o.sparse for o in left.operands) else None), right.side(left)


def _inputs(left: Prepared, right: Prepared, dtype: np.dtype[Any]) -> list[FloatArray]:
    """The blocks of the foreign nodes, checked: a node written by a user may return anything."""
    blocks = []
    for i, (kernel, _) in enumerate(left.foreign):
        A = left.items(i)
        B = A if right is left else right.items(i)
        values = kernel.evaluate(A, B)
        values = np.asarray(values.toarray() if sp.issparse(values) else values)
        who = type(kernel).__name__
        if values.shape != (left.n, right.n):
            raise ValueError(f"{who}: evaluate must return a block of shape ({left.n}, {right.n}), got {values.shape}.")
        if values.dtype.kind not in "fiub":
            raise TypeError(f"{who}: evaluate must return real numbers, got dtype {values.dtype}.")
        blocks.append(np.ascontiguousarray(values, dtype=dtype))
    return blocks


def _panel(columns: int, foreign: int) -> int:
    return max(1, PANEL_BYTES // (8 * max(1, columns) * max(1, foreign)))


def block(left: Prepared, right: Prepared, *, out: FloatArray | None = None, n_jobs: int | None = None) -> FloatArray:
    """Dense block k(left, right); symmetric to the bit, and at half the cost, if both are the same object."""
    dtype = _check_pair(left, right)
    out = _output(out, (left.n, right.n), dtype)
    if left.n == 0 or right.n == 0:
        return out
    threads = thread_count(n_jobs)
    if not left.foreign:
        sides = (left.side(),) * 2 if right is left else _sides(left, right)
        with engine():
            _core.gram(left.program, *sides, right is left, [], out, threads)
        return out
    step = _panel(right.n, len(left.foreign))
    if right is left and step >= left.n:  # one panel: a node may use the symmetry itself
        side = left.side()
        with engine():
            _core.gram(left.program, side, side, True, _inputs(left, left, dtype), out, threads)
        return out
    for start in range(0, left.n, step):
        rows = slice(start, min(start + step, left.n))
        columns = slice(start if right is left else 0, right.n)
        A, B = left.take(rows), right.take(columns)
        inputs = _inputs(A, B, dtype)
        sides = _sides(A, B)
        with engine():
            _core.gram(left.program, *sides, False, inputs, out[rows, columns], threads)
        if right is left:
            square = out[rows, rows]
            upper = np.triu(square)
            square[...] = upper + np.triu(square, 1).T
            out[rows.stop :, rows] = out[rows, rows.stop :].T
    return out


def _output(out: FloatArray | None, shape: tuple[int, int], dtype: np.dtype[Any]) -> FloatArray:
    if out is None:
        return np.empty(shape, dtype=dtype)
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype and out.flags.writeable
    if not fits or (out.size and out.strides[1] != out.itemsize):
        raise ValueError(f"out: expected a writable row-contiguous {dtype} array of shape {shape}, got {getattr(out, 'dtype', type(out).__name__)} of shape {getattr(out, 'shape', ())}.")
    return out


def paired(left: Prepared, right: Prepared, *, n_jobs: int | None = None) -> FloatArray:
    """k(left_i, right_i) for every i."""
    dtype = _check_pair(left, right)
    if left.n != right.n:
        raise ValueError(f"paired evaluation needs equally many rows on both sides, got {left.n} and {right.n}.")
    inputs = []
    for i, (kernel, _) in enumerate(left.foreign):
        values = kernel.evaluate_pairs(left.items(i), right.items(i))
        inputs.append(np.ascontiguousarray(np.asarray(values).reshape(left.n, 1), dtype=dtype))
    out = np.empty(left.n, dtype=dtype)
    sides = (left.side(),) * 2 if right is left else _sides(left, right)
    with engine():
        _core.paired(left.program, *sides, inputs, out, thread_count(n_jobs))
    return out


def matmul(left: Prepared, right: Prepared, V: FloatArray, *, n_jobs: int | None = None, budget: int = PANEL_BYTES) -> FloatArray:
    """k(left, right) @ V without the matrix: tiles are used up as they are made. V is (right.n, columns)."""
    dtype = _check_pair(left, right)
    threads = thread_count(n_jobs)
    out = np.zeros((left.n, V.shape[1]), dtype=np.float64)
    if left.foreign:
        step = max(1, budget // (8 * right.n))
        for start in range(0, left.n, step):
            rows = slice(start, min(start + step, left.n))
            out[rows] = block(left.take(rows), right, n_jobs=n_jobs) @ V
        return out
    sides = (left.side(),) * 2 if right is left else _sides(left, right)
    symmetric = right is left
    # With symmetry every thread keeps sums for all rows: take as many right-hand sides at once as the budget allows.
    width = V.shape[1] if not symmetric else max(1, min(V.shape[1], budget // (8 * left.n * threads)))
    for first in range(0, V.shape[1], width):
        columns = slice(first, min(first + width, V.shape[1]))
        result = out if width == V.shape[1] else np.empty((left.n, columns.stop - first))
        with engine():
            _core.matmul(left.program, *sides, symmetric, np.ascontiguousarray(V[:, columns], dtype=dtype), result, threads)
        if result is not out:
            out[:, columns] = result
    return out
