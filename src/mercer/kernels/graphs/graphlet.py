"""Graphlet kernel: common small induced subgraphs of two graphs."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, TypeAlias, final

from mercer._typing import Data
from mercer._validation import check_choice, check_flag, check_integer
from mercer.data import Graphs
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.graphs.base import GraphFeatures
from mercer.kernels.graphs.graphlet_classes import Shape
from mercer.kernels.graphs.graphlet_counts import GraphletCounts, count_graphlets
from mercer.kernels.keyed import KeyArray, KeyedRows
from mercer.kernels.operations import Op

__all__ = ["Graphlet"]

Mode: TypeAlias = Literal["count", "frequency", "presence", "min"]

EXACT = 5  # largest size that is enumerated
LARGEST = 8  # largest size that is sampled


@final
@dataclass(frozen=True)
class Graphlet(GraphFeatures):
    """Graphlet kernel  k(G, H) = Σ_c f_c(G) f_c(H) over isomorphism classes c of graphs with `size` nodes.

    f_c(G) is the number of sets of `size` nodes of G whose induced subgraph belongs to class c.

    Parameters
    ----------
    size : int, default=3
        Number of nodes of a graphlet, 2 to 5; up to 8 if subgraphs are sampled.
    connected : bool, default=True
        Whether only connected subgraphs count: 1, 2, 6 and 21 classes of sizes 2 to 5. Otherwise all: 2, 4, 11 and 34.
    labeled : bool, default=False
        Whether node labels are part of the class.
    edge_labels : bool, default=False
        Whether edge labels are part of the class. Only for undirected graphs.
    mode : {"count", "frequency", "presence", "min"}, default="count"
        "count": f_c is a count. "frequency": counts divided by their sum. "presence": 0 or 1. "min": the kernel is
        Σ_c min(f_c(G), f_c(H)) of counts.
    n_samples : int, default=None
        Estimate the counts from this number of sets of nodes, drawn uniformly with replacement from all sets of `size`
        nodes. With None, counts are exact.
    random_state : int, default=0
        Seed of the samples, 0 to 2⁶⁴ − 1.

    See Also
    --------
    WeisfeilerLehman : Neighbourhoods instead of subgraphs.
    ShortestPath : Shortest paths instead of subgraphs.

    Notes
    -----
    PSD: an inner product of counts, frequencies, 0/1 vectors, or counts in unary. The feature map has one
    feature for each class that occurs. Classes with labels are compared by 64-bit hashes. Loops and edge directions are
    ignored. Graphs with fewer than `size` nodes have no features: k is 0, and so is the normalised kernel.

    Complexity without labels: sizes up to 4 by formulas, O(m a) for m edges and arboricity a (at most √m), plus O(m a²)
    for cliques of 4. Connected subgraphs of size 5 are enumerated up to the fourth node, O(n d⁴) for nodes of degree d.
    With labels, connected subgraphs are enumerated one by one. With ``connected=False`` and labels or size 5, all sets
    of nodes are enumerated. An enumeration that may take more than 2·10¹¹ steps in one graph (2·10¹⁰ with labels)
    raises ValueError before it starts. All threads share large graphs. Sums are 128-bit integers; counts are exact
    below 2⁵³ and rounded to the nearest double above.

    Sampling: hits/n_samples · C(n, size) is an unbiased estimate of a count; see `standard_error`. The samples depend
    only on the graph, with its node order, and on the seed. Graphs with at most `n_samples` sets are counted exactly.
    On average, k(G, G) exceeds its exact value by the sum of the squared errors. In a large sparse graph few sets are
    connected: exact counts are then both cheaper and more accurate.

    References
    ----------
    * Shervashidze, Vishwanathan, Petri, Mehlhorn & Borgwardt, *Efficient graphlet kernels for large graph comparison*,
      AISTATS 2009.
    * Wernicke, *Efficient detection of network motifs*, IEEE/ACM Transactions on Computational Biology and
      Bioinformatics 3, 2006, doi:10.1109/TCBB.2006.51.
    * Chiba & Nishizeki, *Arboricity and subgraph listing algorithms*, SIAM Journal on Computing 14, 1985,
      doi:10.1137/0214017.

    Examples
    --------
    >>> square, tailed = [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 1), (1, 2), (2, 0), (2, 3)]
    >>> Graphlet(3)([square, tailed])  # 4 paths; 2 paths and a triangle
    array([[16.,  8.],
           [ 8.,  5.]])
    >>> Graphlet(4, n_samples=100)([square, tailed])  # one set of 4 nodes: counted exactly
    array([[1., 0.],
           [0., 1.]])
    """

    name: ClassVar[str] = "graphlet"
    formula: ClassVar[str] = "Σ_c f_c(G)f_c(H)"
    size: int = 3
    _: KW_ONLY
    connected: bool = True
    labeled: bool = False
    edge_labels: bool = False
    mode: Mode = "count"
    n_samples: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        for flag in ("connected", "labeled", "edge_labels"):
            object.__setattr__(self, flag, check_flag("Graphlet", flag, getattr(self, flag)))
        object.__setattr__(self, "size", check_integer("Graphlet", "size", self.size, low=2, high=LARGEST))
        object.__setattr__(self, "mode", check_choice("Graphlet", "mode", self.mode, Mode))
        random_state = check_integer("Graphlet", "random_state", self.random_state, high=2**64 - 1)
        object.__setattr__(self, "random_state", random_state)
        if self.n_samples is not None:
            drawn = check_integer("Graphlet", "n_samples", self.n_samples, low=1, high=2**53)
            object.__setattr__(self, "n_samples", drawn)
            if self.mode == "min":
                raise ValueError(
                    "Graphlet: mode 'min' needs exact counts, but n_samples gives estimates; use mode 'count' or "
                    "n_samples=None."
                )
        elif self.size > EXACT:
            raise ValueError(
                f"Graphlet: subgraphs of size {self.size} can only be sampled; pass n_samples, for example 10000, or a "
                f"size of at most {EXACT}."
            )

    @property
    def op(self) -> Op:
        return Op.min_sum if self.mode == "min" else Op.dot

    def rows(self, A: Graphs) -> KeyedRows:
        counts = self._counted(A)
        if self.mode == "frequency":
            return counts.frequencies()
        return counts.presence() if self.mode == "presence" else counts.counts()

    def names(self, A: Graphs, keys: KeyArray) -> list[str]:
        if self.labeled or self.edge_labels:
            return self._counted(A).names(A, keys, labeled=self.labeled, edges=self.edge_labels)
        return [Shape(key >> 32, key & 0xFFFFFFFF).name for key in keys.tolist()]

    def standard_error(self, X: Data) -> Any:
        """Standard errors of the sampled f_c(G), counts or frequencies.

        Parameters
        ----------
        X : data
            Graphs.

        Returns
        -------
        csr_matrix of shape (n_graphs, n_classes)
            C(n, size) √(p(1 − p)/n_samples) with p = hits/n_samples for counts, √(f(1 − f)/total hits) for frequencies.
            The columns are those of ``feature_map(X)``. 0 where a graph was counted exactly and where a class was not
            found. A class without a hit in T samples has a frequency below 3/T with 95 % confidence.

        Raises
        ------
        ValueError
            If nothing is sampled, or if `mode` is neither "count" nor "frequency".

        Examples
        --------
        >>> cycle = [(i, (i + 1) % 60) for i in range(60)]
        >>> kernel = Graphlet(3, connected=False, n_samples=1000)
        >>> Graphlet(3, connected=False).feature_map([cycle]).toarray()
        array([[30800.,    60.,  3360.]])
        >>> kernel.feature_map([cycle]).toarray().round()
        array([[31277.,    34.,  2909.]])
        >>> kernel.standard_error([cycle]).toarray().round()
        array([[303.,  34., 302.]])
        """
        if self.n_samples is None or self.mode not in ("count", "frequency"):
            raise ValueError(
                f"Graphlet: standard_error needs sampled counts or frequencies, got n_samples={self.n_samples} "
                f"and mode {self.mode!r}; set n_samples and mode 'count' or 'frequency'."
            )
        return self._counted(self.pack(X)).errors(frequencies=self.mode == "frequency").matrix

    def proof(self) -> Certificate:
        what = {
            "count": "an inner product of the counts of induced subgraphs by isomorphism class",
            "frequency": "an inner product of the frequencies of induced subgraphs by isomorphism class",
            "presence": "an inner product of 0/1 vectors, one entry per isomorphism class",
            "min": "an inner product of counts in unary: min(a, b) = Σ_j [j ≤ a][j ≤ b]",
        }
        return self._certify(Definiteness.PSD, what[self.mode], "Shervashidze et al. 2009")

    def _counted(self, A: Graphs) -> GraphletCounts:
        return count_graphlets(
            A,
            self.size,
            connected=self.connected,
            labeled=self.labeled,
            edges=self.edge_labels,
            n_samples=self.n_samples or 0,
            seed=self.random_state,
        )
