"""Leave-one-out errors of several methods, next to the published ones."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer._validation import describe
from mercer._words import one_word
from mercer.datasets.images import Images
from mercer.faces.leave_one_out import Progress, check_components, check_labels, leave_one_out
from mercer.faces.methods import METHODS
from mercer.faces.projections import Method
from mercer.faces.published import PUBLISHED, Published
from mercer.faces.sources import ORL_SHAPE
from mercer.faces.vectors import Center, block_means, face_vectors, image_pixels

__all__ = ["FaceRow", "FaceTable", "table"]


@dataclass(frozen=True, eq=False)
class FaceRow:
    """Errors of one method, a row of `FaceTable`.

    Parameters
    ----------
    method : Method
        The method.
    kernel : str
        Text form of the kernel with all parameters resolved.
    components : tuple of int
        Numbers of components.
    errors : tuple of int
        Number of misclassified images for each number of components.
    nearest : ndarray of shape (n_images,)
        Index of the image nearest to each image, with the best number of components.
    n_images : int
        Number of images.
    published : Published or None, default=None
        Error reported by Yang (2001) for the same collection.

    See Also
    --------
    FaceTable : All rows.
    table : The function that computes them.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Eigenface, table
    >>> digits = load_digits()
    >>> found = table(digits.images[:100], digits.target[:100], methods=[Eigenface()], components=[3, 10])
    >>> row = found["Eigenface"]
    >>> row.errors, row.best_components, row.rate
    ((24, 4), 10, 0.04)
    """

    method: Method
    kernel: str
    components: tuple[int, ...]
    errors: tuple[int, ...]
    nearest: IndexArray
    n_images: int
    published: Published | None = None

    @property
    def best_errors(self) -> int:
        """Smallest number of misclassified images."""
        return min(self.errors)

    @property
    def best_components(self) -> int:
        """Smallest number of components with `best_errors` errors."""
        return self.components[self.errors.index(self.best_errors)]

    @property
    def rate(self) -> float:
        """Smallest error rate, `best_errors` / `n_images`."""
        return self.best_errors / self.n_images

    def to_dict(self) -> dict[str, Any]:
        """Convert the row to numbers and strings.

        Returns
        -------
        dict
            Fields of the row, ready for JSON, without `nearest`.
        """
        return {
            "method": self.method.name,
            "kernel": self.kernel,
            "reg": self.method.reg,
            "components": list(self.components),
            "errors": list(self.errors),
            "best_errors": self.best_errors,
            "best_components": self.best_components,
            "rate": self.rate,
            "published": None if self.published is None else self.published._asdict(),
        }


@dataclass(frozen=True, eq=False)
class FaceTable:
    """Result of `table`; prints as a table.

    Parameters
    ----------
    rows : tuple of FaceRow
        One row per method; ``found["Eigenface"]`` returns the row of a method.
    n_images : int
        Number of images.
    n_persons : int
        Number of persons.
    shape : tuple of (int, int)
        Height and width of the images that were compared.
    center : {"image", "none"}
        Whether the mean of its pixels was subtracted from each image.
    source : str
        Name of the collection, "" if unknown.
    notes : tuple of str
        Remarks on the numbers, one sentence each.

    See Also
    --------
    table : The function that returns this object.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Eigenface, table
    >>> digits = load_digits()
    >>> found = table(digits.images[:100], digits.target[:100], methods=[Eigenface()], components=[3, 10])
    >>> found.n_images, found.n_persons, found.shape
    (100, 10, (8, 8))
    >>> print(found.notes[0])
    The best number of components was selected on the same errors, as in the paper, so the rates are optimistic.
    """

    rows: tuple[FaceRow, ...]
    n_images: int
    n_persons: int
    shape: tuple[int, int]
    center: str
    source: str
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> FaceRow:
        for row in self.rows:
            if row.method.name == name:
                return row
        raise KeyError(
            f"FaceTable: there is no method {name!r}, only {', '.join(row.method.name for row in self.rows)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Convert the table to numbers and strings.

        Returns
        -------
        dict
            Fields of the table, its rows and the published errors, ready for JSON.
        """
        return {
            "source": self.source,
            "n_images": self.n_images,
            "n_persons": self.n_persons,
            "shape": list(self.shape),
            "center": self.center,
            "rows": [row.to_dict() for row in self.rows],
            "published": {name: {k: v._asdict() for k, v in rows.items()} for name, rows in PUBLISHED.items()},
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        counts = sorted({k for row in self.rows for k in row.components})
        head = ["errors with components", *map(str, counts), "best", "at", "rate"]
        published = any(row.published for row in self.rows)
        lines = [head + ["published", "at"] * published]
        for row in self.rows:
            errors = dict(zip(row.components, row.errors, strict=True))
            line = [row.method.name, *(str(errors.get(k, "")) for k in counts)]
            line += [str(row.best_errors), str(row.best_components), f"{row.rate:.2%}"]
            lines.append(line + ([str(n) for n in row.published] if row.published else [""] * 2 * published))
        height, width = self.shape
        return "\n".join(
            [
                f"{self.n_images} images of {self.n_persons} persons, {height} x {width} pixels"
                + (f" ({self.source})" if self.source else ""),
                "",
                *_aligned(lines),
                "",
                *(textwrap.fill(note, 110, initial_indent="- ", subsequent_indent="  ") for note in self.notes),
            ]
        )


@one_word
def table(
    images: Images | DoubleArray,
    labels: Any = None,
    *,
    methods: Sequence[Method] = METHODS,
    components: Sequence[int] = range(20, 121, 20),
    center: Center = "image",
    blocks: int | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FaceTable:
    """Compute the leave-one-out errors of several face recognition methods, as in Yang (2001).

    Each image is left out in turn and the reduced space is fitted to the others. The left-out image is assigned to the
    person on its nearest neighbour in that space.

    Parameters
    ----------
    images : Images or array-like of shape (n_images, height, width)
        Images.
    labels : array-like of shape (n_images,), default=None
        Person shown on each image; None uses the labels of `images`.
    methods : sequence of Method, default=METHODS
        Methods with different names; the default is `METHODS`.
    components : sequence of int, default=range(20, 121, 20)
        Numbers of components. Values above the maximum of a method are replaced by it; for discriminant methods the
        maximum is n_persons − 1.
    center : {"image", "none"}, default="image"
        Whether to subtract from each image the mean of its pixels.
    blocks : int, default=None
        Side of the square blocks of pixels that are averaged. None stands for 4 for ORL in its original size, as in the
        paper, and 1 otherwise.
    n_jobs : int, default=None
        Number of threads; None uses all available ones.
    progress : callable, default=None
        Called as ``progress(done, total)`` after each image.

    Returns
    -------
    FaceTable
        One row per method, with the published errors if the collection is ORL or Yale.

    See Also
    --------
    leave_one_out : Errors of a single method.
    mistakes : Images that a method misclassifies.
    PUBLISHED : Published errors.

    References
    ----------
    * Yang, *Face recognition using kernel methods*, Advances in Neural Information Processing Systems 14, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Eigenface, KernelFisherface, table
    >>> digits = load_digits()
    >>> found = table(
    ...     digits.images[:200], digits.target[:200], methods=[Eigenface(), KernelFisherface()], components=[5, 10, 20]
    ... )
    >>> print(str(found).partition("- ")[0].rstrip())
    200 images of 10 persons, 8 x 8 pixels
    <BLANKLINE>
    errors with components        5  9  10  20  best  at   rate
    Eigenface                    14      5   2     2  20  1.00%
    Kernel Fisherface, Gaussian  13  4             4   9  2.00%
    """
    who = "mercer.faces.table"
    notes, source = [], ""
    if isinstance(images, Images):
        labels = images.labels if labels is None else labels
        notes, source = list(images.notes), images.source
    if blocks is None:
        blocks = 4 if source == "ORL" and image_pixels(who, images).shape[1:] == ORL_SHAPE else 1
    pixels = block_means(image_pixels(who, images), blocks)
    if blocks > 1:
        notes.append(f"Images were reduced by averaging blocks of {blocks} x {blocks} pixels.")
    label, n_persons = check_labels(who, labels, len(pixels))
    methods = _checked(who, methods)
    wanted = check_components(who, components)
    X = face_vectors(pixels, center)
    total, rows = len(X) * len(methods), []
    for number, method in enumerate(methods):
        report = None if progress is None else _shifted(progress, number * len(X), total)
        found = leave_one_out(method, X, label, wanted, n_jobs=n_jobs, progress=report)
        best = int(np.argmin(found.errors))
        beside = PUBLISHED.get(source, {}).get(method.name)
        rows.append(
            FaceRow(method, found.kernel, found.components, found.errors, found.nearest[:, best], len(X), beside)
        )
    notes += _notes(rows, label, center, source, pixels.shape[1:])
    return FaceTable(tuple(rows), len(X), n_persons, pixels.shape[1:], center, source, tuple(notes))


def _shifted(progress: Progress, before: int, total: int) -> Progress:
    return lambda done, _: progress(before + done, total)


def _checked(who: str, methods: Any) -> list[Method]:
    found = list(methods) if isinstance(methods, Sequence) else [methods]
    for method in found:
        if not isinstance(method, Method):
            raise TypeError(
                f"{who}: methods must be methods of mercer.faces, such as Eigenface(), got {describe(method)}."
            )
    names = [method.name for method in found]
    if len(set(names)) < len(names) or not names:
        raise ValueError(f"{who}: expected one or more methods with different names, got {', '.join(names) or 'none'}.")
    return found


def _aligned(lines: list[list[str]]) -> list[str]:
    """Align columns: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]


def _notes(rows: list[FaceRow], label: IndexArray, center: str, source: str, shape: tuple[int, int]) -> list[str]:
    """Return the remarks on the numbers."""
    notes = [
        "The best number of components was selected on the same errors, as in the paper, so the rates are optimistic.",
        f"One image is {1 / len(label):.2%} of the data; differences of one or two images are not meaningful.",
        "The mean of its pixels was subtracted from each image." if center == "image" else "Brightness was kept.",
    ]
    once = int((np.bincount(label) == 1).sum())
    if once:
        notes.append(f"Persons with a single image cannot be recognised and count as errors: {once}.")
    if any(row.method.name == "ICA" for row in rows):
        notes.append("ICA is architecture II; its distances equal those of whitened principal components.")
    widths = [f"{row.method.name} {row.kernel}" for row in rows if row.kernel != str(row.method.kernel)]
    ridges = [f"ridge {reg:g}" for reg in sorted({row.method.reg for row in rows if row.method.reg is not None})]
    if widths or ridges:
        known = "Kernel widths and ridge penalties"
        published = f"{known} were not published; used here" if source in PUBLISHED else known
        notes.append(f"{published}: {', '.join(widths + ridges)}.")
    if source == "ORL":
        notes.append("The paper reports 14 directions for the discriminant methods on ORL, where 39 are possible.")
    if source == "Yale":
        notes.append(
            f"The paper used its own crop. These faces are {shape[0]} x {shape[1]} pixels and tightly cropped, so the "
            "errors are not directly comparable."
        )
    return notes
