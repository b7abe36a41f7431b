"""Strings of DNA with a hidden motif: two half sites that are mutated and lie a few letters apart."""

import numpy as np

from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import polars

__all__ = ["motifs"]

_HALVES = ("TGACG", "CGTCA")  # each is the other's reverse complement
_REDRAWN = 0.08
_DECOYS = 0.3


def motifs() -> Dataset:
    """Make 300 strings of 30 to 50 letters, every other one "bound".

    A bound string holds both half sites, the second 0 to 2 letters after the first; each of their letters is redrawn
    with probability 0.08. Of the free strings three in ten hold both in the other order, so that what they are made
    of is not enough.
    """
    rng = np.random.default_rng(0)
    sequences, classes = [], []
    for i in range(300):
        letters = list(rng.choice(list("ACGT"), size=int(rng.integers(30, 51))))
        bound, decoy = i % 2 == 0, rng.random() < _DECOYS
        gap = int(rng.integers(3))
        start = int(rng.integers(len(letters) - 10 - gap + 1))
        if bound or decoy:
            for place, half in zip((start, start + 5 + gap), _HALVES if bound else _HALVES[::-1], strict=True):
                kept = rng.random(5) >= _REDRAWN
                letters[place : place + 5] = np.where(kept, list(half), rng.choice(list("ACGT"), size=5))
        sequences.append("".join(letters))
        classes.append("bound" if bound else "free")
    frame = polars("mercer.datasets.load").DataFrame({"sequence": sequences, "class": classes})
    return Dataset("motifs", frame, target="class")
