"""Validation of arrays of numbers."""

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer._validation.describe import describe
from mercer._validation.sparse import as_csr, as_dense

__all__ = ["as_doubles", "as_numbers", "check_dense", "check_finite", "check_size", "check_vector", "check_vectors"]

LARGEST = 1e150


def check_finite(who: str, name: str, values: FloatArray, *, rows: Callable[[], IndexArray] | None = None) -> None:
    """Raise ValueError with the first row if a number is NaN or infinite; `rows` returns the rows of flat values."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):  # one pass without a temporary; overflow is handled below
            return
    bad = ~np.isfinite(values)
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0]) if rows is None else (int(rows()[np.flatnonzero(bad)[0]]),)
        kind = "NaN" if np.isnan(values[bad][0]) else "infinity"
        raise ValueError(
            f"{who}: {name} contains {kind} (first at index {at[0] if len(at) == 1 else at}); "
            "remove or impute such samples first."
        )


def as_numbers(who: str, X: Any, *, name: str = "X", exact: bool = False) -> Any:
    """Convert to an array or CSR matrix of real numbers of any shape.

    float32 and float64 are kept. float16 becomes float32, integers and booleans become float64. The byte order becomes
    the native one, and unaligned arrays are copied. Arrays of objects are converted if every object is a number. Masked
    arrays, dates, complex numbers, strings and long doubles raise an error. Sparse matrices are converted by `as_csr`.

    Parameters
    ----------
    who : str
        Name of the caller in messages.
    X : array-like or sparse matrix
        Numbers.
    name : str, default="X"
        Name of X in messages.
    exact : bool, default=False
        Whether integers and booleans keep their type.

    Returns
    -------
    ndarray, csr_matrix or csr_array
        Numbers; a view of X if nothing had to be converted.
    """
    if sp.issparse(X):
        given = getattr(X, "dtype", None)
        if isinstance(given, np.dtype):
            _check_kind(who, name, given)
        matrix = as_csr(who, X, name=name)
        dtype = _number_type(matrix.dtype, exact=exact)
        if matrix.dtype == dtype:
            return matrix
        return type(matrix)((matrix.data.astype(dtype), matrix.indices, matrix.indptr), shape=matrix.shape)
    X = as_dense(who, X, name=name)
    if X.dtype.kind == "O":
        X = _from_objects(who, name, X)
    _check_kind(who, name, X.dtype)
    dtype = _number_type(X.dtype, exact=exact)
    # The core reads numbers in place, so they must be aligned.
    return X if X.dtype == dtype and X.dtype.isnative and X.flags.aligned else X.astype(dtype)


def as_doubles(who: str, values: Any, *, name: str) -> DoubleArray:
    """Convert real numbers of any shape, as `as_numbers` defines them, to a dense float64 array.

    >>> as_doubles("KernelRidge", [1, 2], name="alpha")
    array([1., 2.])
    """
    return np.asarray(as_numbers(who, as_dense(who, values, name=name), name=name), dtype=np.float64)


def _number_type(dtype: np.dtype[Any], *, exact: bool) -> np.dtype[Any]:
    if dtype.kind == "f":
        return np.dtype(np.float32 if dtype.itemsize <= 4 else np.float64)
    return dtype.newbyteorder("=") if exact else np.dtype(np.float64)


def _from_objects(who: str, name: str, X: Any) -> Any:
    """Convert an array of Python numbers to floats."""
    for i, value in enumerate(X.flat):
        if isinstance(value, numbers.Real) and not isinstance(value, np.timedelta64):  # NumPy registers it as Integral
            continue
        if isinstance(value, numbers.Complex):
            _check_kind(who, name, np.dtype(complex))
        at = np.unravel_index(i, X.shape)
        place = f"row {at[0]}" + (f", column {at[1]}" if len(at) == 2 else "") if at else "its only place"
        advice = (
            "numbers in quotes are converted with astype(float), other texts need a string or category kernel"
            if isinstance(value, str | bytes)
            else "drop such samples or fill them in"
            if value is None
            else "pass blocks as mercer.data.IterableBlocks(function), which is called anew for every pass"
            if hasattr(value, "__next__")
            else "read it in blocks, with mercer.data.ArrayBlocks(X, y)"
            if not at and hasattr(value, "shape")
            else "give every feature a column of its own"
        )
        # scikit-learn's estimator checks look for Python's message.
        reason = f"float() argument must be a string or a real number, not {type(value).__name__!r}"
        raise TypeError(f"{who}: {name} holds {describe(value)} in {place}, expected a number ({reason}); {advice}.")
    try:
        return X.astype(np.float64)
    except OverflowError as error:  # an integer beyond the range of floats
        raise ValueError(f"{who}: {name} holds a number that is too large ({error}); rescale the data.") from None


def _check_kind(who: str, name: str, dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise ValueError(
            f"{who}: Complex data not supported, got {name} of dtype {dtype}; "
            f"pass {name}.real or stack real and imaginary parts."
        )
    if dtype.kind not in "fiub":
        raise TypeError(
            f"{who}: {name} has dtype {dtype}, expected real numbers; convert it with {name}.astype(float), "
            "or use a kernel for categories or strings on those columns."
        )
    if dtype.kind == "f" and dtype.itemsize > 8:
        raise TypeError(
            f"{who}: {name} has dtype {dtype}, which would lose digits; "
            f"convert it with {name}.astype(np.float64) if that is acceptable."
        )


def _check_shape(who: str, name: str, shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        hint = (
            "use X.reshape(-1, 1) for one feature or X.reshape(1, -1) for one sample"
            if len(shape) == 1
            else "one row per sample, one column per feature"
        )
        raise ValueError(
            f"{who}: {name} must be a 2-D array, got {len(shape)} dimension(s) of shape {tuple(shape)}; {hint}."
        )
    if shape[0] == 0:
        raise ValueError(
            f"{who}: {name} has 0 samples (shape {tuple(shape)}), expected at least 1; check how it was selected."
        )
    if shape[1] == 0:
        raise ValueError(f"{who}: {name} has 0 features (shape {tuple(shape)}), expected at least 1 column.")


def check_vectors(who: str, X: Any, *, name: str = "X") -> Any:
    """Return a finite dense or CSR matrix of float32 or float64, at least 1 × 1; a view of the input if possible."""
    X = as_numbers(who, X, name=name)
    _check_shape(who, name, X.shape)
    if sp.issparse(X):
        check_finite(who, name, X.data, rows=lambda: np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)))
    else:
        check_finite(who, name, X)
    return X


def check_size(who: str, X: Any, *, name: str = "X") -> None:
    """Raise ValueError for numbers whose squares overflow, because distances and products would be NaN."""
    values = X.data if sp.issparse(X) else X
    largest = max(abs(float(values.min())), abs(float(values.max()))) if values.size else 0.0
    if largest > LARGEST:
        raise ValueError(
            f"{who}: {name} holds numbers as large as {largest:g}, whose squares overflow; "
            f"rescale the data to below {LARGEST:g}."
        )


def check_dense(who: str, X: Any) -> None:
    """Raise TypeError for a sparse matrix."""
    if sp.issparse(X):
        raise TypeError(
            f"{who}: takes dense arrays, got a sparse matrix of shape {X.shape}; call X.toarray() if it fits in memory."
        )


def check_vector(who: str, name: str, values: Any, n: int) -> FloatArray:
    """Return a 1-D float64 array of `n` finite numbers."""
    array = as_numbers(who, values, name=name)
    if array.shape != (n,):
        raise ValueError(f"{who}: {name} must have shape ({n},), got {array.shape}.")
    array = np.ascontiguousarray(array, dtype=np.float64)
    check_finite(who, name, array)
    return array
