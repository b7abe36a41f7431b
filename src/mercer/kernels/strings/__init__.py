"""Kernels over strings of characters, bytes or tokens.

They take lists of str, bytes or token lists, columns of frames, and `mercer.data.Strings`.
"""

from mercer.kernels.strings.bag_of_words import BagOfWords
from mercer.kernels.strings.spectrum import Spectrum

__all__ = ["BagOfWords", "Spectrum"]
