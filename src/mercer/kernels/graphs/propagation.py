"""Propagation kernel: labels or attributes spread over edges, compared in bins."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal, TypeAlias, final

import numpy as np
import numpy.typing as npt

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._runtime.limits import require_time
from mercer._typing import Data, DoubleArray
from mercer._validation import check_choice, check_flag, check_integer, check_real
from mercer.data import Graphs
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.graphs.base import GraphFeatures, core_graphs, node_labels
from mercer.kernels.graphs.checks import require_attributes, require_lengths
from mercer.kernels.keyed import KeyArray, KeyedRows

__all__ = ["Propagation"]

Spread: TypeAlias = Literal["labels", "attributes", "both"]
Metric: TypeAlias = Literal["tv", "l1", "l2"]


ARC = 4e-9  # seconds per arc and propagation


@final
@dataclass(frozen=True)
class Propagation(GraphFeatures):
    """Propagation kernel  k(G, H) = Σ_{t=0}^{n_iter} Σ_b n_{t,b}(G) n_{t,b}(H); n_{t,b} counts the nodes in bin b.

    Every node has a vector: the distribution of labels around it, initially its own label, or its attributes. In each
    round it is replaced by the mean of the vectors of the neighbours. A random projection assigns vectors to bins, such
    that close vectors usually share a bin.

    Parameters
    ----------
    n_iter : int, default=5
        Number of propagation rounds, 0 ≤ n_iter ≤ 10000.
    width : float, default=0.01
        w > 0, the width of the bins in units of the metric.
    spread : {"labels", "attributes", "both"}, default="labels"
        What is propagated. With "both", nodes must share the bins of both. Nodes without labels have a common one.
    metric : {"tv", "l1", "l2"}, default="tv"
        Metric that bins approximate: total variation ``Σ|p − q|/2``, ``Σ|p − q|``, or the Euclidean distance.
    weighted : bool, default=False
        Whether means are weighted with the edge weights, which must be ≥ 0.
    random_state : int, default=0
        Seed of the projections, ≥ 0. They depend on nothing else: kernels with equal parameters agree on all data.

    See Also
    --------
    WeisfeilerLehman : Exact comparison of labelled neighbourhoods.
    AttributedShortestPath : Exact comparison of attributes.
    GraphHopper : Exact comparison of attributes along shortest paths.

    Notes
    -----
    PSD for every seed: an inner product of counts. The feature map has one feature for each round and bin that occurs.

    In round t the vector p has the bin ⌊(⟨v_t, p⟩ + b_t)/w⌋, where v_t has independent entries, Cauchy (tv, l1) or
    normal (l2), and b_t is uniform in [0, w]. Two vectors share a bin with a probability that decreases with their
    distance over w (locality-sensitive hashing). k is therefore an approximation that depends on the seed.

    Complexity: O(n_iter² m) per graph of m arcs. Projections are propagated instead of vectors, since both are linear.
    A node without neighbours keeps its vector. In directed graphs a node averages over the heads of its outgoing arcs.
    Entries of v_t for labels are derived from hashes, so that no vocabulary is needed.

    References
    ----------
    * Neumann, Garnett, Bauckhage & Kersting, *Propagation kernels: efficient graph kernels from propagated
      information*, Machine Learning 102, 2016, doi:10.1007/s10994-015-5517-9.
    * Datar, Immorlica, Indyk & Mirrokni, *Locality-sensitive hashing scheme based on p-stable distributions*, SoCG
      2004.

    Examples
    --------
    >>> from mercer.data import Graphs
    >>> graphs = Graphs.from_edges([[0, 1], [2, 3]], [0, 0, 1, 1], node_labels=["C", "O", "C", "N"])
    >>> Propagation(0)(graphs)  # one label in common
    array([[2., 1.],
           [1., 2.]])
    """

    name: ClassVar[str] = "propagation"
    formula: ClassVar[str] = "Σ_t Σ_b n_tb(G)n_tb(H)"
    n_iter: int = 5
    width: float = 0.01
    _: KW_ONLY
    spread: Spread = "labels"
    metric: Metric = "tv"
    weighted: bool = False
    random_state: int = 0

    def __post_init__(self) -> None:
        checked = {
            "n_iter": check_integer("Propagation", "n_iter", self.n_iter, low=0, high=10_000),
            "width": check_real("Propagation", "width", self.width, low=0.0, strict=True),
            "spread": check_choice("Propagation", "spread", self.spread, Spread),
            "metric": check_choice("Propagation", "metric", self.metric, Metric),
            "weighted": check_flag("Propagation", "weighted", self.weighted),
            "random_state": check_integer("Propagation", "random_state", self.random_state, low=0, high=2**63 - 1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def pack(self, X: Data) -> Graphs:
        graphs = super().pack(X)
        if self.spread != "labels":
            require_attributes(graphs, "Propagation")
        if self.weighted:
            require_lengths(graphs, "Propagation")
        return graphs

    # ---- bins

    def _draw(self, what: int, level: int, names: KeyArray) -> DoubleArray:
        """Entries of v_t, addressed by name: Cauchy or normal numbers that depend only on the seed."""
        stream = _combined(self.random_state, what, level)
        hashes = [_core.combine_keys(np.full(len(names), _combined(stream, k), dtype=np.uint64), names) for k in (0, 1)]
        first, second = (((h >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53 for h in hashes)
        if self.metric == "l2":
            return np.sqrt(-2.0 * np.log(first)) * np.cos(2.0 * math.pi * second)
        return np.tan(math.pi * (first - 0.5)) * (0.5 if self.metric == "tv" else 1.0)

    def _projected(self, A: Graphs, what: int) -> DoubleArray:
        """⟨v_t, p⟩ of all nodes before propagation, shape (n_iter + 1, n_nodes)."""
        found = np.empty((self.n_iter + 1, int(A.offsets[-1])))
        labels, at = np.unique(node_labels(A), return_inverse=True)
        for level, row in enumerate(found):
            if what == 0:
                row[:] = self._draw(what, level, labels)[at]
            elif A.node_attributes is not None:
                entries = self._draw(what, level, np.arange(A.node_attributes.shape[1], dtype=np.uint64))
                row[:] = 0.0
                for entry, column in zip(
                    entries.tolist(), A.node_attributes.T, strict=True
                ):  # the same order of summation for all
                    np.add(row, entry * column, out=row)
        return found

    def _bins(self, A: Graphs) -> list[DoubleArray]:
        """Bins of all nodes in all rounds, as integral floats, for labels and attributes as chosen."""
        largest = int(np.diff(A.indptr[A.offsets]).max(initial=0))
        require_time(
            ARC * self.n_iter**2 / 2 * largest,
            what=f"Propagation: {self.n_iter} rounds, each propagated from the start, on a graph of {largest} arcs",
            instead="Lower n_iter: values are averaged in every round, so that few rounds suffice.",
        )
        bins = []
        for what in {"labels": (0,), "attributes": (1,), "both": (0, 1)}[self.spread]:
            values = self._projected(A, what)
            _core.propagate(core_graphs(A), A.weights if self.weighted else None, values, thread_count())
            shifts = [_combined(self.random_state, 2 + what, level) * 2.0**-64 for level in range(self.n_iter + 1)]
            bins.append(np.floor(values / self.width + np.array(shifts)[:, None]) + 0.0)
        return bins

    def _colors(self, bins: list[DoubleArray]) -> npt.NDArray[np.uint64]:
        colors = np.zeros(bins[0].size, dtype=np.uint64)
        for found in bins:
            colors = _core.combine_keys(colors, found.view(np.uint64).ravel())
        return colors.reshape(bins[0].shape)

    def rows(self, A: Graphs) -> KeyedRows:
        return KeyedRows._of(*_core.count_colors(A.offsets, self._colors(self._bins(A)), thread_count()))

    def names(self, A: Graphs, keys: KeyArray) -> list[str]:
        """Names of features: round and bin, such as "2: bin 17".

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
        bins = self._bins(A)
        names = np.empty(len(keys), dtype=object)
        for level, colors in enumerate(self._colors(bins)):
            found, first = np.unique(
                _core.combine_keys(np.full(len(colors), level, dtype=np.uint64), colors), return_index=True
            )
            at = np.searchsorted(keys, found)
            inside = at < len(keys)
            inside[inside] = keys[at[inside]] == found[inside]
            for where, node in zip(at[inside].tolist(), first[inside].tolist(), strict=True):
                names[where] = f"{level}: bin " + ", ".join(f"{b[level, node]:g}" for b in bins)
        return names.tolist()

    def proof(self) -> Certificate:
        what = "an inner product of the counts of nodes in bins, which are fixed by the seed"
        return self._certify(Definiteness.PSD, what, "Neumann, Garnett, Bauckhage & Kersting 2016")


def _combined(*numbers: int) -> int:
    """Stable hash of some numbers."""
    h = np.zeros(1, dtype=np.uint64)
    for number in numbers:
        h = _core.combine_keys(h, np.array([number], dtype=np.uint64))
    return int(h[0])
