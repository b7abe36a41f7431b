"""Sources of blocks that are malformed, at fits, predictions and readings; and legal but unusual ones."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from mercer.data import ArrayBlocks, Block, IterableBlocks
from mercer.decomposition import KernelPCA
from mercer.kernel_approximation import Nystroem
from mercer.ridge import KernelRidge, KernelRidgeCV
from mercer.svm import SVC
from tests.border.case import Case
from tests.border.odd import ROWS

__all__ = ["blocks"]

X = ROWS[0]
Y, LABEL = X[:, 0] - X[:, 1], np.arange(len(X)) % 2
HALVES = (slice(0, 7), slice(7, None))
M = 5
Parts = list[Any]


def _parts() -> Parts:
    return [(X[half], LABEL[half]) for half in HALVES]


def _second(change: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    """Parts whose second block is changed."""

    def make() -> Any:
        first, (rows, label) = _parts()
        return [first, change(rows, label)]

    return make


def _both(change: Callable[[Any], Any]) -> Callable[[], Any]:
    return lambda: [(change(rows), label) for rows, label in _parts()]


def _passes(*passes: Callable[[], Any]) -> Callable[[], Any]:
    """A function whose calls return different iterators; the last one from then on."""

    def make() -> Any:
        calls = iter(passes)
        last = passes[0]

        def read() -> Iterator[Any]:
            nonlocal last
            last = next(calls, last)
            return iter(last())

        return read

    return make


def _once() -> Any:
    """A function that returns the same iterator whenever it is called."""
    iterator = iter(_parts())
    return lambda: iterator


def _frame(rows: Any, library: Any = pd, names: str = "abcdefg") -> Any:
    return library.DataFrame({names[j]: rows[:, j] for j in range(rows.shape[1])})


def _objects(rows: Any, value: Any) -> Any:
    rows = rows.astype(object)
    rows[1, 1] = value
    return rows


BAD: dict[str, Callable[[], Any]] = {
    "ragged": _second(lambda rows, label: ([[1.0, 2.0], [3.0]], [0, 1])),
    "one dimension": _second(lambda rows, label: (rows[:, 0], label)),
    "three dimensions": _second(lambda rows, label: (rows[:, :, None], label)),
    "no dimension": _second(lambda rows, label: (np.float64(1), np.float64(1))),
    "too few columns": _second(lambda rows, label: (rows[:, :-1], label)),
    "too many columns": _second(lambda rows, label: (np.hstack([rows, rows]), label)),
    "no columns": _both(lambda rows: rows[:, :0]),
    "texts": _second(lambda rows, label: (rows.astype(str), label)),
    "a text as block": _second(lambda rows, label: "ox"),
    "None as block": _second(lambda rows, label: None),
    "a dict as block": _second(lambda rows, label: {"X": rows}),
    "objects": _second(lambda rows, label: (_objects(rows, object()), label)),
    "objects: a text": _second(lambda rows, label: (_objects(rows, "ox"), label)),
    "masked": _second(lambda rows, label: (np.ma.masked_less(rows, 1.0), label)),
    "masked labels": _second(lambda rows, label: (rows, np.ma.masked_less(label, 1))),
    "masked weights": lambda: [(rows, label, np.ma.masked_less(label + 1, 2)) for rows, label in _parts()],
    "dates": _second(lambda rows, label: (rows.astype("M8[D]"), label)),
    "dates as labels": lambda: [(rows, label.astype("M8[D]")) for rows, label in _parts()],
    "complex": _second(lambda rows, label: (rows + 0j, label)),
    "NaN": _second(lambda rows, label: (np.where(rows > 3, np.nan, rows), label)),
    "infinity": _second(lambda rows, label: (np.where(rows > 3, np.inf, rows), label)),
    "sparse": _second(lambda rows, label: (sp.csr_array(rows), label)),
    "no labels": _second(lambda rows, label: rows),
    "labels of another length": _second(lambda rows, label: (rows, label[:-1])),
    "labels of three dimensions": _second(lambda rows, label: (rows, label[:, None, None])),
    "ragged labels": _second(lambda rows, label: (rows, [[0], [1, 2]] * 4)),
    "four parts": _second(lambda rows, label: (rows, label, label + 1.0, label)),
    "no parts": _second(lambda rows, label: ()),
    "no blocks": list,
    "nothing yielded": lambda: lambda: iter(()),
    "no iterator": lambda: lambda: None,
    "no source": lambda: 5,
    "a text as source": lambda: "ox",
    "an iterator": lambda: iter(_parts()),
    "one iterator for all passes": _once,
    "nothing but empty blocks": _both(lambda rows: rows[:0]),
    "fewer blocks later": _passes(_parts, _parts, lambda: _parts()[:1]),
    "more blocks later": _passes(_parts, _parts, lambda: _parts() * 2),
    "other values later": _passes(_parts, _parts, _second(lambda rows, label: (rows + 1, label))),
    "other values at once": _passes(_parts, lambda: [(X[7:], LABEL[7:])]),
    "an error in the iterator": lambda: lambda: (1 // 0 for _ in range(3)) and iter([[[1.0], [2.0, 3.0]]]),
    "other names": _second(lambda rows, label: (_frame(rows, names="tuvwxyz"), label)),
    "another order of names": lambda: [
        (_frame(rows)[list("abcd")[:: 1 - 2 * i]], label) for i, (rows, label) in enumerate(_parts())
    ],
    "a frame with texts": _both(lambda rows: _frame(rows).assign(a="ox")),
    "a frame with dates": _both(lambda rows: _frame(rows).assign(a=pd.Timestamp("2024-01-01"))),
}  # fmt: skip
GOOD: dict[str, Callable[[], Any]] = {
    "lists": _both(lambda rows: rows.tolist()),
    "float32": _both(lambda rows: rows.astype(np.float32)),
    "integers": _both(lambda rows: (8 * rows).astype(np.int64) / 8),
    "big-endian": _both(lambda rows: rows.astype(">f8")),
    "pandas": _both(_frame),
    "polars": _both(lambda rows: _frame(rows, pl)),
    "objects: numbers": _both(lambda rows: rows.astype(object)),
    "read-only": _both(lambda rows: np.broadcast_to(rows, rows.shape)),
    "Block objects": lambda: [Block(rows, label) for rows, label in _parts()],
    "a function": lambda: lambda: iter(_parts()),
    "an empty block between": lambda: [_parts()[0], (X[:0], LABEL[:0]), _parts()[1]],
    "labels as texts": lambda: [(rows, np.array(["a", "b"])[label]) for rows, label in _parts()],
}
TAKEN: dict[str, Callable[[Any], Any]] = {
    "SVC.fit": lambda source: SVC(kernel="rbf", approximation=M).fit(source).decision_function(X),
    "KernelPCA.fit": lambda source: np.abs(KernelPCA(2, kernel="rbf", approximation=M).fit(source).transform(X)),
    "Nystroem.fit": lambda source: Nystroem(n_components=M, random_state=0).fit(source).transform(X),
    "moments": lambda source: KernelPCA(2, kernel="rbf", gamma="scale", approximation=M).fit(source).kernel_.gamma,
}
NUMERIC: dict[str, Callable[[Any], Any]] = {
    "KernelRidge.fit": lambda source: KernelRidge(kernel="rbf", approximation=M).fit(source).predict(X),
    "KernelRidgeCV.fit": lambda source: KernelRidgeCV(kernel="rbf", approximation=M).fit(source).predict(X),
}
# Arrays that ArrayBlocks refuses, or that it reads like the plain ones.
ARRAYS: dict[str, Callable[[], Any]] = {
    "masked": lambda: ArrayBlocks(np.ma.masked_less(X, 1.0), LABEL, rows=5),
    "masked labels": lambda: ArrayBlocks(X, np.ma.masked_less(LABEL, 1), rows=5),
    "one dimension": lambda: ArrayBlocks(X[:, 0], LABEL),
    "no columns": lambda: ArrayBlocks(X[:, :0], LABEL),
    "no rows": lambda: ArrayBlocks(X[:0], LABEL[:0]),
    "labels of another length": lambda: ArrayBlocks(X, LABEL[:-1]),
    "a single label": lambda: ArrayBlocks(X, np.float64(1)),
    "no rows in a block": lambda: ArrayBlocks(X, LABEL, rows=0),
    "texts": lambda: ArrayBlocks(X.astype(str), LABEL),
    "sparse": lambda: ArrayBlocks(sp.csr_array(X), LABEL),
    "a list": lambda: ArrayBlocks(X.tolist(), LABEL),
    "complex": lambda: ArrayBlocks(X + 0j, LABEL),
}


def blocks(rng: np.random.Generator, i: int) -> Case:
    """A source at a fit: malformed, or of the same rows as a plain one."""
    takers = [*TAKEN, *NUMERIC]
    ways = [*((name, "refuse") for name in BAD), *((f"{name} in an array", "refuse") for name in ARRAYS),
            *((name, "answer") for name in GOOD)]  # fmt: skip
    round_, place = divmod(i, len(ways))
    name, must = ways[place]
    taker = takers[(round_ + place) % len(takers)]
    call = TAKEN.get(taker) or NUMERIC[taker]
    if must == "answer":
        must = "either" if name == "labels as texts" and taker in NUMERIC else must
        plain = None if must == "either" else lambda: call(IterableBlocks(_parts()))
        return Case(f"blocks: {name}", taker, lambda: call(IterableBlocks(GOOD[name]())), must, plain, 2e-4)  # type: ignore[arg-type]
    if name.endswith(" in an array"):
        return Case(f"blocks: {name}", taker, lambda: call(ARRAYS[name.removesuffix(" in an array")]()), "refuse")
    return Case(f"blocks: {name}", taker, lambda: call(IterableBlocks(BAD[name]())), "refuse")
