"""Section on the geometry of the kernel: Gram matrix, spectrum, kernel PCA and discriminant analysis."""

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
    "The kernel values of all pairs of samples, as a Gram matrix with its eigenvalues, and as two-dimensional "
    "embeddings in which similar samples are close to each other."
)


def geometry_section(subject: Subject) -> Section:
    """Create the section: Gram matrix and spectrum, embeddings by kernel PCA and discriminant analysis."""
    blocks: list[Block] = [Gallery([gram_picture(subject), spectrum_picture(subject)])]
    maps = [figure for figure in (_principal(subject), _discriminant(subject)) if figure is not None]
    return Section("geometry", "Kernel geometry", LEAD, [*blocks, *([Gallery(maps)] if len(maps) > 1 else maps)])


def _principal(subject: Subject) -> Figure | None:
    """Kernel PCA of the plotted samples; None if there are fewer than three, or if the kernel is constant."""
    K = subject.gram
    proved = subject.model.kernel_.definiteness is Definiteness.PSD
    model = KernelPCA(2, kernel="precomputed", allow_indefinite=not proved)
    if len(K) < 3 or np.ptp(K) == 0:
        return None
    model.fit(K)
    share = float(model.explained_variance_ratio_.sum())
    alt = (
        f"Scatter plot of {count(len(K), 'sample')} on two principal components, which explain {percent(share)} of the "
        f"variance, coloured by {subject.target}."
    )
    caption = (
        f"Kernel PCA: the two components of largest variance, {percent(share)} of the total. Targets are not used. "
        f"{subject.drawn_words}"
    )
    return map_picture(subject, "pca", model, K, subject.drawn_truth, alt, caption)


def _discriminant(subject: Subject) -> Figure | None:
    """Discriminant analysis fitted to one half of the samples, applied to the other; None if classes are too small."""
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
        f"{count(len(shown), 'sample')} on {count(min(2, len(model.classes_) - 1), 'discriminant direction')}: "
        f"{percent(right)} of them are nearest to the mean of their own class."
    )
    caption = (
        "Kernel discriminant analysis: the directions that separate the classes best. They were fitted to one half of "
        f"the samples; the {number(len(shown))} other samples are shown."
    )
    return map_picture(subject, "discriminant", model, rows, y[shown], alt, caption)
