"""
What an automatic model has learned
===================================

Importances, interactions and partial dependence of an ``AutoClassifier``, by column of the raw table. The model is a
weighted sum of kernel machines with learned weights of columns; all its explanations are exact, or have a bound on the
error, and are in units of its score. The table has 13 chemical measurements of 178 wines of three growers.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.auto import AutoClassifier
from mercer.datasets import load
from mercer.explain import importances, partial_dependence, shapley_values
from mercer.plots import ImportancesDisplay, PartialDependenceDisplay, ShapleyDisplay

plt.rcParams.update({"font.size": 11})
wine = load("wine").split("class")
train, test = (np.flatnonzero(part) for part in (np.arange(len(wine.y)) % 3 > 0, np.arange(len(wine.y)) % 3 == 0))
model = AutoClassifier(random_state=0).fit(wine.X[train], wine.y[train])
print(f"accuracy on test wines: {model.score(wine.X[test], wine.y[test]):.2f}")

# %%
# Importances
# -----------
# The importance of a column is the mean absolute Shapley value: the amount by which the column moves the score of a
# grower, on average. The parts of a bar are the three growers.

background = wine.X[train][::3]
found = importances(model, wine.X[test], background)
print(found)
print(f"bound on the error: {found.error:.1e}")
assert found.error < 1e-6

growers = [str(grower) for grower in found.outputs]
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.6), layout="constrained", width_ratios=(3, 4))
ImportancesDisplay.from_importances(found, max_players=8, ax=left)
values = shapley_values(model, wine.X[test], background)
ShapleyDisplay.from_values(values, output=found.outputs[0], max_players=8, ax=right)
left.set_title("Importance for each grower")
right.set_title(f"Test wines: share in the score of {growers[0]}")

# %%
# Partial dependence
# ------------------
# Each curve is the average score of a grower if all wines had this value of the column; the marks are deciles of the
# column. The curves equal averages of scores of wines whose value was replaced, but need one pass over the kernel
# expansions.

figure, panels = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
for ax, name in zip(panels, found.names, strict=False):
    PartialDependenceDisplay.from_dependence(partial_dependence(model, wine.X[train], name), ax=ax)
    if ax is not panels[-1]:
        ax.get_legend().remove()
    ax.label_outer()

# %%
# Curves of single wines
# ----------------------
# Curves that start at 0 are parallel for an additive model. Here they fan out: the effect of the column depends on the
# others. The Shapley interaction values state with which one it interacts most.

first, output = found.names[0], found.outputs[0]
curves = partial_dependence(model, wine.X[train], first)
pairs = shapley_values(model, wine.X[test], background, interactions=True).of_output(output)
assert np.allclose(pairs.interactions.sum(axis=2), pairs.values)
strength = np.abs(pairs.interactions).mean(axis=0)
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5.0), layout="constrained", width_ratios=(3, 4))
PartialDependenceDisplay.from_dependence(curves, output=output, centred=True, ax=left)
left.set_title(f"Score of {growers[0]}")
shown = [pairs.names.index(name) for name in found.names[:8]]
image = right.imshow(strength[np.ix_(shown, shown)], cmap="viridis")
right.set_xticks(range(8), found.names[:8], rotation=40, ha="right")
right.set_yticks(range(8), found.names[:8])
figure.colorbar(image, ax=right, label="mean absolute value")
right.set_title("Interactions, and main effects on the diagonal")

np.fill_diagonal(strength, 0)
partner = pairs.names[int(strength[pairs.names.index(first)].argmax())]
print(f"{first} interacts most with {partner}")

plt.show()
