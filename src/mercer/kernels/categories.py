"""One-hot codes of categories."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray, IndexArray
from mercer._validation import check_dense
from mercer.data import as_codes, take
from mercer.data.frames import plain, split
from mercer.data.tables.table import Table
from mercer.kernels.features import Options, counts, onehot
from mercer.kernels.naming import input_names
from mercer.kernels.vocabulary import Vocabularies, Vocabulary

__all__ = ["indicator_names", "indicators"]


def indicators(who: str, X: Data, options: Options) -> list[Any]:
    """One-hot codes [x_j = a], as a CSR matrix for each column j.

    With ``options["maximum"]``, the categories are the integers 0, …, maximum. Otherwise they are those that occur in
    the data from which the vocabularies are learned; other categories have no feature.
    """
    if options["maximum"] is not None:
        array, maximum = counts(who, X, options, dense=True)
        return [onehot(who, column[:, None], maximum) for column in array.T]
    check_dense(who, X)
    codes = np.asarray(as_codes(X, who), dtype=np.float64) + 0.0  # −0 becomes 0
    vocabularies: Vocabularies = options["vocabularies"] or Vocabularies()
    found = []
    for j, column in enumerate(codes.T):
        keys = np.ascontiguousarray(column).view(np.uint64)
        known = vocabularies.next()
        if known is None:
            levels, first = np.unique(keys, return_index=True)
            known = Vocabulary(levels, _texts(who, X, j, first))
            vocabularies.add(known)
        found.append(_onehot(keys, known.keys))
    return found


def indicator_names(X: Data, options: Options) -> list[list[str]]:
    """Names of `indicators`, such as ``city=Rome``, for each column."""
    columns = input_names(X, options)
    if options["maximum"] is not None:
        return [[f"{name}={value}" for value in range(options["maximum"] + 1)] for name in columns]
    return [[f"{name}={text}" for text in options["vocabularies"].next().names] for name in columns]


def _onehot(keys: Any, levels: Any) -> Any:
    """One-hot code of one column; keys that are not levels give empty rows."""
    place = np.minimum(np.searchsorted(levels, keys), len(levels) - 1)
    rows: IndexArray = np.flatnonzero(levels[place] == keys)
    ones: FloatArray = np.ones(len(rows))
    return sp.csr_matrix((ones, (rows, place[rows])), shape=(len(keys), len(levels)))


def _texts(who: str, X: Data, j: int, rows: IndexArray) -> list[str]:
    """Values of column j in some rows, as text."""
    some = take(X, rows)
    values = some.column(j) if isinstance(some, Table) else plain(who, j, split(who, some)[j][1])
    return [f"{value:g}" if isinstance(value, float | np.floating) else str(value) for value in values]
