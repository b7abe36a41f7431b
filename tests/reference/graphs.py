"""Slow twins of the packing of graphs: dictionaries of arcs, straight from what the documentation promises."""

from collections import defaultdict

import numpy as np


def arcs_of(edges, *, directed, weights=None, labels=None):
    """Weight and label of every arc (u, v), from edges that may be given in one direction or in both."""
    given = defaultdict(list)
    for i, (u, v) in enumerate(edges):
        given[u, v].append((None if weights is None else weights[i], None if labels is None else labels[i]))
    merged = {arc: _one(entries) for arc, entries in given.items()}
    if not directed:
        for (u, v), carried in list(merged.items()):
            assert merged.setdefault((v, u), carried) == carried
    return merged


def _one(entries):
    weights, labels = zip(*entries, strict=True)
    distinct = sorted(set(labels)) if labels[0] is not None else [None]
    return (
        1.0 if weights[0] is None else float(sum(weights)),
        distinct[0] if len(distinct) == 1 else tuple(distinct),
    )


def unpack(graphs):
    """The number of nodes and the arcs of every graph, by the rules that the arrays promise."""
    found = []
    for i in range(len(graphs)):
        start, stop = int(graphs.offsets[i]), int(graphs.offsets[i + 1])
        arcs = {}
        for node in range(start, stop):
            row = range(int(graphs.indptr[node]), int(graphs.indptr[node + 1]))
            heads = [int(graphs.neighbors[arc]) for arc in row]
            assert heads == sorted(set(heads))
            assert all(0 <= head < stop - start for head in heads)
            for arc, head in zip(row, heads, strict=True):
                arcs[node - start, head] = (
                    1.0 if graphs.weights is None else float(graphs.weights[arc]),
                    None if graphs.edge_labels is None else graphs.edge_values[int(graphs.edge_labels[arc])],
                )
        if not graphs.directed:
            assert all(arcs[v, u] == carried for (u, v), carried in arcs.items())
        found.append((stop - start, arcs))
    assert graphs.indptr[-1] == len(graphs.neighbors)
    assert np.all(np.diff(graphs.indptr) >= 0)
    return found
