"""One kernel for a table of mixed columns: 31 chemical elements.

Each column gets the kernel that suits it: a Gaussian on the electronegativity, a Gaussian on the logarithm of the
mass, equality on the block of the periodic table and on the state at room temperature. Their weighted sum compares
whole rows, and its certificate follows from the parts. Rows are ordered so that like stands next to like.
"""

import io
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from mercer.kernels import RBF, Columns, Delta, Map

ELEMENTS = """symbol mass electronegativity block state
Li 6.94 0.98 s solid\nBe 9.01 1.57 s solid\nB 10.81 2.04 p solid\nC 12.01 2.55 p solid\nN 14.01 3.04 p gas
O 16.00 3.44 p gas\nF 19.00 3.98 p gas\nNa 22.99 0.93 s solid\nMg 24.31 1.31 s solid\nAl 26.98 1.61 p solid
Si 28.09 1.90 p solid\nP 30.97 2.19 p solid\nS 32.06 2.58 p solid\nCl 35.45 3.16 p gas\nK 39.10 0.82 s solid
Ca 40.08 1.00 s solid\nSc 44.96 1.36 d solid\nTi 47.87 1.54 d solid\nV 50.94 1.63 d solid\nCr 52.00 1.66 d solid
Mn 54.94 1.55 d solid\nFe 55.85 1.83 d solid\nCo 58.93 1.88 d solid\nNi 58.69 1.91 d solid\nCu 63.55 1.90 d solid
Zn 65.38 1.65 d solid\nGa 69.72 1.81 p solid\nGe 72.63 2.01 p solid\nAs 74.92 2.18 p solid\nSe 78.97 2.55 p solid
Br 79.90 2.96 p liquid"""

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

K, D = kernel(table), kernel.distance(table)
symbols = table["symbol"].to_numpy()
for symbol in ("Na", "Cl", "Si", "Fe"):
    nearest = np.argsort(D[symbols == symbol][0])[1:4]
    print(f"nearest to {symbol}:", ", ".join(symbols[nearest]))

order = leaves_list(linkage(squareform(D), "average", optimal_ordering=True))
plt.rcParams.update({"font.size": 10})
figure = plt.figure(figsize=(12.5, 6.2), layout="constrained")
rows = [["electronegativity", "mass", "whole"], ["block", "state", "whole"]]
axes = figure.subplot_mosaic(rows, width_ratios=[1, 1, 2.15])
show = {"vmin": 0, "vmax": 1, "cmap": "cividis"}
for name, part in parts.items():
    axes[name].imshow(part(table)[np.ix_(order, order)], **show)
    axes[name].set(title=f"{weights[name]:g} · {name}", xticks=[], yticks=[])
image = axes["whole"].imshow(K[np.ix_(order, order)], **show)
axes["whole"].set(title="k(x, z), the weighted sum", xticks=range(len(K)), yticks=range(len(K)))
axes["whole"].set_xticklabels(symbols[order], fontsize=8, rotation=90)
axes["whole"].set_yticklabels(symbols[order], fontsize=8)
figure.colorbar(image, ax=axes["whole"], shrink=0.8, label="similarity")

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
