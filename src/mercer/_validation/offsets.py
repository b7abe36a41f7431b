"""Checks of the arrays that say where samples begin and end, and of indices into other arrays."""

from typing import Any

import numpy as np

from mercer._typing import IndexArray

__all__ = ["check_indices", "check_offsets"]


def _flat_integers(who: str, name: str, values: Any) -> Any:
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "iu":
        got = f"{type(values).__name__}"
        if isinstance(values, np.ndarray):
            got += f" of shape {values.shape} and dtype {values.dtype}"
        raise ValueError(f"{who}: {name} must be a 1-D array of integers, got {got}.")
    return values


def check_offsets(who: str, name: str, offsets: Any, length: int) -> IndexArray:
    """A private int64 copy of offsets that start at 0, never descend and end at `length`; O(n).

    The copy is taken first and then checked, so that nothing another thread writes to the caller's array can pass.

    >>> import numpy as np
    >>> check_offsets("Strings", "offsets", np.array([0, 2, 2, 5], dtype=np.int32), 5)
    array([0, 2, 2, 5])
    """
    own = np.array(_flat_integers(who, name, offsets), dtype=np.int64)
    if len(own) == 0 or own[0] != 0:
        got = "an empty array" if len(own) == 0 else f"{own[0]}"
        raise ValueError(f"{who}: {name} must start with 0, got {got}.")
    falling = np.flatnonzero(own[1:] < own[:-1])
    if len(falling):
        i = int(falling[0])
        raise ValueError(f"{who}: {name} must not descend, got {own[i]} and then {own[i + 1]} at position {i + 1}.")
    if own[-1] != length:
        raise ValueError(f"{who}: {name} must end at {length}, the number of entries, got {own[-1]}.")
    return own


def check_indices(who: str, name: str, indices: Any, high: int, *, dtype: Any = None) -> Any:
    """A private copy of integers in [0, high), of their own type unless `dtype` is given; O(n).

    >>> import numpy as np
    >>> check_indices("Graphs", "neighbors", np.array([2, 0]), 3)
    array([2, 0])
    """
    given = _flat_integers(who, name, indices)
    own = np.array(given, dtype=given.dtype.newbyteorder("=") if dtype is None else None)
    if own.size:
        low, top = int(own.min()), int(own.max())
        if low < 0 or top >= high:
            bad = low if low < 0 else top
            at = int(np.flatnonzero(own == bad)[0])
            raise ValueError(f"{who}: {name} must lie in 0 to {high - 1}, got {bad} at position {at}.")
    return own if dtype is None else own.astype(dtype, copy=False)
