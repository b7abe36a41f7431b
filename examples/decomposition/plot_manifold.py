"""
Manifold learning: unrolling the Swiss roll
===========================================

1200 points lie on a rolled sheet. Classical scaling keeps straight distances and shows the roll from the side. The
other three methods use only neighbours: Isomap keeps distances along the sheet and unrolls it, locally linear
embedding and Laplacian eigenmaps keep neighbours together. All four project new samples with ``transform``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_swiss_roll

from mercer.decomposition import ClassicalMDS, Isomap, LaplacianEigenmaps, LocallyLinearEmbedding

plt.rcParams.update({"font.size": 11})

# %%
# The Swiss roll
# --------------
# The colour is the position along the roll. The last 60 points are kept as new samples.

X, position = make_swiss_roll(1260, random_state=0)
training, new = np.arange(1200), np.arange(1200, 1260)
figure = plt.figure(figsize=(6, 4.6), layout="constrained")
roll = figure.add_subplot(projection="3d")
roll.scatter(*X[training].T, c=position[training], s=12, cmap="viridis", depthshade=False)
roll.view_init(8, -75)
roll.set_box_aspect((1, 0.9, 1), zoom=1.35)
roll.set_axis_off()

# %%
# Four embeddings
# ---------------
# Circles with a black edge are the new samples. Laplacian eigenmaps bend the sheet to a horseshoe: the second slowest
# function on a long strip varies along it again, not across.

models = {
    "classical scaling": ClassicalMDS(),
    "Isomap": Isomap(n_neighbors=8),
    "locally linear embedding": LocallyLinearEmbedding(n_neighbors=12),
    "Laplacian eigenmaps": LaplacianEigenmaps(n_neighbors=10),
}
figure, axes = plt.subplots(2, 2, figsize=(8.5, 6.4), layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items(), strict=True):
    Y = model.fit_transform(X[training])
    ax.scatter(*Y.T, c=position[training], s=8, cmap="viridis")
    ax.scatter(*model.transform(X[new]).T, c=position[new], s=34, cmap="viridis", edgecolors="black", linewidths=1)
    ax.set(title=name, xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    assert np.allclose(model.transform(X[training]), Y)

# %%
# Geodesic distances are not Euclidean
# ------------------------------------
# The matrix of geodesic distances of Isomap has negative eigenvalues, so no embedding reproduces the distances
# exactly.

print(f"negative mass of the spectrum: {models['Isomap'].negative_mass():.0%}")

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
