"""Documentation of the compiled class `RowSource`."""

from mercer._core import RowSource

__all__ = ["RowSource"]

RowSource.__doc__ = """Rows of a symmetric Gram matrix in the form that the compiled solvers read.

Sources are made by `row_source` and `GramOperator.row_source`. A source computes rows natively from packed samples,
reads a matrix in memory, or calls back into Python for blocks. Several solvers may share one source.

Attributes
----------
n : int
    Number of samples, the order of the matrix.
single : bool
    Whether the solvers cache rows in float32.

See Also
--------
row_source : Make a source from an operator, prepared data or a matrix.
GramOperator.row_source : The same as a method of an operator.

Examples
--------
>>> from mercer.operators import row_source
>>> source = row_source([[2.0, 1.0], [1.0, 2.0]])
>>> source.n, source.single
(2, False)
"""
