"""Derivatives of kernels with respect to one argument, as kernels that the compiled core evaluates."""

import math
from dataclasses import dataclass
from typing import Self

from mercer.kernels import (
    RBF,
    Constant,
    Exponential,
    Kernel,
    Linear,
    Matern,
    Polynomial,
    PowerOf,
    Product,
    RationalQuadratic,
    Scaled,
    Sum,
)

__all__ = ["DIFFERENTIABLE", "Slopes", "slopes"]

DIFFERENTIABLE = "Linear, Polynomial, RBF, RationalQuadratic, Matern with nu=1.5 or 2.5, and sums, products, multiples"


@dataclass(frozen=True)
class Slopes:
    r"""Gradient ∇_z k(z, x) = 2ρ(z, x)(x − z) + σ(z, x) x of a kernel; None stands for the zero kernel.

    Attributes
    ----------
    radial : Kernel or None
        Kernel ρ = −dk/d‖x−z‖², from the parts of k that depend on the distance.
    inner : Kernel or None
        Kernel σ = dk/d⟨x,z⟩, from the parts of k that depend on the inner product.
    """

    radial: Kernel | None = None
    inner: Kernel | None = None

    def times(self, factor: float | Kernel) -> "Slopes":
        """Multiply both kernels by a number or a kernel."""
        return Slopes(_times(factor, self.radial), _times(factor, self.inner))

    def plus(self, other: Self) -> "Slopes":
        """Return the slopes of a sum."""
        return Slopes(_plus(self.radial, other.radial), _plus(self.inner, other.inner))


def slopes(kernel: Kernel) -> Slopes | None:
    r"""Return the derivative of a kernel with resolved parameters, or None if there is no rule for it.

    Sums and products follow the rules of calculus. There is no rule for a vector ``gamma``; rescale the coordinates
    first.

    Examples
    --------
    >>> slopes(2.0 * RBF(gamma=0.5) + Linear())
    Slopes(radial=RBF(gamma=0.5), inner=Constant(value=1.0))
    >>> slopes(Exponential()) is None  # it has a cusp at x = z
    True
    """
    match kernel:
        case RBF(gamma=float(g)):
            return Slopes(radial=g * kernel)
        case RationalQuadratic(alpha=a, gamma=float(g)):
            return Slopes(radial=g * RationalQuadratic(alpha=a + 1, gamma=g * (a + 1) / a))
        case Matern(nu=1.5, gamma=float(g)):
            return Slopes(radial=1.5 * g**2 * Exponential(gamma=math.sqrt(3) * g))
        case Matern(nu=2.5, gamma=float(g)):
            return Slopes(radial=5 / 6 * g**2 * Matern(nu=1.5, gamma=math.sqrt(5 / 3) * g))
        case Linear():
            return Slopes(inner=Constant())
        case Polynomial(degree=d, gamma=float(g), coef0=c):
            return Slopes(inner=d * g * Polynomial(d - 1, g, c) if d > 1 else Constant(g))
        case Constant():
            return Slopes()
        case Scaled(scale=s, kernel=part):
            inner = slopes(part)
            return None if inner is None else inner.times(s)
        case PowerOf(kernel=part, exponent=p):
            inner = slopes(part)
            return inner if inner is None or p == 1 else inner.times(p * part ** (p - 1))
        case Sum(terms=terms):
            return _total([slopes(term) for term in terms])
        case Product(factors=factors):
            return _total([_leibniz(factors, i) for i in range(len(factors))])
        case _:
            return None


def _leibniz(factors: tuple[Kernel, ...], i: int) -> Slopes | None:
    slope = slopes(factors[i])
    for j, factor in enumerate(factors):
        if slope is not None and j != i:
            slope = slope.times(factor)
    return slope


def _total(parts: list[Slopes | None]) -> Slopes | None:
    total = Slopes()
    for part in parts:
        if part is None:
            return None
        total = total.plus(part)
    return total


def _times(factor: float | Kernel, kernel: Kernel | None) -> Kernel | None:
    return None if kernel is None else factor * kernel


def _plus(left: Kernel | None, right: Kernel | None) -> Kernel | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right
