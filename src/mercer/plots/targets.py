"""Targets of displays: classes, shown by colour and marker, or numbers, shown by a colour scale."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import check_choice, describe
from mercer.data.frames import as_series
from mercer.plots.style import SEQUENTIAL, mark, plain, point_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

__all__ = ["Kind", "Targets", "named", "read_targets", "scatter"]

Kind = Literal["auto", "classes", "numbers"]
MOST_CLASSES = 40  # largest number of distinct integers that are taken as class labels


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets of samples: class indices with class names, or numbers.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Class indices, or numbers.
    classes : list of str or None
        Names of the classes; None for numbers.

    See Also
    --------
    read_targets : Creates targets from class labels or numbers.

    Examples
    --------
    >>> from mercer.plots import read_targets
    >>> targets = read_targets("example", ["b", "a", "b"], 3)
    >>> targets.classes, targets.values.tolist(), targets.order.tolist()
    (['a', 'b'], [1, 0, 1], [1, 0, 2])
    """

    values: DoubleArray | IndexArray
    classes: list[str] | None

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def present(self) -> list[int]:
        """Indices of the classes that have samples."""
        return [] if self.classes is None else np.unique(self.values).astype(int).tolist()

    @property
    def order(self) -> IndexArray:
        """Indices that sort the samples by class or number; the order is stable."""
        return np.argsort(self.values, kind="stable")


def read_targets(who: str, y: Any, n: int, kind: Kind = "auto", classes: Any = None) -> Targets | None:
    """Convert targets to the form that displays take.

    Parameters
    ----------
    who : str
        Name of the caller, for error messages.
    y : array-like of shape (n,) or None
        Class labels or numbers.
    n : int
        Number of samples.
    kind : {"auto", "classes", "numbers"}, default="auto"
        Meaning of y. "auto" means numbers if y is numeric and has values that are not integers, or more than 40
        distinct values. Otherwise y holds classes.
    classes : array-like, default=None
        All class labels, in the order of their indices. None means the sorted labels in y.

    Returns
    -------
    Targets or None
        Targets; None if y is None.

    Raises
    ------
    TypeError
        If numbers are requested but y is not numeric.
    ValueError
        If y has another length than n, is not finite, or has a label that is not in `classes`.

    See Also
    --------
    Targets : Result of this function.

    Examples
    --------
    >>> from mercer.plots import read_targets
    >>> read_targets("f", ["b", "a", "b"], 3).classes
    ['a', 'b']
    >>> read_targets("f", [0.5, 2.0], 2)
    Targets(values=array([0.5, 2. ]), classes=None)
    """
    check_choice(who, "target", kind, Kind)
    if y is None:
        return None
    series = as_series(y)
    array = np.asarray(y if series is None else series.to_numpy())
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (n,):
        raise ValueError(f"{who}: got y = {describe(array)}, expected one target for each of {n} samples.")
    numeric = array.dtype.kind in "fiu"
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{who}: y contains NaN or infinity; drop these samples, or give them a class label.")
    if kind == "numbers" and not numeric:
        raise TypeError(f"{who}: got y of dtype {array.dtype}, but target='numbers' needs a numeric y.")
    if kind == "numbers" or (kind == "auto" and classes is None and numeric and not _are_labels(array)):
        return Targets(array.astype(np.float64), None)
    if classes is None:
        classes = np.unique(array if array.dtype.kind != "O" else array.astype(str))
    found = {_name(c): i for i, c in enumerate(classes)}
    try:
        codes = np.array([found[_name(label)] for label in array.tolist()], dtype=np.int64)
    except KeyError as error:
        raise ValueError(f"{who}: y has the label {error}, which is not one of the classes {list(found)}.") from None
    return Targets(codes, list(found))


def _are_labels(array: Any) -> bool:
    return bool((array == np.round(array)).all()) and len(np.unique(array)) <= MOST_CLASSES


def _name(label: Any) -> str:
    value = label.item() if hasattr(label, "item") else label
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def scatter(
    ax: "Axes", x: DoubleArray, y: DoubleArray, targets: Targets | None, **style: Any
) -> "list[PathCollection]":
    """Draw points by class or number: one collection for each class with samples, or one for all."""
    style = {"s": point_size(len(x)), "linewidths": 0.4, "edgecolors": "white", "zorder": 3, **style}
    if targets is None:
        return [ax.scatter(x, y, **{"color": mark(0)[0], **style})]
    if targets.classes is None:
        return [ax.scatter(x, y, **{"c": targets.values, "cmap": SEQUENTIAL, **style})]
    points = []
    for i in targets.present:
        chosen, (colour, marker) = targets.values == i, mark(i)
        points.append(ax.scatter(x[chosen], y[chosen], **{"color": colour, "marker": marker, **style}))
    return points


def named(targets: Targets | None) -> tuple[list[Any], list[str]]:
    """Legend handles and names of the classes that have samples."""
    if targets is None or targets.classes is None:
        return [], []
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=mark(i)[0], marker=mark(i)[1], linestyle="none") for i in targets.present]
    return handles, [plain(targets.classes[i]) for i in targets.present]
