"""Gram matrices of texts, sequences, trees and graphs, computed once for all outer and inner folds."""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mercer._runtime.limits import available_memory
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.auto.columns import row_count
from mercer.auto.prepare import TablePreparer
from mercer.auto.view import named_columns
from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import Kernel
from mercer.operators import GramOperator, PrecomputedOperator, gram

__all__ = ["Shared", "at_rows", "shared_grams", "shared_here"]

LARGEST = (
    2500  # samples; of more, folds select kernels on different parts, and most of a whole matrix would not be read
)
SHARE = 0.25  # fraction of the available memory that the matrices may use
PAIRWISE = {"text", "sequence", "molecule", "tree"}  # kinds of columns that are not scaled


@dataclass(frozen=True, eq=False)
class Shared:
    """Gram matrices of all samples of an evaluation, and the rows that a fit sees.

    Parameters
    ----------
    X : object
        All samples, as they were given.
    rows : ndarray of int
        Rows of the present fit.
    matrices : dict of Kernel to ndarray, default={}
        Matrices of all samples.
    """

    X: Data
    rows: IndexArray
    matrices: dict[Kernel, DoubleArray] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)

    def take(self, rows: IndexArray) -> "Shared":
        """The same matrices for some of the rows."""
        return replace(self, rows=self.rows[rows])

    def gram(self, kernel: Kernel, sample: Data, preparer: TablePreparer, n_jobs: int | None) -> GramOperator | None:
        """Gram matrix of the rows; None if the kernel depends on more than pairs of samples, or for want of memory.

        Parameters
        ----------
        kernel : Kernel
            Kernel on prepared data.
        sample : container or Table
            Prepared samples of the rows, on which the kernel must have nothing to resolve.
        preparer : TablePreparer
            Preparer of the fit.
        n_jobs : int or None
            Number of threads.
        """
        if not _is_pairwise(kernel, sample, preparer) or kernel.resolve(sample) != kernel:
            return None
        with self.lock:
            if kernel not in self.matrices:
                n, room = row_count("evaluate", self.X), available_memory()
                if room is not None and 8 * n**2 > SHARE * room:
                    return None
                try:
                    with warnings.catch_warnings():
                        warnings.filterwarnings("ignore", message="TablePreparer: ")  # the fold itself warns
                        every = preparer.transform(self.X)
                except (TypeError, ValueError):  # a column has another type in other folds
                    return None
                self.matrices[kernel] = gram(kernel, every, n_jobs=n_jobs).dense().astype(np.float64, copy=False)
        part = self.matrices[kernel][np.ix_(self.rows, self.rows)]
        return PrecomputedOperator(part, symmetric=True, finite=True)


_here: ContextVar[Shared | None] = ContextVar("shared_grams", default=None)


@contextmanager
def shared_grams(X: Data) -> Iterator[None]:
    """Share Gram matrices among all fits to parts of X inside the block; an outer block for the same X goes on."""
    before = _here.get()
    n = row_count("evaluate", X)
    if n > LARGEST or (before is not None and before.X is X):
        yield
        return
    token = _here.set(Shared(X, np.arange(n)))
    try:
        yield
    finally:
        _here.reset(token)


@contextmanager
def at_rows(X: Data, rows: IndexArray) -> Iterator[None]:
    """State which rows of X are fitted inside the block."""
    before = _here.get()
    token = _here.set(before.take(rows) if before is not None and before.X is X else None)
    try:
        yield
    finally:
        _here.reset(token)


def shared_here(n: int) -> Shared | None:
    """Matrices that are shared with a fit to n samples; None if there are none."""
    found = _here.get()
    return found if found is not None and len(found.rows) == n else None


def _is_pairwise(kernel: Kernel, sample: Data, preparer: TablePreparer) -> bool:
    """Whether a kernel reads containers, or columns that are prepared value by value."""
    if isinstance(sample, (Graphs, Strings, Trees)):
        return True
    names = named_columns(kernel) if isinstance(sample, Table) else []
    return bool(names) and all(preparer.kinds_.get(name) in PAIRWISE for name in names)
