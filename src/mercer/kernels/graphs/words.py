"""Readable names of Weisfeiler-Lehman colours: a label, followed by those of its neighbours in brackets."""

from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mercer._typing import IndexArray
from mercer.data import Graphs

__all__ = ["ColorWords", "Directed"]

Directed: TypeAlias = Literal["both", "out", "in"]

DEPTH = 2  # rounds of neighbours shown in a name
WIDTH = 60  # characters of a name


class ColorWords:
    """Readable names of Weisfeiler-Lehman colours.

    Parameters
    ----------
    graphs : Graphs
        The graphs.
    levels : ndarray of uint64 of shape (n_levels, n_nodes)
        Colours of the nodes.
    edge_labels : bool
        Whether edge labels are part of a neighbourhood.
    directed : {"both", "out", "in"}
        Neighbours of a node in a directed graph, see `mercer.kernels.WeisfeilerLehman`.

    Examples
    --------
    >>> from mercer.kernels.graphs.colors import Colors
    >>> star = Graphs.from_edges([[0, 1], [0, 2], [0, 3]], node_labels=["C", "O", "O", "H"])
    >>> words = Colors(star, 2).words
    >>> words(0, 1), words(1, 0), words(2, 1)
    ('O', 'C(H,O,O)', 'O(C(H,O,O))')
    """

    def __init__(
        self, graphs: Graphs, levels: npt.NDArray[np.uint64], *, edge_labels: bool, directed: Directed
    ) -> None:
        self.graphs, self.levels, self.edge_labels, self.directed = graphs, levels, edge_labels, directed
        self._known: dict[tuple[int, int, int], str] = {}

    def __call__(self, level: int, node: int) -> str:
        """Name of the colour of a node: its label and, in brackets, the sorted names of its neighbours.

        A name that is cut at depth 2 or 60 characters ends with a part of the hash, so that names are distinct.
        """
        text = self._text(level, min(level, DEPTH), node)
        if level <= DEPTH and len(text) <= WIDTH:
            return text
        text = text if len(text) <= WIDTH else text[:WIDTH] + "…"
        return f"{text} ~{int(self.levels[level, node]) >> 40:06x}"

    def _text(self, level: int, depth: int, node: int) -> str:
        color = level, depth, int(self.levels[level, node])
        if color not in self._known:
            text = self._label(node)
            if depth:
                around = [mark + self._text(level - 1, depth - 1, other) for mark, other in self._neighbors(node)]
                text += f"({','.join(sorted(around))})"
            self._known[color] = text
        return self._known[color]

    def _label(self, node: int) -> str:
        labels = self.graphs.node_labels
        return "node" if labels is None else str(self.graphs.node_values[int(labels[node])])

    def _neighbors(self, node: int) -> list[tuple[str, int]]:
        """Neighbours of a node, each with the direction and the label of the arc, if these are used."""
        tails, heads = self._arcs
        seen = []
        if self.directed != "in" or not self.graphs.directed:
            arcs = range(*self.graphs.indptr[node : node + 2].tolist())
            seen += [("→" if self.graphs.directed else "", arc, int(heads[arc])) for arc in arcs]
        if self.directed != "out" and self.graphs.directed:
            order, starts = self._reversed
            seen += [("←", arc, int(tails[arc])) for arc in order[starts[node] : starts[node + 1]].tolist()]
        return [(mark + self._bond(arc), other) for mark, arc, other in seen]

    def _bond(self, arc: int) -> str:
        labels = self.graphs.edge_labels
        return f"{self.graphs.edge_values[int(labels[arc])]}:" if self.edge_labels and labels is not None else ""

    @cached_property
    def _arcs(self) -> tuple[IndexArray, IndexArray]:
        """Tail and head of every arc, numbered among all nodes."""
        graphs = self.graphs
        first = np.repeat(graphs.offsets[:-1], graphs.n_nodes)  # first node of the graph of every node
        tails = np.repeat(np.arange(len(first)), graphs.degrees)
        return tails, graphs.neighbors + first[tails]

    @cached_property
    def _reversed(self) -> tuple[IndexArray, IndexArray]:
        """Arcs sorted by head, and the start of those of each node."""
        heads = self._arcs[1]
        counts = np.bincount(heads, minlength=int(self.graphs.offsets[-1]))
        return np.argsort(heads, kind="stable"), np.concatenate([[0], np.cumsum(counts)])
