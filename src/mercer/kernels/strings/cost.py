"""Whether a Gram matrix is cheaper by a sparse product of explicit features or pair by pair.

The constants are nanoseconds on one core, measured on DNA and proteins of 100 to 250 symbols. Making a feature and
giving it a column costs the same whatever it is; the product looks every feature up once for each block of partners,
which is slower where there are too many columns for a cache.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from mercer.kernels.strings.hamming import HammingKernel
    from mercer.kernels.strings.strands import Strands

__all__ = ["cheaper"]

LARGEST = 2 * 10**8  # features of all windows that may be held at a time
ENTRY, NEAR, FAR = 250.0, 0.2, 0.6  # a feature; and for each partner of its string, with few and with many columns
CACHED = 2**17  # columns that are few
REGISTER, PAIR = 1.0, 60.0  # 32 cells; a pair of strings
LANES = 32
CLEARLY = 0.7  # features must be estimated at less than this share of the cost of pairs


def cheaper(kernel: "HammingKernel", A: "Strands") -> Literal["features", "pairs"]:
    """The cheaper way to the Gram matrix of packed strings, by an estimate; values do not depend on it."""
    n, strings = len(A), A.joined
    windows = int(np.maximum(strings.lengths - kernel.width + 1, 0).sum())
    entries = windows * kernel.entries
    if windows == 0 or entries > LARGEST:
        return "pairs"
    columns = min(entries, kernel.possible(len(strings.symbols)))
    by_features = entries * (ENTRY + n * (NEAR if columns <= CACHED else FAR))
    registers = float(np.ceil(A.forward.lengths / LANES).sum())
    by_pairs = (REGISTER * registers * float(strings.lengths.sum()) + PAIR * n * n) / 2
    return "features" if by_features < CLEARLY * by_pairs else "pairs"
