"""Shared base of graph kernels: conversion to graphs and packing for the core."""

from typing import ClassVar

import numpy as np

import mercer._core as _core
from mercer._typing import Data
from mercer.data import Graphs
from mercer.data.hashing.texts import HashArray
from mercer.kernels.base import Reads
from mercer.kernels.sharing import as_container
from mercer.kernels.vocabulary import KeyedKernel

__all__ = ["GraphFeatures", "as_graphs", "core_graphs", "node_labels", "require_edge_labels"]


def as_graphs(X: Data, who: str) -> Graphs:
    """Graphs from a list, array or column of graph objects, see `mercer.data.Graphs`; tables need a single column.

    >>> as_graphs([[(0, 1), (1, 2)], (2, [])], "VertexHistogram")
    Graphs(2 of 2 to 3 nodes)
    """
    return as_container(X, Graphs, who, "graph")


def core_graphs(graphs: Graphs) -> _core.GraphList:
    """The arrays of graphs as the core reads them."""
    return _core.GraphList(graphs.offsets, graphs.indptr, graphs.neighbors, graphs.directed)


def node_labels(graphs: Graphs) -> HashArray:
    """Hash of the label of each node; one common hash if the graphs have no node labels."""
    if graphs.node_labels is not None:
        return graphs.node_labels
    return np.zeros(int(graphs.offsets[-1]), dtype=np.uint64)


def require_edge_labels(graphs: Graphs, who: str) -> HashArray:
    """Hash of the label of each arc; ValueError if a graph has edges without labels."""
    if graphs.edge_labels is not None:
        return graphs.edge_labels
    arcs = np.diff(graphs.indptr[graphs.offsets])
    if arcs.any():
        raise ValueError(
            f"{who}: needs edge labels, but the edges of graph {int(np.argmax(arcs > 0))} have none; "
            "pass them to mercer.data.Graphs."
        )
    return np.empty(0, dtype=np.uint64)


class GraphFeatures(KeyedKernel):
    """Base class of graph kernels with sparse explicit features; packed samples are `Graphs`."""

    reads: ClassVar[Reads] = "items"

    def pack(self, X: Data) -> Graphs:
        return as_graphs(X, type(self).__name__)
