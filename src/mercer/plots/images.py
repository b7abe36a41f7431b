"""Grey images side by side."""

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
    """A grid of grey images with titles: samples, reconstructions, eigenfaces.

    All share one scale, so that they can be compared. Where there are negative values it is symmetric, and zero is the
    middle grey.

    Parameters
    ----------
    images : array of shape (n, height, width)
        At most 200.
    titles : sequence of str, optional
        One for each.

    Attributes
    ----------
    images_ : list
        One for each panel.
    axes_ : list of Axes
        The panels.
    ax_, figure_
        The first axes, and the figure.

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
            raise ValueError(f"{who}: draws at most {MOST} images, got {len(self.images)}; pass some of them.")
        if not np.isfinite(self.images).all():
            raise ValueError(f"{who}: images contain NaN or infinity.")
        if titles is not None and len(titles) != len(self.images):
            raise ValueError(f"{who}: {len(self.images)} images need as many titles, got {len(titles)}.")
        self.titles = titles

    @classmethod
    def from_images(cls, images: Any, *, titles: Sequence[Any] | None = None, ax: Any = None, **style: Any) -> Self:
        """Images of shape (n, height, width); style as in `plot`."""
        return cls(images, titles=titles).plot(ax, **style)

    @classmethod
    def from_vectors(
        cls, rows: Any, shape: tuple[int, int], *, titles: Sequence[Any] | None = None, ax: Any = None, **style: Any
    ) -> Self:
        """Images as rows of pixels, (n, height · width), of the shape (height, width)."""
        rows = np.asarray(rows)
        if rows.ndim != 2 or rows.shape[1] != shape[0] * shape[1]:
            raise ValueError(
                f"{cls.__name__}: images of {shape[0]} x {shape[1]} pixels are rows of {shape[0] * shape[1]} numbers, "
                f"got {describe(rows)}."
            )
        return cls(rows.reshape(len(rows), *shape), titles=titles).plot(ax, **style)

    def plot(self, ax: Any = None, *, columns: int | None = None, shared: bool = True, **style: Any) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, sequence of Axes, or None
            A place for all images, one for each, or a new figure.
        columns : int, optional
            Images beside each other; if not given, at most 8, and as many rows as needed.
        shared : bool
            Whether all images have one scale; else each its own.
        **style
            For ``ax.imshow``: `cmap`, `interpolation`, ...
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
