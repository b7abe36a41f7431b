"""Stable hashes of texts, without a vocabulary: containers that are packed separately agree."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mercer.data.hashing.categories import text_codes

__all__ = ["HashArray", "hash_texts", "merge_texts", "used_texts"]

HashArray: TypeAlias = npt.NDArray[np.uint64]


def hash_texts(who: str, texts: Sequence[str]) -> tuple[HashArray, dict[int, str]]:
    """Stable hash of every text, shape (n,), and the text of each hash.

    The hash is the bit pattern of `mercer.data.hashing.categories.code`: the same in every process, with 52 varying
    bits. Two texts with the same hash raise ValueError.

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
    """Dictionary without texts that do not occur in a small choice of samples."""
    return texts if len(texts) <= len(hashes) else {number: texts[number] for number in np.unique(hashes).tolist()}
