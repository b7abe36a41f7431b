"""Kernels that are only conditionally PSD: usable where the data are centred, and inside exp."""

from dataclasses import dataclass
from typing import ClassVar, final

from mercer._typing import Data
from mercer._validation import check_real
from mercer.kernels.base import VectorKernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.program import Builder, Op

__all__ = ["Log", "Power"]

CPD, NOT_PSD = Definiteness.CPD, Definiteness.NOT_PSD


@final
@dataclass(frozen=True)
class Power(VectorKernel):
    r"""Power kernel  k(x, z) = −‖x − z‖^d. Conditionally PSD, never PSD.

    Parameters
    ----------
    degree : float
        d > 0; conditionally PSD for d ≤ 2.

    Notes
    -----
    O(D) per pair. Usable where the data are centred: kernel PCA, SVM with a bias. exp(t·k) is PSD for t > 0, d ≤ 2.

    References
    ----------
    Schoenberg 1938, doi:10.1090/S0002-9947-1938-1501980-0.

    Examples
    --------
    >>> from mercer.kernels import ExpOf
    >>> Power(degree=1.0).definiteness.value, ExpOf(Power(degree=1.0)).definiteness.value
    ('cpd', 'psd')
    """

    name: ClassVar[str] = "power"
    formula: ClassVar[str] = "−‖x−z‖^d"
    degree: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", check_real("Power", "degree", self.degree, low=0.0, strict=True))

    def emit(self, program: Builder, X: Data) -> None:
        program.sqdist(program.vectors(self, X))
        _raise_distance(program, self.degree)
        program.map(Op.affine, -1.0)

    def proof(self) -> Certificate:
        if self.degree <= 2:
            return self._certify(
                CPD, "−‖x−z‖^d for 0 < d ≤ 2 (never PSD: zero diagonal, negative entries)", "Schoenberg 1938"
            )
        return self._certify(
            NOT_PSD, "zero diagonal and negative entries; for d > 2 not even conditionally PSD", "Schoenberg 1938"
        )


@final
@dataclass(frozen=True)
class Log(VectorKernel):
    r"""Logarithmic kernel  k(x, z) = −log(1 + ‖x − z‖^d). Conditionally PSD for 0 < d ≤ 2.

    Parameters
    ----------
    degree : float
        d > 0.

    Notes
    -----
    O(D) per pair. Never PSD: the diagonal is zero and the rest negative.

    Examples
    --------
    >>> import numpy as np
    >>> Log(degree=2.0)(np.array([[0.0], [1.0]]))[0, 1] == -np.log(2.0)
    np.True_
    """

    name: ClassVar[str] = "log"
    formula: ClassVar[str] = "−log(1 + ‖x−z‖^d)"
    degree: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", check_real("Log", "degree", self.degree, low=0.0, strict=True))

    def emit(self, program: Builder, X: Data) -> None:
        program.sqdist(program.vectors(self, X))
        _raise_distance(program, self.degree)
        program.map(Op.log1p)
        program.map(Op.affine, -1.0)

    def proof(self) -> Certificate:
        if self.degree <= 2:
            return self._certify(
                CPD, "−log(1 − k) for the CPD kernel k = −‖x−z‖^d ≤ 0", "Berg, Christensen, Ressel 1984"
            )
        return self._certify(NOT_PSD, "zero diagonal and negative entries")


def _raise_distance(program: Builder, degree: float) -> None:
    """From ‖x−z‖² on the stack to ‖x−z‖^degree."""
    if degree == 1:
        program.map(Op.sqrt)
    elif degree != 2:
        program.map(Op.power, degree / 2)
