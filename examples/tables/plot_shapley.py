"""
Exact Shapley values of a kernel machine
========================================

Shapley values share out a prediction among the columns of a table. For kernels that are products over the columns they
are integrals of polynomials, so that quadrature gives them exactly, without sampling of the 2^d subsets. The table has
442 patients with ten measurements each; the target is the progression of diabetes one year later.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer.explain import shapley_values
from mercer.kernels import WeightedColumns
from mercer.plots import ShapleyDisplay
from mercer.svm import SVR

plt.rcParams.update({"font.size": 11})
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
names = {"s1": "cholesterol", "s2": "LDL", "s3": "HDL", "s4": "cholesterol/HDL", "s5": "log triglycerides"}
names["s6"] = "glucose"
X = X.rename(columns=names | {"bp": "blood pressure", "bmi": "body mass index"})
train, test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
model = make_pipeline(StandardScaler(), SVR(kernel=WeightedColumns(0.05), C=20.0, epsilon=5.0)).fit(train, y_train)
print(f"R² on test patients: {model.score(test, y_test):.2f}")

# %%
# All test patients
# -----------------
# A value is the share of a column in the difference between the prediction and the mean prediction for the background
# rows, in units of the target. The values of a patient and the base value add up to the prediction.

background = train.sample(50, random_state=0)
found = shapley_values(model, test, background)
assert np.allclose(found.base + found.values.sum(axis=1), model.predict(test))
print(found)

figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 4.6), layout="constrained", width_ratios=(2, 3))
ShapleyDisplay.from_values(found, kind="bar", ax=left)
ShapleyDisplay.from_values(found, ax=right)
left.set_title("Importance")
right.set_title("Every test patient")

# %%
# Triglycerides and the body mass index matter most: high values raise the prediction.

best = np.argsort(-found.importance)[:2]
assert {found.names[j] for j in best} == {"log triglycerides", "body mass index"}
for j in best:
    correlation = np.corrcoef(found.data[:, j], found.values[:, j])[0, 1]
    print(f"{found.names[j]}: correlation of value and Shapley value {correlation:.2f}")
    assert correlation > 0.8

# %%
# One patient
# -----------
# The waterfall leads from the base value to the prediction for the patient with the highest one. The six blood values
# can be one player, whose columns join a subset together.

highest = int(np.argmax(found.score))
grouped = shapley_values(model, test, background, players={"blood serum": list(names.values())})
figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 4.4), layout="constrained")
ShapleyDisplay.from_values(found, kind="waterfall", row=highest, ax=left)
ShapleyDisplay.from_values(grouped, kind="waterfall", row=highest, ax=right)

# %%
# Interactions
# ------------
# The Shapley interaction index of two columns is positive where both together add more than each alone. The model is
# nearly additive: the strongest interaction is much smaller than the strongest main effect.

pairs = shapley_values(model, test, background, interactions=True).interactions
size = np.abs(pairs).mean(axis=0)
main = np.diag(size).copy()
np.fill_diagonal(size, 0)
j, k = np.unravel_index(size.argmax(), size.shape)
print(f"strongest interaction: {found.names[j]} and {found.names[k]}, {size[j, k]:.2f}; main effect {main.max():.2f}")
assert size.max() < main.max() / 3

# %%
# Functions of a sum that are not products, such as ``WeightedColumns`` with g < 1 or Matérn kernels, are mixtures of
# products. The result has a bound on the error.

rough = make_pipeline(StandardScaler(), SVR(kernel=WeightedColumns(0.05, g=0.5), C=20.0, epsilon=5.0))
values = shapley_values(rough.fit(train, y_train), test[:10], background)
print(f"bound on the error: {values.error:.1e}; values up to {np.abs(values.values).max():.1f}")
assert values.error < 1e-4

plt.show()
