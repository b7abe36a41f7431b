"""Gapped and mismatch kernels by their definition: features are listed and counted."""

import itertools
import math
from collections import Counter

import numpy as np

COMPLEMENT = dict(zip("ACGT", "TGCA", strict=True))


def windows(string, width, inside=lambda symbol: True):
    """All windows that hold no symbol outside, as tuples."""
    found = [tuple(string[i : i + width]) for i in range(len(string) - width + 1)]
    return [window for window in found if all(map(inside, window))]


def distance(a, b):
    return sum(x != y for x, y in zip(a, b, strict=True))


def gapped_features(string, g, m, inside=lambda symbol: True, sets=None):
    """Counts of (kept positions, symbols there)."""
    sets = list(itertools.combinations(range(g), g - m)) if sets is None else sets
    found = windows(string, g, inside)
    return Counter((kept, tuple(window[k] for k in kept)) for window in found for kept in sets)


def mismatch_features(string, p, m, alphabet):
    """Counts of windows near each word over the alphabet."""
    found = windows(string, p, set(alphabet).__contains__)
    words = itertools.product(sorted(set(alphabet)), repeat=p)
    counted = {word: sum(distance(word, window) <= m for window in found) for word in words}
    return Counter({word: count for word, count in counted.items() if count})


def gapped_by_distance(s, t, g, m):
    """The identity FastSK computes: Σ over pairs of g-mers at distance d ≤ m of C(g − d, g − m)."""
    found = [distance(a, b) for a in windows(s, g) for b in windows(t, g)]
    return sum(math.comb(g - d, g - m) for d in found if d <= m)


def inner(first, second):
    return float(sum(count * second[word] for word, count in first.items()))


def gram(features, left, right=None):
    """Matrix of inner products of the features of strings."""
    rows = [features(string) for string in left]
    columns = rows if right is None else [features(string) for string in right]
    return np.array([[inner(a, b) for b in columns] for a in rows]).reshape(len(rows), len(columns))


def opposite(string):
    """The reverse complement; other characters stay."""
    return "".join(COMPLEMENT.get(symbol, symbol) for symbol in reversed(string))
