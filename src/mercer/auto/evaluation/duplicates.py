"""Duplicates and near-duplicates of samples, and what they do to a score."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mercer._typing import Data, IndexArray
from mercer.auto.evaluation.identical import identical
from mercer.auto.evaluation.kmers import related
from mercer.auto.notes import counted

__all__ = ["Duplicates", "duplicate_groups", "find_duplicates"]

FLAGGED = 0.02  # share of samples with a duplicate in another fold above which the score itself is flagged
WORDS = {
    "rows": "equal rows",
    "strings": "equal strings",
    "trees": "equal trees",
    "graphs": "probably identical graphs",
    "sequences": "equal or related sequences",
}


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Equal and nearly equal samples of an evaluation.

    Parameters
    ----------
    what : {"rows", "strings", "trees", "graphs", "sequences"}
        What was compared. Identical graphs are those that colour refinement cannot distinguish. Sequences are
        related if they have many long k-mers in common.
    clusters : ndarray of int64 of shape (n_samples,)
        Number of the cluster of each sample. Samples of the same cluster are duplicates, or near-duplicates by a chain
        of pairs.
    exact : int
        Number of samples that equal another sample.
    related : int
        Number of samples that are in a cluster of two or more.
    conflicts : int
        Number of samples that equal a sample with another target.
    crossing : ndarray of bool of shape (n_samples,)
        Whether a sample has a duplicate or near-duplicate in another fold.
    scores : dict of str to float, default=None
        Mean scores without the samples in `crossing`; NaN where undefined. None if no sample is in `crossing`.

    See Also
    --------
    evaluate : Looks for duplicates.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.auto import AutoClassifier, evaluate
    >>> x = np.random.default_rng(0).normal(size=30)
    >>> X, y = np.tile(x, 2)[:, None], np.tile(x > 0, 2)
    >>> found = evaluate(AutoClassifier("rbf", "svm"), X, y, cv=3).duplicates
    >>> found.exact, len(np.unique(found.clusters)), found.flagged
    (60, 30, True)
    """

    what: str
    clusters: IndexArray
    exact: int
    related: int
    conflicts: int
    crossing: Any
    scores: Mapping[str, float] | None = None

    @property
    def share(self) -> float:
        """Share of the samples with a duplicate in another fold."""
        return float(np.mean(self.crossing)) if len(self.crossing) else 0.0

    @property
    def flagged(self) -> bool:
        """Whether the share of samples with a duplicate in another fold is too large to rely on the scores."""
        return self.share >= FLAGGED

    def sentence(self, metric: str = "", score: float = float("nan")) -> str:
        """Describe the duplicates.

        Parameters
        ----------
        metric : str, default=""
            Metric of which the score without duplicates is stated.
        score : float, default=nan
            Score with them.

        Returns
        -------
        str
            One or two sentences.
        """
        n, crossing = len(self.clusters), int(np.sum(self.crossing))
        parts = [f"{counted(self.related, 'sample')} of {n} have {WORDS[self.what]}"]
        if self.conflicts:
            parts.append(f"{self.conflicts} of them with another target")
        parts.append(f"{crossing} of them in another fold" if crossing else "none of them in another fold")
        text = ", ".join(parts) + "."
        without = (self.scores or {}).get(metric, float("nan"))
        if crossing and without == without:
            text += (
                f" {metric[0].upper()}{metric[1:]} is {without:.3g} without these {crossing}, {score:.3g} with them."
            )
        if self.flagged:
            text += " Scores for new samples may be worse; groups='auto' keeps duplicates together."
        return text


def find_duplicates(
    X: Data, y: Any = None, folds: Any = None, *, kinds: Mapping[str, Any] | None = None
) -> Duplicates | None:
    """Look for equal rows, strings, trees and graphs, and for related sequences.

    Parameters
    ----------
    X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
        Samples.
    y : ndarray of shape (n_samples,), default=None
        Targets, for the number of conflicts.
    folds : ndarray of int of shape (n_samples,), default=None
        Index of the test fold of each sample.
    kinds : dict of str to str, default=None
        Kinds of some columns. Columns that are dropped, such as identifiers, are not compared.

    Returns
    -------
    Duplicates or None
        None if all samples are different.
    """
    what, ids, sequences = identical(X, kinds)
    n = len(ids)
    links = [ids]
    for texts in sequences.values():
        found = related(texts)
        if found.max(initial=0) + 1 < n:
            links.append(found)
            what = "sequences"
    clusters = ids if len(links) == 1 else _merged(links)
    sizes = np.bincount(clusters, minlength=1)[clusters]
    if not (sizes > 1).any():
        return None
    exact = int((np.bincount(ids)[ids] > 1).sum())
    conflicts = 0 if y is None else int((_different(ids, y)).sum())
    crossing = np.zeros(n, dtype=bool) if folds is None else _different(clusters, folds)
    return Duplicates(what, clusters, exact, int((sizes > 1).sum()), conflicts, crossing)


def duplicate_groups(who: str, groups: Any, X: Data, kinds: Mapping[str, Any] | None = None) -> Any:
    """Groups as they are given; for "auto" the clusters of duplicates, or None if all samples are different.

    >>> duplicate_groups("fit", "auto", [[1.0], [2.0], [1.0]])
    array([0, 1, 0])
    """
    if not isinstance(groups, str):
        return groups
    if groups != "auto":
        raise ValueError(f"{who}: groups must be 'auto', None or one group for each sample, got {groups!r}.")
    found = find_duplicates(X, kinds=kinds)
    return None if found is None else found.clusters


def _merged(links: list[IndexArray]) -> IndexArray:
    """Connected components of samples that are linked in one of several ways."""
    n = len(links[0])
    edges = []
    for ids in links:
        order = np.argsort(ids, kind="stable")
        same = ids[order[1:]] == ids[order[:-1]]
        edges.append((order[:-1][same], order[1:][same]))
    a, b = (np.concatenate(ends) for ends in zip(*edges, strict=True))
    graph = sp.coo_array((np.ones(len(a)), (a, b)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def _different(clusters: IndexArray, values: Any) -> Any:
    """Mask of the samples whose cluster has another value, too."""
    codes = np.unique(values, return_inverse=True)[1]
    size = int(clusters.max()) + 1
    low, high = np.full(size, np.iinfo(np.int64).max), np.full(size, -1)
    np.minimum.at(low, clusters, codes)
    np.maximum.at(high, clusters, codes)
    return low[clusters] != high[clusters]
