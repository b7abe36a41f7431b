"""Functions that build operators from kernels, data and matrices."""

from typing import Any, Literal

import numpy as np

from mercer._core import RowSource
from mercer._typing import Data, DoubleArray
from mercer._validation import check_integer, describe
from mercer._words import one_word
from mercer.kernels.base import Kernel
from mercer.kernels.prepared import Prepared
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
        Kernel, its text form such as ``"rbf(gamma=0.1)"`` (see :ref:`kernel-names`), or ``"precomputed"``, for which
        X is the square matrix itself. Parameters that depend on the data are resolved on X.
    X : array-like, sparse matrix or other data of n_samples_X samples
        Samples of the rows.
    Y : array-like, sparse matrix or other data of n_samples_Y samples, default=None
        Samples of the columns. None: X, and K is symmetric.
    n_jobs : int, default=None
        Number of threads. None: all available cores.
    materialize : bool or "auto", default=False
        Whether the matrix is computed now and held in memory. False: tiles are computed when they are needed. True:
        the matrix is computed now; `mercer.exceptions.MemoryLimitError` is raised if it does not fit. "auto": the
        matrix is computed now if it takes at most `memory_budget` bytes.
    memory_budget : int, default=64000000
        Maximal number of bytes for tiles of a product, in addition to data and result.

    Returns
    -------
    GramOperator
        A `BlockedOperator`, `DenseOperator` or `PrecomputedOperator`.

    See Also
    --------
    GramOperator : Methods of operators.
    as_operator : Wrap a matrix or prepared data.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> from mercer.operators import gram
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> K = gram(RBF(gamma=0.1), X)
    >>> K
    BlockedOperator: 3 x 3, float64, rbf(gamma=0.1)
    >>> (K @ [1.0, 0.0, 0.0]).round(4)
    array([1.    , 0.4493, 0.0408])
    """
    auto = isinstance(materialize, str) and materialize == "auto"
    if not auto and not isinstance(materialize, bool):
        raise ValueError(f"gram: materialize must be True, False or 'auto', got {describe(materialize)}.")
    budget = check_integer("gram", "memory_budget", memory_budget, low=1)
    match kernel:
        case str() if kernel == "precomputed":
            if Y is not None:
                raise ValueError(
                    "gram: Y must be None with kernel='precomputed', because X is the matrix; use "
                    "PrecomputedOperator(K, symmetric=False) for a rectangular matrix."
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
    """Return K as a symmetric operator.

    Parameters
    ----------
    who : str
        Name in error messages.
    K : GramOperator, Prepared or array-like of shape (n, n)
        Operators are returned unchanged. Prepared data become a `BlockedOperator`, matrices a `PrecomputedOperator`.

    Returns
    -------
    GramOperator
        Symmetric operator.

    Raises
    ------
    ValueError
        If K is not symmetric. Matrices may differ from their transpose by rounding.

    See Also
    --------
    gram : Build an operator from a kernel and data.
    row_source : Rows for the compiled solvers.

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
    """Return K as a float64 matrix that a solver may overwrite.

    Parameters
    ----------
    K : GramOperator or ndarray of shape (n, n)
        Operators are copied by their method `array`. An ndarray is returned as it is, so the caller gives it up.
    buffers : int, default=1
        As in `GramOperator.array`.

    Returns
    -------
    ndarray of shape (n, n)
        Matrix in float64.
    """
    if isinstance(K, np.ndarray):
        return K
    K.require_symmetric("this solver")
    return K.array(buffers=buffers)


def row_source(K: Any, *, cache_size: float = 200.0) -> RowSource:
    """Return the rows of a symmetric Gram matrix in the form that the compiled solvers read.

    Parameters
    ----------
    K : GramOperator, Prepared, array-like of shape (n, n) or RowSource
        Symmetric Gram matrix. A `RowSource` is returned unchanged, so that several solvers can share one.
    cache_size : float, default=200.0
        Size of the cache in megabytes, see `GramOperator.row_source`.

    Returns
    -------
    RowSource
        Source of rows.

    See Also
    --------
    as_operator : Symmetric operator from the same input.
    mercer.solvers.solve_dual : Solver that reads a source.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> row_source(RBF(gamma=1.0).prepare(np.zeros((3, 2)))).n
    3
    """
    return K if isinstance(K, RowSource) else as_operator("row_source", K).row_source(cache_size)
