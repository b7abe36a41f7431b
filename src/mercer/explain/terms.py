"""Kernels as sums of products of functions of single players."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.data import n_samples, take
from mercer.kernels.base import Kernel

__all__ = ["Block", "Factor", "Samples", "Terms", "check_terms", "overflowing"]

MOST_TERMS = 10_000
_serial = count()


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples with their columns as numbers, where codes replace categories."""

    data: Data
    matrix: DoubleArray

    def __len__(self) -> int:
        return len(self.matrix)

    def rows(self, start: int, stop: int) -> "Samples":
        """Consecutive samples."""
        if (start, stop) == (0, len(self)):
            return self
        some = self.matrix[start:stop]
        if self.data is self.matrix:
            return Samples(some, some)
        rows: IndexArray = np.arange(start, min(stop, n_samples(self.data)))
        return Samples(take(self.data, rows), some)


Block: TypeAlias = Callable[[Samples, Samples], DoubleArray]  # numbers of shape (n_rows, n_points)


@dataclass(frozen=True, eq=False)
class Factor:
    """Function of the columns of one player, ``block(x, z)``, or ``exp(−rate · distance)`` of another one."""

    player: int
    block: Block | None = None
    distance: "Factor | None" = None
    rate: float = 1.0
    serial: int = field(default_factory=lambda: next(_serial))


class Terms:
    """Sum over terms of a coefficient times a product of factors, with a bound on the error of its values.

    Parameters
    ----------
    terms : iterable of pairs (factors, coefficient)
        Products in any order. Equal products are merged.
    error : float, default=0.0
        Largest absolute difference between the sum and the kernel.
    """

    def __init__(self, terms: "Iterable[tuple[tuple[Factor, ...], float]]", error: float = 0.0) -> None:
        self.terms: dict[tuple[Factor, ...], float] = {}
        for factors, coefficient in terms:
            key = tuple(sorted(factors, key=lambda factor: factor.serial))
            self.terms[key] = self.terms.get(key, 0.0) + coefficient
        self.error = error

    @classmethod
    def constant(cls, value: float) -> "Terms":
        """A constant: the empty product."""
        return cls([((), value)])

    def __len__(self) -> int:
        return len(self.terms)

    def __add__(self, other: "Terms") -> "Terms":
        return Terms([*self.terms.items(), *other.terms.items()], self.error + other.error)

    def scaled(self, factor: float) -> "Terms":
        """All coefficients times a number."""
        return Terms([(key, factor * c) for key, c in self.terms.items()], abs(factor) * self.error)

    def times(self, other: "Terms", largest: Callable[[Factor], float]) -> "Terms":
        """Product of two sums. `largest` bounds the absolute values of a factor, for the bound on the error."""
        products = [(a + b, c * e) for a, c in self.terms.items() for b, e in other.terms.items()]
        error = 0.0
        if self.error or other.error:
            left, right = self.bound(largest), other.bound(largest)
            error = self.error * right + other.error * left + self.error * other.error
        return Terms(products, error)

    def bound(self, largest: Callable[[Factor], float]) -> float:
        """Bound on the absolute values of the sum."""
        return sum(abs(c) * float(np.prod([largest(f) for f in key])) for key, c in self.terms.items())


def overflowing() -> np.errstate:
    """Context in which factors may overflow: exp(−∞) = 0 is right, and `check_terms` finds what is not."""
    return np.errstate(over="ignore", invalid="ignore")


def check_terms(who: str, kernel: Kernel, *results: DoubleArray) -> None:
    """Raise ValueError if sums of products of factors are not finite."""
    if not all(np.isfinite(values).all() for values in results):
        raise ValueError(
            f"{who}: functions of single columns of the kernel {kernel} overflow for these rows; rescale the features, "
            "or lower the parameters of the kernel."
        )
