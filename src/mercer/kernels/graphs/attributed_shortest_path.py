"""The shortest path kernel of graphs whose nodes have attributes."""

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, final

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._validation import check_flag
from mercer.data import Graphs
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate
from mercer.kernels.graphs.attributed import AttributedKernel
from mercer.kernels.graphs.base import core_graphs
from mercer.kernels.graphs.checks import require_labels, require_lengths
from mercer.kernels.stationary import RBF

__all__ = ["AttributedShortestPath"]


@final
@dataclass(frozen=True)
class AttributedShortestPath(AttributedKernel):
    r"""Shortest path kernel with attributes  k(G, H) = Σ κ(u, u') κ(v, v') [d(u, v) = d(u', v')].

    The sum runs over ordered pairs (u, v) of different nodes of G and (u', v') of H at the same finite distance; κ
    compares the attributes of two nodes. With κ = 1 for equal labels and 0 else it is `ShortestPath`.

    Parameters
    ----------
    node_kernel : Kernel
        κ, a kernel of vectors. Parameters such as ``gamma="scale"`` are found on the attributes of all nodes.
    labeled : bool
        Whether κ counts only between nodes with equal labels.
    weighted : bool
        Whether the length of a path is the sum of the weights of its edges, which must be >= 0, instead of their
        number.

    Notes
    -----
    O(n n'(n + n')) per pair of graphs with n and n' nodes, and n n' values of κ. 4 bytes for every two nodes of a graph
    are kept. PSD if κ is: Σ over distances of κ ⊗ κ between pairs of nodes. Directions are followed; lengths are equal
    if they are equal as 64-bit floats. A value beyond the range of floats raises OverflowError.

    References
    ----------
    Borgwardt & Kriegel 2005, Shortest-path kernels on graphs, doi:10.1109/ICDM.2005.132.

    Examples
    --------
    >>> from mercer.data import Graphs
    >>> from mercer.kernels import Linear
    >>> graphs = Graphs.from_edges([[0, 1], [1, 2]], node_attributes=[[1.0], [2.0], [3.0]])
    >>> AttributedShortestPath(Linear())(graphs)  # (2·1·2 + 2·2·3)² at distance 1, (2·1·3)² at distance 2
    array([[292.]])
    """

    name: ClassVar[str] = "attributed_shortest_path"
    formula: ClassVar[str] = "Σ κ(u,u')κ(v,v')[d(u,v)=d(u',v')]"
    node_kernel: Kernel = RBF()  # noqa: RUF009  (a value)
    _: KW_ONLY
    labeled: bool = False
    weighted: bool = False

    def __post_init__(self) -> None:
        self._check_node_kernel()
        for name in ("labeled", "weighted"):
            object.__setattr__(self, name, check_flag("AttributedShortestPath", name, getattr(self, name)))

    def items(self, graphs: Graphs) -> _core.AttributedPaths:
        # Here and not in `pack`, since unpickled graphs reach the core by this method alone.
        if self.labeled:
            require_labels(graphs, "AttributedShortestPath", "labeled=False")
        if self.weighted:
            require_lengths(graphs, "AttributedShortestPath")
        labels, weights = graphs.node_labels if self.labeled else None, graphs.weights if self.weighted else None
        return _core.AttributedPaths(core_graphs(graphs), labels, weights, self.restrict(graphs), thread_count())

    def proof(self) -> Certificate:
        rule = "a sum of κ(u,u')κ(v,v') over pairs of nodes at equal distances, for a PSD kernel κ of nodes"
        return self._certified(rule, "Borgwardt & Kriegel 2005")
