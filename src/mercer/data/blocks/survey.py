"""First pass over a source: finite values, targets, weights, and the moments that kernel widths depend on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from mercer._typing import DoubleArray
from mercer.data.blocks.block import Block
from mercer.data.blocks.checks import require_finite

__all__ = ["Spread", "Survey", "Surveyed"]


@final
@dataclass(frozen=True, eq=False)
class Spread:
    """Weighted mean and sum of squared deviations of every column, which can be added without cancellation.

    >>> a, b = Spread.of(np.array([[1.0], [3.0]])), Spread.of(np.array([[8.0]]))
    >>> (a + b).mean, (a + b).squares
    (array([4.]), array([26.]))
    """

    mass: float
    mean: DoubleArray
    squares: DoubleArray

    @classmethod
    def of(cls, X: Any, weight: DoubleArray | None = None) -> Self:
        """Sums over the rows of a block; negative weights count as zero."""
        w = np.ones(len(X)) if weight is None else np.maximum(weight, 0.0)
        mass = float(w.sum())
        mean = w @ X / mass if mass > 0 else np.zeros(X.shape[1])
        return cls(mass, mean, w @ np.square(X - mean))

    def __add__(self, other: "Spread") -> "Spread":
        mass = self.mass + other.mass
        share = other.mass / mass if mass > 0 else 0.0
        step = other.mean - self.mean
        return Spread(
            mass, self.mean + share * step, self.squares + other.squares + self.mass * share * np.square(step)
        )

    def twin(self) -> DoubleArray:
        """Two rows, whose columns have the means and variances of all rows."""
        width = np.sqrt(self.squares / self.mass)
        return np.array([self.mean - width, self.mean + width])


@final
@dataclass(frozen=True, eq=False)
class Surveyed:
    """What `Survey` finds in a block, or in all blocks."""

    n: int
    spread: Spread
    y: Any
    weight: DoubleArray | None

    @classmethod
    def together(cls, parts: Iterable["Surveyed"]) -> "Surveyed":
        """Findings of all blocks, in their order."""
        found = list(parts)
        spread = found[0].spread
        for part in found[1:]:
            spread = spread + part.spread
        y, weight = ([getattr(part, name) for part in found] for name in ("y", "weight"))
        return cls(
            sum(part.n for part in found),
            spread,
            None if y[0] is None else np.concatenate(y),
            None if weight[0] is None else np.concatenate(weight),
        )


@final
@dataclass(frozen=True)
class Survey:
    """Task that validates a block and returns its moments, weights and, if `targets`, targets; errors name `who`."""

    who: str
    targets: bool = True

    def __call__(self, block: Block) -> Surveyed:
        given = block if self.targets else Block(block.X, None, block.weight, block.start, block.index)
        require_finite(self.who, given)
        y, weight = (None if values is None else np.array(values) for values in (given.y, given.weight))
        with np.errstate(over="ignore", invalid="ignore"):
            spread = Spread.of(block.X.astype(np.float64, copy=False), weight)
        return Surveyed(len(block), spread, y, weight)
