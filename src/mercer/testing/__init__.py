"""Conformance tests for kernels: every law that a kernel must obey, for kernels of the library and of users.

>>> import numpy as np
>>> from mercer.kernels import RBF
>>> from mercer.testing import check_kernel
>>> check_kernel(RBF(), np.random.default_rng(0).normal(size=(8, 3)))
"""

from mercer._doors import publish
from mercer.testing.checks import check_kernel, kernel_checks, parametrize_with_kernel_checks

__all__ = ["check_kernel", "kernel_checks", "parametrize_with_kernel_checks"]

publish(__name__, globals())
