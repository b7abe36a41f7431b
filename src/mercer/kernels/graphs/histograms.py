"""Histogram kernels: counts of node or edge labels."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer.data import Graphs
from mercer.data.hashing.texts import HashArray
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.graphs.base import GraphFeatures, node_labels, require_edge_labels
from mercer.kernels.keyed import KeyArray, KeyedRows

__all__ = ["EdgeHistogram", "VertexHistogram"]


@final
@dataclass(frozen=True)
class VertexHistogram(GraphFeatures):
    """Vertex histogram kernel  k(G, H) = Σ_a c_a(G) c_a(H); c_a is the number of nodes with label a.

    See Also
    --------
    EdgeHistogram : Counts of edge labels.
    WeisfeilerLehman : Counts of labelled neighbourhoods.

    Notes
    -----
    PSD: an inner product of counts. The feature map has one feature for each label that occurs. Nodes of
    graphs without node labels have one common label. A graph without nodes has k = 0, and so has the normalised kernel.

    Complexity: O(n log n) per graph of n nodes, then a sparse product.

    References
    ----------
    * Sugiyama & Borgwardt, *Halting in random walk kernels*, NIPS 28, 2015.

    Examples
    --------
    >>> water = ({(0, 1), (0, 2)}, {0: "O", 1: "H", 2: "H"})
    >>> peroxide = ({(0, 1), (1, 2), (2, 3)}, {0: "H", 1: "O", 2: "O", 3: "H"})
    >>> VertexHistogram()([water, peroxide])  # counts (2, 1) and (2, 2) of H and O
    array([[5., 6.],
           [6., 8.]])
    """

    name: ClassVar[str] = "vertex_histogram"
    formula: ClassVar[str] = "Σ_a c_a(G)c_a(H)"

    def rows(self, A: Graphs) -> KeyedRows:
        return KeyedRows._of(*_core.count_colors(A.offsets, node_labels(A)[None], thread_count()))

    def names(self, A: Graphs, keys: KeyArray) -> list[str]:
        if A.node_labels is None:
            return ["node"] * len(keys)
        texts = {label: str(value) for label, value in A.node_values.items()}
        return _texts(A.node_labels, texts, keys)

    def proof(self) -> Certificate:
        return self._certify(Definiteness.PSD, "an inner product of the counts of node labels")


@final
@dataclass(frozen=True)
class EdgeHistogram(GraphFeatures):
    """Edge histogram kernel  k(G, H) = Σ_a c_a(G) c_a(H); c_a is the number of arcs with label a.

    See Also
    --------
    VertexHistogram : Counts of node labels.
    WeisfeilerLehman : Counts of labelled neighbourhoods.

    Notes
    -----
    PSD: an inner product of counts. The feature map has one feature for each label that occurs. An
    undirected edge is two arcs and counts twice, a loop counts once. Edges without labels raise ValueError. A graph
    without edges has k = 0.

    Complexity: O(m log m) per graph of m arcs, then a sparse product.

    References
    ----------
    * Sugiyama & Borgwardt, *Halting in random walk kernels*, NIPS 28, 2015.

    Examples
    --------
    >>> ethene = [(0, 1, {"label": "double"})]
    >>> propene = [(0, 1, {"label": "double"}), (1, 2, {"label": "single"})]
    >>> EdgeHistogram()([ethene, propene])
    array([[4., 4.],
           [4., 8.]])
    """

    name: ClassVar[str] = "edge_histogram"
    formula: ClassVar[str] = "Σ_a c_a(G)c_a(H)"

    def rows(self, A: Graphs) -> KeyedRows:
        labels = require_edge_labels(A, "EdgeHistogram")
        return KeyedRows._of(*_core.count_colors(A.indptr[A.offsets], labels[None], thread_count()))

    def names(self, A: Graphs, keys: KeyArray) -> list[str]:
        texts = {label: str(value) for label, value in A.edge_values.items()}
        return _texts(require_edge_labels(A, "EdgeHistogram"), texts, keys)

    def proof(self) -> Certificate:
        return self._certify(Definiteness.PSD, "an inner product of the counts of edge labels")


def _texts(labels: HashArray, texts: dict[int, str], keys: KeyArray) -> list[str]:
    """Text of the label of each key."""
    found = np.unique(labels)
    behind = dict(zip(_core.combine_keys(np.zeros_like(found), found).tolist(), found.tolist(), strict=True))
    return [texts[behind[key]] for key in keys.tolist()]
