"""Clusters that no straight line separates: k-means in the plane, in feature space, and by a normalised cut.

k-means in the plane cuts both shapes into halves: its borders are straight. The same algorithm on φ(x) of a Gaussian
kernel finds the blob inside the ring, because the ring has a mean of its own in feature space. The moons are long and
thin, and two means describe them badly even there; the normalised cut of the graph of kernel values follows them.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from mercer.cluster import KernelKMeans, KernelSpectralClustering
from mercer.kernels import RBF

BLUE, ORANGE = "#0072B2", "#D55E00"
DATA = {
    "a blob in a ring": (*make_circles(300, factor=0.2, noise=0.07, random_state=0), 2.0, 12.0),
    "two moons": (*make_moons(300, noise=0.06, random_state=0), 5.0, 30.0),
}
MODELS = {
    "k-means": lambda wide, narrow: KernelKMeans(2, kernel="linear", n_init=10, random_state=0),  # noqa: ARG005
    "kernel k-means": lambda wide, narrow: KernelKMeans(2, kernel=wide, n_init=10, random_state=0),  # noqa: ARG005
    "normalised cut": lambda wide, narrow: KernelSpectralClustering(2, kernel=narrow, random_state=0),  # noqa: ARG005
}


def draw(panel, model, X, y):
    """Regions by `predict`, samples in the colour of their cluster; crosses on those in the wrong one."""
    low, high = X.min(axis=0) - 0.2, X.max(axis=0) + 0.2
    u, v = np.meshgrid(*(np.linspace(a, b, 200) for a, b in zip(low, high, strict=True)))
    renamed = np.arange(2) if np.mean(model.labels_ == y) >= 0.5 else np.array([1, 0])  # names of clusters mean nothing
    region, labels = renamed[model.predict(np.column_stack([u.ravel(), v.ravel()]))], renamed[model.labels_]
    region = region.reshape(u.shape)
    panel.contourf(u, v, region, levels=[-0.5, 0.5, 1.5], colors=[BLUE, ORANGE], alpha=0.12)
    for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        panel.scatter(*X[labels == label].T, color=colour, marker=marker, s=16, edgecolor="white", linewidth=0.3)
    wrong = labels != y
    panel.scatter(*X[wrong].T, color="0.15", marker="x", s=14, linewidth=0.8)
    panel.set(aspect="equal", xticks=[], yticks=[])
    return int(wrong.sum())


plt.rcParams.update({"font.size": 10})
figure, panels = plt.subplots(2, 3, figsize=(11.5, 6.3), layout="constrained")
scores = {}
for row, (data, (X, y, *gammas)) in zip(panels, DATA.items(), strict=True):
    for panel, (name, make) in zip(row, MODELS.items(), strict=True):
        model = make(*(RBF(gamma=gamma) for gamma in gammas)).fit(X)
        scores[data, name] = adjusted_rand_score(y, model.labels_)
        n_wrong = draw(panel, model, X, y)
        panel.set_title(f"{name}: {n_wrong} in the wrong cluster" if n_wrong else f"{name}: all right")
        print(f"{data}, {name}: adjusted Rand index {scores[data, name]:.2f}, {model.solution_.status.value}")
    row[0].set_ylabel(data)

assert scores["a blob in a ring", "k-means"] < 0.1
assert scores["a blob in a ring", "kernel k-means"] == 1.0
assert scores["two moons", "normalised cut"] > 0.95 > scores["two moons", "kernel k-means"]

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
