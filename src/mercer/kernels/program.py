"""Vector kernels as programs for the compiled core.

`Builder` walks a kernel expression and writes its postfix program together with the arrays that it reads. The result is
a `Prepared` data set, which `mercer.kernels.evaluate` combines with another one. Kernels that the core cannot evaluate
(structured data, kernels written in Python) become *inputs*: blocks that the kernel computes itself.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import Parameter, Signature
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

# The core defines the enumeration without documentation.
Op.__doc__ = """Operation of a kernel program, evaluated by the compiled core.

Sources push a number computed from the rows x and z, maps change the number v on top of the stack, and joins replace
the two top numbers by one. a and b are the parameters of the operation.

======================  ==================================================================
dot                     Σ x_k z_k
sqdist                  Σ (x_k − z_k)²
l1                      ``Σ |x_k − z_k|``
chi2                    Σ (x_k − z_k)²/(x_k + z_k), 0/0 = 0
additive_chi2           Σ 2 x_k z_k/(x_k + z_k), 0/0 = 0
min_sum, min_product    Σ min(x_k, z_k), Π min(x_k, z_k)
mismatch                Σ [x_k ≠ z_k]
power_sum               ``Σ |x_k − z_k|^a``
anova_dot               elementary symmetric polynomial of degree a in x_k z_k
anova_rbf               the same in exp(−b (x_k − z_k)²)
input, constant         a block computed by a kernel, the number a
affine                  a v + b
exp                     exp(a v)
sqrt                    √max(v, 0)
power_int, power        v to an integer power, max(v, 0)^a
tanh, log1p             tanh(v), log(1 + max(v, 0))
matern32, matern52      (1 + u) exp(−u), (1 + u + u²/3) exp(−u), u = a v
rational_quadratic      (1 + b v)^(−a)
polynomial              Σ_k c_k v^k
is_zero                 [v = 0]
outer_scale             v f(x) f(z)
outer_ratio             v/(f(x) + f(z) − v), 0/0 = 1
add, multiply           sum and product of the two top numbers
======================  ==================================================================

Parameters
----------
value : int
    Number of the operation in the core.

See Also
--------
Builder : Writes programs of these operations.
VectorKernel : Base class of kernels that write programs.

Examples
--------
>>> from mercer.kernels import Op
>>> Op.sqdist
Op.sqdist
>>> Op(0).name
'dot'
"""
Op.__signature__ = Signature([Parameter("value", Parameter.POSITIONAL_ONLY)])  # type: ignore[attr-defined]


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


class Builder:
    """Program of a kernel for one data set, which kernels write in `Kernel.emit`.

    The program is in postfix order. Sources push a number computed from a pair of rows, maps change the number on top
    of the stack, and joins replace the two top numbers by one.

    Parameters
    ----------
    X : array, sparse matrix, list, DataFrame or container
        Samples.

    See Also
    --------
    Op : Operations of the compiled core.
    VectorKernel : Base class of kernels that write programs.

    Notes
    -----
    A builder is made by `Kernel.prepare`, inside a block in which all parts of an expression share their conversions of
    the data.

    Examples
    --------
    The kernel exp(−‖x − z‖²) pushes a squared distance and maps it:

    >>> import numpy as np
    >>> from mercer.kernels import RBF, Op
    >>> X = np.array([[0.0], [1.0]])
    >>> kernel = RBF(gamma=1.0)
    >>> program = Builder(X)
    >>> program.sqdist(program.vectors(kernel, X))
    >>> program.map(Op.exp, -1.0)
    >>> prepared = program.finish(kernel)
    >>> kernel.block(prepared, prepared).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    def __init__(self, X: Data) -> None:
        self.n = n_samples(X)
        self._steps: list[Step] = []
        self._pool: list[float] = []
        self._operands: list[Operand] = []
        self._factors: list[DoubleArray] = []
        self._foreign: list[tuple[Kernel, Any]] = []
        self._who = ""  # name of the kernel that read data last

    def once(self, what: Any, X: Data, make: Any) -> Any:
        """Compute a value once per data set, so that equal parts of an expression share it.

        Parameters
        ----------
        what : hashable
            Name of the value, with all parameters on which it depends besides X.
        X : object
            Object from which the value is computed. Its identity counts, not its content.
        make : callable
            Function without arguments that computes the value.

        Returns
        -------
        object
            The value, which must not be modified.
        """
        return once(what, X, make)

    def vectors(self, kernel: "Kernel", X: Data) -> Any:
        """Data as a matrix of floats, checked against the declarations ``takes_sparse`` and ``domain`` of the kernel.

        Parameters
        ----------
        kernel : Kernel
            Kernel that reads the data. Errors name its class.
        X : array, sparse matrix, DataFrame or container
            Samples.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features)
            The samples in float32 or float64.

        Raises
        ------
        ValueError
            If a number is negative but the kernel is defined for x ≥ 0 only.
        """
        self._who = who = type(kernel).__name__
        array = as_vectors(kernel._numbers(X), who)
        self.once("size", array, lambda: check_size(who, array))
        if not kernel.takes_sparse:
            check_dense(who, array)
        if kernel.domain == NONNEGATIVE:
            values = array.data if sp.issparse(array) else array
            if values.size and self.once("minimum", array, values.min) < 0:
                raise ValueError(
                    f"{who}: is defined for values >= 0 only, got a minimum of {values.min():g}; "
                    "shift or rescale the data, or use a kernel for any real numbers."
                )
        return array

    def codes(self, kernel: "Kernel", X: Data) -> Any:
        """Categories as numbers that are equal if and only if the categories are equal.

        Parameters
        ----------
        kernel : Kernel
            Kernel that reads the data. Errors name its class.
        X : array, sparse matrix, list, DataFrame or container
            Rows of categories.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features)
            Codes of the categories.
        """
        return self.once("codes", X, lambda: as_codes(X, type(kernel).__name__))

    def _operand(
        self,
        array: Any,
        *,
        left: FloatArray | None = None,
        scale: tuple[float, ...] | None = None,
        centred: bool = False,
    ) -> int:
        """Index of an operand of the program. An operand that exists already is used again."""
        if scale is not None and len(scale) != array.shape[1]:
            raise ValueError(
                f"{self._who}: gamma has {len(scale)} entries but X has {array.shape[1]} features; "
                "give one entry per feature."
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
        """Append one step to the program."""
        self._steps.append((op, arg, float(a), float(b)))

    # sources

    def dot(self, array: Any, left: FloatArray | None = None) -> None:
        """Push the inner product ⟨x, z⟩.

        Parameters
        ----------
        array : ndarray or CSR matrix of shape (n_samples, n_features)
            Vectors of the samples.
        left : ndarray of shape (n_samples, n_features), default=None
            Vectors that replace those of the left samples, for ⟨left(x), z⟩.
        """
        self._push(Op.dot, self._operand(array, left=left))

    def sqdist(self, array: Any, scale: tuple[float, ...] | None = None) -> None:
        """Push the squared Euclidean distance ‖x − z‖².

        Parameters
        ----------
        array : ndarray or CSR matrix of shape (n_samples, n_features)
            Vectors of the samples.
        scale : tuple of float, default=None
            Factors s_k of the coordinates, for Σ_k (s_k (x_k − z_k))².
        """
        self._push(Op.sqdist, self._operand(array, scale=scale, centred=True))

    def coordinates(
        self, op: Op, array: Any, scale: tuple[float, ...] | None = None, a: float = 0.0, b: float = 0.0
    ) -> None:
        """Push a source that is computed coordinate by coordinate.

        Parameters
        ----------
        op : Op
            Source: ``l1``, ``chi2``, ``additive_chi2``, ``min_sum``, ``mismatch``, ``min_product``, ``power_sum``,
            ``anova_dot`` or ``anova_rbf``.
        array : ndarray or CSR matrix of shape (n_samples, n_features)
            Vectors of the samples.
        scale : tuple of float, default=None
            Factors of the terms, for ``l1``, ``mismatch`` and ``power_sum``.
        a : float, default=0.0
            First parameter of the source: the exponent of ``power_sum``, the degree of an ANOVA kernel.
        b : float, default=0.0
            Second parameter of the source: γ of ``anova_rbf``.
        """
        index = self._operand(array, scale=scale)
        self._operands[index] = replace(self._operands[index], by_coordinates=True)
        self._push(op, index, a, b)

    def keyed(self, rows: KeyedRows, op: Op = Op.dot) -> None:
        """Push a sum over the keys that two samples have in common.

        Parameters
        ----------
        rows : KeyedRows
            Sparse features of the samples, with keys instead of columns.
        op : Op, default=Op.dot
            ``Op.dot`` sums products of the values, ``Op.min_sum`` their minima.
        """
        self._operands.append(Operand(rows.matrix, keyed=rows))
        self._push(op, len(self._operands) - 1)

    def constant(self, value: float) -> None:
        """Push a constant.

        Parameters
        ----------
        value : float
            The constant.
        """
        self._push(Op.constant, 0, value)

    def foreign(self, kernel: "Kernel", X: Data) -> None:
        """Push a block that a kernel computes itself, with `Kernel.evaluate`.

        Parameters
        ----------
        kernel : Kernel
            The kernel.
        X : array, sparse matrix, list, DataFrame or container
            Samples, which are converted by `Kernel.pack`.
        """
        self._foreign.append((kernel, self.once(("pack", kernel), X, lambda: kernel.pack(X))))
        self._push(Op.input, len(self._foreign) - 1)

    # maps and joins

    def map(self, op: Op, a: float = 0.0, b: float = 0.0, *, power: int = 0) -> None:
        """Apply a function to the number on top of the stack.

        Parameters
        ----------
        op : Op
            Function: ``affine`` (av + b), ``exp`` (exp(av)), ``sqrt``, ``power_int``, ``power``, ``tanh``, ``log1p``,
            ``matern32``, ``matern52``, ``rational_quadratic`` or ``is_zero``.
        a : float, default=0.0
            First parameter of the function.
        b : float, default=0.0
            Second parameter of the function.
        power : int, default=0
            Exponent of ``power_int``.
        """
        self._push(op, power, a, b)

    def polynomial(self, coefficients: tuple[float, ...]) -> None:
        """Replace the number v on top of the stack by the polynomial Σ_k c_k v^k.

        Parameters
        ----------
        coefficients : tuple of float
            Coefficients c_0, c_1, …, lowest power first.
        """
        self._push(Op.polynomial, len(self._pool), len(coefficients))
        self._pool.extend(coefficients)

    def outer(self, op: Op, factor: FloatArray) -> None:
        """Change the number on top of the stack by one factor for the left and one for the right sample.

        Parameters
        ----------
        op : Op
            ``outer_scale`` multiplies v by both factors, ``outer_ratio`` replaces it by v/(f(x) + f(z) − v).
        factor : ndarray of shape (n_samples,)
            Factor of each sample.
        """
        self._push(op, len(self._factors))
        self._factors.append(np.ascontiguousarray(factor, dtype=np.float64))

    def join(self, op: Op) -> None:
        """Replace the two top numbers of the stack by their sum or product.

        Parameters
        ----------
        op : Op
            ``Op.add`` or ``Op.multiply``.
        """
        self._push(op)

    def finish(self, kernel: "Kernel") -> Prepared:
        """Finish the program.

        Parameters
        ----------
        kernel : Kernel
            The resolved kernel of the program.

        Returns
        -------
        Prepared
            The converted data set with its program.
        """
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
