"""What the methods see, as images: means, components, directions, reconstructions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mercer._estimator import warn
from mercer._typing import DoubleArray, IndexArray
from mercer._validation import check_integer, check_rows
from mercer._words import one_word
from mercer.datasets import Images
from mercer.faces.face_table import FaceRow
from mercer.faces.leave_one_out import check_components, check_labels
from mercer.faces.vectors import face_vectors, image_pixels
from mercer.kernels import Kernel, Linear, Polynomial

__all__ = ["Picture", "eigenfaces", "fisherfaces", "mean_faces", "mistakes", "pictures", "reconstructions"]

_PERSONS = 4  # whose images are reconstructed
_WIDEST = 8  # images beside each other
_INVISIBLE = 1e-5  # difference of greys, relative to the largest


class Picture(NamedTuple):
    """Images for `mercer.plots.ImageGridDisplay`.

    Attributes
    ----------
    images : array of shape (n, height, width)
    titles : list of n str
    columns : int
        Images beside each other.
    shared : bool
        Whether all images have one scale of greys.
    """

    images: DoubleArray
    titles: list[str]
    columns: int
    shared: bool = True

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Draw; returns the display."""
        from mercer.plots import ImageGridDisplay

        options = {"columns": self.columns, "shared": self.shared, **style}
        return ImageGridDisplay(self.images, titles=self.titles).plot(ax, **options)


def mean_faces(images: Images | DoubleArray, labels: Any = None) -> DoubleArray:
    """The mean of all images, and with labels of those of each person, in the order in which persons come.

    Shape (1 or 1 + persons, height, width).
    """
    pixels = image_pixels("mean_faces", images)
    if labels is None:
        return np.asarray(pixels.mean(axis=0, keepdims=True))
    label, _ = check_labels("mean_faces", labels, len(pixels))
    persons = dict.fromkeys(label.tolist())
    return np.stack([pixels.mean(axis=0), *(pixels[label == person].mean(axis=0) for person in persons)])


@one_word
def eigenfaces(images: Images | DoubleArray, n_components: int = 12) -> tuple[DoubleArray, DoubleArray]:
    """Principal components of pixels as images of norm 1, (k, height, width), and their shares of the variance, (k,).

    There are fewer than `n_components` if the images span less.

    Examples
    --------
    Images are the mean and a combination of eigenfaces:

    >>> import numpy as np
    >>> pixels = np.random.default_rng(0).uniform(size=(6, 4, 3))
    >>> faces, shares = eigenfaces(pixels, 12)
    >>> mean = pixels.mean(axis=0)
    >>> weights = np.tensordot(pixels - mean, faces, axes=([1, 2], [1, 2]))
    >>> len(faces), bool(np.allclose(np.tensordot(weights, faces, axes=1) + mean, pixels))
    (5, True)
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
    """Linear discriminant directions as images of norm 1, (k, height, width), the best separating first.

    Parameters
    ----------
    images : Images, or array of shape (n, height, width)
    labels : array-like of n labels
    n_components : int
        At most one less than there are persons are returned.
    reg : float
        As of `Fisherface`.
    """
    from mercer.discriminant import KernelDiscriminantAnalysis

    pixels = image_pixels("fisherfaces", images)
    label, n_persons = check_labels("fisherfaces", labels, len(pixels))
    k = min(check_integer("fisherfaces", "n_components", n_components, low=1), n_persons - 1)
    X = pixels.reshape(len(pixels), -1)
    model = KernelDiscriminantAnalysis(k, kernel=Linear(), reg=reg).fit(X, label)
    faces = model.dual_coef_[:, :k].T @ X  # coefficients sum to zero: the mean drops out
    faces /= np.linalg.norm(faces, axis=1, keepdims=True)
    return np.asarray(faces.reshape(-1, *pixels.shape[1:]))


def reconstructions(
    images: Images | DoubleArray,
    rows: Any,
    components: Sequence[int] = (5, 20, 80),
    *,
    kernel: Kernel | None = None,
) -> DoubleArray:
    """Images from their coordinates in a reduced space, (rows, components, height, width).

    Parameters
    ----------
    images : Images, or array of shape (n, height, width)
        All take part in the components.
    rows : integers, mask or slice
        Which to reconstruct.
    components : sequence of int
        With how many, ascending; more than n − 1 change nothing.
    kernel : Kernel, optional
        Of `KernelEigenface`, for images whose mean squared norm is 1. None: the linear one, which gives projections on
        eigenfaces; of others, the image whose features are nearest to the projection (a pre-image, see
        `mercer.decomposition.preimages`), so the kernel needs a derivative.
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


@one_word
def mistakes(images: Images, found: FaceRow, *, max_samples: int = 12) -> Picture:
    """Images that a method takes for someone else, each beside its nearest image; at most `max_samples` pairs."""
    pixels = image_pixels("mistakes", images)
    labels = np.asarray(images.labels)
    wrong = np.flatnonzero(labels[found.nearest] != labels)[:max_samples]
    if not len(wrong):
        raise ValueError(f"mistakes: {found.method.name} made none; there is nothing to draw.")
    pairs = np.column_stack([wrong, found.nearest[wrong]]).ravel()
    titles = [("" if i % 2 == 0 else "taken for ") + images.names[row] for i, row in enumerate(pairs)]
    return Picture(pixels[pairs], titles, _WIDEST)


@one_word
def pictures(
    images: Images,
    *,
    n_components: int = 12,
    rows: Any = None,
    components: Sequence[int] = (5, 20, 80),
    kernel: Kernel | None = None,
    reg: float = 0.1,
) -> dict[str, Picture]:
    """All pictures, by name.

    Parameters
    ----------
    images : Images
    n_components : int
        Eigenfaces and Fisherfaces.
    rows : integers, mask or slice, optional
        Images to reconstruct; None: one of each of four persons.
    components : sequence of int
        With how many.
    kernel : Kernel, optional
        Of the kernel reconstructions; None: the polynomial of degree 2.
    reg : float
        Of the Fisherfaces.

    Returns
    -------
    dict of Picture
        "mean faces", "eigenfaces", "reconstructions", "kernel reconstructions", and where there are labels of several
        persons "Fisherfaces". Each has `images`, `titles` and `columns` for `mercer.plots.ImageGridDisplay`, and draws
        itself with `plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.datasets import Images
    >>> digits = load_digits()
    >>> images = Images(digits.images[:100] / 16, digits.target[:100], tuple(map(str, range(100))))
    >>> found = pictures(images, n_components=6)
    >>> list(found), found["eigenfaces"].images.shape
    (['mean faces', 'eigenfaces', 'reconstructions', 'kernel reconstructions', 'Fisherfaces'], (6, 8, 8))
    """
    pixels = image_pixels("pictures", images)
    persons = [] if images.labels is None else list(dict.fromkeys(images.labels.tolist()))
    several = len(persons) > 1
    shown = _examples(images, persons) if rows is None else check_rows("pictures", rows, len(pixels))
    means = mean_faces(images, images.labels if several else None)[:_WIDEST]
    faces, shares = eigenfaces(images, n_components)
    found = {
        "mean faces": Picture(means, [f"all {len(pixels)}", *map(str, persons)][: len(means)], _WIDEST),
        "eigenfaces": Picture(faces, [f"{i + 1}: {share:.1%}" for i, share in enumerate(shares)], 6, False),
        "reconstructions": _reconstructed(images, shown, components, Linear()),
        "kernel reconstructions": _reconstructed(images, shown, components, kernel or Polynomial(degree=2)),
    }
    if several:
        directions = fisherfaces(images, images.labels, n_components, reg=reg)
        found["Fisherfaces"] = Picture(directions, [str(i + 1) for i in range(len(directions))], 6, False)
    return found


def _examples(images: Images, persons: list[Any]) -> IndexArray:
    """The first image of some persons, as far apart in the list as can be; or some images."""
    if images.labels is None:
        return np.linspace(0, len(images) - 1, min(_PERSONS, len(images))).astype(np.int64)
    some = [persons[i] for i in np.linspace(0, len(persons) - 1, min(_PERSONS, len(persons))).astype(int)]
    return np.array([int(np.flatnonzero(images.labels == person)[0]) for person in some])


def _reconstructed(images: Images, rows: IndexArray, components: Sequence[int], kernel: Kernel) -> Picture:
    """Each image, then what numbers of components make of it, cut to the greys that there are."""
    counts = sorted({min(k, max(1, len(images) - 1)) for k in check_components("pictures", components)})
    made = reconstructions(images, rows, counts, kernel=kernel)
    made = made.clip(images.pixels.min(), images.pixels.max())
    grid = np.concatenate([images.pixels[rows][:, None], made], axis=1)
    titles = [title for i in rows for title in (images.names[i], *(f"k = {k}" for k in counts))]
    one = 1 + len(counts)
    return Picture(grid.reshape(-1, *images.shape), titles, one * max(1, _WIDEST // one))
