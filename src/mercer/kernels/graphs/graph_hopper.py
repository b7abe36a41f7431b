"""The GraphHopper kernel: shortest paths compared node by node."""

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
    r"""GraphHopper kernel  k(G, H) = Σ_{π, π'} Σ_i κ(π_i, π'_i) over shortest paths π of G and π' of H of equal length.

    Paths are sequences of nodes, single nodes among them; their length is their number of edges. All shortest paths
    between all ordered pairs of nodes count; κ compares the attributes of nodes at the same place i.

    Parameters
    ----------
    node_kernel : Kernel
        κ, a kernel of vectors. Parameters such as ``gamma="scale"`` are found on the attributes of all nodes.

    Notes
    -----
    k = Σ_{v, v'} κ(v, v') ⟨M(v), M(v')⟩, where M(v)_{ij} counts the shortest paths of length j with v at place i. With
    δ nodes on the longest shortest path of a graph: O(n m δ) time and 4 n δ² bytes once per graph, O(n n' δ²) per pair.
    Weights of edges are ignored, directions are not. PSD if κ is. A value beyond the range of floats raises
    OverflowError.

    References
    ----------
    Feragen, Kasenburg, Petersen, de Bruijne & Borgwardt 2013, Scalable kernels for graphs with continuous attributes,
    NIPS 26.

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
            what=f"GraphHopper: numbers of paths through the nodes of {len(graphs)} graphs with up to "
            f"{longest.max(initial=0)} nodes on a shortest path",
            instead="Use AttributedShortestPath, which needs no more than the pairs of nodes.",
        )
        return _core.GraphHopper(view, None, None, self.restrict(graphs), thread_count())

    def proof(self) -> Certificate:
        rule = "a sum of κ over the nodes of shortest paths of equal length, for a PSD kernel κ of nodes"
        return self._certified(rule, "Feragen et al. 2013")
