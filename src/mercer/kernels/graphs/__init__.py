"""Kernels over graphs.

They take `mercer.data.Graphs`, and lists or columns of all that it takes: graphs of networkx, matrices, lists of edges,
SMILES.

Graph kernels belong to `mercer.kernels`, which exports them too; this package groups the family.
"""

from mercer.kernels.graphs.attributed_shortest_path import AttributedShortestPath
from mercer.kernels.graphs.graph_hopper import GraphHopper
from mercer.kernels.graphs.graphlet import Graphlet
from mercer.kernels.graphs.histograms import EdgeHistogram, VertexHistogram
from mercer.kernels.graphs.neighborhood_hash import NeighborhoodHash
from mercer.kernels.graphs.propagation import Propagation
from mercer.kernels.graphs.random_walk import RandomWalk
from mercer.kernels.graphs.shortest_path import ShortestPath
from mercer.kernels.graphs.weisfeiler_lehman import WeisfeilerLehman, WLOptimalAssignment

__all__ = [
    "AttributedShortestPath",
    "EdgeHistogram",
    "GraphHopper",
    "Graphlet",
    "NeighborhoodHash",
    "Propagation",
    "RandomWalk",
    "ShortestPath",
    "VertexHistogram",
    "WLOptimalAssignment",
    "WeisfeilerLehman",
]
