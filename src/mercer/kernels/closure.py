"""Functions of one kernel that keep it a kernel: exponential, powers, polynomials, normalisation."""

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
from mercer.kernels.program import Builder, Op
from mercer.kernels.sharing import sharing

__all__ = ["ExpOf", "Normalized", "PolynomialOf", "PowerOf"]

PSD, CPD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.CPD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


@final
@dataclass(frozen=True)
class ExpOf(Unary):
    """exp(k): PSD if k is PSD, and also if k is only conditionally so (Schoenberg).

    >>> from mercer.kernels import Power
    >>> ExpOf(0.5 * Power(degree=2.0)).definiteness.value  # the Gaussian
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
        """Monomials of φ up to the degree at which the Taylor series Σ_j k^j/j! is cut."""
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
    """k^n for an integer n ≥ 1: PSD if k is. Written ``k ** n``.

    >>> from mercer.kernels import Linear
    >>> str(Linear() ** 2)
    'linear**2'
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
        """Monomials of φ of degree n: C(m+n−1, n) of them, not the mⁿ products."""
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
    """q(k) = Σ_j c_j k^j: PSD if k is and every coefficient is ≥ 0.

    Parameters
    ----------
    kernel : Kernel
    coefficients : sequence of float
        c_0, c_1, …, lowest power first.

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
        """Monomials of φ of every degree j with c_j ≠ 0, highest first."""
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
    """k(x, z)/√(k(x, x) k(z, z)): unit diagonal, PSD if k is. Made by ``k.normalized()``.

    Samples with k(x, x) = 0 get 0, never NaN; a negative k(x, x) raises.

    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> Linear().normalized()(np.array([[3.0], [0.0], [-2.0]]))[0].round(12)
    array([ 1.,  0., -1.])
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
        """φ(x)/‖φ(x)‖, 0 where φ(x) = 0."""
        with sharing(join=True):
            features = self.kernel.features(X, options)
            # A vocabulary may lack features that x has: they belong to its length. What a series cuts off does not.
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
