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

CENTRES = [[-0.5, -0.2], [0.0, 0.6], [0.5, 0.0]]
GRID = 120


def clusters(seed=0):
    """Three clusters of 20 points each."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(centre, 0.1, size=(20, 2)) for centre in CENTRES])


def plane(X, margin=0.35):
    """Points of a grid around the data, and its axes."""
    axes = [np.linspace(low - margin, high + margin, GRID) for low, high in zip(X.min(0), X.max(0), strict=True)]
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2), axes


def draw(ax, X, axes, heights, title):
    """One component as a map: colours for its values, lines where it is constant."""
    heights = heights.reshape(GRID, GRID)
    top = np.abs(heights).max()
    ax.contourf(*axes, heights, levels=np.linspace(-top, top, 25), cmap="RdBu_r")
    ax.contour(*axes, heights, levels=np.linspace(-top, top, 13), colors="black", linewidths=0.5, linestyles="solid")
    ax.plot(*X.T, "o", color="black", markersize=3, markeredgecolor="white", markeredgewidth=0.4)
    ax.set(title=title, xticks=[], yticks=[], aspect="equal")


def figure():
    """Linear components in the first row, those of the Gaussian kernel in the others."""
    X = clusters()
    points, axes = plane(X)
    linear = PCA(2).fit(X)
    gaussian = KernelPCA(8, kernel=RBF(gamma=10.0)).fit(X)
    fig, panels = plt.subplots(3, 4, figsize=(12, 9.4), layout="constrained")
    scores = linear.transform(points)
    for j, ax in enumerate(panels[0]):
        if j < 2:
            draw(ax, X, axes, scores[:, j], f"linear {j + 1}: {linear.explained_variance_ratio_[j]:.0%}")
        else:
            ax.axis("off")
    panels[0, 2].text(0.0, 0.5, "No more than two:\nthe plane has two directions.", va="center")
    scores = gaussian.transform(points)
    for j, ax in enumerate(panels[1:].ravel()):
        draw(ax, X, axes, scores[:, j], f"Gaussian {j + 1}: {gaussian.explained_variance_ratio_[j]:.0%}")
    fig.suptitle("Principal components as functions on the plane, with their share of the variance")
    return fig


if __name__ == "__main__":
    picture = figure()
    if len(sys.argv) > 1:
        picture.savefig(sys.argv[1], dpi=120)
    elif plt.get_backend().lower() != "agg":
        plt.show()
