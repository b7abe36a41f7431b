"""
Manifold regularisation with a neighbour graph
==============================================

Two of 300 samples have a label. ``LaplacianSVC`` adds a penalty for functions that change quickly along the graph of
nearest neighbours, so the unlabelled samples shape the boundary. Unlike transduction, the result is a function that
classifies new samples as well. The parameter ``manifold`` is the strength of the penalty.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer.kernels import RBF
from mercer.plots import COLOURS
from mercer.semi_supervised import LaplacianSVC

plt.rcParams.update({"font.size": 11})
BLUE, ORANGE = COLOURS[:2]

# %%
# One labelled sample per moon

X, truth = make_moons(300, noise=0.06, random_state=2)
y = np.full(300, -1)
for label in (0, 1):
    y[np.flatnonzero(truth == label)[0]] = label

# %%
# Three strengths of the penalty
# ------------------------------
# Without the penalty the boundary runs half-way between the labelled samples (large markers). With a strong penalty
# it stays in the gap between the moons.

models = {m: LaplacianSVC(kernel=RBF(gamma=10.0), manifold=m).fit(X, y) for m in (0.0, 1.0, 100.0)}
wrong = [int((model.transduction_ != truth).sum()) for model in models.values()]
print("misclassified:", dict(zip(models, wrong, strict=True)))
assert wrong[0] > 30
assert wrong[-1] == 0

figure, axes = plt.subplots(3, 1, figsize=(6, 9), layout="constrained", sharex=True, sharey=True)
low, high = X.min(axis=0) - 0.2, X.max(axis=0) + 0.2
u, v = np.meshgrid(*(np.linspace(a, b, 200) for a, b in zip(low, high, strict=True)))
for ax, (manifold, model), errors in zip(axes, models.items(), wrong, strict=True):
    f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    ax.contourf(u, v, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.15)
    ax.contour(u, v, f, levels=[0], colors="0.25", linewidths=2)
    for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        ax.scatter(*X[truth == label].T, color=colour, marker=marker, s=20, linewidth=0)
        ax.scatter(*X[y == label].T, color=colour, marker=marker, s=240, edgecolor="black", linewidth=2, zorder=3)
    ax.set(xticks=[], yticks=[], title=f"manifold = {manifold:g}: {errors} of 298 wrong")

# %%
# The decision function
# ---------------------
# With the strong penalty the decision function has one sign on each moon.

figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
limit = np.abs(f).max()
image = ax.contourf(u, v, f, levels=np.linspace(-limit, limit, 21), cmap="RdBu_r")
ax.contour(u, v, f, levels=[0], colors="0.25", linewidths=2)
ax.scatter(*X.T, color="0.2", s=6)
figure.colorbar(image, ax=ax, label="f(x)", ticks=[-1, 0, 1])
ax.set(title="Decision function for manifold = 100", xticks=[], yticks=[])

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
