"""Weisfeiler-Lehman kernels: common neighbourhoods of two graphs."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, final

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._typing import IndexArray
from mercer._validation import check_choice, check_flag, check_integer, describe
from mercer.data import Graphs
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.graphs.base import GraphFeatures, require_edge_labels
from mercer.kernels.graphs.colors import Colors
from mercer.kernels.graphs.histograms import VertexHistogram
from mercer.kernels.graphs.words import Directed
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.operations import Op
from mercer.kernels.sharing import once
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["WLOptimalAssignment", "WeisfeilerLehman"]


def _check(kernel: Any) -> None:
    who = type(kernel).__name__
    for name, value in {
        "n_iter": check_integer(who, "n_iter", kernel.n_iter, low=0, high=10_000),
        "edge_labels": check_flag(who, "edge_labels", kernel.edge_labels),
        "directed": check_choice(who, "directed", kernel.directed, Directed),
    }.items():
        object.__setattr__(kernel, name, value)


@final
@dataclass(frozen=True)
class WeisfeilerLehman(GraphFeatures):
    """Weisfeiler-Lehman kernel  k(G, H) = Σ_{i=0}^{n_iter} base(G_i, H_i) on graphs relabelled i times.

    G_0 = G. In G_{i+1} the label of a node is a hash of its label in G_i and of the sorted labels of its neighbours in
    G_i. With the default base kernel, k counts pairs of nodes whose neighbourhoods agree up to radius i.

    Parameters
    ----------
    n_iter : int, default=5
        Number of relabelling rounds (h in the literature), 0 ≤ n_iter ≤ 10000.
    base : Kernel, default=VertexHistogram()
        Graph kernel with explicit features of node labels, such as `VertexHistogram` or `ShortestPath`.
    edge_labels : bool, default=False
        Whether the labels of the edges to the neighbours are part of a neighbourhood.
    directed : {"both", "out", "in"}, default="both"
        Neighbours of a node in a directed graph. With "both", in- and out-neighbours are distinguished. Ignored for
        undirected graphs.

    See Also
    --------
    WLOptimalAssignment : Σ of minima instead of products.
    NeighborhoodHash : Jaccard similarities of relabelled graphs.
    ShortestPath : Shortest paths instead of neighbourhoods.

    Notes
    -----
    PSD if `base` is: a sum of PSD kernels of functions of G. The feature map has one feature for each
    neighbourhood that occurs, named like "C(H,O,O)". Nodes of graphs without node labels start with one common label. A
    loop makes a node its own neighbour. Labels are stateless 64-bit hashes: graphs may be packed separately, and labels
    that do not occur in the training data contribute only to the diagonal. Among N different labels, two collide with
    probability about N²/2⁶⁵.

    Complexity: O(n_iter m) and a sort of each neighbourhood per graph of m arcs, then a sparse product.

    References
    ----------
    * Shervashidze, Schweitzer, van Leeuwen, Mehlhorn & Borgwardt, *Weisfeiler-Lehman graph kernels*, Journal of Machine
      Learning Research 12, 2539-2561, 2011.

    Examples
    --------
    >>> cycle = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    >>> WeisfeilerLehman(n_iter=2)([cycle, cycle[:4]])
    array([[75., 45.],
           [45., 47.]])
    """

    name: ClassVar[str] = "weisfeiler_lehman"
    formula: ClassVar[str] = "Σ_i base(G_i, H_i)"
    n_iter: int = 5
    base: Kernel = VertexHistogram()  # noqa: RUF009  (a value)
    _: KW_ONLY
    edge_labels: bool = False
    directed: Directed = "both"

    def __post_init__(self) -> None:
        _check(self)
        if not isinstance(self.base, KeyedKernel):
            raise TypeError(
                "WeisfeilerLehman: base must be a graph kernel with explicit features of node labels, such as "
                f"VertexHistogram(), got {describe(self.base)}."
            )

    def parts(self) -> dict[str, Kernel]:
        return {"base": self.base}

    @property
    def op(self) -> Op:
        return self._base.op

    @property
    def _base(self) -> KeyedKernel:
        assert isinstance(self.base, KeyedKernel)
        return self.base

    def colors(self, graphs: Graphs) -> Colors:
        """Node labels of all rounds.

        Parameters
        ----------
        graphs : Graphs
            Packed graphs.

        Returns
        -------
        Colors
            Labels of rounds 0, …, n_iter.
        """
        seen = self.n_iter, self.edge_labels, self.directed
        return once((Colors, seen), graphs, lambda: Colors(graphs, *seen))

    def rows(self, A: Graphs) -> KeyedRows:
        colors = self.colors(A)
        if self.base == VertexHistogram():
            return KeyedRows._of(*_core.count_colors(A.offsets, colors.levels, thread_count()))
        parts = [self._base.rows(self._base.pack(colors.relabelled(level))) for level in range(self.n_iter + 1)]
        row = np.concatenate([np.repeat(np.arange(len(A)), np.diff(part.indptr)) for part in parts])
        keys = np.concatenate([_at_level(level, part.keys) for level, part in enumerate(parts)])
        order = np.lexsort((keys, row))
        values = np.concatenate([part.values for part in parts])
        return KeyedRows._of(sum(part.indptr for part in parts), keys[order], values[order])

    def names(self, A: Graphs, keys: KeyArray) -> list[str]:
        colors, found = self.colors(A), dict[int, str]()
        for level in range(self.n_iter + 1):
            prefix = f"{level}: " if level else ""
            if self.base == VertexHistogram():
                different, node = np.unique(colors.levels[level], return_index=True)
                codes = _at_level(level, different)
                wanted = _among(codes, keys)
                named = {int(codes[i]): colors.words(level, int(node[i])) for i in wanted}
            else:
                packed = self._base.pack(colors.relabelled(level, named=True))
                own = self._base.rows(packed).columns
                wanted = _among(_at_level(level, own), keys)
                words = self._base.names(packed, own[wanted])
                named = dict(zip(_at_level(level, own[wanted]).tolist(), words, strict=True))
            found |= {key: prefix + word for key, word in named.items()}
        return [found[key] for key in keys.tolist()]

    def proof(self) -> Certificate:
        verdict = self.base.definiteness
        rule = "a sum over rounds of the base kernel on relabelled graphs" if verdict is Definiteness.PSD else "no rule"
        return self._certify(verdict, rule, "Shervashidze et al. 2011")


@final
@dataclass(frozen=True)
class WLOptimalAssignment(GraphFeatures):
    """Weisfeiler-Lehman optimal assignment kernel  k(G, H) = Σ_i Σ_a min(c_a(G_i), c_a(H_i)).

    c_a(G_i) is the number of nodes with label a after i rounds of `WeisfeilerLehman` relabelling. Equivalently, k is
    the maximum of Σ_v s(v, π(v)) over one-to-one maps π between the nodes, where s(v, u) is the number of rounds i = 0,
    …, n_iter in which v and u have the same label.

    Parameters
    ----------
    n_iter : int, default=5
        Number of relabelling rounds, 0 ≤ n_iter ≤ 10000.
    edge_labels : bool, default=False
        Whether the labels of the edges to the neighbours are part of a neighbourhood.
    directed : {"both", "out", "in"}, default="both"
        Neighbours of a node in a directed graph. With "both", in- and out-neighbours are distinguished. Ignored for
        undirected graphs.

    See Also
    --------
    WeisfeilerLehman : Σ of products instead of minima.
    TanimotoOf : Applied to this kernel, the MinMax kernel of neighbourhoods.

    Notes
    -----
    PSD: the labels form a hierarchy, and an optimal assignment on a hierarchy is a histogram intersection.
    The feature map has one 0/1 feature for each neighbourhood and count (unary coding).

    Complexity: O(n_iter m) and a sort of each neighbourhood per graph of m arcs, then a sparse sum of minima.

    References
    ----------
    * Kriege, Giscard & Wilson, *On valid optimal assignment kernels and applications to graph classification*, NIPS 29,
      2016.

    Examples
    --------
    >>> cycle = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    >>> WLOptimalAssignment(n_iter=2)([cycle, cycle[:4]])  # 5 + 3 + 1 nodes with equal labels in rounds 0, 1, 2
    array([[15.,  9.],
           [ 9., 15.]])
    """

    name: ClassVar[str] = "wl_optimal_assignment"
    formula: ClassVar[str] = "Σ_i Σ_a min(c_a(G_i), c_a(H_i))"
    n_iter: int = 5
    _: KW_ONLY
    edge_labels: bool = False
    directed: Directed = "both"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def op(self) -> Op:
        return Op.min_sum

    @property
    def _counts(self) -> WeisfeilerLehman:
        return WeisfeilerLehman(self.n_iter, edge_labels=self.edge_labels, directed=self.directed)

    def rows(self, A: Graphs) -> KeyedRows:
        if self.edge_labels:
            require_edge_labels(A, "WLOptimalAssignment")
        return self._counts.rows(A)

    def names(self, A: Graphs, keys: KeyArray) -> list[str]:
        return self._counts.names(A, keys)

    def proof(self) -> Certificate:
        rule = "an optimal assignment on a hierarchy of labels is a histogram intersection"
        return self._certify(Definiteness.PSD, rule, "Kriege, Giscard & Wilson 2016")


def _at_level(level: int, keys: KeyArray) -> KeyArray:
    """Keys of the features of one round."""
    return _core.combine_keys(np.full(len(keys), level, dtype=np.uint64), np.ascontiguousarray(keys))


def _among(codes: KeyArray, keys: KeyArray) -> IndexArray:
    """Indices of the codes that are among ascending keys."""
    at = np.minimum(np.searchsorted(keys, codes), len(keys) - 1)
    return np.flatnonzero(keys[at] == codes)
