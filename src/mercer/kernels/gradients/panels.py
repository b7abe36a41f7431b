"""Two sets of samples, cut into panels between which a kernel is differentiated."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, DoubleArray
from mercer.kernels import evaluate as evaluation
from mercer.kernels.base import Kernel
from mercer.kernels.prepared import Prepared
from mercer.kernels.program import Builder
from mercer.kernels.sharing import once

__all__ = ["Pairs", "Panel", "Source", "columns_of"]

T = TypeVar("T")


@dataclass(eq=False)
class Panel:
    """Some rows of X against some rows of Z, with the blocks that were computed for them."""

    rows: slice
    columns: slice
    _made: dict[Any, Any] = field(default_factory=dict)

    def once(self, owner: object, what: str, make: Callable[[], T]) -> T:
        """Return ``make()``, computed at the first call for this owner and this name."""
        key = (id(owner), what)
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Source:
    """Blocks of numbers that a program of the core computes."""

    left: Prepared
    right: Prepared
    n_jobs: int | None

    def at(self, panel: Panel) -> DoubleArray:
        """The block of a panel, in float64."""
        block = evaluation.block(self.left.take(panel.rows), self.right.take(panel.columns), n_jobs=self.n_jobs)
        return block.astype(np.float64, copy=False)


@dataclass(frozen=True)
class Pairs:
    """The samples X and Z. ``Z is X`` means all pairs of one data set."""

    X: Data
    Z: Data
    n_jobs: int | None = None

    @property
    def symmetric(self) -> bool:
        """Whether both sets are the same."""
        return self.Z is self.X

    def restricted(self, kernel: Kernel) -> "Pairs":
        """The samples as the parts of a kernel see them."""
        left = kernel.restrict(self.X)
        return Pairs(left, left if self.symmetric else kernel.restrict(self.Z), self.n_jobs)

    def each(self, side: Callable[[Data], T]) -> tuple[T, T]:
        """A function of X and of Z, called once if they are the same object."""
        left = side(self.X)
        return left, left if self.symmetric else side(self.Z)

    def vectors(self, kernel: Kernel) -> tuple[Any, Any]:
        """Both data sets as dense or CSR matrices in float64, after the checks of the kernel."""
        left, right = self.each(lambda data: _double(Builder(data).vectors(kernel, data)))
        if left.shape[1] != right.shape[1]:
            raise ValueError(
                f"{type(kernel).__name__}: X has {left.shape[1]} features but Z has {right.shape[1]}; give both the "
                "same columns."
            )
        return left, right

    def source(self, kernel: Kernel, push: Callable[[Builder, Any], None]) -> Source:
        """Blocks of a program that `push` writes for the vectors of a data set."""

        def prepare(data: Data) -> Prepared:
            builder = Builder(data)
            push(builder, _double(builder.vectors(kernel, data)))
            return builder.finish(kernel)

        return Source(*self.each(prepare), self.n_jobs)

    def values(self, kernel: Kernel) -> Source:
        """Blocks of kernel values."""
        return Source(*self.each(kernel._prepare), self.n_jobs)


def _double(array: Any) -> Any:
    """The matrix in float64."""
    return array if array.dtype == np.float64 else once("double", array, lambda: array.astype(np.float64))


def columns_of(x: Any) -> Callable[[int], DoubleArray]:
    """Function that returns one column of a dense or CSR matrix as a dense vector."""
    if not sp.issparse(x):
        return lambda k: x[:, k]
    by_column = x.tocsc()
    return lambda k: by_column[:, [k]].toarray().ravel()
