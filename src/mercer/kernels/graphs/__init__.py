"""Graph kernels: labelled, attributed and weighted graphs.

Samples are given as `mercer.data.Graphs`, or as lists or columns of anything that it accepts: networkx graphs,
matrices, edge lists, SMILES.

All classes are also exported by `mercer.kernels`.
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
