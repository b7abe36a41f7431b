"""Kernels that are conditionally PSD but not PSD. They are used with centring or a bias, and as the argument of exp."""

from dataclasses import dataclass
from typing import ClassVar, final

from mercer._typing import Data
from mercer._validation import check_real
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.vector import VectorKernel

__all__ = ["Log", "Power"]

CPD, NOT_PSD = Definiteness.CPD, Definiteness.NOT_PSD


@final
@dataclass(frozen=True)
class Power(VectorKernel):
    """Power kernel  k(x, z) = −‖x − z‖^d, which is conditionally PSD for 0 < d ≤ 2.

    Parameters
    ----------
    degree : float, default=1.0
        Exponent d > 0.

    See Also
    --------
    Log : Another conditionally PSD kernel of the distance.
    ExpOf : Exponential of a kernel, PSD for conditionally PSD kernels.

    Notes
    -----
    Definiteness: conditionally PSD for 0 < d ≤ 2 (Schoenberg), and not even that for d > 2. Never PSD: the diagonal is
    zero and the other entries are negative. The kernel can be used where the data are centred or a bias is fitted, as
    in kernel PCA and SVMs. exp(t·k) is PSD for t > 0 and d ≤ 2: the Gaussian kernel for d = 2, the exponential kernel
    for d = 1.

    Feature map: none, because the kernel is not PSD.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, at the speed of a matrix product.

    References
    ----------
    * Schoenberg, *Metric spaces and positive definite functions*, Transactions of the AMS 44, 1938,
      doi:10.1090/S0002-9947-1938-1501980-0.
    * Schölkopf, *The kernel trick for distances*, NIPS 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import ExpOf
    >>> k = Power(degree=1.0)
    >>> k(np.array([[0.0], [1.0], [3.0]])) + 0.0
    array([[ 0., -1., -3.],
           [-1.,  0., -2.],
           [-3., -2.,  0.]])
    >>> k.definiteness.value, ExpOf(k).definiteness.value
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
    """Logarithmic kernel  k(x, z) = −log(1 + ‖x − z‖^d), which is conditionally PSD for 0 < d ≤ 2.

    Parameters
    ----------
    degree : float, default=2.0
        Exponent d > 0.

    See Also
    --------
    Power : Another conditionally PSD kernel of the distance.
    RationalQuadratic : The exponential of the case d = 2.

    Notes
    -----
    Definiteness: conditionally PSD for 0 < d ≤ 2, as −log(1 − κ) of the conditionally PSD kernel κ = −‖x − z‖^d ≤ 0.
    Never PSD: the diagonal is zero and the other entries are negative.

    Feature map: none, because the kernel is not PSD.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, at the speed of a matrix product.

    References
    ----------
    * Berg, Christensen and Ressel, *Harmonic Analysis on Semigroups*, 1984, doi:10.1007/978-1-4612-1128-0.
    * Boughorbel, Tarel and Boujemaa, *Conditionally positive definite kernels for SVM based image recognition*, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> k = Log(degree=2.0)
    >>> k(np.array([[0.0], [1.0], [3.0]])).round(4) + 0.0
    array([[ 0.    , -0.6931, -2.3026],
           [-0.6931,  0.    , -1.6094],
           [-2.3026, -1.6094,  0.    ]])
    >>> k.definiteness.value
    'cpd'
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
    """Turn ‖x − z‖² on the stack into ‖x − z‖^degree."""
    if degree == 1:
        program.map(Op.sqrt)
    elif degree != 2:
        program.map(Op.power, degree / 2)
