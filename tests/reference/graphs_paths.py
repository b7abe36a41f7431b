"""Kernels of paths, walks and propagation from their definitions, on small graphs as dense matrices."""

import itertools
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import expm

from mercer.data import Graphs

__all__ = [
    "LABELS",
    "Plain",
    "attributed_shortest_path",
    "distances",
    "graph_hopper",
    "packed",
    "permuted",
    "plain_graphs",
    "propagated",
    "random_graphs",
    "random_walk",
    "shortest_path",
    "shortest_paths",
]

LABELS = ["C", "O", 7]
EDGE_LABELS = ["single", "double"]


@dataclass(frozen=True)
class Plain:
    """A graph: weights of arcs (0 for none), labels of nodes, labels of arcs, vectors of nodes."""

    weights: Any
    labels: list[Any]
    edge_labels: list[list[Any]]
    vectors: Any
    directed: bool = False

    @property
    def n(self) -> int:
        return len(self.labels)

    @property
    def adjacency(self) -> Any:
        return (self.weights != 0).astype(float)


def random_graph(rng: np.random.Generator, n: int, share: float, directed: bool) -> Plain:
    weights = np.where(rng.random((n, n)) < share, rng.integers(1, 5, (n, n)) / 2.0, 0.0)
    kinds = rng.integers(0, len(EDGE_LABELS), (n, n))
    if not directed:
        weights, kinds = (np.triu(m) + np.triu(m, 1).T for m in (weights, kinds))
    labels = [LABELS[i] for i in rng.integers(0, len(LABELS), n)]
    edge_labels = [[EDGE_LABELS[i] for i in row] for row in kinds.tolist()]
    return Plain(weights, labels, edge_labels, rng.integers(-2, 3, (n, 2)) / 2.0, directed)


def random_graphs(rng: np.random.Generator, count: int, largest: int, *, directed: bool = False) -> list[Plain]:
    """Graphs of 0 to `largest` nodes, from no edges to all, with loops."""
    return [random_graph(rng, int(rng.integers(0, largest + 1)), float(rng.random()), directed) for _ in range(count)]


@st.composite
def plain_graphs(draw: Any, largest: int = 6, *, directed: bool | None = None) -> list[Plain]:
    """Some small graphs: empty ones, isolated nodes, several components, loops."""
    one_way = draw(st.booleans()) if directed is None else directed
    count, seed = draw(st.integers(1, 4)), draw(st.integers(0, 2**32 - 1))
    return random_graphs(np.random.default_rng(seed), count, largest, directed=one_way)


def permuted(graph: Plain, order: Any) -> Plain:
    """The same graph with its nodes in another order."""
    order = list(order)
    return replace(
        graph,
        weights=graph.weights[np.ix_(order, order)],
        labels=[graph.labels[i] for i in order],
        edge_labels=[[graph.edge_labels[i][j] for j in order] for i in order],
        vectors=graph.vectors[order],
    )


def packed(graphs: list[Plain], *, edge_labels: bool = True) -> Graphs:
    """The same graphs in a container."""
    edges, weights, kinds, first = [], [], [], 0
    for graph in graphs:
        for u, v in np.argwhere(graph.weights).tolist():
            if graph.directed or u <= v:
                edges.append((first + u, first + v))
                weights.append(graph.weights[u, v])
                kinds.append(graph.edge_labels[u][v])
        first += graph.n
    return Graphs.from_edges(
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        np.repeat(np.arange(len(graphs)), [graph.n for graph in graphs]),
        n_graphs=len(graphs),
        directed=any(graph.directed for graph in graphs),
        node_labels=[label for graph in graphs for label in graph.labels],
        edge_labels=kinds if edge_labels else None,
        weights=np.array(weights, dtype=float),
        node_attributes=np.concatenate([graph.vectors for graph in graphs]),
    )


# ---- shortest paths


def distances(graph: Plain, weighted: bool = False) -> Any:
    """Floyd and Warshall; infinite where there is no path."""
    D = np.where(graph.weights != 0, graph.weights if weighted else 1.0, np.inf)
    np.fill_diagonal(D, 0.0)
    for k in range(graph.n):
        D = np.minimum(D, D[:, k, None] + D[None, k, :])
    return D


def path_counts(graph: Plain, labeled: bool, weighted: bool) -> Counter[Any]:
    D = distances(graph, weighted)
    return Counter(
        (graph.labels[u], graph.labels[v], D[u, v]) if labeled else D[u, v]
        for u, v in itertools.permutations(range(graph.n), 2)
        if np.isfinite(D[u, v])
    )


def shortest_path(x: Plain, z: Plain, labeled: bool = True, weighted: bool = False) -> float:
    """Σ n(x) n(z) over (label, label, distance)."""
    a, b = path_counts(x, labeled, weighted), path_counts(z, labeled, weighted)
    return float(sum(count * b[key] for key, count in a.items()))


# ---- random walks


def product_matrix(x: Plain, z: Plain, labeled: bool, edge_labels: bool, weighted: bool) -> tuple[Any, Any]:
    """Adjacency matrix of the product of two graphs, and which pairs of nodes are its nodes."""
    nodes = [(u, v) for u in range(x.n) for v in range(z.n) if not labeled or x.labels[u] == z.labels[v]]
    A = np.zeros((len(nodes), len(nodes)))
    a, b = (g.weights if weighted else g.adjacency for g in (x, z))
    for i, (u, v) in enumerate(nodes):
        for j, (s, t) in enumerate(nodes):
            if not edge_labels or x.edge_labels[u][s] == z.edge_labels[v][t]:
                A[i, j] = a[u, s] * b[v, t]
    return A, nodes


def random_walk(
    x: Plain,
    z: Plain,
    decay: float,
    *,
    form: str = "geometric",
    n_steps: int = 0,
    labeled: bool = True,
    edge_labels: bool = False,
    weighted: bool = False,
) -> float:
    """1ᵀ f(λA) 1 from the dense matrix of the product."""
    A, nodes = product_matrix(x, z, labeled, edge_labels, weighted)
    ones = np.ones(len(nodes))
    if form == "geometric":
        return float(ones @ np.linalg.solve(np.eye(len(nodes)) - decay * A, ones))
    if form == "exponential":
        return float(ones @ expm(decay * A) @ ones) if nodes else 0.0
    return float(sum(decay**step * (ones @ np.linalg.matrix_power(A, step) @ ones) for step in range(n_steps + 1)))


# ---- attributes


def attributed_shortest_path(x: Plain, z: Plain, kappa: Any, labeled: bool = False, weighted: bool = False) -> float:
    """Σ κ(u, u') κ(v, v') over pairs of pairs at equal distances."""
    D, E = distances(x, weighted), distances(z, weighted)
    total = 0.0
    for u, v in itertools.permutations(range(x.n), 2):
        for s, t in itertools.permutations(range(z.n), 2):
            agree = not labeled or (x.labels[u], x.labels[v]) == (z.labels[s], z.labels[t])
            if agree and np.isfinite(D[u, v]) and D[u, v] == E[s, t]:
                total += kappa(x.vectors[u], z.vectors[s]) * kappa(x.vectors[v], z.vectors[t])
    return total


def shortest_paths(graph: Plain) -> list[tuple[int, ...]]:
    """All shortest paths as sequences of nodes, those of one node among them."""
    D = distances(graph)
    found: list[tuple[int, ...]] = [(v,) for v in range(graph.n)]
    longest = list(found)
    while longest:
        longest = [
            (*path, v)
            for path in longest
            for v in range(graph.n)
            if graph.weights[path[-1], v] and D[path[0], v] == len(path)
        ]
        found += longest
    return found


def graph_hopper(x: Plain, z: Plain, kappa: Any) -> float:
    """Σ κ along all pairs of shortest paths with equally many nodes."""
    pairs = [(a, b) for a in shortest_paths(x) for b in shortest_paths(z) if len(a) == len(b)]
    return float(sum(kappa(x.vectors[u], z.vectors[v]) for a, b in pairs for u, v in zip(a, b, strict=True)))


def propagated(graph: Plain, start: Any, steps: int, weighted: bool) -> Any:
    """Vectors after some rounds of means over neighbours."""
    A = graph.weights if weighted else graph.adjacency
    totals = A.sum(axis=1, keepdims=True)
    T = np.where(totals > 0, A / np.where(totals > 0, totals, 1.0), np.eye(graph.n))
    return np.linalg.matrix_power(T, steps) @ start
