"""One graph as a reader returns it, before packing."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._typing import DoubleArray, IndexArray

__all__ = ["UnpackedGraph", "matrix", "numbered_errors", "numbers_of"]


@dataclass(frozen=True)
class UnpackedGraph:
    """One graph as a reader returns it.

    Attributes
    ----------
    n_nodes : int
        Number of nodes.
    pairs : ndarray of int64 of shape (n_edges, 2)
        Nodes of each edge, numbered from 0.
    directed : bool or None
        False if one direction of an edge suffices; None if symmetry decides.
    node_labels : sequence or None
        Label of each node.
    edge_labels : sequence or None
        Label of each edge.
    weights : sequence or None
        Weight of each edge.
    node_attributes : sequence or None
        Attributes of each node.
    edge_attributes : sequence or None
        Attributes of each edge.
    """

    n_nodes: int
    pairs: IndexArray
    directed: bool | None = None
    node_labels: Any = None
    edge_labels: Any = None
    weights: Any = None
    node_attributes: Any = None
    edge_attributes: Any = None

    def checked(self) -> "UnpackedGraph":
        """The same with attributes and weights as matrices; error messages do not name the graph."""
        n, m = self.n_nodes, len(self.pairs)
        if n < 0:
            raise ValueError(f"has {n} nodes, expected 0 or more")
        if m and not 0 <= self.pairs.min() <= self.pairs.max() < n:
            at = int(np.argmax(((self.pairs < 0) | (self.pairs >= n)).any(axis=1)))
            allowed = f"nodes from 0 to {n - 1}" if n else "no edges, since it has no nodes"
            raise ValueError(f"has the edge ({self.pairs[at, 0]}, {self.pairs[at, 1]}), expected {allowed}")
        for what, size, entries in (("node", n, self.node_labels), ("edge", m, self.edge_labels)):
            if entries is not None and len(entries) != size:
                raise ValueError(f"has {size} {what}s, but {len(entries)} {what} labels; pass one for each")
        weights = matrix("weights", self.weights, m)
        return replace(
            self,
            weights=None if weights is None else weights[:, 0],
            node_attributes=matrix("node attributes", self.node_attributes, n),
            edge_attributes=matrix("edge attributes", self.edge_attributes, m),
        )


@contextmanager
def numbered_errors(who: str, i: int, what: str = "graph") -> Iterator[None]:
    """Prefix ValueError, TypeError and ImportError raised inside with `who` and the number of the graph."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        kind = next(kind for kind in (TypeError, ImportError, ValueError) if isinstance(error, kind))
        raise kind(f"{who}: {what} {i} {error}.") from None


def numbers_of(what: str, values: Any) -> npt.NDArray[Any]:
    """Values as an array of real numbers; TypeError if they are not numbers."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"has {what} of different lengths, expected vectors of equal length") from None
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"has {what} in a masked array, expected plain numbers")
    if array.dtype.kind not in "fiub" and array.size:
        raise TypeError(f"has {what} of dtype {array.dtype}, expected real numbers")
    return array


def matrix(what: str, values: Any, n: int) -> DoubleArray | None:
    """Numbers as a float64 matrix of n rows; None if there are no values or no columns."""
    if values is None:
        return None
    array = numbers_of(what, values).astype(np.float64)
    if array.ndim not in (1, 2) or len(array) != n:
        raise ValueError(f"has {what} of shape {array.shape}, expected {n} rows")
    array = array.reshape(n, -1 if n else max(array.shape[1:], default=1))
    return array if array.shape[1] else None
