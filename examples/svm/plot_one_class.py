"""
Novelty detection: one-class SVM and SVDD
=========================================

``OneClassSVM`` separates the samples from the origin of feature space by the most distant hyperplane. ``SVDD``
encloses them in the smallest ball. Both may leave a share ν of the samples outside. For kernels with constant k(x,
x), such as the Gaussian, both describe the same region. With the linear kernel SVDD is the smallest disc in the plane
itself.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.plots import COLOURS
from mercer.svm import SVDD, OneClassSVM

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
BLUE, ORANGE = COLOURS[:2]
NU = 0.1

# %%
# Two groups and ten outliers
# ---------------------------
# With the Gaussian kernel the decision functions of ``OneClassSVM`` and ``SVDD`` differ only by a factor.

rng = np.random.default_rng(1)
arc = rng.uniform(0, np.pi, 130)
X = np.vstack(
    [
        np.column_stack([np.cos(arc), np.sin(arc)]) * 1.6 + rng.normal(scale=0.16, size=(130, 2)),
        rng.normal([0.0, -0.9], 0.22, size=(60, 2)),
        rng.uniform([-2.6, -1.9], [2.6, 2.6], size=(10, 2)),
    ]
)
half_space = OneClassSVM(kernel=RBF(gamma=2.0), nu=NU).fit(X)
ball = SVDD(kernel=RBF(gamma=2.0), nu=NU).fit(X)
factor = 2 / (NU * len(X))
assert np.allclose(ball.decision_function(X), factor * half_space.decision_function(X), atol=1e-8)

# %%
# The regions
# -----------
# At most a share ν of the samples is outside, and at least a share ν are support vectors.


def draw(ax, model, title):
    """Draw the region f(x) ≥ 0 with the samples and the support vectors on its boundary."""
    u, v = np.meshgrid(*2 * [np.linspace(-3, 3, 300)])
    f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    ax.contourf(u, v, f, levels=np.linspace(0, f.max(), 7), cmap="Blues", alpha=0.5)
    ax.contour(u, v, f, levels=[0], colors="0.25", linewidths=1.8)
    support = np.isin(np.arange(len(X)), model.support_)
    outside = model.decision_function(X) < -1e-9
    assert outside.mean() <= NU <= support.mean()
    points = {"edgecolor": "white", "linewidth": 0.4, "zorder": 3}
    ax.scatter(*X[~outside].T, color=BLUE, s=26, **points, label="inside")
    ax.scatter(*X[outside].T, color=ORANGE, marker="^", s=50, **points, label="outside")
    ring = {"s": 100, "facecolor": "none", "edgecolor": "0.1", "linewidth": 1.2, "zorder": 4}
    ax.scatter(*X[support & ~outside].T, **ring, label="support vector on the boundary")
    ax.set(title=title, xlabel="x₁", xlim=(-2.6, 2.6), ylim=(-2.1, 2.7), aspect="equal")
    print(f"{title}: {outside.mean():.1%} outside, {support.mean():.1%} support vectors")


disc = SVDD(kernel="linear", nu=NU).fit(X)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 5.2), sharey=True, layout="constrained")
draw(left, half_space, "Gaussian kernel: one-class SVM = SVDD")
draw(right, disc, "Linear kernel: SVDD is a disc")
centre = (disc.dual_coef_ @ disc.support_vectors_)[0]
right.plot(*centre, "+", color="0.1", ms=12, mew=2)
right.annotate("centre", centre, xytext=(0, 10), textcoords="offset points", ha="center")
left.set_ylabel("x₂")
figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)

plt.show()
