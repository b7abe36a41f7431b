"""Errors and warnings of mercer.

Every message says who complains, what was expected, what came, and what to do. Errors derive from the built-in class
that callers already catch (``ValueError``, ``MemoryError``), so nobody needs this module to handle them.
"""

__all__ = [
    "CostLimitError",
    "IndefiniteKernelWarning",
    "KernelSyntaxError",
    "MemoryLimitError",
    "NoFeatureMapError",
    "NotPositiveDefiniteError",
    "NumericalWarning",
    "PerformanceWarning",
    "UnusedParameterWarning",
    "VersionWarning",
]


class NotPositiveDefiniteError(ValueError):
    """A step needs a positive semidefinite kernel or matrix, and this one is not."""


class NoFeatureMapError(ValueError):
    """The kernel has no explicit feature map of finite size; the message names an approximate way."""


class KernelSyntaxError(ValueError):
    """A text such as ``"rbf(gamma=0.1) + linear"`` does not describe a kernel."""


class MemoryLimitError(MemoryError):
    """A buffer was refused before it was allocated, because it would not fit."""


class CostLimitError(ValueError):
    """A computation was refused before it started, because its parameters would make one sample take too long."""


class PerformanceWarning(UserWarning):
    """The result is right, but a different call would be much cheaper."""


class NumericalWarning(UserWarning):
    """Rounding has cost more digits than a user would expect."""


class IndefiniteKernelWarning(UserWarning):
    """A support vector machine was given a kernel that is proved not to be positive semidefinite."""


class UnusedParameterWarning(UserWarning):
    """`gamma`, `degree`, `coef0` or `kernel_params` was set, but the kernel that was given does not read it."""


class VersionWarning(UserWarning):
    """A model file was written by another minor version of mercer or scikit-learn."""
