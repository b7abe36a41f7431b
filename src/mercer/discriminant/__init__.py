"""Kernel discriminant analysis, a transformer and classifier."""

from mercer._doors import publish
from mercer.discriminant.kernel_discriminant import KernelDiscriminantAnalysis

__all__ = ["KernelDiscriminantAnalysis"]

publish(__name__, globals())
