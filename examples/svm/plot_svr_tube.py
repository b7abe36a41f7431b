"""
Support vector regression with a given and with an estimated tube
=================================================================

ε-SVR ignores errors up to ε: samples inside the tube f(x) ± ε have no cost and are not support vectors. ν-SVR takes ν
instead, an upper bound on the share of samples outside the tube, and estimates ε. An ε-SVR with this estimated ε
gives the same function.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.plots import COLOURS
from mercer.svm import SVR, NuSVR

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
BLUE, ORANGE = COLOURS[:2]

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 10, 120))
y = np.sin(x) + 0.1 * x + rng.normal(scale=0.25, size=120)
X, kernel = x[:, None], RBF(gamma=0.5)


def draw(model, epsilon, title):
    """Draw the function, its tube and the samples."""
    _, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
    grid = np.linspace(-0.2, 10.2, 500)
    f = model.predict(grid[:, None])
    support = np.isin(np.arange(len(x)), model.support_)
    ax.fill_between(grid, f - epsilon, f + epsilon, color=BLUE, alpha=0.15, linewidth=0, label="tube f(x) ± ε")
    ax.plot(grid, f, color=BLUE, lw=2.5, label="f(x)")
    ax.scatter(x[~support], y[~support], color="0.55", s=22, label=f"inside the tube: {np.sum(~support)}", zorder=3)
    points = {"marker": "^", "s": 46, "edgecolor": "white", "linewidth": 0.4, "zorder": 3}
    ax.scatter(x[support], y[support], color=ORANGE, label=f"support vectors: {support.sum()}", **points)
    ax.set(title=title, xlabel="x", ylabel="y", xlim=(-0.2, 10.2), ylim=(-1.5, 3.2))
    ax.legend(loc="upper left", ncols=2)


# %%
# ε is given
# ----------
# The wide tube with ε = 0.4 contains most samples. Only 22 samples determine the function.

given = SVR(kernel=kernel, C=10.0, epsilon=0.4).fit(X, y)
print(f"{len(given.support_)} support vectors, duality gap {given.solution_.gap:.1e}")
draw(given, given.epsilon, "ε-SVR with ε = 0.4")

# %%
# ν is given
# ----------
# ν = 0.3 bounds two shares: at most 30 % of the samples lie outside the tube, and at least 30 % are support vectors.

found = NuSVR(kernel=kernel, C=10.0, nu=0.3).fit(X, y)
outside = np.abs(y - found.predict(X)) > found.epsilon_ + 1e-6
print(f"ε = {found.epsilon_:.3f}, {outside.mean():.0%} of the samples outside the tube")
assert outside.mean() <= found.nu <= len(found.support_) / len(x)
draw(found, found.epsilon_, f"ν-SVR with ν = 0.3: estimated ε = {found.epsilon_:.2f}")

# %%
# An ε-SVR with the estimated ε gives the same predictions.

same = SVR(kernel=kernel, C=10.0, epsilon=found.epsilon_).fit(X, y)
print(f"largest difference {np.abs(same.predict(X) - found.predict(X)).max():.1e}")
assert np.allclose(same.predict(X), found.predict(X), atol=1e-6)

plt.show()
