"""Three kinds of random graphs with equally many nodes and edges, told apart by their small subgraphs.

Edges at random, a ring of near neighbours with some edges moved, and nodes that join those with many edges already: all
have 40 nodes and 80 edges, and no labels. How often each induced subgraph of four nodes occurs tells them apart; kernel
PCA draws it.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.data import Graphs
from mercer.decomposition import KernelPCA
from mercer.kernels import Graphlet, VertexHistogram
from mercer.preprocessing import FeatureMap

COLOURS = {"random": "#0072B2", "small world": "#D55E00", "preferential": "#009E73"}
NODES, EDGES = 40, 80

rng = np.random.default_rng(4)


def edges(kind: str) -> list[tuple[int, int]]:
    """A graph of one kind."""
    found: set[tuple[int, int]] = set()
    if kind == "small world":
        found = {tuple(sorted((u, (u + step) % NODES))) for u in range(NODES) for step in (1, 2)}
        for edge in [edge for edge in sorted(found) if rng.random() < 0.1]:
            found.discard(edge)
    ends = [0, 1]
    while len(found) < EDGES:
        if kind == "preferential":
            u, v = int(rng.integers(NODES)), int(rng.choice(ends))
            ends += [u, v]
        else:
            u, v = (int(x) for x in rng.integers(NODES, size=2))
        if u != v:
            found.add((min(u, v), max(u, v)))
    return sorted(found)


kinds = np.repeat(list(COLOURS), 30)
graphs = Graphs([(NODES, edges(kind)) for kind in kinds])
print(graphs)
kernel = Graphlet(4, mode="frequency").normalized()
places = KernelPCA(2, kernel=kernel).fit_transform(graphs)
features = FeatureMap(Graphlet(4, mode="frequency")).fit(graphs)
shares = features.transform(graphs).toarray()
for kind in COLOURS:
    mean = zip(features.get_feature_names_out(), shares[kinds == kind].mean(axis=0), strict=True)
    print(f"{kind}: " + ", ".join(f"{name} {share:.1%}" for name, share in mean))
assert np.ptp(VertexHistogram()(graphs)) == 0  # without labels, nodes alone tell nothing

plt.rcParams.update({"font.size": 10})
figure, panels = plt.subplots(1, 4, figsize=(14, 3.9), layout="constrained", width_ratios=[1, 1, 1, 1.5])
angle = 2 * np.pi * np.arange(NODES) / NODES
circle = np.column_stack([np.cos(angle), np.sin(angle)])
for panel, (kind, colour) in zip(panels, COLOURS.items(), strict=False):
    for u, v in graphs[int(np.flatnonzero(kinds == kind)[0])].edges():
        panel.plot(*circle[[u, v]].T, color=colour, linewidth=0.8)
    panel.scatter(*circle.T, color="0.2", s=10, zorder=2)
    panel.set(title=kind, aspect="equal")
    panel.axis("off")
for (kind, colour), marker in zip(COLOURS.items(), "o^s", strict=True):
    panels[-1].scatter(*places[kinds == kind].T, color=colour, marker=marker, s=24, label=kind)
panels[-1].set(title="graphlets of four nodes", xlabel="first component", ylabel="second component")
panels[-1].legend(frameon=False)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
