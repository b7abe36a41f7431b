"""Images of a folder as grey values; Pillow is imported on first use."""

import os
import pathlib
import re
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from mercer._runtime.budget import require_budget
from mercer._runtime.files import open_regular
from mercer._runtime.limits import require_memory
from mercer._typing import DoubleArray
from mercer._validation import check_integer, describe
from mercer.datasets.input_files import listed, refuse
from mercer.exceptions import MemoryLimitError

__all__ = ["SUFFIXES", "Images", "read_images"]

SUFFIXES = frozenset(
    (".bmp", ".gif", ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".pnm", ".ppm", ".tif", ".tiff", ".webp")
)
PIXEL = 24  # bytes of memory per pixel while an image is read
_DEEP = ("F", "I")  # prefixes of Pillow modes beyond 8 bits
_GREY = ("1", "L", "LA", "La")


@dataclass(frozen=True, eq=False)
class Images:
    """Grey images of equal size.

    Parameters
    ----------
    pixels : ndarray of float64 of shape (n_images, height, width)
        Grey values between 0 (black) and 1 (white).
    labels : ndarray of shape (n_images,) or None
        Class of each image, if the source has classes.
    names : tuple of str
        Path of each image within the folder.
    notes : tuple of str, default=()
        Automatic decisions taken while reading, one sentence each.
    source : str, default=""
        Collection, if it is known: ``"ORL"``, ``"Yale"``.

    See Also
    --------
    read_images : Read a folder of images.
    mercer.faces.face_vectors : Images as feature vectors.

    Examples
    --------
    >>> import numpy as np
    >>> print(Images(np.zeros((3, 28, 23)), np.array(["ann", "ann", "bob"]), ("1.png", "2.png", "3.png")))
    3 images of 2 classes, 28 x 23 pixels (height x width)
    """

    pixels: DoubleArray
    labels: npt.NDArray[Any] | None
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    source: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width."""
        height, width = self.pixels.shape[1:]
        return height, width

    def __len__(self) -> int:
        return len(self.pixels)

    def __str__(self) -> str:
        classes = "" if self.labels is None else f" of {len(set(self.labels.tolist()))} classes"
        height, width = self.shape
        return f"{len(self)} image{'' if len(self) == 1 else 's'}{classes}, {height} x {width} pixels (height x width)"


def read_images(folder: str | os.PathLike[str], *, shape: tuple[int, int] | None = None) -> Images:
    """Read the images of a folder as grey values.

    Parameters
    ----------
    folder : str or path
        Folder with one subfolder of images per class, whose name is the label, or with unlabelled images. Names are
        sorted with numbers in numeric order: s2 before s10.
    shape : tuple of two int, default=None
        Height and width to which all images are resized. With None, all images must have the same size.

    Returns
    -------
    Images
        The images. The notes record skipped files and conversions.

    Raises
    ------
    ValueError
        If a file is corrupt, or if two images differ in size. The message names the files.

    See Also
    --------
    Images : The result.
    read : Read other formats.

    Notes
    -----
    Files with an extension in `SUFFIXES` are read by Pillow. Colours are converted to grey by their luma. 16-bit values
    are exact. Transparency is ignored. The EXIF orientation is applied. The first of several frames is used. Downsizing
    averages over the area of a pixel, upsizing interpolates.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("s2", "s10"):
    ...         (pathlib.Path(folder) / name).mkdir()
    ...         Image.new("L", (3, 2), 51).save(pathlib.Path(folder) / name / "1.png")
    ...     images = read_images(folder)
    >>> images.names, images.labels.tolist(), images.pixels[0]
    (('s2/1.png', 's10/1.png'), ['s2', 's10'], array([[0.2, 0.2, 0.2],
           [0.2, 0.2, 0.2]]))
    """
    if shape is not None:
        shape = _checked(shape)
    root = pathlib.Path(folder)
    files, labels, left_out = _found(root)
    pillow = _pillow()
    pixels = np.empty((0, 0, 0))
    changes: Counter[str] = Counter()
    for i, path in enumerate(files):
        image = _grey(pillow, path, shape, changes)
        if i == 0:
            require_memory(
                8 * len(files) * image.size,
                what=f"{root}: {len(files)} images of {image.shape[0]} x {image.shape[1]} pixels",
                instead="Pass a smaller shape=(height, width).",
            )
            pixels = np.empty((len(files), *image.shape))
        if image.shape != pixels.shape[1:]:
            sizes = " and ".join(f"{size[0]} x {size[1]}" for size in (pixels.shape[1:], image.shape))
            raise ValueError(
                f"{files[0]} and {path}: differ in size, {sizes} pixels (height x width); crop them equally, or pass "
                "shape=(height, width) to resize all."
            )
        pixels[i] = image
    notes = [f"{change} ({count} of {len(files)} images)." for change, count in changes.items()]
    if left_out:
        notes.insert(0, f"Skipped files that are not images: {listed(left_out)}.")
    names = tuple(path.relative_to(root).as_posix() for path in files)
    return Images(pixels, None if labels is None else np.array(labels), names, tuple(notes))


def _found(root: pathlib.Path) -> tuple[list[pathlib.Path], list[str] | None, list[str]]:
    """Image files, their classes if there are subfolders, and skipped files."""
    inside = _sorted(root)
    images = [path for path in inside if _is_image(path)]
    folders = {path: [file for file in _sorted(path) if _is_image(file)] for path in inside if path.is_dir()}
    classes = {path: files for path, files in folders.items() if files}
    if images and classes:
        other = next(iter(classes.values()))[0]
        raise refuse(
            root,
            f"has images ({images[0].name}) beside folders of images ({other.relative_to(root).as_posix()}), expected "
            "a folder for each class or no folders; move one or the other away",
        )
    if not images and not classes:
        raise refuse(
            root, f"contains neither images nor folders of images; expected files such as {listed(sorted(SUFFIXES))}"
        )
    used = {*images, *classes, *(file for files in classes.values() for file in files)}
    seen = [*inside, *(path for folder in classes for path in _sorted(folder))]
    left_out = [path.relative_to(root).as_posix() for path in seen if path not in used]
    if images:
        return images, None, left_out
    pairs = [(file, path.name) for path, files in classes.items() for file in files]
    return [file for file, _ in pairs], [name for _, name in pairs], left_out


def _sorted(folder: pathlib.Path) -> list[pathlib.Path]:
    """Visible files of a folder, with numbers in names in numeric order."""

    def key(path: pathlib.Path) -> tuple[list[str | int], str]:
        parts = re.split("([0-9]+)", path.name)
        return [int(part) if i % 2 else part.casefold() for i, part in enumerate(parts)], path.name

    return sorted((path for path in folder.iterdir() if not path.name.startswith(".")), key=key)


def _is_image(path: pathlib.Path) -> bool:
    return path.suffix.lower() in SUFFIXES and path.is_file()


def _grey(pillow: Any, path: pathlib.Path, shape: tuple[int, int] | None, changes: "Counter[str]") -> DoubleArray:
    """One image with values between 0 and 1; conversions are counted."""
    done = []
    try:
        with open_regular(path) as opened, pillow.Image.open(opened) as file:
            n_pixels = file.size[0] * file.size[1]
            require_budget(path, PIXEL * n_pixels, f"is an image of {n_pixels} pixels, which")
            if getattr(file, "n_frames", 1) > 1:
                done.append("Only the first of several frames was used")
            image = pillow.ImageOps.exif_transpose(file)
            if image.mode.startswith(_DEEP):
                values = np.asarray(image, dtype=np.float64) / (1.0 if image.mode == "F" else 65535.0)
            else:
                if image.mode not in _GREY:
                    done.append("Colours were converted to grey")
                if image.mode.endswith(("A", "a")) or "transparency" in image.info:
                    done.append("Transparency was ignored")
                    image = image.convert("RGBA")
                values = np.asarray(image.convert("L"), dtype=np.float64) / 255
    except Exception as error:  # decoders raise any kind of exception
        if isinstance(error, MemoryLimitError) or (isinstance(error, OSError) and error.errno is not None):
            raise  # of the operating system: no permission, no such file
        raise refuse(path, f"cannot be read as an image ({error}); replace the file or move it away") from None
    if not (values.min() >= 0 and values.max() <= 1):
        raise refuse(path, f"has values from {values.min():g} to {values.max():g}, expected 8 or 16 bits; convert it")
    if shape is not None and shape != values.shape:
        done.append(f"Resized to {shape[0]} x {shape[1]} pixels")
        large = pillow.Image.fromarray(values.astype(np.float32))
        resized = large.resize(shape[::-1], pillow.Image.Resampling.BILINEAR)
        values = np.asarray(resized, dtype=np.float64).clip(0.0, 1.0)
    changes.update(done)
    return values


def _checked(shape: Any) -> tuple[int, int]:
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise TypeError(f"read_images: parameter shape must be (height, width) or None, got {describe(shape)}.")
    height, width = (check_integer("read_images", f"shape[{i}]", size, low=1) for i, size in enumerate(shape))
    return height, width


def _pillow() -> Any:
    try:
        import_module("PIL.ImageOps")
        import_module("PIL.Image")
        return import_module("PIL")
    except ImportError:
        raise ImportError("read_images: needs Pillow; install it with: pip install 'mercer[plot]'") from None
