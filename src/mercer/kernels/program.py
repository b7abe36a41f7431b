"""Vector kernels as programs for the compiled core.

`Builder` walks a kernel expression and writes its postfix program together with the arrays that it reads. The result is
a `Prepared` data set, which `mercer.kernels.evaluate` combines with another one. Kernels that the core cannot evaluate
(structured data, kernels written in Python) become *inputs*: blocks that the kernel computes itself.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, DoubleArray, FloatArray
from mercer._validation import check_dense, check_size
from mercer.data import as_codes, n_samples
from mercer.kernels.definiteness import NONNEGATIVE
from mercer.kernels.keyed import KeyedRows
from mercer.kernels.operand import Operand
from mercer.kernels.operations import Op, Step
from mercer.kernels.prepared import Prepared
from mercer.kernels.sharing import as_vectors, once

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["Builder"]


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

    def chosen(self, array: FloatArray, columns: list[int]) -> FloatArray:
        """Some columns of a matrix, copied once per data set.

        Parameters
        ----------
        array : ndarray of shape (n_samples, n_features)
            The matrix.
        columns : list of int
            Columns in any order.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            The columns; the matrix itself if all are chosen in order.
        """
        if columns == list(range(array.shape[1])):
            return array
        return self.once(("chosen columns", *columns), array, lambda: np.ascontiguousarray(array[:, columns]))  # type: ignore[no-any-return]

    def interactions(
        self, array: FloatArray, orders: DoubleArray, rates: tuple[float, ...], shares: DoubleArray, p: float
    ) -> None:
        """Push Σ_q c_q E_q with weighted means E_q of products of q factors, each of another column.

        The factor b_k of a numerical column is exp(−g_k abs(x_k − z_k)^p), that of a categorical one [x_k = z_k]. The
        means are updated by E_q ← E_q + r_kq (b_k E_{q−1} − E_q), column by column, from E_0 = 1 and E_q = 0.

        Parameters
        ----------
        array : ndarray of shape (n_samples, n_features)
            Vectors of the samples, numerical columns first.
        orders : ndarray of shape (Q + 1,)
            Coefficients c_0, …, c_Q.
        rates : tuple of float
            Factors g_k of the numerical columns, which thereby are as many as this tuple has entries.
        shares : ndarray of shape (n_features, Q)
            Shares r_kq.
        p : float
            Exponent of the differences.
        """
        index = self._operand(array)
        self._operands[index] = replace(self._operands[index], by_coordinates=True)
        self._push(Op.interactions, index, len(self._pool))
        self._pool += [len(orders) - 1, len(shares), len(rates), p, *orders.tolist(), *rates, *shares.ravel().tolist()]

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
