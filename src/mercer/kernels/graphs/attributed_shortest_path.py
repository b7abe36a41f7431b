"""Shortest-path kernel of graphs with node attributes."""

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
    """Shortest-path kernel with node attributes  k(G, H) = Σ κ(u, u') κ(v, v') [d(u, v) = d(u', v')].

    The sum runs over ordered pairs (u, v) of different nodes of G and (u', v') of H at the same finite distance. κ
    compares the attributes of two nodes. With κ = 1 for equal labels and 0 otherwise, it is `ShortestPath`.

    Parameters
    ----------
    node_kernel : Kernel, default=RBF(gamma="scale")
        κ, a vector kernel. Parameters such as ``gamma="scale"`` are computed from the attributes of all nodes.
    labeled : bool, default=False
        Whether κ is multiplied by [equal labels].
    weighted : bool, default=False
        Whether the length of a path is the sum of its edge weights, which must be ≥ 0, instead of its number of edges.

    See Also
    --------
    ShortestPath : The kernel for node labels, with an explicit feature map.
    GraphHopper : Compares all nodes along shortest paths.
    Propagation : Approximate comparison of attributes in linear time.

    Notes
    -----
    PSD if κ is: a sum over distances of the product kernel κ ⊗ κ on pairs of nodes. There is no explicit feature map.

    Complexity: O(n n'(n + n')) and n n' values of κ per pair of graphs with n and n' nodes; 4 bytes of memory for every
    pair of nodes of a graph. Edge directions are respected. Lengths are equal if they are equal as 64-bit floats. A
    value beyond the range of float64 raises OverflowError.

    References
    ----------
    * Borgwardt & Kriegel, *Shortest-path kernels on graphs*, ICDM 2005, doi:10.1109/ICDM.2005.132.

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
        # Checked here and not in `pack`: unpickled graphs reach the core through this method only.
        if self.labeled:
            require_labels(graphs, "AttributedShortestPath", "labeled=False")
        if self.weighted:
            require_lengths(graphs, "AttributedShortestPath")
        labels, weights = graphs.node_labels if self.labeled else None, graphs.weights if self.weighted else None
        return _core.AttributedPaths(core_graphs(graphs), labels, weights, self.restrict(graphs), thread_count())

    def proof(self) -> Certificate:
        rule = "a sum of κ(u,u')κ(v,v') over pairs of nodes at equal distances, for a PSD node kernel κ"
        return self._certified(rule, "Borgwardt & Kriegel 2005")
