"""Rows of a Gram matrix for the compiled solvers.

Native kernels never leave the core; every other kernel serves blocks through one callback, so that a kernel written in
Python costs one call per block, not per row.
"""

from typing import Any

import numpy as np

from mercer._core import RowSource
from mercer._runtime.engine import ready
from mercer._typing import FloatArray, IndexArray
from mercer.kernels import evaluate
from mercer.kernels.program import Prepared

__all__ = ["RowSource", "row_source"]


def row_source(data: "Prepared | FloatArray", *, cache_size: float = 200.0, n_jobs: int | None = None) -> RowSource:
    """A source of rows for `mercer.solvers.solve_dual`.

    Parameters
    ----------
    data : Prepared or ndarray of shape (n, n)
        What ``kernel.prepare(X)`` returned, or a symmetric matrix, which is read in place if its rows are contiguous.
    cache_size : float
        Megabytes. The values of a kernel in Python are computed at once, by symmetry, if they fit.
    n_jobs : int, optional
        Threads.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> row_source(RBF(gamma=1.0).prepare(np.zeros((3, 2)))).n
    3
    """
    ready()
    if not isinstance(data, Prepared):
        matrix = data if data.dtype in (np.float32, np.float64) else data.astype(np.float64)
        return RowSource.matrix(matrix if matrix.strides[1] == matrix.itemsize else np.ascontiguousarray(matrix))
    if not data.foreign:
        return RowSource.native(data.program, data.side())
    if 8 * data.n**2 <= cache_size * 2**20:
        return RowSource.matrix(evaluate.block(data, data, n_jobs=n_jobs))
    diagonal = np.asarray(evaluate.paired(data, data, n_jobs=n_jobs), dtype=np.float64)

    def block(rows: IndexArray, columns: IndexArray | None) -> Any:
        right = data if columns is None else data.take(columns)
        return np.asarray(evaluate.block(data.take(rows), right, n_jobs=n_jobs), dtype=np.float64)

    return RowSource.callback(data.n, block, diagonal)
