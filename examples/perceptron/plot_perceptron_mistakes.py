"""
Mistakes of the kernel perceptron and Novikoff's bound
======================================================

The kernel perceptron adds a sample to its expansion each time it misclassifies it. Novikoff's theorem bounds the
number of these mistakes: if a unit vector of feature space separates the samples with margin γ, the perceptron makes
at most R²/γ² mistakes, in any order of the samples. R is the norm of the longest φ(x). The figures show the samples
that were mistaken and the mistakes of 16 runs below the bound.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.perceptron import KernelPerceptron
from mercer.plots import COLOURS

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
BLUE, ORANGE = COLOURS[:2]

# %%
# Two moons in 16 orders
# ----------------------
# The perceptron is fitted to the samples in the given order and in 15 random orders. Every run that separates the
# samples yields a bound, ``novikoff_bound_``. All of them are valid for all runs, so the smallest one is used.

rng = np.random.default_rng(4)
y = np.arange(160) % 2
angle = rng.uniform(0, np.pi, 160)
moon = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(y, -1, 1)[:, None]
X = moon + np.outer(y, [1.0, 0.2]) + rng.normal(scale=0.06, size=(160, 2))

kernel = RBF(gamma=0.5)
model = KernelPerceptron(kernel).fit(X, y)
runs = [KernelPerceptron(kernel, shuffle=True, random_state=seed).fit(X, y) for seed in range(15)]
bound = min(run.novikoff_bound_[0] for run in [model, *runs])
for run in [model, *runs]:
    assert run.score(X, y) == 1.0
    assert run.mistakes_.sum() <= bound
print(f"mistakes: {model.mistakes_.sum()} in the given order, smallest bound {bound:.0f}")

# %%
# The samples in the expansion
# ----------------------------
# Rings mark the samples that were misclassified at least once. A larger ring means more mistakes. All other samples
# have the coefficient zero.

figure, plane = plt.subplots(figsize=(7.2, 5.2), layout="constrained")
u, v = np.meshgrid(np.linspace(-1.5, 2.5, 300), np.linspace(-1.2, 1.5, 300))
f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
plane.contourf(u, v, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.12)
plane.contour(u, v, f, levels=[0], colors="0.25", linewidths=1.5)
for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
    plane.scatter(*X[y == label].T, color=colour, marker=marker, s=32, edgecolor="white", linewidth=0.4, zorder=3)
count = np.abs(model.dual_coef_[0])
rings = {"facecolor": "none", "edgecolor": "0.15", "linewidth": 1.3, "zorder": 4}
plane.scatter(*model.support_vectors_.T, s=50 + 40 * count, **rings, label="misclassified at least once")
plane.legend(loc="upper right")
title = f"{len(model.support_)} of {len(X)} samples define the decision function"
plane.set(title=title, xlabel="x₁", ylabel="x₂", aspect="equal")

# %%
# Mistakes per pass
# -----------------
# The perceptron stops after the first pass without a mistake. The bound is far above the observed numbers, as is
# usual: it holds for the worst order of the samples.

figure, passes = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
for run in runs:
    passes.plot(np.append(0, run.mistakes_[0].cumsum()), color="0.7", linewidth=1.2)
passes.plot(np.append(0, model.mistakes_[0].cumsum()), color=BLUE, marker="o", linewidth=2)
passes.plot([], [], color="0.7", label="15 random orders")
passes.plot([], [], color=BLUE, marker="o", label="given order")
passes.axhline(bound, color=ORANGE, linestyle="--", linewidth=2, label=f"Novikoff's bound R²/γ² = {bound:.0f}")
passes.set_yscale("symlog", linthresh=10)
passes.set(title="Cumulative mistakes", xlabel="passes over the samples", ylabel="mistakes", ylim=(0, 5 * bound))
passes.legend(loc="lower right")

plt.show()
