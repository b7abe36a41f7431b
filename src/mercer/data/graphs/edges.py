"""Sorted arcs of many graphs from edges in any order: the rows of one sparse matrix without duplicates.

Nodes are numbered over all graphs, N nodes in total. The arc (u, v) has the key uN + v; sorting the keys orders the
arcs by their first node, then by their second. Arcs with equal keys are parallel and are merged. The graph is
undirected if the keys, together with their labels, weights and attributes, are closed under (u, v) → (v, u). Everything
is counting and sorting, without a loop over nodes or edges.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mercer._typing import DoubleArray, IndexArray
from mercer.data.hashing.labels import hash_label, joint_label
from mercer.data.hashing.texts import HashArray

__all__ = ["Edges", "Places"]


@dataclass(frozen=True)
class Places:
    """Names of nodes and edges for messages, from their numbers over all graphs."""

    who: str
    offsets: IndexArray

    def graph(self, node: int) -> int:
        """Number of the graph of a node."""
        return int(np.searchsorted(self.offsets, node, side="right")) - 1

    def node(self, node: int) -> str:
        """A node by its number in its graph."""
        graph = self.graph(node)
        return f"node {node - int(self.offsets[graph])} of graph {graph}"

    def edge(self, tail: int, head: int) -> str:
        """An edge by the numbers of its nodes in their graph."""
        graph = self.graph(tail)
        start = int(self.offsets[graph])
        return f"edge ({tail - start}, {head - start}) of graph {graph}"


@dataclass(frozen=True)
class Edges:
    """Edges between nodes numbered over all graphs, with their labels, weights and attributes.

    Attributes
    ----------
    places : Places
        Start of each graph, and names for messages.
    tails : ndarray of int64 of shape (n_edges,)
        First node of each edge.
    heads : ndarray of int64 of shape (n_edges,)
        Second node of each edge.
    labels : ndarray of uint64 of shape (n_edges,) or None
        Hashes of the labels, which are in `values`.
    weights : ndarray of float64 of shape (n_edges,) or None
        Edge weights.
    attributes : ndarray of float64 of shape (n_edges, n_attributes) or None
        Edge attributes.
    """

    places: Places
    tails: IndexArray
    heads: IndexArray
    labels: HashArray | None = None
    weights: DoubleArray | None = None
    attributes: DoubleArray | None = None
    values: dict[int, Any] = field(default_factory=dict)

    @property
    def keys(self) -> IndexArray:
        """Key of each arc."""
        return np.asarray(self.tails * self.places.offsets[-1] + self.heads)

    @property
    def reverse_keys(self) -> IndexArray:
        """Key of the reverse of each arc."""
        return np.asarray(self.heads * self.places.offsets[-1] + self.tails)

    @property
    def is_bare(self) -> bool:
        """Whether the edges have no labels, weights or attributes."""
        return self.labels is None and self.weights is None and self.attributes is None

    def choose(self, rows: Any) -> "Edges":
        """Some of the edges, in the order given."""
        chosen: dict[str, Any] = {name: None if flat is None else flat[rows] for name, flat in self._flats().items()}
        return replace(self, tails=self.tails[rows], heads=self.heads[rows], **chosen)

    def _flats(self) -> dict[str, Any]:
        return {"labels": self.labels, "weights": self.weights, "attributes": self.attributes}

    def merged(self) -> "Edges":
        """Sorted arcs, parallel ones merged: weights are summed, different labels become a tuple."""
        keys = self.keys
        if self.is_bare:
            keys = _distinct(keys)
            tails, heads = np.divmod(keys, max(int(self.places.offsets[-1]), 1))
            return replace(self, tails=tails, heads=heads)
        edges = self
        if (keys[1:] < keys[:-1]).any():
            order = _grouped(self.heads, self.places)
            order = order[_grouped(self.tails[order], self.places)]
            keys, edges = keys[order], self.choose(order)
        first = _first(keys)
        return edges if first.all() else edges._merge(np.flatnonzero(first))

    def _merge(self, starts: IndexArray) -> "Edges":
        """One arc for each group of consecutive arcs that begins at `starts`."""
        merged = self.choose(starts)
        if self.attributes is not None:
            low, high = (ufunc.reduceat(self.attributes, starts, axis=0) for ufunc in (np.minimum, np.maximum))
            differ = np.flatnonzero((low != high).any(axis=1))
            if len(differ):
                raise merged._refusal(int(differ[0]), "is given more than once, with different attributes; merge them")
        if self.weights is not None:
            merged = replace(merged, weights=np.add.reduceat(self.weights, starts))
        if self.labels is None:
            return merged
        hashes, values = merged.labels, dict(self.values)
        assert hashes is not None
        differ = np.minimum.reduceat(self.labels, starts) != np.maximum.reduceat(self.labels, starts)
        ends = np.append(starts[1:], len(self.labels))
        for group in np.flatnonzero(differ).tolist():
            numbers = np.unique(self.labels[starts[group] : ends[group]])
            label = joint_label([values[number] for number in numbers.tolist()])
            hashes[group] = hash_label(label)
            values[int(hashes[group])] = label
        return replace(merged, labels=hashes, values=values)

    def completed(self, incomplete: npt.NDArray[np.bool_]) -> "Edges":
        """Both directions of every edge of the graphs chosen by a mask; arcs are sorted before and after.

        An edge given in both directions must have equal labels, weights and attributes in both.
        """
        wanted = np.repeat(incomplete, np.diff(self.places.offsets))[self.tails]
        if not self.is_bare:
            mates, found = self._mates()
            self._require_same(mates, found & wanted)
            wanted &= ~found
        more = self.choose(wanted)
        both: dict[str, Any] = {
            name: None if flat is None else np.concatenate([flat, flat[wanted]]) for name, flat in self._flats().items()
        }
        tails, heads = np.concatenate([self.tails, more.heads]), np.concatenate([self.heads, more.tails])
        return replace(self, tails=tails, heads=heads, **both).merged()

    def require_symmetric(self) -> None:
        """Raise ValueError for the first arc without an equal reverse."""
        mates, found = self._mates()
        if not found.all():
            raise self._refusal(
                int(np.argmin(found)), "has no reverse, so the graph is directed; pass directed=True or symmetrise it"
            )
        self._require_same(mates, found)

    @property
    def is_symmetric(self) -> bool:
        """Whether every arc has an equal reverse; arcs are sorted."""
        try:
            self.require_symmetric()
        except ValueError:
            return False
        return True

    def _mates(self) -> tuple[IndexArray, npt.NDArray[np.bool_]]:
        """Position of the reverse of each arc, and whether there is one."""
        keys, order = self.keys, _grouped(self.heads, self.places)
        reverse = self.reverse_keys[order]  # sorted like the arcs, so that two sorted lists are merged below
        if np.array_equal(keys, reverse):  # every arc has a reverse, at a known position
            mates = np.empty_like(order)
            mates[order] = np.arange(len(order))
            return mates, np.ones(len(order), dtype=bool)
        where = np.searchsorted(keys, reverse)
        where[where == len(keys)] = 0
        mates, found = np.empty_like(where), np.empty(len(keys), dtype=bool)
        mates[order], found[order] = where, keys[where] == reverse
        return mates, found

    def _require_same(self, mates: IndexArray, where: npt.NDArray[np.bool_]) -> None:
        for name, flat in self._flats().items():
            if flat is not None:
                same = flat[mates] == flat
                same = same.all(axis=1) if same.ndim == 2 else same
                if not (same | ~where).all():
                    raise self._refusal(
                        int(np.argmin(same | ~where)),
                        f"and its reverse have different {name}, so the graph is directed; "
                        "pass directed=True or make them equal",
                    )

    def where(self, at: int) -> str:
        """The edge at a position, for messages."""
        return self.places.edge(int(self.tails[at]), int(self.heads[at]))

    def _refusal(self, at: int, what: str) -> ValueError:
        return ValueError(f"{self.places.who}: {self.where(at)} {what}.")


def _distinct(keys: IndexArray) -> IndexArray:
    keys = np.sort(keys)
    first = _first(keys)
    return keys if first.all() else keys[first]


def _first(keys: IndexArray) -> npt.NDArray[np.bool_]:
    """Whether each key of a sorted list differs from the one before."""
    first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return first


def _grouped(nodes: IndexArray, places: Places) -> IndexArray:
    """Stable order of edges by a node: a counting sort, O(m + N)."""
    m = len(nodes)
    table = sp.coo_array((np.ones(m, dtype=bool), (nodes, np.arange(m))), shape=(int(places.offsets[-1]), m))
    return np.asarray(table.tocsr().indices)
