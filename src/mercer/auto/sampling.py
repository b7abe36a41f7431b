"""Folds and samples of rows, stratified, by groups, and the same for the same seed."""

from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from mercer._typing import IndexArray

__all__ = ["Folds", "check_groups", "fold_count", "make_folds", "sample_rows"]

Folds = list[tuple[IndexArray, IndexArray]]
LEAST = 5  # samples of a class that a draw keeps, if there are so many


def sample_rows(y: Any, size: int, *, stratify: bool, random_state: int) -> IndexArray:
    """Draw rows of a data set without replacement, in their order.

    Parameters
    ----------
    y : sequence of length n
        Targets, or anything of that length if they are not stratified.
    size : int
        Number of rows to draw. All rows are returned if there are no more.
    stratify : bool
        Whether every class keeps its share of the rows. A small class keeps at least five rows, so that the result may
        be longer than `size`.
    random_state : int
        Seed.

    Returns
    -------
    ndarray of int64
        Indices of the rows, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.auto import sample_rows
    >>> sample_rows(np.repeat(["a", "b"], [900, 100]), 100, stratify=True, random_state=0)[-10:] >= 900
    array([ True,  True,  True,  True,  True,  True,  True,  True,  True,
            True])
    """
    n, rng = len(y), np.random.default_rng(random_state)
    if size >= n:
        return np.arange(n, dtype=np.int64)
    order = rng.permutation(n)
    if not stratify:
        return np.sort(order[:size])
    _, label, sizes = np.unique(y, return_inverse=True, return_counts=True)
    share = np.diff(np.cumsum(sizes) * size // n, prepend=0)  # sums to `size`
    share = np.maximum(share, np.minimum(sizes, LEAST))
    return np.sort(np.concatenate([order[label[order] == c][:count] for c, count in enumerate(share)]))


def check_groups(who: str, groups: Any, n: int) -> Any:
    """Groups as an array of length n, or None."""
    if groups is None:
        return None
    values = np.asarray(groups)
    if values.shape != (n,):
        raise ValueError(f"{who}: groups must give one group for each of {n} samples, got shape {values.shape}.")
    return np.unique(values, return_inverse=True)[1]


def fold_count(who: str, y: Any, folds: int, *, classes: bool, groups: Any = None, least: int = 2) -> tuple[int, str]:
    """How many folds there can be, at most `folds`, and a note if there are fewer.

    `least` samples of every class are needed, so that each training part has some.
    """
    found, why = folds, ""
    if classes:
        labels, sizes = np.unique(y, return_counts=True)
        smallest = int(sizes.min())
        if smallest < least:
            raise ValueError(
                f"{who}: class {labels[sizes.argmin()].item()!r} has {smallest} samples, expected at least {least}; "
                "drop or merge it."
            )
        if smallest < found:
            found, why = smallest, f"class {labels[sizes.argmin()].item()!r} has only {smallest} samples"
    elif len(y) // 2 < found:
        found, why = max(2, len(y) // 2), f"there are only {len(y)} samples"
    if groups is not None and len(np.unique(groups)) < found:
        found, why = len(np.unique(groups)), f"there are only {len(np.unique(groups))} groups"
    if found < 2:
        raise ValueError(f"{who}: cannot make two folds, since {why}; give more samples or groups.")
    return found, f"{found} folds instead of {folds}, since {why}." if why else ""


def make_folds(y: Any, folds: int, *, classes: bool, groups: Any = None, random_state: int = 0) -> Folds:
    """Training and test rows of each fold; groups stay together, classes keep their shares as far as groups allow."""
    X = np.zeros(len(y))
    if groups is None:
        make = StratifiedKFold if classes else KFold
    else:
        make = StratifiedGroupKFold if classes else GroupKFold
    splitter = make(folds, shuffle=True, random_state=random_state)
    return [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y, groups)]
