"""
Choosing alpha by exact leave-one-out
=====================================

``KernelRidgeCV`` computes the exact leave-one-out error for all values of alpha from one eigendecomposition of the
Gram matrix. This example compares the leave-one-out error of 41 values with the error on new samples, which the fit
does not see, and with generalised cross-validation (GCV).
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.plots import COLOURS
from mercer.ridge import KernelRidgeCV

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
BLUE, ORANGE, GREEN, PINK = COLOURS[:4]

# %%
# A noisy wave
# ------------
# 100 samples for the fit and 2000 new samples, with noise of variance 0.16.


def wave(x):
    return np.sin(3 * x) + x


rng = np.random.default_rng(1)
x, x_new = rng.uniform(-2, 2, size=100), rng.uniform(-2, 2, size=2000)
y, y_new = wave(x) + 0.4 * rng.normal(size=100), wave(x_new) + 0.4 * rng.normal(size=2000)
alphas = np.logspace(-5, 3, 41)
options = {"kernel": "rbf", "gamma": 30.0, "fit_intercept": True}
model = KernelRidgeCV(alphas, store_cv_results=True, **options).fit(x[:, None], y)
gcv = KernelRidgeCV(alphas, criterion="gcv", **options).fit(x[:, None], y)
fits = [KernelRidgeCV([alpha], **options).fit(x[:, None], y) for alpha in alphas]
training = [np.mean((y - fit.predict(x[:, None])) ** 2) for fit in fits]
new = [np.mean((y_new - fit.predict(x_new[:, None])) ** 2) for fit in fits]
best = alphas[np.argmin(new)]
print(f"alpha: {model.alpha_:.3g} by leave-one-out, {gcv.alpha_:.3g} by GCV, {best:.3g} best on new samples")

# %%
# The leave-one-out predictions are exact: refitting without the first sample gives the same prediction for it.

refit = KernelRidgeCV([model.alpha_], **options).fit(x[1:, None], y[1:])
print(f"{refit.predict(x[:1, None])[0]:.10f} refitted, {model.loo_predictions_[0]:.10f} in closed form")
assert np.isclose(refit.predict(x[:1, None])[0], model.loo_predictions_[0], rtol=1e-9)

# %%
# Error curves
# ------------
# The training error is smallest for the smallest alpha, so it cannot be used for the choice. The leave-one-out error
# has its minimum close to that of the error on new samples.

figure, ax = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
ax.loglog(alphas, training, color="0.5", lw=2, ls=":", label="training")
ax.loglog(alphas, new, color=BLUE, lw=2, ls="--", label="new samples")
ax.loglog(alphas, -model.scores_, color=GREEN, lw=3, label="leave-one-out")
ax.loglog(alphas, -gcv.scores_, color=PINK, lw=1.4, label="GCV")
ax.plot(model.alpha_, -model.best_score_, "o", color=GREEN, ms=10, label=f"chosen: α = {model.alpha_:.2g}")
ax.axhline(0.16, color="0.6", lw=1.2)
ax.text(alphas[-1], 0.152, "variance of the noise", color="0.35", ha="right", va="top")
ax.set(title="Mean squared error for 41 values of α", xlabel="α", ylabel="mean squared error", ylim=(0.05, 3))
ax.legend(loc="upper left")

# %%
# Three fits
# ----------
# Too small, chosen and too large.

figure, ax = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
grid = np.linspace(-2.05, 2.05, 400)
ax.plot(grid, wave(grid), color="0.75", lw=6, label="true function")
for alpha, colour, width in ((1e-5, ORANGE, 1.5), (100.0, BLUE, 2), (model.alpha_, GREEN, 3)):
    fit = KernelRidgeCV([alpha], **options).fit(x[:, None], y)
    ax.plot(grid, fit.predict(grid[:, None]), color=colour, lw=width, label=f"α = {alpha:.2g}")
ax.plot(x, y, ".", color="black", ms=7)
ax.set(title="Kernel ridge regression with three values of α", xlabel="x", ylabel="y", ylim=(-4, 4))
ax.legend(loc="upper left")

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
