"""Three classes that no flat projection separates: linear and kernel discriminant analysis side by side.

Above: what each takes the plane for. Below: the two coordinates each finds. Linear discriminant analysis can only turn
and stretch the plane; with a Gaussian kernel the arms of the spiral become three clusters, and the nearest mean
decides. Leave-one-out, in closed form, chose the penalty and foretold about the error that new points show.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernels import RBF

COLOURS, MARKERS = ["#0072B2", "#D55E00", "#009E73"], "o^s"


def spiral(n, rng):
    """Three arms, n points each."""
    y = np.repeat(np.arange(3), n)
    along = np.sqrt(rng.uniform(0.02, 1.0, size=3 * n))
    angle = 3.2 * along + 2 * np.pi * y / 3 + rng.normal(scale=0.34, size=3 * n)
    return along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def scatter(panel, points, y):
    for label in range(3):
        style = {"color": COLOURS[label], "marker": MARKERS[label], "s": 20, "edgecolor": "white", "linewidth": 0.4}
        panel.scatter(*points[y == label].T, **style, label=f"class {label}")


def draw(above, below, model, X, y, title):
    u, v = np.meshgrid(*2 * [np.linspace(-1.25, 1.25, 250)])
    side = model.predict(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    above.contourf(u, v, side, levels=[-0.5, 0.5, 1.5, 2.5], colors=COLOURS, alpha=0.15)
    scatter(above, X, y)
    above.set(title=title, xlabel="x₁", ylabel="x₂", aspect="equal")
    projected = model.transform(X)
    scatter(below, projected, y)
    means = np.array([projected[y == label].mean(axis=0) for label in range(3)])
    below.scatter(*means.T, marker="+", color="black", s=120, zorder=4, label="mean of a class")
    below.set(title="Projections", xlabel="direction 1", ylabel="direction 2", aspect="equal", adjustable="datalim")


rng = np.random.default_rng(0)
X, y = spiral(80, rng)
X_new, y_new = spiral(1000, rng)
linear = LinearDiscriminantAnalysis().fit(X, y)
model = KernelDiscriminantAnalysis(kernel=RBF(gamma=3.0), reg="auto").fit(X, y)
errors = [1 - one.score(X_new, y_new) for one in (linear, model)]
assert errors[1] < 0.1 < errors[0]
assert abs(model.loo_error_ - errors[1]) < 0.03  # what leave-one-out foretold
print(f"reg {model.reg_:.2g}: leave-one-out error {model.loo_error_:.1%}, on new points {errors[1]:.1%}")

plt.rcParams.update({"font.size": 10})
figure, panels = plt.subplots(2, 2, figsize=(9.5, 9.5), layout="constrained")
draw(*panels[:, 0], linear, X, y, f"Linear: {errors[0]:.0%} of new points wrong")
draw(*panels[:, 1], model, X, y, f"Gaussian kernel: {errors[1]:.1%} of new points wrong")
panels[1, 1].legend(loc="best", fontsize=9)
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
else:
    plt.show()
