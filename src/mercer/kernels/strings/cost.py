"""Cost model: Gram matrix by a sparse product of explicit features, or pair by pair.

The constants are nanoseconds on one core, measured on DNA and proteins of 100 to 250 symbols. Computing a feature and
assigning its column has a fixed cost. The product reads every feature once for each block of partners, which is slower
if there are too many columns for the cache.
"""

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from mercer.kernels.strings.hamming import HammingKernel
    from mercer.kernels.strings.strands import Strands

__all__ = ["cheaper"]

LARGEST = 2 * 10**8  # upper limit of the number of features of all windows
ENTRY, NEAR, FAR = 250.0, 0.2, 0.6  # per feature; per feature and partner with few and with many columns
CACHED = 2**17  # largest number of columns that fits the cache
REGISTER, PAIR = 1.0, 60.0  # per 32 cells; per pair of strings
LANES = 32
CLEARLY = 0.7  # features are used below this fraction of the cost of pairs


def cheaper(kernel: "HammingKernel", A: "Strands") -> Literal["features", "pairs"]:
    """The estimated cheaper way to the Gram matrix of packed strings; values do not depend on it."""
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
