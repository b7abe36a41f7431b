"""Mixin of kernels with the operators of the algebra.

The node classes are imported at the first call, because they are kernels themselves.
"""

import math
import numbers
from typing import TYPE_CHECKING, Any, TypeGuard

from mercer._validation import check_real, is_number

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Combinable"]


class Combinable:
    """Mixin of kernels that combine with each other and with numbers by ``+``, ``-``, ``*``, ``/`` and ``**``."""

    __array_ufunc__ = None  # so that np.float64(2) * k calls __rmul__

    def normalized(self: "Kernel") -> "Kernel":  # type: ignore[misc]
        """Normalised kernel k(x, z)/√(k(x, x) k(z, z)), which has a unit diagonal.

        Returns
        -------
        Kernel
            `Normalized` of this kernel; self if it is normalised already.
        """
        from mercer.kernels.closure import Normalized

        return self if isinstance(self, Normalized) else Normalized(self)

    def __add__(self: "Kernel", other: Any) -> "Kernel":  # type: ignore[misc]
        from mercer.kernels.algebra import Sum
        from mercer.kernels.discrete import Constant

        if is_kernel(other):
            return Sum((self, other))
        if is_number(other):
            return self if other == 0 else Sum((self, Constant(other)))
        return NotImplemented

    def __radd__(self: "Kernel", other: Any) -> "Kernel":  # type: ignore[misc]
        from mercer.kernels.algebra import Sum
        from mercer.kernels.discrete import Constant

        if is_number(other):
            return self if other == 0 else Sum((Constant(other), self))
        return NotImplemented

    def __mul__(self: "Kernel", other: Any) -> "Kernel":  # type: ignore[misc]
        from mercer.kernels.algebra import multiply, scale

        if is_kernel(other):
            return multiply(self, other)
        return scale(_factor(other), self) if is_number(other) else NotImplemented

    def __rmul__(self: "Kernel", other: Any) -> "Kernel":  # type: ignore[misc]
        from mercer.kernels.algebra import scale

        return scale(_factor(other), self) if is_number(other) else NotImplemented

    def __truediv__(self: "Kernel", other: Any) -> "Kernel":  # type: ignore[misc]
        from mercer.kernels.algebra import scale

        return scale(1 / _factor(other, divisor=True), self) if is_number(other) else NotImplemented

    def __neg__(self: "Kernel") -> "Kernel":  # type: ignore[misc]
        return -1.0 * self

    def __sub__(self: "Kernel", other: Any) -> "Kernel":  # type: ignore[misc]
        return self + (-other) if is_kernel(other) or is_number(other) else NotImplemented

    def __rsub__(self: "Kernel", other: Any) -> "Kernel":  # type: ignore[misc]
        return (-self) + other if is_number(other) else NotImplemented

    def __pow__(self: "Kernel", exponent: Any) -> "Kernel":  # type: ignore[misc]
        from mercer.kernels.closure import PowerOf

        if not isinstance(exponent, numbers.Real):
            return NotImplemented
        return self if exponent == 1 else PowerOf(self, exponent)  # type: ignore[arg-type]


def _factor(value: Any, *, divisor: bool = False) -> float:
    """Check a number by which a kernel is multiplied or divided."""
    factor = check_real("kernel algebra", "divisor" if divisor else "factor", value)
    if divisor and (factor == 0 or not math.isfinite(1 / factor)):
        raise ValueError(f"kernel algebra: cannot divide a kernel by {value!r}.")
    return factor


def is_kernel(value: Any) -> TypeGuard["Kernel"]:
    """Whether an operand is a kernel."""
    return isinstance(value, Combinable)
