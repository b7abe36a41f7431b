"""
Learned weights of columns
==========================

A kernel of a distance depends on what the distance measures. In this table of flats, the rent depends on the area, the
minutes to the centre and the district. Floor, age of the boiler and the colour of the door have no influence.
`LeaveOneOutWeights` learns one weight for each column, numbers and categories, by the gradient of the exact
leave-one-out error of kernel ridge regression. The learned kernel is then used by kernel ridge regression.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer.feature_learning import LeaveOneOutWeights
from mercer.plots import ColumnWeightsDisplay
from mercer.ridge import KernelRidge

plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})

# %%
# Flats with numbers and categories

rng = np.random.default_rng(0)
n, names = 900, np.array(["area", "minutes", "floor", "boiler", "district", "door"])
area, minutes = rng.gamma(6.0, 12.0, n), rng.uniform(0, 60, n)
floor, boiler = rng.integers(0, 8, n), rng.uniform(0, 25, n)
district, door = rng.integers(0, 6, n), rng.integers(0, 6, n)
near = np.exp(-minutes / 15)
rent = area * (8 + 10 * near) * (1 + 0.3 * (district == 2) - 0.2 * (district == 4)) + 40 * rng.normal(size=n)
X = np.column_stack([area, minutes, floor, boiler, district, door])
X[:, :4] = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
train, test = slice(0, 500), slice(500, None)

# %%
# Equal weights, and one weight for each column
# ---------------------------------------------
# With ``tied=True`` only a common factor of all weights is learned. Both kernels are used with the penalty α that was
# learned with them. Rents are centred, because the regression has no intercept.

mean = rent[train].mean()
learners = {"equal weights": LeaveOneOutWeights(categorical=[4, 5], tied=True)}
learners["one weight for each column"] = LeaveOneOutWeights(categorical=[4, 5])
score = {}
for label, learner in learners.items():
    learner.fit(X[train], rent[train])
    model = KernelRidge(alpha=learner.alpha_, kernel=learner.kernel_).fit(X[train], rent[train] - mean)
    score[label] = model.score(X[test], rent[test] - mean)
    print(f"{label:<28} leave-one-out R² {learner.loo_score_:.3f}, R² on new flats {score[label]:.3f}")

weights = dict(zip(names.tolist(), learner.shares_.round(3).tolist(), strict=True))
print(weights)
assert min(weights[name] for name in ("area", "minutes", "district")) > 2 * max(weights["floor"], weights["boiler"])
assert 1 - score["one weight for each column"] < 0.8 * (1 - score["equal weights"])

# %%
# Shares of the columns
# ---------------------
# The share of a column in the mean distance of two flats does not depend on its unit. The right panel shows the
# objective: evaluations with a common factor first, then with a weight for each column.

display = ColumnWeightsDisplay(names, learner.shares_, path=learner.objective_path_).plot()
display.figure_.suptitle("What the learned distance between two flats consists of", x=0.02, ha="left")

plt.show()
