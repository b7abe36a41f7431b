"""From kernels, data and matrices to operators."""

from typing import Any, Literal

import numpy as np

from mercer._core import RowSource
from mercer._typing import Data, DoubleArray
from mercer._validation import check_integer, describe
from mercer._words import one_word
from mercer.kernels.base import Kernel
from mercer.kernels.program import Prepared
from mercer.operators.base import MEMORY_BUDGET, GramOperator
from mercer.operators.blocked import BlockedOperator
from mercer.operators.dense import DenseOperator
from mercer.operators.precomputed import PrecomputedOperator

__all__ = ["as_operator", "gram", "overwritable", "row_source"]


@one_word
def gram(
    kernel: Kernel | str,
    X: Data,
    Y: Data = None,
    *,
    n_jobs: int | None = None,
    materialize: bool | Literal["auto"] = False,
    memory_budget: int = MEMORY_BUDGET,
) -> GramOperator:
    """Build the Gram matrix K_ij = k(x_i, y_j) as an operator.

    Parameters
    ----------
    kernel : Kernel or str
        A kernel, its text form such as ``"rbf(gamma=0.1)"`` (names mean the text form, see docs/kernel-names.md),
        or ``"precomputed"``: then X is the square matrix itself. Parameters that depend on the data are resolved on X.
    X, Y : data
        Samples of rows and of columns; Y=None means X, and K is symmetric.
    n_jobs : int, optional
        Threads; None means all that are allowed.
    materialize : bool or "auto"
        False: nothing is held, tiles are made when asked for. True: the matrix is computed now,
        and refused before allocation if it does not fit. "auto": it is computed now if it takes
        at most `memory_budget` bytes.
    memory_budget : int
        Bytes that a product may take for tiles, besides data and result.

    Returns
    -------
    GramOperator
        `BlockedOperator`, `DenseOperator` or `PrecomputedOperator`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> from mercer.operators import gram
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> K = gram(RBF(gamma=0.1), X)
    >>> K
    BlockedOperator: 3 x 3, float64, rbf(gamma=0.1)
    >>> bool(np.allclose(K @ [1, 0, 0], K.dense()[:, 0]))
    True
    """
    auto = isinstance(materialize, str) and materialize == "auto"
    if not auto and not isinstance(materialize, bool):
        raise ValueError(f"gram: materialize must be True, False or 'auto', got {describe(materialize)}.")
    budget = check_integer("gram", "memory_budget", memory_budget, low=1)
    match kernel:
        case str() if kernel == "precomputed":
            if Y is not None:
                raise ValueError(
                    "gram: Y has no meaning with kernel='precomputed', since X is the matrix; use "
                    "PrecomputedOperator(K, symmetric=False) for a rectangular one."
                )
            return PrecomputedOperator(X, memory_budget=budget)
        case str():
            from mercer.kernels.text import kernel as parse

            kernel = parse(kernel)
        case Kernel():
            pass
        case _:
            raise TypeError(
                f"gram: kernel must be a kernel, a text such as 'rbf(gamma=0.1)' or "
                f"'precomputed', got {describe(kernel)}."
            )
    left = kernel.prepare(X)
    right = left if Y is None or Y is X else left.kernel.prepare(Y)
    operator = BlockedOperator(left, right, n_jobs=n_jobs, memory_budget=budget)
    nbytes = operator.shape[0] * operator.shape[1] * operator.dtype.itemsize
    hold = nbytes <= budget if auto else materialize
    return DenseOperator(operator) if hold else operator


def as_operator(who: str, K: Any) -> GramOperator:
    """K as a symmetric operator.

    Parameters
    ----------
    who : str
        Name in error messages.
    K : GramOperator, Prepared or array-like of shape (n, n)
        An operator is returned as it is; prepared data become a `BlockedOperator`, a matrix a `PrecomputedOperator`.

    Raises
    ------
    ValueError
        If K is not symmetric (matrices: up to rounding).

    Examples
    --------
    >>> as_operator("KernelRidge", [[2.0, 1.0], [1.0, 2.0]])
    PrecomputedOperator: 2 x 2, float64, precomputed
    """
    if isinstance(K, Prepared):
        return BlockedOperator(K)
    operator = K if isinstance(K, GramOperator) else PrecomputedOperator(K)
    operator.require_symmetric(who)
    return operator


def overwritable(K: GramOperator | DoubleArray, *, buffers: int = 1) -> DoubleArray:
    """K as a float64 matrix that a solver may overwrite: an operator's `array`, or the array that the caller gave up.

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        An ndarray is not copied.
    buffers : int, default=1
        As in `GramOperator.array`.
    """
    if isinstance(K, np.ndarray):
        return K
    K.require_symmetric("this solver")
    return K.array(buffers=buffers)


def row_source(K: Any, *, cache_size: float = 200.0) -> RowSource:
    """Rows of a Gram matrix for the compiled solvers.

    Parameters
    ----------
    K : GramOperator, Prepared, array-like of shape (n, n) or RowSource
        Symmetric. A source is returned as it is, so that several solvers may share one.
    cache_size : float, default=200.0
        Megabytes, see `GramOperator.row_source`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> row_source(RBF(gamma=1.0).prepare(np.zeros((3, 2)))).n
    3
    """
    return K if isinstance(K, RowSource) else as_operator("row_source", K).row_source(cache_size)
