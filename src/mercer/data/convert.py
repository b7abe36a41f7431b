"""Conversions of input data for kernels: matrices, category codes, samples, columns."""

import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer._validation import as_csr, as_numbers, check_rows, check_vectors, describe
from mercer.data.frames import as_frame, as_series, has_fields, locate_all, plain, split
from mercer.data.hashing.categories import encode, encode_numbers, temporal_error
from mercer.data.tables.table import Table

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

__all__ = ["as_codes", "as_items", "as_matrix", "n_samples", "one_column", "packed", "select_columns", "take"]


def n_samples(X: Data) -> int:
    """Count the samples of any data that kernels accept.

    Parameters
    ----------
    X : array, sparse matrix, frame, Table, packed container or list
        Samples.

    Returns
    -------
    int
        Number of samples.

    Raises
    ------
    TypeError
        If X is not a collection of samples: a dict, a single str, a lazy frame.

    See Also
    --------
    take : Choose samples.

    Examples
    --------
    >>> import numpy as np
    >>> n_samples(np.zeros((5, 2))), n_samples(["ox", "cow"])
    (5, 2)
    """
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    if isinstance(X, Mapping):
        raise TypeError(
            "X: expected samples, got a dict; make a table of its columns with mercer.data.Table.from_frame(X)."
        )
    if isinstance(X, (str, bytes)) or shape == () or not hasattr(X, "__len__"):
        raise TypeError(
            "X: expected a collection of samples (array, sparse matrix, frame, Table, list), got "
            f"{describe(X)}; put a single sample in a list, collect a lazy frame."
        )
    return len(X)


def take(X: Data, rows: Any) -> Data:
    """Choose samples of any data that kernels accept.

    Parameters
    ----------
    X : array, sparse matrix, frame, series, Table, list or tuple
        Samples; also any other collection that can be indexed by an array of row numbers.
    rows : array of int, array of bool or slice
        Rows in the order wanted, repeats allowed. Negative numbers count from the end.

    Returns
    -------
    data
        The chosen samples, of the same type as X. Sparse matrices become CSR.

    Raises
    ------
    IndexError
        If a row number is out of range.

    See Also
    --------
    select_columns : Choose columns.
    joined : Concatenate samples.

    Notes
    -----
    Only the chosen samples are copied.

    Examples
    --------
    >>> import numpy as np
    >>> take(["ox", "cow", "owl"], [-1, 0])
    ['owl', 'ox']
    >>> take(np.array([[1.0], [2.0], [3.0]]), [False, True, True])
    array([[2.],
           [3.]])
    """
    rows = check_rows("take", rows, n_samples(X))
    if isinstance(X, np.ndarray):
        return X[rows]
    if sp.issparse(X):
        return as_csr("take", X)[rows]
    if isinstance(X, Sequence):
        chosen = [X[i] for i in rows]
        return tuple(chosen) if isinstance(X, tuple) else chosen
    frame = as_frame(X)
    if frame is not None:
        return frame[rows.tolist(), :].to_native()
    series = as_series(X)
    return X[rows] if series is None else series[rows.tolist()].to_native()


def as_matrix(X: Data, who: str) -> Any:
    """Convert frames and tables to matrices, for vector kernels.

    Parameters
    ----------
    X : array, sparse matrix, frame, Table or list
        Samples.
    who : str
        Caller, named in error messages.

    Returns
    -------
    ndarray, sparse matrix or list
        Frames and tables as a matrix: float32 if every column is float32, else float64. A frame whose columns have one
        type is converted in one step, without a copy if possible. Other data are returned unchanged.

    Raises
    ------
    TypeError
        If a column does not hold numbers.

    See Also
    --------
    as_codes : Convert categories to numbers.
    as_items : Convert data to a collection of samples.

    Examples
    --------
    >>> as_matrix(Table.from_frame({"age": [31, 45], "member": [True, False]}), "RBF")
    array([[31.,  1.],
           [45.,  0.]])
    """
    if has_fields(X):
        X = Table.from_frame(X)
    if isinstance(X, Table):
        return X.matrix(who)
    frame = as_frame(X)
    return X if frame is None else _frame_matrix(who, frame)


def _frame_matrix(who: str, frame: "nw.DataFrame[Any]") -> Any:
    import narwhals.stable.v2 as nw

    dtypes = frame.schema.dtypes()
    for label, dtype in zip(frame.columns, dtypes, strict=True):
        name = str(label)
        if dtype.is_temporal():
            raise temporal_error(who, name, dtype)
        if not _holds_numbers(dtype):
            raise TypeError(
                f"{who}: column {name!r} has dtype {dtype}, expected numbers; use "
                f"Columns([{name!r}], Overlap()) or encode it."
            )
    if len(set(dtypes)) == 1:
        block = frame.to_numpy()
        if block.dtype.kind in "fiub":
            return block
    matrix = np.empty(frame.shape)
    for j, series in enumerate(frame.iter_columns()):
        matrix[:, j] = series.cast(nw.Float64).to_numpy()
    return matrix


def _holds_numbers(dtype: Any) -> bool:
    return bool(dtype.is_numeric()) or str(dtype) == "Boolean"


def as_codes(X: Data, who: str) -> Any:
    """Convert categories to numbers that are equal exactly where the categories are.

    Parameters
    ----------
    X : array, sparse matrix, frame, Table or list of rows
        Samples with one category per column.
    who : str
        Caller, named in error messages.

    Returns
    -------
    ndarray of float64 or csr_matrix of shape (n_samples, n_columns)
        Numbers and booleans represent themselves. Other values are replaced by a hash that is the same in every
        process.

    Raises
    ------
    ValueError
        If a value is missing, or if X is empty.

    See Also
    --------
    as_matrix : Convert frames and tables to matrices.

    Examples
    --------
    Encoding is stateless: train and test can be encoded separately.

    >>> train = as_codes([["red"], ["blue"]], "Overlap")
    >>> test = as_codes([["blue"]], "Overlap")
    >>> (train == test).ravel().tolist()
    [False, True]
    """
    if sp.issparse(X):
        return check_vectors(who, X)
    if isinstance(X, np.ma.MaskedArray):
        as_numbers(who, X)  # raises
    X = np.asarray(X) if isinstance(X, np.ndarray) else X  # a subclass may lack what arrays have
    codes = _codes(X, who)
    if 0 in codes.shape:
        raise ValueError(
            f"{who}: X has {codes.shape[0]} samples and {codes.shape[1]} columns, expected at "
            "least one of each; check how it was selected."
        )
    return codes


def _codes(X: Data, who: str) -> FloatArray:
    if isinstance(X, Table):
        return X.codes(who)
    numeric = isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.dtype.itemsize <= 8
    if numeric and X.ndim == 2:
        return encode_numbers(who, X)
    columns = []
    for name, values in split(who, X):
        column = plain(who, name, values)
        exact = isinstance(column, np.ndarray)
        columns.append(encode_numbers(who, column, name) if exact else encode(who, name, column)[0])
    return np.column_stack(columns) if columns else np.empty((n_samples(X), 0))


def as_items(X: Data) -> Any:
    """Convert data to an indexable collection of samples, for kernels written in Python.

    Parameters
    ----------
    X : array, sparse matrix, frame, series, Table or list
        Samples.

    Returns
    -------
    ndarray or list
        Arrays and lists are returned unchanged. A frame or table of numbers becomes a matrix. A single column of other
        values becomes a list of values, several columns a list of tuples. A sparse matrix becomes a list of its rows.

    See Also
    --------
    as_matrix : Convert frames and tables to matrices.

    Examples
    --------
    >>> as_items(Table.from_frame({"word": ["ox", "cow"]}))
    ['ox', 'cow']
    >>> as_items(Table.from_frame({"age": [3.0, 5.0], "word": ["ox", "cow"]}))
    [(3.0, 'ox'), (5.0, 'cow')]
    """
    if isinstance(X, (np.ndarray, list)):
        n_samples(X)  # raises for an array without dimensions
        return X
    if sp.issparse(X):
        return list(as_csr("X", X))
    if isinstance(X, Table):
        if set(X.kinds) == {"number"}:
            return X.matrix()
        return X.column(0) if len(X.names) == 1 else list(X)
    frame = as_frame(X)
    if frame is not None:
        if all(map(_holds_numbers, frame.schema.dtypes())):
            return _frame_matrix("X", frame)
        return next(frame.iter_columns()).to_list() if frame.shape[1] == 1 else frame.rows()
    series = as_series(X)
    if series is not None:
        return series.to_list()
    n_samples(X)  # raises if X is not a collection
    return list(X)


def one_column(X: Data, who: str, what: str) -> Data:
    """Values of data with a single column; X itself if it has no columns.

    >>> one_column(Table.from_frame({"read": ["GATTACA", "CAT"]}), "Spectrum", "string")
    ['GATTACA', 'CAT']
    """
    if not isinstance(X, (Table, np.ndarray)) or len(X.shape) != 2:
        return X
    if X.shape[1] != 1:
        raise ValueError(
            f"{who}: expected one {what} per sample, got {X.shape[1]} columns; choose one with Columns(name, kernel)."
        )
    return X.column(0) if isinstance(X, Table) else X[:, 0]


def packed(X: Data, container: Callable[[Data], Any], who: str, what: str) -> Any:
    """Pack samples into a container; error messages start with the name of the kernel."""
    try:
        return container(one_column(X, who, what))
    except (TypeError, ValueError) as error:
        if not str(error.args[0]).startswith(who):
            error.args = (f"{who}: {error.args[0]}",)
        raise


def select_columns(X: Data, columns: Sequence[int | str], who: str) -> Data:
    """Choose columns of a matrix, list of rows, frame or table.

    Parameters
    ----------
    X : array, sparse matrix, frame, Table or list of rows
        Samples.
    columns : sequence of int, str or slice
        Positions (negative ones count from the end), slices of positions, or names. Names require a frame, a table or a
        structured array.
    who : str
        Caller, named in error messages.

    Returns
    -------
    data
        The chosen columns, of the same type as X; a structured array becomes a table. Adjacent columns of an array are
        a view.

    Raises
    ------
    ValueError
        If a column does not exist, or if a named column is chosen twice.

    See Also
    --------
    take : Choose samples.

    Examples
    --------
    >>> import numpy as np
    >>> select_columns(np.array([[1, 2, 3]]), (0, -1), "Columns")
    array([[1, 3]])
    """
    if has_fields(X):
        X = Table.from_frame(X)
    if isinstance(X, Table):
        return X.select(_named(who, X.names, columns))
    frame = as_frame(X)
    if frame is not None:
        return frame[:, _named(who, frame.columns, columns)].to_native()
    if isinstance(X, (list, tuple)):
        where = unnamed(who, X, len(split(who, X)), columns)
        if len(where) > 1 or all(isinstance(row[where[0]], numbers.Number) for row in X):
            return [[row[j] for j in where] for row in X]
        column = np.empty((len(X), 1), dtype=object)  # lists of one str would be taken for token lists
        for i, row in enumerate(X):
            column[i, 0] = row[where[0]]
        return column
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2:
        raise ValueError(f"{who}: selecting columns needs two-dimensional data, got {describe(X)}.")
    where = unnamed(who, X, shape[1], columns)
    X = as_csr(who, X) if sp.issparse(X) else X
    first, last = where[0], where[-1]
    return X[:, first : last + 1] if where == list(range(first, last + 1)) else X[:, where]


def _named(who: str, names: Sequence[Any], columns: Sequence[int | str]) -> list[int]:
    where = locate_all(who, names, columns)
    for i, position in enumerate(where):
        if position in where[:i]:
            raise ValueError(f"{who}: column {str(names[position])!r} is selected twice; select it once.")
    return where


def unnamed(who: str, X: Data, width: int, columns: Sequence[int | str]) -> list[int]:
    """Positions of columns of data that have no column names.

    >>> unnamed("rotation", np.eye(3), 3, [-1, 0])
    [2, 0]
    """
    for column in columns:
        if isinstance(column, str):
            raise ValueError(
                f"{who}: column {column!r} is selected by name, but X ({type(X).__name__}) has "
                f"no column names; use indices 0 to {width - 1}, or pass a frame or a mercer.data.Table."
            )
    return locate_all(who, range(width), columns)
