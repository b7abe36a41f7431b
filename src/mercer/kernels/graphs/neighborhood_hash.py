"""The neighbourhood hash kernel: labels as bits, updated by rotation and exclusive or."""

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
from mercer.kernels.program import Builder, Op
from mercer.kernels.ratio import emit_ratio

__all__ = ["NeighborhoodHash"]


@final
@dataclass(frozen=True)
class NeighborhoodHash(Kernel):
    r"""Neighbourhood hash kernel  k(G, H) = (1/n) Σ_{i=1}^{n} |G_i ∩ H_i| / |G_i ∪ H_i| of multisets of node labels.

    Labels are numbers of some bits. In G_{i+1} that of a node is its number in G_i, rotated by one bit, ⊕ those of its
    neighbours; if counts matter, ⊕ rot(a ⊕ m, m) over the different numbers a of neighbours, a that of m of them.

    Parameters
    ----------
    n_iter : int
        Rounds of hashing, n.
    bits : int
        Of a label, 1 to 64. With few, different neighbourhoods collide.
    count_sensitive : bool
        Whether it matters how many neighbours have the same label. Without, two of them cancel, as if they were not
        there.

    Notes
    -----
    O(n_iter · m) per graph of m arcs, then sparse sums of minima. PSD: a mean of MinMax kernels. Nodes of directed
    graphs see the ends of the arcs that leave them; nodes of graphs without node labels have one common label. Two
    graphs without nodes have k = 0. The first numbers are stable hashes of the labels; GraKeL draws them at random, by
    default of 8 bits, does not count, and has the same values up to its collisions.

    References
    ----------
    Hido & Kashima 2009, A linear-time graph kernel, doi:10.1109/ICDM.2009.30.

    Examples
    --------
    >>> path, star = [(0, 1), (1, 2)], [(0, 1), (1, 2), (1, 3)]
    >>> NeighborhoodHash(n_iter=1)([path, star])  # two nodes with one neighbour in common, of 3 and 4 nodes
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
