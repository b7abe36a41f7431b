"""Python operators ``+``, ``-`` and ``*`` of Gram operators."""

import numbers
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.operators.base import GramOperator

__all__ = ["Arithmetic"]


class Arithmetic:
    """Mixin for ``K + L``, ``K - L``, ``-K``, ``c * K`` and the entrywise product ``K * L``, which are lazy."""

    def __add__(self: "GramOperator", other: Any) -> "GramOperator":  # type: ignore[misc]
        from mercer.operators.algebra import SumOperator
        from mercer.operators.base import GramOperator

        return SumOperator((self, other)) if isinstance(other, GramOperator) else NotImplemented

    def __radd__(self: "GramOperator", other: Any) -> "GramOperator":  # type: ignore[misc]
        # The built-in sum starts from 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __mul__(self: "GramOperator", other: Any) -> "GramOperator":  # type: ignore[misc]
        """Return the entrywise (Hadamard) product with an operator, or a multiple."""
        from mercer.operators.algebra import ProductOperator, ScaledOperator
        from mercer.operators.base import GramOperator

        if isinstance(other, GramOperator):
            return ProductOperator((self, other))
        if isinstance(other, numbers.Real) and not isinstance(other, bool):
            return ScaledOperator(float(other), self)
        return NotImplemented

    __rmul__ = __mul__

    def __neg__(self: "GramOperator") -> "GramOperator":  # type: ignore[misc]
        return self * -1.0

    def __sub__(self: "GramOperator", other: Any) -> "GramOperator":  # type: ignore[misc]
        from mercer.operators.base import GramOperator

        return self + (-other) if isinstance(other, GramOperator) else NotImplemented
