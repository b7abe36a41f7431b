"""Generated molecule-like labelled graphs that differ in the composition of their ring."""

import numpy as np

from mercer.data import Graphs
from mercer.datasets.dataset import Dataset

__all__ = ["rings"]

_LABELS = ("C", "C", "C", "C", "N", "O")
_WRONG = 0.04


def rings() -> Dataset:
    """Generate 240 graphs of 10 to 16 nodes, each a ring of five or six nodes with attached trees.

    In the ring of a "heterocycle" one node is N and the others are C. In a "carbocycle" all are C and N is attached to
    the ring, so that label counts are not sufficient. Other nodes have random labels, mostly C. 4 % of the classes are
    wrong.
    """
    rng = np.random.default_rng(0)
    edges: list[tuple[int, int]] = []
    labels: list[str] = []
    sizes, classes = [], []
    for i in range(240):
        hetero = i % 2 == 0
        n, ring, first = int(rng.integers(10, 17)), int(rng.integers(5, 7)), len(labels)
        nodes = [_LABELS[j] for j in rng.integers(len(_LABELS), size=n)]
        nodes[:ring] = ["C"] * ring
        nodes[int(rng.integers(ring)) if hetero else ring] = "N"
        edges += [(first + j, first + (j + 1) % ring) for j in range(ring)]
        edges += [(first + int(rng.integers(max(0, j - 8), j)), first + j) for j in range(ring, n)]
        labels += nodes
        sizes.append(n)
        classes.append("heterocycle" if hetero != (rng.random() < _WRONG) else "carbocycle")
    graphs = Graphs.from_edges(edges, np.repeat(np.arange(240), sizes), node_labels=labels)
    return Dataset("rings", graphs, np.array(classes), "class")
