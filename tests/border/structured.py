"""Containers of strings, trees, graphs and tables, kernels that read them, and the same samples packed anew."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer import kernels as mk
from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import graphs as mg
from mercer.kernels import strings as ms
from mercer.kernels import trees as mt

__all__ = ["STRUCTURES", "Structure"]


@dataclass(frozen=True)
class Structure:
    """A container.

    Attributes
    ----------
    make : callable
        Makes it.
    kernels : list of Kernel
        Kernels that read it.
    anew : callable
        The same samples packed again from Python objects: what the container says that it holds.
    """

    make: Callable[[], Any]
    kernels: list[Any]
    anew: Callable[[Any], Any]


WORDS = ["GATTACA", "TTATTA", "CCGC", "", "AC", "GGCCGATA"]
PARSES = ["(S (NP (DT the) (NN ox)) (VP eats))", "(S (NP oxen) (VP eat))", "(S)", "(S (NP (DT an) (NN ox)) (VP eats))"]


def _graphs(**options: Any) -> Graphs:
    sizes = [4, 4, 3, 2, 1, 2]
    return Graphs.from_edges(
        [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (5, 7), (8, 9), (9, 10), (10, 8), (11, 12)],
        np.repeat(np.arange(6), sizes),
        **options,
    )


def _labelled() -> Graphs:
    return _graphs(node_labels=list("CCOCNCCOCCCCOCCO"), edge_labels=list("ssddsdsssdd"))


def _attributed() -> Graphs:
    return _graphs(node_attributes=np.random.default_rng(5).normal(size=(16, 2)), weights=np.arange(1.0, 12.0))


def _graphs_anew(graphs: Graphs) -> Graphs:
    edges, weights, labels = [], [], []
    start = 0
    for graph in graphs:
        edges += [(u + start, v + start) for u, v in graph.edges()]
        weights += [] if graphs.weights is None else list(graph.weights)
        labels += [] if graphs.edge_labels is None else list(graph.edge_labels)
        start += graph.n_nodes
    return Graphs.from_edges(
        np.array(edges).reshape(-1, 2),
        np.repeat(np.arange(len(graphs)), [graph.n_nodes for graph in graphs]),
        n_graphs=len(graphs),
        directed=bool(graphs.directed),
        weights=weights or None,
        edge_labels=labels or None,
        node_labels=None if graphs.node_labels is None else [label for g in graphs for label in g.node_labels],
        node_attributes=graphs.node_attributes,
    )


def _pair(tree: Any) -> Any:
    children = list(tree)
    return (tree.label(), list(map(_pair, children))) if children else tree.label()


def _trees_anew(trees: Trees) -> Trees:
    return Trees([(tree.label(), list(map(_pair, tree))) for tree in trees])


def _table() -> Table:
    return Table.from_frame(
        {"age": [3.0, 1.0, 2.0, 2.0], "word": ["ox", "cow", "ox", "owl"], "read": WORDS[:4]}, kinds={"read": "text"}
    )


STRINGS = [ms.Spectrum(2), ms.Mismatch(3, 1), ms.Gapped(4, 2), ms.Subsequence(2), ms.WeightedDegree(3),
           ms.LocalAlignment(), ms.Spectrum(2, "min"), ms.BagOfWords()]  # fmt: skip
TREES = [mt.Subtree(0.5), mt.SubsetTree(), mt.PartialTree()]
SHAPES = [
    mg.ShortestPath(labeled=False),
    mg.RandomWalk(0.05, labeled=False),
    mg.Graphlet(3),
    mg.Graphlet(4, n_samples=50),
]
LABELS = [mg.VertexHistogram(), mg.EdgeHistogram(), mg.WeisfeilerLehman(2), mg.WeisfeilerLehman(1, mg.ShortestPath()),
          mg.WLOptimalAssignment(2), mg.NeighborhoodHash(2), mg.ShortestPath(), mg.Propagation(2), mg.RandomWalk(0.05),
          mg.Graphlet(3, labeled=True), mg.WeisfeilerLehman(2, edge_labels=True)]  # fmt: skip
ATTRIBUTES = [mg.AttributedShortestPath(mk.RBF(gamma=0.5)), mg.GraphHopper(mk.RBF(gamma=0.5)),
              mg.Propagation(2, 0.5, spread="attributes")]  # fmt: skip
COLUMNS = [
    mk.Columns("age", mk.RBF(gamma=0.5)) + mk.Columns("word", mk.Delta()),
    mk.Columns("read", ms.Spectrum(2)),
    mk.Columns(["age", "word"], mk.Overlap()),
]

STRUCTURES: dict[str, Structure] = {
    "Strings": Structure(lambda: Strings(WORDS), STRINGS, lambda s: Strings(s.to_list(), s.granularity)),
    "Strings of wide characters": Structure(
        lambda: Strings([*WORDS, "日本"]), STRINGS[:5], lambda s: Strings(s.to_list(), s.granularity)
    ),
    "Strings of bytes": Structure(
        lambda: Strings([word.encode() for word in WORDS]), STRINGS[:5], lambda s: Strings(s.to_list(), s.granularity)
    ),
    "Strings of tokens": Structure(
        lambda: Strings([list(word) for word in WORDS], names=list("abcdef")),
        [STRINGS[0], *STRINGS[3:5], STRINGS[7]],
        lambda s: Strings(s.to_list(), s.granularity),
    ),
    "Trees": Structure(lambda: Trees(PARSES), TREES, _trees_anew),
    "Graphs": Structure(_graphs, SHAPES, _graphs_anew),
    "Graphs with arrows": Structure(lambda: _graphs(directed=True), SHAPES[:2] + LABELS[2:3], _graphs_anew),
    "Graphs with labels": Structure(_labelled, LABELS + SHAPES, _graphs_anew),
    "Graphs with attributes": Structure(_attributed, ATTRIBUTES + SHAPES, _graphs_anew),
    "Table": Structure(
        _table,
        COLUMNS,
        lambda t: Table.from_frame({n: t.column(n) for n in t.names}, dict(zip(t.names, t.kinds, strict=True))),
    ),
}
