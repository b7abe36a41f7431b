"""
Kernel PCA on three clusters beside linear PCA
==============================================

A principal component is a function on the input space: the coordinate of φ(x) along one direction of feature space.
Linear components of points in the plane are slopes, and there are only two of them. The components of a Gaussian
kernel are curved. The first two separate the three clusters, and the following ones divide each cluster.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from mercer.decomposition import KernelPCA
from mercer.kernels import RBF
from mercer.plots import ComponentContourDisplay

plt.rcParams.update({"font.size": 11})

# %%
# Three clusters of 20 points

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(centre, 0.1, size=(20, 2)) for centre in ([-0.5, -0.2], [0.0, 0.6], [0.5, 0.0])])


def contours(model, axes):
    """Draw components as contours over the plane; titles hold their shares of the variance."""
    for ax in ComponentContourDisplay.from_estimator(model, X, ax=axes).axes_:
        ax.set(xticks=[], yticks=[], xlabel="", ylabel="", aspect="equal")


# %%
# Linear PCA
# ----------
# The plane has two directions, so there are two components. Contour lines are parallel lines.

linear = PCA(2).fit(X)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.9), layout="constrained")
contours(linear, axes)
figure.suptitle("Linear PCA")

# %%
# Kernel PCA
# ----------
# Kernel PCA has as many components as there are samples. The first eight are drawn; each title gives the share of the
# variance in feature space.

kernel = KernelPCA(8, kernel=RBF(gamma=10.0)).fit(X)
figure, axes = plt.subplots(2, 4, figsize=(9.5, 5.6), layout="constrained")
contours(kernel, axes)
figure.suptitle("Kernel PCA with a Gaussian kernel")

# %%
# The components are uncorrelated: the Gram matrix of the coordinates is diagonal. Its diagonal holds the eigenvalues.

Z = kernel.transform(X)
assert np.allclose(Z.T @ Z, np.diag(kernel.eigenvalues_))
print("eigenvalues:", kernel.eigenvalues_.round(3))

plt.show()
# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
