"""The price of errors, from cheap to dear.

Sixty-one values of C for an SVC on two moons that overlap, all on one Gram matrix, each solution started from the one
before. Left: every line is the coefficient of one sample as a share of its bound. Errors that cost little put nearly
all samples at the bound; as they become dearer, samples leave it, cross the margin and are forgotten. Middle: the
boundary gains detail with C. Right: five folds share the matrix too and say which C to take.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer.svm import SVC, c_path

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
VALUES = np.logspace(-2, 3, 61)
SHADES = {0.1: "0.6", 10.0: GREEN, 1000.0: "#CC79A7"}

X, y = make_moons(120, noise=0.3, random_state=0)
svc = SVC(gamma=1.0)
path = c_path(svc, X, y, VALUES)
folds = c_path(svc, X, y, VALUES, cv=5)

cold = sum(SVC(gamma=1.0, C=C).fit(X, y).solution_.n_iter for C in VALUES)
print(f"{path.n_iter.sum()} pair steps along the path, {cold} in separate fits; best C = {folds.best_C:.3g}")
assert path.n_iter.sum() < cold

share = np.zeros((len(VALUES), len(y)))
for row, model in zip(share, path.estimators, strict=True):
    row[model.support_] = np.abs(model.dual_coef_[0]) / model.C
assert share.max() <= 1

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "font.size": 10})
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
for label, colour in ((0, BLUE), (1, ORANGE)):
    left.semilogx(path.C, share[:, y == label], color=colour, lw=0.7, alpha=0.5)
left.semilogx(path.C, (share > 0).mean(axis=1), color="black", lw=2, ls="--", label="share of support vectors")
left.set(title="Coefficients: α / C of every sample", xlabel="C", ylim=(0, 1.02))
left.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.12))

low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
u, v = np.meshgrid(*(np.linspace(a, b, 250) for a, b in zip(low, high, strict=True)))
for label, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
    middle.scatter(*X[y == label].T, color=colour, marker=marker, s=16, linewidths=0, alpha=0.7)
for C, colour in SHADES.items():
    model = path.estimators[int(np.abs(np.log(path.C / C)).argmin())]
    f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    middle.contour(u, v, f, levels=[0], colors=colour, linewidths=2)
    middle.plot([], [], color=colour, lw=2, label=f"C = {C:g}")
middle.set(title="Boundaries", xlabel="x₁", ylabel="x₂")
middle.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.12), handlelength=1.2)

training = [model.score(X, y) for model in path.estimators]
mean, spread = folds.scores.mean(axis=1), folds.scores.std(axis=1)
right.semilogx(path.C, training, color="0.5", lw=2, ls=":", label="training")
right.semilogx(path.C, mean, color=GREEN, lw=2, label="held out (mean ± sd)")
right.fill_between(path.C, mean - spread, mean + spread, color=GREEN, alpha=0.15, linewidth=0)
right.plot(folds.best_C, mean.max(), "o", color=GREEN, label=f"best: C = {folds.best_C:.2g}")
right.set(title="Accuracy", xlabel="C")
right.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.12), handlelength=1.2, columnspacing=1)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
