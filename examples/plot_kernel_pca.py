"""Kernel PCA on three clusters of 20 points: contour maps of the components, beside linear PCA.

The values of a component at every point of the plane are drawn as contours. Linear components can only be slopes, and
there are two of them. Those of the Gaussian kernel bend: the first two tell the three clusters apart, the others split
each cluster in its own way.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from mercer.decomposition import KernelPCA
from mercer.kernels import RBF
from mercer.plots import ComponentContourDisplay

CENTRES = [[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]]


def clusters(seed=0):
    """Three clusters of 20 points each."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(centre, 0.1, size=(20, 2)) for centre in CENTRES])


def figure():
    """Linear components in the first row, those of the Gaussian kernel in the others."""
    X = clusters()
    fig, panels = plt.subplots(3, 4, figsize=(12, 8.2), layout="constrained")
    for name, model, places in (
        ("linear", PCA(2).fit(X), panels[0, :2]),
        ("Gaussian", KernelPCA(8, kernel=RBF(gamma=10.0)).fit(X), panels[1:]),
    ):
        for ax in ComponentContourDisplay.from_estimator(model, X, ax=places).axes_:
            ax.set(title=f"{name} {ax.get_title()}", xticks=[], yticks=[], xlabel="", ylabel="", aspect="equal")
    for ax in panels[0, 2:]:
        ax.axis("off")
    panels[0, 2].text(0.0, 0.5, "No more than two:\nthe plane has two directions.", va="center")
    fig.suptitle("Principal components as functions on the plane, with their share of the variance")
    return fig


if __name__ == "__main__":
    picture = figure()
    if len(sys.argv) > 1:
        picture.savefig(sys.argv[1], dpi=120)
    elif plt.get_backend().lower() != "agg":
        plt.show()
