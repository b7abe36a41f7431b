"""Mistakes of the kernel perceptron, pass by pass, and the bound that they obey.

Novikoff: if a unit vector of feature space separates the samples with margin γ, a perceptron makes at most R²/γ²
mistakes on them, in any order and number of passes; R is the length of the longest φ(x). Every separator gives such a
bound, so the one that each run finds holds for all runs, and the least of these bounds too.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.perceptron import KernelPerceptron

BLUE, ORANGE = "#0072B2", "#D55E00"

rng = np.random.default_rng(4)
y = np.arange(160) % 2
angle = rng.uniform(0, np.pi, 160)
moon = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(y, -1, 1)[:, None]
X = moon + np.outer(y, [1.0, 0.2]) + rng.normal(scale=0.06, size=(160, 2))

kernel = RBF(gamma=0.5)
model = KernelPerceptron(kernel).fit(X, y)
runs = [KernelPerceptron(kernel, shuffle=True, random_state=seed).fit(X, y) for seed in range(15)]
least = min(run.novikoff_bound_[0] for run in [model, *runs])
for run in [model, *runs]:
    assert run.score(X, y) == 1.0
    assert run.mistakes_.sum() <= least

figure, (plane, passes) = plt.subplots(1, 2, figsize=(11.5, 4.8), layout="constrained")
u, v = np.meshgrid(np.linspace(-1.5, 2.5, 300), np.linspace(-1.2, 1.7, 300))
f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
plane.contourf(u, v, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.12)
plane.contour(u, v, f, levels=[0], colors="0.25", linewidths=1.5)
for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
    plane.scatter(*X[y == label].T, color=colour, marker=marker, s=24, edgecolor="white", linewidth=0.4, zorder=3)
count = np.abs(model.dual_coef_[0])
rings = {"facecolor": "none", "edgecolor": "0.15", "linewidth": 1.0, "zorder": 4}
plane.scatter(*model.support_vectors_.T, s=40 + 30 * count, **rings, label="mistaken, a larger ring for more often")
plane.legend(loc="upper right", frameon=False)
plane.set(title=f"{len(model.support_)} of {len(X)} samples carry f", xlabel="x₁", ylabel="x₂", aspect="equal")

for run in runs:
    done = np.arange(run.n_iter_ + 1)
    passes.plot(done, np.append(0, run.mistakes_[0].cumsum()), color="0.72", linewidth=1.0, zorder=1)
done = np.arange(model.n_iter_ + 1)
passes.plot(done, np.append(0, model.mistakes_[0].cumsum()), color=BLUE, marker="o", markersize=4, zorder=3)
passes.plot([], [], color="0.72", label="15 random orders")
passes.plot([], [], color=BLUE, marker="o", markersize=4, label="the order given")
passes.axhline(least, color=ORANGE, linestyle="--", label=f"R²/γ² = {least:.0f}, the least bound found")
passes.set_yscale("symlog", linthresh=10)
passes.set(
    title="Mistakes add up until a pass is clean", xlabel="passes", ylabel="mistakes so far", ylim=(0, 3 * least)
)
passes.legend(frameon=False, loc="lower right")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
