"""Graphlets from their definition: every set of nodes, and the least form over all permutations of it.

A graph is a triple (number of nodes, {(u, v): edge label with u < v}, node labels).
"""

import itertools
import math
from collections import Counter
from typing import Any

from hypothesis import strategies as st

from mercer.data import Graphs

__all__ = ["counts", "graphs", "kernel", "pack", "permuted"]

Graph = tuple[int, dict[tuple[int, int], str], list[str]]


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 8) -> Graph:
    """Graphs of 0 to 8 nodes, from empty to complete, with up to three labels of nodes and two of edges."""
    n = draw(st.integers(0, max_nodes))
    pairs = list(itertools.combinations(range(n), 2))
    present = draw(st.lists(st.sampled_from([False, True]), min_size=len(pairs), max_size=len(pairs)))
    kinds = draw(st.lists(st.sampled_from("st"), min_size=len(pairs), max_size=len(pairs)))
    labels = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    return n, {p: k for p, there, k in zip(pairs, present, kinds, strict=True) if there}, labels


def pack(samples: list[Graph], *, loops: bool = False) -> Graphs:
    """The same graphs in a container, if wanted with a loop at every node."""
    edges, kinds, labels, graph, first = [], [], [], [], 0
    for i, (n, arcs, names) in enumerate(samples):
        edges += [(first + u, first + v) for u, v in arcs] + [(first + v, first + v) for v in range(n) if loops]
        kinds += [*arcs.values(), *("l" * n if loops else "")]
        labels += names
        graph += [i] * n
        first += n
    return Graphs.from_edges(edges or [], graph, n_graphs=len(samples), node_labels=labels, edge_labels=kinds)


def permuted(graph: Graph, order: list[int]) -> Graph:
    """The graph with node v renamed to order[v]."""
    n, edges, labels = graph
    renamed = {(min(order[u], order[v]), max(order[u], order[v])): kind for (u, v), kind in edges.items()}
    return n, renamed, [labels[order.index(v)] for v in range(n)]


def is_connected(nodes: tuple[int, ...], edges: Any) -> bool:
    reached: set[int] = {nodes[0]}
    before: set[int] = set()
    while reached != before:
        before = set(reached)
        reached |= {w for u, v in edges for w in (u, v) if u in before or v in before}
    return len(reached) == len(nodes)


def form(nodes: tuple[int, ...], edges: dict[tuple[int, int], str], labels: list[str], node: bool, edge: bool) -> Any:
    """The least of all ways to write the induced subgraph."""

    def written(order: tuple[int, ...]) -> Any:
        place = {v: i for i, v in enumerate(order)}
        arcs = sorted((*sorted((place[u], place[v])), kind if edge else "") for (u, v), kind in edges.items())
        return [labels[v] if node else "" for v in order], arcs

    return min(map(written, itertools.permutations(nodes)))


def counts(graph: Graph, size: int, *, connected: bool = True, labeled: bool = False, edge_labels: bool = False) -> Any:
    """Number of sets of nodes by the form of the subgraph that they induce."""
    n, edges, labels = graph
    found: Counter[str] = Counter()
    for nodes in itertools.combinations(range(n), size):
        inside = {pair: kind for pair, kind in edges.items() if set(pair) <= set(nodes)}
        if not connected or is_connected(nodes, inside):
            found[repr(form(nodes, inside, labels, labeled, edge_labels))] += 1
    return found


def kernel(f: Any, g: Any, mode: str) -> float:
    """The kernel of two graphs with these counts."""
    if mode == "min":
        return float(sum(min(f[c], g[c]) for c in f))
    if mode == "presence":
        return float(len(f.keys() & g.keys()))
    value = float(sum(f[c] * g[c] for c in f))
    if mode == "frequency":
        return value / (math.prod((f.total(), g.total())) or 1)
    return value
