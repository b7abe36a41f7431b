"""Digests of parameters and tasks, and arrays of sums, for checkpoints."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["arrays_of", "digest", "rebuilt"]


def digest(*values: Any) -> str:
    """Digest of plain values, arrays, dataclasses and objects with attributes, the same in every process.

    >>> digest(1.0, np.arange(3)) == digest(1.0, np.arange(3)), digest(1.0) == digest(2.0)
    (True, False)
    """
    found = hashlib.sha256()
    for value in values:
        _feed(found, value)
    return found.hexdigest()


def _feed(found: Any, value: Any) -> None:
    found.update(f"<{type(value).__qualname__}".encode())
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        found.update(f"{value.dtype.str}{value.shape}".encode())
        found.update(np.ascontiguousarray(value).data)
    elif isinstance(value, Mapping):
        for key in sorted(value, key=str):
            _feed(found, key)
            _feed(found, value[key])
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
        for item in value:
            _feed(found, item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            _feed(found, getattr(value, field.name))
    elif hasattr(value, "get_params"):
        _feed(found, value.get_params(deep=False))
    elif hasattr(value, "__qualname__"):  # functions and classes
        found.update(f"{value.__module__}.{value.__qualname__}".encode())
    elif hasattr(value, "__dict__"):
        _feed(found, vars(value))
    else:
        found.update(repr(value).encode())
    found.update(b">")


def arrays_of(value: Any) -> list[np.ndarray]:
    """Arrays and numbers of a sum, in order; TypeError if it has other parts.

    >>> arrays_of((1.0, np.arange(2), None))
    [array(1.), array([0, 1])]
    """
    if value is None:
        return []
    if isinstance(value, (bool, int, float, np.generic, np.ndarray)) and np.asarray(value).dtype.kind in "biuf":
        return [np.asarray(value)]
    return [array for part in _parts(value) for array in arrays_of(part)]


def rebuilt(arrays: Iterator[np.ndarray], like: Any) -> Any:
    """Sum from its arrays, in the form of another one.

    >>> rebuilt(iter([np.array(2.0), np.arange(2)]), (1.0, np.zeros(2, int), None))
    (2.0, array([0, 1]), None)
    """
    if like is None:
        return None
    if isinstance(like, np.ndarray):
        return next(arrays)
    if isinstance(like, (bool, int, float, np.generic)):
        return type(like)(next(arrays)[()])
    parts = [rebuilt(arrays, part) for part in _parts(like)]
    if isinstance(like, (list, tuple)):
        return type(like)(parts)
    made = object.__new__(type(like))
    for field, part in zip(fields(like), parts, strict=True):
        object.__setattr__(made, field.name, part)
    return made


def _parts(value: Any) -> list[Any]:
    if type(value) in (list, tuple):
        return list(value)
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    raise TypeError(f"checkpoint: {type(value).__name__} is not made of numbers and arrays.")
