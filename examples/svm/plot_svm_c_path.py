"""
The regularisation path of a support vector classifier
======================================================

The parameter C is the cost of errors: small values give smooth boundaries, large values fit every sample. ``c_path``
computes the classifiers for many values of C on one Gram matrix and starts each solution from the previous one. The
figures follow 61 classifiers on two overlapping moons and choose C by cross-validation.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer.plots import COLOURS
from mercer.svm import SVC, c_path

plt.rcParams.update({"font.size": 11, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True})
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
BLUE, ORANGE, GREEN, PINK = COLOURS[:4]

# %%
# The path
# --------
# Warm starts need about half of the steps of separate fits.

X, y = make_moons(120, noise=0.3, random_state=0)
values = np.logspace(-2, 3, 61)
path = c_path(SVC(gamma=1.0), X, y, values)
cold = sum(SVC(gamma=1.0, C=C).fit(X, y).solution_.n_iter for C in values)
print(f"{path.n_iter.sum()} solver steps along the path, {cold} in separate fits")
assert path.n_iter.sum() < cold

# %%
# Boundaries
# ----------
# The boundary becomes more detailed as C grows.

figure, ax = plt.subplots(figsize=(7.2, 5), layout="constrained")
low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
u, v = np.meshgrid(*(np.linspace(a, b, 250) for a, b in zip(low, high, strict=True)))
for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
    ax.scatter(*X[y == label].T, color=colour, marker=marker, s=34, linewidths=0)
for C, colour in {0.1: "0.55", 10.0: GREEN, 1000.0: PINK}.items():
    model = path.estimators[int(np.abs(np.log(path.C / C)).argmin())]
    f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    ax.contour(u, v, f, levels=[0], colors=colour, linewidths=2.5)
    ax.plot([], [], color=colour, lw=2.5, label=f"C = {C:g}")
ax.set(title="Decision boundaries for three values of C", xlabel="x₁", ylabel="x₂")
ax.legend(loc="upper right")

# %%
# Coefficients
# ------------
# Each line is the coefficient α of one sample, divided by its upper bound C. With small C almost all samples are at
# the bound. With larger C, more and more samples leave it and finally have the coefficient zero.

share = np.zeros((len(values), len(y)))
for row, model in zip(share, path.estimators, strict=True):
    row[model.support_] = np.abs(model.dual_coef_[0]) / model.C
assert share.max() <= 1

figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
for label, colour in ((0, BLUE), (1, ORANGE)):
    ax.semilogx(path.C, share[:, y == label], color=colour, lw=0.8, alpha=0.5)
ax.semilogx(path.C, (share > 0).mean(axis=1), color="black", lw=2.5, ls="--", label="share of support vectors")
ax.set(title="α / C of every sample", xlabel="C", ylim=(0, 1.02))
ax.legend(loc="lower left")

# %%
# Cross-validation
# ----------------
# With ``cv=5``, ``c_path`` also computes held-out scores. The folds share the Gram matrix.

folds = c_path(SVC(gamma=1.0), X, y, values, cv=5)
mean, spread = folds.scores.mean(axis=1), folds.scores.std(axis=1)
figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
ax.semilogx(path.C, [model.score(X, y) for model in path.estimators], color="0.4", lw=2, ls=":", label="training")
ax.semilogx(path.C, mean, color=GREEN, lw=2.5, label="held out (mean ± standard deviation)")
ax.fill_between(path.C, mean - spread, mean + spread, color=GREEN, alpha=0.15, linewidth=0)
ax.plot(folds.best_C, mean.max(), "o", ms=9, color=GREEN, label=f"best: C = {folds.best_C:.2g}")
ax.set(title="Accuracy along the path", xlabel="C", ylabel="accuracy")
ax.legend(loc="lower right")

plt.show()
