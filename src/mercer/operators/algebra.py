"""Sums, entrywise products and multiples of operators, each evaluated tile by tile."""

from collections.abc import Iterable
from itertools import chain
from typing import Any, ClassVar, final

import numpy as np

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import check_real, describe
from mercer.operators.base import GramOperator
from mercer.operators.tiles import Index

__all__ = ["ProductOperator", "ScaledOperator", "SumOperator"]


class _Nary(GramOperator):
    """Base class of entrywise combinations of two or more operators of the same shape."""

    join: ClassVar[np.ufunc]
    sign: ClassVar[str]

    def __init__(self, members: Iterable[GramOperator]) -> None:
        who = type(self).__name__
        given = _checked(who, members)
        if len(given) < 2:
            raise ValueError(f"{who}: needs at least two operators, got {len(given)}.")
        for other in given[1:]:
            if other.shape != given[0].shape:
                raise ValueError(
                    f"{who}: operators of shape {given[0].shape} and {other.shape} cannot be combined; "
                    "both need the same samples in rows and in columns."
                )
        nested = (m.members if isinstance(m, _Nary) and type(m) is type(self) else (m,) for m in given)
        self.members: tuple[GramOperator, ...] = tuple(chain.from_iterable(nested))
        super().__init__(
            given[0].shape,
            np.result_type(*(member.dtype for member in given)),
            symmetric=all(member.symmetric for member in given),
            memory_budget=min(member.memory_budget for member in given),
            buffers=1 + max(member._buffers for member in given),
            costly=any(member.costly for member in given),
        )

    def _take(self, rows: IndexArray) -> GramOperator:
        return type(self)([member._take(rows) for member in self.members])

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        buffer = np.empty(out.size)  # shared by all members of either dtype
        for i, member in enumerate(self.members):
            block = buffer.view(member.dtype)[: out.size].reshape(out.shape)
            member._block(rows, cols, block)
            if i == 0:
                out[...] = block
            else:
                self.join(out, block, out=out)

    def _diag(self) -> FloatArray:
        diagonals = [member._diag() for member in self.members]
        diagonal: FloatArray = self.join.reduce(diagonals, axis=0, dtype=self.dtype)
        return diagonal

    def _origin(self, i: int, j: int) -> tuple[int, int]:
        return self.members[0]._origin(i, j)

    def _remedy(self) -> str:
        return self.members[0]._remedy()

    def _label(self) -> str:
        labels = (member._label() for member in self.members)
        return self.sign.join(labels if self.sign == " + " else map(_wrapped, labels))


@final
class SumOperator(_Nary):
    """Sum K₁ + K₂ + … of operators, written ``K1 + K2``.

    A product with vectors is the sum of the members' products, so that each member uses its own fastest method. Nested
    sums are flattened.

    Parameters
    ----------
    members : iterable of GramOperator
        At least two operators of the same shape.

    Attributes
    ----------
    members : tuple of GramOperator
        The summands, with nested sums flattened.

    See Also
    --------
    ProductOperator : Entrywise product of operators.
    OperatorStack : Weighted sums, quadratic forms and alignments of several operators.

    Examples
    --------
    >>> from mercer.operators import LowRankOperator, PrecomputedOperator
    >>> K = PrecomputedOperator([[1.0, 0.0], [0.0, 1.0]]) + LowRankOperator([[1.0], [2.0]])
    >>> K
    SumOperator: 2 x 2, float64, precomputed + rank 1
    >>> K.diag()
    array([2., 5.])
    """

    join: ClassVar[np.ufunc] = np.add
    sign: ClassVar[str] = " + "

    def factor(self) -> DoubleArray | None:
        """Return the members' factors side by side if each member has one.

        Returns
        -------
        ndarray of shape (n, r) or None
            F with K = F Fᵀ; None if a member has no factor or the factors have n columns or more in total.
        """
        factors = [member.factor() for member in self.members]
        known = [F for F in factors if F is not None]
        if len(known) < len(factors) or sum(F.shape[1] for F in known) >= self.shape[0]:
            return None
        return np.hstack(known)

    def _matmul(self, V: FloatArray) -> FloatArray:
        return _total(member._matmul(V) for member in self.members)

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        return _total(member._transposed(V) for member in self.members)


@final
class ProductOperator(_Nary):
    """Entrywise (Hadamard) product K₁ ∘ K₂ ∘ … of operators, written ``K1 * K2``.

    A product with vectors evaluates tiles of all members. The result is positive semidefinite if all members are, by
    the Schur product theorem. Nested products are flattened.

    Parameters
    ----------
    members : iterable of GramOperator
        At least two operators of the same shape.

    Attributes
    ----------
    members : tuple of GramOperator
        The factors, with nested products flattened.

    See Also
    --------
    SumOperator : Sum of operators.
    ScaledOperator : Multiple of an operator.

    Examples
    --------
    >>> from mercer.operators import LowRankOperator
    >>> K = LowRankOperator([[1.0], [2.0]])
    >>> (K * K).dense()
    array([[ 1.,  4.],
           [ 4., 16.]])
    """

    join: ClassVar[np.ufunc] = np.multiply
    sign: ClassVar[str] = "*"


@final
class ScaledOperator(GramOperator):
    """Multiple c K of an operator, written ``0.5 * K``.

    Parameters
    ----------
    scale : float
        Finite factor c, which may be negative.
    operator : GramOperator
        Operator K.

    Attributes
    ----------
    scale : float
        Factor c.
    operator : GramOperator
        Operator K.

    See Also
    --------
    SumOperator : Sum of operators.
    ProductOperator : Entrywise product of operators.

    Examples
    --------
    >>> from mercer.operators import LowRankOperator
    >>> -2 * LowRankOperator([[1.0], [2.0]])
    ScaledOperator: 2 x 2, float64, -2*(rank 1)
    """

    def __init__(self, scale: float, operator: GramOperator) -> None:
        self.scale = check_real("ScaledOperator", "scale", scale)
        (self.operator,) = _checked("ScaledOperator", [operator])
        super().__init__(
            operator.shape,
            operator.dtype,
            symmetric=operator.symmetric,
            memory_budget=operator.memory_budget,
            buffers=operator._buffers,
            costly=operator.costly,
        )

    def _take(self, rows: IndexArray) -> GramOperator:
        return ScaledOperator(self.scale, self.operator._take(rows))

    def factor(self) -> DoubleArray | None:
        """Return √c F for the factor F of the operator.

        Returns
        -------
        ndarray of shape (n, r) or None
            Factor of c K; None if c is negative or the operator has no factor.
        """
        F = self.operator.factor() if self.scale >= 0 else None
        return None if F is None else np.sqrt(self.scale) * F

    def _block(self, rows: Index, cols: Index, out: FloatArray) -> None:
        self.operator._block(rows, cols, out)
        np.multiply(out, self.scale, out=out)

    def _diag(self) -> FloatArray:
        diagonal: FloatArray = self.operator._diag() * self.dtype.type(self.scale)
        return diagonal

    def _matmul(self, V: FloatArray) -> FloatArray:
        return self.scale * self.operator._matmul(V)

    def _rmatmul(self, V: FloatArray) -> FloatArray:
        return self.scale * self.operator._rmatmul(V)

    def _origin(self, i: int, j: int) -> tuple[int, int]:
        return self.operator._origin(i, j)

    def _remedy(self) -> str:
        return self.operator._remedy()

    def _label(self) -> str:
        return f"{self.scale:g}*{_wrapped(self.operator._label())}"


def _wrapped(label: str) -> str:
    return f"({label})" if " " in label else label


def _checked(who: str, operators: Iterable[Any]) -> tuple[GramOperator, ...]:
    members = tuple(operators)
    for member in members:
        if not isinstance(member, GramOperator):
            raise TypeError(f"{who}: expected operators, got {describe(member)}; wrap a matrix in PrecomputedOperator.")
    return members


def _total(products: Iterable[FloatArray]) -> FloatArray:
    first, *rest = products
    for result in rest:
        first += result
    return first
