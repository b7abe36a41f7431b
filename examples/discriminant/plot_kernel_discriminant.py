"""
Kernel discriminant analysis beside linear discriminant analysis
================================================================

Linear discriminant analysis (LDA) projects on the directions that best separate the class means relative to the
scatter within the classes. It can only rotate and stretch the plane, so the arms of a spiral stay mixed. Kernel
discriminant analysis finds such directions in feature space: with a Gaussian kernel the arms become three compact
clusters.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernels import RBF
from mercer.plots import COLOURS, MARKERS

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})


def spiral(n, rng):
    """Three spiral arms with n points each."""
    y = np.repeat(np.arange(3), n)
    along = np.sqrt(rng.uniform(0.02, 1.0, size=3 * n))
    angle = 3.2 * along + 2 * np.pi * y / 3 + rng.normal(scale=0.34, size=3 * n)
    return along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def scatter(ax, points, y):
    for label in range(3):
        style = {"color": COLOURS[label], "marker": MARKERS[label], "s": 26, "edgecolor": "white", "linewidth": 0.4}
        ax.scatter(*points[y == label].T, **style, label=f"class {label}")


# %%
# Two models
# ----------
# The regularisation strength is chosen by leave-one-out in closed form (``reg="auto"``). The leave-one-out error is
# close to the error on 3000 new points.

rng = np.random.default_rng(0)
X, y = spiral(80, rng)
X_new, y_new = spiral(1000, rng)
linear = LinearDiscriminantAnalysis().fit(X, y)
kernel = KernelDiscriminantAnalysis(kernel=RBF(gamma=3.0), reg="auto").fit(X, y)
models = {"LDA": linear, "Kernel LDA": kernel}
errors = {name: 1 - model.score(X_new, y_new) for name, model in models.items()}
print(f"reg {kernel.reg_:.2g}: leave-one-out error {kernel.loo_error_:.1%}, on new points {errors['Kernel LDA']:.1%}")
assert errors["Kernel LDA"] < 0.1 < errors["LDA"]
assert abs(kernel.loo_error_ - errors["Kernel LDA"]) < 0.03

# %%
# Predicted regions
# -----------------
# Both models assign a point to the class with the nearest mean among the projections.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 5.2), layout="constrained", sharey=True)
u, v = np.meshgrid(*2 * [np.linspace(-1.25, 1.25, 250)])
for ax, (name, model) in zip(axes, models.items(), strict=True):
    region = model.predict(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    ax.contourf(u, v, region, levels=[-0.5, 0.5, 1.5, 2.5], colors=COLOURS[:3], alpha=0.18)
    scatter(ax, X, y)
    ax.set(title=f"{name}: {errors[name]:.1%} of new points wrong", xlabel="x₁", aspect="equal")
axes[0].set_ylabel("x₂")

# %%
# Projections
# -----------
# The two discriminant directions, in units of the scatter within the classes. Crosses mark the class means.

figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.6), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    projected = model.transform(X)
    scatter(ax, projected, y)
    means = np.array([projected[y == label].mean(axis=0) for label in range(3)])
    ax.scatter(*means.T, marker="+", color="black", s=160, linewidth=2, zorder=4, label="class mean")
    ax.set(title=f"{name}: projected samples", xlabel="direction 1", aspect="equal", adjustable="datalim")
axes[0].set_ylabel("direction 2")
axes[1].legend(loc="upper left")

plt.show()
