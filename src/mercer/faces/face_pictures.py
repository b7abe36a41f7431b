"""Pictures for reports: images with titles, of the reduced spaces and of mistakes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import check_rows
from mercer._words import one_word
from mercer.datasets import Images
from mercer.faces.face_table import FaceRow
from mercer.faces.leave_one_out import check_components
from mercer.faces.space_images import eigenfaces, fisherfaces, mean_faces, reconstructions
from mercer.faces.vectors import image_pixels
from mercer.kernels import Kernel, Linear, Polynomial

__all__ = ["Picture", "mistakes", "pictures"]

_PERSONS = 4  # number of persons whose images are reconstructed
_WIDEST = 8  # images in a row


class Picture(NamedTuple):
    """Images with titles, ready to be plotted by `mercer.plots.ImageGridDisplay`.

    Parameters
    ----------
    images : ndarray of shape (n_images, height, width)
        Images.
    titles : list of str
        One title per image.
    columns : int
        Number of images in a row.
    shared : bool, default=True
        Whether all images share one grey scale.

    See Also
    --------
    pictures : All pictures of a collection.
    mercer.plots.ImageGridDisplay : The plot.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.faces import Picture
    >>> picture = Picture(np.zeros((2, 4, 3)), ["left", "right"], columns=2)
    >>> picture.images.shape, picture.titles
    ((2, 4, 3), ['left', 'right'])
    """

    images: DoubleArray
    titles: list[str]
    columns: int
    shared: bool = True

    def plot(self, ax: Any = None, **style: Any) -> Any:
        """Plot the images.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Axes to draw into; None creates a figure.
        **style : dict
            Options of `mercer.plots.ImageGridDisplay.plot`. They take precedence over `columns` and `shared`.

        Returns
        -------
        mercer.plots.ImageGridDisplay
            The display.
        """
        from mercer.plots import ImageGridDisplay

        options = {"columns": self.columns, "shared": self.shared, **style}
        return ImageGridDisplay(self.images, titles=self.titles).plot(ax, **options)


@one_word
def mistakes(images: Images, found: FaceRow, *, max_samples: int = 12) -> Picture:
    """Collect the images that a method misclassifies, each next to its nearest image.

    Parameters
    ----------
    images : Images
        Images with labels.
    found : FaceRow
        Result of the method, a row of `table`.
    max_samples : int, default=12
        Maximum number of pairs.

    Returns
    -------
    Picture
        Pairs of a misclassified image and its nearest image.

    Raises
    ------
    ValueError
        If the method misclassifies no image.

    See Also
    --------
    table : The errors of all methods.
    pictures : All pictures of a collection.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.datasets import Images
    >>> from mercer.faces import Eigenface, mistakes, table
    >>> digits = load_digits()
    >>> images = Images(digits.images[:100] / 16, digits.target[:100], tuple(map(str, range(100))))
    >>> row = table(images, methods=[Eigenface()], components=[3])["Eigenface"]
    >>> row.best_errors, mistakes(images, row, max_samples=2).titles
    (24, ['3', 'taken for 31', '5', 'taken for 3'])
    """
    pixels = image_pixels("mistakes", images)
    labels = np.asarray(images.labels)
    wrong = np.flatnonzero(labels[found.nearest] != labels)[:max_samples]
    if not len(wrong):
        raise ValueError(f"mistakes: {found.method.name} classifies all images correctly; there is nothing to plot.")
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
    """Compute all pictures of a collection of faces.

    Parameters
    ----------
    images : Images
        Images, with or without labels.
    n_components : int, default=12
        Number of eigenfaces and of Fisherfaces.
    rows : array-like of int or bool, or slice, default=None
        Images to reconstruct; None selects one image of each of four persons.
    components : sequence of int, default=(5, 20, 80)
        Numbers of components of the reconstructions.
    kernel : Kernel, default=None
        Kernel of the kernel reconstructions; None is the polynomial kernel of degree 2.
    reg : float, default=0.1
        Penalty of the Fisherfaces, see `Fisherface`.

    Returns
    -------
    dict of str to Picture
        "mean faces", "eigenfaces", "reconstructions", "kernel reconstructions", and "Fisherfaces" if there are labels
        of several persons.

    See Also
    --------
    mean_faces : Mean of all images and of each person.
    eigenfaces : Principal components.
    fisherfaces : Discriminant directions.
    reconstructions : Images from their first components.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.datasets import Images
    >>> from mercer.faces import pictures
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
    """Return the first image of some persons spread over the collection, or some images without labels."""
    if images.labels is None:
        return np.linspace(0, len(images) - 1, min(_PERSONS, len(images))).astype(np.int64)
    some = [persons[i] for i in np.linspace(0, len(persons) - 1, min(_PERSONS, len(persons))).astype(int)]
    return np.array([int(np.flatnonzero(images.labels == person)[0]) for person in some])


def _reconstructed(images: Images, rows: IndexArray, components: Sequence[int], kernel: Kernel) -> Picture:
    """Return each image followed by its reconstructions, clipped to the range of the pixels."""
    counts = sorted({min(k, max(1, len(images) - 1)) for k in check_components("pictures", components)})
    made = reconstructions(images, rows, counts, kernel=kernel)
    made = made.clip(images.pixels.min(), images.pixels.max())
    grid = np.concatenate([images.pixels[rows][:, None], made], axis=1)
    titles = [title for i in rows for title in (images.names[i], *(f"k = {k}" for k in counts))]
    one = 1 + len(counts)
    return Picture(grid.reshape(-1, *images.shape), titles, one * max(1, _WIDEST // one))
