"""Finiteness of kernel values, checked once at the seam between operators and solvers.

A sum over the values, which is finite only if all of them are, costs little while they are in cache. Only where it is
not finite are values looked at one by one, so that the error names the kernel, the pair of samples and the parameters
to blame. Products are not checked tile by tile: an entry that is not finite makes the product so, too.
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

_LARGE = 2**16  # entries from which a pass over a matrix takes longer than a look at the proof of its kernel
_NAMED = 3  # parameters of a kernel that an error names at most


def quiet() -> np.errstate:
    """Context, or decorator, without NumPy's warnings about overflow, for work whose results are checked afterwards."""
    return np.errstate(over="ignore", invalid="ignore")


def all_finite(values: Any) -> bool:
    """Whether all numbers of an array are finite; one pass without a temporary, to be called within `quiet`."""
    return math.isfinite(values.sum()) or bool(np.isfinite(values).all())  # a sum of finite numbers may overflow


def require_finite(operator: "GramOperator", values: FloatArray, rows: Index, cols: "Index | None" = None) -> None:
    """Raise ValueError if K[rows, cols] holds NaN or infinity. To be called within `quiet`.

    Parameters
    ----------
    operator : GramOperator
        K.
    values : ndarray of shape (rows, cols), or (rows,)
        The block; without `cols`, entries of the diagonal.
    rows, cols : slice or ndarray of int
        The rows and columns of K that `values` has.
    """
    if all_finite(values):
        return
    at = np.argwhere(~np.isfinite(values))[0]
    i = int(tiles.numbers(rows)[at[0]])
    j = i if cols is None else int(tiles.numbers(cols)[at[1]])
    _refuse(operator, float(values[tuple(at)]), i, j)


def require_finite_matrix(operator: "GramOperator", K: FloatArray) -> None:
    """As `require_finite`, for the whole matrix; of a kernel that is proved to be PSD the diagonal is enough."""
    if operator._finite:
        return
    m, n = operator.shape
    if m == n and K.size > _LARGE and operator._bounded_by_diagonal():
        require_finite(operator, np.diagonal(K), slice(0, n))
    else:
        require_finite(operator, K, slice(0, m), slice(0, n))


def checked_product(operator: "GramOperator", result: Product) -> Product:
    """Return a product with K; raise ValueError if an entry of K or a sum has made it infinite or NaN.

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
    """What to do about values of a kernel that are not finite: its largest parameters, and the features.

    >>> from mercer.kernels import Polynomial
    >>> kernel_remedy(Polynomial(degree=50, gamma=1e300), foreign=False)
    'lower gamma=1e+300 or degree=50, or rescale the features'
    """
    large = sorted(_large(kernel), reverse=True)[:_NAMED]
    if large:
        return f"lower {' or '.join(name for _, name in large)}, or rescale the features"
    return "correct the function that computes it, or the samples" if foreign else "rescale the features"


def _large(kernel: Kernel) -> set[tuple[float, str]]:
    """Numbers above 1 among the parameters of a kernel and of its parts, with their size."""
    names = (field.name for field in dataclasses.fields(kernel))  # type: ignore[arg-type]
    values = ((name, getattr(kernel, name)) for name in names)
    found = {(abs(float(v)), f"{name}={v:g}") for name, v in values if is_number(v) and abs(v) > 1}
    return found.union(*map(_large, kernel.parts().values()))
