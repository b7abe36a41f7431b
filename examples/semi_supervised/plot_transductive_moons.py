"""
Inductive and transductive SVM on two moons
===========================================

200 samples form two moons, and only one sample of each moon has a label. An ordinary support vector classifier uses
the two labelled samples and draws its boundary half-way between them. ``TransductiveSVC`` also labels the other
samples, such that few of them lie within the margin. Its boundary follows the gap between the moons.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer.plots import COLOURS
from mercer.semi_supervised import TransductiveSVC
from mercer.svm import SVC

plt.rcParams.update({"font.size": 11})
BLUE, ORANGE = COLOURS[:2]

# %%
# Two labels
# ----------
# Unlabelled samples have the label −1, as in scikit-learn.

X, truth = make_moons(200, noise=0.05, random_state=1)
labeled = [int(np.flatnonzero(truth == c)[20]) for c in (0, 1)]
y = np.full(200, -1)
y[labeled] = truth[labeled]

inductive = SVC(gamma=5.0).fit(X[labeled], truth[labeled])
transductive = TransductiveSVC(gamma=5.0).fit(X, y)
scores = inductive.score(X, truth), transductive.score(X, truth)
print(f"accuracy: SVC {scores[0]:.3f}, TransductiveSVC {scores[1]:.3f}")
assert scores[1] == 1.0 > scores[0]

# %%
# Boundaries and margins
# ----------------------
# Large markers are the labelled samples. On the right, small markers show the labels assigned by ``TransductiveSVC``.
# Dotted lines are the margins f(x) = ±1.

figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained", sharex=True, sharey=True)
low, high = X.min(axis=0) - 0.3, X.max(axis=0) + 0.3
u, v = np.meshgrid(*(np.linspace(a, b, 250) for a, b in zip(low, high, strict=True)))
panels = (
    (inductive, np.full(200, -1), f"SVC on two labels: accuracy {scores[0]:.0%}"),
    (transductive, transductive.transduction_, f"TransductiveSVC: accuracy {scores[1]:.0%}"),
)
for ax, (model, label, title) in zip(axes, panels, strict=True):
    f = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    ax.contourf(u, v, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, ORANGE], alpha=0.15)
    ax.contour(u, v, f, levels=[-1, 0, 1], colors="0.25", linestyles=[":", "-", ":"], linewidths=[1.2, 2, 1.2])
    for c, colour, marker in ((-1, "0.55", "o"), (0, BLUE, "o"), (1, ORANGE, "^")):
        ax.scatter(*X[label == c].T, color=colour, marker=marker, s=24, linewidths=0)
    for c, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "^")):
        ax.scatter(*X[labeled[c]], color=colour, marker=marker, s=240, edgecolors="black", linewidths=2, zorder=3)
    ax.set(title=title, xticks=[], yticks=[])

# %%
# The optimisation
# ----------------
# The algorithm exchanges the labels of pairs of unlabelled samples as long as this decreases the objective.

price, objective = transductive.objective_path_.T
assert (np.diff(objective)[np.diff(price) == 0] < 0).all()
print("objective after each fit:", objective.round(3))

plt.show()
