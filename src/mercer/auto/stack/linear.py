"""The linear kernel of a table: a member that few samples of a class suffice for."""

from dataclasses import dataclass

from mercer.auto.stack.kernels import Config, LearnedKernel
from mercer.auto.stack.layout import Layout
from mercer.kernels import Columns, Kernel, Linear, Overlap

__all__ = ["LINEAR", "LinearKernel"]

LINEAR = "linear"  # kind of the kernel


@dataclass(frozen=True, eq=False)
class LinearKernel(LearnedKernel):
    """Inner product of z-scores and one-hot categories, which has nothing to learn.

    Examples
    --------
    >>> print(LinearKernel.of(Layout((0, 1), (2, 3), (4,))).kernel)
    linear[0, 1] + overlap[2]
    """

    @classmethod
    def of(cls, layout: Layout) -> "LinearKernel":
        """The kernel on the columns that kernels of z-scores read."""
        numbers, codes = tuple(range(len(layout.z))), tuple(layout.categorical)
        parts: list[Kernel] = [Columns(numbers, Linear()) if codes else Linear()] if numbers else []
        if codes:  # a share of equal columns times their number: the inner product of indicators
            same = Columns(codes, Overlap()) if numbers else Overlap()
            parts.append(float(len(codes)) * same if len(codes) > 1 else same)
        kernel = parts[0] if len(parts) == 1 else parts[0] + parts[1]
        return cls(Config("z", 1.0), LINEAR, kernel, 1.0, float("inf"))

    @property
    def name(self) -> str:
        """Description in words."""
        return "linear kernel of all columns"
