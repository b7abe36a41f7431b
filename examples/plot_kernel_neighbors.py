"""Neighbours in the metric of a kernel: the kernel decides what is near.

One labelled set, 1-nearest-neighbour rules in three metrics. The linear kernel measures with the ruler: each sample
owns the places nearest to it. The cosine kernel (a linear kernel, normalised) sees directions only, and its cells are
sectors. A kernel that is periodic in x₁ repeats what it has learnt in one period over the whole strip.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF, Columns, Linear, Periodic
from mercer.neighbors import KernelKNeighborsClassifier

BLUE, ORANGE = "#0072B2", "#D55E00"

rng = np.random.default_rng(2)
X = np.column_stack([rng.uniform(0.1, 2.9, size=90), rng.uniform(-1.6, 1.6, size=90)])
y = (X[:, 1] > np.sin(2 * np.pi * X[:, 0] / 3)).astype(int)
KERNELS = {
    "linear: the ruler": Linear(),
    "cosine: directions": Linear().normalized(),
    "periodic in x₁, period 3": Columns([0], Periodic(period=3.0, gamma=1.0)) * Columns([1], RBF(gamma=1.0)),
}
wide = np.column_stack([rng.uniform(-3.0, 6.0, size=2000), rng.uniform(-1.6, 1.6, size=2000)])
truth = (wide[:, 1] > np.sin(2 * np.pi * wide[:, 0] / 3)).astype(int)

plt.rcParams.update({"font.size": 10})
figure, panels = plt.subplots(3, 1, figsize=(9.5, 9.4), layout="constrained", sharex=True)
u, v = np.meshgrid(np.linspace(-3, 6, 360), np.linspace(-1.7, 1.7, 140))
scores = {}
for panel, (name, kernel) in zip(panels, KERNELS.items(), strict=True):
    model = KernelKNeighborsClassifier(1, kernel=kernel).fit(X, y)
    scores[name] = model.score(wide, truth)
    near = model.predict(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    panel.contourf(u, v, near, levels=[-0.5, 0.5, 1.5], colors=[BLUE, ORANGE], alpha=0.2)
    line = np.linspace(-3, 6, 400)
    panel.plot(line, np.sin(2 * np.pi * line / 3), color="0.3", linewidth=1, linestyle="--", label="the true border")
    for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        panel.scatter(
            *X[y == label].T,
            color=colour,
            marker=marker,
            s=22,
            edgecolor="white",
            linewidth=0.4,
            label=f"class {label}",
        )
    panel.set(title=f"{name} — {scores[name]:.0%} right on the strip", ylabel="x₂")
    left_out = np.mean(model.predict(None) == y)
    print(f"{name}: {scores[name]:.3f} of new samples on the strip right, leave-one-out {left_out:.3f}")
panels[-1].set_xlabel("x₁")
figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)

assert scores["periodic in x₁, period 3"] > 0.9 > scores["linear: the ruler"]

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
