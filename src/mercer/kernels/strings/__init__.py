"""String kernels: sequences of characters, bytes or tokens.

Samples are given as lists of str, bytes or token lists, as columns of frames, or as `mercer.data.Strings`.

All classes are also exported by `mercer.kernels`.
"""

from mercer.kernels.strings.bag_of_words import BagOfWords
from mercer.kernels.strings.gapped import Gapped
from mercer.kernels.strings.local_alignment import LocalAlignment
from mercer.kernels.strings.mismatch import Mismatch
from mercer.kernels.strings.spectrum import Spectrum
from mercer.kernels.strings.subsequence import Subsequence
from mercer.kernels.strings.weighted_degree import WeightedDegree

__all__ = [
    "BagOfWords",
    "Gapped",
    "LocalAlignment",
    "Mismatch",
    "Spectrum",
    "Subsequence",
    "WeightedDegree",
]
