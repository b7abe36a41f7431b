"""
One kernel for a table with mixed columns
=========================================

Each column of a table gets a kernel that fits it. For 31 chemical elements these are a Gaussian on the
electronegativity, a Gaussian on the logarithm of the mass, and equality of the block of the periodic table and of the
state at room temperature. The weighted sum of the kernels compares whole rows, and its certificate follows from those
of the parts.
"""

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from mercer.kernels import RBF, Columns, Delta, Map

plt.rcParams.update({"font.size": 11})
ELEMENTS = """symbol mass electronegativity block state
Li 6.94 0.98 s solid\nBe 9.01 1.57 s solid\nB 10.81 2.04 p solid\nC 12.01 2.55 p solid\nN 14.01 3.04 p gas
O 16.00 3.44 p gas\nF 19.00 3.98 p gas\nNa 22.99 0.93 s solid\nMg 24.31 1.31 s solid\nAl 26.98 1.61 p solid
Si 28.09 1.90 p solid\nP 30.97 2.19 p solid\nS 32.06 2.58 p solid\nCl 35.45 3.16 p gas\nK 39.10 0.82 s solid
Ca 40.08 1.00 s solid\nSc 44.96 1.36 d solid\nTi 47.87 1.54 d solid\nV 50.94 1.63 d solid\nCr 52.00 1.66 d solid
Mn 54.94 1.55 d solid\nFe 55.85 1.83 d solid\nCo 58.93 1.88 d solid\nNi 58.69 1.91 d solid\nCu 63.55 1.90 d solid
Zn 65.38 1.65 d solid\nGa 69.72 1.81 p solid\nGe 72.63 2.01 p solid\nAs 74.92 2.18 p solid\nSe 78.97 2.55 p solid
Br 79.90 2.96 p liquid"""

# %%
# A kernel for each column
# ------------------------
# ``Columns`` applies a kernel to a column of a data frame. The sum of the weighted parts is PSD, as the certificate
# proves.

table = pd.read_csv(io.StringIO(ELEMENTS), sep=" ")
parts = {
    "electronegativity": Columns("electronegativity", RBF(gamma=4.0)),
    "mass": Columns("mass", Map(np.log, RBF(gamma=2.0))),
    "block": Columns("block", Delta()),
    "state": Columns("state", Delta()),
}
weights = {"electronegativity": 0.4, "mass": 0.2, "block": 0.25, "state": 0.15}
kernel = sum(weights[name] * part for name, part in parts.items())
print(kernel.certificate())

# %%
# Kernel distances define neighbours.

K, D = kernel(table), kernel.distance(table)
symbols = table["symbol"].to_numpy()
for symbol in ("Na", "Cl", "Si", "Fe"):
    print(f"nearest to {symbol}:", ", ".join(symbols[np.argsort(D[symbols == symbol][0])[1:4]]))

# %%
# The weighted sum
# ----------------
# The elements are ordered by hierarchical clustering. From top left to bottom right: the p block with the nonmetals,
# the d block and the s block.

order = leaves_list(linkage(squareform(D), "average", optimal_ordering=True))
figure, ax = plt.subplots(figsize=(7.4, 6.2), layout="constrained")
image = ax.imshow(K[np.ix_(order, order)], vmin=0, vmax=1, cmap="cividis")
ax.set_xticks(range(len(K)), symbols[order], rotation=90, fontsize=10)
ax.set_yticks(range(len(K)), symbols[order], fontsize=10)
ax.set_title("Similarity of 31 elements: the weighted sum")
figure.colorbar(image, shrink=0.85, label="k(x, z)")

# %%
# The parts

figure, axes = plt.subplots(2, 2, figsize=(7.4, 7), layout="constrained")
for ax, (name, part) in zip(axes.flat, parts.items(), strict=True):
    ax.imshow(part(table)[np.ix_(order, order)], vmin=0, vmax=1, cmap="cividis")
    ax.set(title=f"{weights[name]:g} · {name}", xticks=[], yticks=[])

plt.show()
