"""Every alpha, every sample left out, one eigendecomposition.

Kernel ridge regression of a noisy wave, for eighty alphas. Left: the training error falls as the penalty does; the
error on samples that were left out, exact for all 100 of them and all alphas, turns. Its minimum names the alpha to
take, and it agrees with the error on new samples, which the fit never sees. Right: too little, chosen, too much.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from mercer.ridge import KernelRidgeCV

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
ALPHAS = np.logspace(-5, 3, 80)
OPTIONS = {"kernel": "rbf", "gamma": 30.0, "fit_intercept": True}


def wave(x: np.ndarray) -> np.ndarray:
    return np.sin(3 * x) + x


rng = np.random.default_rng(1)
x, fresh = rng.uniform(-2, 2, size=100), rng.uniform(-2, 2, size=2000)
y, truth = wave(x) + 0.4 * rng.normal(size=100), wave(fresh) + 0.4 * rng.normal(size=2000)

model = KernelRidgeCV(ALPHAS, store_cv_results=True, **OPTIONS).fit(x[:, None], y)
gcv = KernelRidgeCV(ALPHAS, criterion="gcv", **OPTIONS).fit(x[:, None], y)
fits = [KernelRidgeCV([alpha], **OPTIONS).fit(x[:, None], y) for alpha in ALPHAS]
training = [np.mean((y - fit.predict(x[:, None])) ** 2) for fit in fits]
new = [np.mean((truth - fit.predict(fresh[:, None])) ** 2) for fit in fits]
best = ALPHAS[np.argmin(new)]
print(f"alpha = {model.alpha_:.3g} by leave-one-out, {gcv.alpha_:.3g} by GCV; best on new samples: {best:.3g}")

others = np.arange(100) != 0  # a fit without the first sample errs as foretold
refit = KernelRidgeCV([model.alpha_], **OPTIONS).fit(x[others, None], y[others])
assert np.isclose(refit.predict(x[:1, None])[0], model.loo_predictions_[0], rtol=1e-9)

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 10})
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
left.loglog(ALPHAS, training, color="0.5", lw=2, ls=":", label="training")
left.loglog(ALPHAS, new, color=BLUE, lw=2, ls="--", label="new samples")
left.loglog(ALPHAS, -model.scores_, color=GREEN, lw=2.5, label="leave-one-out")
left.loglog(ALPHAS, -gcv.scores_, color="#CC79A7", lw=1.2, label="GCV")
left.plot(model.alpha_, -model.best_score_, "o", color=GREEN, ms=8, label=f"chosen: α = {model.alpha_:.2g}")
left.axhline(0.16, color="0.8", lw=1, zorder=0)
left.text(ALPHAS[-1], 0.155, "variance of the noise", color="0.5", ha="right", va="top", fontsize=9)
left.set(title="Mean squared error", xlabel="α", ylim=(0.05, 3))
left.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.12))

grid = np.linspace(-2.05, 2.05, 400)
right.plot(grid, wave(grid), color="0.75", lw=5, zorder=0, label="truth")
for alpha, colour, style in ((1e-5, ORANGE, "-"), (100.0, BLUE, "--"), (model.alpha_, GREEN, "-")):
    fit = KernelRidgeCV([alpha], **OPTIONS).fit(x[:, None], y)
    width = 2.5 if colour == GREEN else 1.3
    right.plot(grid, fit.predict(grid[:, None]), color=colour, ls=style, lw=width, label=f"α = {alpha:.2g}")
right.plot(x, y, ".", color="black", ms=6)
right.set(title="Fits", xlabel="x", ylim=(-4, 4))
right.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.12))

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
