"""From images to vectors: smaller images, and rows of pixels."""

from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import check_choice, check_finite, check_integer, describe
from mercer._words import one_word
from mercer.datasets.images import Images

__all__ = ["Center", "block_means", "face_vectors", "image_pixels"]

Center = Literal["image", "none"]
Either = TypeVar("Either", Images, DoubleArray)


def image_pixels(who: str, images: Any) -> DoubleArray:
    """Pixels of shape (n, height, width), checked; of `Images` or an array."""
    pixels = np.asarray(images.pixels if isinstance(images, Images) else images)
    if pixels.ndim != 3 or not pixels.size or pixels.dtype.kind not in "fiub":
        raise ValueError(
            f"{who}: images must be mercer.datasets.Images or numbers of shape (n, height, width), got "
            f"{describe(images)}; rows of pixels become images by reshape(n, height, width)."
        )
    pixels = pixels.astype(np.float64, copy=False)
    check_finite(who, "images", pixels)
    return pixels


def block_means(images: Either, size: int) -> Either:
    """Smaller images: means over blocks of size × size pixels.

    Parameters
    ----------
    images : Images, or array of shape (n, height, width)
    size : int
        Must divide height and width.

    Returns
    -------
    Images, or array of shape (n, height/size, width/size)
        Of the kind that was given.

    Examples
    --------
    >>> import numpy as np
    >>> block_means(np.arange(16.0).reshape(1, 4, 4), 2)
    array([[[ 2.5,  4.5],
            [10.5, 12.5]]])
    """
    who = "block_means"
    size = check_integer(who, "size", size, low=1)
    pixels = image_pixels(who, images)
    n, height, width = pixels.shape
    if height % size or width % size:
        raise ValueError(
            f"{who}: blocks of {size} x {size} do not tile images of {height} x {width} pixels; crop them, or pass a "
            "size that divides both."
        )
    means: DoubleArray = pixels.reshape(n, height // size, size, width // size, size).mean(axis=(2, 4))
    if isinstance(images, Images):
        told = f"Reduced from {height} x {width} to {means.shape[1]} x {means.shape[2]} pixels by means over blocks."
        return replace(images, pixels=means, notes=(*images.notes, told) if size > 1 else images.notes)
    return means


@one_word
def face_vectors(images: Images | DoubleArray, center: Center = "image") -> DoubleArray:
    """Images as rows of pixels whose mean squared norm is 1.

    Parameters
    ----------
    images : Images, or array of shape (n, height, width)
    center : {"image", "none"}
        "image": each minus the mean of its own pixels, so that brightness does not count.

    Returns
    -------
    array of shape (n, height · width)
        The common scale is the unit in which kernels measure; it changes no angle and no order of distances.

    Examples
    --------
    >>> import numpy as np
    >>> X = face_vectors(np.random.default_rng(0).uniform(size=(5, 4, 3)))
    >>> X.shape, bool(np.allclose(X.mean(axis=1), 0)), round(float((X**2).sum() / 5), 12)
    ((5, 12), True, 1.0)
    """
    who = "face_vectors"
    center = check_choice(who, "center", center, Center)  # type: ignore[assignment]
    pixels = image_pixels(who, images)
    X = pixels.reshape(len(pixels), -1)
    if center == "image":
        X = X - X.mean(axis=1, keepdims=True)
    norm = float(np.sqrt(np.vdot(X, X) / len(X)))
    if norm <= 1e-12 * float(np.abs(pixels).max()):
        raise ValueError(f"{who}: all images are blank, expected some that differ from one grey.")
    return np.asarray(X / norm)
