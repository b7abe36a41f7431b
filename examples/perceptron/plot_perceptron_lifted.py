"""
The perceptron in input space and in feature space
==================================================

φ(x) = (x₁², √2 x₁x₂, x₂²) is a feature map of the kernel k(x, z) = ⟨x, z⟩². A linear perceptron on φ(x) and a kernel
perceptron on x are the same algorithm: they make the same mistakes in the same order. The separating plane in feature
space is a conic section in the plane, which moves with every pass until no sample is misclassified.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.kernels import Polynomial
from mercer.perceptron import KernelPerceptron, Perceptron
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11})
BLUE, ORANGE = COLOURS[:2]

# %%
# The same mistakes, one by one
# -----------------------------
# Both perceptrons are fitted to points inside and outside of an ellipse. ``mistake_indices_`` lists the misclassified
# samples in order. The number of mistakes stays below Novikoff's bound.

rng = np.random.default_rng(3)
y = np.arange(240) % 2
angle = rng.uniform(0, 2 * np.pi, 240)
radius = np.sqrt(np.where(y, rng.uniform(1.04, 2.0, 240), rng.uniform(0, 0.96, 240)))
X = (radius * [np.cos(angle), np.sin(angle)]).T @ [[1.0, 0.2], [0.2, 0.85]]
kernel = Polynomial(degree=2, gamma=1.0, coef0=0.0)
F = kernel.feature_map(X)
assert np.allclose(F @ F.T, kernel(X))

linear = Perceptron().fit(F, y)
dual = KernelPerceptron(kernel).fit(X, y)
assert np.array_equal(linear.mistake_indices_[0], dual.mistake_indices_[0])
assert linear.mistakes_.sum() <= linear.novikoff_bound_[0]
print(f"{linear.mistakes_.sum()} mistakes in {linear.n_iter_} passes, bound {linear.novikoff_bound_[0]:.0f}")

# %%
# The boundary after 1, 2, 3 and all passes
# -----------------------------------------
# Each panel shows the boundary at the end of a pass. Rings mark the samples that were misclassified during this pass.

figure, axes = plt.subplots(2, 2, figsize=(8, 8.2), layout="constrained", sharex=True, sharey=True)
u, v = np.meshgrid(*2 * [np.linspace(-1.7, 1.7, 300)])
lifted_grid = kernel.feature_map(np.column_stack([u.ravel(), v.ravel()]))
ends = np.cumsum(linear.mistakes_[0])
for ax, stage in zip(axes.flat, [1, 2, 3, linear.n_iter_], strict=True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # stopped early on purpose
        model = Perceptron(max_iter=stage).fit(F, y)
    f = model.decision_function(lifted_grid).reshape(u.shape)
    ax.contourf(u, v, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.12)
    ax.contour(u, v, f, levels=[0], colors="0.25", linewidths=1.5)
    for label, colour, marker, name in ((0, BLUE, "o", "inside"), (1, ORANGE, "^", "outside")):
        points = {"color": colour, "marker": marker, "s": 22, "edgecolor": "white", "linewidth": 0.4, "label": name}
        ax.scatter(*X[y == label].T, **points, zorder=2)
    wrong = linear.mistake_indices_[0][ends[stage - 1] - linear.mistakes_[0, stage - 1] : ends[stage - 1]]
    ring = {"s": 90, "facecolor": "none", "edgecolor": "0.1", "linewidth": 1.2, "zorder": 3}
    ax.scatter(*X[wrong].T, **ring, label="misclassified in this pass")
    ax.set(title=f"pass {stage}: {len(wrong)} mistakes", aspect="equal")
figure.supxlabel("x₁", fontsize=11)
figure.supylabel("x₂", fontsize=11)
figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)

plt.show()
