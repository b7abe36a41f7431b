"""Validation of dictionaries that map hashes to values."""

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._validation import describe
from mercer.data.hashing.categories import code, is_hashable, is_missing, text_codes

__all__ = ["check_values"]

PLAIN = (
    str,
    bytes,
    numbers.Number,
)  # hashed by value alone; the hash of other objects depends on the name of their class


def check_values(who: str, name: str, values: Any, hashes: npt.NDArray[Any], *, only: type = object) -> dict[Any, Any]:
    """Private copy of a dictionary; ValueError unless it has the value of every hash.

    Parameters
    ----------
    who : str
        Class, named in messages.
    name : str
        Field, named in messages.
    values : dict
        Value of each hash. Values that do not occur are allowed.
    hashes : ndarray of uint64 or float64
        Hashes that occur, as returned by `hash_labels` or `encode`.
    only : type, default=object
        Expected type of the values.

    Notes
    -----
    O(n log m) for n hashes and m values, and one hash for each text or number.

    >>> from mercer.data.hashing.texts import hash_texts
    >>> check_values("Strings", "texts", {}, hash_texts("Strings", ["ox"])[0])
    Traceback (most recent call last):
    ...
    ValueError: Strings: texts must have the value of every code, got none for 12482418372708531641.
    """
    if type(values) is not dict:
        raise ValueError(f"{who}: {name} must be a dict, got {describe(values)}.")
    own, kind = dict(values), float if hashes.dtype.kind == "f" else int
    for key, value in own.items():
        if type(key) is not kind or not isinstance(value, only):
            raise ValueError(
                f"{who}: {name} must map each {kind.__name__} to a value of type {only.__name__}, got {describe(key)} "
                f"for {describe(value)}."
            )
        if not is_hashable(value) or is_missing(value):
            raise ValueError(f"{who}: {name} must hold numbers, texts or tuples of them, got {describe(value)}.")
    keys = np.array(list(own), dtype=hashes.dtype)
    _require_hashes(who, name, keys, list(own.values()))
    known = np.sort(keys)
    missing = np.ones(len(hashes), dtype=bool)
    if len(known):
        at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        missing = known[at] != hashes
    if missing.any():
        raise ValueError(f"{who}: {name} must have the value of every code, got none for {hashes[missing][0]}.")
    return own


def _require_hashes(who: str, name: str, keys: npt.NDArray[Any], values: list[Any]) -> None:
    if all(issubclass(cls, str) for cls in set(map(type, values))):
        plain, expected = list(range(len(values))), text_codes(values)
    else:
        plain = [i for i, value in enumerate(values) if isinstance(value, PLAIN)]
        expected = np.array([code(values[i]) for i in plain], dtype=np.float64) + 0.0  # turns -0.0 into 0.0
    if keys.dtype.kind == "u":
        expected = expected.view(np.uint64)
    wrong = np.flatnonzero(keys[plain] != expected)
    if len(wrong):
        at = plain[int(wrong[0])]
        raise ValueError(
            f"{who}: {name} must map the stable hash of each value to it, got {keys[at]} for {describe(values[at])}, "
            f"whose hash is {expected[wrong[0]]}."
        )
