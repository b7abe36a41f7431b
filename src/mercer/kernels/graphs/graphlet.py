"""The graphlet kernel: small induced subgraphs that two graphs have in common."""

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
from mercer.kernels.program import Op

__all__ = ["Graphlet"]

Mode: TypeAlias = Literal["count", "frequency", "presence", "min"]

EXACT = 5  # nodes up to which subgraphs are enumerated
LARGEST = 8  # nodes of a sampled subgraph


@final
@dataclass(frozen=True)
class Graphlet(GraphFeatures):
    r"""Graphlet kernel  k(G, H) = Σ_c f_c(G) f_c(H) over isomorphism classes c of graphs with `size` nodes.

    f_c(G) is the number of sets of `size` nodes of G that induce a subgraph of class c.

    Parameters
    ----------
    size : int
        Number of nodes, 2 to 5; up to 8 if subgraphs are sampled.
    connected : bool
        Whether only connected subgraphs count: 1, 2, 6 and 21 classes of sizes 2 to 5. Otherwise all: 2, 4, 11 and 34.
    labeled : bool
        Whether the labels of the nodes are part of the class.
    edge_labels : bool
        Whether the labels of the edges are part of the class; for undirected graphs.
    mode : {"count", "frequency", "presence", "min"}
        f_c is a count; a count divided by their sum; 1 or 0; or the kernel is Σ_c min(f_c(G), f_c(H)) of counts.
    n_samples : int, optional
        Estimate the counts from this number of sets of nodes, drawn uniformly and with replacement from all sets of
        `size` nodes. By default counts are exact.
    random_state : int
        Of the samples, 0 to 2⁶⁴ − 1.

    Notes
    -----
    Loops and directions of edges are ignored: a directed graph counts as the undirected graph below it. Graphs with
    fewer than `size` nodes have no features: k is 0, and so is its normalised form.

    Exact counts without labels: sizes up to 4 by formulas, O(m · a) for m edges and arboricity a (at most √m), plus
    O(m · a²) for cliques of 4. Connected subgraphs of size 5 are enumerated up to the fourth node, O(n d⁴) for nodes of
    degree d. With labels, connected subgraphs are enumerated one by one; with ``connected=False`` and labels or size 5,
    all sets of nodes are. An enumeration that may take more than 2·10¹¹ steps in one graph (2·10¹⁰ with labels) is
    refused before it begins. Large graphs are shared by all threads. Sums are integers of 128 bits; counts are exact
    below 2⁵³ and rounded to the nearest double above.

    Samples: hits/n_samples · C(n, size) estimates a count without bias; see `standard_error`. The samples depend on the
    graph, as numbered, and the seed, on nothing else; graphs with at most `n_samples` sets are counted exactly. k(G, G)
    is larger than its exact value by the sum of the squared errors, on average. In a large sparse graph few sets are
    connected: exact counts are then cheaper and better.

    PSD: an inner product of counts, frequencies, 0/1 vectors, or counts in unary. Classes with labels are compared by
    hashes of 64 bits.

    References
    ----------
    Shervashidze et al. 2009, Efficient graphlet kernels for large graph comparison, AISTATS. Wernicke 2006, Efficient
    detection of network motifs, doi:10.1109/TCBB.2006.51. Chiba & Nishizeki 1985, Arboricity and subgraph listing
    algorithms, doi:10.1137/0214017.

    Examples
    --------
    >>> square, tailed = [(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 1), (1, 2), (2, 0), (2, 3)]
    >>> Graphlet(3)([square, tailed])  # 4 paths; 2 paths and a triangle
    array([[16.,  8.],
           [ 8.,  5.]])
    >>> bool(Graphlet(3, connected=False)([square], [tailed]) == 4 * 2)  # no set of 3 nodes has an edge only
    True
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
                    "Graphlet: mode 'min' compares whole counts, but n_samples gives estimates; use mode 'count' or "
                    "n_samples=None."
                )
        elif self.size > EXACT:
            raise ValueError(
                f"Graphlet: subgraphs of size {self.size} are only sampled; give n_samples, for example 10000, or a "
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
        """Standard errors of the estimated f_c(G): those of the counts, or of the frequencies.

        Returns
        -------
        CSR matrix
            With a row for each graph and a column for each class that was met in the data, the columns of
            ``feature_map(X)``. C(n, size) √(p(1 − p)/n_samples) with p = hits/n_samples for counts, √(f(1 − f)/hits in
            all) for frequencies. 0 where a graph was counted exactly, and where a class was not met: that a class has
            no hit in T samples says that its share is below 3/T with 95 % confidence.

        Examples
        --------
        >>> cycle = [(i, (i + 1) % 60) for i in range(60)]
        >>> kernel = Graphlet(3, connected=False, n_samples=1000)
        >>> error = kernel.standard_error([cycle]).toarray()[0]
        >>> exact = Graphlet(3, connected=False).feature_map([cycle]).toarray()[0]
        >>> bool((abs(kernel.feature_map([cycle]).toarray()[0] - exact)[:2] < 3 * error[:2]).all())
        True
        """
        if self.n_samples is None or self.mode not in ("count", "frequency"):
            raise ValueError(
                f"Graphlet: standard errors are those of sampled counts or frequencies, got n_samples={self.n_samples} "
                f"and mode {self.mode!r}."
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
