"""Grids of grey images."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import check_integer, describe
from mercer.plots.figure import balanced, panels
from mercer.plots.style import is_signed, letters, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ImageGridDisplay"]

MOST = 200


class ImageGridDisplay:
    """Grid of grey images with titles: samples, reconstructions, eigenfaces.

    All images share one grey scale, so that they can be compared. If there are negative values, the scale is symmetric
    and zero is medium grey.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Images, at most 200.
    titles : sequence of str, default=None
        Title of each image.

    Attributes
    ----------
    images_ : list of AxesImage
        Image of each panel.
    axes_ : list of Axes
        Axes of each panel.
    ax_ : Axes
        First axes.
    figure_ : Figure
        Figure of the plot.

    See Also
    --------
    mercer.faces.pictures : Mean faces, eigenfaces and reconstructions.
    EmbeddingDisplay : Scatter plot of an embedding.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.plots import ImageGridDisplay, blank
    >>> rows = np.arange(-6.0, 18.0).reshape(2, 12)
    >>> display = ImageGridDisplay.from_vectors(rows, (3, 4), titles=["first", "second"], ax=blank()[1])
    >>> display.images_[1].get_array().shape, display.images_[0].get_clim()
    ((3, 4), (-17.0, 17.0))
    """

    def __init__(self, images: Any, *, titles: Sequence[Any] | None = None) -> None:
        who = type(self).__name__
        self.images: DoubleArray = np.asarray(images, dtype=np.float64)
        if self.images.ndim != 3 or not self.images.size:
            raise ValueError(
                f"{who}: images must have shape (n, height, width), got {describe(self.images)}; for rows of pixels "
                "use from_vectors(rows, (height, width))."
            )
        if len(self.images) > MOST:
            raise ValueError(f"{who}: got {len(self.images)} images, expected at most {MOST}; pass a subset.")
        if not np.isfinite(self.images).all():
            raise ValueError(f"{who}: images contain NaN or infinity, expected finite pixels; replace them.")
        if titles is not None and len(titles) != len(self.images):
            raise ValueError(f"{who}: got {len(titles)} titles, expected one for each of {len(self.images)} images.")
        self.titles = titles

    @classmethod
    def from_images(cls, images: Any, *, titles: Sequence[Any] | None = None, ax: Any = None, **style: Any) -> Self:
        """Draw images.

        Parameters
        ----------
        images : array-like of shape (n_images, height, width)
            Images, at most 200.
        titles : sequence of str, default=None
            Title of each image.
        ax : Axes or sequence of Axes, default=None
            Axes to divide into panels, or axes of each image. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        ImageGridDisplay
            The display.
        """
        return cls(images, titles=titles).plot(ax, **style)

    @classmethod
    def from_vectors(
        cls, rows: Any, shape: tuple[int, int], *, titles: Sequence[Any] | None = None, ax: Any = None, **style: Any
    ) -> Self:
        """Draw images given as rows of pixels.

        Parameters
        ----------
        rows : array-like of shape (n_images, height * width)
            Images, one in each row.
        shape : tuple of int
            Height and width of the images.
        titles : sequence of str, default=None
            Title of each image.
        ax : Axes or sequence of Axes, default=None
            Axes to divide into panels, or axes of each image. None creates a new figure.
        **style : dict
            Keyword arguments of `plot`.

        Returns
        -------
        ImageGridDisplay
            The display.
        """
        rows = np.asarray(rows)
        if rows.ndim != 2 or rows.shape[1] != shape[0] * shape[1]:
            raise ValueError(
                f"{cls.__name__}: got {describe(rows)}, expected rows of {shape[0] * shape[1]} numbers for images of "
                f"{shape[0]} x {shape[1]} pixels."
            )
        return cls(rows.reshape(len(rows), *shape), titles=titles).plot(ax, **style)

    def plot(self, ax: Any = None, *, columns: int | None = None, shared: bool = True, **style: Any) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes or sequence of Axes, default=None
            Axes to divide into panels, or axes of each image. None creates a new figure.
        columns : int, default=None
            Number of images in a row. None chooses at most 8.
        shared : bool, default=True
            Whether all images share one grey scale.
        **style : dict
            Keyword arguments of ``ax.imshow``, such as ``cmap`` or ``interpolation``.

        Returns
        -------
        ImageGridDisplay
            The display itself.
        """
        n, height, width = self.images.shape
        columns = check_integer(type(self).__name__, "columns", balanced(n, 8) if columns is None else columns, low=1)
        titled = 0.0 if self.titles is None else 0.35
        size = (1.4, float(np.clip(1.3 * height / width, 0.5, 4.0)) + titled)
        self.axes_: list[Axes] = panels(self, ax, n, min(columns, n), size)
        self.images_ = []
        for i, (panel, image) in enumerate(zip(self.axes_, self.images, strict=True)):
            low, high = _limits(self.images if shared else image)
            look = {"cmap": "gray", "vmin": low, "vmax": high, **style}
            self.images_.append(panel.imshow(image, **look))
            panel.set_axis_off()
            if self.titles is not None:
                panel.set_title(wrapped(self.titles[i], letters(panel, 8.3)), fontsize="small")
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        return self


def _limits(values: DoubleArray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if is_signed(values):
        high = max(-low, high)
        low = -high
    return low, high if high > low else low + 1.0
