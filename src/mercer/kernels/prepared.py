"""Data sets converted for one kernel."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

import mercer._core as _core
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation import Rebuilt, check_array, check_indices, check_rows, describe
from mercer.kernels.operand import Operand
from mercer.kernels.operations import Op, Step
from mercer.kernels.sharing import Conversions

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Prepared"]


@dataclass(frozen=True, eq=False)
class Prepared(Rebuilt):
    """Data set converted for one resolved kernel.

    `take` selects rows without copying data. `compact` copies the selected rows and releases the others.
    """

    kernel: "Kernel"
    n_data: int
    steps: tuple[Step, ...]
    pool: tuple[float, ...]
    operands: tuple[Operand, ...]
    factors: tuple[DoubleArray, ...]
    foreign: tuple[tuple["Kernel", Any], ...]
    rows: IndexArray | None = None

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.n_data if self.rows is None else len(self.rows)

    def __len__(self) -> int:
        return self.n

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """float32 if all arrays are float32, else float64."""
        single = bool(self.operands) and not self.foreign and all(o.array.dtype == np.float32 for o in self.operands)
        return np.dtype(np.float32 if single else np.float64)

    @cached_property
    def program(self) -> _core.Program:
        """The compiled program."""
        return _core.Program(list(self.steps), list(self.pool))

    def _validated(self) -> dict[str, Any]:
        from mercer.kernels.base import Kernel

        n, once = self.n_data, Conversions().once
        _ = self.program  # raises an error for an invalid program
        for kernel, pack in ((self.kernel, range(n)), *self.foreign):
            if not isinstance(kernel, Kernel) or len(pack) != n:
                raise ValueError(f"Prepared: expected {n} samples packed for a kernel, got {describe(kernel)}.")
        rows = self.rows
        return {
            "operands": tuple(operand.checked(n, once) for operand in self.operands),
            "factors": tuple(check_array("Prepared", "factors", factor, np.float64, (n,)) for factor in self.factors),
            "rows": None if rows is None else check_indices("Prepared", "rows", rows, n).astype(np.int64, copy=False),
        }

    def take(self, rows: Any) -> "Prepared":
        """Select samples without copying data.

        Parameters
        ----------
        rows : array of int, array of bool or slice
            Selected samples.

        Returns
        -------
        Prepared
            View of the selected samples.
        """
        chosen = check_rows("take", rows, self.n)
        return replace(self, rows=chosen if self.rows is None else self.rows[chosen])

    def inner_products(self) -> FloatArray | None:
        """Vectors x with k(x, z) = ⟨x, z⟩ for the selected rows; None for other kernels and sparse data."""
        if len(self.steps) != 1 or self.steps[0][0] is not Op.dot:
            return None
        operand = self.operands[self.steps[0][1]]
        if operand.sparse or operand.left is not None:
            return None
        return operand.array if self.rows is None else operand.array[self.rows]  # type: ignore[no-any-return]

    def compact(self) -> "Prepared":
        """Copy the selected rows, so that the memory of the others can be released.

        Returns
        -------
        Prepared
            Data set with arrays of its own; self if no rows were selected. Its kernel values are those of preparing the
            selected samples again, without access to the raw samples. They may differ by rounding where a sum depends
            on the storage: for `Bilinear`, for data frames stored by columns, and for norms of data that were stored as
            CSR and are dense now.

        Examples
        --------
        >>> from mercer.kernels import RBF
        >>> X = np.arange(12.0).reshape(6, 2)
        >>> kernel = RBF(gamma=0.1)
        >>> kept = kernel.prepare(X).take([5, 2]).compact()
        >>> kept.n_data, bool((kernel.block(kept, kept) == kernel(X[[5, 2]])).all())
        (2, True)
        """
        if self.rows is None:
            return self
        rows, once = self.rows, Conversions().once
        return replace(
            self,
            n_data=len(rows),
            operands=tuple(operand.kept(rows, once) for operand in self.operands),
            factors=tuple(factor[rows] for factor in self.factors),
            foreign=tuple((k, once("kept", pack, partial(_kept, pack, rows))) for k, pack in self.foreign),
            rows=None,
        )

    def side(self, like: "Prepared | None" = None, *, onto: "Prepared | None" = None) -> _core.Side:
        """View of the data for the core.

        With `like`, the data are centred and stored as those of the other data set. Columns with keys are those of the
        data set `onto`, by default its own.
        """
        partners = self.operands if like is None else like.operands
        columns = self.operands if onto is None else onto.operands
        side = _core.Side(self.n_data)
        for operand, partner, column in zip(self.operands, partners, columns, strict=True):
            if operand.sparse or partner.sparse:
                matrix = operand.onto(column)
                side.add_csr(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1], operand.scale)
            else:
                side.add_dense(operand.array, operand.left, partner.centre, operand.scale)
        for factor in self.factors:
            side.add_factor(factor)
        return side if self.rows is None else side.select(self.rows)

    def items(self, index: int) -> Any:
        """Packed samples of foreign node number `index`, for the selected rows."""
        pack = self.foreign[index][1]
        return pack if self.rows is None else _chosen(pack, self.rows)


def _chosen(pack: Any, rows: IndexArray) -> Any:
    """Selected samples of packed data."""
    return [pack[i] for i in rows] if isinstance(pack, list) else pack[rows]


def _kept(pack: Any, rows: IndexArray) -> Any:
    """Selected samples of packed data, without references to the others."""
    chosen = _chosen(pack, rows)
    return chosen.compact() if hasattr(chosen, "compact") else chosen
