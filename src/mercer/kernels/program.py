"""Kernels over vectors as programs for the compiled core.

`Builder` walks a kernel expression and writes its postfix program together with the arrays it reads; `Prepared` is
the result: one data set, packed once, ready to meet another one in `mercer.kernels.evaluate`. What is not a vector
kernel (strings, graphs, kernels written in Python) becomes an *input*: a block that the node itself computes.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

import mercer._core as _core
from mercer._core import Op
from mercer._typing import Data, DoubleArray, FloatArray, IndexArray
from mercer._validation import Rebuilt, check_array, check_dense, check_indices, check_rows, check_size, describe
from mercer.data import as_codes, n_samples
from mercer.kernels.definiteness import NONNEGATIVE
from mercer.kernels.keyed import KeyedRows
from mercer.kernels.operand import Operand
from mercer.kernels.sharing import Conversions, as_vectors, once

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Builder", "Op", "Operand", "Prepared"]

Step = tuple[Op, int, float, float]


@dataclass(frozen=True, eq=False)
class Prepared(Rebuilt):
    """A data set packed for one resolved kernel.

    `take` selects rows without copying data; `compact` copies what was selected and drops the rest.
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
        """float32 if every array is, else float64."""
        single = bool(self.operands) and not self.foreign and all(o.array.dtype == np.float32 for o in self.operands)
        return np.dtype(np.float32 if single else np.float64)

    @cached_property
    def program(self) -> _core.Program:
        """The compiled program."""
        return _core.Program(list(self.steps), list(self.pool))

    def _validated(self) -> dict[str, Any]:
        from mercer.kernels.base import Kernel

        n, once = self.n_data, Conversions().once
        _ = self.program  # refuses steps that do not fit together
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
        """The same data seen through a choice of rows (integers, mask or slice)."""
        chosen = check_rows("take", rows, self.n)
        return replace(self, rows=chosen if self.rows is None else self.rows[chosen])

    def inner_products(self) -> FloatArray | None:
        """Vectors x with k(x, z) = ⟨x, z⟩, through the selection, if the program is that and the data are dense."""
        if len(self.steps) != 1 or self.steps[0][0] is not Op.dot:
            return None
        operand = self.operands[self.steps[0][1]]
        if operand.sparse or operand.left is not None:
            return None
        return operand.array if self.rows is None else operand.array[self.rows]  # type: ignore[no-any-return]

    def compact(self) -> "Prepared":
        """The selected rows without the others, so that the memory of these is released.

        Returns
        -------
        Prepared
            Owns its arrays; self if no rows were selected. Its kernel values are those of preparing the selected
            samples again, but the raw samples are not needed. They may differ by rounding where a sum depends on the
            storage of the samples: for `Bilinear`, frames stored by columns, and norms of a data set that was stored
            as CSR and is dense now.

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
        """The core's view of the data; with `like`, centred as the other data set is and of its storage.

        Columns with keys are those of the data set `onto`, by default its own.
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
        """What foreign node number `index` packed, through the selection."""
        pack = self.foreign[index][1]
        return pack if self.rows is None else _chosen(pack, self.rows)


def _chosen(pack: Any, rows: IndexArray) -> Any:
    """Some samples of a pack."""
    return [pack[i] for i in rows] if isinstance(pack, list) else pack[rows]


def _kept(pack: Any, rows: IndexArray) -> Any:
    """Some samples of a pack, without the memory of the others."""
    chosen = _chosen(pack, rows)
    return chosen.compact() if hasattr(chosen, "compact") else chosen


class Builder:
    """Writes the program of a kernel for one data set. Nodes call its methods in postfix order.

    A builder is used inside a block of `sharing` (``kernels/sharing.py``), whose conversions it shares.
    """

    def __init__(self, X: Data) -> None:
        self.n = n_samples(X)
        self._steps: list[Step] = []
        self._pool: list[float] = []
        self._operands: list[Operand] = []
        self._factors: list[DoubleArray] = []
        self._foreign: list[tuple[Kernel, Any]] = []
        self._who = ""  # the kernel whose data were asked for last

    def once(self, what: Any, X: Data, make: Any) -> Any:
        """Return ``make()``, computed once for this `what` and this very object X; equal parts share an operand."""
        return once(what, X, make)

    def vectors(self, kernel: "Kernel", X: Data) -> Any:
        """The data as a matrix of floats, checked as the kernel declares: `takes_sparse`, `domain`."""
        self._who = who = type(kernel).__name__
        array = as_vectors(X, who)
        self.once("size", array, lambda: check_size(who, array))
        if not kernel.takes_sparse:
            check_dense(who, array)
        if kernel.domain == NONNEGATIVE:
            values = array.data if sp.issparse(array) else array
            if values.size and self.once("minimum", array, values.min) < 0:
                raise ValueError(
                    f"{who}: is defined for values >= 0 only, got a minimum of {values.min():g}; "
                    "shift or rescale the data (counts, histograms)."
                )
        return array

    def codes(self, kernel: "Kernel", X: Data) -> Any:
        """The data as numbers that are equal where the categories are."""
        return self.once("codes", X, lambda: as_codes(X, type(kernel).__name__))

    def _operand(
        self,
        array: Any,
        *,
        left: FloatArray | None = None,
        scale: tuple[float, ...] | None = None,
        centred: bool = False,
    ) -> int:
        if scale is not None and len(scale) != array.shape[1]:
            raise ValueError(
                f"{self._who}: a vector gamma has {len(scale)} entries but X has {array.shape[1]} features; "
                "give one each."
            )
        for i, known in enumerate(self._operands):
            same_scale = (known.scale is None and scale is None) or (
                known.scale is not None and scale == tuple(known.scale)
            )
            if known.array is array and known.left is left and same_scale and known.centred == centred:
                return i
        self._operands.append(
            Operand(array, left, None if scale is None else np.asarray(scale, dtype=np.float64), centred)
        )
        return len(self._operands) - 1

    def _push(self, op: Op, arg: int = 0, a: float = 0.0, b: float = 0.0) -> None:
        self._steps.append((op, arg, float(a), float(b)))

    # sources

    def dot(self, array: Any, left: FloatArray | None = None) -> None:
        """Push ⟨x, z⟩; with `left`, ⟨left(x), z⟩."""
        self._push(Op.dot, self._operand(array, left=left))

    def sqdist(self, array: Any, scale: tuple[float, ...] | None = None) -> None:
        """Push Σ (s_k (x_k − z_k))²."""
        self._push(Op.sqdist, self._operand(array, scale=scale, centred=True))

    def coordinates(
        self, op: Op, array: Any, scale: tuple[float, ...] | None = None, a: float = 0.0, b: float = 0.0
    ) -> None:
        """Push a source that runs over coordinates: l1, chi2, additive_chi2, min_sum, mismatch, min_product, anova."""
        index = self._operand(array, scale=scale)
        self._operands[index] = replace(self._operands[index], by_coordinates=True)
        self._push(op, index, a, b)

    def keyed(self, rows: KeyedRows, op: Op = Op.dot) -> None:
        """Push Σ of products, or of minima (``op=Op.min_sum``), over the keys that two samples have in common."""
        self._operands.append(Operand(rows.matrix, keyed=rows))
        self._push(op, len(self._operands) - 1)

    def constant(self, value: float) -> None:
        """Push a constant."""
        self._push(Op.constant, 0, value)

    def foreign(self, kernel: "Kernel", X: Data) -> None:
        """Push a block that `kernel` computes itself."""
        self._foreign.append((kernel, self.once(("pack", kernel), X, lambda: kernel.pack(X))))
        self._push(Op.input, len(self._foreign) - 1)

    # maps and joins

    def map(self, op: Op, a: float = 0.0, b: float = 0.0, *, power: int = 0) -> None:
        """Change the top: affine, exp, sqrt, power_int (with `power`), tanh, log1p, ..."""
        self._push(op, power, a, b)

    def polynomial(self, coefficients: tuple[float, ...]) -> None:
        """Change the top v into Σ_k c_k v^k."""
        self._push(Op.polynomial, len(self._pool), len(coefficients))
        self._pool.extend(coefficients)

    def outer(self, op: Op, factor: FloatArray) -> None:
        """Change the top by one number per row and column: outer_scale or outer_ratio."""
        self._push(op, len(self._factors))
        self._factors.append(np.ascontiguousarray(factor, dtype=np.float64))

    def join(self, op: Op) -> None:
        """Replace the two top entries by their sum or product."""
        self._push(op)

    def finish(self, kernel: "Kernel") -> Prepared:
        """The packed data."""
        plain = {id(o.array) for o in self._operands if not o.centred and o.left is None}
        operands = [
            replace(o, shared=True) if o.centred and o.scale is None and id(o.array) in plain else o
            for o in self._operands
        ]
        return Prepared(
            kernel,
            self.n,
            tuple(self._steps),
            tuple(self._pool),
            tuple(operand.stored(self.once) for operand in operands),
            tuple(self._factors),
            tuple(self._foreign),
        )
