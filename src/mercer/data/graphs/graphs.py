"""`Graphs`: many graphs packed as one sparse matrix in compressed rows."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import describe
from mercer.data.graphs.arrays import choose, from_arrays, join, same
from mercer.data.graphs.assemble import assemble
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
    """Graphs with labels, weights and attributes, in flat arrays over all nodes and arcs.

    Parameters
    ----------
    graphs : list, tuple, 1-D array, column of a frame, or Graphs
        Each graph as one of

        - a graph of networkx, igraph, PyTorch-Geometric (``Data``) or GraKeL, told by its methods,
        - a square adjacency matrix, an array or a SciPy sparse matrix: edges are where it is not zero, and its values
          their weights,
        - a list of edges ``(u, v)``, ``(u, v, weight)`` or ``(u, v, {"label": ...})`` between nodes 0 to the largest,
        - a pair ``(n_nodes, edges)``, which also tells nodes without edges,
        - a triple ``(edges, node labels, edge labels)`` as GraKeL takes them: edges as a matrix, a dict or a collection
          of pairs, labels as dicts; the last or the last two may be missing,
        - a str, read as SMILES with rdkit, see `from_smiles`,
        - a `Graph` of another container.
    directed : bool, optional
        By default as the graphs say; edge lists are undirected, matrices, triples and ``Data`` are if all of them are
        symmetric. With True an undirected edge counts as two arcs; with False what is not symmetric raises ValueError.
    node_label, edge_label : str or None, default "label"
        Attribute of nodes and edges that holds their label, or field of a ``Data``. Names other than the default must
        be there; None reads no labels.
    weight : str or None, default "weight"
        Attribute that holds the weight of an edge; edges without have weight 1.
    node_attributes, edge_attributes : str or list of str, optional
        Attributes with numbers or vectors, which become columns. Of a ``Data`` they are by default ``x`` and
        ``edge_attr``, unless these are the labels.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n + 1,)
        Graph i has the nodes ``offsets[i]`` to ``offsets[i + 1] - 1``. All arrays are read-only.
    indptr : ndarray of int64, shape (number of nodes + 1,)
        Node v has the arcs ``indptr[v]`` to ``indptr[v + 1] - 1``.
    neighbors : ndarray of int32, shape (number of arcs,)
        Where each arc leads: the number of the node within its graph, from 0. Ascending for each node, without repeats.
        An undirected edge is two arcs that carry the same, a loop is one.
    directed : bool
    node_labels, edge_labels : ndarray of uint64, or None
        Stable hash of the label of each node and of each arc; 1, 1.0 and True are one label, "1" is another.
    weights : ndarray of float64, shape (number of arcs,), or None
        None if all weights are 1.
    node_attributes, edge_attributes : ndarray of float64, shape (nodes or arcs, d), or None
    node_values, edge_values : dict
        The label behind each hash.

    Notes
    -----
    No graph is left out: one without nodes is a sample as any other. Nodes without edges and loops are kept. Parallel
    edges become one: weights are summed if there are any; different labels become the sorted tuple of them; attributes
    have to be equal. An undirected edge may be listed in one direction or in both, which must then carry the same; both
    together are one edge. Labels and attributes are given for all nodes (edges) of all graphs, or for none. Names of
    nodes are not kept, their order is.

    Packing takes O(m log m) time for m arcs, and 12 to 28 bytes per arc and 16 to 24 per node without attributes. A
    choice of rows copies the chosen nodes and arcs only.

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
    >>> Graphs(list(graphs)) == graphs
    True
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
        directed = _direction("Graphs", directed)
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
        """Pack flat arrays: one huge graph, or many; without a loop over nodes or edges.

        Parameters
        ----------
        edges : array of integers, shape (m, 2)
            Nodes of each edge; numbers of nodes run on over all graphs, from 0.
        graph_indicator : array of integers, shape (number of nodes,), optional
            The graph of each node, from 0. Without it there is one graph.
        n_nodes, n_graphs : int, optional
            Number of nodes of the one graph, and number of graphs; by default as many as the arrays speak of.
        directed : bool or None, default False
            With False one direction of an edge is enough; with None the graphs are undirected if they are symmetric.
        node_labels, edge_labels : sequence of hashable values, or array, optional
            The rows of a matrix are taken as tuples.
        weights : array of shape (m,), optional
        node_attributes, edge_attributes : array of shape (nodes or m, d), optional

        Examples
        --------
        >>> Graphs.from_edges([[0, 1], [1, 2], [3, 4]], [0, 0, 0, 1, 1], node_labels=["C", "C", "O", "C", "N"])
        Graphs(2 of 2 to 3 nodes, 3 node labels)
        """
        directed = _direction("Graphs.from_edges", directed)
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
        """Pack square matrices, dense (nested lists, a 3-D array) or sparse; values other than 1 are weights.

        `node_labels` and `node_attributes` give the labels and the matrix of attributes of each graph.

        >>> Graphs.from_adjacency([[[0, 2], [2, 0]]], node_labels=[["C", "O"]])
        Graphs(1 of 2 nodes, 2 node labels, weights)
        """
        directed = _direction("Graphs.from_adjacency", directed)
        unpacked = read_matrices("Graphs.from_adjacency", matrices, node_labels, node_attributes)
        return cls._of(assemble("Graphs.from_adjacency", unpacked, directed))

    @classmethod
    def read_tu(cls, folder: Path, name: str | None = None, *, directed: bool | None = None) -> tuple[Self, Any]:
        """Read a data set in the format of TU Dortmund, plain or gzip.

        Parameters
        ----------
        folder : path
            Where ``NAME_A.txt`` and ``NAME_graph_indicator.txt`` are, and what else there is: ``_node_labels``,
            ``_edge_labels``, ``_node_attributes``, ``_edge_attributes``, ``_graph_labels``, ``_graph_attributes``.
        name : str, optional
            NAME, if the folder holds several data sets or is the one above.
        directed : bool, optional
            By default the graphs are undirected if every arc has its reverse, with the same label and attributes. With
            False one that has not raises ValueError.

        Returns
        -------
        graphs : Graphs
            Labels in several columns are tuples.
        y : ndarray or None
            Labels of the graphs as int64 (float64 if they are not whole), else their attributes as float64.

        Raises
        ------
        ValueError
            With file and line, if a line cannot be read.
        """
        directed = _direction("Graphs.read_tu", directed)
        fields, y = read_tu(folder, name, directed)
        return cls._of(fields), y

    @classmethod
    def from_smiles(cls, smiles: Data, *, hydrogens: bool = False) -> Self:
        """Molecules as graphs of atoms and bonds; needs rdkit (``pip install mercer[chem]``).

        Parameters
        ----------
        smiles : list, 1-D array or column of str
            Invalid SMILES raise ValueError with the row index; an empty text is a graph without nodes.
        hydrogens : bool, default False
            Whether hydrogens that are not written are nodes too.

        Returns
        -------
        Graphs
            Undirected; node labels are symbols of elements such as "C", edge labels types of bonds such as "AROMATIC".
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
        """Number of nodes of each graph, shape (n,)."""
        return self.lengths

    @property
    def degrees(self) -> IndexArray:
        """Number of arcs from each node; a loop counts once."""
        return np.diff(self.indptr)

    @cached_property
    def n_edges(self) -> IndexArray:
        """Number of edges of each graph, of undirected graphs each counted once, shape (n,)."""
        bounds = self.indptr[self.offsets]
        if self.directed:
            return np.diff(bounds)
        nodes = np.arange(self.offsets[-1]) - np.repeat(self.offsets[:-1], self.lengths)
        loops = np.cumsum(np.append(0, np.repeat(nodes, self.degrees) == self.neighbors))[bounds]
        return (np.diff(bounds) + np.diff(loops)) // 2

    def __repr__(self) -> str:
        sizes = self.lengths
        low, high = (int(sizes.min()), int(sizes.max())) if len(self) else (0, 0)
        parts = [f"{len(self)} of {low if low == high else f'{low} to {high}'} nodes"]
        parts += ["directed"] * self.directed
        for what, labels, attributes in (
            ("node", self.node_labels, self.node_attributes),
            ("edge", self.edge_labels, self.edge_attributes),
        ):
            if labels is not None:
                parts.append(_counted(len(np.unique(labels)), f"{what} label"))
            if attributes is not None:
                parts.append(_counted(attributes.shape[1], f"{what} attribute"))
        parts += ["weights"] * (self.weights is not None)
        return f"Graphs({', '.join(parts)})"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _direction(who: str, directed: Any) -> bool | None:
    if directed is not None and not isinstance(directed, (bool, np.bool_)):
        raise TypeError(f"{who}: parameter directed must be True, False or None, got {describe(directed)}.")
    return None if directed is None else bool(directed)
