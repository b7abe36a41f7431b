"""Stable hashes of labels of any hashable type."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mercer._validation import describe
from mercer.data.hashing.categories import code, encode_numbers, is_hashable, is_missing
from mercer.data.hashing.texts import HashArray, merge_texts

__all__ = ["hash_label", "hash_labels", "joint_label"]


def hash_label(value: Any) -> int:
    """Stable hash of one label: the bit pattern of `mercer.data.hashing.categories.code`.

    >>> hash_label(1) == hash_label(1.0) == hash_label(True), hash_label(1) == hash_label("1")
    (True, False)
    """
    return int(np.float64(code(value) + 0.0).view(np.uint64))  # + 0.0 turns -0.0 into 0.0


def hash_labels(who: str, labels: Any, place: Callable[[int], str]) -> tuple[HashArray, dict[int, Any]]:
    """Stable hash of every label, shape (n,), and the label of each hash.

    Parameters
    ----------
    who : str
        Caller, named in messages.
    labels : sequence of hashable values, or array of shape (n,) or (n, k)
        Labels. The rows of a matrix become tuples, those of a single column its entries.
    place : callable
        Description of the owner of the i-th label for messages, such as ``"node 1 of graph 2"``.

    Notes
    -----
    One hash for each distinct label; an array of numbers needs no loop.

    >>> hashes, values = hash_labels("Graphs", ["C", "O", "C"], "node {}".format)
    >>> [values[number] for number in hashes.tolist()]
    ['C', 'O', 'C']
    """
    if isinstance(labels, np.ndarray):
        if labels.ndim == 2 and labels.shape[1] == 1:
            labels = labels[:, 0]
        if labels.ndim == 1 and labels.dtype.kind in "iubf" and labels.dtype.itemsize <= 8:
            return _hash_numbers(who, labels, place)
        labels = list(map(tuple, labels.tolist())) if labels.ndim == 2 else labels.tolist()
    try:
        distinct = dict.fromkeys(labels)
    except TypeError:
        at = next(i for i, label in enumerate(labels) if not is_hashable(label))
        raise _label_error(who, place(at), labels[at], "it is not hashable") from None
    known: dict[Any, int] = {}
    for label in distinct:
        try:
            if is_missing(label):
                raise TypeError("it is missing")
            known[label] = hash_label(label)
        except TypeError as error:
            at = next(i for i, other in enumerate(labels) if other is label)
            raise _label_error(who, place(at), label, str(error)) from None
    hashes = np.fromiter(map(known.__getitem__, labels), dtype=np.uint64, count=len(labels))
    return hashes, merge_texts(who, ((number, label) for label, number in known.items()))


def _hash_numbers(who: str, labels: Any, place: Callable[[int], str]) -> tuple[HashArray, dict[int, Any]]:
    missing = np.flatnonzero(labels != labels)
    if len(missing):
        raise _label_error(who, place(int(missing[0])), float("nan"), "it is missing")
    hashes = (encode_numbers(who, labels) + 0.0).view(np.uint64)
    distinct, first = np.unique(hashes, return_index=True)
    return hashes, dict(zip(distinct.tolist(), labels[first].tolist(), strict=True))


def joint_label(labels: Sequence[Any]) -> tuple[Any, ...]:
    """Several labels as one: their sorted tuple, sorted by code if they cannot be compared.

    >>> joint_label(["S", "D"])
    ('D', 'S')
    """
    try:
        return tuple(sorted(labels))
    except TypeError:
        return tuple(sorted(labels, key=code))


def _label_error(who: str, where: str, value: Any, why: str) -> ValueError | TypeError:
    kind = ValueError if is_missing(value) else TypeError
    return kind(
        f"{who}: {where} has no usable label: got {describe(value)}, and {why}; use numbers, text or tuples of them."
    )
