"""
Graphlet kernel on three kinds of random graphs
===============================================

Random graphs, small-world graphs and preferential-attachment graphs with 40 nodes and 80 edges each cannot be
distinguished by their size. The graphlet kernel compares how often each connected subgraph of four nodes occurs.
Kernel PCA with this kernel separates the three kinds.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.data import Graphs
from mercer.decomposition import KernelPCA
from mercer.kernels import Graphlet, VertexHistogram
from mercer.plots import COLOURS
from mercer.preprocessing import FeatureMap

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
KINDS = dict(zip(("random", "small world", "preferential"), COLOURS, strict=False))
NODES, EDGES = 40, 80
rng = np.random.default_rng(4)

# %%
# Thirty graphs of each kind
# --------------------------
# Small-world graphs are rings of near neighbours with a tenth of the edges moved. In preferential attachment new
# edges prefer nodes with many edges.


def edges(kind):
    found = set()
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


kinds = np.repeat(list(KINDS), 30)
graphs = Graphs([(NODES, edges(kind)) for kind in kinds])
assert np.ptp(VertexHistogram()(graphs)) == 0  # node counts are equal

figure, axes = plt.subplots(1, 3, figsize=(9.5, 3.5), layout="constrained")
angle = 2 * np.pi * np.arange(NODES) / NODES
circle = np.column_stack([np.cos(angle), np.sin(angle)])
for ax, (kind, colour) in zip(axes, KINDS.items(), strict=True):
    for u, v in graphs[int(np.flatnonzero(kinds == kind)[0])].edges():
        ax.plot(*circle[[u, v]].T, color=colour, linewidth=1)
    ax.scatter(*circle.T, color="0.2", s=14, zorder=2)
    ax.set(title=kind, aspect="equal")
    ax.axis("off")

# %%
# Shares of the graphlets
# -----------------------
# ``FeatureMap`` returns the features of the kernel: the shares of the connected subgraphs of four nodes.

features = FeatureMap(Graphlet(4, mode="frequency")).fit(graphs)
shares = features.transform(graphs).toarray()
names = features.get_feature_names_out()
figure, ax = plt.subplots(figsize=(7.6, 3.8), layout="constrained")
for i, (kind, colour) in enumerate(KINDS.items()):
    mean, spread = shares[kinds == kind].mean(axis=0), shares[kinds == kind].std(axis=0)
    ax.bar(np.arange(len(names)) + 0.27 * (i - 1), mean, 0.25, yerr=spread, color=colour, label=kind)
ax.set_xticks(range(len(names)), names)
ax.set(title="Connected subgraphs of four nodes", ylabel="share (mean ± standard deviation)")
ax.legend()

# %%
# Kernel PCA
# ----------

places = KernelPCA(2, kernel=Graphlet(4, mode="frequency").normalized()).fit_transform(graphs)
figure, ax = plt.subplots(figsize=(7.2, 4.8), layout="constrained")
for (kind, colour), marker in zip(KINDS.items(), "o^s", strict=True):
    ax.scatter(*places[kinds == kind].T, color=colour, marker=marker, s=46, edgecolor="white", label=kind)
ax.set(title="Ninety graphs in the feature space of graphlets", xlabel="component 1", ylabel="component 2")
ax.grid(alpha=0.3)
ax.legend()

plt.show()
# sphinx_gallery_thumbnail_number = 3  # noqa: ERA001
