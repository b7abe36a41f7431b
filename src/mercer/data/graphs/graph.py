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
    """One graph; indexing `Graphs` with an integer returns it.

    Nodes are numbered from 0. An edge of an undirected graph is listed once, smaller node first. Graphs compare and
    hash by content including the numbering of the nodes: isomorphic graphs may differ.

    Parameters
    ----------
    one : Graphs
        Container with a single graph.

    See Also
    --------
    Graphs : Container of graphs.

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
            raise ValueError(f"Graph: expected Graphs with a single graph, got {describe(one)}.")
        self._one = one

    @classmethod
    def _of(cls, one: "Graphs") -> "Graph":
        """Graph of a container that is known to hold one."""
        graph = cls.__new__(cls)
        graph._one = one
        return graph

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self._one.offsets[-1])

    @property
    def n_edges(self) -> int:
        """Number of edges; undirected edges count once."""
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
        """Mask of the arcs listed by `edges`."""
        tails = self._tails
        return np.ones(len(tails), dtype=bool) if self.directed else tails <= self._one.neighbors

    def edges(self) -> list[tuple[int, int]]:
        """List the edges.

        Returns
        -------
        list of tuple of int
            Pairs of nodes, in ascending order.
        """
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
        """Attributes of the nodes, shape (n_nodes, n_attributes), or None."""
        return self._one.node_attributes

    @property
    def edge_attributes(self) -> DoubleArray | None:
        """Attributes of the edges in the order of `edges`, shape (n_edges, n_attributes), or None."""
        return None if self._one.edge_attributes is None else self._one.edge_attributes[self._listed]

    def adjacency(self) -> sp.csr_array:
        """Adjacency matrix with the edge weights as entries, or ones.

        Returns
        -------
        csr_array of shape (n_nodes, n_nodes)
            Adjacency matrix.

        Examples
        --------
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
        """Convert to networkx.

        Returns
        -------
        networkx.Graph or networkx.DiGraph
            Graph with the attributes "label", "weight" and "attributes".

        Raises
        ------
        ImportError
            If networkx is not installed.
        """
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
    """A dict for each of n nodes or edges, with the columns that are present."""
    present = {name: column.tolist() if isinstance(column, np.ndarray) else column for name, column in columns.items()}
    return [{name: column[i] for name, column in present.items() if column is not None} for i in range(n)]
