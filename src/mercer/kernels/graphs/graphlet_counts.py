"""Counted or sampled subgraphs: estimates, standard errors and names."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._runtime.limits import require_time
from mercer._typing import DoubleArray, IndexArray
from mercer.data import Graphs
from mercer.data.hashing.texts import HashArray
from mercer.kernels.graphs.base import core_graphs, require_edge_labels
from mercer.kernels.graphs.graphlet_classes import Shape
from mercer.kernels.keyed import KeyArray, KeyedRows

__all__ = ["GraphletCounts", "count_graphlets"]

STEPS = 2e11  # limit of an enumeration without labels: minutes
LABELLED_STEPS = 2e10
DRAW = 5e-8  # seconds per sampled node


@dataclass(frozen=True, eq=False)
class GraphletCounts:
    """Numbers of sets of nodes, by class of the induced subgraph.

    Attributes
    ----------
    rows : KeyedRows
        Counts of each graph; hits where sets were sampled.
    examples : ndarray of int32 of shape (n_entries, size)
        With labels, the nodes of one such subgraph, in an order that depends only on the class.
    sets : ndarray of float64 of shape (n_graphs,)
        Number of sets of nodes of each graph, C(n_nodes, size).
    drawn : ndarray of int64 of shape (n_graphs,)
        Number of sampled sets of each graph; 0 if it was counted exactly.
    """

    rows: KeyedRows
    examples: Any
    sets: DoubleArray
    drawn: IndexArray

    def _spread(self, values: Any) -> Any:
        """Repeat a number per graph for all of its entries."""
        return np.repeat(values, np.diff(self.rows.indptr))

    def _with(self, values: Any) -> KeyedRows:
        return KeyedRows._of(self.rows.indptr, self.rows.keys, values)

    @property
    def _totals(self) -> DoubleArray:
        row = self._spread(np.arange(len(self.rows)))
        totals: DoubleArray = np.bincount(row, weights=self.rows.values, minlength=len(self.rows)).astype(np.float64)
        return totals

    def counts(self) -> KeyedRows:
        """Counts; hits/drawn · sets where sets were sampled."""
        scale = np.where(self.drawn > 0, self.sets / np.maximum(self.drawn, 1), 1.0)
        return self._with(self.rows.values * self._spread(scale))

    def frequencies(self) -> KeyedRows:
        """Counts divided by their sum over the classes that occur."""
        return self._with(self.rows.values / self._spread(self._totals))

    def presence(self) -> KeyedRows:
        """1 for every class that occurs."""
        return self._with(np.ones(len(self.rows.keys)))

    def errors(self, *, frequencies: bool) -> KeyedRows:
        """Standard errors of counts or frequencies; 0 for exact counts.

        A count is the number of sets times the fraction of draws that hit; a frequency is a fraction of the hits.
        """
        drawn = self._spread(self.drawn)
        trials = self._spread(self._totals) if frequencies else np.maximum(drawn, 1)
        share = np.minimum(self.rows.values / trials, 1.0)
        scale = 1.0 if frequencies else self._spread(self.sets)
        return self._with(np.where(drawn > 0, scale * np.sqrt(share * (1 - share) / trials), 0.0))

    def names(self, graphs: Graphs, keys: KeyArray, *, labeled: bool, edges: bool) -> list[str]:
        """Names of classes with labels, each from an example."""
        found, entry = np.unique(self.rows.keys, return_index=True)
        entry = entry[np.searchsorted(found, keys)]
        graph = np.searchsorted(self.rows.indptr, entry, side="right") - 1
        examples = zip(graph.tolist(), self.examples[entry].tolist(), strict=True)
        return [_labelled_name(graphs, g, nodes, labeled, edges) for g, nodes in examples]


def count_graphlets(
    graphs: Graphs, size: int, *, connected: bool, labeled: bool, edges: bool, n_samples: int, seed: int
) -> GraphletCounts:
    """Count the subgraphs of `size` nodes of every graph, or sample them if `n_samples` is not 0."""
    most = math.comb(int(graphs.n_nodes.max(initial=0)), size)
    require_time(
        DRAW * n_samples * size if n_samples < most else 0.0,  # graphs with fewer sets of nodes are counted exactly
        what=f"Graphlet: {n_samples} samples of {size} nodes of one graph",
        instead="Lower n_samples: the standard error falls with its square root, and 10000 samples are usual.",
    )
    limit = LABELLED_STEPS if labeled or edges else STEPS
    indptr, keys, hits, examples, sets, drawn, refused, steps = _core.graphlets(
        core_graphs(graphs),
        _node_labels(graphs) if labeled else None,
        _edge_labels(graphs) if edges else None,
        size,
        connected,
        n_samples,
        seed,
        limit,
        thread_count(),
    )
    if refused >= 0:
        others = ["a smaller size", *["connected=True"] * (not connected), *["no labels"] * (labeled or edges)]
        raise ValueError(
            f"Graphlet: enumerating the subgraphs of size {size} of graph {refused} may take {steps:.1e} steps, "
            f"expected at most {limit:.0e}; sample them with n_samples, or use {' or '.join(others)}."
        )
    return GraphletCounts(KeyedRows._of(indptr, keys, hits), examples.reshape(-1, size), sets, drawn)


def _node_labels(graphs: Graphs) -> HashArray:
    if graphs.node_labels is not None:
        return graphs.node_labels
    if graphs.lengths.any():
        raise ValueError(
            f"Graphlet: labeled=True, but graph {int(np.argmax(graphs.lengths > 0))} has no node labels; pass them to "
            "mercer.data.Graphs, or use labeled=False."
        )
    return np.empty(0, dtype=np.uint64)


def _edge_labels(graphs: Graphs) -> HashArray | None:
    if graphs.directed:
        raise ValueError(
            "Graphlet: edge_labels=True needs undirected graphs, got directed ones; pack them with directed=False, or "
            "use edge_labels=False."
        )
    return require_edge_labels(graphs, "Graphlet: edge_labels=True")


def _labelled_name(graphs: Graphs, graph: int, nodes: list[int], labeled: bool, edges: bool) -> str:
    base = int(graphs.offsets[graph])
    arcs: dict[tuple[int, int], int] = {}
    for j, v in enumerate(nodes):
        start, stop = graphs.indptr[base + v : base + v + 2].tolist()
        row = graphs.neighbors[start:stop].tolist()
        arcs |= {(i, j): start + row.index(u) for i, u in enumerate(nodes[:j]) if u in row}
        if graphs.directed:
            for i, u in enumerate(nodes[:j]):
                back = graphs.neighbors[graphs.indptr[base + u] : graphs.indptr[base + u + 1]]
                if v in back:
                    arcs.setdefault((i, j), -1)
    shape = Shape.of(len(nodes), arcs)
    hashes, links = graphs.node_labels, graphs.edge_labels
    labels = None
    if labeled and hashes is not None:
        labels = [str(graphs.node_values[int(hashes[base + v])]) for v in nodes]
    if not edges or links is None:
        return shape.labelled(labels, None)
    return shape.labelled(labels, {pair: str(graphs.edge_values[int(links[arc])]) for pair, arc in arcs.items()})
