"""Evaluation of prepared data: dense blocks, products with vectors, values of corresponding rows.

Programs without foreign nodes run in one pass over tiles in the core. A node over packed samples (strings, trees)
writes its values into the result, which the rest of the program then changes in place. Blocks of other foreign nodes
(kernels in Python, several nodes in one program) are computed one panel of rows at a time, so that no temporary array
is larger than `PANEL_BYTES`.
"""

from typing import TYPE_CHECKING, Any, cast

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import as_dense, check_output, describe
from mercer.kernels.operations import Op
from mercer.kernels.prepared import Prepared

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel
    from mercer.kernels.packed import PackedKernel

__all__ = ["block", "check_pair", "grouped_matmul", "matmul", "paired"]

PANEL_BYTES = 64_000_000


def check_pair(left: Prepared, right: Prepared) -> np.dtype[Any]:
    """Check that two prepared data sets belong together, and return the dtype of their kernel values."""
    for side in (left, right):
        if not isinstance(side, Prepared):
            raise TypeError(f"block: expected prepared data, got {describe(side)}; call kernel.prepare(X) first.")
    who = type(left.kernel).__name__
    if left.kernel != right.kernel:
        raise ValueError(
            f"{who}: the data sets were prepared for different kernels, {left.kernel} and {right.kernel}; "
            "prepare both with one resolved kernel."
        )
    for a, b in zip(left.operands, right.operands, strict=True):
        if a.keyed is None and a.array.shape[1] != b.array.shape[1]:
            raise ValueError(
                f"{who}: X has {a.array.shape[1]} features but Y has {b.array.shape[1]}; give both the same columns."
            )
    return np.result_type(left.dtype, right.dtype)


def _sides(left: Prepared, right: Prepared) -> tuple[_core.Side, _core.Side]:
    """Views of both data sets for the core, with the same centre, storage and columns for each operand."""
    ready()
    if right is left:
        side = left.side()
        return side, side
    mixed = any(b.sparse and not a.sparse for a, b in zip(left.operands, right.operands, strict=True))
    return left.side(right if mixed else None, onto=right), right.side(left)


def _inputs(left: Prepared, right: Prepared, dtype: np.dtype[Any], threads: int) -> list[FloatArray]:
    """Blocks of the foreign nodes."""
    blocks = []
    for i, (kernel, _) in enumerate(left.foreign):
        A = left.items(i)
        B = A if right is left else right.items(i)
        if kernel.fills:
            values: Any = np.empty((left.n, right.n))
            _packed(kernel).fill(A, B, values, threads)
        else:
            values = kernel.evaluate(A, B)
        blocks.append(_returned(f"{type(kernel).__name__}: evaluate", values, (left.n, right.n), dtype))
    return blocks


def _packed(kernel: "Kernel") -> "PackedKernel":
    """Cast to PackedKernel, which cannot be imported here because its base class imports this module."""
    return cast("PackedKernel", kernel)


def _fills(prepared: Prepared, dtype: np.dtype[Any]) -> bool:
    """Whether a single foreign node comes first in the program and can write into the result."""
    first, arg, _, _ = prepared.steps[0]
    alone = len(prepared.foreign) == 1 and first is Op.input and arg == 0
    return alone and dtype == np.float64 and prepared.foreign[0][0].fills


def _fill(left: Prepared, right: Prepared, out: Any, threads: int) -> None:
    """Block filled by its foreign node. The rest of the program runs in place."""
    A, kernel = left.items(0), _packed(left.foreign[0][0])
    kernel.fill(A, A if right is left else right.items(0), out, threads)
    if len(left.steps) > 1:
        _core.gram(left.program, *_sides(left, right), right is left, [out], out, threads)


def _returned(who: str, values: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> FloatArray:
    """Checked values of a foreign node, which may be written by a user."""
    values = as_dense(who, values, name="K")
    if values.shape != shape:
        raise ValueError(f"{who} must return a block of shape {shape}, got {values.shape}.")
    if values.dtype.kind not in "fiub":
        raise TypeError(f"{who} must return real numbers, got dtype {values.dtype}.")
    return np.require(values, dtype, ["C_CONTIGUOUS", "ALIGNED"])  # the core reads it in place


def block(left: Prepared, right: Prepared, *, out: FloatArray | None = None, n_jobs: int | None = None) -> FloatArray:
    """Dense block k(left, right).

    If both are the same object, the block is exactly symmetric and only half of the values are computed.
    """
    dtype = check_pair(left, right)
    out = check_output(type(left.kernel).__name__, out, (left.n, right.n), dtype)
    threads = thread_count(n_jobs)
    if left.n == 0 or right.n == 0:
        return out
    if _fills(left, dtype):
        _fill(left, right, out, threads)
        return out
    step = max(1, PANEL_BYTES // (8 * right.n * max(1, len(left.foreign))))
    if not left.foreign or (right is left and step >= left.n):  # one call: a foreign node may exploit symmetry
        inputs = _inputs(left, right, dtype, threads)
        _core.gram(left.program, *_sides(left, right), right is left, inputs, out, threads)
        return out
    for start in range(0, left.n, step):
        rows = slice(start, min(start + step, left.n))
        columns = slice(start if right is left else 0, right.n)
        A, B = left.take(rows), right.take(columns)
        _core.gram(left.program, *_sides(A, B), False, _inputs(A, B, dtype, threads), out[rows, columns], threads)
        if right is left:
            square = out[rows, rows]
            square[...] = np.triu(square) + np.triu(square, 1).T
            out[rows.stop :, rows] = out[rows, rows.stop :].T
    return out


def paired(left: Prepared, right: Prepared, *, n_jobs: int | None = None) -> FloatArray:
    """Kernel values k(left[i], right[i]) of corresponding samples."""
    dtype = check_pair(left, right)
    if left.n != right.n:
        raise ValueError(f"paired: both data sets must have the same number of samples, got {left.n} and {right.n}.")
    inputs, threads = [], thread_count(n_jobs)
    for i, (kernel, _) in enumerate(left.foreign):
        who = f"{type(kernel).__name__}: evaluate_pairs"
        if kernel.fills:
            values: Any = np.empty(left.n)
            _packed(kernel).fill_pairs(left.items(i), right.items(i), values, threads)
        else:
            values = kernel.evaluate_pairs(left.items(i), right.items(i))
        inputs.append(_returned(who, values, (left.n,), dtype).reshape(left.n, 1))
    out = np.empty(left.n, dtype=dtype)
    _core.paired(left.program, *_sides(left, right), inputs, out, threads)
    return out


def _ranged(V: FloatArray, dtype: np.dtype[Any]) -> tuple[FloatArray, Any]:
    """V as the core reads it, and the exponents of the powers of two by which its columns were divided.

    The core reads V in float32 for float32 data. One power of two for each column keeps V in range.
    """
    if dtype == np.float64:
        return np.ascontiguousarray(V, dtype=dtype), np.zeros(V.shape[1], dtype=np.int32)
    exponent = np.frexp(np.abs(V).max(axis=0))[1]
    return np.ascontiguousarray(np.ldexp(V, -exponent), dtype=dtype), exponent


def grouped_matmul(
    left: Prepared, right: Prepared, starts: IndexArray, V: FloatArray, *, n_jobs: int | None = None
) -> DoubleArray:
    """k(left, right[group]) @ V[group] for consecutive groups of right samples, of shape (n_groups, left.n, n_columns).

    For kernels without foreign nodes. Group g has the samples ``starts[g]:starts[g + 1]``. Each kernel value is
    computed once.
    """
    vectors, exponent = _ranged(V, check_pair(left, right))
    out = np.empty((len(starts) - 1, left.n, V.shape[1]))
    _core.grouped_matmul(left.program, *_sides(left, right), starts, vectors, out, thread_count(n_jobs))
    np.ldexp(out, exponent, out=out)
    return out


def matmul(
    left: Prepared, right: Prepared, V: FloatArray, *, n_jobs: int | None = None, budget: int = PANEL_BYTES
) -> FloatArray:
    """k(left, right) @ V in float64 without storing the block, for kernels without foreign nodes.

    V is a float64 array of shape (right.n, n_columns). In the symmetric case every thread accumulates sums for all
    rows, so the number of columns that are processed at once is limited by `budget`.
    """
    V, exponent = _ranged(V, check_pair(left, right))
    threads, columns = thread_count(n_jobs), V.shape[1]
    sides = _sides(left, right)
    width = columns if right is not left else min(columns, budget // (8 * left.n * threads))
    out = np.empty((left.n, columns))
    for first in range(0, columns, max(1, width)):
        part = slice(first, min(first + max(1, width), columns))
        result = np.empty((left.n, part.stop - first))
        _core.matmul(left.program, *sides, right is left, np.ascontiguousarray(V[:, part]), result, threads)
        np.ldexp(result, exponent[part], out=out[:, part])
    return out
