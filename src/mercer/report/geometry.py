"""The section on what the kernel sees: likeness of samples, its spectrum, and maps drawn by it."""

import numpy as np
from sklearn.model_selection import StratifiedKFold

from mercer.decomposition import KernelPCA
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernels import Definiteness
from mercer.report.blocks import Block, Figure, Gallery, Section
from mercer.report.pictures import gram_picture, map_picture, spectrum_picture
from mercer.report.subject import Subject
from mercer.report.text import count, number, percent

__all__ = ["geometry_section"]

LEAD = (
    "To the model the data are nothing but likenesses between samples. Here they are as a matrix, and as maps on which "
    "samples that are alike lie close together."
)


def geometry_section(subject: Subject) -> Section:
    """Gram matrix and spectrum; maps by principal components and by discriminants."""
    blocks: list[Block] = [Gallery([gram_picture(subject), spectrum_picture(subject)])]
    maps = [figure for figure in (_principal(subject), _discriminant(subject)) if figure is not None]
    return Section("geometry", "What the kernel sees", LEAD, [*blocks, Gallery(maps)] if maps else blocks)


def _principal(subject: Subject) -> Figure | None:
    """Kernel PCA of the drawn samples; None if they are too few, or all alike."""
    K = subject.gram
    proved = subject.model.kernel_.definiteness is Definiteness.PSD
    model = KernelPCA(2, kernel="precomputed", allow_indefinite=not proved)
    if len(K) < 3 or np.ptp(K) == 0:
        return None
    model.fit(K)
    share = float(model.explained_variance_ratio_.sum())
    alt = (
        f"Scatter of {count(len(K), 'sample')} on two principal components, which hold {percent(share)} of the "
        f"variance, coloured by {subject.target}."
    )
    caption = (
        f"Kernel PCA: the map that keeps most of the variance, {percent(share)} here. It does not know the targets. "
        f"{subject.drawn_words}"
    )
    return map_picture(subject, "pca", model, K, subject.drawn_truth, alt, caption)


def _discriminant(subject: Subject) -> Figure | None:
    """Directions learned from half of the samples, the others on them; None where classes are too small to halve."""
    if not subject.classifies or np.ptp(subject.gram) == 0:
        return None
    K, y = subject.gram, subject.drawn_truth
    if np.unique(y, return_counts=True)[1].min() < 4:
        return None
    learned, shown = next(StratifiedKFold(2, shuffle=True, random_state=0).split(K, y))
    model = KernelDiscriminantAnalysis(kernel="precomputed", reg="auto").fit(K[np.ix_(learned, learned)], y[learned])
    rows = K[np.ix_(shown, learned)]
    right = float(np.mean(model.predict(rows) == y[shown]))
    alt = (
        f"{count(len(shown), 'sample')} on {count(min(2, len(model.classes_) - 1), 'discriminant direction')}: for "
        f"{percent(right)} of them the mean of their own class is nearest."
    )
    caption = (
        "Kernel discriminant analysis: the map that parts the classes best. Its directions were found with one half of "
        f"the samples; shown are the {number(len(shown))} others, so that it does not flatter."
    )
    return map_picture(subject, "discriminant", model, rows, y[shown], alt, caption)
