"""Conversion of users' sparse matrices to valid CSR matrices.

SciPy and the compiled core do not check index arrays. An index out of range makes them access memory outside the
arrays. SciPy's constructors check little, its attributes can be set to anything, and `check_format` skips its checks if
``indptr[-1] <= 0``. Therefore no method of a user's sparse matrix is called before its arrays have been copied and
checked here, and all CSR matrices from users' data are made here.
"""

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._validation.describe import describe
from mercer._validation.frames import check_columns
from mercer._validation.offsets import check_indices, check_offsets

__all__ = ["as_csr", "as_dense", "check_unmasked", "sound_compressed"]


def as_csr(who: str, X: Any, *, name: str = "X") -> Any:
    """Convert a sparse matrix of any format to a valid CSR matrix with sorted indices and without duplicates.

    Offsets start at 0, never decrease and end within the arrays. Indices are within the shape. Index arrays are private
    read-only copies, so that they cannot be changed during a computation. The entries keep their type and are shared
    with X if X is a canonical CSR matrix. Cost: O(entries).

    Parameters
    ----------
    who : str
        Name of the caller in messages.
    X : sparse matrix or sparse array of SciPy
        Matrix in the format bsr, coo, csc, csr, dia, dok or lil.
    name : str, default="X"
        Name of X in messages.

    Returns
    -------
    csr_matrix or csr_array
        A csr_array if X is a sparse array, else a csr_matrix.

    Raises
    ------
    ValueError
        If the arrays do not describe a matrix of that shape.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> X = sp.csr_array(np.eye(2))
    >>> X.indices[0] = 7
    >>> as_csr("RBF", X)
    Traceback (most recent call last):
        ...
    ValueError: RBF: the indices of the sparse matrix X must lie in 0 to 1, got 7 at position 0.
    """
    shape = _shape(who, X, name)
    read = _READERS.get(getattr(X, "format", None))
    if read is None:
        raise TypeError(
            f"{who}: {name} is a sparse matrix of an unknown format, got {describe(X)}; convert it with tocsr()."
        )
    try:
        matrix = read(who, X, f"the sparse matrix {name}", shape)
    except (AttributeError, IndexError, TypeError, OverflowError) as error:
        raise ValueError(
            f"{who}: {name} is not a sound sparse matrix ({error}); build it again from its entries."
        ) from None
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
        _lock(matrix)
    return matrix


def as_dense(who: str, X: Any, *, name: str = "X") -> Any:
    """Convert an array-like without a mask, or a sparse matrix checked by `as_csr`, to an ndarray.

    >>> import scipy.sparse as sp
    >>> as_dense("SVC", sp.eye_array(2))
    array([[1., 0.],
           [0., 1.]])
    """
    if sp.issparse(X):
        return as_csr(who, X, name=name).toarray()
    check_unmasked(who, X, name=name)
    check_columns(who, X, name=name)
    try:
        return np.asarray(X)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"{who}: {name} cannot be converted to an array ({error}); every sample needs the same number of features."
        ) from None


def check_unmasked(who: str, X: Any, *, name: str = "X") -> None:
    """Raise TypeError for a masked array, whose mask `np.asarray` would drop silently."""
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(
            f"{who}: {name} is a masked array, expected plain numbers; "
            f"call {name}.filled(value) or drop the masked samples."
        )


def sound_compressed(who: str, what: str, parts: tuple[Any, Any, Any], shape: tuple[int, int], *, make: Any) -> Any:
    """Return a CSR or CSC matrix from ``(data, indices, indptr)`` after validation; index arrays are copied.

    `make` is the class of the matrix. Duplicates and unsorted indices are allowed. As in SciPy, entries after the last
    offset do not belong to the matrix.
    """
    data, indices, indptr = parts
    data = _entries(who, what, data)
    major, minor = shape if make in (sp.csr_matrix, sp.csr_array) else shape[::-1]
    offsets = np.array(indptr) if isinstance(indptr, np.ndarray) else indptr  # copied before it is read
    last = int(offsets[-1]) if np.ndim(offsets) == 1 and len(offsets) else 0
    offsets = check_offsets(who, f"the indptr of {what}", offsets, last)
    if len(offsets) != major + 1:
        raise ValueError(
            f"{who}: the indptr of {what} must have length {major + 1} for shape {shape}, got {len(offsets)}."
        )
    own = _is_private(indices)
    if last > min(np.size(indices), len(data)):
        raise ValueError(
            f"{who}: the indptr of {what} ends at {last}, but there are {np.size(indices)} indices and {len(data)} "
            "entries."
        )
    indices = check_indices(who, f"the indices of {what}", indices, minor, stop=last, copy=not own)
    index = np.int32 if max(last, *shape) < 2**31 else np.int64
    return _lock(make((data[:last], indices.astype(index, copy=False), offsets.astype(index, copy=False)), shape=shape))


def _is_private(array: Any) -> bool:
    """Whether an array is private: neither it nor the array whose memory it views is writable."""
    while isinstance(array, np.ndarray) and not array.flags.writeable:
        if array.base is None:
            return True
        array = array.base
    return False


def _lock(matrix: Any) -> Any:
    parts = [matrix.indptr, matrix.indices]
    while parts:
        part = parts.pop()
        part.flags.writeable = False
        if isinstance(part.base, np.ndarray):  # SciPy may keep a view of its argument
            parts.append(part.base)
    return matrix


def _shape(who: str, X: Any, name: str) -> tuple[int, int]:
    shape = getattr(X, "shape", None)
    ok = isinstance(shape, tuple) and all(isinstance(n, (int, np.integer)) and 0 <= n < 2**62 for n in shape)
    if not isinstance(shape, tuple) or not ok or len(shape) != 2:
        raise ValueError(
            f"{who}: {name} must have two dimensions, got a sparse {type(X).__name__} of shape {shape}; "
            "one row per sample, one column per feature."
        )
    return int(shape[0]), int(shape[1])


def _entries(who: str, what: str, data: Any) -> Any:
    """Return the entries in a form that SciPy supports: contiguous, native byte order, float16 as float32."""
    plain = isinstance(data, np.ndarray) and not isinstance(data, np.ma.MaskedArray)
    if not plain or data.ndim != 1 or data.dtype.kind not in "biufc":
        raise ValueError(f"{who}: the entries of {what} must be a 1-D array of numbers, got {describe(data)}.")
    dtype = np.float32 if data.dtype == np.dtype(np.float16) else data.dtype.newbyteorder("=")
    return np.require(data, dtype, ["C", "A"])


def _classes(X: Any) -> tuple[Any, Any, Any]:
    """Return the classes of CSR, CSC and COO matrices of the same interface (matrix or array) as X."""
    new = isinstance(X, sp.sparray)
    return (sp.csr_array, sp.csc_array, sp.coo_array) if new else (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix)


def _compressed(who: str, X: Any, what: str, shape: tuple[int, int]) -> Any:
    make = _classes(X)[0 if X.format == "csr" else 1]
    return _csr(sound_compressed(who, what, (X.data, X.indices, X.indptr), shape, make=make))


def _csr(matrix: Any) -> Any:
    return matrix if matrix.format == "csr" else _lock(matrix.tocsr())


def _triplets(who: str, X: Any, what: str, shape: tuple[int, int], rows: Any, columns: Any, data: Any) -> Any:
    data = _entries(who, what, data)
    rows = check_indices(who, f"the row numbers of {what}", rows, shape[0])
    columns = check_indices(who, f"the column numbers of {what}", columns, shape[1])
    if not len(rows) == len(columns) == len(data):
        raise ValueError(
            f"{who}: {what} has {len(rows)} row numbers, {len(columns)} column numbers and {len(data)} entries; "
            "expected one of each per entry."
        )
    return _csr(_classes(X)[2]((data, (rows, columns)), shape=shape))


def _coo(who: str, X: Any, what: str, shape: tuple[int, int]) -> Any:
    if len(X.coords) != 2:
        raise ValueError(f"{who}: {what} has {len(X.coords)} coordinates per entry, expected a row and a column.")
    return _triplets(who, X, what, shape, X.row, X.col, X.data)


def _bsr(who: str, X: Any, what: str, shape: tuple[int, int]) -> Any:
    blocks = X.data
    if not isinstance(blocks, np.ndarray) or blocks.ndim != 3 or 0 in blocks.shape[1:]:
        raise ValueError(f"{who}: the blocks of {what} must be a 3-D array, got {describe(blocks)}.")
    height, width = blocks.shape[1:]
    if shape[0] % height or shape[1] % width:
        raise ValueError(f"{who}: blocks of {height} x {width} do not tile {what} of shape {shape}.")
    parts = np.arange(len(blocks)), X.indices, X.indptr  # the entries number the blocks
    coarse = sound_compressed(who, what, parts, (shape[0] // height, shape[1] // width), make=sp.csr_array).tocoo()
    data = blocks[coarse.data]
    rows = coarse.row.astype(np.int64)[:, None, None] * height + np.arange(height)[:, None]
    columns = coarse.col.astype(np.int64)[:, None, None] * width + np.arange(width)
    rows, columns = (np.broadcast_to(part, data.shape).ravel() for part in (rows, columns))
    return _triplets(who, X, what, shape, rows, columns, data.ravel())


def _dia(who: str, X: Any, what: str, shape: tuple[int, int]) -> Any:
    diagonals, shifts = X.data, X.offsets
    if not isinstance(diagonals, np.ndarray) or diagonals.ndim != 2 or np.shape(shifts) != diagonals.shape[:1]:
        raise ValueError(
            f"{who}: {what} must have one row of entries per diagonal, got {describe(diagonals)} and "
            f"{describe(shifts)}."
        )
    name = f"the diagonals of {what}"
    shifts = check_indices(who, name, shifts, shape[1] + 1, low=-shape[0]).astype(np.int64)
    columns = np.broadcast_to(np.arange(diagonals.shape[1]), diagonals.shape)
    rows = columns - shifts[:, None]
    inside = (rows >= 0) & (rows < shape[0]) & (columns < shape[1]) & (diagonals != 0)
    return _triplets(who, X, what, shape, rows[inside], columns[inside], diagonals[inside])


def _dok(who: str, X: Any, what: str, shape: tuple[int, int]) -> Any:
    entries = dict(X.items())
    places = _gathered(who, what, list(entries), (len(entries), 2))
    data = _gathered(who, what, list(entries.values()), (len(entries),), X.dtype)
    return _triplets(who, X, what, shape, places[:, 0], places[:, 1], data)


def _lil(who: str, X: Any, what: str, shape: tuple[int, int]) -> Any:
    columns, entries = ([list(part) for part in parts] for parts in (X.rows, X.data))
    sizes = list(map(len, columns))
    if sizes != list(map(len, entries)) or len(sizes) != shape[0]:
        raise ValueError(f"{who}: the lists of columns and of entries of {what} do not have the same lengths.")
    indices = _gathered(who, what, list(chain.from_iterable(columns)), (sum(sizes),))
    data = _gathered(who, what, list(chain.from_iterable(entries)), (sum(sizes),), X.dtype)
    indptr = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    return sound_compressed(who, what, (data, indices, indptr), shape, make=_classes(X)[0])


def _gathered(who: str, what: str, values: list[Any], shape: tuple[int, ...], dtype: Any = None) -> Any:
    """Return the entries of lists as an array, of integers unless a type is given."""
    if not values:
        return np.empty(shape, dtype=np.int64 if dtype is None else dtype)
    try:
        array = np.array(values, dtype=dtype)
        missing = dtype is not None and np.dtype(dtype).kind in "fc" and any(value is None for value in values)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{who}: {what} contains lists that cannot be converted to an array ({error}).") from None
    if missing:  # NumPy converts None to NaN
        raise ValueError(f"{who}: {what} contains None, expected numbers.")
    if array.shape != shape:
        raise ValueError(f"{who}: {what} contains lists that form an array of shape {array.shape}, expected {shape}.")
    return array


_READERS: dict[Any, Callable[[str, Any, str, tuple[int, int]], Any]] = {
    "bsr": _bsr,
    "coo": _coo,
    "csc": _compressed,
    "csr": _compressed,
    "dia": _dia,
    "dok": _dok,
    "lil": _lil,
}
