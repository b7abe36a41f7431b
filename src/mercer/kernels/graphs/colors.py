"""Colours of nodes that take in their neighbourhoods."""

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

LEVEL_BYTES = 24  # of a node in a round: its label, and its entry in the counts
DIRECTIONS = {"both": _core.Direction.both, "out": _core.Direction.outgoing, "in": _core.Direction.incoming}


@dataclass(frozen=True, eq=False)
class Colors:
    """Weisfeiler-Lehman colours of the nodes of some graphs.

    Attributes
    ----------
    graphs : Graphs
    n_iter : int
        Rounds of refinement.
    edge_labels : bool
        Whether a node sees the labels of its edges.
    directed : {"both", "out", "in"}
        Which neighbours a node of a directed graph sees.

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
        """h_0, …, h_n of all nodes, shape (n_iter + 1, number of nodes)."""
        graphs = self.graphs
        nodes = int(graphs.offsets[-1])
        require_memory(
            LEVEL_BYTES * (self.n_iter + 1) * nodes,
            what=f"WeisfeilerLehman: labels and counts of {nodes} nodes in {self.n_iter + 1} rounds",
            instead="Lower n_iter: after as many rounds as a graph has nodes no label says anything new.",
        )
        seen = require_edge_labels(graphs, "WeisfeilerLehman") if self.edge_labels else None
        flat = _core.weisfeiler_lehman(
            core_graphs(graphs), node_labels(graphs), self.n_iter, seen, DIRECTIONS[self.directed], thread_count()
        )
        return flat.reshape(self.n_iter + 1, -1)

    def relabelled(self, level: int, *, named: bool = False) -> Graphs:
        """The graphs with the colours of a level as node labels; `named` gives each a word."""
        labels = self.levels[level]
        values = {}
        if named:
            found, first = np.unique(labels, return_index=True)
            values = {c: self.words(level, v) for c, v in zip(found.tolist(), first.tolist(), strict=True)}
        return Graphs._of(self.graphs._with(node_labels=labels, node_values=values))

    @cached_property
    def words(self) -> ColorWords:
        """A word for the colour of a node."""
        return ColorWords(self.graphs, self.levels, edge_labels=self.edge_labels, directed=self.directed)
