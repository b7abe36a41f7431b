"""Codecs of values that skops would change, store inefficiently, or restore without validation."""

import json
import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._estimator.basis import Kept
from mercer._validation import sound_compressed
from mercer.kernels import Definiteness
from mercer.persistence.schema import KINDS
from mercer.persistence.stored import Codec, class_name, need
from mercer.solvers import Status

__all__ = ["SCALARS", "VALUES"]

SCALARS = (type(None), bool, int, float, str)
_ENUMS = {class_name(cls): cls for cls in (Status, Definiteness)}
_SPARSE = {cls.__name__: cls for cls in (sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array)}
_FEW = 7  # largest number of entries that are stored as separate nodes
_TEXTS = np.dtypes.StringDType


def _is_plain(value: Any) -> bool:
    """Whether JSON restores the value exactly: nested lists of numbers and texts."""
    kinds = set(map(type, value))
    try:
        return kinds <= {list, *SCALARS} and (list not in kinds or all(_is_plain(v) for v in value if type(v) is list))
    except RecursionError:
        return False


def _plain(state: dict[str, Any]) -> list[Any]:
    value = json.loads(state["text"])
    need(type(value) is list, "a list is not valid")
    return list(value)


def _is_numbers(values: Any) -> bool:
    """Whether all values are NumPy scalars of one type."""
    kinds = set(map(type, values))
    return len(kinds) == 1 and issubclass(kinds.pop(), np.number | np.bool_)


def _numbers(state: dict[str, Any]) -> list[Any]:
    values = state["values"]
    need(type(values) is np.ndarray and values.ndim == 1, "a list of numbers is not valid")
    return list(values)


def _is_named(mapping: dict[Any, Any]) -> bool:
    """Whether skops can store a dict efficiently, with a node for each value."""
    named = all(type(key) is str and not key.startswith("__") for key in mapping)
    return named and not _is_numbers(mapping.values()) and not (len(mapping) > _FEW and _is_plain(mapping.values()))


def _objects_state(array: Any) -> dict[str, Any]:
    if array.dtype.kind == "T" and array.dtype != _TEXTS():
        raise TypeError(f"an array of texts with {array.dtype} cannot be stored; convert it with astype(str)")
    return {"shape": list(array.shape), "items": array.ravel().tolist(), "texts": array.dtype.kind == "T"}


def _objects(state: dict[str, Any]) -> Any:
    shape, items = state["shape"], state["items"]
    need(type(items) is list and type(state["texts"]) is bool, "an array of objects has no items")
    fits = all(type(n) is int and n >= 0 for n in shape) and math.prod(shape) == len(items)
    need(fits, "an array of objects does not fit its shape")
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # np.array would unpack nested sequences
        array[i] = item
    return (array.astype(_TEXTS()) if state["texts"] else array).reshape(shape)


def _masked_state(array: Any) -> dict[str, Any]:
    return {"data": array.data, "mask": np.ma.getmaskarray(array), "fill_value": array.fill_value}


def _masked(state: dict[str, Any]) -> Any:
    data, mask = state["data"], state["mask"]
    need(
        type(data) is type(mask) is np.ndarray and mask.dtype == bool and data.shape == mask.shape,
        "a mask does not match its array",
    )
    return np.ma.MaskedArray(data, mask=mask, fill_value=state["fill_value"])


def _random_state(state: dict[str, Any]) -> np.random.RandomState:
    key, pos = state["key"], state["pos"]
    need(type(key) is np.ndarray and key.dtype == np.uint32 and key.shape == (624,), "a random state has no key")
    need(type(pos) is int and 0 <= pos <= 624, "the position of a random state is out of range")  # not checked by NumPy
    need(state["has_gauss"] in (0, 1) and type(state["gauss"]) is float, "a random state is not valid")
    made = np.random.RandomState(0)
    made.set_state(("MT19937", key, pos, state["has_gauss"], state["gauss"]))
    return made


def _random_state_state(value: np.random.RandomState) -> dict[str, Any]:
    state = value.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise TypeError(f"a RandomState of {state['bit_generator']} cannot be stored; pass an integer as random_state")
    inner = state["state"]
    return {"key": inner["key"], "pos": inner["pos"], "has_gauss": state["has_gauss"], "gauss": state["gauss"]}


def _sparse_state(matrix: Any) -> dict[str, Any]:
    if type(matrix).__name__ not in _SPARSE:
        raise TypeError(f"a sparse {type(matrix).__name__} cannot be stored; convert it with tocsr()")
    arrays = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    return {"type": type(matrix).__name__, "shape": list(map(int, matrix.shape)), **arrays}


def _sparse(state: dict[str, Any]) -> Any:
    """Restore a sparse matrix and check that all indices are in range, which compiled code relies on."""
    shape = tuple(state["shape"])
    data, indices, _ = arrays = tuple(state[part] for part in ("data", "indices", "indptr"))
    need(all(type(array) is np.ndarray for array in arrays), "a sparse matrix has no arrays")
    need(len(shape) == 2 and all(type(n) is int and 0 <= n < 2**62 for n in shape), "a sparse matrix has no shape")
    matrix = sound_compressed("load", "a stored sparse matrix", arrays, shape, make=_SPARSE[state["type"]])
    need(matrix.nnz == len(data) == len(indices), "a sparse matrix holds more than its rows")
    # SciPy may have chosen a narrower index type than the stored one.
    matrix.indices, matrix.indptr = (array.astype(indices.dtype) for array in (matrix.indices, matrix.indptr))
    return matrix


def _bytes(state: dict[str, Any]) -> bytes:
    codes = state["codes"]
    need(type(codes) is np.ndarray and codes.dtype == np.uint8, "bytes are not valid")
    return bytes(codes.tobytes())


def _dtype(state: dict[str, Any]) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.dtype(state["text"])
    need(type(state["text"]) is str and dtype.kind in KINDS + "O", "a dtype is not valid")
    return dtype


VALUES = (
    Codec("list", lambda v: type(v) is list and bool(v) and _is_plain(v), lambda v: {"text": json.dumps(v)}, _plain),
    Codec("numbers", lambda v: type(v) is list and _is_numbers(v), lambda v: {"values": np.array(v)}, _numbers),
    Codec(
        "tuple",
        lambda v: type(v) is tuple and len(v) > _FEW and _is_plain(v),
        lambda v: {"items": list(v)},
        lambda s: tuple(s["items"]),
    ),
    Codec(
        "dict",
        lambda v: type(v) is dict and not _is_named(v),
        lambda v: {"keys": list(v), "values": list(v.values())},
        lambda s: dict(zip(s["keys"], s["values"], strict=True)),
    ),
    Codec("set", lambda v: type(v) is set, lambda v: {"items": list(v)}, lambda s: set(s["items"])),
    Codec("frozenset", lambda v: type(v) is frozenset, lambda v: {"items": list(v)}, lambda s: frozenset(s["items"])),
    Codec("bytes", lambda v: type(v) is bytes, lambda v: {"codes": np.frombuffer(v, dtype=np.uint8)}, _bytes),
    Codec("masked array", lambda v: type(v) is np.ma.MaskedArray, _masked_state, _masked),
    Codec("objects", lambda v: type(v) is np.ndarray and v.dtype.kind in "OT", _objects_state, _objects),
    Codec("dtype", lambda v: isinstance(v, np.dtype) and v.kind in KINDS + "O", lambda v: {"text": v.str}, _dtype),
    Codec("sparse matrix", sp.issparse, _sparse_state, _sparse),
    Codec("random state", lambda v: type(v) is np.random.RandomState, _random_state_state, _random_state),
    Codec(
        "word",
        lambda v: class_name(type(v)) in _ENUMS,
        lambda v: {"class": class_name(type(v)), "value": v.value},
        lambda s: _ENUMS[s["class"]](s["value"]),
    ),
    Codec("cache", lambda v: type(v) is Kept, lambda _: {}, lambda _: Kept()),  # only in files of format 1
)
