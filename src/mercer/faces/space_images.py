"""Images of the reduced spaces: mean faces, eigenfaces, Fisherfaces and reconstructions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer._estimator import warn
from mercer._typing import DoubleArray
from mercer._validation import check_integer, check_rows
from mercer._words import one_word
from mercer.datasets import Images
from mercer.faces.leave_one_out import check_components, check_labels
from mercer.faces.vectors import face_vectors, image_pixels
from mercer.kernels import Kernel, Linear

__all__ = ["eigenfaces", "fisherfaces", "mean_faces", "reconstructions"]

_INVISIBLE = 1e-5  # relative difference of grey values


def mean_faces(images: Images | DoubleArray, labels: Any = None) -> DoubleArray:
    """Compute the mean of all images and the mean of the images of each person.

    Parameters
    ----------
    images : Images or array-like of shape (n_images, height, width)
        Images.
    labels : array-like of shape (n_images,), default=None
        Person shown on each image. None computes the mean of all images only.

    Returns
    -------
    ndarray of shape (1, height, width) or (1 + n_persons, height, width)
        Mean of all images, then of each person in the order of first appearance.

    See Also
    --------
    eigenfaces : Principal components.
    pictures : All pictures of a collection.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.faces import mean_faces
    >>> images = np.array([[[0.0, 1.0]], [[1.0, 1.0]], [[0.5, 0.0]]])
    >>> mean_faces(images, ["ann", "ann", "bob"]).round(3)
    array([[[0.5  , 0.667]],
    <BLANKLINE>
           [[0.5  , 1.   ]],
    <BLANKLINE>
           [[0.5  , 0.   ]]])
    """
    pixels = image_pixels("mean_faces", images)
    if labels is None:
        return np.asarray(pixels.mean(axis=0, keepdims=True))
    label, _ = check_labels("mean_faces", labels, len(pixels))
    persons = dict.fromkeys(label.tolist())
    return np.stack([pixels.mean(axis=0), *(pixels[label == person].mean(axis=0) for person in persons)])


@one_word
def eigenfaces(images: Images | DoubleArray, n_components: int = 12) -> tuple[DoubleArray, DoubleArray]:
    """Compute eigenfaces: the principal components of the pixels, as images.

    Parameters
    ----------
    images : Images or array-like of shape (n_images, height, width)
        Images.
    n_components : int, default=12
        Number of components. Fewer are returned if the images span a smaller space.

    Returns
    -------
    faces : ndarray of shape (n_components, height, width)
        Components as images of norm 1.
    shares : ndarray of shape (n_components,)
        Share of each component in the variance.

    See Also
    --------
    Eigenface : Face recognition with these components.
    fisherfaces : Discriminant directions.
    mercer.decomposition.KernelPCA : The decomposition.

    References
    ----------
    * Turk and Pentland, *Eigenfaces for recognition*, Journal of Cognitive Neuroscience 3, 1991.

    Examples
    --------
    Six images have at most five components, which explain all variance:

    >>> import numpy as np
    >>> from mercer.faces import eigenfaces
    >>> pixels = np.random.default_rng(0).uniform(size=(6, 4, 3))
    >>> faces, shares = eigenfaces(pixels, 12)
    >>> faces.shape, shares.round(3), round(float(shares.sum()), 6)
    ((5, 4, 3), array([0.441, 0.246, 0.149, 0.117, 0.047]), 1.0)
    """
    from mercer.decomposition import KernelPCA

    pixels = image_pixels("eigenfaces", images)
    X = pixels.reshape(len(pixels), -1)
    k = min(check_integer("eigenfaces", "n_components", n_components, low=1), len(X))
    model = KernelPCA(k, kernel=Linear(), remove_zero_eig=True).fit(X)
    faces = model.scalings_.T @ (X - X.mean(axis=0))
    return faces.reshape(-1, *pixels.shape[1:]), model.explained_variance_ratio_


@one_word
def fisherfaces(images: Images | DoubleArray, labels: Any, n_components: int = 12, *, reg: float = 0.1) -> DoubleArray:
    """Compute Fisherfaces: the linear discriminant directions of the pixels, as images.

    Parameters
    ----------
    images : Images or array-like of shape (n_images, height, width)
        Images.
    labels : array-like of shape (n_images,)
        Person shown on each image.
    n_components : int, default=12
        Number of directions; at most n_persons − 1 are returned.
    reg : float, default=0.1
        Penalty relative to the mean scatter within persons, see `Fisherface`.

    Returns
    -------
    ndarray of shape (n_components, height, width)
        Directions as images of norm 1, the most discriminative first.

    See Also
    --------
    Fisherface : Face recognition with these directions.
    eigenfaces : Principal components.
    mercer.discriminant.KernelDiscriminantAnalysis : The decomposition.

    References
    ----------
    * Belhumeur, Hespanha and Kriegman, *Eigenfaces vs. Fisherfaces: recognition using class specific linear
      projection*, IEEE Transactions on Pattern Analysis and Machine Intelligence 19, 1997.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import fisherfaces
    >>> digits = load_digits()
    >>> fisherfaces(digits.images[:200], digits.target[:200], 3).shape
    (3, 8, 8)
    """
    from mercer.discriminant import KernelDiscriminantAnalysis

    pixels = image_pixels("fisherfaces", images)
    label, n_persons = check_labels("fisherfaces", labels, len(pixels))
    k = min(check_integer("fisherfaces", "n_components", n_components, low=1), n_persons - 1)
    X = pixels.reshape(len(pixels), -1)
    model = KernelDiscriminantAnalysis(k, kernel=Linear(), reg=reg).fit(X, label)
    faces = model.dual_coef_[:, :k].T @ X  # coefficients sum to zero, so the mean cancels
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    return np.asarray(faces.reshape(-1, *pixels.shape[1:]))


def reconstructions(
    images: Images | DoubleArray,
    rows: Any,
    components: Sequence[int] = (5, 20, 80),
    *,
    kernel: Kernel | None = None,
) -> DoubleArray:
    """Reconstruct images from their first components.

    Parameters
    ----------
    images : Images or array-like of shape (n_images, height, width)
        Images; all of them determine the components.
    rows : array-like of int or bool, or slice
        Images to reconstruct.
    components : sequence of int, default=(5, 20, 80)
        Numbers of components, sorted ascending. More than n_images − 1 have no effect.
    kernel : Kernel, default=None
        Kernel of the components, for images scaled to a mean squared norm of 1. None is the linear kernel, whose
        reconstructions are projections onto eigenfaces. For other kernels the reconstruction is a pre-image, so the
        kernel must have a known derivative, see `mercer.decomposition.preimages`.

    Returns
    -------
    ndarray of shape (n_rows, len(components), height, width)
        Reconstructed images.

    See Also
    --------
    eigenfaces : Principal components of the pixels.
    mercer.decomposition.preimages : Pre-images of points of feature space.

    Examples
    --------
    The error of the reconstruction falls with the number of components:

    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import reconstructions
    >>> images = load_digits().images[:100]
    >>> made = reconstructions(images, [0], (1, 10, 40))
    >>> np.linalg.norm(made[0] - images[0], axis=(1, 2)).round(2)
    array([33.56, 13.4 ,  2.38])
    """
    from mercer.decomposition import KernelPCA, preimages

    who = "reconstructions"
    pixels = image_pixels(who, images)
    chosen = check_rows(who, rows, len(pixels))
    X = face_vectors(pixels, "none")
    scale = float(np.sqrt(np.vdot(pixels, pixels) / len(pixels)))
    counts = [min(k, len(X)) for k in check_components(who, components)]
    model = KernelPCA(max(counts), kernel=kernel or Linear()).fit(X)
    Z = model.transform(X[chosen])
    result = []
    for k in counts:
        coef = model.expand(np.where(np.arange(Z.shape[1]) < k, Z, 0.0))
        found = preimages("fixed_point", model.kernel_, X, coef, start=X[chosen], tol=_INVISIBLE)
        if not found.solution.converged:
            warn(f"{who}: pre-images with {k} components: {found.solution.status.advice}")
        result.append(found.values)
    return np.stack(result, axis=1).reshape(len(chosen), len(counts), *pixels.shape[1:]) * scale
