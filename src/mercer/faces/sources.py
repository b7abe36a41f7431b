"""Collections of faces: folders of images, MATLAB files, scikit-learn's Olivetti faces."""

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
_COLLECTIONS = {(40, 10): "ORL", (15, 11): "Yale"}  # number of persons, images per person


def read(source: str | os.PathLike[str], *, shape: tuple[int, int] | None = None) -> Images:
    """Read a collection of faces from a folder or a MATLAB file.

    Parameters
    ----------
    source : str or path
        One of: a folder with one subfolder of images per person (the ORL faces: s1/1.pgm … s40/10.pgm); a folder of
        images, which then have no labels; a MATLAB file, or a folder that contains one, with the images as rows `fea`,
        pixels stored column by column, and the persons `gnd` (the Yale faces as published by Deng Cai).
    shape : tuple of (int, int), default=None
        Height and width. Images of a folder are resized to it. For a MATLAB file it is the size of the images, needed
        if they are not square.

    Returns
    -------
    mercer.datasets.Images
        Images. The attribute ``source`` is "ORL" or "Yale" if the numbers of persons and images match (40 × 10 in
        folders s1 … s40 or a MATLAB file; 15 × 11 in a MATLAB file), else "".

    Raises
    ------
    FileNotFoundError
        If there is no such file or folder.
    ValueError
        If the file or folder does not contain faces in one of these forms.

    See Also
    --------
    olivetti : Faces that scikit-learn downloads.
    mercer.datasets.read_images : Images of a folder.

    Examples
    --------
    >>> import pathlib
    >>> import tempfile
    >>> import numpy as np
    >>> from scipy.io import savemat
    >>> from mercer.faces import read
    >>> pixels = np.random.default_rng(0).uniform(size=(6, 16))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "faces.mat")
    ...     savemat(path, {"fea": pixels, "gnd": [1, 1, 2, 2, 3, 3]})
    ...     images = read(path)
    >>> print(images)
    6 images of 3 classes, 4 x 4 pixels (height x width)
    """
    path = pathlib.Path(source)
    if path.is_dir():
        inside = sorted(path.iterdir())
        matrices = [file for file in inside if file.suffix.lower() == ".mat"]
        if not matrices or any(file.is_dir() or file.suffix.lower() in SUFFIXES for file in inside):
            return _named(read_images(path, shape=shape))
        if len(matrices) > 1:
            raise refuse(
                path, f"contains several MATLAB files ({listed(file.name for file in matrices)}); pass one of them"
            )
        path = matrices[0]
    if not path.exists():
        raise FileNotFoundError(f"mercer.faces.read: there is no file or folder {os.fspath(path)!r}.")
    if path.suffix.lower() != ".mat":
        raise refuse(path, "expected a folder of images or a MATLAB file with the suffix .mat")
    return _read_matlab(path, shape)


def olivetti(**options: Any) -> Images:
    """Load the Olivetti faces of scikit-learn: the persons of ORL in another crop, 64 × 64 pixels.

    Parameters
    ----------
    **options : dict
        Options of `sklearn.datasets.fetch_olivetti_faces`, such as `data_home` and `download_if_missing`. The first
        call downloads 4 MB.

    Returns
    -------
    mercer.datasets.Images
        400 images of 40 persons, with ``source="Olivetti"``.

    Raises
    ------
    OSError
        If the faces are neither on disk nor can be downloaded.

    See Also
    --------
    read : Faces of a folder or MATLAB file.

    Examples
    --------
    >>> from mercer.faces import olivetti
    >>> print(olivetti())  # doctest: +SKIP
    400 images of 40 classes, 64 x 64 pixels (height x width)
    """
    from sklearn.datasets import fetch_olivetti_faces

    try:
        found = fetch_olivetti_faces(**options)
    except OSError as error:
        raise OSError(
            f"olivetti: scikit-learn could neither find nor fetch the faces ({error}); connect to the network for the "
            "first call, or read images from a folder with mercer.faces.read."
        ) from error
    labels = np.asarray(found.target)
    return Images(np.asarray(found.images, dtype=np.float64), labels, _numbered(labels.tolist()), source="Olivetti")


def _named(images: Images) -> Images:
    """Return the images with source "ORL" if they are ORL as it is distributed."""
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
    except Exception as error:  # SciPy raises many types for files of other formats
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
        raise refuse(path, f"images of {d} pixels are not {height} x {width}; pass their shape=(height, width)")
    # MATLAB stores images column by column.
    pixels = _unit(path, rows.astype(np.float64)).reshape(n, width, height).transpose(0, 2, 1)
    images = Images(np.ascontiguousarray(pixels), labels, _numbered(labels.tolist()))
    return replace(images, source=_collection(images))


def _numbered(labels: list[Any]) -> tuple[str, ...]:
    """Return names for images without names: the person and a running number.

    Examples
    --------
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
    """Return pixels scaled to 0..1, from 0..1 or 0..255."""
    low, high = float(values.min()), float(values.max())
    if not (low >= 0 and high <= 255):
        raise refuse(path, f"contains pixels from {low:g} to {high:g}, expected 0 to 1 or 0 to 255")
    return values / 255 if high > 1 else values
