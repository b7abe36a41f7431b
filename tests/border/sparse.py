"""Sparse matrices of every format: compressed ones malformed in every part, and legal ones that are rarely seen.

Constructors check their arguments, so attributes are set afterwards, as a bug, a memory map or another thread would.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from tests.border.odd import Must, Odd, Way, pick

__all__ = ["VALUES", "WAYS"]

COMPRESSED = (sp.csr_matrix, sp.csr_array, sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array, sp.bsr_matrix,
              sp.bsr_array)  # fmt: skip
ROWS = (sp.csr_matrix, sp.csr_array)
OTHERS = (sp.coo_matrix, sp.coo_array, sp.lil_matrix, sp.lil_array, sp.dok_matrix, sp.dok_array, sp.dia_matrix,
          sp.dia_array)  # fmt: skip
HUGE = (2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)


class Subclass(sp.csr_matrix):
    """A matrix of the user's own class."""


def start(rng: np.random.Generator, base: Any, classes: Any = COMPRESSED) -> Any:
    """A well-formed matrix whose index arrays are its own, of 32 or 64 bits."""
    X = pick(rng, classes)(base)
    dtype = pick(rng, [np.int32, np.int32, np.int64])
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    return X


def lied(rng: np.random.Generator, X: Any) -> Any:
    """The matrix with flags about its order that were set by hand, or left to SciPy."""
    if X.format == "csr":
        match int(rng.integers(3)):
            case 0:
                X.has_canonical_format = True
            case 1:
                X.has_sorted_indices = True
    return X


def malformed(must: Must, alter: Any, classes: Any = COMPRESSED) -> Way:
    """A compressed matrix after `alter(rng, X)`, which returns the plain equivalent or None for the base."""

    def way(rng: np.random.Generator, base: Any) -> Odd:
        X = start(rng, base, classes)
        plain = alter(rng, X)
        return Odd(lied(rng, X), must, None if must == "refuse" else sp.csr_matrix(base if plain is None else plain))

    return way


def legal(alter: Any, classes: Any = COMPRESSED, *, must: Must = "answer", rtol: float = 1e-6) -> Way:
    """A well-formed matrix in an unusual form; `alter` returns another plain equivalent, or None for the base."""

    def way(rng: np.random.Generator, base: Any) -> Odd:
        X = start(rng, base, classes)
        plain = alter(rng, X)
        return Odd(X, must, sp.csr_matrix(base if plain is None else plain), rtol)

    return way


def inner(rng: np.random.Generator, X: Any) -> int:
    """A position of indptr that is neither the first nor the last."""
    return int(rng.integers(1, len(X.indptr) - 1))


def changed(name: str, value: Any, where: Any = None) -> Any:
    """Sets one entry of an index array: `value` and `where` are functions of generator and matrix, or values."""

    def alter(rng: np.random.Generator, X: Any) -> None:
        array = getattr(X, name)
        at = int(rng.integers(len(array))) if where is None else where(rng, X) if callable(where) else where
        new = value(rng, X) if callable(value) else value
        if not np.iinfo(array.dtype).min <= new <= np.iinfo(array.dtype).max:
            array = array.astype(np.int64)
        array[at] = new
        setattr(X, name, array)

    return alter


def with_array(name: str, function: Any) -> Any:
    """Replaces an attribute by a function of it."""

    def alter(rng: np.random.Generator, X: Any) -> None:
        setattr(X, name, function(rng, getattr(X, name)))

    return alter


def as_type(name: str, *dtypes: Any) -> Any:
    """Converts an attribute to one of some types."""
    return with_array(name, lambda rng, array: array.astype(pick(rng, dtypes)))


def _descend(rng: np.random.Generator, X: Any) -> None:
    i = inner(rng, X)
    X.indptr[i] = X.indptr[i + 1] + int(rng.integers(1, 4))
    X.indptr[-1] = X.indptr[-1] if i + 1 < len(X.indptr) - 1 else X.indptr[i] - 1


def _shift(rng: np.random.Generator, X: Any) -> None:
    X.indptr = X.indptr.astype(np.int64)
    X.indptr[inner(rng, X) :] += pick(rng, [1, 7, 1000, 10**6, 10**9, 2**40])


def _wrap(rng: np.random.Generator, X: Any) -> None:
    X.indptr = (X.indptr.astype(np.int64) + (2**31 - 3) * (np.arange(len(X.indptr)) > 1)).astype(np.int32)


def _nothing(rng: np.random.Generator, X: Any) -> Any:
    X.data, X.indices = X.data[:0], X.indices[:0]
    X.indptr[...] = 0
    return np.zeros(X.shape)


def _ends_below(rng: np.random.Generator, X: Any) -> None:
    _nothing(rng, X)
    X.indptr[-1] = pick(rng, [-1, -5, np.iinfo(X.indptr.dtype).min])


def _strays(rng: np.random.Generator, X: Any) -> None:
    _nothing(rng, X)
    X.indptr[inner(rng, X)] = pick(rng, [-1, 1, 5, 10**6, 2**31 - 1, -(2**31)])


def _no_rows_used(rng: np.random.Generator, X: Any) -> Any:
    X.indptr[...] = 0
    return np.zeros(X.shape)


def _reshaped(*shapes: Any) -> Any:
    def alter(rng: np.random.Generator, X: Any) -> None:
        X._shape = pick(rng, shapes)(*X.shape)

    return alter


def _wider(rng: np.random.Generator, X: Any) -> Any:
    plain = X.toarray()
    more = int(rng.integers(1, 5))
    X._shape = (X.shape[0], X.shape[1] + more)
    return np.hstack([plain, np.zeros((len(plain), more))])


def _strided(rng: np.random.Generator, X: Any) -> None:
    for name in ("data", "indices", "indptr"):
        array = getattr(X, name)
        twice = np.full((2 * len(array), *array.shape[1:]), 7, dtype=array.dtype)
        twice[::2] = array
        setattr(X, name, twice[::2])


def _backwards(rng: np.random.Generator, X: Any) -> None:
    for name in ("data", "indices", "indptr"):
        setattr(X, name, getattr(X, name)[::-1].copy()[::-1])


def _closed(rng: np.random.Generator, X: Any) -> None:
    for name in ("data", "indices", "indptr"):
        getattr(X, name).flags.writeable = False


def _shuffled(rng: np.random.Generator, X: Any) -> None:
    for start, stop in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        order = rng.permutation(int(stop - start)) + start
        X.data[start:stop], X.indices[start:stop] = X.data[order], X.indices[order]
    X.has_sorted_indices = False


def _doubled(rng: np.random.Generator, X: Any) -> None:
    X.data, X.indices, X.indptr = np.repeat(X.data / 2, 2, axis=0), np.repeat(X.indices, 2), X.indptr * 2


def _junk(rng: np.random.Generator, X: Any) -> None:
    X.data = np.concatenate([X.data, np.full((3, *X.data.shape[1:]), np.nan)])
    X.indices = np.append(X.indices, np.array([-1, 99, 2**31 - 1], dtype=X.indices.dtype))


def _zeros(rng: np.random.Generator, X: Any) -> Any:
    X.data[rng.random(len(X.data)) < 0.3] = 0.0
    return X.toarray()


def _typed(*dtypes: Any) -> Any:
    def alter(rng: np.random.Generator, X: Any) -> Any:
        X.data = X.data.astype(pick(rng, dtypes))
        plain = X.copy()
        plain.data = X.data.astype(np.float64)
        return plain.toarray()

    return alter


def _spoilt(*values: Any) -> Any:
    def alter(rng: np.random.Generator, X: Any) -> None:
        value = pick(rng, values)
        X.data = X.data.astype(object) if value is None or isinstance(value, str | list) else X.data
        X.data.reshape(-1)[int(rng.integers(X.data.size))] = value

    return alter


def _out_of_range(rng: np.random.Generator, X: Any) -> int:
    size = X.shape[1] if X.format == "csr" else X.shape[0]
    return int(pick(rng, [size, size, size + 1, size + 100, 10**6, *HUGE]))


def _masked(rng: np.random.Generator, X: Any) -> None:
    X.data = np.ma.masked_array(X.data, mask=rng.random(X.data.shape) < 0.5)


def _swapped(name: str) -> Any:
    return with_array(name, lambda rng, array: array.astype(array.dtype.newbyteorder()))


WAYS: dict[str, Way] = {
    "indptr starts above 0": malformed("refuse", changed("indptr", lambda rng, X: int(rng.integers(1, 3)), 0)),
    "indptr starts below 0": malformed("refuse", changed("indptr", lambda rng, X: pick(rng, [-1, -9, -(10**6)]), 0)),
    "indptr descends": malformed("refuse", _descend),
    "indptr runs beyond the arrays": malformed("refuse", _shift),
    "indptr ends beyond the arrays": malformed(
        "refuse", changed("indptr", lambda rng, X: len(X.data) + pick(rng, [1, 10, 10**4, 10**7]), -1)
    ),
    "indptr has a huge entry": malformed("refuse", changed("indptr", lambda rng, X: pick(rng, HUGE), inner)),
    "indptr has a negative entry": malformed(
        "refuse", changed("indptr", lambda rng, X: pick(rng, [-1, -100, -(2**31), -(2**62)]), inner)
    ),
    "indptr wraps around": malformed("refuse", _wrap),
    "indptr is short": malformed("refuse", with_array("indptr", lambda rng, a: a[: int(rng.integers(1, len(a) - 1))])),
    "indptr is long": malformed("refuse", with_array("indptr", lambda rng, a: np.append(a, a[-1:]))),
    "indptr is empty": malformed("refuse", with_array("indptr", lambda rng, a: a[:0])),
    "indptr is 2-D": malformed("refuse", with_array("indptr", lambda rng, a: a[:, None])),
    "indptr is a list": malformed("either", with_array("indptr", lambda rng, a: a.tolist())),
    "indptr is None": malformed("refuse", with_array("indptr", lambda rng, a: None)),
    "indptr has another type": malformed("either", as_type("indptr", np.float64, np.uint64, np.uint8, np.int8, object)),
    "indptr has NaN": malformed(
        "refuse", with_array("indptr", lambda rng, a: np.where(np.arange(len(a)) == 1, np.nan, a))
    ),
    "indptr is big-endian": malformed("either", _swapped("indptr")),
    "no entries, indptr ends below 0": malformed("refuse", _ends_below, ROWS),
    "no entries, indptr strays": malformed("refuse", _strays, ROWS),
    "entries that no row has": malformed("either", _no_rows_used, ROWS),
    "indices beyond the last column": malformed("refuse", changed("indices", _out_of_range)),
    "indices below 0": malformed(
        "refuse", changed("indices", lambda rng, X: pick(rng, [-1, -2, -1000, -(2**31), -(2**62)]))
    ),
    "indices are short": malformed("refuse", with_array("indices", lambda rng, a: a[: len(a) // 2])),
    "indices are long": malformed("either", with_array("indices", lambda rng, a: np.append(a, a[:3]))),
    "indices are 2-D": malformed("refuse", with_array("indices", lambda rng, a: a[:, None])),
    "indices are None": malformed("refuse", with_array("indices", lambda rng, a: None)),
    "indices have another type": malformed(
        "either", as_type("indices", np.float64, np.uint64, np.uint8, np.int8, np.int16, object)
    ),
    "indices have NaN": malformed(
        "refuse", with_array("indices", lambda rng, a: np.where(np.arange(len(a)) == 1, np.nan, a))
    ),
    "indices are big-endian": malformed("either", _swapped("indices")),
    "data are short": malformed("refuse", with_array("data", lambda rng, a: a[: len(a) // 2])),
    "data are empty": malformed("refuse", with_array("data", lambda rng, a: a[:0])),
    "data are long": malformed("either", with_array("data", lambda rng, a: np.concatenate([a, a[:3]]))),
    "data have one dimension more": malformed("refuse", with_array("data", lambda rng, a: a[..., None])),
    "data are None": malformed("refuse", with_array("data", lambda rng, a: None)),
    "data are complex": malformed("refuse", as_type("data", np.complex128, np.complex64)),
    "data are dates": malformed("refuse", as_type("data", "M8[s]", "m8[D]")),
    "data are texts": malformed("refuse", as_type("data", "U4", "S4")),
    "data are masked": malformed("refuse", _masked),
    "data have no number": malformed("refuse", _spoilt(None, "ox")),
    "data have NaN or infinity": malformed("refuse", _spoilt(np.nan, np.inf, -np.inf)),
    "data are objects": malformed("either", as_type("data", object)),
    "junk behind the last entry": malformed("either", _junk, ROWS),
    "more rows than indptr": malformed(
        "refuse", _reshaped(lambda n, d: (n + 1, d), lambda n, d: (10 * n, d), lambda n, d: (2**40, d)), ROWS
    ),
    "fewer rows than indptr": malformed("refuse", _reshaped(lambda n, d: (n - 1, d), lambda n, d: (1, d)), ROWS),
    "fewer columns than indices": malformed("refuse", _reshaped(lambda n, d: (n, d - 1), lambda n, d: (n, 1)), ROWS),
    "more columns than indices": malformed("either", _wider, ROWS),
    "shape is none": malformed(
        "refuse", _reshaped(lambda n, d: (n, -d), lambda n, d: (0, d), lambda n, d: (n, 0), lambda n, d: (n,)), ROWS
    ),
    "strided": legal(_strided),
    "backwards in memory": legal(_backwards),
    "read-only": legal(_closed),
    "unsorted": legal(_shuffled, (*ROWS, sp.csc_matrix)),
    "duplicates": legal(_doubled, (*ROWS, sp.csc_array)),
    "flag says sorted, and it is not": legal(
        lambda rng, X: (_shuffled(rng, X), setattr(X, "has_canonical_format", True))[0], ROWS, must="either"
    ),
    "flag says no duplicates, and there are": legal(
        lambda rng, X: (_doubled(rng, X), setattr(X, "has_canonical_format", True))[0], ROWS, must="either"
    ),
    "flag says unsorted, and it is": legal(lambda rng, X: setattr(X, "has_sorted_indices", False), ROWS),
    "zeros that are stored": legal(_zeros),
    "no entries": legal(_nothing, ROWS),
    "big-endian data": legal(_swapped("data")),
    "integers": legal(_typed(np.int8, np.int32, np.int64, np.uint8, np.uint64)),
    "truth values": legal(_typed(bool)),
    "float32": legal(as_type("data", np.float32), rtol=2e-4),
    "float16": legal(as_type("data", np.float16), must="either", rtol=2e-4),
    "longdouble": legal(as_type("data", np.longdouble), must="either"),
    "indices of two widths": legal(as_type("indptr", np.int64), ROWS),
    "a subclass": legal(lambda rng, X: None, (Subclass,)),
    "another format": lambda rng, base: Odd(pick(rng, OTHERS)(base), "answer", sp.csr_matrix(base)),
}

# Of these only the values are wrong: functions that choose or join samples need not look at them.
VALUES = {
    "data are complex", "data are dates", "data are texts", "data are masked", "data have no number",
    "data have NaN or infinity",
}  # fmt: skip
