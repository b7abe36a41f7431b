"""
Nearest neighbours in the metric of a kernel
============================================

Every kernel defines a distance: ‖φ(x) − φ(z)‖² = k(x, x) − 2k(x, z) + k(z, z). Nearest-neighbour rules in this
distance depend on the kernel. The linear kernel gives the Euclidean distance, the cosine kernel compares directions,
and a periodic kernel repeats what it has learnt in one period.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF, Columns, Linear, Periodic
from mercer.neighbors import KernelKNeighborsClassifier
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11})
BLUE, ORANGE = COLOURS[:2]

# %%
# Samples from one period
# -----------------------
# The true border between the classes is a sine with period 3. The training samples come from one period only.

rng = np.random.default_rng(2)
X = np.column_stack([rng.uniform(0.1, 2.9, size=90), rng.uniform(-1.6, 1.6, size=90)])
y = (X[:, 1] > np.sin(2 * np.pi * X[:, 0] / 3)).astype(int)
wide = np.column_stack([rng.uniform(-3.0, 6.0, size=2000), rng.uniform(-1.6, 1.6, size=2000)])
truth = (wide[:, 1] > np.sin(2 * np.pi * wide[:, 0] / 3)).astype(int)

kernels = {
    "linear kernel": Linear(),
    "cosine kernel": Linear().normalized(),
    "periodic kernel": Columns([0], Periodic(period=3.0, gamma=1.0)) * Columns([1], RBF(gamma=1.0)),
}
linear, periodic = kernels["linear kernel"], kernels["periodic kernel"]
assert np.allclose(linear.distance(X)[0], np.linalg.norm(X - X[0], axis=1))

# %%
# Kernel distances
# ----------------
# The distance from one sample (white star) to all points of the strip.

u, v = np.meshgrid(np.linspace(-3, 6, 360), np.linspace(-1.7, 1.7, 140))
grid = np.column_stack([u.ravel(), v.ravel()])
figure, axes = plt.subplots(3, 1, figsize=(7.6, 6), layout="constrained", sharex=True, sharey=True)
star = np.array([[1.5, 0.6]])
for ax, (name, kernel) in zip(axes, kernels.items(), strict=True):
    distance = kernel.distance(star, grid)[0].reshape(u.shape)
    ax.contourf(u, v, distance, levels=14, cmap="viridis_r")
    ax.plot(*star[0], "*", color="white", ms=16, markeredgecolor="black")
    ax.set(title=f"{name}: distance from the star", ylabel="x₂")
axes[-1].set_xlabel("x₁")

# %%
# 1-nearest-neighbour classification
# ----------------------------------
# Each point gets the class of its nearest training sample. The periodic kernel classifies the whole strip well,
# although all training samples lie in the middle third.

figure, axes = plt.subplots(3, 1, figsize=(7.6, 6.6), layout="constrained", sharex=True)
scores = {}
line = np.linspace(-3, 6, 400)
for ax, (name, kernel) in zip(axes, kernels.items(), strict=True):
    model = KernelKNeighborsClassifier(1, kernel=kernel).fit(X, y)
    scores[name] = model.score(wide, truth)
    ax.contourf(u, v, model.predict(grid).reshape(u.shape), levels=[-0.5, 0.5, 1.5], colors=[BLUE, ORANGE], alpha=0.25)
    ax.plot(line, np.sin(2 * np.pi * line / 3), color="0.2", linewidth=1.5, linestyle="--", label="true border")
    for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        points = {"color": colour, "marker": marker, "s": 26, "edgecolor": "white", "linewidth": 0.4}
        ax.scatter(*X[y == label].T, **points, label=f"class {label}")
    ax.set(title=f"{name}: accuracy {scores[name]:.0%} on the strip", ylabel="x₂")
    print(f"{name}: accuracy {scores[name]:.3f} on the strip, leave-one-out {np.mean(model.predict(None) == y):.3f}")
axes[-1].set_xlabel("x₁")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)

assert scores["periodic kernel"] > 0.9 > scores["linear kernel"]

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
