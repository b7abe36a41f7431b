"""
Discriminant analysis of concentric rings
=========================================

Three rings around one centre have the same mean, so linear discriminant analysis finds no direction that separates
them. A polynomial kernel of degree two also uses the squares of the coordinates. In its feature space the squared
radius is a linear function, and one discriminant direction separates the rings.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernels import Polynomial
from mercer.plots import COLOURS, MARKERS

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})

# %%
# Fitting both models
# -------------------
# The kernel model reports its leave-one-out error, computed in closed form.


def rings(n, rng):
    """Rings with radii 1, 2 and 3 and n points each."""
    y = np.repeat(np.arange(3), n)
    angle = rng.uniform(0, 2 * np.pi, size=3 * n)
    radius = y + 1 + rng.normal(scale=0.15, size=3 * n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


rng = np.random.default_rng(0)
X, y = rings(80, rng)
X_new, y_new = rings(1000, rng)
linear = LinearDiscriminantAnalysis().fit(X, y)
kernel = KernelDiscriminantAnalysis(kernel=Polynomial(degree=2), loo=True).fit(X, y)
errors = [1 - model.score(X_new, y_new) for model in (linear, kernel)]
print(f"leave-one-out error {kernel.loo_error_:.1%}, on new points {errors[1]:.1%}; LDA {errors[0]:.0%}")
assert errors[1] < 0.01 < 0.5 < errors[0]
assert kernel.explained_variance_ratio_[0] > 0.99

# %%
# The first direction as a function on the plane
# ----------------------------------------------
# For LDA the first direction is a slope. For the kernel model it is a bowl whose level lines are circles.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.7), layout="constrained", sharey=True)
u, v = np.meshgrid(*2 * [np.linspace(-3.7, 3.7, 200)])
titles = (f"LDA: {errors[0]:.0%} of new points wrong", f"Kernel LDA: {errors[1]:.1%} of new points wrong")
for ax, model, title in zip(axes, (linear, kernel), titles, strict=True):
    first = model.transform(np.column_stack([u.ravel(), v.ravel()]))[:, 0].reshape(u.shape)
    ax.contourf(u, v, first, levels=14, cmap="Greys", alpha=0.7)
    for label in range(3):
        style = {"color": COLOURS[label], "marker": MARKERS[label], "s": 30, "edgecolor": "white", "linewidth": 0.5}
        ax.scatter(*X[y == label].T, **style)
    ax.set(title=title, xlabel="x₁", aspect="equal")
axes[0].set_ylabel("x₂")

# %%
# New points along the first direction
# ------------------------------------
# The rings do not overlap. The unit of the axis is the scatter within a ring.

figure, ax = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
for label in range(3):
    along = kernel.transform(X_new[y_new == label])[:, 0]
    ax.hist(along, bins=30, color=COLOURS[label], alpha=0.85)
    ax.text(along.mean(), 135, f"ring {label + 1}", color=COLOURS[label], ha="center", fontsize=12)
ax.set(title="3000 new points, projected", xlabel="first discriminant direction", ylabel="points", ylim=(0, 150))

plt.show()
