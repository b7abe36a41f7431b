"""Conversion of images to vectors: block means and rows of pixels."""

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
    """Return the validated pixels of `Images` or an array, of shape (n, height, width)."""
    pixels = np.asarray(images.pixels if isinstance(images, Images) else images)
    if pixels.ndim != 3 or not pixels.size or pixels.dtype.kind not in "fiub":
        raise ValueError(
            f"{who}: images must be mercer.datasets.Images or numbers of shape (n, height, width), got "
            f"{describe(images)}; convert rows of pixels with reshape(n, height, width)."
        )
    pixels = pixels.astype(np.float64, copy=False)
    check_finite(who, "images", pixels)
    return pixels


def block_means(images: Either, size: int) -> Either:
    """Reduce the size of images by averaging blocks of size × size pixels.

    Parameters
    ----------
    images : Images or array-like of shape (n_images, height, width)
        Images.
    size : int
        Side of the blocks; must divide height and width.

    Returns
    -------
    Images or ndarray of shape (n_images, height / size, width / size)
        Smaller images, of the same type as `images`.

    See Also
    --------
    face_vectors : Images as rows of pixels.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.faces import block_means
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
        note = f"Reduced from {height} x {width} to {means.shape[1]} x {means.shape[2]} pixels by averaging blocks."
        return replace(images, pixels=means, notes=(*images.notes, note) if size > 1 else images.notes)
    return means


@one_word
def face_vectors(images: Images | DoubleArray, center: Center = "image") -> DoubleArray:
    """Convert images to rows of pixels with a mean squared norm of 1.

    Parameters
    ----------
    images : Images or array-like of shape (n_images, height, width)
        Images.
    center : {"image", "none"}, default="image"
        With "image", the mean of its pixels is subtracted from each image, which removes differences in brightness.

    Returns
    -------
    ndarray of shape (n_images, height · width)
        Vectors. All are divided by the same number, which fixes the unit of kernel parameters without changing angles
        or the order of distances.

    See Also
    --------
    block_means : Smaller images.
    leave_one_out : Evaluation of a method on these vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.faces import face_vectors
    >>> X = face_vectors(np.random.default_rng(0).uniform(size=(5, 4, 3)))
    >>> X.shape, round(float((X**2).sum() / 5), 12)
    ((5, 12), 1.0)
    >>> X.mean(axis=1).round(12) + 0.0
    array([0., 0., 0., 0., 0.])
    """
    who = "face_vectors"
    center = check_choice(who, "center", center, Center)  # type: ignore[assignment]
    pixels = image_pixels(who, images)
    X = pixels.reshape(len(pixels), -1)
    if center == "image":
        X = X - X.mean(axis=1, keepdims=True)
    norm = float(np.sqrt(np.vdot(X, X) / len(X)))
    if norm <= 1e-12 * float(np.abs(pixels).max()):
        raise ValueError(f"{who}: all images are blank; pass images whose pixels differ.")
    return np.asarray(X / norm)
