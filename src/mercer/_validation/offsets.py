"""Validation of offsets and indices."""

from typing import Any

import numpy as np

from mercer._typing import IndexArray
from mercer._validation.describe import describe

__all__ = ["check_indices", "check_offsets"]


def _flat_integers(who: str, name: str, values: Any) -> Any:
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "iu":
        raise ValueError(f"{who}: {name} must be a 1-D array of integers, got {describe(values)}.")
    return values


def check_offsets(who: str, name: str, offsets: Any, length: int) -> IndexArray:
    """Return a private int64 copy of offsets that start at 0, never decrease and end at `length`, in O(n).

    The copy is made before it is checked, so that another thread cannot change it in between.

    >>> import numpy as np
    >>> check_offsets("Strings", "offsets", np.array([0, 2, 2, 5], dtype=np.int32), 5)
    array([0, 2, 2, 5])
    """
    given = _flat_integers(who, name, offsets)
    own = np.array(given, dtype=np.int64)
    if given.dtype.kind == "u" and own.size and own.min() < 0:
        raise ValueError(f"{who}: {name} must end at {length}, the number of entries, got {given.max()}.")
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


def check_indices(
    who: str, name: str, indices: Any, high: int, *, low: int = 0, stop: int | None = None, copy: bool = True
) -> Any:
    """Return a private copy of integers in [low, high), of their type in native byte order, in O(n).

    `stop` selects the first entries only. ``copy=False`` is for arrays that no other code can write to.

    >>> import numpy as np
    >>> check_indices("Graphs", "neighbors", np.array([2, 0]), 3)
    array([2, 0])
    """
    own = _flat_integers(who, name, indices)[:stop]
    own = np.array(own, dtype=own.dtype.newbyteorder("="), copy=True if copy else None)
    if own.size:
        least, most = int(own.min()), int(own.max())
        if least < low or most >= high:
            bad = least if least < low else most
            at = int(np.flatnonzero(own == bad)[0])
            allowed = f"must lie in {low} to {high - 1}" if high > low else "must be empty"
            raise ValueError(f"{who}: {name} {allowed}, got {bad} at position {at}.")
    return own
