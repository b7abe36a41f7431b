"""
Ridge regression: primal and dual solutions are equal
=====================================================

Ridge regression can be solved for one weight per feature (primal) or one coefficient per sample (dual). Both forms
give the same function. The dual coefficient of a sample is its residual divided by alpha: c = (y − f(x))/α. Only the
dual form extends to kernels with infinitely many features, such as the Gaussian.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.kernels import RBF
from mercer.plots import COLOURS
from mercer.ridge import KernelRidge, Ridge

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
BLUE, ORANGE = COLOURS[:2]


def draw(model, X, y, curves, title):
    """Draw samples, fits, and bars of length α c from the fit to each sample."""
    fitted, residual = model.predict(X), model.alpha * model.dual_coef_
    assert np.allclose(y - fitted, residual)
    _, ax = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
    ax.vlines(X[:, 0], fitted, fitted + residual, color="0.5", linewidth=1.6, label="α · dual coefficient = residual")
    ax.scatter(X[:, 0], y, s=36, color="0.2", edgecolor="white", linewidth=0.4, zorder=3, label="samples")
    grid = np.linspace(X.min() - 0.4, X.max() + 0.4, 400)[:, None]
    for curve, options in curves:
        ax.plot(grid, curve.predict(grid), **options)
    ax.set(title=title, xlabel="x", ylabel="y")
    ax.legend(loc="upper left")


# %%
# Linear ridge regression in both forms
# -------------------------------------
# The primal system has one unknown per feature, the dual system one per sample. The weights follow from the dual
# coefficients: w = Xᵀc.

rng = np.random.default_rng(4)
X = np.sort(rng.uniform(0, 6, size=(30, 1)), axis=0)
noise = rng.normal(scale=0.35, size=30)
straight = 0.8 * X[:, 0] - 1.0 + noise
primal = Ridge(alpha=1.0, form="primal").fit(X, straight)
dual = Ridge(alpha=1.0, form="dual").fit(X, straight)
print(f"primal slope {primal.coef_[0]:.12f}\ndual slope   {dual.coef_[0]:.12f}")
assert np.allclose(primal.coef_, dual.coef_, atol=1e-12)
assert np.allclose(X.T @ dual.dual_coef_, primal.coef_)

wide = {"color": BLUE, "linewidth": 6, "alpha": 0.45, "label": "primal: 1 weight and an intercept"}
thin = {"color": ORANGE, "linewidth": 2, "linestyle": "--", "label": "dual: 30 coefficients and an intercept"}
draw(dual, X, straight, [(primal, wide), (dual, thin)], "Linear kernel: primal and dual give the same line")

# %%
# Kernel ridge regression
# -----------------------
# With a Gaussian kernel the dual equations stay the same, and only the Gram matrix changes. The dual coefficients are
# still the residuals divided by alpha.

bent = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 0] + noise
gaussian = KernelRidge(alpha=0.3, kernel=RBF(gamma=0.8), fit_intercept=True).fit(X, bent)
linear = Ridge(alpha=0.3).fit(X, bent)
print(f"relative residual of the linear system: {gaussian.solution_.violation:.1e}")

curve = {"color": ORANGE, "linewidth": 2.5, "label": "Gaussian kernel"}
line = {"color": BLUE, "linewidth": 1.6, "linestyle": ":", "label": "linear kernel"}
draw(gaussian, X, bent, [(gaussian, curve), (linear, line)], "Gaussian kernel: only the dual form remains")

plt.show()
