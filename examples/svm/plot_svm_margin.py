"""
Margins and support vectors
===========================

A support vector classifier separates two classes with the largest margin. With the linear kernel and C = ∞ the margin
is a straight band without samples, determined by the few support vectors on its edges. With a Gaussian kernel and a
finite C the margin is curved, and samples may lie inside it or on the wrong side.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer.kernels import RBF
from mercer.plots import COLOURS
from mercer.svm import SVC

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
BLUE, ORANGE = COLOURS[:2]


def draw(model, X, y, title):
    """Draw the regions, the margins f(x) = ±1, the samples and the support vectors."""
    figure, ax = plt.subplots(figsize=(7.2, 5.4), layout="constrained")
    low, high = X.min(axis=0) - 0.35, X.max(axis=0) + 0.35
    u, v = np.meshgrid(*(np.linspace(a, b, 300) for a, b in zip(low, high, strict=True)))
    f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    ax.contourf(u, v, f, levels=[-np.inf, -1, 0, 1, np.inf], colors=[BLUE, BLUE, ORANGE, ORANGE], alpha=0.12)
    ax.contourf(u, v, f, levels=[-1, 1], colors="white", alpha=0.6)
    ax.contour(u, v, f, levels=[-1, 0, 1], colors="0.25", linewidths=[1.2, 2, 1.2], linestyles=["--", "-", "--"])
    for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        points = {"color": colour, "marker": marker, "s": 36, "edgecolor": "white", "linewidth": 0.4}
        ax.scatter(*X[y == label].T, **points, label=f"class {label}", zorder=3)
    free = np.abs(model.dual_coef_[0]) < model.C
    ring = {"s": 140, "edgecolor": "0.1", "linewidth": 1.4, "zorder": 2}
    ax.scatter(*model.support_vectors_[free].T, facecolor="none", **ring, label="support vector on the margin")
    if not free.all():
        ax.scatter(*model.support_vectors_[~free].T, facecolor="0.75", **ring, label="support vector with α = C")
    ax.set(title=title, xlabel="x₁", ylabel="x₂", aspect="equal")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)


# %%
# Hard margin
# -----------
# The classes are separable. All samples satisfy \|f(x)\| ≥ 1, and the width of the margin is 2/‖w‖. Removing a sample
# that is not a support vector would not change the solution.

rng = np.random.default_rng(3)
y = np.arange(60) % 2
across = np.where(y, rng.gamma(2.0, 0.6, 60) + 0.5, -rng.gamma(2.0, 0.6, 60) - 0.5)
along = rng.normal(scale=1.4, size=60)
X = np.column_stack([across, along]) @ np.array([[0.8, 0.6], [-0.6, 0.8]])
hard = SVC(kernel="linear", C=np.inf).fit(X, y)
width = hard.margin_width_[0]
assert hard.score(X, y) == 1.0
assert np.isclose(np.abs(hard.decision_function(X)).min(), 1.0)
assert np.isclose(width, 2 / np.linalg.norm(hard.coef_))
print(f"{len(hard.support_)} support vectors, margin {width:.2f}, duality gap {hard.solution_.gap:.1e}")
draw(hard, X, y, f"Linear kernel, C = ∞: margin of width {width:.2f}")

# %%
# Soft margin
# -----------
# The moons overlap. Samples inside the margin or on the wrong side have the largest possible coefficient, α = C. They
# are drawn with filled rings.

moons, half = make_moons(160, noise=0.22, random_state=1)
soft = SVC(kernel=RBF(gamma=1.5), C=3.0).fit(moons, half)
print(f"{len(soft.support_)} support vectors, duality gap {soft.solution_.gap:.1e}")
draw(soft, moons, half, "Gaussian kernel, C = 3: curved margins")

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
