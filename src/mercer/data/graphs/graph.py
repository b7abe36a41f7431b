"""One graph of `Graphs`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import describe

if TYPE_CHECKING:
    from mercer.data.graphs.graphs import Graphs

__all__ = ["Graph"]


@final
class Graph:
    """One graph; what `Graphs` give for an integer.

    Nodes are numbered from 0. An edge of an undirected graph is listed once, its smaller node first. Compares and
    hashes by content, numbering included: graphs that are merely isomorphic differ. Pickles.

    Examples
    --------
    >>> from mercer.data import Graphs
    >>> water = Graphs([({("O", "H1"), ("O", "H2")}, {"H1": "H", "H2": "H", "O": "O"})], directed=True)[0]
    >>> water
    Graph(3 nodes, 2 edges, directed)
    >>> water.edges(), water.node_labels
    ([(2, 0), (2, 1)], ['H', 'H', 'O'])
    """

    __slots__ = ("_one",)

    def __init__(self, one: "Graphs") -> None:
        from mercer.data.graphs.graphs import Graphs

        if not isinstance(one, Graphs) or len(one) != 1:
            raise ValueError(f"Graph: expected Graphs that hold one graph, got {describe(one)}.")
        self._one = one

    @classmethod
    def _of(cls, one: "Graphs") -> "Graph":
        """The graph of a container known to hold one."""
        graph = cls.__new__(cls)
        graph._one = one
        return graph

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self._one.offsets[-1])

    @property
    def n_edges(self) -> int:
        """Number of edges, of undirected graphs each counted once."""
        return int(self._one.n_edges[0])

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._one.directed

    @property
    def _tails(self) -> IndexArray:
        return np.repeat(np.arange(self.n_nodes), self._one.degrees)

    @property
    def _listed(self) -> npt.NDArray[np.bool_]:
        """Which arcs `edges` lists."""
        tails = self._tails
        return np.ones(len(tails), dtype=bool) if self.directed else tails <= self._one.neighbors

    def edges(self) -> list[tuple[int, int]]:
        """Edges as pairs of nodes, in order."""
        chosen = self._listed
        return list(zip(self._tails[chosen].tolist(), self._one.neighbors[chosen].tolist(), strict=True))

    @property
    def node_labels(self) -> list[Any] | None:
        """Label of each node, or None."""
        one = self._one
        return None if one.node_labels is None else [one.node_values[number] for number in one.node_labels.tolist()]

    @property
    def edge_labels(self) -> list[Any] | None:
        """Label of each edge in the order of `edges`, or None."""
        one = self._one
        if one.edge_labels is None:
            return None
        return [one.edge_values[number] for number in one.edge_labels[self._listed].tolist()]

    @property
    def weights(self) -> DoubleArray | None:
        """Weight of each edge in the order of `edges`, or None if all are 1."""
        return None if self._one.weights is None else self._one.weights[self._listed]

    @property
    def node_attributes(self) -> DoubleArray | None:
        """Vector of each node, shape (n_nodes, d), or None."""
        return self._one.node_attributes

    @property
    def edge_attributes(self) -> DoubleArray | None:
        """Vector of each edge in the order of `edges`, shape (n_edges, d), or None."""
        return None if self._one.edge_attributes is None else self._one.edge_attributes[self._listed]

    def adjacency(self) -> sp.csr_array:
        """Adjacency matrix with the weights as entries, or ones.

        >>> from mercer.data import Graphs
        >>> Graphs([[(0, 1), (1, 2)]])[0].adjacency().toarray()
        array([[0., 1., 0.],
               [1., 0., 1.],
               [0., 1., 0.]])
        """
        one = self._one
        weights = np.ones(len(one.neighbors)) if one.weights is None else one.weights
        return sp.csr_array((weights, one.neighbors, one.indptr), shape=(self.n_nodes, self.n_nodes))

    def to_networkx(self) -> Any:
        """A ``networkx.Graph`` or ``DiGraph`` with attributes "label", "weight" and "attributes"; needs networkx."""
        try:
            networkx = import_module("networkx")
        except ImportError:
            raise ImportError("Graph.to_networkx: needs networkx; install it with: pip install networkx") from None
        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        nodes = _records(self.n_nodes, label=self.node_labels, attributes=self.node_attributes)
        edges = _records(self.n_edges, label=self.edge_labels, weight=self.weights, attributes=self.edge_attributes)
        graph.add_nodes_from(enumerate(nodes))
        graph.add_edges_from((*pair, record) for pair, record in zip(self.edges(), edges, strict=True))
        return graph

    def __eq__(self, other: object) -> bool:
        return self._one == other._one if isinstance(other, Graph) else NotImplemented

    def __hash__(self) -> int:
        one = self._one
        labels = [b"" if flat is None else flat.tobytes() for flat in (one.node_labels, one.edge_labels)]
        return hash((self.directed, one.indptr.tobytes(), one.neighbors.tobytes(), *labels))

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph, (self._one,)

    def __repr__(self) -> str:
        counts = ((self.n_nodes, "node"), (self.n_edges, "edge"))
        sizes = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts)
        return f"Graph({sizes}{', directed' if self.directed else ''})"


def _records(n: int, **columns: Any) -> list[dict[str, Any]]:
    """A dict for each of n nodes or edges, of the columns that are there."""
    present = {name: column.tolist() if isinstance(column, np.ndarray) else column for name, column in columns.items()}
    return [{name: column[i] for name, column in present.items() if column is not None} for i in range(n)]
