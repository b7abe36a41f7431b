"""Shared base of graph kernels that compare nodes by a kernel on their attributes."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

import mercer._core as _core
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer._validation import check_rows
from mercer.data import Graphs
from mercer.kernels.algebra import check_kernel_part
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.evaluate import paired
from mercer.kernels.graphs.base import as_graphs
from mercer.kernels.graphs.checks import require_attributes
from mercer.kernels.packed import PackedKernel, owned
from mercer.kernels.prepared import Prepared
from mercer.kernels.sharing import once

__all__ = ["AttributedKernel", "AttributedPack"]

VALUES = 1 << 20  # values of the node kernel per block, if graphs are small enough
ROWS = 256  # nodes on the left of a block


@dataclass(frozen=True, eq=False)
class AttributedPack:
    """Graphs packed for the core, and their nodes packed for the node kernel; choosing rows copies nothing."""

    kernel: "AttributedKernel"
    graphs: Graphs
    rows: IndexArray | None = None

    def __len__(self) -> int:
        return len(self.graphs) if self.rows is None else len(self.rows)

    def __getitem__(self, rows: Any) -> "AttributedPack":
        chosen = check_rows("AttributedPack", rows, len(self))
        part = AttributedPack(self.kernel, self.graphs, chosen if self.rows is None else self.rows[chosen])
        part.__dict__.update(items=self.items, prepared=self.prepared)
        return part

    @cached_property
    def items(self) -> _core.AttributedGraphs:
        """All graphs as the core reads them."""
        return self.kernel.items(self.graphs)

    @cached_property
    def prepared(self) -> Prepared | None:
        """All nodes, prepared for the node kernel; None if there are none."""
        if not self.graphs.offsets[-1]:
            return None
        nodes, attributes = self.kernel.node_kernel, self.graphs.node_attributes
        return once(("prepared", nodes), attributes, lambda: nodes.prepare(attributes))

    @property
    def sizes(self) -> IndexArray:
        """Number of nodes of each graph."""
        return self.graphs.lengths if self.rows is None else self.graphs.lengths[self.rows]

    def nodes(self, part: slice) -> IndexArray:
        """Numbers of the nodes of some graphs, graph by graph."""
        rows = np.arange(len(self))[part] if self.rows is None else self.rows[part]
        sizes = self.graphs.lengths[rows]
        starts = np.cumsum(sizes) - sizes
        return np.repeat(self.graphs.offsets[rows] - starts, sizes) + np.arange(sizes.sum())

    def chosen(self, part: slice) -> IndexArray:
        """Numbers of some graphs among all graphs."""
        return np.arange(len(self))[part] if self.rows is None else self.rows[part]

    def compact(self) -> "AttributedPack":
        """Copy of the chosen graphs in arrays of their own."""
        return AttributedPack(self.kernel, owned(self.graphs, self.rows))

    def __reduce__(self) -> tuple[Any, ...]:
        return AttributedPack, (self.kernel, owned(self.graphs, self.rows))


class AttributedKernel(PackedKernel):
    """Base class of graph kernels that are functions of κ(v, v') for all nodes v, v' of two graphs.

    A subclass has a field `node_kernel` and defines `items`, the graphs as the core reads them. Values of κ are
    computed from the attributes, for blocks of graphs.
    """

    node_kernel: Kernel

    @abstractmethod
    def items(self, graphs: Graphs) -> _core.AttributedGraphs:
        """Pack graphs for the core.

        Parameters
        ----------
        graphs : Graphs
            Graphs with node attributes.

        Returns
        -------
        AttributedGraphs
            The graphs as the core reads them.
        """

    def _check_node_kernel(self) -> None:
        check_kernel_part(type(self).__name__, "node_kernel", self.node_kernel)

    def parts(self) -> dict[str, Kernel]:
        return {"node_kernel": self.node_kernel}

    def restrict(self, X: Data) -> Data:
        """Data of the node kernel: the attributes of all nodes.

        Parameters
        ----------
        X : data
            Graphs.

        Returns
        -------
        ndarray of shape (n_nodes, n_attributes)
            Node attributes of all graphs.
        """
        graphs = self._graphs(X)
        return np.empty((0, 1)) if graphs.node_attributes is None else graphs.node_attributes

    def _graphs(self, X: Data) -> Graphs:
        graphs = as_graphs(X, type(self).__name__)
        require_attributes(graphs, type(self).__name__)
        return graphs

    def pack(self, X: Data) -> AttributedPack:
        pack = AttributedPack(self, self._graphs(X))
        _ = pack.items, pack.prepared  # compute here, not at the first block
        return pack

    def fill(self, A: AttributedPack, B: AttributedPack, out: FloatArray, threads: int) -> None:
        for rows in _parts(A.sizes, 0, ROWS):
            if B is A:
                self._block(A, rows, B, rows, out, threads)
            width = VALUES // max(ROWS, int(A.sizes[rows].sum()))
            for columns in _parts(B.sizes, rows.stop if B is A else 0, width):
                self._block(A, rows, B, columns, out, threads)
                if B is A:
                    out[columns, rows] = out[rows, columns].T

    def _block(
        self, A: AttributedPack, rows: slice, B: AttributedPack, columns: slice, out: FloatArray, threads: int
    ) -> None:
        same = B is A and rows == columns
        left, right = A.nodes(rows), B.nodes(columns)
        kappa = np.empty((len(left), len(right)))
        step = max(1, VALUES // max(1, len(right)))
        for start in range(0, len(left), step):
            some = left[start : start + step]
            pairs = np.repeat(some, len(right)), np.tile(right, len(some))
            kappa[start : start + step] = _values(A, B, *pairs, threads).reshape(len(some), len(right))
        block = cast(DoubleArray, out[rows, columns])
        self._run(
            _core.attributed_block,
            A.items,
            A.chosen(rows),
            B.items,
            B.chosen(columns),
            kappa.ravel(),
            same,
            block,
            threads,
        )

    def fill_pairs(self, A: AttributedPack, B: AttributedPack, out: FloatArray, threads: int) -> None:
        left, right = A.sizes, B.sizes
        for part in _parts(left * right, 0, VALUES):
            repeats = np.repeat(right[part], left[part])  # every left node is paired with all right nodes of its pair
            starts = np.cumsum(right[part]) - right[part]
            first = np.repeat(np.repeat(starts, left[part]) - (np.cumsum(repeats) - repeats), repeats)
            pairs = np.repeat(A.nodes(part), repeats), B.nodes(part)[first + np.arange(len(first))]
            kappa = _values(A, B, *pairs, threads)
            column = cast(DoubleArray, out[part])
            self._run(_core.attributed_pairs, A.items, A.chosen(part), B.items, B.chosen(part), kappa, column, threads)

    def _run(self, compute: Any, *arguments: Any) -> None:
        try:
            compute(*arguments)
        except OverflowError as error:
            raise OverflowError(f"{self}: {error}; use a node kernel with smaller values.") from None

    def _certified(self, rule: str, reference: str) -> Certificate:
        if self.node_kernel.definiteness is Definiteness.PSD:
            return self._certify(Definiteness.PSD, rule, reference)
        return self._certify(Definiteness.UNKNOWN, "no rule unless the node kernel is PSD")


def _parts(sizes: IndexArray, start: int, most: int) -> Iterator[slice]:
    """Slices of consecutive items from `start` on, with at most `most` entries each, or a single item."""
    ends = np.cumsum(sizes)
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield slice(start, stop)
        start = stop


def _values(A: AttributedPack, B: AttributedPack, left: IndexArray, right: IndexArray, threads: int) -> DoubleArray:
    """κ of pairs of nodes; every value is independent of the other pairs."""
    if not len(left) or A.prepared is None or B.prepared is None:
        return np.empty(0)
    return np.ascontiguousarray(paired(A.prepared.take(left), B.prepared.take(right), n_jobs=threads), dtype=np.float64)
