"""Damage to parts of a state: one array, number or text of it is replaced by another."""

from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from tests.border.odd import pick

__all__ = ["damaged_array", "damaged_part", "parts", "replaced"]

HUGE = (2**31 - 1, -(2**31), 2**40, -(2**62), 2**63 - 1)
DTYPES = ("f8", "f4", "i1", "i4", "i8", "u1", "u4", "u8", "c16", "M8[s]", "U3", "S3", "?", ">i8", ">f8", object)
VALUES = (None, "ox", b"ox", -1, 0, 1, 10**30, 0.5, float("nan"), True, [], {}, (), [1, 2], object)


def damaged_array(rng: np.random.Generator, array: Any) -> tuple[str, Any]:
    """Another array in place of this one, and what was done."""
    flat = array.reshape(-1).copy()
    whole = array.dtype.kind in "iu"
    at = int(rng.integers(flat.size)) if flat.size else 0
    match int(rng.integers(10)) if flat.size else 8:
        case 0 if whole:
            info = np.iinfo(array.dtype)
            flat[at] = pick(rng, [info.min, info.max, *(value for value in HUGE if info.min <= value <= info.max)])
            return "a huge entry", flat.reshape(array.shape)
        case 1 if whole:
            step = pick(rng, [1, 1, -1, -1, 2, -2, 100])
            flat[at] = np.array([int(flat[at]) + step]).astype(array.dtype)[0]
            return "an entry changed by a little", flat.reshape(array.shape)
        case 0 | 1 if array.dtype.kind == "f":
            flat[at] = pick(rng, [np.nan, np.inf, 1e300, -1.0])
            return "an entry that is not a number, or out of range", flat.reshape(array.shape)
        case 2:
            return "short", array[: int(rng.integers(len(array)))] if array.ndim else array.reshape(1)
        case 3:
            return "long", np.concatenate([array, array[-2:]]) if array.ndim else array.reshape(1, 1)
        case 4:
            return "one dimension more", array[..., None]
        case 5:
            with np.errstate(all="ignore"):
                return "another type", _converted(array, pick(rng, DTYPES))
        case 6:
            return "backwards", array[::-1].copy() if array.ndim else array
        case 7:
            return "all entries equal", np.full_like(array, flat[at])
        case 8:
            return "not an array", pick(rng, VALUES)
    return "shuffled", rng.permutation(flat).reshape(array.shape)


def _converted(array: Any, dtype: Any) -> Any:
    try:
        return array.astype(dtype)
    except (TypeError, ValueError):
        return np.zeros(array.shape, dtype=dtype)


def damaged_part(rng: np.random.Generator, value: Any) -> tuple[str, Any]:
    """Something else in place of an array or a plain value."""
    if isinstance(value, np.ndarray):
        return damaged_array(rng, value)
    if isinstance(value, bool) and rng.random() < 0.5:
        return "the opposite", not value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "another value", pick(rng, VALUES)
    return "another number", pick(rng, [*VALUES, value + 1, -value, value * 1000])


def parts(state: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every part of nested dicts, lists and tuples that is not one of these, with its path."""
    if isinstance(state, dict):
        for key, value in state.items():
            yield from parts(value, (*path, key))
    elif type(state) in (list, tuple):
        for i, value in enumerate(state):
            yield from parts(value, (*path, i))
    elif not isinstance(state, type | FunctionType | BuiltinFunctionType):
        yield path, state


def replaced(state: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of nested dicts, lists and tuples with one part replaced."""
    if not path:
        return value
    key, *rest = path
    if isinstance(state, dict):
        return {**state, key: replaced(state[key], tuple(rest), value)}
    items = [replaced(item, tuple(rest), value) if i == key else item for i, item in enumerate(state)]
    return type(state)(items)
