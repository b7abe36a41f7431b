"""Graphs packed for random walks: arcs by label, or spectra if labels are ignored."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import thread_count
from mercer._typing import DoubleArray, IndexArray
from mercer._validation import check_rows, describe
from mercer.data import Graphs
from mercer.kernels.graphs.base import core_graphs, require_edge_labels
from mercer.kernels.graphs.checks import require_labels, require_lengths
from mercer.kernels.packed import owned

__all__ = ["Walks"]


@dataclass(frozen=True, eq=False)
class Walks:
    """Graphs packed for the core; choosing rows copies nothing.

    Attributes
    ----------
    graphs : Graphs
        The graphs.
    labeled : bool
        Whether node labels must agree.
    edge_labels : bool
        Whether edge labels must agree.
    weighted : bool
        Whether edges count with their weights.
    rows : ndarray of int64 or None
        Chosen graphs, in order; None for all.
    """

    graphs: Graphs
    labeled: bool
    edge_labels: bool
    weighted: bool
    rows: IndexArray | None = None

    def __post_init__(self) -> None:
        if self.rows is not None:  # chosen from validated walks
            return
        if not isinstance(self.graphs, Graphs):
            raise ValueError(f"Walks: expected Graphs, got {describe(self.graphs)}.")
        if self.labeled:
            require_labels(self.graphs, "RandomWalk", "labeled=False")
        if self.edge_labels:
            require_edge_labels(self.graphs, "RandomWalk")
        if self.weighted:
            require_lengths(self.graphs, "RandomWalk")

    def __len__(self) -> int:
        return len(self.graphs) if self.rows is None else len(self.rows)

    def __getitem__(self, rows: Any) -> "Walks":
        chosen = check_rows("Walks", rows, len(self))
        kept = chosen if self.rows is None else self.rows[chosen]
        part = Walks(self.graphs, self.labeled, self.edge_labels, self.weighted, kept)
        made = ("arcs", "spectra", "radii")
        part.__dict__.update({name: value for name, value in self.__dict__.items() if name in made})
        return part

    def number(self, i: int) -> int:
        """Number of row i among all graphs."""
        return i if self.rows is None else int(self.rows[i])

    @property
    def has_spectra(self) -> bool:
        """Whether spectra can be used: no labels, no directions."""
        return not (self.labeled or self.edge_labels or self.graphs.directed)

    @property
    def largest(self) -> int:
        """Number of arcs of the largest graph, or of its nodes if spectra are used."""
        graphs = self.graphs
        ends = graphs.offsets if self.has_spectra else graphs.indptr[graphs.offsets]
        return int(np.diff(ends).max(initial=0))

    @property
    def _weights(self) -> DoubleArray | None:
        return self.graphs.weights if self.weighted else None

    @cached_property
    def radii(self) -> DoubleArray:
        """Upper bound of the spectral radius of every adjacency matrix, shape (n_graphs,)."""
        return _core.spectral_radii(core_graphs(self.graphs), self._weights, thread_count())

    @cached_property
    def arcs(self) -> _core.WalkList:
        """Arcs of all graphs, by label."""
        graphs = self.graphs
        node_labels = graphs.node_labels if self.labeled else None
        edge_labels = graphs.edge_labels if self.edge_labels else None
        return _core.WalkList(core_graphs(graphs), node_labels, edge_labels, self._weights)

    @cached_property
    def spectra(self) -> _core.SpectrumList:
        """Eigenvalues of all adjacency matrices with the squared sums of their eigenvectors; O(n³) per graph."""
        graphs, weights = self.graphs, self._weights
        values, shares = np.empty(int(graphs.offsets[-1])), np.empty(int(graphs.offsets[-1]))
        for first, last in zip(graphs.offsets[:-1].tolist(), graphs.offsets[1:].tolist(), strict=True):
            arcs = slice(graphs.indptr[first], graphs.indptr[last])
            A = np.zeros((last - first, last - first))
            tails = np.repeat(np.arange(last - first), np.diff(graphs.indptr[first : last + 1]))
            A[tails, graphs.neighbors[arcs]] = 1.0 if weights is None else weights[arcs]
            values[first:last], vectors = np.linalg.eigh(A)
            shares[first:last] = vectors.sum(axis=0) ** 2
        return _core.SpectrumList(graphs.offsets, values, shares)

    def compact(self) -> "Walks":
        """Copy of the chosen graphs in arrays of their own."""
        return Walks(owned(self.graphs, self.rows), self.labeled, self.edge_labels, self.weighted)

    def __reduce__(self) -> tuple[Any, ...]:
        return Walks, (owned(self.graphs, self.rows), self.labeled, self.edge_labels, self.weighted)
