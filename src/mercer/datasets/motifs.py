"""Generated DNA sequences with a hidden motif: two mutated half sites a few letters apart."""

import numpy as np

from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import polars

__all__ = ["motifs"]

_HALVES = ("TGACG", "CGTCA")  # reverse complements of each other
_REDRAWN = 0.08
_DECOYS = 0.3


def motifs() -> Dataset:
    """Generate 300 sequences of 30 to 50 letters, half of them "bound".

    A bound sequence contains both half sites, the second 0 to 2 letters after the first; each of their letters is
    redrawn with probability 0.08. Of the free sequences, 30 % contain both in the other order, so that their
    composition is not sufficient.
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
