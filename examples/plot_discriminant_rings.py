"""Rings around one centre: the means coincide, so linear discriminant analysis has nothing to hold on to.

A kernel of degree two sees the squares of the coordinates, and there the rings are apart: one direction, the radius,
says it all. Left and middle: that direction as a function on the plane, for both. Right: how the three rings spread
along it, in units of the spread within a ring.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernels import Polynomial

COLOURS, MARKERS = ["#0072B2", "#D55E00", "#009E73"], "o^s"


def rings(n, rng):
    """Radii 1, 2 and 3 with noise, n points each."""
    y = np.repeat(np.arange(3), n)
    angle = rng.uniform(0, 2 * np.pi, size=3 * n)
    radius = y + 1 + rng.normal(scale=0.15, size=3 * n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def draw(panel, model, X, y, title):
    u, v = np.meshgrid(*2 * [np.linspace(-3.7, 3.7, 200)])
    first = model.transform(np.column_stack([u.ravel(), v.ravel()]))[:, 0].reshape(u.shape)
    levels = panel.contourf(u, v, first, levels=15, cmap="Greys", alpha=0.8)
    for label in range(3):
        style = {"color": COLOURS[label], "marker": MARKERS[label], "s": 20, "edgecolor": "white", "linewidth": 0.4}
        panel.scatter(*X[y == label].T, **style)
    panel.set(title=title, xlabel="x₁", ylabel="x₂", aspect="equal")
    return levels


rng = np.random.default_rng(0)
X, y = rings(80, rng)
X_new, y_new = rings(1000, rng)
linear = LinearDiscriminantAnalysis().fit(X, y)
model = KernelDiscriminantAnalysis(kernel=Polynomial(degree=2), loo=True).fit(X, y)
errors = [1 - one.score(X_new, y_new) for one in (linear, model)]
assert errors[1] < 0.01 < 0.5 < errors[0]
assert model.explained_variance_ratio_[0] > 0.99  # one direction is enough
print(f"leave-one-out error {model.loo_error_:.1%}, on new points {errors[1]:.1%}; linear {errors[0]:.0%}")

plt.rcParams.update({"font.size": 10})
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
draw(left, linear, X, y, f"Linear: {errors[0]:.0%} of new points wrong")
levels = draw(middle, model, X, y, f"(⟨x, z⟩ + 1)²: {errors[1]:.1%} of new points wrong")
figure.colorbar(levels, ax=middle, label="first direction")
for label in range(3):
    along = model.transform(X_new[y_new == label])[:, 0]
    right.hist(along, bins=30, color=COLOURS[label], alpha=0.75, label=f"ring {label + 1}")
right.set(title="New points along the first direction", xlabel="spreads within a ring", ylabel="points")
right.legend()
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
else:
    plt.show()
