"""The kinds of cases: case i of a kind is made from the seed, the kind and i, and from nothing else."""

import hashlib
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp

from tests.border import around_models, dense, frames, grams, matrices, pickles, sparse, sparse_formats
from tests.border.blocks import blocks
from tests.border.case import Case
from tests.border.constructors import constructors
from tests.border.matrices import Entry
from tests.border.model_files import model_files
from tests.border.odd import Odd, Way, bases, pick
from tests.border.one_answer import one_answer
from tests.border.requests import requests
from tests.border.texts import texts

__all__ = ["KINDS", "SHARES", "case_of"]

_results: dict[Any, Any] = {}  # of plain calls: the same plain input comes back many times


def paired(entries: Sequence[Entry], ways: dict[str, Way], i: int) -> tuple[Entry, str]:
    """Every way at every entry point once, before anything comes twice; neighbours differ in both."""
    names = list(ways)
    round_, way = divmod(i, len(names))
    stride = next(k for k in range(int(0.618 * len(entries)), len(entries)) if math.gcd(k, len(entries)) == 1)
    return entries[(stride * round_ + 37 * way) % len(entries)], names[way]


def _matrix_case(kind: str, entries: Sequence[Entry], ways: dict[str, Way], rng: np.random.Generator, i: int) -> Case:
    entry, name = paired(entries, ways, i)
    base = pick(rng, bases(entry.needs))
    odd = ways[name](rng, base)
    must, plain = odd.must, odd.plain
    of_values = not sp.issparse(odd.X) or name in sparse.VALUES | sparse_formats.VALUES
    if must == "refuse" and (entry.reads == "items" or (entry.reads == "anything" and of_values)):
        must = "either"  # other samples than numbers are samples, too
    if entry.empty and getattr(odd.X, "shape", None) == (0, 0):
        must = "either"
    if entry.narrow and must == "answer":
        must = "either"
    return Case(
        f"{kind}: {name}",
        entry.name,
        lambda: entry.call(odd.X, base),
        must,
        None if plain is None else lambda: _plain_result(entry, odd, base),
        odd.rtol,
        finite=entry.reads == "numbers",
        given=lambda: _contents(odd.X),
    )


def _contents(X: Any) -> list[bytes]:
    """The bytes of all arrays of an input, to see whether a call changed them."""
    parts = [getattr(X, name, None) for name in ("data", "indices", "indptr")] if sp.issparse(X) else [X]
    return [part.tobytes() for part in parts if isinstance(part, np.ndarray)]


def _plain_result(entry: Entry, odd: Odd, base: Any) -> Any:
    plain = odd.plain.toarray() if entry.dense and sp.issparse(odd.plain) else odd.plain
    key = (entry.name, _digest(base), _digest(plain))
    if key not in _results:
        try:
            _results[key] = entry.call(plain, base)
        except Exception as error:
            _results[key] = error
    if isinstance(_results[key], Exception):
        raise _results[key]
    return _results[key]


def _digest(X: Any) -> bytes:
    parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (np.ascontiguousarray(X),)
    return hashlib.sha1(b"".join([str(X.shape).encode(), *(part.tobytes() for part in parts)])).digest()


ROWS, GRAMS = [*matrices.ENTRIES, *around_models.ENTRIES], [entry for entry in grams.ENTRIES if entry.needs == "square"]
ARRAYS = [*ROWS, *grams.ENTRIES]


def _sparse(rng: np.random.Generator, i: int) -> Case:
    return _matrix_case("csr", [*ROWS, *GRAMS], sparse.WAYS, rng, i)


def _formats(rng: np.random.Generator, i: int) -> Case:
    return _matrix_case("formats", [*ROWS, *GRAMS], sparse_formats.WAYS, rng, i)


def _dense(rng: np.random.Generator, i: int) -> Case:
    return _matrix_case("dense", ARRAYS, dense.WAYS, rng, i)


def _frames(rng: np.random.Generator, i: int) -> Case:
    return _matrix_case("frames", [entry for entry in ROWS if entry.needs == "rows"], frames.WAYS, rng, i)


KINDS: dict[str, Callable[[np.random.Generator, int], Case]] = {
    "csr": _sparse,
    "formats": _formats,
    "dense": _dense,
    "frames": _frames,
    "one-answer": one_answer,
    "containers": constructors,
    "pickled-containers": pickles.containers,
    "pickled-kernels": pickles.kernels,
    "pickled-estimators": pickles.estimators,
    "files": model_files,
    "texts": texts,
    "blocks": blocks,
    "requests": requests,
}
SHARES = {  # of a hundred cases
    "csr": 34, "formats": 7, "dense": 21, "frames": 6, "one-answer": 2, "containers": 5, "pickled-containers": 7,
    "pickled-kernels": 2, "pickled-estimators": 4, "files": 6, "texts": 2, "blocks": 3, "requests": 1,
}  # fmt: skip


@cache
def _number(kind: str) -> int:
    return int.from_bytes(kind.encode(), "little") % 2**32  # does not change when a kind is added


def case_of(seed: int, kind: str, i: int) -> Case:
    """Case i of a kind."""
    return KINDS[kind](np.random.default_rng([seed, _number(kind), i]), i)
