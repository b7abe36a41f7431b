"""The perceptron on a feature map: what it learns in the lifted space is an ellipse in the plane.

φ(x) = (x₁², √2 x₁x₂, x₂²) is a feature map of k(x, z) = ⟨x, z⟩². The linear perceptron on φ(x) and the kernel
perceptron make the same mistakes, one by one; a flat cut through the lifted points is a conic section in the plane. The
panels show it after more and more passes, with the samples that the pass got wrong.
"""

import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.kernels import Polynomial
from mercer.perceptron import KernelPerceptron, Perceptron

BLUE, ORANGE = "#0072B2", "#D55E00"

rng = np.random.default_rng(3)
y = np.arange(240) % 2  # 0 inside, 1 outside
angle = rng.uniform(0, 2 * np.pi, 240)
radius = np.sqrt(np.where(y, rng.uniform(1.04, 2.0, 240), rng.uniform(0, 0.96, 240)))
X = (radius * [np.cos(angle), np.sin(angle)]).T @ [[1.0, 0.2], [0.2, 0.85]]
kernel = Polynomial(degree=2, gamma=1.0, coef0=0.0)
F = kernel.feature_map(X)
assert np.allclose(F @ F.T, kernel(X))

linear = Perceptron().fit(F, y)
lifted = KernelPerceptron(kernel).fit(X, y)
assert np.array_equal(linear.mistake_indices_[0], lifted.mistake_indices_[0])
assert linear.mistakes_.sum() <= linear.novikoff_bound_[0]

figure, panels = plt.subplots(1, 4, figsize=(14.5, 4.6), sharey=True, layout="constrained")
side = np.linspace(-1.7, 1.7, 300)
u, v = np.meshgrid(side, side)
grid = np.column_stack([u.ravel(), v.ravel()])
stages = [1, 2, linear.n_iter_ // 2, linear.n_iter_]
ends = np.cumsum(linear.mistakes_[0])
for panel, stage in zip(panels, stages, strict=True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is stopped on its way
        model = Perceptron(max_iter=stage).fit(F, y)
    f = model.decision_function(kernel.feature_map(grid)).reshape(u.shape)
    panel.contourf(u, v, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.12)
    panel.contour(u, v, f, levels=[0], colors="0.25", linewidths=1.5)
    for label, colour, marker, name in ((0, BLUE, "o", "inside"), (1, ORANGE, "^", "outside")):
        points = {"color": colour, "marker": marker, "s": 20, "edgecolor": "white", "linewidth": 0.4, "label": name}
        panel.scatter(*X[y == label].T, **points, zorder=2)
    wrong = linear.mistake_indices_[0][ends[stage - 1] - linear.mistakes_[0, stage - 1] : ends[stage - 1]]
    ring = {"s": 80, "facecolor": "none", "edgecolor": "0.15", "linewidth": 1.0, "zorder": 3}
    panel.scatter(*X[wrong].T, **ring, label="mistake of this pass")
    panel.set(title=f"pass {stage}: {len(wrong)} mistakes", xlabel="x₁", aspect="equal")
panels[0].set_ylabel("x₂")
figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
