"""Data sets stored as folders: graphs in the TU Dortmund format, and images."""

import pathlib

from mercer.data import Graphs
from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import refuse

__all__ = ["holds_graphs", "holds_images", "read_image_folder", "read_tu_folder"]

_ARCS = ("_A.txt", "_A.txt.gz")


def holds_graphs(folder: pathlib.Path) -> bool:
    """Whether a folder contains a file NAME_A.txt."""
    return any(file.name.endswith(_ARCS) for file in folder.iterdir())


def holds_images(folder: pathlib.Path) -> bool:
    """Whether a folder, or a direct subfolder, contains images."""
    from mercer.datasets.images import SUFFIXES

    return any(file.suffix.lower() in SUFFIXES for place in ("*", "*/*") for file in folder.glob(place))


def read_tu_folder(folder: pathlib.Path) -> Dataset:
    """Read graphs with their classes or regression targets."""
    names = sorted(
        {file.name.removesuffix(".gz").removesuffix("_A.txt") for end in _ARCS for file in folder.glob(f"*{end}")}
    )
    if len(names) > 1:
        raise refuse(
            folder, f"holds several data sets ({', '.join(names)}), expected one; move each to a folder of its own"
        )
    graphs, y = Graphs.read_tu(folder)
    if y is None:
        return Dataset(folder.resolve().name, graphs, notes=("The graphs have no labels.",))
    whole = y.dtype.kind == "i" and y.ndim == 1
    return Dataset(folder.resolve().name, graphs, y, "class" if whole else "target")


def read_image_folder(folder: pathlib.Path) -> Dataset:
    """Read images of equal size as rows of pixels; subfolders are the classes."""
    from mercer.datasets.images import read_images

    images = read_images(folder)
    height, width = images.shape
    pixels = images.pixels.reshape(len(images), height * width)
    target = None if images.labels is None else "class"
    return Dataset(folder.resolve().name, pixels, images.labels, target, images.notes, images.shape, images.names)
