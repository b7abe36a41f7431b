"""
Ridge regression on Dask workers
================================

The estimators that are fitted to blocks take Dask arrays in the places of X and y. Each chunk of rows is one task on a
worker, and only sums come back. The fitted model consists of NumPy arrays, predictions of Dask arrays are lazy, and the
chunks change nothing but rounding.

Here the "cluster" is the threads of this process. With ``distributed.Client("tcp://ADDRESS:8786")`` in its place, the
same lines run on many machines.
"""

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np

from mercer.plots import COLOURS
from mercer.ridge import KernelRidge

# %%
# Chunks that are made where they are needed
# ------------------------------------------
# Nothing is computed yet: a function makes each chunk from its number.


def chunk(number, rows=5000):
    X = np.random.default_rng(number).normal(size=(rows, 4))
    return np.column_stack([X, np.sin(X).sum(axis=1)])


parts = [da.from_delayed(dask.delayed(chunk)(i), (5000, 5), dtype=float) for i in range(8)]
data = da.concatenate(parts)
X, y = data[:, :4], data[:, 4]
print(X)

# %%
# A fit, and lazy predictions
# ---------------------------

model = KernelRidge(kernel="rbf", gamma=0.1, alpha=0.1, approximation=200)
with dask.config.set(scheduler="threads"):
    model.fit(X, y)
    predicted = model.predict(X)
    error = float(da.sqrt(((predicted - y) ** 2).mean()).compute())
print(predicted)
print(f"{model.approximation_}, training RMSE {error:.4f}")
assert isinstance(predicted, da.Array)
assert isinstance(model.dual_coef_, np.ndarray)
assert error < 0.05

# %%
# The same model from memory
# --------------------------

held = np.vstack([chunk(i) for i in range(8)])
local = KernelRidge(kernel="rbf", gamma=0.1, alpha=0.1, approximation=200).fit(held[:, :4], held[:, 4])
difference = float(np.abs(local.predict(held[:100, :4]) - model.predict(held[:100, :4])).max())
print(f"largest difference of predictions: {difference:.1e}")
assert difference < 1e-6

# %%
# The function and the errors of the chunks
# -----------------------------------------
# The landmarks are drawn from the rows of all chunks, so the error is about the same everywhere.

with dask.config.set(scheduler="threads"):
    values = predicted.compute()
errors = np.sqrt(((values - held[:, 4]) ** 2).reshape(8, 5000).mean(axis=1))
assert errors.max() < 1.5 * error

ticks = np.linspace(-3, 3, 61)
plane = np.zeros((61 * 61, 4))
plane[:, :2] = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
surface = model.predict(plane).reshape(61, 61)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
colours = left.contourf(ticks, ticks, surface, levels=np.linspace(-2, 2, 17), cmap="RdBu_r", extend="both")
left.contour(ticks, ticks, surface, levels=[0], colors="0.3", linewidths=1)
figure.colorbar(colours, ax=left, label="prediction", ticks=[-2, -1, 0, 1, 2])
left.set(title="Learned sin x₀ + sin x₁ (x₂ = x₃ = 0)", xlabel="x₀", ylabel="x₁", aspect="equal")
right.bar(range(8), errors, color=COLOURS[0], width=0.7)
right.axhline(error, color=COLOURS[1], lw=2, label="all chunks")
right.set(title="Training error of each chunk", xlabel="chunk of 5000 rows", ylabel="RMSE", xticks=range(8))
right.spines[["top", "right"]].set_visible(False)
right.legend(loc="lower right")
plt.show()
