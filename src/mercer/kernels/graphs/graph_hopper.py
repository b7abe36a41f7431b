"""GraphHopper kernel: shortest paths compared node by node."""

from dataclasses import dataclass
from typing import ClassVar, final

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._runtime.limits import require_memory
from mercer.data import Graphs
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate
from mercer.kernels.graphs.attributed import AttributedKernel
from mercer.kernels.graphs.base import core_graphs
from mercer.kernels.stationary import RBF

__all__ = ["GraphHopper"]


@final
@dataclass(frozen=True)
class GraphHopper(AttributedKernel):
    """GraphHopper kernel  k(G, H) = Σ_{π, π'} Σ_i κ(π_i, π'_i) over shortest paths π of G and π' of H of equal length.

    Paths are sequences of nodes, including single nodes; their length is their number of edges. All shortest paths
    between all ordered pairs of nodes count. κ compares the attributes of the nodes at the same place i.

    Parameters
    ----------
    node_kernel : Kernel, default=RBF(gamma="scale")
        κ, a vector kernel. Parameters such as ``gamma="scale"`` are computed from the attributes of all nodes.

    See Also
    --------
    AttributedShortestPath : Compares only the ends of shortest paths.
    Propagation : Approximate comparison of attributes in linear time.

    Notes
    -----
    PSD if κ is: k(G, H) = Σ_{v, v'} κ(v, v') ⟨M(v), M(v')⟩, where M(v)_{ij} is the number of shortest paths
    of length j with v at place i. There is no explicit feature map.

    Complexity: with δ nodes on the longest shortest path, O(n m δ) time and 4 n δ² bytes per graph of n nodes and m
    edges, then O(n n' δ²) per pair. Edge weights are ignored, edge directions are respected. A value beyond the range
    of float64 raises OverflowError.

    References
    ----------
    * Feragen, Kasenburg, Petersen, de Bruijne & Borgwardt, *Scalable kernels for graphs with continuous attributes*,
      NIPS 26, 2013.

    Examples
    --------
    >>> from mercer.data import Graphs
    >>> from mercer.kernels import Constant
    >>> path = Graphs.from_edges([[0, 1], [1, 2]], node_attributes=[[1.0], [2.0], [3.0]])
    >>> GraphHopper(Constant())(path)  # 3 paths of one node, 4 of two, 2 of three: 3²·1 + 4²·2 + 2²·3
    array([[53.]])
    """

    name: ClassVar[str] = "graph_hopper"
    formula: ClassVar[str] = "Σ_{π,π'} Σ_i κ(π_i,π'_i)"
    node_kernel: Kernel = RBF()  # noqa: RUF009  (a value)

    def __post_init__(self) -> None:
        self._check_node_kernel()

    def items(self, graphs: Graphs) -> _core.GraphHopper:
        view = core_graphs(graphs)
        longest = _core.longest_paths(view, thread_count())
        require_memory(
            int((graphs.lengths * longest * (longest + 1)).sum()) * 4,
            what=f"GraphHopper: counts of paths through the nodes of {len(graphs)} graphs with up to "
            f"{longest.max(initial=0)} nodes on a shortest path",
            instead="Use AttributedShortestPath, whose memory is that of the pairs of nodes.",
        )
        return _core.GraphHopper(view, None, None, self.restrict(graphs), thread_count())

    def proof(self) -> Certificate:
        rule = "a sum of κ over the nodes of shortest paths of equal length, for a PSD node kernel κ"
        return self._certified(rule, "Feragen et al. 2013")
