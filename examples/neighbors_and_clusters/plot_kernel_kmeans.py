"""
Kernel k-means and normalised cuts
==================================

k-means separates clusters by straight lines. Kernel k-means runs the same algorithm on φ(x): with a Gaussian kernel
it finds a disc inside a ring. Long, thin clusters such as the two moons are badly described by one mean each, even in
feature space. The normalised cut of the graph of kernel values separates them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from mercer.cluster import KernelKMeans, KernelSpectralClustering
from mercer.kernels import RBF
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11})
BLUE, ORANGE = COLOURS[:2]

# %%
# Two data sets, three methods
# ----------------------------
# k-means is kernel k-means with the linear kernel. The normalised cut uses a narrower Gaussian, so that only close
# samples are connected.

circles = make_circles(300, factor=0.2, noise=0.07, random_state=0)
moons = make_moons(300, noise=0.06, random_state=0)
models = {
    "ring": {
        "k-means": KernelKMeans(2, kernel="linear", n_init=10, random_state=0),
        "kernel k-means": KernelKMeans(2, kernel=RBF(gamma=2.0), n_init=10, random_state=0),
        "normalised cut": KernelSpectralClustering(2, kernel=RBF(gamma=12.0), random_state=0),
    },
    "moons": {
        "k-means": KernelKMeans(2, kernel="linear", n_init=10, random_state=0),
        "kernel k-means": KernelKMeans(2, kernel=RBF(gamma=5.0), n_init=10, random_state=0),
        "normalised cut": KernelSpectralClustering(2, kernel=RBF(gamma=30.0), random_state=0),
    },
}

# %%
# Clusters and their regions
# --------------------------
# The background shows the cluster predicted for every point of the plane. Crosses mark samples in the wrong cluster.

figure, axes = plt.subplots(2, 3, figsize=(9.5, 5.6), layout="constrained")
scores = {}
for row, (data, (X, y)) in zip(axes, {"ring": circles, "moons": moons}.items(), strict=True):
    low, high = X.min(axis=0) - 0.2, X.max(axis=0) + 0.2
    u, v = np.meshgrid(*(np.linspace(a, b, 200) for a, b in zip(low, high, strict=True)))
    for ax, (name, model) in zip(row, models[data].items(), strict=True):
        labels = model.fit_predict(X)
        region = model.predict(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
        if np.mean(labels == y) < 0.5:  # the numbering of clusters is arbitrary
            labels, region = 1 - labels, 1 - region
        ax.contourf(u, v, region, levels=[-0.5, 0.5, 1.5], colors=[BLUE, ORANGE], alpha=0.15)
        for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
            points = {"color": colour, "marker": marker, "s": 18, "edgecolor": "white", "linewidth": 0.3}
            ax.scatter(*X[labels == label].T, **points)
        ax.scatter(*X[labels != y].T, color="0.1", marker="x", s=18, linewidth=1)
        ax.set(aspect="equal", xticks=[], yticks=[], title=f"{name}: {np.sum(labels != y)} wrong")
        scores[data, name] = adjusted_rand_score(y, labels)
        print(f"{data}, {name}: adjusted Rand index {scores[data, name]:.2f}")

assert scores["ring", "k-means"] < 0.1
assert scores["ring", "kernel k-means"] == 1.0
assert scores["moons", "normalised cut"] > 0.95 > scores["moons", "kernel k-means"]

plt.show()
