"""Whether a Gram matrix is cheaper by a sparse product of explicit features or pair by pair."""

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from mercer.kernels.strings.hamming import HammingKernel
    from mercer.kernels.strings.strands import Strands

__all__ = ["cheaper"]

SAMPLE = 200  # strings that the estimate looks at
LARGEST = 2 * 10**8  # features of all windows that may be held at a time
TRIAL = 4 * 10**6  # and those worth making for an estimate
# Measured, in units of one register of 32 cells: making a feature, multiplying two that meet, comparing a pair at all.
ENTRY, PRODUCT, PAIR = 150.0, 3.0, 30.0
CLEARLY = 0.7  # features must be estimated at less than this share of the cost of pairs


def cheaper(kernel: "HammingKernel", A: "Strands") -> Literal["features", "pairs"]:
    """The cheaper way to the Gram matrix of packed strings, as estimated from some of them; values do not depend on it."""
    n, lengths = len(A), A.joined.lengths
    windows = np.maximum(lengths - kernel.width + 1, 0)
    if windows.sum() * kernel.entries > LARGEST:
        return "pairs"
    some = A[:: max(1, -(-n // SAMPLE))]
    if np.maximum(some.joined.lengths - kernel.width + 1, 0).sum() * kernel.entries > TRIAL:
        return "pairs"
    rows = kernel.rows(some)
    scale = n / max(1, len(some))
    shared = np.unique(rows.keys, return_counts=True)[1].astype(np.float64)
    meetings = scale * shared.sum() + scale**2 * (shared * (shared - 1)).sum()
    by_features = ENTRY * scale * len(rows.keys) + PRODUCT * meetings / 2
    registers = np.ceil(A.forward.lengths / 32).sum()
    by_pairs = (registers * lengths.sum() + PAIR * n * n) / 2
    return "features" if by_features < CLEARLY * by_pairs else "pairs"
