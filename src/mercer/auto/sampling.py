"""Cross-validation folds and random subsamples: stratified, grouped and reproducible."""

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

from mercer._typing import IndexArray
from mercer._validation import group_codes
from mercer._words import one_word
from mercer.auto.task import labeled_rows

__all__ = ["Folds", "alone", "check_groups", "fold_count", "make_folds", "sample_rows", "training_rows"]

Folds = list[tuple[IndexArray, IndexArray]]
LEAST = 5  # smallest number of samples of a class in a stratified subsample, if the class has as many


@one_word
def sample_rows(y: Any, size: int, *, stratify: bool, random_state: int) -> IndexArray:
    """Draw row indices without replacement, optionally stratified by class.

    Parameters
    ----------
    y : sequence of length n_samples
        Targets. Any sequence of that length if `stratify` is False.
    size : int
        Number of rows to draw. All rows are returned if there are at most `size`.
    stratify : bool
        Whether every class keeps its proportion of the rows. At least five rows of every class are kept, so the result
        may have more than `size` rows. Unlabelled rows (None in an array of objects) are drawn separately, at most
        `size` of them.
    random_state : int
        Seed of the random number generator.

    Returns
    -------
    ndarray of int64
        Row indices, ascending.

    See Also
    --------
    rows_of : Selects rows by index.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.auto import sample_rows
    >>> y = np.repeat(["a", "b"], [900, 100])
    >>> rows = sample_rows(y, 50, stratify=True, random_state=0)
    >>> np.unique(y[rows], return_counts=True)[1]
    array([45,  5])
    """
    labeled = labeled_rows(y) if stratify else np.arange(len(y))
    if len(labeled) < len(y):
        others = np.setdiff1d(np.arange(len(y)), labeled)
        kept = sample_rows(np.asarray(y)[labeled].tolist(), size, stratify=True, random_state=random_state)
        more = sample_rows(others, size, stratify=False, random_state=random_state)
        return np.sort(np.concatenate([labeled[kept], others[more]]))
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
    """Convert groups to an integer array of length n, or None."""
    if groups is None:
        return None
    return group_codes(who, groups, n)


def fold_count(who: str, y: Any, folds: int, *, classes: bool, groups: Any = None, least: int = 1) -> tuple[int, str]:
    """Number of folds that the target allows, and a note if it is smaller than requested.

    Parameters
    ----------
    who : str
        Caller, for error messages.
    y : array of shape (n_samples,)
        Target.
    folds : int
        Number of folds requested.
    classes : bool
        Whether the target holds classes. The second largest class limits the number of folds, so that two classes are
        in all test parts; smaller classes are missing from some of them. `make_folds` keeps classes of one sample out
        of all test parts.
    groups : array of int of shape (n_samples,), default=None
        Groups, as `check_groups` returns them.
    least : int, default=1
        Number of samples that every class must have.

    Returns
    -------
    count : int
        At least 2.
    note : str
        Empty if ``count == folds``.

    Raises
    ------
    ValueError
        If a class has fewer than `least` samples, or if two folds are impossible.
    """
    found, why = folds, ""
    if classes:
        labels, sizes = np.unique(y, return_counts=True)
        if sizes.min() < least:
            raise ValueError(
                f"{who}: class {labels[sizes.argmin()].item()!r} has {_samples(int(sizes.min()))}, expected at least "
                f"{least}; drop the class or merge it with another."
            )
        labels, sizes = labels[sizes > 1], sizes[sizes > 1]
        if len(sizes):
            second = np.argsort(-sizes, kind="stable")[:2][-1]
            if sizes[second] < found:
                found = int(sizes[second])
                others = "" if len(sizes) <= 2 else ", and only one class has more"
                why = f"class {labels[second].item()!r} has only {_samples(found)}{others}"
    elif len(y) // 2 < found:
        found, why = max(2, len(y) // 2), f"there are only {len(y)} samples"
    if groups is not None:
        count = len(np.unique(groups[~alone(y)] if classes else groups))
        if count < found:
            found, why = count, f"there are only {count} groups"
    if found < 2:
        raise ValueError(f"{who}: cannot make two folds, since {why}; give more samples or groups.")
    return found, f"{found} folds instead of {folds}, since {why}." if why else ""


def make_folds(y: Any, folds: int, *, classes: bool, groups: Any = None, random_state: int = 0) -> Folds:
    """Training and test rows of each fold.

    Folds are stratified by class as far as groups allow. A class with one sample is in every training part and in no
    test part. All samples of a group are in the same fold. This takes precedence: the only sample of a class is left
    out of the training part if its group is tested.

    >>> make_folds(np.array(["a", "b", "a", "a"]), 3, classes=True)
    [(array([0, 1, 2]), array([3])), (array([0, 1, 3]), array([2])), (array([1, 2, 3]), array([0]))]
    """
    single = alone(y) if classes else np.zeros(len(y), dtype=bool)
    rows, kept = np.flatnonzero(~single), np.flatnonzero(single)
    if groups is None:
        make = StratifiedKFold if classes else KFold
    else:
        make = StratifiedGroupKFold if classes else GroupKFold
    splitter = make(folds, shuffle=True, random_state=random_state)
    parts: Folds = []
    with warnings.catch_warnings():  # fold_count allows classes with fewer samples than folds
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(splitter.split(rows, y[rows], None if groups is None else groups[rows]))
    for train, test in splits:
        known = kept if groups is None else kept[~np.isin(groups[kept], groups[rows[test]])]
        parts.append((np.sort(np.concatenate([rows[train], known])), rows[test]))
    return parts


def training_rows(train: IndexArray, test: IndexArray, labeled: IndexArray, n: int, groups: Any = None) -> IndexArray:
    """Training rows of a fold: its labelled training samples and the unlabelled samples.

    Parameters
    ----------
    train : ndarray of int
        Training part of the fold, as positions in `labeled`.
    test : ndarray of int
        Test part of the fold, as positions in `labeled`.
    labeled : ndarray of int
        Rows with a label, ascending.
    n : int
        Number of rows.
    groups : ndarray of int of shape (n,), default=None
        Group of each row. Unlabelled rows of tested groups are left out.

    Returns
    -------
    ndarray of int
        Row indices, ascending.

    Examples
    --------
    >>> training_rows(np.array([0, 2]), np.array([1]), np.array([1, 3, 4]), 6)
    array([0, 1, 2, 4, 5])
    """
    others = np.setdiff1d(np.arange(n), labeled)
    if groups is not None:
        others = others[~np.isin(groups[others], groups[labeled[test]])]
    return np.sort(np.concatenate([labeled[train], others]))


def alone(y: Any) -> Any:
    """Mask of the samples whose class has no other sample.

    >>> alone(["a", "b", "a"])
    array([False,  True, False])
    """
    _, label, sizes = np.unique(y, return_inverse=True, return_counts=True)
    return sizes[label] == 1


def _samples(count: int) -> str:
    return f"{count} sample" if count == 1 else f"{count} samples"
