"""What two samples have in common, relative to all that they have: Tanimoto of any kernel."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer.kernels.algebra import Unary, check_kernel_part
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.program import Builder, Op

__all__ = ["TanimotoOf", "emit_ratio"]


def emit_ratio(program: Builder, diagonal: DoubleArray) -> None:
    """Change the top v = k(x, z) into v/(k(x, x) + k(z, z) − v), 0/0 = 0; k is PSD, so that k(x, x) = 0 makes v = 0."""
    program.outer(Op.outer_ratio, np.where(diagonal > 0, diagonal, np.inf))


@final
@dataclass(frozen=True)
class TanimotoOf(Unary):
    r"""Tanimoto  k(x, z)/(k(x, x) + k(z, z) − k(x, z)) of any PSD kernel, 0/0 = 0.

    Of an inner product of 0/1 features it is |x ∩ z|/|x ∪ z|; of a sum of minima, such as ``Spectrum(3, mode="min")``,
    it is MinMax, Σ min/Σ max.

    Notes
    -----
    The cost of k. PSD if k is, of any sign: with f_t(x) = exp(−t k(x, x)) it is k · ∫ f_t(x) exp(t k(x, z)) f_t(z) dt
    over t > 0. Samples with k(x, x) = 0 get 0, where `Tanimoto` and `MinMax` of vectors give each other 1; a negative
    k(x, x) raises ValueError.

    References
    ----------
    Ralaivola et al. 2005, doi:10.1016/j.neunet.2005.07.009.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear, Tanimoto
    >>> X = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]])
    >>> bool(np.allclose(TanimotoOf(Linear())(X), Tanimoto()(X)))
    True
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
