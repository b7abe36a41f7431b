"""Learning curve of the selected kernel: score against the number of training samples."""

from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, balanced_accuracy_score, r2_score
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from mercer._runtime.pools import limit_pools
from mercer._typing import DoubleArray
from mercer.kernels import Definiteness
from mercer.plots import COLOURS
from mercer.report.blocks import Block, Figure, Heading, Paragraph
from mercer.report.drawing import drawn, figure
from mercer.report.metrics import shown
from mercer.report.subject import UNEVEN, Subject
from mercer.report.text import count, number
from mercer.ridge import KernelRidgeCV

__all__ = ["learning_blocks", "learning_curve", "trend"]

SHARES = (0.1, 0.2, 0.35, 0.55, 0.8)  # of the samples, to train on
SPLITS = 5
LEAST, MOST = 40, 600  # samples from which a curve is drawn, and which it uses
LARGE = 5000  # training samples of the model above which the few samples of the figures say little
FLAT = 0.01  # change of a score between the last two sizes that means little
ALPHAS = np.logspace(-5, 2, 8)
WIDE = 0.1  # standard deviation over the splits above which the end of a curve says nothing
NOT_KNOWN = "The splits differ too much to see whether the curve still rises at its end."
HEADING = Heading("Learning curve")


def learning_blocks(subject: Subject) -> list[Block]:
    """Heading and figure, or the reason why there is none."""
    n, fitted = len(subject.drawn), len(subject.model.rows_)
    if fitted > LARGE:
        text = f"Omitted: the model was fitted to {count(fitted, 'sample')}, many more than a quick curve could use."
        return [HEADING, Paragraph(text)]
    if n < LEAST or subject.model.kernel_.definiteness is not Definiteness.PSD or np.ptp(subject.gram) == 0:
        few = f"there are only {count(n, 'sample')}" if n < LEAST else "the kernel is not proved positive semidefinite"
        return [HEADING, Paragraph(f"Omitted, since {few}.")]
    rows = np.sort(np.random.default_rng(0).permutation(n)[:MOST])
    left = ""
    if subject.classifies:
        _, codes, members = np.unique(subject.drawn_truth[rows], return_inverse=True, return_counts=True)
        rare = int((members < SPLITS).sum())
        if len(members) - rare < 2:
            return [HEADING, Paragraph(f"Omitted, since only one class has at least {SPLITS} samples.")]
        rows = rows[members[codes] >= SPLITS]
        left = f" Left out: {count(rare, 'class')} with fewer than {SPLITS} samples." if rare else ""
    K, y = subject.gram[np.ix_(rows, rows)], subject.drawn_truth[rows]
    with limit_pools(1):  # threads cost more than they save on few samples
        balanced = subject.classifies and subject.largest_class >= UNEVEN
        sizes, scores = learning_curve(K, y, classes=subject.classifies, balanced=balanced)
    name = "balanced accuracy" if balanced else "accuracy" if subject.classifies else "R²"
    return [HEADING, _picture(subject, name, sizes, scores, left)]


def learning_curve(K: DoubleArray, y: Any, *, classes: bool, balanced: bool = False) -> tuple[list[int], DoubleArray]:
    """Scores of ridge regression with a Gram matrix on nested parts of the samples, tested on the rest.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        Gram matrix.
    y : ndarray of shape (n_samples,)
        Targets.
    classes : bool
        Whether targets are classes. Scores are then accuracies, otherwise R².
    balanced : bool, default=False
        Whether accuracies are balanced, as accuracies of very uneven classes are those of the largest class.

    Returns
    -------
    sizes : list of int
        Numbers of training samples.
    scores : ndarray of shape (n_sizes, n_splits)
        Scores on 20 % of the samples, which are the same for all sizes of a split.
    """
    codes = np.unique(y, return_inverse=True)[1] if classes else None
    targets = np.asarray(y, dtype=np.float64) if codes is None else np.eye(int(codes.max()) + 1)[codes]
    splitter = (StratifiedShuffleSplit if classes else ShuffleSplit)(SPLITS, test_size=0.2, random_state=0)
    n = len(y)
    sizes = [max(4, round(share * n)) for share in SHARES]
    scores = np.zeros((len(sizes), SPLITS))
    for split, (train, test) in enumerate(splitter.split(np.zeros(n), codes)):
        for i, size in enumerate(sizes):
            some = train[: min(size, len(train))]
            mean = targets[some].mean(axis=0)
            model = KernelRidgeCV(ALPHAS, kernel="precomputed").fit(K[np.ix_(some, some)], targets[some] - mean)
            found = model.predict(K[np.ix_(test, some)]) + mean
            if codes is None:
                scores[i, split] = r2_score(y[test], found)
            else:
                score = balanced_accuracy_score if balanced else accuracy_score
                scores[i, split] = score(codes[test], found.argmax(axis=1))
    return sizes, scores


def trend(scores: DoubleArray) -> str:
    """Sentence on the end of a curve: the gain of the last step, with its standard error over the splits.

    >>> print(trend(np.array([[0.7, 0.7, 0.75], [0.8, 0.81, 0.84]])))
    The curve still rises at its end: more samples would probably help.
    >>> print(trend(np.array([[0.7, 0.7, 0.8], [0.9, 0.6, 0.8]])))
    The splits differ too much to see whether the curve still rises at its end.
    """
    gains = scores[-1] - scores[-2]
    gain, error = float(gains.mean()), 2 * float(gains.std(ddof=1)) / len(gains) ** 0.5
    if scores[-1].std(ddof=1) > WIDE:
        return NOT_KNOWN
    if gain - error > 0 and gain > FLAT:
        return "The curve still rises at its end: more samples would probably help."
    if gain + error <= 2 * FLAT:
        return "The curve is nearly flat at its end: more samples of the same kind would probably help little."
    return NOT_KNOWN


def _picture(subject: Subject, name: str, sizes: list[int], scores: DoubleArray, left: str) -> Figure:
    mean, spread = scores.mean(axis=1), scores.std(axis=1, ddof=1)
    with drawn(6.4, 3.2) as (canvas, ax):
        ends = np.minimum(mean + spread, 1.0), np.maximum(mean - spread, 0.0 if subject.classifies else -np.inf)
        ax.fill_between(sizes, *ends, color=COLOURS[0], alpha=0.18, linewidth=0)
        ax.plot(sizes, mean, marker="o", color=COLOURS[0], label="selected kernel")
        evaluation, said = subject.evaluation, ""
        if name in evaluation.metrics:
            folds = len(evaluation.metrics[name])
            at = round(len(subject.scored) * (folds - 1) / folds)
            value, low, high = evaluation.interval(name)
            where: Any = ([at], [value])
            errors = [[value - low], [high - value]]
            ax.errorbar(*where, yerr=errors, fmt="D", color=COLOURS[1], capsize=3, label="evaluation")
            said = f" The evaluation reaches {shown(name, value)} with {count(at, 'sample')}."
        ax.set(xlabel="training samples", ylabel=name)
        ax.set_xlim(0, None)
        ax.legend(loc="best")
    alt = (
        f"Learning curve: {name} {shown(name, float(mean[0]))} with {count(sizes[0], 'training sample')} and "
        f"{shown(name, float(mean[-1]))} with {number(sizes[-1])}.{said}"
    )
    caption = (
        f"{name[0].upper()}{name[1:]} on new samples against the number of training samples, for ridge regression with "
        f"the selected kernel: mean and standard deviation over {SPLITS} random splits. The kernel was selected on all "
        "samples, which makes the curve somewhat optimistic; the diamond is the evaluation of the whole procedure. "
        f"{trend(scores)}{left}"
    )
    return figure("learning", canvas, alt, caption)
