"""Kernel discriminant analysis: directions that separate classes, as a transformer and a classifier."""

from mercer._doors import publish
from mercer.discriminant.kernel_discriminant import KernelDiscriminantAnalysis

__all__ = ["KernelDiscriminantAnalysis"]

publish(__name__, globals())
