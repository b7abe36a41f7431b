"""A molecule in arrays and as a stand-in for a networkx graph, and a path as a matrix."""

import numpy as np

from mercer.data import Graphs

MOLECULE = Graphs.from_edges(
    [[0, 1], [1, 2]], node_labels=["O", "C", "O"], edge_labels=["double", "single"], weights=[2.0, 1.5]
)
PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
NODE_LABELS = {"a": "O", "b": "C", "c": "O"}
EDGE_LABELS = {("a", "b"): "double", ("b", "a"): "double", ("b", "c"): "single", ("c", "b"): "single"}
WEIGHTS = {("a", "b"): 2.0, ("b", "a"): 2.0, ("b", "c"): 1.5, ("c", "b"): 1.5}


class Networkx:
    """A graph as networkx has it."""

    def __init__(self, nodes, edges, directed=False):
        self._nodes, self._edges, self._directed = nodes, edges, directed

    def nodes(self, data):
        assert data
        return self._nodes

    def edges(self, data):
        assert data
        return self._edges

    def is_directed(self):
        return self._directed

    def __iter__(self):
        return iter(dict(self._nodes))


def fake(nodes="abc", **options):
    names = dict(zip(nodes, MOLECULE[0].node_labels, strict=True))
    edges = [
        (nodes[0], nodes[1], {"label": "double", "weight": 2.0}),
        (nodes[2], nodes[1], {"label": "single", "weight": 1.5}),
    ]
    return Networkx([(name, {"label": label}) for name, label in names.items()], edges, **options)
