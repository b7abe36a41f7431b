"""Functions of one kernel that preserve definiteness: exponential, powers, polynomials, normalisation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from mercer._typing import Data
from mercer._validation import check_integer, check_real, describe
from mercer.kernels.algebra import Unary, check_kernel_part
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.dot import inverse_roots, squared_norms
from mercer.kernels.features import Options, binomial, scale_rows, series, taylor_degree
from mercer.kernels.naming import monomials
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.sharing import sharing

__all__ = ["ExpOf", "Normalized", "PolynomialOf", "PowerOf"]

PSD, CPD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.CPD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


@final
@dataclass(frozen=True)
class ExpOf(Unary):
    """Exponential of a kernel  exp(k(x, z)), written ``exp(k)`` in the text form.

    Parameters
    ----------
    kernel : Kernel
        Kernel k.

    See Also
    --------
    RBF : The exponential of −γ‖x − z‖².
    PolynomialOf : Polynomial of a kernel.

    Notes
    -----
    Definiteness: PSD if k is PSD, as the limit of polynomials with nonnegative coefficients, and also if k is only
    conditionally PSD (Schoenberg). Otherwise unknown.

    Feature map: infinite. ``feature_map(X, degree=r)`` keeps the monomials of φ up to degree r of the Taylor series
    Σ_j k^j/j!.

    Complexity: that of k.

    References
    ----------
    * Schoenberg, *Metric spaces and positive definite functions*, Transactions of the AMS 44, 1938.
    * Berg, Christensen and Ressel, *Harmonic Analysis on Semigroups*, 1984.

    Examples
    --------
    The exponential of −0.5 ‖x − z‖² is the Gaussian kernel:

    >>> import numpy as np
    >>> from mercer.kernels import Power
    >>> k = ExpOf(0.5 * Power(degree=2.0))
    >>> k(np.array([[0.0], [1.0]])).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    >>> k.definiteness.value
    'psd'
    """

    name: ClassVar[str] = "exp"
    formula: ClassVar[str] = "exp(k)"
    kernel: Kernel

    def __post_init__(self) -> None:
        check_kernel_part("ExpOf", "kernel", self.kernel)

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, X)
        program.map(Op.exp, 1.0)

    def features(self, X: Data, options: Options) -> Any:
        degree = taylor_degree("ExpOf", options)
        coefficients = [1 / math.factorial(j) for j in range(degree + 1)]
        return series("ExpOf", self.kernel.features(X, options), coefficients)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return monomials(self.kernel.feature_names(X, options), [1.0] * (taylor_degree("ExpOf", options) + 1))

    def text(self) -> tuple[str, int]:
        return f"exp({self.kernel})", 4

    def proof(self) -> Certificate:
        inner = self.kernel.definiteness
        if inner is PSD:
            return self._certify(PSD, "exp(k) = Σ kⁿ/n! is PSD for PSD k")
        if inner is CPD:
            return self._certify(PSD, "exp(k) is PSD for conditionally PSD k", "Schoenberg 1938")
        return self._certify(UNKNOWN, "no rule for exp(k) unless k is PSD or CPD")


@final
@dataclass(frozen=True)
class PowerOf(Unary):
    """Power of a kernel  k(x, z)^n with an integer n ≥ 1, written ``k ** n``.

    Parameters
    ----------
    kernel : Kernel
        Kernel k.
    exponent : int, default=2
        Exponent n ≥ 1.

    See Also
    --------
    Polynomial : Power of γ⟨x, z⟩ + c.
    PolynomialOf : Polynomial of a kernel.
    Product : Product of kernels.

    Notes
    -----
    Definiteness: PSD if k is PSD, by Schur's product theorem. Otherwise unknown.

    Feature map: the C(m+n−1, n) monomials of degree n in the m features of k.

    Complexity: that of k.

    References
    ----------
    * Schur, *Bemerkungen zur Theorie der beschränkten Bilinearformen mit unendlich vielen Veränderlichen*, Journal für
      die reine und angewandte Mathematik 140, 1911.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> k = Linear() ** 2
    >>> print(k)
    linear**2
    >>> k(np.array([[1.0, 2.0], [3.0, -1.0]]))
    array([[ 25.,   1.],
           [  1., 100.]])
    """

    name: ClassVar[str] = "**"
    formula: ClassVar[str] = "k^n"
    kernel: Kernel
    exponent: int = 2

    def __post_init__(self) -> None:
        check_kernel_part("PowerOf", "kernel", self.kernel)
        object.__setattr__(self, "exponent", check_integer("PowerOf", "exponent", self.exponent, low=1, high=2**31 - 1))

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, X)
        program.map(Op.power_int, power=self.exponent)

    def features(self, X: Data, options: Options) -> Any:
        coefficients = binomial("PowerOf", self.exponent, 1.0, 0.0)
        return series("PowerOf", self.kernel.features(X, options), coefficients)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return monomials(self.kernel.feature_names(X, options), [0.0] * self.exponent + [1.0])

    def text(self) -> tuple[str, int]:
        inner, binding = self.kernel.text()
        return (inner if binding > 3 else f"({inner})") + f"**{self.exponent}", 3

    def proof(self) -> Certificate:
        if self.kernel.definiteness is PSD:
            return self._certify(PSD, "a power of a PSD kernel is PSD", "Schur 1911")
        return self._certify(UNKNOWN, "no rule for a power of a kernel that is not known to be PSD")


@final
@dataclass(frozen=True)
class PolynomialOf(Unary):
    """Polynomial of a kernel  Σ_j c_j k(x, z)^j.

    Parameters
    ----------
    kernel : Kernel
        Kernel k.
    coefficients : sequence of float, default=(0.0, 1.0)
        Coefficients c_0, c_1, …, lowest power first.

    See Also
    --------
    Polynomial : Power of γ⟨x, z⟩ + c.
    PowerOf : A single power.
    ExpOf : The exponential series.

    Notes
    -----
    Definiteness: PSD if k is PSD and all coefficients are nonnegative. c₁k + c₀ with c₁ > 0 is conditionally PSD if k
    is. A constant has the sign of c₀. Otherwise unknown.

    Feature map: the monomials of φ of every degree j with c_j ≠ 0, highest degree first.

    Complexity: that of k, plus one operation per coefficient.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> PolynomialOf(Linear(), [1, 0, 2])(np.array([[2.0]]))  # 1 + 2·4²
    array([[33.]])
    """

    name: ClassVar[str] = "polynomial"
    formula: ClassVar[str] = "Σ_j c_j k^j"
    kernel: Kernel
    coefficients: tuple[float, ...] = (0.0, 1.0)

    def __post_init__(self) -> None:
        check_kernel_part("PolynomialOf", "kernel", self.kernel)
        values: Any = self.coefficients
        if isinstance(values, str) or not isinstance(values, (Sequence, np.ndarray)) or len(values) == 0:
            raise TypeError(
                f"PolynomialOf: coefficients must be a non-empty sequence of numbers, got {describe(values)}."
            )
        checked = tuple(check_real("PolynomialOf", f"coefficients[{j}]", c) for j, c in enumerate(values))
        object.__setattr__(self, "coefficients", checked)

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, X)
        program.polynomial(self.coefficients)

    def features(self, X: Data, options: Options) -> Any:
        return series("PolynomialOf", self.kernel.features(X, options), self.coefficients)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return monomials(self.kernel.feature_names(X, options), self.coefficients)

    def text(self) -> tuple[str, int]:
        return f"polynomial({self.kernel}, coefficients={list(self.coefficients)})", 4

    def proof(self) -> Certificate:
        inner = self.kernel.definiteness
        nonnegative = all(c >= 0 for c in self.coefficients)
        if nonnegative and inner is PSD:
            return self._certify(PSD, "a polynomial with coefficients ≥ 0 of a PSD kernel is PSD")
        if not any(self.coefficients[1:]):
            return self._certify(PSD if nonnegative else NOT_PSD, "a constant, of the sign of c₀")
        if not any(self.coefficients[2:]) and self.coefficients[1] > 0 and inner.conditional:
            return self._certify(CPD, "c₁k + c₀ with c₁ > 0 is conditionally PSD as k is: constants vanish when Σt = 0")
        return self._certify(UNKNOWN, "no rule unless k is PSD and every coefficient is ≥ 0")


@final
@dataclass(frozen=True)
class Normalized(Unary):
    """Normalised kernel  k(x, z)/√(k(x, x) k(z, z)), made by ``k.normalized()``.

    Parameters
    ----------
    kernel : Kernel
        Kernel k.

    See Also
    --------
    Cosine : The normalised linear kernel.
    TanimotoOf : Another normalisation, by k(x, x) + k(z, z) − k(x, z).

    Notes
    -----
    The diagonal is 1. Samples with k(x, x) = 0 have the value 0 with every sample. A negative k(x, x) raises a
    ValueError.

    Definiteness: PSD if k is PSD. Otherwise unknown.

    Feature map: φ(x)/‖φ(x)‖, and 0 where φ(x) = 0.

    Complexity: that of k; the diagonal is computed once per data set.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> Linear().normalized()(np.array([[3.0], [0.0], [-2.0]])).round(12)
    array([[ 1.,  0., -1.],
           [ 0.,  0.,  0.],
           [-1.,  0.,  1.]])
    """

    name: ClassVar[str] = "normalized"
    formula: ClassVar[str] = "k(x,z)/√(k(x,x)k(z,z))"
    kernel: Kernel

    def __post_init__(self) -> None:
        check_kernel_part("Normalized", "kernel", self.kernel)

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, X)
        program.outer(Op.outer_scale, inverse_roots(self.squared_norms(X)))

    def features(self, X: Data, options: Options) -> Any:
        with sharing(join=True):
            features = self.kernel.features(X, options)
            # Features of x outside the vocabulary count for its norm; terms beyond the degree of a series do not.
            cut = options["degree"] is not None
            norms = squared_norms(features) if cut else self._inner_diag(X)
        return scale_rows(features, inverse_roots(norms))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return self.kernel.feature_names(X, options)

    def text(self) -> tuple[str, int]:
        return f"normalized({self.kernel})", 4

    def proof(self) -> Certificate:
        if self.kernel.definiteness is PSD:
            return self._certify(PSD, "f(x)k(x,z)f(z) with f = 1/√k(x,x) is PSD for PSD k")
        return self._certify(UNKNOWN, "no rule for normalising a kernel that is not known to be PSD")
