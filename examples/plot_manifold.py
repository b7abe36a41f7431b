"""A Swiss roll, unrolled or not: classical scaling, Isomap, locally linear embedding and Laplacian eigenmaps.

1200 points on a rolled sheet, coloured by their place along the roll. Classical scaling keeps straight distances and
sees the roll from the side. The other three only look at neighbours: Isomap keeps distances along the sheet and unrolls
it; locally linear embedding and Laplacian eigenmaps keep neighbours together, each with its own idea of scale. These
last bend the sheet to a horseshoe: its second wave along is slower than the first across. Black rings are 60 new
samples, projected by the formula that gives training samples their own place.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_swiss_roll

from mercer.decomposition import ClassicalMDS, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding

X, place = make_swiss_roll(1260, random_state=0)
training, new = np.arange(1200), np.arange(1200, 1260)
MODELS = {
    "classical scaling: straight distances": ClassicalMDS(),
    "Isomap: distances along the sheet": Isomap(n_neighbors=8),
    "locally linear embedding": LocallyLinearEmbedding(n_neighbors=12),
    "Laplacian eigenmaps": LaplacianEigenmaps(n_neighbors=10),
}

plt.rcParams.update({f"axes.spines.{side}": False for side in ("top", "right", "bottom", "left")})
figure = plt.figure(figsize=(13, 7), layout="constrained")
grid = figure.add_gridspec(2, 3)
roll = figure.add_subplot(grid[:, 0], projection="3d")
roll.scatter(*X[training].T, c=place[training], s=6, cmap="viridis")
roll.view_init(8, -80)
roll.set_box_aspect((1, 0.9, 1), zoom=1.3)
roll.set_axis_off()
roll.set_title("the data")

for (title, model), cell in zip(MODELS.items(), (grid[0, 1], grid[0, 2], grid[1, 1], grid[1, 2]), strict=True):
    axes = figure.add_subplot(cell)
    Y = model.fit_transform(X[training])
    Z = model.transform(X[new])
    axes.scatter(*Y.T, c=place[training], s=6, cmap="viridis")
    axes.scatter(*Z.T, c=place[new], s=26, cmap="viridis", edgecolors="black", linewidths=0.9)
    axes.set(title=title, xticks=[], yticks=[])
    assert np.allclose(model.transform(X[training]), Y)
    print(f"{title:40} residual {model.solution_.violation:.0e}")
print(
    f"eigenvalues of the geodesic matrix below zero: {MODELS['Isomap: distances along the sheet'].negative_mass():.0%}"
)

if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=150)
elif plt.get_backend().lower() != "agg":
    plt.show()
