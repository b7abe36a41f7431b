"""Regression in a tube: given in advance, or found.

ε-SVR does not count errors up to ε: samples inside the tube f(x) ± ε cost nothing and are no support vectors. ν-SVR
turns the question round: it finds the tube outside of which lies a share of at most ν of the samples. Told the width
that the other has found, the first gives the same function.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.svm import SVR, NuSVR

BLUE, ORANGE = "#0072B2", "#D55E00"

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 120))
y = np.sin(x) + 0.1 * x + rng.normal(scale=0.25, size=120)
X = x[:, None]

kernel = RBF(gamma=0.5)
given = SVR(kernel=kernel, C=10.0, epsilon=0.4).fit(X, y)
found = NuSVR(kernel=kernel, C=10.0, nu=0.3).fit(X, y)
same = SVR(kernel=kernel, C=10.0, epsilon=found.epsilon_).fit(X, y)
assert np.allclose(same.predict(X), found.predict(X), atol=1e-6)
outside = np.abs(y - found.predict(X)) > found.epsilon_ + 1e-6
assert outside.mean() <= found.nu <= len(found.support_) / len(x)

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 10})
figure, axes = plt.subplots(1, 2, figsize=(12.5, 5.2), sharey=True, layout="constrained")
grid = np.linspace(-0.2, 10.2, 500)
for panel, model, epsilon, title in (
    (axes[0], given, given.epsilon, f"ε-SVR: the tube is given, ε = {given.epsilon:g}"),
    (axes[1], found, found.epsilon_, f"ν-SVR: ν = {found.nu:g} is given, ε = {found.epsilon_:.2f} is found"),
):
    f = model.predict(grid[:, None])
    support = np.isin(np.arange(len(x)), model.support_)
    beyond = np.abs(y - model.predict(X)) > epsilon + 1e-6
    panel.fill_between(grid, f - epsilon, f + epsilon, color=BLUE, alpha=0.12, linewidth=0, label="f(x) ± ε")
    panel.plot(grid, f, color=BLUE, lw=2, label="f(x)")
    panel.scatter(x[~support], y[~support], color="0.55", s=16, label=f"inside: {np.sum(~support)}", zorder=3)
    points = {"marker": "^", "s": 32, "edgecolor": "white", "linewidth": 0.4, "zorder": 3}
    name = f"support vectors: {support.sum()}, {beyond.mean():.0%} of the samples outside"
    panel.scatter(x[support], y[support], color=ORANGE, label=name, **points)
    panel.set(title=title, xlabel="x", xlim=(-0.2, 10.2), ylim=(-1.5, 3.2))
    panel.legend(loc="upper left", frameon=False, ncols=2)
    print(f"{title}; {support.sum()} support vectors, gap {model.solution_.gap:.1e}")
axes[0].set_ylabel("y")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
