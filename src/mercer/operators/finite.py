"""Checks that kernel values are finite, made once between operators and solvers.

The sum of the values is finite only if all values are, and costs little while they are in cache. Values are inspected
one by one only if the sum is not finite, so that the error can name the kernel, the pair of samples and the parameters
that cause it. Products are not checked tile by tile, because an entry that is not finite makes the product not finite.
"""

import dataclasses
import math
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import numpy as np

from mercer._typing import FloatArray
from mercer._validation import is_number
from mercer.kernels.base import Kernel
from mercer.operators import tiles
from mercer.operators.tiles import Index

if TYPE_CHECKING:
    from mercer.operators.base import GramOperator

__all__ = ["all_finite", "checked_product", "kernel_remedy", "quiet", "require_finite", "require_finite_matrix"]

Product = TypeVar("Product", bound=FloatArray)

_LARGE = 2**16  # number of entries above which a pass over the matrix takes longer than proving its kernel PSD
_NAMED = 3  # maximal number of parameters that an error names


def quiet() -> np.errstate:
    """Context or decorator that silences NumPy's overflow warnings where results are checked afterwards."""
    return np.errstate(over="ignore", invalid="ignore")


def all_finite(values: Any) -> bool:
    """Whether all numbers of an array are finite, in one pass without a temporary. To be called within `quiet`."""
    return math.isfinite(values.sum()) or bool(np.isfinite(values).all())  # a sum of finite numbers may overflow


def require_finite(operator: "GramOperator", values: FloatArray, rows: Index, cols: "Index | None" = None) -> None:
    """Raise ValueError if K[rows, cols] contains NaN or infinity. To be called within `quiet`.

    Parameters
    ----------
    operator : GramOperator
        Operator K, for the message.
    values : ndarray of shape (n_rows, n_cols) or (n_rows,)
        The block, or entries of the diagonal if `cols` is None.
    rows : slice or ndarray of int
        Rows of K in `values`.
    cols : slice or ndarray of int, default=None
        Columns of K in `values`. None: diagonal.
    """
    if all_finite(values):
        return
    at = np.argwhere(~np.isfinite(values))[0]
    i = int(tiles.numbers(rows)[at[0]])
    j = i if cols is None else int(tiles.numbers(cols)[at[1]])
    _refuse(operator, float(values[tuple(at)]), i, j)


def require_finite_matrix(operator: "GramOperator", K: FloatArray) -> None:
    """Raise ValueError if the whole matrix is not finite. For kernels proved to be PSD the diagonal is sufficient."""
    if operator._finite:
        return
    m, n = operator.shape
    if m == n and K.size > _LARGE and operator._bounded_by_diagonal():
        require_finite(operator, np.diagonal(K), slice(0, n))
    else:
        require_finite(operator, K, slice(0, m), slice(0, n))


def checked_product(operator: "GramOperator", result: Product) -> Product:
    """Return a product with K, or raise ValueError if it contains infinity or NaN.

    To be called within `quiet`.
    """
    if all_finite(result):
        return result
    largest = 0.0
    for rows, cols, tile in tiles.evaluated(operator):
        require_finite(operator, tile, rows, cols)
        largest = max(largest, float(np.abs(tile).max()))
    raise ValueError(
        f"{operator.who}: a product with the kernel matrix of {operator._label()} overflows: its values, up to "
        f"{largest:.2g}, are finite, but their sums are not. {_sentence(operator._remedy())}"
    )


def _refuse(operator: "GramOperator", value: float, i: int, j: int) -> NoReturn:
    what = "NaN" if np.isnan(value) else "infinity" if value > 0 else "-infinity"
    i, j = operator._origin(i, j)
    pair = f"samples {i} and {j}" if operator.symmetric else f"sample {i} (row) and sample {j} (column)"
    raise ValueError(
        f"{operator.who}: the kernel {operator._label()} gives {what} for {pair}; expected finite values. "
        f"{_sentence(operator._remedy())}"
    )


def _sentence(remedy: str) -> str:
    return f"{remedy[0].upper()}{remedy[1:]}."


def kernel_remedy(kernel: Kernel, *, foreign: bool) -> str:
    """Return advice about kernel values that are not finite, which names the largest parameters.

    >>> from mercer.kernels import Polynomial
    >>> kernel_remedy(Polynomial(degree=50, gamma=1e300), foreign=False)
    'lower gamma=1e+300 or degree=50, or rescale the features'
    """
    large = sorted(_large(kernel), reverse=True)[:_NAMED]
    if large:
        return f"lower {' or '.join(name for _, name in large)}, or rescale the features"
    return "correct the function that computes it, or the samples" if foreign else "rescale the features"


def _large(kernel: Kernel) -> set[tuple[float, str]]:
    """Return the parameters of a kernel and of its parts that exceed 1 in magnitude, with their magnitude."""
    names = (field.name for field in dataclasses.fields(kernel))  # type: ignore[arg-type]
    values = ((name, getattr(kernel, name)) for name in names)
    found = {(abs(float(v)), f"{name}={v:g}") for name, v in values if is_number(v) and abs(v) > 1}
    return found.union(*map(_large, kernel.parts().values()))
