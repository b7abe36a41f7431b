"""Validation of row indices and output arrays."""

from typing import Any

import numpy as np

from mercer._typing import FloatArray, IndexArray
from mercer._validation.describe import describe
from mercer._validation.sparse import as_dense

__all__ = ["check_output", "check_rows"]


def check_rows(who: str, rows: Any, n: int, *, name: str = "rows") -> IndexArray:
    """Return row indices (integers, also negative; a boolean mask; or a slice) as int64 in [0, n)."""
    if isinstance(rows, slice):
        return np.arange(n, dtype=np.int64)[rows]
    array = as_dense(who, rows, name=name)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.dtype == bool:
        if array.shape != (n,):
            raise IndexError(f"{who}: a mask for {name} needs length {n}, got shape {array.shape}.")
        return np.flatnonzero(array).astype(np.int64)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise IndexError(f"{who}: {name} must be integers, a mask or a slice, got {describe(rows)}.")
    low, high = int(array.min()), int(array.max())
    if low < -n or high >= n:
        raise IndexError(
            f"{who}: {name} {low if low < -n else high} is out of range for {n} samples; use 0 to {n - 1}."
        )
    array = np.ascontiguousarray(array, dtype=np.int64)
    return np.where(array < 0, array + n, array) if low < 0 else array


def check_output(who: str, out: Any, shape: tuple[int, int], dtype: np.dtype[Any]) -> FloatArray:
    """Return `out` if it has the required shape, type and layout, or a new array if it is None."""
    if out is None:
        return np.empty(shape, dtype=dtype)
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype and out.flags.writeable
    if not fits or (out.size and out.strides[1] != out.itemsize):
        raise ValueError(
            f"{who}: out must be a writable {dtype} array of shape {shape} with contiguous rows, got {describe(out)}."
        )
    return out  # type: ignore[no-any-return]
