"""Encoding of strings as code points, bytes or token hashes, and decoding."""

import sys
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from mercer._typing import IndexArray
from mercer._validation import describe
from mercer.data.hashing.texts import hash_texts
from mercer.data.packed import offsets_of, record_error

__all__ = ["UNICODE", "UTF32", "Granularity", "SymbolArray", "pack_strings", "unpack_each", "unpack_one"]

Granularity: TypeAlias = Literal["character", "byte", "token"]
SymbolArray: TypeAlias = npt.NDArray[np.uint8] | npt.NDArray[np.uint32] | npt.NDArray[np.uint64]
Packing: TypeAlias = tuple[SymbolArray, IndexArray, dict[int, str]]

_WHO = "Strings"
UNICODE = 0x110000  # code points are below
UTF32 = f"utf-32-{sys.byteorder[0]}e"
_ENTRY = {"character": "a str", "byte": "bytes or a str", "token": "a list or tuple of str"}
_TYPES: dict[str, tuple[type, ...]] = {
    "character": (str,),
    "byte": (bytes, bytearray, str),
    "token": (list, tuple, np.ndarray),
}


def pack_strings(values: list[Any], granularity: Granularity | None) -> tuple[Granularity, Packing]:
    """Flat codes, offsets and texts of tokens; without a granularity it is inferred from the first value.

    O(symbols) time. Code points below 256 take one byte each, others four; bytes one; tokens eight.
    """
    granularity = granularity or _infer(values)
    if granularity not in get_args(Granularity):
        options = ", ".join(map(repr, get_args(Granularity)))
        raise ValueError(f"{_WHO}: parameter granularity must be one of {options}, got {describe(granularity)}.")
    for cls in set(map(type, values)):
        if not issubclass(cls, _TYPES[granularity]):
            record = next(i for i, value in enumerate(values) if type(value) is cls)
            raise _refusal(record, values[record], granularity)
    pack = {"character": _pack_characters, "byte": _pack_bytes, "token": _pack_tokens}[granularity]
    return granularity, pack(values)


def _infer(values: list[Any]) -> Granularity:
    if values and isinstance(values[0], (bytes, bytearray)):
        return "byte"
    return "token" if values and isinstance(values[0], (list, tuple, np.ndarray)) else "character"


def _refusal(record: int, value: Any, granularity: Granularity) -> ValueError | TypeError:
    error = record_error(_WHO, record, value, f"{_ENTRY[granularity]} (granularity {granularity!r})")
    if granularity == "token" and isinstance(value, str):
        error.args = (f"{error.args[0][:-1]}; split it into tokens with Strings.from_text.",)
    return error


def _pack_characters(values: list[str]) -> Packing:
    text = "".join(values)
    offsets = offsets_of(map(len, values), len(values))
    try:
        return np.frombuffer(text.encode("latin-1"), dtype=np.uint8), offsets, {}
    except UnicodeEncodeError:
        return np.frombuffer(text.encode(UTF32, "surrogatepass"), dtype=np.uint32), offsets, {}


def _pack_bytes(values: list[Any]) -> Packing:
    if any(isinstance(value, str) for value in values):
        values = [value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value for value in values]
    return np.frombuffer(b"".join(values), dtype=np.uint8), offsets_of(map(len, values), len(values)), {}


def _pack_tokens(values: list[Any]) -> Packing:
    if any(isinstance(value, np.ndarray) for value in values):
        values = [value.tolist() if isinstance(value, np.ndarray) else value for value in values]
    flat = list(chain.from_iterable(values))
    offsets = offsets_of(map(len, values), len(values))
    if not all(issubclass(cls, str) for cls in set(map(type, flat))):
        at = next(i for i, token in enumerate(flat) if not isinstance(token, str))
        record = int(np.searchsorted(offsets, at, side="right")) - 1
        raise TypeError(
            f"{_WHO}: expected tokens of type str, got {describe(flat[at])} as token {at - offsets[record]} "
            f"of record {record}; convert it with str."
        )
    hashes, texts = hash_texts(_WHO, flat)
    return hashes, offsets, texts


def unpack_one(codes: SymbolArray, granularity: Granularity, texts: dict[int, str]) -> Any:
    """The str, bytes or tuple of tokens of some codes."""
    if granularity == "token":
        return tuple(map(texts.__getitem__, codes.tolist()))
    data = codes.tobytes()
    if granularity == "byte":
        return data
    return data.decode("latin-1") if codes.dtype == np.uint8 else data.decode(UTF32, "surrogatepass")


def unpack_each(
    codes: SymbolArray, offsets: IndexArray, granularity: Granularity, texts: dict[int, str]
) -> Iterator[Any]:
    """Iterator over all strings; decodes once."""
    whole = unpack_one(codes, granularity, texts)
    bounds = offsets.tolist()
    return (whole[start:stop] for start, stop in pairwise(bounds))
