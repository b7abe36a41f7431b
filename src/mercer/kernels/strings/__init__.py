"""Kernels over strings of characters, bytes or tokens.

They take lists of str, bytes or token lists, columns of frames, and `mercer.data.Strings`.

String kernels belong to `mercer.kernels`, which exports them too; this package groups the family.
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
