"""Figures of kernels and images, drawn with `mercer.plots`."""

from typing import Any, Literal

import numpy as np

from mercer._typing import DoubleArray
from mercer.plots import (
    EmbeddingDisplay,
    ImageGridDisplay,
    KernelMatrixDisplay,
    KernelSpectrumDisplay,
    KernelWeightsDisplay,
)
from mercer.plots.style import legend_beside
from mercer.plots.style import plain as safe
from mercer.report.blocks import Figure
from mercer.report.drawing import drawn, figure, scale
from mercer.report.subject import Subject
from mercer.report.text import count, cut, listed, number

__all__ = [
    "gram_picture",
    "image_picture",
    "map_picture",
    "spectrum_picture",
    "weights_picture",
]

KEYS = 16  # largest number of classes in the legend of an embedding
CELLS = 250  # largest number of rows of a plotted Gram matrix


def weights_picture(subject: Subject) -> Figure | None:
    """Weight and alignment of each candidate; None if there is only one."""
    candidates = subject.model.candidates_
    if len(candidates) < 2:
        return None
    with drawn(6.8, 1.1 + 0.42 * len(candidates)) as (canvas, ax):
        KernelWeightsDisplay.from_candidates(candidates, ax=ax)
    best = max(candidates, key=lambda c: c.alignment if np.isfinite(c.alignment) else -np.inf)
    heavy = sorted((c for c in candidates if c.weight), key=lambda c: -c.weight)[:3]
    alt = f"Bars of {count(len(candidates), 'candidate')}. Largest alignment: {cut(best.name)}, "
    alt += f"{number(best.alignment, 2)}."
    alt += f" Largest weights: {listed(f'{cut(c.name)} {number(c.weight, 2)}' for c in heavy)}." if heavy else ""
    caption = "Weight of each kernel in the weighted sum, and its alignment with the target."
    return figure("weights", canvas, alt, caption)


def gram_picture(subject: Subject) -> Figure:
    """Gram matrix of the plotted samples, ordered by target."""
    K, y = subject.gram, subject.drawn_truth
    with drawn() as (canvas, ax):
        KernelMatrixDisplay.from_matrix(K, y, target=_kind(subject), cells=CELLS, name="", interpolation="none", ax=ax)
    alt = f"Heat map of the kernel between {count(len(K), 'sample')}, ordered by {subject.target}."
    caption = f"Gram matrix: kernel values of all pairs of samples, ordered by {subject.target}. {subject.drawn_words}"
    if subject.classifies:
        same = np.triu(y[:, None] == y[None, :], 1)
        other = np.triu(y[:, None] != y[None, :], 1)
        inside, across = (float(K[pairs].mean()) if pairs.any() else np.nan for pairs in (same, other))
        alt += f" Mean {number(inside, 2)} within classes and {number(across, 2)} between classes."
        caption += " Blocks of large values along the diagonal are classes of similar samples."
    return figure("gram", canvas, alt, caption)


def spectrum_picture(subject: Subject) -> Figure:
    """Eigenvalues of the centred Gram matrix of the plotted samples."""
    with drawn() as (canvas, ax):
        display = KernelSpectrumDisplay.from_matrix(subject.gram, name="Gram matrix", ax=ax)
    size = np.abs(display.eigenvalues)
    share = np.cumsum(size) / (size.sum() or 1.0)
    half, most = (int(np.searchsorted(share, part - 1e-12) + 1) for part in (0.5, 0.95))
    negative = int((display.eigenvalues < -display.rounding).sum())
    signs = f"{number(negative)} are negative" if negative else "none is negative"
    alt = (
        f"Eigenvalues in descending order: the first {number(half)} of {number(len(size))} account for half of the "
        f"total, {number(most)} for 95\u202f%; {signs}."
    )
    caption = (
        f"Eigenvalues of the centred Gram matrix. {count(half, 'component')} of {number(len(size))} "
        f"{'explains' if half == 1 else 'explain'} half of the variance, {number(most)} explain 95\u202f%."
    )
    return figure("spectrum", canvas, alt, caption)


def map_picture(subject: Subject, id: str, model: Any, K: DoubleArray, y: Any, alt: str, caption: str) -> Figure:
    """Scatter plot of samples in a fitted embedding."""
    style = {} if subject.classifies else {"cmap": scale()}
    with drawn() as (canvas, ax):
        display = EmbeddingDisplay.from_estimator(
            model, K, y, target=_kind(subject), legend=not subject.classifies, ax=ax, **style
        )
        targets = display.targets
        if targets is not None and targets.classes is not None and display.Z.shape[1] == 2:
            present = [safe(name, 18) for i, name in enumerate(targets.classes) if (targets.values == i).any()]
            if len(present) <= KEYS:
                legend_beside(ax, display.points_, present)
            else:
                caption += f" The legend of {count(len(present), 'class')} is omitted."
    return figure(id, canvas, alt, caption)


def image_picture(
    id: str, images: DoubleArray, shape: tuple[int, int], titles: list[str], alt: str, caption: str
) -> Figure:
    """Grid of samples that are images."""
    columns = min(len(images), 5)
    height = 1.3 * float(np.clip(shape[0] / shape[1], 0.5, 2.5)) + 0.45
    with drawn(1.5 * columns, height * -(-len(images) // columns)) as (canvas, ax):
        ImageGridDisplay.from_vectors(images, shape, titles=titles, columns=columns, ax=ax)
    return figure(id, canvas, alt, caption)


def _kind(subject: Subject) -> Literal["classes", "numbers"]:
    return "classes" if subject.classifies else "numbers"
