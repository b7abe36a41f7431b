"""Kernels of linear combinations of columns."""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, DoubleArray, FloatArray
from mercer._validation import check_dense, check_vectors
from mercer.data import Table
from mercer.kernels.algebra import Unary, check_kernel_part
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.features import Options
from mercer.kernels.parametrised import literal
from mercer.kernels.program import Builder
from mercer.kernels.sharing import as_vectors, once

__all__ = ["LinearMap"]

UNKNOWN = Definiteness.UNKNOWN


@final
@dataclass(frozen=True)
class LinearMap(Unary):
    """Kernel of linear combinations of the first columns  k(xA, zA).

    The first m columns are replaced by r linear combinations of them. Other columns, such as codes of categories,
    follow unchanged.

    Parameters
    ----------
    kernel : Kernel
        Kernel k of the r combinations and the other columns.
    matrix : array-like of shape (m, r)
        Matrix A; each column has the coefficients of one combination. Stored as a tuple of rows, so that kernels can be
        compared and hashed.

    See Also
    --------
    Map : Kernel of samples mapped by any function.
    Bilinear : The inner product xᵀBz = ⟨xA, zA⟩ with B = AAᵀ.
    mercer.feature_learning.rotation : Directions in which a function varies.

    Notes
    -----
    With ``WeightedColumns(p=2.0)`` or `RBF`, the kernel is a function of the Mahalanobis distance (x − z)ᵀAAᵀ(x − z).

    Definiteness: PSD or conditionally PSD if k is, because the Gram matrices are Gram matrices of k. Otherwise unknown.

    Feature map: that of k, at the mapped samples.

    Complexity: xA is computed once per data set, in O(nmr); after that, the cost of k. Sparse matrices are not
    accepted.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    The sum of two columns, and a third column:

    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> k = LinearMap(Linear(), [[1.0], [1.0]])
    >>> k(np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 1.0]]))  # 3·3 + 3·3, 3·1 + 3·1, ...
    array([[18.,  6.],
           [ 6.,  2.]])
    >>> print(k)
    linear_map(linear, matrix=[[1], [1]])
    """

    name: ClassVar[str] = "linear_map"
    formula: ClassVar[str] = "k(xA, zA)"
    takes_sparse: ClassVar[bool] = False
    kernel: Kernel
    matrix: Any

    def __post_init__(self) -> None:
        check_kernel_part("LinearMap", "kernel", self.kernel)
        A = check_vectors("LinearMap", self.matrix, name="parameter matrix")
        A = A.toarray() if sp.issparse(A) else A
        object.__setattr__(self, "matrix", tuple(tuple(float(v) for v in row) for row in A))

    @property
    def array(self) -> DoubleArray:
        """The matrix A as an array.

        Returns
        -------
        ndarray of shape (m, r)
            The coefficients.
        """
        return np.array(self.matrix)

    def restrict(self, X: Data) -> Data:
        return once(("linear map", self.matrix), X, lambda: self._image(X))

    def _image(self, X: Data) -> FloatArray:
        """Combinations of the first columns, and the other columns."""
        values, A = as_vectors(self._numbers(X), "LinearMap"), self.array
        check_dense("LinearMap", values)
        if values.shape[1] < len(A):
            raise ValueError(
                f"LinearMap: matrix combines {len(A)} columns but X has {values.shape[1]} features; give the matrix at "
                "most one row per feature."
            )
        with np.errstate(over="ignore", invalid="ignore"):  # the kernel refuses numbers that are not finite
            return np.hstack([values[:, : len(A)] @ A.astype(values.dtype), values[:, len(A) :]])

    def _numbers(self, X: Data) -> Data:
        """Codes in the place of the categories of a table, none of which may be among the columns that are combined."""
        if not isinstance(X, Table) or all(kind == "number" for kind in X.kinds):
            return X
        for j, (name, kind) in enumerate(zip(X.names, X.kinds, strict=True)):
            if kind != "number" and (kind != "category" or j < len(self.matrix)):
                raise TypeError(
                    f"LinearMap: column {name!r} has kind {kind!r}, expected a number; put categories after the "
                    f"{len(self.matrix)} columns that the matrix combines, or leave the column out."
                )
        return once("codes", X, X.codes)

    def emit(self, program: Builder, X: Data) -> None:
        self.kernel.emit(program, self.restrict(X))

    def features(self, X: Data, options: Options) -> Any:
        return self.kernel.features(self.restrict(X), options)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return self.kernel.feature_names(self.restrict(X), {**options, "columns": None})  # the columns are new

    def text(self) -> tuple[str, int]:
        rows = ", ".join(f"[{', '.join(map(literal, row))}]" for row in self.matrix)
        return f"linear_map({self.kernel}, matrix=[{rows}])", 4

    def proof(self) -> Certificate:
        inner = self.kernel.definiteness
        if inner.conditional:
            return self._certify(inner, f"k(xA,zA) is {inner.name} as k is: its Gram matrices are Gram matrices of k")
        return self._certify(UNKNOWN, "the samples on which k is not PSD may not occur as xA")
