"""Figures of the report: drawn with `mercer.plots`, embedded as SVG, described in words for screen readers."""

import base64
from typing import Any, Literal

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.plots import (
    COLOURS,
    EmbeddingDisplay,
    ImageGridDisplay,
    KernelMatrixDisplay,
    KernelSpectrumDisplay,
    KernelWeightsDisplay,
    blank,
    svg,
)
from mercer.plots.style import legend_beside
from mercer.plots.style import plain as safe
from mercer.report.blocks import Figure, Gallery
from mercer.report.subject import Subject
from mercer.report.text import count, cut, listed, number

__all__ = [
    "confusion_picture",
    "gram_picture",
    "image_picture",
    "map_picture",
    "residual_pictures",
    "spectrum_picture",
    "weights_picture",
]

PIXELS = 96  # pixels per inch of the page
NUMBERED = 24  # largest number of classes for which a confusion matrix shows counts
NAMED = 40  # largest number of classes for which it shows names
KEYS = 16  # largest number of classes in the legend of an embedding
CELLS = 250  # largest number of rows of a plotted Gram matrix
WIDE, HIGH = 5.2, 4.3  # size in inches of figures that stand side by side


def _figure(id: str, canvas: Any, alt: str, caption: str) -> Figure:
    text = svg(canvas, prefix=id)
    src = "data:image/svg+xml;base64," + base64.b64encode(text.encode()).decode("ascii")
    width, height = (round(PIXELS * float(side)) for side in canvas.get_size_inches())
    return Figure(id, src, alt, caption, width, height)


def weights_picture(subject: Subject) -> Figure | None:
    """Weight and alignment of each candidate; None if there is only one."""
    candidates = subject.model.candidates_
    if len(candidates) < 2:
        return None
    canvas, ax = blank(6.8, 1.1 + 0.42 * len(candidates))
    KernelWeightsDisplay.from_candidates(candidates, ax=ax)
    best = max(candidates, key=lambda c: c.alignment if np.isfinite(c.alignment) else -np.inf)
    heavy = sorted((c for c in candidates if c.weight), key=lambda c: -c.weight)[:3]
    alt = f"Bars of {count(len(candidates), 'candidate')}. Largest alignment: {cut(best.name)}, "
    alt += f"{number(best.alignment, 2)}."
    alt += f" Largest weights: {listed(f'{cut(c.name)} {number(c.weight, 2)}' for c in heavy)}." if heavy else ""
    caption = "Weight of each kernel in the weighted sum, and its alignment with the target."
    return _figure("weights", canvas, alt, caption)


def confusion_picture(subject: Subject, matrix: IndexArray) -> Figure:
    """Confusion matrix of out-of-fold predictions, coloured by the fraction of the true class."""
    names = subject.classes[0]
    n = len(names)
    side = float(np.clip(0.6 * n, 2.2, 8.0))
    shown = [safe(name, 18) for name in names] if n <= NAMED else []
    longest = max(map(len, shown), default=0)
    turned = longest * n > 36
    canvas, ax = blank(side + 1.8 + 0.08 * longest, side + 0.8 + 0.08 * longest * turned)
    share = matrix / matrix.sum(axis=1, keepdims=True)
    image = ax.imshow(share, cmap="Blues", vmin=0.0, vmax=1.0)
    if n <= NUMBERED:
        for i, j in np.argwhere(matrix > 0).tolist():
            colour = "white" if share[i, j] > 0.5 else "black"
            ax.text(j, i, f"{matrix[i, j]}", ha="center", va="center", color=colour, fontsize=10 if n <= 12 else 8)
    if shown:
        ax.set_xticks(range(n), shown, rotation=90 if turned else 0)
        ax.set_yticks(range(n), shown)
        ax.tick_params(length=0)
    ax.set(xlabel="predicted", ylabel="true")
    canvas.colorbar(image, ax=ax, label="fraction of the true class", shrink=0.9)
    wrong = matrix - np.diag(np.diagonal(matrix))
    pairs = np.argwhere(wrong > 0)
    worst = pairs[np.argsort(-wrong[tuple(pairs.T)], kind="stable")][:3].tolist()
    said = [f"{number(int(wrong[i, j]))} of “{cut(names[i], 30)}” predicted as “{cut(names[j], 30)}”" for i, j in worst]
    alt = f"Confusion matrix: {number(int(np.trace(matrix)))} of {number(int(matrix.sum()))} correct"
    alt += f"; most frequent errors: {listed(said)}." if said else "."
    caption = "Confusion matrix of the out-of-fold predictions: true classes in rows, predicted classes in columns."
    caption += "" if shown else " Classes are numbered from 0, in the order of their names."
    return _figure("confusion", canvas, alt, caption)


def residual_pictures(subject: Subject, error: DoubleArray) -> Gallery:
    """True values against predictions, and residuals against predictions."""
    truth = subject.drawn_truth
    predicted = np.asarray(subject.evaluation.predictions, dtype=float)[subject.plotted]
    look: dict[str, Any] = {"color": COLOURS[0], "s": 16, "alpha": 0.6, "linewidths": 0}
    canvas, ax = blank(WIDE, HIGH)
    ax.scatter(predicted, truth, **look)
    ax.axline((float(truth.mean()), float(truth.mean())), slope=1.0, color="0.2", linestyle="--", linewidth=1.0)
    ax.set(xlabel="predicted", ylabel="true")
    varied = truth.std() > 0 and predicted.std() > 0
    alt = (
        f"True values against out-of-fold predictions: predictions from {number(predicted.min(), 3)} to "
        f"{number(predicted.max(), 3)}, true values from {number(truth.min(), 3)} to {number(truth.max(), 3)}, "
        f"correlation {number(float(np.corrcoef(truth, predicted)[0, 1]) if varied else np.nan, 2)}."
    )
    caption = f"True values against out-of-fold predictions. Exact predictions are on the line. {subject.drawn_words}"
    first = _figure("predicted", canvas, alt, caption)
    canvas, ax = blank(WIDE, HIGH)
    ax.scatter(predicted, truth - predicted, **look)
    ax.axhline(0.0, color="0.2", linestyle="--", linewidth=1.0)
    ax.set(xlabel="predicted", ylabel="true − predicted")
    low, high = (float(v) for v in np.quantile(-error, [0.05, 0.95]))
    alt = f"Residuals against predictions: 90\u202f% of them are between {number(low, 3)} and {number(high, 3)}."
    caption = "Residuals against predictions. A visible pattern means that the model misses part of the relation."
    return Gallery([first, _figure("residuals", canvas, alt, caption)])


def gram_picture(subject: Subject) -> Figure:
    """Gram matrix of the plotted samples, ordered by target."""
    K, y = subject.gram, subject.drawn_truth
    canvas, ax = blank(WIDE, HIGH)
    KernelMatrixDisplay.from_matrix(K, y, target=_kind(subject), cells=CELLS, name="", interpolation="none", ax=ax)
    alt = f"Heat map of the kernel between {count(len(K), 'sample')}, ordered by {subject.target}."
    caption = f"Gram matrix: kernel values of all pairs of samples, ordered by {subject.target}. {subject.drawn_words}"
    if subject.classifies:
        same = np.triu(y[:, None] == y[None, :], 1)
        other = np.triu(y[:, None] != y[None, :], 1)
        inside, across = (float(K[pairs].mean()) if pairs.any() else np.nan for pairs in (same, other))
        alt += f" Mean {number(inside, 2)} within classes and {number(across, 2)} between classes."
        caption += " Blocks of large values along the diagonal are classes of similar samples."
    return _figure("gram", canvas, alt, caption)


def spectrum_picture(subject: Subject) -> Figure:
    """Eigenvalues of the centred Gram matrix of the plotted samples."""
    canvas, ax = blank(WIDE, HIGH)
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
    return _figure("spectrum", canvas, alt, caption)


def map_picture(subject: Subject, id: str, model: Any, K: DoubleArray, y: Any, alt: str, caption: str) -> Figure:
    """Scatter plot of samples in a fitted embedding."""
    canvas, ax = blank(WIDE, HIGH)
    display = EmbeddingDisplay.from_estimator(model, K, y, target=_kind(subject), legend=not subject.classifies, ax=ax)
    targets = display.targets
    if targets is not None and targets.classes is not None and display.Z.shape[1] == 2:
        present = [safe(name, 18) for i, name in enumerate(targets.classes) if (targets.values == i).any()]
        if len(present) <= KEYS:
            legend_beside(ax, display.points_, present)
        else:
            caption += f" The legend of {count(len(present), 'class')} is omitted."
    return _figure(id, canvas, alt, caption)


def image_picture(
    id: str, images: DoubleArray, shape: tuple[int, int], titles: list[str], alt: str, caption: str
) -> Figure:
    """Grid of samples that are images."""
    columns = min(len(images), 5)
    height = 1.3 * float(np.clip(shape[0] / shape[1], 0.5, 2.5)) + 0.45
    canvas, ax = blank(1.5 * columns, height * -(-len(images) // columns))
    ImageGridDisplay.from_vectors(images, shape, titles=titles, columns=columns, ax=ax)
    return _figure(id, canvas, alt, caption)


def _kind(subject: Subject) -> Literal["classes", "numbers"]:
    return "classes" if subject.classifies else "numbers"
