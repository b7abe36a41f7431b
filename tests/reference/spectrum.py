"""Kernels of words from their definition, with dictionaries."""

from collections import Counter

import numpy as np

__all__ = ["block", "words"]

PARTNER = dict(zip("ACGT", "TGCA", strict=True))


def words(string, p, *, alphabet=None, both_strands=False, weights=None):
    """How often each word of length p occurs; `weights` say what an occurrence at a position counts."""
    counts = Counter()
    for i in range(len(string) - p + 1):
        word = tuple(string[i : i + p]) if not isinstance(string, str) else string[i : i + p]
        if alphabet is not None and not set(word) <= set(alphabet):
            continue
        if both_strands:
            word = min(word, "".join(PARTNER[c] for c in reversed(word)))
        counts[word] += 1 if weights is None else weights[i]
    return counts


def block(A, B, p, mode="count", **options):
    """k of all pairs for one length of words."""
    join = {"count": lambda a, b: a * b, "presence": lambda a, b: bool(a) * bool(b), "min": min}[mode]
    left, right = ([words(s, p, **options) for s in strings] for strings in (A, B))
    return np.array([[sum(join(a[u], b[u]) for u in a) for b in right] for a in left], dtype=float)
