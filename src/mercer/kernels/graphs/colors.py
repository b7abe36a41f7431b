"""Weisfeiler-Lehman colour refinement."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._runtime.limits import require_memory
from mercer.data import Graphs
from mercer.kernels.graphs.base import core_graphs, node_labels, require_edge_labels
from mercer.kernels.graphs.words import ColorWords, Directed

__all__ = ["Colors"]

LEVEL_BYTES = 24  # per node and round: its label, and its entry in the counts
DIRECTIONS = {"both": _core.Direction.both, "out": _core.Direction.outgoing, "in": _core.Direction.incoming}


@dataclass(frozen=True, eq=False)
class Colors:
    """Weisfeiler-Lehman colours of the nodes of some graphs.

    Attributes
    ----------
    graphs : Graphs
        The graphs.
    n_iter : int
        Rounds of refinement.
    edge_labels : bool
        Whether edge labels are part of the neighbourhood of a node.
    directed : {"both", "out", "in"}
        Neighbours of a node in a directed graph.

    Examples
    --------
    >>> star = Graphs.from_edges([[0, 1], [0, 2], [0, 3]], node_labels=["C", "O", "O", "H"])
    >>> colors = Colors(star, 1)
    >>> colors.levels.shape
    (2, 4)
    >>> [bool(colors.levels[1, 1] == colors.levels[1, v]) for v in (2, 3)]
    [True, False]
    """

    graphs: Graphs
    n_iter: int
    edge_labels: bool = False
    directed: Directed = "both"

    @cached_property
    def levels(self) -> npt.NDArray[np.uint64]:
        """Colours of all nodes in all rounds, shape (n_iter + 1, n_nodes)."""
        graphs = self.graphs
        nodes = int(graphs.offsets[-1])
        require_memory(
            LEVEL_BYTES * (self.n_iter + 1) * nodes,
            what=f"WeisfeilerLehman: labels and counts of {nodes} nodes in {self.n_iter + 1} rounds",
            instead="Lower n_iter: labels are stable after at most as many rounds as a graph has nodes.",
        )
        seen = require_edge_labels(graphs, "WeisfeilerLehman") if self.edge_labels else None
        flat = _core.weisfeiler_lehman(
            core_graphs(graphs), node_labels(graphs), self.n_iter, seen, DIRECTIONS[self.directed], thread_count()
        )
        return flat.reshape(self.n_iter + 1, -1)

    def relabelled(self, level: int, *, named: bool = False) -> Graphs:
        """Graphs with the colours of one round as node labels; `named` gives each colour a readable name."""
        labels = self.levels[level]
        values = {}
        if named:
            found, first = np.unique(labels, return_index=True)
            values = {c: self.words(level, v) for c, v in zip(found.tolist(), first.tolist(), strict=True)}
        return Graphs._of(self.graphs._with(node_labels=labels, node_values=values))

    @cached_property
    def words(self) -> ColorWords:
        """Readable names of colours."""
        return ColorWords(self.graphs, self.levels, edge_labels=self.edge_labels, directed=self.directed)
