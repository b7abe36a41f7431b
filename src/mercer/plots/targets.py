"""Targets as displays show them: classes by colour and marker, numbers by a colour scale."""

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
MOST_CLASSES = 40  # of integers that may be labels


@dataclass(frozen=True, eq=False)
class Targets:
    """Classes and the number of each sample's, or numbers; `classes` is None for numbers."""

    values: DoubleArray | IndexArray
    classes: list[str] | None

    @property
    def n_classes(self) -> int:
        """How many classes there are; 0 for numbers."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def present(self) -> list[int]:
        """Numbers of the classes that have samples."""
        return [] if self.classes is None else np.unique(self.values).astype(int).tolist()

    @property
    def order(self) -> IndexArray:
        """Samples by class or by number, equal ones in their order."""
        return np.argsort(self.values, kind="stable")


def read_targets(who: str, y: Any, n: int, kind: Kind = "auto", classes: Any = None) -> Targets | None:
    """Targets of n samples; None stays None.

    "auto": numbers are numbers if one of them is no integer, or if there are more than 40 of them; all else are
    classes, in the order of `classes` or sorted.

    >>> read_targets("f", ["b", "a", "b"], 3).classes, read_targets("f", [0.5, 2.0], 2).classes
    (['a', 'b'], None)
    """
    check_choice(who, "target", kind, Kind)
    if y is None:
        return None
    series = as_series(y)
    array = np.asarray(y if series is None else series.to_numpy())
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (n,):
        raise ValueError(f"{who}: y must have one target for each of {n} samples, got {describe(array)}.")
    numeric = array.dtype.kind in "fiu"
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{who}: y contains NaN or infinity; drop those samples, or name them as a class.")
    if kind == "numbers" and not numeric:
        raise TypeError(f"{who}: target='numbers' needs numbers, got y of dtype {array.dtype}.")
    if kind == "numbers" or (kind == "auto" and classes is None and numeric and not _are_labels(array)):
        return Targets(array.astype(np.float64), None)
    if classes is None:
        classes = np.unique(array if array.dtype.kind != "O" else array.astype(str))
    found = {_name(c): i for i, c in enumerate(classes)}
    try:
        codes = np.array([found[_name(label)] for label in array.tolist()], dtype=np.int64)
    except KeyError as error:
        raise ValueError(f"{who}: y has the label {error}, which is not among the classes {list(found)}.") from None
    return Targets(codes, list(found))


def _are_labels(array: Any) -> bool:
    return bool((array == np.round(array)).all()) and len(np.unique(array)) <= MOST_CLASSES


def _name(label: Any) -> str:
    value = label.item() if hasattr(label, "item") else label
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def scatter(
    ax: "Axes", x: DoubleArray, y: DoubleArray, targets: Targets | None, **style: Any
) -> "list[PathCollection]":
    """Points by class or number: a collection for each class that has samples, or one."""
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
    """Markers and names of the classes that have samples, for a legend."""
    if targets is None or targets.classes is None:
        return [], []
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=mark(i)[0], marker=mark(i)[1], linestyle="none") for i in targets.present]
    return handles, [plain(targets.classes[i]) for i in targets.present]
