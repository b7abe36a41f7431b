"""The widest street between two classes, straight and bent.

Left: a hard margin (C = ∞) with the linear kernel. Of all lines that separate the classes it is the one farthest from
both; only the support vectors on its margins hold it, and it would not move without the others. Right: the same
machine with a Gaussian kernel and a finite C on classes that overlap. Its margins f(x) = ±1 bend; support vectors on
them are free, those inside or beyond them are at their bound C.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer.kernels import RBF
from mercer.svm import SVC

BLUE, ORANGE = "#0072B2", "#D55E00"


def draw(panel, model, X, y, title):
    """Sides, boundary, margins and samples; circles mark support vectors, filled ones those at the bound."""
    low, high = X.min(axis=0), X.max(axis=0)
    centre, half = (low + high) / 2, 0.56 * (high - low).max()
    u, v = np.meshgrid(*(np.linspace(c - half, c + half, 300) for c in centre))
    f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    panel.contourf(u, v, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.12)
    panel.contour(u, v, f, levels=[-1, 0, 1], colors="0.25", linewidths=[1, 1.5, 1], linestyles=["--", "-", "--"])
    for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        points = {"color": colour, "marker": marker, "s": 28, "edgecolor": "white", "linewidth": 0.4}
        panel.scatter(*X[y == label].T, **points, label=f"class {label}", zorder=3)
    free = np.abs(model.dual_coef_[0]) < model.C
    ring = {"s": 110, "edgecolor": "0.15", "zorder": 2}
    panel.scatter(*model.support_vectors_[free].T, facecolor="none", **ring, label="support vector on the margin")
    if not free.all():
        panel.scatter(*model.support_vectors_[~free].T, facecolor="0.75", **ring, label="support vector at the bound")
    panel.set(title=title, xlabel="x₁", ylabel="x₂", aspect="equal")


rng = np.random.default_rng(3)
y = np.arange(60) % 2
across = np.where(y, rng.gamma(2.0, 0.6, 60) + 0.5, -rng.gamma(2.0, 0.6, 60) - 0.5)  # the street is at least 1 wide
along = rng.normal(scale=1.4, size=60)
X = np.column_stack([across, along]) @ np.array([[0.8, 0.6], [-0.6, 0.8]])
hard = SVC(kernel="linear", C=np.inf).fit(X, y)
width = hard.margin_width_[0]
assert hard.score(X, y) == 1.0
assert np.isclose(np.abs(hard.decision_function(X)).min(), 1.0)  # nobody stands on the street
assert np.isclose(width, 2 / np.linalg.norm(hard.coef_))

moons, half = make_moons(160, noise=0.22, random_state=1)
soft = SVC(kernel=RBF(gamma=1.5), C=3.0).fit(moons, half)
for name, model in (("hard", hard), ("soft", soft)):
    print(
        f"{name}: {len(model.support_)} support vectors, {model.solution_.status.value}, gap {model.solution_.gap:.1e}"
    )

plt.rcParams.update({"font.size": 10})
figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 6.1), layout="constrained")
draw(left, hard, X, y, f"Linear kernel, C = ∞: a margin of width {width:.2f}")
draw(right, soft, moons, half, "Gaussian kernel, C = 3: margins bend and may be crossed")
figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
