"""
Nyström approximation of kernel ridge regression
================================================

With ``approximation=m``, ``KernelRidge`` replaces the Gram matrix by features of m landmarks: the time grows with n
instead of n³, and the model stores m samples. The fit comes with an interval that contains the optimum of the exact
problem, without solving that problem. This example compares fits with 100 to 2000 landmarks with the exact fit to 5000
samples.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from mercer.plots import COLOURS
from mercer.ridge import KernelRidge

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
BLUE, ORANGE = COLOURS[:2]
LANDMARKS = [100, 200, 400, 700, 1200, 2000]

# %%
# One exact fit and six approximated ones
# ---------------------------------------
# The target is a smooth function of three features with noise. The error is measured on new samples without noise.


def function(X):
    return np.sin(3 * X[:, 0]) * np.cos(2 * X[:, 1]) + X[:, 2] ** 2


rng = np.random.default_rng(0)
X, X_new = rng.uniform(-2, 2, size=(5000, 3)), rng.uniform(-2, 2, size=(3000, 3))
y = function(X) + 0.3 * rng.normal(size=len(X))


def fit(m):
    start = time.perf_counter()
    model = KernelRidge(alpha=0.3, kernel="rbf", gamma=2.0, approximation=m).fit(X, y)
    seconds = time.perf_counter() - start
    return model, seconds, np.sqrt(np.mean((model.predict(X_new) - function(X_new)) ** 2))


fit(LANDMARKS[0])  # warm-up
exact, exact_seconds, exact_error = fit(None)
models, seconds, errors = zip(*(fit(m) for m in LANDMARKS), strict=True)
optimum = exact.solution_.objective
print(f"exact: {exact_seconds:.2f} s, error {exact_error:.4f}, objective {optimum:.2f}")
for model, duration, error in zip(models, seconds, errors, strict=True):
    low, high = model.solution_.exact_interval
    print(f"m = {len(model.X_fit_):4d}: {duration:.2f} s, error {error:.4f}, optimum in [{low:9.2f}, {high:9.2f}]")

# %%
# Time and error
# --------------
# The error falls until it is that of the exact fit. More landmarks then take time without benefit.

assert errors[0] > 2 * exact_error
assert errors[-1] < 1.01 * exact_error
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, values, reference, name in (
    (left, seconds, exact_seconds, "seconds"),
    (right, errors, exact_error, "root mean squared error"),
):
    ax.axhline(reference, color="0.3", ls="--", label="exact fit")
    ax.loglog(LANDMARKS, values, "o-", color=BLUE, lw=2, label="approximation=m")
    ax.set(xlabel="landmarks m", ylabel=name)
    ax.set_xticks(LANDMARKS, LANDMARKS)
    ticks = [tick for tick in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20) if min(values) / 2 < tick < 2 * max(values)]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
left.set_title("Time of the fit")
right.set_title("Error on new samples")
right.legend()

# %%
# The certificate
# ---------------
# ``solution_.exact_interval`` follows from the approximated fit alone. Its lower end is the dual optimum of the
# approximated problem, its upper end the exact dual objective at the approximated coefficients. Both approach the
# exact optimum as landmarks are added. ``approximation_.residual_curve`` has the error of the kernel matrix for every
# smaller number of landmarks, so one fit shows how many are needed: here the error on new samples is that of the exact
# fit once the residual is below one per cent.

low, high = np.array([model.solution_.exact_interval for model in models]).T
rounding = 1e-9 * abs(optimum)
assert (low <= optimum + rounding).all()
assert (optimum <= high + rounding).all()
curve = models[-1].approximation_.residual_curve
assert all(error < 1.05 * exact_error for m, error in zip(LANDMARKS, errors, strict=True) if curve[m] < 0.01)

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.axhline(0, color="0.3", ls="--", label="exact optimum")
below, above = 100 * (low - optimum) / abs(optimum), 100 * (high - optimum) / abs(optimum)
left.vlines(LANDMARKS, below, above, color=BLUE, lw=7, alpha=0.35, label="exact_interval")
left.plot(LANDMARKS, below, "^", color=BLUE, ms=6)
left.plot(LANDMARKS, above, "v", color=BLUE, ms=6)
left.set_xscale("log")
left.set_yscale("symlog", linthresh=0.01)
ticks = [-100, -1, -0.01, 0, 0.01, 1, 100, 10_000]
left.set_yticks(ticks, [f"{tick:g} %".replace("-", "−") for tick in ticks])
left.set(title="Interval of the exact optimum", xlabel="landmarks m", ylabel="relative to the exact optimum")
left.set_ylim(-3e3, 2e5)
left.legend(loc="upper right")
right.loglog(np.arange(1, len(curve)), curve[1:], color=ORANGE, lw=2, label="residual_curve")
right.loglog(LANDMARKS, (high - low) / abs(optimum), "o", color=BLUE, label="width of exact_interval")
right.axhline(0.01, color="0.3", lw=1, ls=":")
right.set(title="Error of the approximation", xlabel="landmarks m", ylabel="relative error", xlim=(50, 2500))
right.set_ylim(1e-6, 1e3)
right.legend(loc="lower left")
for ax in (left, right):
    ax.set_xticks(LANDMARKS, LANDMARKS)
    ax.minorticks_off()

# %%
# Eight times as many samples
# ---------------------------
# The Gram matrix of 40 000 samples would take 12.8 GB, and its factorisation 512 times as long as that of 5000. With
# landmarks, time grows in proportion to the number of samples, and the model is as small as before.

X = rng.uniform(-2, 2, size=(40_000, 3))
y = function(X) + 0.3 * rng.normal(size=len(X))
model, duration, error = fit(700)
print(f"n = 40000: {duration:.2f} s, error {error:.4f}, {model.approximation_}")
assert len(model.X_fit_) == 700
assert error < exact_error

plt.show()
