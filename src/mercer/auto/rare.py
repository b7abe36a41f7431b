"""Rare classes: kept, merged into one class, or dropped."""

from typing import Any, Literal

import numpy as np

from mercer._typing import IndexArray
from mercer._validation import as_dense, check_choice, check_integer
from mercer._words import one_word
from mercer.auto.notes import counted
from mercer.auto.task import as_partial_target, as_target, known_labels

__all__ = ["OTHER", "Rare", "rare_classes"]

Rare = Literal["keep", "merge", "drop"]
OTHER = "(other)"
SHOWN = 5


@one_word
def rare_classes(y: Any, least: int = 2, rare: Rare = "merge") -> tuple[IndexArray, Any, str]:
    """Keep, merge or drop classes with few samples.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels. None and NaN mark unlabelled samples, which are kept.
    least : int, default=2
        Smallest number of samples of a class that is not rare.
    rare : {"keep", "merge", "drop"}, default="merge"
        What to do with smaller classes. "merge" gives them the label "(other)"; other labels become text if they are
        not.

    Returns
    -------
    rows : ndarray of int
        Rows to keep, ascending.
    y : ndarray of shape (n_rows,)
        Their labels.
    note : str
        One sentence; empty if no class is rare.

    See Also
    --------
    AutoClassifier : Keeps rare classes, which are in every training part.
    sample_rows : Draws rows, stratified by class.

    Examples
    --------
    >>> from mercer.auto import rare_classes
    >>> rows, y, note = rare_classes(["a", "b", "a", "c", "a"], least=2)
    >>> y.tolist()
    ['a', '(other)', 'a', '(other)', 'a']
    >>> print(note)
    2 classes with fewer than 2 samples ('b', 'c') were merged into '(other)'.
    >>> rare_classes(["a", "b", "a", "c", "a"], rare="drop")[0]
    array([0, 2, 4])
    """
    least = check_integer("rare_classes", "least", least, low=1)
    check_choice("rare_classes", "rare", rare, Rare)
    values = as_dense("rare_classes", y, name="y")
    partial = values.dtype == object and any(value is None or value != value for value in values.tolist())
    labels = as_partial_target("rare_classes", y) if partial else as_target("rare_classes", y)
    labeled, known = known_labels("rare_classes", labels)
    classes, codes, sizes = np.unique(known, return_inverse=True, return_counts=True)
    few = sizes < least
    every = np.arange(len(labels))
    if not few.any():
        return every, labels, ""
    names = ", ".join(map(repr, classes[few].tolist()[:SHOWN]))
    names += f" and {int(few.sum()) - SHOWN} more" if few.sum() > SHOWN else ""
    what = f"{counted(int(few.sum()), 'class', 'classes')} with fewer than {counted(least, 'sample')} ({names})"
    verb = "was" if few.sum() == 1 else "were"
    if rare == "keep":
        return every, labels, f"{what} {verb} kept; scores say little about such a class."
    rows = labeled[few[codes]]
    if rare == "drop":
        kept = np.setdiff1d(every, rows)
        return kept, labels[kept], f"{what} {verb} dropped, with {counted(len(rows), 'row')}."
    if labels.dtype == object:
        merged = np.array([value if value is None else str(value) for value in labels.tolist()], dtype=object)
    else:
        width = max([len(OTHER), *(len(str(label)) for label in classes.tolist())])
        merged = labels.astype(f"U{width}")
    merged[rows] = OTHER
    return every, merged, f"{what} {verb} merged into {OTHER!r}."
