"""Leave-one-out of face recognition as it is said: fit to the others, look for the nearest, once for every image."""

from typing import Any

import numpy as np
from sklearn.decomposition import FastICA

__all__ = ["faces", "nearest_by_ica", "nearest_by_refits", "reduced_without"]

Array = Any


def faces(rng: np.random.Generator, n_persons: int = 6, n_images: int = 6, shape: tuple[int, int] = (8, 7)) -> Array:
    """Images (n, height, width) between 0 and 1, and labels: a face for each person, other light each time."""
    rows, columns = np.mgrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j]
    images, labels = [], []
    for person in range(n_persons):
        own = rng.normal(size=(3, 4))
        for _ in range(n_images):
            light = 0.5 * rng.normal() * columns + 0.3 * rng.normal() * rows
            face = sum(a * np.exp(-4 * ((rows - x) ** 2 + (columns - y) ** 2)) for a, x, y, _ in own)
            images.append(face + light + 0.2 * rng.normal(size=shape))
            labels.append(person)
    stack = np.array(images)
    return (stack - stack.min()) / np.ptp(stack), np.array(labels)


def reduced_without(method: Any, X: Array, labels: Array, i: int, k: int) -> Array:
    """Coordinates of all images by the method's own estimators, fitted to all but image i."""
    rest = np.delete(np.arange(len(X)), i)
    return method.model(k)[:-1].fit(X[rest], labels[rest]).transform(X)


def nearest_by_refits(method: Any, X: Array, labels: Array, k: int) -> Array:
    """The image nearest to each in a space fitted to the others."""
    return np.array([_nearest(reduced_without(method, X, labels, i, k), i) for i in range(len(X))])


def nearest_by_ica(X: Array, k: int) -> Array:
    """The same by FastICA of the images, rotation and all."""
    found = []
    for i in range(len(X)):
        rest = np.delete(np.arange(len(X)), i)
        model = FastICA(k, random_state=0, max_iter=20, tol=10).fit(X[rest])  # any rotation will do
        found.append(_nearest(model.transform(X), i))
    return np.array(found)


def _nearest(Z: Array, i: int) -> int:
    squares = ((Z - Z[i]) ** 2).sum(axis=1)
    squares[i] = np.inf
    return int(squares.argmin())
