"""Where most samples are: a half-space of feature space, or a ball.

`OneClassSVM` cuts off the origin of feature space by the farthest hyperplane, `SVDD` encloses the samples in the
smallest ball; both may leave a share ν of them outside. For a kernel with constant k(x, x), such as the Gaussian, the
two are the same region. For others they differ: with the linear kernel SVDD is the smallest disc in the plane itself.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.svm import SVDD, OneClassSVM

BLUE, ORANGE = "#0072B2", "#D55E00"
NU = 0.1

rng = np.random.default_rng(1)
arc = rng.uniform(0, np.pi, 130)
X = np.vstack(
    [
        np.column_stack([np.cos(arc), np.sin(arc)]) * 1.6 + rng.normal(scale=0.16, size=(130, 2)),
        rng.normal([0.0, -0.9], 0.22, size=(60, 2)),
        rng.uniform([-2.6, -1.9], [2.6, 2.6], size=(10, 2)),
    ]
)
kernel = RBF(gamma=2.0)
plane = OneClassSVM(kernel=kernel, nu=NU).fit(X)
ball = SVDD(kernel=kernel, nu=NU).fit(X)
disc = SVDD(kernel="linear", nu=NU).fit(X)

side = np.linspace(-3, 3, 300)
u, v = np.meshgrid(side, side)
grid = np.column_stack([u.ravel(), v.ravel()])
# R² − ‖φ(x) − a‖² and ⟨w, φ(x)⟩ − ρ are multiples of each other if k(x, x) is constant; coefficients are scaled by νn.
scale = 2 / (NU * len(X))
assert np.allclose(ball.decision_function(grid), scale * plane.decision_function(grid), atol=1e-8)

plt.rcParams.update({"font.size": 10})
figure, axes = plt.subplots(1, 3, figsize=(13.5, 5.5), sharey=True, layout="constrained")
for panel, model, title in (
    (axes[0], plane, "OneClassSVM, Gaussian kernel"),
    (axes[1], ball, "SVDD, Gaussian kernel: the same region"),
    (axes[2], disc, "SVDD, linear kernel: a disc"),
):
    f = model.decision_function(grid).reshape(u.shape)
    panel.contourf(u, v, f, levels=[0, np.inf], colors=[BLUE], alpha=0.12)
    panel.contour(u, v, f, levels=[0], colors="0.25", linewidths=1.5)
    on_edge = np.zeros(len(X), dtype=bool)
    on_edge[model.support_] = True
    outside = model.decision_function(X) < -1e-9
    assert outside.mean() <= NU <= on_edge.mean()
    points = {"edgecolor": "white", "linewidth": 0.4, "zorder": 3}
    panel.scatter(*X[~outside].T, color=BLUE, s=22, **points, label="inside")
    panel.scatter(*X[outside].T, color=ORANGE, marker="^", s=30, **points, label="outside")
    ring = {"s": 90, "facecolor": "none", "edgecolor": "0.15", "linewidth": 0.9, "zorder": 2}
    panel.scatter(*X[on_edge & ~outside].T, **ring, label="support vector on the boundary")
    panel.set(title=title, xlabel="x₁", xlim=(-2.5, 2.5), ylim=(-2.1, 2.9), aspect="equal")
    print(f"{title}: {outside.mean():.1%} outside, {on_edge.mean():.1%} support vectors, ν = {NU:.0%}")
centre = (disc.dual_coef_ @ disc.support_vectors_)[0]
axes[2].plot(*centre, "+", color="0.15", ms=10)
axes[2].annotate("centre", centre, xytext=(0, 10), textcoords="offset points", ha="center")
axes[0].set_ylabel("x₂")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
