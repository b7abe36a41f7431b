"""Neighbourhood hash kernel: labels as bit strings, updated by rotation and exclusive or."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._typing import Data
from mercer._validation import check_flag, check_integer
from mercer.data import Graphs
from mercer.kernels.base import Kernel, Reads
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.graphs.base import as_graphs, core_graphs, node_labels
from mercer.kernels.keyed import KeyedRows
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.ratio import emit_ratio

__all__ = ["NeighborhoodHash"]


@final
@dataclass(frozen=True)
class NeighborhoodHash(Kernel):
    """Neighbourhood hash kernel: mean Jaccard similarity of the multisets of hashed node labels.

    ``k(G, H) = (1/n) Σ_{i=1}^{n} |G_i ∩ H_i| / |G_i ∪ H_i|``, where G_i is the multiset of node labels after i rounds
    of hashing. Labels are numbers of `bits` bits. The new number of a node is its old one rotated by one bit, ⊕ those
    of its neighbours. With `count_sensitive`, each distinct number a that occurs at m neighbours enters as rot(a ⊕ m,
    m).

    Parameters
    ----------
    n_iter : int, default=3
        Number of hashing rounds n, 1 ≤ n ≤ 10000.
    bits : int, default=64
        Bits of a label, 1 to 64. With few bits, different neighbourhoods collide.
    count_sensitive : bool, default=True
        Whether the number of neighbours with equal labels matters. Without it, two equal neighbours cancel.

    See Also
    --------
    WeisfeilerLehman : Collision-free relabelling with explicit features.

    Notes
    -----
    PSD: a mean of MinMax kernels of label counts. There is no `feature_map`. In directed graphs the
    neighbours of a node are the heads of its outgoing arcs. Nodes of graphs without node labels have one common label.
    Two graphs without nodes have k = 0. The initial numbers are stable hashes of the labels. GraKeL draws them at
    random, by default with 8 bits and without counts; its values agree up to its collisions.

    Complexity: O(n_iter m) per graph of m arcs, then sparse sums of minima.

    References
    ----------
    * Hido & Kashima, *A linear-time graph kernel*, ICDM 2009, doi:10.1109/ICDM.2009.30.

    Examples
    --------
    >>> path, star = [(0, 1), (1, 2)], [(0, 1), (1, 2), (1, 3)]
    >>> NeighborhoodHash(n_iter=1)([path, star])  # two end nodes in common, of 3 and 4 nodes: 2/5
    array([[1. , 0.4],
           [0.4, 1. ]])
    """

    name: ClassVar[str] = "neighborhood_hash"
    formula: ClassVar[str] = "(1/n) Σ_i |G_i ∩ H_i|/|G_i ∪ H_i|"
    reads: ClassVar[Reads] = "items"
    n_iter: int = 3
    bits: int = 64
    count_sensitive: bool = True

    def __post_init__(self) -> None:
        for name, high in (("n_iter", 10_000), ("bits", 64)):
            value = check_integer("NeighborhoodHash", name, getattr(self, name), low=1, high=high)
            object.__setattr__(self, name, value)
        counted = check_flag("NeighborhoodHash", "count_sensitive", self.count_sensitive)
        object.__setattr__(self, "count_sensitive", counted)

    def emit(self, program: Builder, X: Data) -> None:
        graphs = as_graphs(X, "NeighborhoodHash")
        sizes = graphs.n_nodes.astype(np.float64)
        for level, rows in enumerate(self._rounds(graphs)):
            program.keyed(rows, Op.min_sum)
            emit_ratio(program, sizes)
            if level:
                program.join(Op.add)
        program.map(Op.affine, 1 / self.n_iter)

    def _rounds(self, graphs: Graphs) -> list[KeyedRows]:
        """Counts of labels, for every round."""
        threads = thread_count()
        flat = _core.neighborhood_hash(
            core_graphs(graphs), node_labels(graphs), self.n_iter, self.bits, self.count_sensitive, threads
        )
        levels = flat.reshape(self.n_iter + 1, -1)[1:]
        return [KeyedRows._of(*_core.count_colors(graphs.offsets, level[None], threads)) for level in levels]

    def proof(self) -> Certificate:
        rule = "a mean of MinMax kernels of the counts of labels"
        return self._certify(Definiteness.PSD, rule, "Hido & Kashima 2009, Ralaivola et al. 2005")
