"""Collections of faces: folders of images, the Yale faces in a MATLAB file, the Olivetti faces of scikit-learn."""

import math
import os
import pathlib
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.datasets.images import SUFFIXES, Images, read_images
from mercer.datasets.input_files import listed, refuse

__all__ = ["ORL_SHAPE", "olivetti", "read"]

ORL_SHAPE = (112, 92)
_COLLECTIONS = {(40, 10): "ORL", (15, 11): "Yale"}  # persons, images of each


def read(source: str | os.PathLike[str], *, shape: tuple[int, int] | None = None) -> Images:
    """Read faces.

    Parameters
    ----------
    source : path
        A folder with a folder of images for each person (the ORL faces: s1/1.pgm … s40/10.pgm); a folder of images,
        which then have no labels; or a MATLAB file, or a folder with one, that holds images as rows `fea`, columns of
        pixels first, and persons `gnd` (the Yale faces as Deng Cai published them).
    shape : (height, width), optional
        To resize images of a folder to; of a MATLAB file, the size of its images if they are not square.

    Returns
    -------
    Images
        Its `source` is "ORL" or "Yale" if persons and numbers of images are theirs (40 × 10, with folders named s1 …
        s40 or in a MATLAB file; 15 × 11 in a MATLAB file), else "".
    """
    path = pathlib.Path(source)
    if path.is_dir():
        inside = sorted(path.iterdir())
        matrices = [file for file in inside if file.suffix.lower() == ".mat"]
        if not matrices or any(file.is_dir() or file.suffix.lower() in SUFFIXES for file in inside):
            return _named(read_images(path, shape=shape))
        if len(matrices) > 1:
            raise refuse(path, f"has several MATLAB files ({listed(file.name for file in matrices)}); read one of them")
        path = matrices[0]
    if not path.exists():
        raise FileNotFoundError(f"mercer.faces.read: there is no file or folder {os.fspath(path)!r}.")
    if path.suffix.lower() != ".mat":
        raise refuse(path, "expected a folder of images, or a MATLAB file that ends with .mat")
    return _read_matlab(path, shape)


def olivetti(**options: Any) -> Images:
    """The Olivetti faces of scikit-learn: the persons of ORL, 64 × 64 pixels, cropped otherwise.

    Parameters
    ----------
    **options
        Of `sklearn.datasets.fetch_olivetti_faces`: `data_home`, `download_if_missing`, … The first call fetches 4 MB
        from the network.
    """
    from sklearn.datasets import fetch_olivetti_faces

    try:
        found = fetch_olivetti_faces(**options)
    except OSError as error:
        raise OSError(
            f"olivetti: scikit-learn could neither find nor fetch the faces ({error}); go online for the first call, "
            "or read images from a folder with mercer.faces.read."
        ) from error
    labels = np.asarray(found.target)
    return Images(np.asarray(found.images, dtype=np.float64), labels, _numbered(labels.tolist()), source="Olivetti")


def _named(images: Images) -> Images:
    """With its source, if it is ORL as it is distributed."""
    folders = None if images.labels is None else set(images.labels.tolist())
    known = folders == {f"s{i}" for i in range(1, 41)} and _collection(images) == "ORL"
    return replace(images, source="ORL") if known else images


def _collection(images: Images) -> str:
    sizes = Counter([] if images.labels is None else images.labels.tolist()).values()
    return _COLLECTIONS.get((len(sizes), min(sizes)), "") if len(set(sizes)) == 1 else ""


def _read_matlab(path: pathlib.Path, shape: tuple[int, int] | None) -> Images:
    from scipy.io import loadmat

    try:
        found = loadmat(path, appendmat=False)
    except Exception as error:  # of many kinds, if the file only pretends
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise refuse(path, f"cannot be read as a MATLAB file before version 7.3 ({error})") from None
    if not {"fea", "gnd"} <= found.keys():
        given = listed(name for name in found if not name.startswith("__"))
        raise refuse(path, f"expected the variables fea (images as rows) and gnd (persons), got {given or 'none'}")
    rows, labels = np.asarray(found["fea"]), np.asarray(found["gnd"]).ravel()
    if rows.ndim != 2 or rows.dtype.kind not in "uif" or len(rows) != len(labels):
        raise refuse(
            path, f"expected numbers fea (n, pixels) and n labels gnd, got shapes {rows.shape}, {labels.shape}"
        )
    n, d = rows.shape
    height, width = shape or (math.isqrt(d), math.isqrt(d))
    if height * width != d:
        raise refuse(path, f"images of {d} pixels are not {height} x {width}; pass shape=(height, width)")
    # MATLAB stores columns first.
    pixels = _unit(path, rows.astype(np.float64)).reshape(n, width, height).transpose(0, 2, 1)
    images = Images(np.ascontiguousarray(pixels), labels, _numbered(labels.tolist()))
    return replace(images, source=_collection(images))


def _numbered(labels: list[Any]) -> tuple[str, ...]:
    """Names for images that have none: the person, and which of their images it is.

    >>> _numbered(["ann", "bob", "ann"])
    ('ann/1', 'bob/1', 'ann/2')
    """
    seen: Counter[Any] = Counter()
    names = []
    for label in labels:
        seen[label] += 1
        names.append(f"{label}/{seen[label]}")
    return tuple(names)


def _unit(path: pathlib.Path, values: DoubleArray) -> DoubleArray:
    """Values between 0 and 1, from those or from 0 to 255."""
    low, high = float(values.min()), float(values.max())
    if not (low >= 0 and high <= 255):
        raise refuse(path, f"has pixels from {low:g} to {high:g}, expected 0 to 1 or 0 to 255")
    return values / 255 if high > 1 else values
