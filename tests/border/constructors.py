"""Public constructors of containers, and choices of rows, with arguments that they cannot take."""

from typing import Any

import numpy as np

from mercer import kernels as mk
from mercer.data import Graphs, Strings, Table, Trees, take
from mercer.kernels import KeyedRows
from mercer.kernels import graphs as mg
from mercer.kernels import strings as ms
from mercer.kernels import trees as mt
from mercer.operators import gram
from tests.border.case import Case
from tests.border.damage import damaged_part
from tests.border.odd import ROWS, pick
from tests.border.structured import PARSES, STRUCTURES, WORDS

__all__ = ["constructors"]

EDGES = np.array([(0, 1), (1, 2), (2, 0), (3, 4)])
ARGUMENTS: dict[str, Any] = {
    "edges": EDGES,
    "graph_indicator": np.array([0, 0, 0, 1, 1]),
    "n_graphs": 2,
    "node_labels": np.array([1, 2, 1, 1, 3]),
    "edge_labels": np.array([1, 2, 1, 1]),
    "weights": np.array([1.0, 2.0, 1.0, 3.0]),
    "node_attributes": np.arange(10.0).reshape(5, 2),
    "edge_attributes": np.arange(4.0).reshape(4, 1),
}
ITEMS = (
    None, float("nan"), 3, 2.5, b"ox", "ox", ["o", "x"], ("o", ["x"]), "(S (A", ")", "(S (A b)) (T", "\ud800", {},
    [None], [["o"]], ("S", [("A",)]), [(0, -1)], [(0, 2**40)], (2, [(0, 5)]), (-1, []), [(0, 1, "x")], [(0.5, 1)],
    np.ones((2, 3)), np.ones(3), np.full((2, 2), np.nan), np.array([[0, 1], [0, 0]]), [(0, 1, {"label": []})], object(),
)  # fmt: skip
CHOICES = (
    -99, 99, 2**62, 2.5, "ox", None, [0, 99], [0.0, 1.0], [True], np.array([2**63], dtype=np.uint64), [[0, 1]], 1j, {},
    np.ma.masked_array([0, 1], mask=[1, 0]), np.array(["2024"], dtype="M8[Y]"), np.array([0, None]), (0, 1, 2),
)  # fmt: skip


def _from_edges(rng: np.random.Generator) -> Case:
    name = pick(rng, list(ARGUMENTS))
    what, value = damaged_part(rng, ARGUMENTS[name])
    kernel = pick(rng, [mg.WeisfeilerLehman(1), mg.ShortestPath(labeled=False), mg.Graphlet(3), mg.RandomWalk(0.01),
                        mg.Propagation(1), mg.GraphHopper(mk.RBF(gamma=0.1))])  # fmt: skip
    arguments = {**ARGUMENTS, name: value}
    if name != "edges" and rng.random() < 0.5:  # without the others, which would be refused first
        arguments = {key: arguments[key] for key in ("edges", "graph_indicator", name)}
    anew = STRUCTURES["Graphs"].anew

    def called() -> Any:
        graphs = Graphs.from_edges(**arguments)
        return kernel(graphs), list(graphs), repr(graphs), take(graphs, [0])

    def again() -> Any:
        graphs = anew(Graphs.from_edges(**arguments))
        return kernel(graphs), list(graphs), repr(graphs), take(graphs, [0])

    plain = name != "edge_attributes" and "edge_attributes" not in arguments
    return Case(f"Graphs.from_edges, {name}: {what}", str(kernel), called, expected=again if plain else None)


def _keyed_rows(rng: np.random.Generator) -> Case:
    arguments = {
        "indptr": np.array([0, 2, 4, 5]),
        "keys": np.array([3, 9, 4, 9, 11], dtype=np.uint64),
        "values": np.array([1.0, 2.0, 1.0, 5.0, 1.0]),
    }
    name = pick(rng, list(arguments))
    what, arguments[name] = damaged_part(rng, arguments[name])

    def called() -> Any:
        rows = KeyedRows(**arguments)
        return rows.matrix, rows.take(np.array([1, 0])).matrix, rows.unary().matrix

    return Case(f"KeyedRows, {name}: {what}", "its matrices", called)


def _items(rng: np.random.Generator) -> Case:
    """A list of samples, some of which are not samples of the kind."""
    cls, kernel, samples = pick(rng, [
        (Strings, ms.Spectrum(2), WORDS), (Strings, ms.Subsequence(2), [list(word) for word in WORDS]),
        (Trees, mt.SubsetTree(), PARSES), (Graphs, mg.ShortestPath(labeled=False), [[(0, 1), (1, 2)], [(0, 1)]]),
    ])  # fmt: skip
    chosen = [pick(rng, ITEMS) for _ in range(int(rng.integers(1, 3)))]
    given = [*samples[: int(rng.integers(3))], *chosen]
    shown = ", ".join(repr(item)[:20] for item in chosen)

    def called() -> Any:
        container = cls(given)
        return kernel(container), container[:1], container.to_list() and repr(container)

    return Case(f"{cls.__name__} with {shown}", str(kernel), called)


def _choice(rng: np.random.Generator) -> Case:
    rows = pick(rng, CHOICES)
    name, structure = pick(rng, list(STRUCTURES.items()))
    samples = structure.make()
    calls = {
        f"{name}[rows]": lambda: samples[rows],
        f"take({name}, rows)": lambda: take(samples, rows),
        "take(X, rows)": lambda: take(ROWS[0], rows),
        "prepare(X).take(rows)": lambda: mk.RBF(gamma=0.5).prepare(ROWS[0]).take(rows),
        "gram(k, X).rows(rows)": lambda: gram(mk.RBF(gamma=0.5), ROWS[0]).rows(rows),
        "gram(k, X).block(rows, rows)": lambda: gram(mk.RBF(gamma=0.5), ROWS[0]).block(rows, rows),
    }
    entry = pick(rng, list(calls))
    return Case(f"rows {rows!r:.40}", entry, calls[entry], finite=False)


def _table(rng: np.random.Generator) -> Case:
    what, column = damaged_part(rng, pick(rng, [np.arange(4.0), np.arange(4), np.array(list("abca"))]))
    kind = pick(rng, [None, "number", "category", "text", "object", "ox"])

    def called() -> Any:
        table = Table.from_frame({"age": [1.0, 2.0, 3.0, 4.0], "x": column}, {} if kind is None else {"x": kind})
        return table[1:], repr(table), mk.Columns(["age", "x"], mk.Overlap())(table)

    return Case(f"Table with a column, {what}, as {kind}", "overlap", called, finite=False)


def constructors(rng: np.random.Generator, i: int) -> Case:
    """One constructor after the other."""
    return (_from_edges, _items, _keyed_rows, _choice, _table)[i % 5](rng)
