"""Dense arrays that hold no real numbers, and real numbers in unusual types and layouts."""

import tempfile
from typing import Any

import numpy as np

from tests.border.odd import Must, Odd, Way, pick

__all__ = ["WAYS"]


class Subclass(np.ndarray):
    """An array of the user's own class."""


def refused(make: Any) -> Way:
    """`make(rng, base)` is an input that no plain array means."""
    return lambda rng, base: Odd(make(rng, base), "refuse")


def legal(make: Any, must: Must = "answer", rtol: float = 1e-6) -> Way:
    """`make(rng, base)` has the values of the base."""
    return lambda rng, base: Odd(make(rng, base.copy()), must, base, rtol)


def converted(*dtypes: Any, must: Must = "answer") -> Way:
    """The base in another type, which is taken as plain numbers for what is left of its values."""

    def way(rng: np.random.Generator, base: Any) -> Odd:
        X = base.astype(pick(rng, dtypes))
        return Odd(X, must, X.astype(np.float64))

    return way


def _spoilt(rng: np.random.Generator, base: Any, *values: Any) -> Any:
    X = base.astype(object)
    X.flat[int(rng.integers(X.size))] = pick(rng, values)
    return X


def _lists(rng: np.random.Generator, base: Any) -> Any:
    X = base.astype(object)
    X.flat[int(rng.integers(X.size))] = [1.0, 2.0]
    return X


def _masked(rng: np.random.Generator, base: Any) -> Any:
    mask = rng.random(base.shape) < 0.4
    mask.flat[0] = True
    return np.ma.masked_array(base, mask=mask)


def _dates(rng: np.random.Generator, base: Any) -> Any:
    return (8 * base).astype(np.int64).astype(pick(rng, ["M8[s]", "M8[D]", "M8[ns]", "m8[s]", "m8[D]", "m8[ns]", "m8"]))


def _no_date(rng: np.random.Generator, base: Any) -> Any:
    X = _dates(rng, base)
    X.flat[0] = "NaT"
    return X


def _fields(rng: np.random.Generator, base: Any) -> Any:
    X = np.zeros(base.shape, dtype=[("re", "f8"), ("im", "f8")])
    X["re"] = base
    return X


def _not_finite(rng: np.random.Generator, base: Any) -> Any:
    X = base.astype(pick(rng, [np.float64, np.float32, np.float16, ">f8"]))
    X.flat[int(rng.integers(X.size))] = pick(rng, [np.nan, np.inf, -np.inf])
    return X


def _dimensions(rng: np.random.Generator, base: Any) -> Any:
    many = [base[..., None, None], base[None, None]]
    return pick(rng, many if base.ndim == 1 else [np.float64(base.flat[0]), np.array(base.flat[0]), *many])


def _empty(rng: np.random.Generator, base: Any) -> Any:
    return base[:0] if base.ndim == 1 else pick(rng, [base[:0], base[:, :0], base[:0, :0]])


def _mapped(rng: np.random.Generator, base: Any) -> Any:
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(base.tobytes())
        file.flush()
        return np.memmap(file.name, dtype=base.dtype, mode=pick(rng, ["r", "c"]), shape=base.shape)


def _overlapping(rng: np.random.Generator, base: Any) -> Odd:
    """Rows that share memory: a window over a line of numbers, or one row repeated without a copy."""
    line = np.concatenate([base.ravel(), base.ravel()[::-1]])
    steps = pick(rng, [(1,) * base.ndim, (0,) + (1,) * (base.ndim - 1), (2,) + (1,) * (base.ndim - 1)])
    X = np.lib.stride_tricks.as_strided(line, base.shape, tuple(8 * step for step in steps), writeable=False)
    return Odd(X, "either", np.array(X))


def _unaligned(rng: np.random.Generator, base: Any) -> Any:
    return np.frombuffer(b"x" + base.tobytes(), dtype=np.float64, offset=1).reshape(base.shape)


def _backwards(rng: np.random.Generator, base: Any) -> Any:
    turned = tuple(slice(None, None, pick(rng, [-1, 1])) for _ in base.shape)
    return base[turned].copy()[turned]


def _spread(rng: np.random.Generator, base: Any) -> Any:
    wide = np.full(tuple(3 * n for n in base.shape), np.nan)
    wide[tuple(slice(1, None, 3) for _ in base.shape)] = base
    return wide[tuple(slice(1, None, 3) for _ in base.shape)]


def _read_only(rng: np.random.Generator, base: Any) -> Any:
    base.flags.writeable = False
    return base


def _huge(rng: np.random.Generator, base: Any) -> Odd:
    X = base.astype(np.uint64)
    X.flat[0] = pick(rng, [2**53 + 1, 2**63, 2**64 - 1])
    return Odd(X, "either", X.astype(np.float64))


def _matrix(rng: np.random.Generator, base: Any) -> Odd:
    X = np.asmatrix(base) if base.ndim == 2 else base.view(Subclass)
    return Odd(X, "either", base)


WAYS: dict[str, Way] = {
    "masked": refused(_masked),
    "masked, nothing hidden": legal(lambda rng, base: np.ma.masked_array(base), "either"),
    "dates or durations": refused(_dates),
    "no date": refused(_no_date),
    "complex": refused(lambda rng, base: base.astype(pick(rng, [np.complex64, np.complex128])) + pick(rng, [0, 1j])),
    "NaN or infinity": refused(_not_finite),
    "objects: None": refused(lambda rng, base: _spoilt(rng, base, None)),
    "objects: a text": refused(lambda rng, base: _spoilt(rng, base, "ox", b"ox", "")),
    "objects: a complex number": refused(lambda rng, base: _spoilt(rng, base, 1j, complex(1, 0))),
    "objects: a date": refused(
        lambda rng, base: _spoilt(rng, base, np.datetime64("2024-01-01"), np.timedelta64(3, "s"))
    ),
    "objects: a huge integer": refused(lambda rng, base: _spoilt(rng, base, 10**400)),
    "objects: a list": refused(_lists),
    "objects: a function": refused(lambda rng, base: _spoilt(rng, base, len, object(), {})),
    "objects: numbers": legal(lambda rng, base: base.astype(object), "either"),
    "texts": refused(lambda rng, base: pick(rng, [base.astype("U5"), np.full(base.shape, "ox"), base.astype("S5")])),
    "fields": refused(_fields),
    "raw bytes": refused(lambda rng, base: np.frombuffer(base.tobytes(), dtype="V8").reshape(base.shape)),
    "no dimension, or too many": refused(_dimensions),
    "nothing in it": refused(_empty),
    "None": lambda rng, base: Odd(None, "either"),  # of some entry points the default
    "a dict": refused(lambda rng, base: {"x": base}),
    "a text": refused(lambda rng, base: pick(rng, ["ox", b"ox"])),
    "rows of different lengths": refused(lambda rng, base: [[1.0, 2.0], [3.0]]),
    "big-endian": legal(lambda rng, base: base.astype(">f8")),
    "big-endian float32": legal(lambda rng, base: base.astype(">f4"), rtol=2e-4),
    "float32": legal(lambda rng, base: base.astype(np.float32), rtol=2e-4),
    "float16": legal(lambda rng, base: base.astype(np.float16), rtol=2e-3),
    "longdouble": legal(lambda rng, base: base.astype(np.longdouble), "either"),
    "integers": converted(np.int8, np.int16, np.int64, np.uint8, np.uint32, ">i4", ">u2"),
    "truth values": converted(bool),
    "huge integers": _huge,
    "backwards": legal(_backwards),
    "spread out": legal(_spread),
    "Fortran order": legal(lambda rng, base: np.asfortranarray(base)),
    "read-only": legal(_read_only),
    "mapped": legal(_mapped),
    "unaligned": legal(_unaligned),
    "overlapping": _overlapping,
    "a subclass": legal(lambda rng, base: base.view(Subclass)),
    "np.matrix": _matrix,
    "nested lists": legal(lambda rng, base: base.tolist()),
    "nested tuples": legal(lambda rng, base: tuple(map(tuple, base.tolist())) if base.ndim == 2 else tuple(base)),
}
