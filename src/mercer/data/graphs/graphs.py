"""`Graphs`: many graphs packed as one sparse matrix in compressed rows."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import describe
from mercer.data.graphs.arrays import choose, from_arrays, join, same, summary
from mercer.data.graphs.assemble import assemble, direction
from mercer.data.graphs.checks import check_graphs
from mercer.data.graphs.graph import Graph
from mercer.data.hashing.texts import HashArray, used_texts
from mercer.data.packed import Packed, listed
from mercer.data.readers.adjacency import read_matrices
from mercer.data.readers.graph_attributes import AttributeNames
from mercer.data.readers.graph_notations import is_graph, read_graph
from mercer.data.readers.lines import Path
from mercer.data.readers.smiles import read_smiles
from mercer.data.readers.tu import read_tu

__all__ = ["Graphs"]

_FIELDS = (
    "offsets",
    "indptr",
    "neighbors",
    "directed",
    "node_labels",
    "edge_labels",
    "weights",
    "node_attributes",
    "edge_attributes",
    "node_values",
    "edge_values",
)


@final
class Graphs(Packed):
    """Graphs with labels, weights and attributes, packed into flat arrays over all nodes and arcs.

    Parameters
    ----------
    graphs : list, tuple, 1-D array, column of a frame, or Graphs
        Each graph is one of

        - a graph of networkx, igraph, PyTorch Geometric (``Data``) or GraKeL, recognised by its methods,
        - a square adjacency matrix, dense or sparse, whose nonzero values are edge weights,
        - a list of edges ``(u, v)``, ``(u, v, weight)`` or ``(u, v, {"label": ...})`` between nodes numbered from 0,
        - a pair ``(n_nodes, edges)``, which allows isolated nodes,
        - a triple ``(edges, node labels, edge labels)`` as in GraKeL: edges as a matrix, a dict or a collection of
          pairs, labels as dicts; the last one or two may be omitted,
        - a str, read as SMILES with rdkit, see `from_smiles`,
        - a `Graph`.
    directed : bool, default=None
        Whether edges have a direction. With None, the graphs decide: edge lists are undirected; matrices, triples and
        ``Data`` are undirected if all of them are symmetric. With True an undirected edge becomes two arcs. With False
        an asymmetric graph raises ValueError.
    node_label : str or None, default="label"
        Node attribute, or field of a ``Data``, that holds the node labels. A name other than the default must exist.
        With None no labels are read.
    edge_label : str or None, default="label"
        Edge attribute that holds the edge labels, as for `node_label`.
    weight : str or None, default="weight"
        Edge attribute that holds the weights; edges without it have weight 1.
    node_attributes : str or list of str, default=None
        Node attributes with numbers or vectors, which become columns. With None, ``x`` of a ``Data``, unless it holds
        the labels.
    edge_attributes : str or list of str, default=None
        Edge attributes with numbers or vectors, which become columns. With None, ``edge_attr`` of a ``Data``, unless it
        holds the labels.

    Attributes
    ----------
    offsets : ndarray of int64 of shape (n_graphs + 1,)
        Graph i has the nodes ``offsets[i]`` to ``offsets[i + 1] - 1``. All arrays are read-only.
    indptr : ndarray of int64 of shape (n_nodes + 1,)
        Node v has the arcs ``indptr[v]`` to ``indptr[v + 1] - 1``.
    neighbors : ndarray of int32 of shape (n_arcs,)
        Head of each arc: the number of the node within its graph, strictly ascending for each node. An undirected edge
        is two arcs with equal data, a loop is one.
    directed : bool
        Whether edges have a direction.
    node_labels : ndarray of uint64 of shape (n_nodes,) or None
        Stable hash of the label of each node; 1, 1.0 and True are the same label, "1" is another.
    edge_labels : ndarray of uint64 of shape (n_arcs,) or None
        Stable hash of the label of each arc.
    weights : ndarray of float64 of shape (n_arcs,) or None
        Weight of each arc; None if all are 1.
    node_attributes : ndarray of float64 of shape (n_nodes, n_attributes) or None
        Attributes of each node.
    edge_attributes : ndarray of float64 of shape (n_arcs, n_attributes) or None
        Attributes of each arc.
    node_values : dict
        Label of each hash in `node_labels`.
    edge_values : dict
        Label of each hash in `edge_labels`.

    See Also
    --------
    Graph : One graph.
    Strings : Packed strings.
    Trees : Packed trees.
    mercer.kernels.WeisfeilerLehman : A graph kernel.

    Notes
    -----
    Graphs without nodes are kept as samples, and so are isolated nodes and loops. Parallel edges are merged: weights
    are summed if there are any; different labels become a sorted tuple; attributes must be equal. An undirected edge
    may be listed in one direction or in both, with equal data; it is one edge in either case. Labels and attributes are
    given for all nodes (edges) of all graphs, or for none. Node names are not kept, only the order of the nodes.

    Packing takes O(m log m) time for m arcs, with 12 to 28 bytes per arc and 16 to 24 per node without attributes.
    Choosing rows copies only the chosen nodes and arcs.

    Examples
    --------
    >>> import numpy as np
    >>> graphs = Graphs([[(0, 1), (1, 2)], (3, [(0, 1)]), np.ones((2, 2)) - np.eye(2), []])
    >>> graphs
    Graphs(4 of 0 to 3 nodes)
    >>> graphs.n_nodes.tolist(), graphs.n_edges.tolist()
    ([3, 3, 2, 0], [2, 1, 1, 0])
    >>> graphs[0].edges()
    [(0, 1), (1, 2)]
    >>> graphs.indptr[:4].tolist(), graphs.neighbors[:4].tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    """

    indptr: IndexArray
    neighbors: npt.NDArray[np.int32]
    directed: bool
    node_labels: HashArray | None
    edge_labels: HashArray | None
    weights: DoubleArray | None
    node_attributes: DoubleArray | None
    edge_attributes: DoubleArray | None
    node_values: dict[int, Any]
    edge_values: dict[int, Any]

    def __init__(
        self,
        graphs: Data,
        *,
        directed: bool | None = None,
        node_label: str | None = "label",
        edge_label: str | None = "label",
        weight: str | None = "weight",
        node_attributes: str | Sequence[str] | None = None,
        edge_attributes: str | Sequence[str] | None = None,
    ) -> None:
        directed = direction("Graphs", directed)
        names = AttributeNames.of("Graphs", node_label, edge_label, weight, node_attributes, edge_attributes)
        if is_graph(graphs):
            raise TypeError(f"Graphs: expected a list of graphs, got {describe(graphs)}; put a single graph in a list.")
        if isinstance(graphs, Graphs) and directed in (None, graphs.directed):
            self._fill(**graphs._with())
            return
        items = listed("Graphs", graphs)
        kinds = {item.directed if isinstance(item, Graph) else None for item in items}
        if len(kinds) == 1 and None not in kinds and (directed is None or directed in kinds):
            self._fill(**items[0]._one._with(**join([item._one for item in items])))
            return
        unpacked = [read_graph("Graphs", i, item, names, directed) for i, item in enumerate(items)]
        self._fill(**assemble("Graphs", unpacked, directed))

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        graph_indicator: Any = None,
        *,
        n_nodes: int | None = None,
        n_graphs: int | None = None,
        directed: bool | None = False,
        node_labels: Any = None,
        edge_labels: Any = None,
        weights: Any = None,
        node_attributes: Any = None,
        edge_attributes: Any = None,
    ) -> Self:
        """Pack flat arrays of one large graph or many graphs, without a loop over nodes or edges.

        Parameters
        ----------
        edges : array of int of shape (n_edges, 2)
            Nodes of each edge, numbered from 0 over all graphs.
        graph_indicator : array of int of shape (n_nodes,), default=None
            Graph of each node, numbered from 0. With None there is one graph.
        n_nodes : int, default=None
            Number of nodes of a single graph. With None, inferred from the arrays.
        n_graphs : int, default=None
            Number of graphs. With None, inferred from `graph_indicator`.
        directed : bool or None, default=False
            Whether edges have a direction. With False one direction of an edge suffices. With None the graphs are
            undirected if they are symmetric.
        node_labels : sequence of hashable values, or array, default=None
            Label of each node; the rows of a matrix become tuples.
        edge_labels : sequence of hashable values, or array, default=None
            Label of each edge; the rows of a matrix become tuples.
        weights : array of shape (n_edges,), default=None
            Weight of each edge.
        node_attributes : array of shape (n_nodes, n_attributes), default=None
            Attributes of each node.
        edge_attributes : array of shape (n_edges, n_attributes), default=None
            Attributes of each edge.

        Returns
        -------
        Graphs
            Packed graphs.

        Examples
        --------
        >>> Graphs.from_edges([[0, 1], [1, 2], [3, 4]], [0, 0, 0, 1, 1], node_labels=["C", "C", "O", "C", "N"])
        Graphs(2 of 2 to 3 nodes, 3 node labels)
        """
        directed = direction("Graphs.from_edges", directed)
        fields = from_arrays(
            "Graphs.from_edges",
            edges,
            graph_indicator,
            n_nodes=n_nodes,
            n_graphs=n_graphs,
            directed=directed,
            complete=directed is False,
            node_labels=node_labels,
            edge_labels=edge_labels,
            weights=weights,
            node_attributes=node_attributes,
            edge_attributes=edge_attributes,
        )
        return cls._of(fields)

    @classmethod
    def from_adjacency(
        cls,
        matrices: Any,
        *,
        directed: bool | None = None,
        node_labels: Sequence[Any] | None = None,
        node_attributes: Sequence[Any] | None = None,
    ) -> Self:
        """Pack square adjacency matrices; values other than 1 are weights.

        Parameters
        ----------
        matrices : list of matrices, or 3-D array
            Adjacency matrix of each graph: nested lists, arrays or sparse matrices.
        directed : bool, default=None
            Whether edges have a direction. With None the graphs are undirected if all matrices are symmetric.
        node_labels : sequence, default=None
            Node labels of each graph.
        node_attributes : sequence, default=None
            Matrix of node attributes of each graph.

        Returns
        -------
        Graphs
            Packed graphs.

        Examples
        --------
        >>> Graphs.from_adjacency([[[0, 2], [2, 0]]], node_labels=[["C", "O"]])
        Graphs(1 of 2 nodes, 2 node labels, weights)
        """
        directed = direction("Graphs.from_adjacency", directed)
        unpacked = read_matrices("Graphs.from_adjacency", matrices, node_labels, node_attributes)
        return cls._of(assemble("Graphs.from_adjacency", unpacked, directed))

    @classmethod
    def read_tu(cls, folder: Path, name: str | None = None, *, directed: bool | None = None) -> tuple[Self, Any]:
        """Read a data set in the TU Dortmund format, plain or gzip.

        Parameters
        ----------
        folder : str or path
            Folder with ``NAME_A.txt`` and ``NAME_graph_indicator.txt``, and optionally ``_node_labels``,
            ``_edge_labels``, ``_node_attributes``, ``_edge_attributes``, ``_graph_labels``, ``_graph_attributes``.
        name : str, default=None
            NAME. Required if the folder holds several data sets or is the parent folder.
        directed : bool, default=None
            Whether edges have a direction. With None the graphs are undirected if every arc has its reverse, with equal
            label and attributes. With False an arc without its reverse raises ValueError.

        Returns
        -------
        graphs : Graphs
            Packed graphs. Labels in several columns become tuples.
        y : ndarray or None
            Graph labels as int64 (float64 if they are not integers), else graph attributes as float64.

        Raises
        ------
        ValueError
            If a line cannot be read. The message names file and line.
        """
        directed = direction("Graphs.read_tu", directed)
        fields, y = read_tu(folder, name, directed)
        return cls._of(fields), y

    @classmethod
    def from_smiles(cls, smiles: Data, *, hydrogens: bool = False) -> Self:
        """Convert molecules to graphs of atoms and bonds; requires rdkit (``pip install 'mercer[chem]'``).

        Parameters
        ----------
        smiles : list, 1-D array or column of str
            SMILES. An empty string is a graph without nodes.
        hydrogens : bool, default=False
            Whether implicit hydrogens become nodes.

        Returns
        -------
        Graphs
            Undirected graphs. Node labels are element symbols such as "C", edge labels bond types such as "AROMATIC".

        Raises
        ------
        ValueError
            If a SMILES is invalid. The message names the row.
        """
        unpacked = read_smiles("Graphs.from_smiles", listed("Graphs.from_smiles", smiles), hydrogens)
        return cls._of(assemble("Graphs.from_smiles", unpacked, False))

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Self:
        return cls.__new__(cls)._fill(**fields)

    # ---- samples

    def _fields(self) -> dict[str, Any]:
        used = {
            name: {} if flat is None else used_texts(values, flat)
            for name, values, flat in (
                ("node_values", self.node_values, self.node_labels),
                ("edge_values", self.edge_values, self.edge_labels),
            )
        }
        return self._with(**used)

    @classmethod
    def _checked(cls, **fields: Any) -> dict[str, Any]:
        return check_graphs("Graphs", **fields)

    def _with(self, **changes: Any) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS} | changes

    def _item(self, i: int) -> Graph:
        return Graph._of(self._take(range(i, i + 1)))

    def _take(self, rows: Any) -> "Graphs":
        return self._of(self._with(**choose(self, rows)))

    def _join(self, others: Sequence["Graphs"]) -> "Graphs":
        return self._of(self._with(**join([self, *others])))

    def __eq__(self, other: object) -> bool:
        return same(self, other) if isinstance(other, Graphs) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    # ---- nodes and edges

    @property
    def n_nodes(self) -> IndexArray:
        """Number of nodes of each graph, ndarray of shape (n_graphs,)."""
        return self.lengths

    @property
    def degrees(self) -> IndexArray:
        """Number of outgoing arcs of each node; a loop counts once."""
        return np.diff(self.indptr)

    @cached_property
    def n_edges(self) -> IndexArray:
        """Number of edges of each graph, ndarray of shape (n_graphs,); undirected edges count once."""
        bounds = self.indptr[self.offsets]
        if self.directed:
            return np.diff(bounds)
        nodes = np.arange(self.offsets[-1]) - np.repeat(self.offsets[:-1], self.lengths)
        loops = np.cumsum(np.append(0, np.repeat(nodes, self.degrees) == self.neighbors))[bounds]
        return (np.diff(bounds) + np.diff(loops)) // 2

    def __repr__(self) -> str:
        return f"Graphs({summary(self)})"
