"""Slow twins of the subsequence kernel: from its definition, and vectorised NumPy, which is what its speed is held to.

`values` follows the definition over all index sequences of tiny strings. `gram` runs the recurrence over a batch of
right strings at once. With S_q(i, j) = Σ λ^(i−i'+j−j') M_q(i', j') over i' ≤ i, j' ≤ j, the sum over pairs of
subsequences of length q that end at (i, j) is M_q+1(i, j) = λ² [s_i = t_j] S_q(i−1, j−1) and M_1 = λ² [s_i = t_j].
Divided by λ^(i+j) the S_q are plain sums over a rectangle, so that a row of all right strings costs a product, a
cumulative sum and an addition per q.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["gram", "value"]

BATCH = 64  # right strings at a time: their sums stay in the cache


def value(s: Any, t: Any, p: int, decay: float) -> float:
    """K_p(s, t) over all pairs of index sequences; symbols are compared with ``==``."""
    total = 0.0
    for i in combinations(range(len(s)), p):
        for j in combinations(range(len(t)), p):
            if all(s[a] == t[b] for a, b in zip(i, j, strict=True)):
                total += decay ** (i[-1] - i[0] + 1 + j[-1] - j[0] + 1)
    return total


def gram(strings: Sequence[str], others: Sequence[str] | None, p: int, decay: float) -> npt.NDArray[np.float64]:
    """Block of values; ``others=None`` is the symmetric one, of which half is computed.

    Strings are sorted by length so that a batch has little padding. λ^−(|s|+|t|) must be a double.
    """
    left = [np.array(list(map(ord, s)), dtype=np.int64) for s in strings]
    right = left if others is None else [np.array(list(map(ord, t)), dtype=np.int64) for t in others]
    order = np.argsort([len(t) for t in right], kind="stable")
    K = np.zeros((len(left), len(right)))
    for start in range(0, len(right), BATCH):
        columns = order[start : start + BATCH]
        T = np.full((len(columns), max(1, *(len(right[j]) for j in columns))), -1)
        for row, j in zip(T, columns, strict=True):
            row[: len(right[j])] = right[j]
        for at, i in enumerate(order[: start + BATCH] if others is None else range(len(left))):
            skip = max(0, at - start) if others is None else 0
            K[i, columns[skip:]] = batch(left[i], T[skip:], p, decay)
            if others is None:
                K[columns[skip:], i] = K[i, columns[skip:]]
    return K


def batch(s: npt.NDArray[np.int64], T: npt.NDArray[np.int64], p: int, decay: float) -> npt.NDArray[np.float64]:
    """K_p(s, t) for every row t of T, padded with −1."""
    n, length = T.shape
    if -(len(s) + length) * np.log2(decay) > 1000:
        raise ValueError("the scaled sums overflow")
    matches = {c: (c == T).astype(float) for c in np.unique(s)}
    up, down = decay ** -np.arange(1.0, length + 1), decay ** np.arange(1.0, length + 1)
    sums = np.zeros((p, n, length + 1))
    sums[0] = 1.0
    M, K = np.empty((n, length)), np.zeros(n)
    for i, c in enumerate(s, start=1):
        match = matches[c]
        if p == 1:
            K += match.sum(axis=1)
            continue
        np.multiply(match, sums[p - 1, :, :-1], out=M)
        K += (M @ down) * decay**i
        for q in range(p - 1, 1, -1):
            np.multiply(match, sums[q - 1, :, :-1], out=M)
            sums[q, :, 1:] += np.cumsum(M, axis=1, out=M)
        np.multiply(match, up * decay**-i, out=M)
        sums[1, :, 1:] += np.cumsum(M, axis=1, out=M)
    return K * decay**2
