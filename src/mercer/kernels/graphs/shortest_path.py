"""Shortest-path kernel: pairs of nodes at the same distance."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, final

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._typing import Data, DoubleArray
from mercer._validation import check_flag
from mercer.data import Graphs
from mercer.data.hashing.texts import HashArray
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.graphs.base import GraphFeatures, core_graphs
from mercer.kernels.graphs.checks import require_labels, require_lengths
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.parametrised import literal

__all__ = ["ShortestPath"]


@final
@dataclass(frozen=True)
class ShortestPath(GraphFeatures):
    """Shortest-path kernel  k(G, H) = Σ n_{a,b,d}(G) n_{a,b,d}(H) over labels a, b and distances d.

    n_{a,b,d}(G) is the number of ordered pairs (u, v) of different nodes where u has label a, v has label b, and the
    shortest path from u to v has length d. Pairs without a path do not count.

    Parameters
    ----------
    labeled : bool, default=True
        Whether the labels of both ends must agree. With False labels are ignored: k(G, H) = Σ_d n_d(G) n_d(H).
    weighted : bool, default=False
        Whether the length of a path is the sum of its edge weights, which must be ≥ 0, instead of its number of edges.

    See Also
    --------
    AttributedShortestPath : The kernel for node attributes.
    WeisfeilerLehman : Can use this kernel as base.

    Notes
    -----
    PSD: an inner product of counts. The feature map has one feature for each triple (a, d, b) that occurs,
    named like "C-2-O". Edge labels are ignored, edge directions are respected, and loops have no effect. Lengths are
    equal if they are equal as 64-bit floats: scale weights such as 0.1 to integers first. Triples are compared by
    64-bit hashes, distances alone exactly.

    Complexity: O(n m) per graph of n nodes and m edges, O(n m log n) with weights, then a sparse product. Graphs are
    processed one by one; memory is that of the features.

    References
    ----------
    * Borgwardt & Kriegel, *Shortest-path kernels on graphs*, ICDM 2005, doi:10.1109/ICDM.2005.132.

    Examples
    --------
    >>> path, triangle = [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]
    >>> ShortestPath(labeled=False)([path, triangle])  # 4 pairs at distance 1 and 2 at distance 2; 6 at distance 1
    array([[20., 24.],
           [24., 36.]])
    """

    name: ClassVar[str] = "shortest_path"
    formula: ClassVar[str] = "Σ_{a,b,d} n_abd(G)n_abd(H)"
    _: KW_ONLY
    labeled: bool = True
    weighted: bool = False

    def __post_init__(self) -> None:
        for name in ("labeled", "weighted"):
            object.__setattr__(self, name, check_flag("ShortestPath", name, getattr(self, name)))

    def pack(self, X: Data) -> Graphs:
        graphs = super().pack(X)
        if self.labeled:
            require_labels(graphs, "ShortestPath", "labeled=False")
        if self.weighted:
            require_lengths(graphs, "ShortestPath")
        return graphs

    def _labels(self, A: Graphs) -> HashArray | None:
        return A.node_labels if self.labeled else None

    def _weights(self, A: Graphs) -> DoubleArray | None:
        return A.weights if self.weighted else None

    def rows(self, A: Graphs) -> KeyedRows:
        return KeyedRows._of(*_core.keyed_paths(core_graphs(A), self._labels(A), self._weights(A), thread_count()))

    def names(self, A: Graphs, keys: KeyArray) -> list[str]:
        """Names of features, such as "C-2-O", or "2" without labels.

        Parameters
        ----------
        A : Graphs
            Packed graphs.
        keys : ndarray of uint64
            Ascending keys that occur in the graphs.

        Returns
        -------
        list of str
            One name per key.
        """
        first, last, distances = _core.find_paths(core_graphs(A), self._labels(A), self._weights(A), keys)
        lengths = [literal(distance) for distance in distances.tolist()]
        if not self.labeled or A.node_labels is None:
            return lengths
        ends = [[A.node_values[label] for label in A.node_labels[nodes].tolist()] for nodes in (first, last)]
        return [f"{a}-{length}-{b}" for a, length, b in zip(ends[0], lengths, ends[1], strict=True)]

    def proof(self) -> Certificate:
        what = (
            "an inner product of the counts of " + ("ends and " if self.labeled else "") + "lengths of shortest paths"
        )
        return self._certify(Definiteness.PSD, what, "Borgwardt & Kriegel 2005")
