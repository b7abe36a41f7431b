"""Kernels of refined colours from their definitions, with dictionaries; samples are (labels, {(u, v): label})."""

from collections import Counter

import numpy as np

from mercer.data import Graphs

__all__ = ["colors", "common", "hashes", "packed", "permuted", "products"]


def packed(samples, *, directed=False, labels=True, bonds=True):
    """Graphs of samples."""
    first = np.cumsum([0, *(len(nodes) for nodes, _ in samples)])
    edges = [(u + start, v + start) for start, (_, arcs) in zip(first, samples, strict=False) for u, v in arcs]
    return Graphs.from_edges(
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        np.repeat(np.arange(len(samples)), np.diff(first)),
        n_graphs=len(samples),
        directed=directed,
        node_labels=[label for nodes, _ in samples for label in nodes] if labels else None,
        edge_labels=[label for _, arcs in samples for label in arcs.values()] if bonds else None,
    )


def permuted(sample, order):
    """The same graph with its nodes in another order: node v becomes order[v]."""
    nodes, arcs = sample
    return [nodes[order.index(v)] for v in range(len(nodes))], {
        (order[u], order[v]): label for (u, v), label in arcs.items()
    }


def around(sample, directed):
    """Neighbours of every node along arcs that leave it and arcs that reach it, with the labels of the arcs."""
    nodes, arcs = sample
    leaving, reaching = ([{} for _ in nodes] for _ in range(2))
    for (u, v), label in arcs.items():
        for tail, head in [(u, v)] if directed else [(u, v), (v, u)]:
            leaving[tail][head] = label
            reaching[head][tail] = label
    return leaving, reaching


def colors(samples, n_iter, *, directed=None, bonds=False, labels=True):
    """Counters of (round, colour) for every sample; `directed` is None, "both", "out" or "in"."""
    known = {}
    current = [[str(a) if labels else "" for a in nodes] for nodes, _ in samples]
    counts = [Counter((0, c) for c in row) for row in current]
    for i in range(1, n_iter + 1):
        refined = []
        for sample, row in zip(samples, current, strict=True):
            leaving, reaching = around(sample, directed is not None)
            sides = {None: [leaving], "both": [leaving, reaching], "out": [leaving], "in": [reaching]}[directed]
            refined.append(
                [
                    known.setdefault(
                        repr(
                            [own, *(sorted((e if bonds else 0, str(row[u])) for u, e in s[v].items()) for s in sides)]
                        ),
                        len(known),
                    )
                    for v, own in enumerate(row)
                ]
            )
        current = refined
        for count, row in zip(counts, current, strict=True):
            count.update((i, c) for c in row)
    return counts


def products(left, right):
    """Σ of products of counts for all pairs."""
    return np.array([[sum(n * b[u] for u, n in a.items()) for b in right] for a in left], dtype=float)


def common(left, right):
    """Σ of minima of counts for all pairs."""
    return np.array([[sum(min(n, b[u]) for u, n in a.items()) for b in right] for a in left], dtype=float)


def hashes(samples, n_iter, *, counted, directed=False):
    """Counters of the labels of every round; instead of bits, sets of (rotation, label) that ⊕ joins.

    Without collisions of random numbers of many bits, two sums ⊕ are equal exactly if the sets are.
    """
    rounds = []
    current = [[frozenset([(0, str(a))]) for a in nodes] for nodes, _ in samples]
    for _ in range(n_iter):
        refined = []
        for sample, row in zip(samples, current, strict=True):
            leaving, _ = around(sample, directed)
            refined.append([_update(row[v], Counter(row[u] for u in leaving[v]), counted) for v in range(len(row))])
        current = refined
        rounds.append([Counter(row) for row in current])
    return rounds


def _update(own, neighbors, counted):
    total = _rotated(own, 1)
    for color, m in neighbors.items():
        if counted:
            total ^= _rotated(color ^ {(k, "bit") for k in range(m.bit_length()) if m >> k & 1}, m)
        elif m % 2:
            total ^= color
    return frozenset(total)


def _rotated(color, by):
    return frozenset((turn + by, what) for turn, what in color)
