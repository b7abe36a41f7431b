"""Pickles with an altered state: of containers, kernels and fitted estimators.

What was pickled is unpickled with one part replaced, as a program of another version or a careless tool would write it.
"""

import copyreg
import dataclasses
import inspect
import pickle
import warnings
from functools import cache
from typing import Any

import numpy as np

from mercer import kernels as mk
from mercer.data.packed import Packed
from mercer.data.tables.column import Column
from mercer.kernels import Kernel, KeyedRows
from tests.border.case import Case
from tests.border.damage import damaged_part, parts, replaced
from tests.border.matrices import LEAVES, NODES
from tests.border.odd import ROWS, pick
from tests.border.structured import STRUCTURES
from tests.contracts.behaviour import answers
from tests.persistence.models import EVERYWHERE, cases

__all__ = ["containers", "estimators", "kernels"]


INDICES = {"offsets", "indptr", "neighbors", "sizes", "n_children", "indices", "directed"}


class Altered:
    """Pickles as whatever its reduction says."""

    def __init__(self, reduction: tuple[Any, ...]) -> None:
        self.reduction = reduction

    def __reduce__(self) -> tuple[Any, ...]:
        return self.reduction


def _new(cls: type[Any], *arguments: Any) -> Any:
    """An object that no constructor has seen: `copyreg.__newobj__`, which pickle writes for originals only."""
    return cls.__new__(cls, *arguments)


def unpickled(reduction: tuple[Any, ...]) -> Any:
    """What `pickle.loads` makes of a reduction."""
    return pickle.loads(pickle.dumps(Altered(reduction)))


def _altered(rng: np.random.Generator, reduction: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """A reduction with one part of its arguments or its state replaced, at whatever depth."""
    function, *rest = (part for part in reduction if part is not None)
    function = _new if function is copyreg.__newobj__ else function
    path, value = _chosen(rng, list(parts(rest)))
    named = next((str(key) for key in reversed(path) if isinstance(key, str)), str(path[-1]))
    if isinstance(value, Packed | Column | Kernel) and _has_parts(value):
        what, inner = _altered(rng, value.__reduce_ex__(4))
        return f"{named}, {what}", (function, *replaced(rest, path, Altered(inner)))
    what, new = damaged_part(rng, value)
    return f"{named}: {what}", (function, *replaced(rest, path, new))


def _chosen(rng: np.random.Generator, found: list[Any]) -> Any:
    """One part; every other time one that other parts are read by, if there are any."""
    indices = [(path, value) for path, value in found if path[-1] in INDICES]
    return pick(rng, indices if indices and rng.random() < 0.5 else found)


def _has_parts(value: Any) -> bool:
    return any(True for _ in parts([part for part in value.__reduce_ex__(4)[1:] if part is not None]))


# ---- containers


def _keyed() -> KeyedRows:
    keys = np.array([3, 9, 4, 9, 11], dtype=np.uint64)
    return KeyedRows(np.array([0, 2, 4, 5]), keys, np.array([1.0, 2.0, 1.0, 5.0, 1.0]))


def _keyed_results(rows: KeyedRows) -> Any:
    return [rows.matrix, rows.onto(_keyed()), rows.take(np.array([2, 0])).matrix, rows.unary().matrix]


def _one_way(rng: np.random.Generator, reduction: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Graphs in which one arc leads elsewhere, or is missing: an undirected edge has lost its reverse."""
    function, (cls, fields) = reduction
    fields = dict(fields)
    neighbors, indptr = fields["neighbors"].copy(), fields["indptr"].copy()
    arc = int(rng.integers(len(neighbors)))
    if rng.random() < 0.5:
        neighbors[arc] = (neighbors[arc] + 1) % 2
        return "neighbors: one arc leads elsewhere", (function, (cls, {**fields, "neighbors": neighbors}))
    indptr[indptr > arc] -= 1
    for name in ("neighbors", "edge_labels", "weights", "edge_attributes"):
        fields[name] = None if fields[name] is None else np.delete(fields[name], arc, axis=0)
    return "neighbors: one arc is missing", (function, (cls, {**fields, "indptr": indptr}))


def containers(rng: np.random.Generator, i: int) -> Case:
    """A container whose reduction was altered, read by a kernel."""
    names = [*STRUCTURES, "KeyedRows", "one sample"]
    name = names[i % len(names)]
    if name == "KeyedRows":
        what, reduction = _altered(rng, _keyed().__reduce_ex__(4))
        return Case(f"pickle of KeyedRows, {what}", "its matrices", lambda: _keyed_results(unpickled(reduction)))
    if name == "one sample":
        structure = pick(rng, [STRUCTURES["Trees"], STRUCTURES["Graphs with labels"]])
        one = structure.make()[0]
        what, reduction = _altered(rng, one.__reduce_ex__(4))
        kernel = pick(rng, structure.kernels)
        return Case(
            f"pickle of one {type(one).__name__}, {what}", str(kernel), lambda: kernel([unpickled(reduction), one])
        )
    structure = STRUCTURES[name]
    given = structure.make().__reduce_ex__(4)
    one_way = name.startswith("Graphs") and rng.random() < 0.3
    what, reduction = _one_way(rng, given) if one_way else _altered(rng, given)
    kernel = pick(rng, structure.kernels)
    return Case(
        f"pickle of {name}, {what}",
        str(kernel),
        lambda: kernel(unpickled(reduction)),
        expected=lambda: kernel(structure.anew(unpickled(reduction))),
    )


# ---- kernels


def kernels(rng: np.random.Generator, i: int) -> Case:
    """A kernel with a parameter that its constructor never saw, on plain data."""
    known = [k for k in [*LEAVES, *NODES] if dataclasses.fields(k) and not isinstance(k, mk.Weighted)]
    kernel = known[i % len(known)]
    what, reduction = _altered(rng, kernel.__reduce_ex__(4))
    X = ROWS[0]

    def constructed() -> Any:
        altered = unpickled(reduction)
        options = {name: getattr(altered, name) for name in inspect.signature(type(kernel)).parameters}
        return type(kernel)(**options)(X)

    return Case(
        f"pickle of {type(kernel).__name__}, {what}",
        "k(X)",
        lambda: unpickled(reduction)(X),
        expected=constructed,
    )


# ---- estimators


@cache
def _models() -> list[tuple[str, Any, Any]]:
    main = ("vectors", "csr", "precomputed")
    chosen = [case for case in cases() if case.data in main or case.estimator in EVERYWHERE]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(str(case), case.fitted(), case.new) for case in chosen if not case.estimator.startswith("Auto")]


def estimators(rng: np.random.Generator, i: int) -> Case:
    """A fitted estimator with one attribute altered, and its answers."""
    name, model, new = _models()[i % len(_models())]
    state = dict(model.__getstate__())
    what, reduction = _altered(rng, (_new, (type(model),), state))
    return Case(
        f"pickle of {name}, {what}",
        "predict and others",
        lambda: answers(unpickled(reduction), new),
        finite=False,
        any_error=True,  # attributes may be anything: all that can be promised is that the process goes on
    )
