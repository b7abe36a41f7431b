"""
Out of core: kernel ridge regression of a file
==============================================

The rows of this example are in a file that is never read as a whole. A model is fitted in passes over blocks of the
file, and another one learns from one part of the file after the other. Both are compared with the fit to all rows in
memory.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from mercer.data import ArrayBlocks
from mercer.kernel_approximation import Nystroem
from mercer.ridge import KernelRidge

# %%
# A file of rows
# --------------
#
# The file is written and read as a memory map. The function has a fine structure in one corner of the square, which
# shows only with many samples.


def truth(X):
    return np.sin(3 * X[:, 0]) * np.cos(2 * X[:, 1]) + np.exp(-4 * np.sum((X - 1) ** 2, axis=1)) * np.sin(9 * X[:, 0])


n = 100_000
rng = np.random.default_rng(0)
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "X.npy"
rows = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(n, 2))
target = np.empty(n)
for first in range(0, n, 25_000):
    part = slice(first, first + 25_000)
    rows[part] = rng.uniform(-2, 2, size=(25_000, 2))
    target[part] = truth(rows[part]) + rng.normal(size=25_000)
rows.flush()

# %%
# A fit in passes
# ---------------
#
# A source takes the place of X; it contains the targets, too. The result is that of the fit in memory, up to rounding.

source = ArrayBlocks(np.load(path, mmap_mode="r"), target, rows=30_000)
model = KernelRidge(alpha=0.1, kernel="rbf", gamma=4.0, approximation=300).fit(source)
memory = KernelRidge(alpha=0.1, kernel="rbf", gamma=4.0, approximation=300).fit(np.load(path), target)

grid = np.linspace(-2, 2, 80)
points = np.column_stack([values.ravel() for values in np.meshgrid(grid, grid)])
difference = np.abs(model.predict(points) - memory.predict(points)).max()
print(f"{source}\n{model.approximation_}\nlargest difference from the fit in memory: {difference:.1g}")
assert np.array_equal(model.approximation_.indices, memory.approximation_.indices)
assert difference < 1e-6

# %%
# A model that grows
# ------------------
#
# `partial_fit` adds samples to the sums of a model. The landmarks are those of the first call, and after the last one
# the model is that of one fit to all rows with these landmarks.

growing = KernelRidge(alpha=0.1, kernel="rbf", gamma=4.0, approximation=300)
ends = [1000, 3000, 10_000, 30_000, n]
errors, start = [], 0
for end in ends:
    growing.partial_fit(rows[start:end], target[start:end])
    errors.append(np.sqrt(np.mean((growing.predict(points) - truth(points)) ** 2)))
    start = end
once = KernelRidge(alpha=0.1, kernel="rbf", gamma=4.0, approximation=Nystroem(landmarks=growing.X_fit_)).fit(source)
assert np.abs(once.predict(points) - growing.predict(points)).max() < 1e-5
assert errors[-1] < errors[0] / 5

figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
shown = {"truth": truth(points), "fit to the file": model.predict(points)}
for axis, (title, values) in zip(axes, shown.items(), strict=False):
    picture = axis.pcolormesh(grid, grid, values.reshape(80, 80), cmap="RdBu", vmin=-2, vmax=2, shading="auto")
    axis.set(title=title, xlabel="x₀", ylabel="x₁", aspect="equal")
figure.colorbar(picture, ax=axes[1])
axes[2].loglog(ends, errors, "o-")
axes[2].set(title="partial_fit", xlabel="samples so far", ylabel="root mean squared error")
axes[2].grid(alpha=0.3)

del rows, source
folder.cleanup()
plt.show()
