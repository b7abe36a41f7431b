"""Near-duplicate sequences: pairs with many long k-mers in common, and their connected components."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from mercer._typing import IndexArray
from mercer.auto.evaluation.identical import mixed
from mercer.data import Strings

__all__ = ["related"]

CHANCE = 1e7  # number of different k-mers beside which equal ones are rare by chance
LONGEST = 24
KEPT = 4_000_000  # k-mers that are compared; of more, a random part
CHUNK = 4_000_000  # symbols that are read at once
SHARE = 0.1  # common k-mers of the sequence with fewer k-mers
LEAST = 5  # common k-mers
COMMON = 0.1  # share of the sequences above which a k-mer says nothing about relatives
FEW = 20  # number of sequences below which every k-mer counts
PAIRS = 20  # pairs that are verified for each sequence, at most
AT_ONCE = 10_000  # pairs whose k-mers are compared at once
HALF = 0.5  # share of the sequences that one cluster may have


def related(sequences: list[str], *, share: float = SHARE) -> IndexArray:
    """Clusters of sequences that have long k-mers in common.

    Two sequences are related if at least a tenth of the k-mers of one of them, and at least five, occur in the other.
    k is so large that k-mers are rarely equal by chance: 12 for DNA, 6 for proteins. Clusters are connected components.
    k-mers of more than a tenth of the sequences are not compared. If a cluster would have more than half of the
    sequences, the threshold is doubled.

    Parameters
    ----------
    sequences : list of str
        Sequences.
    share : float, default=0.1
        Smallest share of common k-mers.

    Returns
    -------
    ndarray of int64 of shape (n_samples,)
        Number of the cluster of each sequence, from 0.

    Notes
    -----
    Only pairs of neighbours in the sorted list of sequences with the same k-mer are verified, so the time grows with
    the total length and not with the number of pairs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = ("".join(rng.choice(list("ACGT"), 80)) for _ in range(2))
    >>> related([a, b, a[:40] + b[:5] + a[45:], b[10:]])
    array([0, 1, 0, 1])
    """
    n = len(sequences)
    matrix = _kmers([sequence.upper() for sequence in sequences])
    if matrix is None:
        return np.arange(n, dtype=np.int64)
    sizes = np.asarray(matrix.sum(axis=1)).ravel()
    pairs = _candidates(matrix)
    common = _common(matrix, pairs)
    shares = common / np.maximum(np.minimum(sizes[pairs[0]], sizes[pairs[1]]), 1)
    while True:
        kept = (shares >= share) & (common >= LEAST)
        graph = sp.coo_array((np.ones(int(kept.sum())), (pairs[0][kept], pairs[1][kept])), shape=(n, n))
        clusters = connected_components(graph, directed=False)[1]
        if np.bincount(clusters).max() <= max(HALF * n, FEW) or share > 1:
            return np.asarray(clusters, dtype=np.int64)
        share *= 2


def _kmers(sequences: list[str]) -> Any:
    """Matrix of ones: sequences × k-mers, without those of many sequences; None if they have none in common."""
    packed = Strings(sequences)
    symbols, ranks, counts = np.unique(packed.codes, return_inverse=True, return_counts=True)
    if len(symbols) < 2:
        return None
    p = counts / counts.sum()
    k = int(np.clip(np.ceil(np.log(CHANCE) / max(-(p * np.log(p)).sum(), 1e-9)), 4, LONGEST))
    every = np.uint64(max(1, int(np.ceil(len(ranks) / KEPT))))
    found = [_kmers_of(ranks, packed.offsets, part, k, len(symbols), every) for part in _parts(packed.offsets)]
    owners, keys = (np.concatenate(values) for values in zip(*found, strict=True))
    _, columns, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    n = len(sequences)
    rare = sizes <= max(FEW, COMMON * n)
    if not (rare & (sizes > 1)).any():
        return None
    kept = rare[columns]  # k-mers of a single sequence count in its size
    return sp.csr_array((np.ones(int(kept.sum())), (owners[kept], columns[kept])), shape=(n, len(sizes)))


def _parts(offsets: Any) -> list[tuple[int, int]]:
    """Ranges of sequences with a bounded number of symbols, at least one sequence each."""
    parts, start = [], 0
    while start < len(offsets) - 1:
        end = max(start + 1, int(np.searchsorted(offsets, offsets[start] + CHUNK, side="right")) - 1)
        parts.append((start, end))
        start = end
    return parts


def _kmers_of(ranks: Any, offsets: Any, part: tuple[int, int], k: int, base: int, every: Any) -> tuple[Any, Any]:
    """Different k-mers of a range of sequences: numbers of the sequences, and keys."""
    first, last = int(offsets[part[0]]), int(offsets[part[1]])
    symbols = ranks[first:last].astype(np.uint64)
    places = max(len(symbols) - k + 1, 0)
    keys = np.zeros(places, dtype=np.uint64)
    for j in range(k):
        keys = keys * np.uint64(base) + symbols[j : j + places]
    keys = mixed(keys)
    owners = np.repeat(np.arange(*part), np.diff(offsets[part[0] : part[1] + 1]))[:places]
    ends = offsets[1:][owners] - first
    whole = (np.arange(places) + k <= ends) & (keys % every == 0)
    owners, keys = owners[whole], keys[whole]
    order = np.lexsort((keys, owners))
    owners, keys = owners[order], keys[order]
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (owners[1:] != owners[:-1]) | (keys[1:] != keys[:-1])
    return owners[new], keys[new]


def _candidates(matrix: Any) -> tuple[IndexArray, IndexArray]:
    """Pairs of sequences that follow each other in the list of a k-mer, those with most such k-mers first."""
    columns, n = sp.csc_array(matrix), matrix.shape[0]
    rows, sizes = columns.indices.astype(np.int64), np.diff(columns.indptr)
    last = np.zeros(len(rows), dtype=bool)
    last[columns.indptr[1:][sizes > 0] - 1] = True
    here = np.flatnonzero(~last)
    pairs, counts = np.unique(rows[here] * n + rows[here + 1], return_counts=True)
    if len(pairs) > PAIRS * n:
        pairs = pairs[np.argsort(-counts, kind="stable")[: PAIRS * n]]
    return pairs // n, pairs % n


def _common(matrix: Any, pairs: tuple[IndexArray, IndexArray]) -> Any:
    """Number of common k-mers of each pair."""
    found = [np.zeros(0)]
    for start in range(0, len(pairs[0]), AT_ONCE):
        a, b = (rows[start : start + AT_ONCE] for rows in pairs)
        found.append(np.asarray(matrix[a].multiply(matrix[b]).sum(axis=1)).ravel())
    return np.concatenate(found)
