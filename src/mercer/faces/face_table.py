"""Errors of several methods side by side, and beside those that were published."""

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
from mercer.faces.methods import METHODS, Method
from mercer.faces.published import PUBLISHED, Published
from mercer.faces.sources import ORL_SHAPE
from mercer.faces.vectors import Center, block_means, face_vectors, image_pixels

__all__ = ["FaceRow", "FaceTable", "table"]


@dataclass(frozen=True, eq=False)
class FaceRow:
    """One method.

    Attributes
    ----------
    method : Method
    kernel : str
        With the numbers that were used.
    components, errors : tuples of int
        Numbers of components, and images taken for someone else with each.
    nearest : array of int, shape (n,)
        The image nearest to each, with the best number of components.
    n_images : int
    published : Published or None
        What Yang (2001) found on the same collection.
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
        """The fewest."""
        return min(self.errors)

    @property
    def best_components(self) -> int:
        """The number that has the fewest errors; of several the least."""
        return self.components[self.errors.index(self.best_errors)]

    @property
    def rate(self) -> float:
        """The fewest errors as a share of the images."""
        return self.best_errors / self.n_images

    def to_dict(self) -> dict[str, Any]:
        """As numbers and texts."""
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
    """What `table` found; prints as a table.

    Attributes
    ----------
    rows : tuple of FaceRow
    n_images, n_persons : int
    shape : (height, width)
        Of the images, as they were compared.
    center : {"image", "none"}
    source : str
        The collection, if it is known.
    notes : tuple of str
        What is to be known about the numbers, one sentence each.
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
        raise KeyError(f"FaceTable: no method {name!r}, only {', '.join(row.method.name for row in self.rows)}.")

    def to_dict(self) -> dict[str, Any]:
        """As numbers and texts, for JSON."""
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
    """Leave-one-out errors of face recognition by several methods, as in Yang (2001).

    Every image is left out in turn, the reduced space is fitted to the others, and the nearest of them says who it is.

    Parameters
    ----------
    images : Images, or array of shape (n, height, width)
    labels : array-like of n labels, optional
        Who is shown; None: what `images` tell.
    methods : sequence of Method
        None twice by name.
    components : sequence of int
        Numbers of components to try. What exceeds the most that there are becomes that: for discriminant methods one
        less than there are persons.
    center : {"image", "none"}
        Whether each image loses the mean of its own pixels.
    blocks : int, optional
        Means over blocks of so many pixels take the place of pixels. None: 4 for ORL in its own size, as in the paper,
        1 otherwise.
    n_jobs : int, optional
        Threads; None: all.
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    FaceTable

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mercer.faces import Eigenface, KernelFisherface
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
        notes.append(f"Images were reduced by means over {blocks} x {blocks} pixels.")
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
                f"{who}: methods must be those of mercer.faces, such as Eigenface(), got {describe(method)}."
            )
    names = [method.name for method in found]
    if len(set(names)) < len(names) or not names:
        raise ValueError(f"{who}: expected one or more methods of different names, got {', '.join(names) or 'none'}.")
    return found


def _aligned(lines: list[list[str]]) -> list[str]:
    """Columns side by side: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]


def _notes(rows: list[FaceRow], label: IndexArray, center: str, source: str, shape: tuple[int, int]) -> list[str]:
    """What is to be known about the numbers."""
    notes = [
        "The best number of components was chosen by these very errors, as in the paper: the rates are optimistic.",
        f"One image is {1 / len(label):.2%}: a difference of one or two images says little.",
        "Each image lost the mean of its own pixels." if center == "image" else "Images kept their brightness.",
    ]
    once = int((np.bincount(label) == 1).sum())
    if once:
        notes.append(f"Persons shown once cannot be recognised, and always count as errors: {once}.")
    if any(row.method.name == "ICA" for row in rows):
        notes.append("ICA is architecture II, whose distances are those of whitened principal components.")
    widths = [f"{row.method.name} {row.kernel}" for row in rows if row.kernel != str(row.method.kernel)]
    ridges = [f"ridge {reg:g}" for reg in sorted({row.method.reg for row in rows if row.method.reg is not None})]
    if widths or ridges:
        published = "Widths and ridges were not published; here" if source in PUBLISHED else "Widths and ridges"
        notes.append(f"{published}: {', '.join(widths + ridges)}.")
    if source == "ORL":
        notes.append("The paper prints 14 directions for the discriminant methods on ORL, where 39 would be all.")
    if source == "Yale":
        notes.append(
            f"The paper used a crop of its own. These faces are {shape[0]} x {shape[1]} pixels, cropped closely: the "
            "figures do not compare one by one."
        )
    return notes
