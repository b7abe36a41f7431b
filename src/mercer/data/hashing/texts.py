"""Stable hashes of texts: no vocabulary is kept, so containers that are packed separately agree."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mercer.data.hashing.categories import text_codes

__all__ = ["HashArray", "hash_texts", "merge_texts", "used_texts"]

HashArray: TypeAlias = npt.NDArray[np.uint64]


def hash_texts(who: str, texts: Sequence[str]) -> tuple[HashArray, dict[int, str]]:
    """Stable hash of every text, shape (n,), and the text behind each hash.

    The hash is the bit pattern of `mercer.data.hashing.categories.code`: the same in every process, 52 of its bits
    vary. Two texts that share a hash raise ValueError, so that what is shown is what was given.

    >>> hashes, texts = hash_texts("Strings", ["to", "be", "or", "not", "to", "be"])
    >>> [texts[number] for number in hashes.tolist()]
    ['to', 'be', 'or', 'not', 'to', 'be']
    """
    distinct = list(dict.fromkeys(texts))
    hashes = text_codes(distinct).view(np.uint64).tolist()
    known = dict(zip(distinct, hashes, strict=True))
    flat = np.fromiter(map(known.__getitem__, texts), dtype=np.uint64, count=len(texts))
    return flat, merge_texts(who, zip(hashes, distinct, strict=True))


def merge_texts(who: str, pairs: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Dictionary of texts by hash; two texts with one hash raise ValueError."""
    merged: dict[int, str] = {}
    for number, text in pairs:
        if merged.setdefault(number, text) != text:
            raise ValueError(f"{who}: {merged[number]!r} and {text!r} have the same hash; rename one of them.")
    return merged


def used_texts(texts: dict[int, str], hashes: npt.NDArray[Any]) -> dict[int, str]:
    """Dictionary without the texts that a small choice of samples left behind."""
    return texts if len(texts) <= len(hashes) else {number: texts[number] for number in np.unique(hashes).tolist()}
