"""Base class of kernels on numerical vectors."""

from typing import ClassVar

from mercer.kernels.base import Kernel, Reads

__all__ = ["VectorKernel"]


class VectorKernel(Kernel):
    """Base class of kernels on numerical vectors that are evaluated by the compiled core.

    A subclass is a frozen dataclass that defines `emit`, and usually `proof`. Class attributes declare the data it
    accepts: ``takes_sparse = False`` refuses sparse matrices, ``domain = "x ≥ 0"`` refuses negative numbers.

    Parameters
    ----------
    *args : object
        Parameters of the subclass, in the order of its fields.
    **options : object
        Parameters of the subclass, by name.

    See Also
    --------
    Kernel : Base class of all kernels.
    Builder : The operations that `emit` can push.
    Op : Sources and maps of the compiled core.

    References
    ----------
    * Schölkopf and Smola, *Learning with Kernels*, 2002.

    Examples
    --------
    The Cauchy kernel 1/(1 + ‖x − z‖²):

    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from mercer.kernels import Op
    >>> @dataclass(frozen=True)
    ... class Cauchy(VectorKernel):
    ...     def emit(self, program, X):
    ...         program.sqdist(program.vectors(self, X))
    ...         program.map(Op.rational_quadratic, 1.0, 1.0)
    >>> Cauchy()(np.array([[0.0], [1.0], [3.0]]))
    array([[1. , 0.5, 0.1],
           [0.5, 1. , 0.2],
           [0.1, 0.2, 1. ]])
    """

    reads: ClassVar[Reads] = "vectors"
