"""Tanimoto kernel of any PSD kernel."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer.kernels.algebra import Unary, check_kernel_part
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder

__all__ = ["TanimotoOf", "emit_ratio"]


def emit_ratio(program: Builder, diagonal: DoubleArray) -> None:
    """Turn v = k(x, z) on the stack into v/(k(x, x) + k(z, z) − v), with 0/0 = 0.

    The kernel k must be PSD, so that k(x, x) = 0 implies k(x, z) = 0.
    """
    program.outer(Op.outer_ratio, np.where(diagonal > 0, diagonal, np.inf))


@final
@dataclass(frozen=True)
class TanimotoOf(Unary):
    """Tanimoto kernel  k(x, z)/(k(x, x) + k(z, z) − k(x, z)) of a PSD kernel k, with 0/0 = 0.

    For an inner product of 0/1 features it is the Jaccard index, the size of the intersection divided by that of the
    union. For a sum of minima, such as ``Spectrum(3, mode="min")``, it is the MinMax kernel Σ min/Σ max.

    Parameters
    ----------
    kernel : Kernel
        PSD kernel k.

    See Also
    --------
    Tanimoto : Tanimoto kernel of vectors.
    MinMax : MinMax kernel of vectors.
    Normalized : Normalisation by the geometric mean of k(x, x) and k(z, z).

    Notes
    -----
    Definiteness: PSD if k is PSD, whatever the signs of its values. With f_t(x) = exp(−t k(x, x)), the kernel is k
    times the integral of f_t(x) exp(t k(x, z)) f_t(z) over t > 0.

    Samples with k(x, x) = 0 have the value 0, whereas `Tanimoto` and `MinMax` give 1 for two such samples. A negative
    k(x, x) raises a ValueError.

    Feature map: infinite; none is implemented.

    Complexity: that of k; the diagonal is computed once per data set.

    References
    ----------
    * Ralaivola, Swamidass, Saigo and Baldi, *Graph kernels for chemical informatics*, Neural Networks 18, 2005,
      doi:10.1016/j.neunet.2005.07.009.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> X = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    >>> TanimotoOf(Linear())(X)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    name: ClassVar[str] = "tanimoto_of"
    formula: ClassVar[str] = "k(x,z)/(k(x,x)+k(z,z)−k(x,z))"
    kernel: Kernel

    def __post_init__(self) -> None:
        check_kernel_part("TanimotoOf", "kernel", self.kernel)

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, X)
        emit_ratio(program, self.squared_norms(X))

    def text(self) -> tuple[str, int]:
        return f"{self.name}({self.kernel})", 4

    def proof(self) -> Certificate:
        if self.kernel.definiteness is Definiteness.PSD:
            rule = "k·∫ f_t(x) exp(t·k(x,z)) f_t(z) dt with f_t(x) = exp(−t·k(x,x)) is PSD for PSD k"
            return self._certify(Definiteness.PSD, rule, "Ralaivola et al. 2005")
        return self._certify(Definiteness.UNKNOWN, "no rule unless k is PSD")
