"""The one place where numbers from outside are checked and converted.

Everything behind this module may trust its input: two dimensions, float32 or float64, finite, at least one row and one
column; CSR matrices in canonical form. Messages name who asked, what was expected, what came and what to do.
"""

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np
import scipy.sparse as sp

from mercer._typing import FloatArray, IndexArray

__all__ = [
    "check_choice",
    "check_dense",
    "check_finite",
    "check_flag",
    "check_integer",
    "check_output",
    "check_real",
    "check_rows",
    "check_size",
    "check_vector",
    "check_vectors",
    "describe",
    "is_number",
    "is_vector",
    "nonnegative_vector",
    "positive_vector",
]

LARGEST = 1e150


def describe(value: object) -> str:
    """What came, in a few words: type, shape and dtype of arrays, the value itself if short."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None:
        return f"{type(value).__name__} of shape {tuple(shape)}" + (f" and dtype {dtype}" if dtype is not None else "")
    text = repr(value)
    return text if len(text) <= 60 else f"{type(value).__name__} {text[:57]}..."


def is_number(value: object) -> bool:
    """Whether a parameter is meant as a real number: truth values are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of floats
        return False


def check_real(
    who: str, name: str, value: Any, *, low: float = -math.inf, strict: bool = False, high: float = math.inf
) -> float:
    """A finite Python float with ``low ≤ value ≤ high`` (``low <`` if `strict`)."""
    bound = f" {'>' if strict else '>='} {low:g}" if low > -math.inf else ""
    bound += f" and <= {high:g}" if high < math.inf else ""
    ok = is_number(value) and _is_finite(value)
    if not ok or value < low or value > high or (strict and value == low):
        raise (ValueError if ok or isinstance(value, numbers.Real) else TypeError)(
            f"{who}: parameter {name} must be a finite number{bound}, got {describe(value)}."
        )
    return float(value)


def check_integer(who: str, name: str, value: Any, *, low: int = 0, high: int | None = None) -> int:
    """A Python int with ``low ≤ value ≤ high``; 2.0 is accepted, 2.5 is not."""
    whole = isinstance(value, numbers.Integral) or (
        isinstance(value, numbers.Real) and _is_finite(value) and float(value).is_integer()
    )
    if isinstance(value, (bool, np.bool_)) or not whole or value < low or (high is not None and value > high):
        bound = f" >= {low}" + ("" if high is None else f" and <= {high}")
        raise (ValueError if isinstance(value, numbers.Real) else TypeError)(
            f"{who}: parameter {name} must be an integer{bound}, got {describe(value)}."
        )
    return int(value)


def check_choice(who: str, name: str, value: Any, options: Any) -> str:
    """One of the words of a Literal, as a plain str."""
    words = get_args(options)
    if not isinstance(value, str) or value not in words:
        raise ValueError(
            f"{who}: parameter {name} must be one of {', '.join(map(repr, words))}, got {describe(value)}."
        )
    return str(value)


def is_vector(value: Any) -> bool:
    """Whether a parameter is meant as a vector: a sequence or an array, not a number or a text."""
    return (
        bool(value.ndim)
        if isinstance(value, np.ndarray)
        else isinstance(value, Sequence) and not isinstance(value, str)
    )


def positive_vector(who: str, name: str, value: Any) -> tuple[float, ...]:
    """A vector parameter as a tuple of positive floats."""
    if not is_vector(value) or len(value) == 0 or not all(np.isscalar(v) for v in value):
        raise TypeError(
            f"{who}: parameter {name} must be a positive number or a non-empty vector of them, got {describe(value)}."
        )
    return tuple(check_real(who, f"{name}[{i}]", v, low=0.0, strict=True) for i, v in enumerate(value))


def nonnegative_vector(who: str, name: str, value: Any) -> tuple[float, ...]:
    """A tuple of numbers >= 0, at least one."""
    if not is_vector(value) or len(value) == 0:
        raise TypeError(f"{who}: parameter {name} must be a sequence of numbers >= 0, got {describe(value)}.")
    return tuple(check_real(who, f"{name}[{i}]", weight, low=0.0) for i, weight in enumerate(value))


def check_flag(who: str, name: str, value: Any) -> bool:
    """True or False, as a plain bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{who}: parameter {name} must be True or False, got {describe(value)}.")
    return bool(value)


def check_finite(who: str, name: str, values: FloatArray, *, rows: Callable[[], IndexArray] | None = None) -> None:
    """Raise if any number is NaN or infinite, naming the first row; `rows` tells the rows of flat values."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):  # one pass without a temporary; only overflow can mislead it
            return
    bad = ~np.isfinite(values)
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0]) if rows is None else (int(rows()[np.flatnonzero(bad)[0]]),)
        kind = "NaN" if np.isnan(values[bad][0]) else "infinity"
        raise ValueError(
            f"{who}: {name} contains {kind} (first at index {at[0] if len(at) == 1 else at}); "
            "remove or impute such samples first."
        )


def _check_kind(who: str, name: str, dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise TypeError(
            f"{who}: {name} is complex ({dtype}), expected real numbers; "
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
    """Dense (ndarray) or CSR matrix of float32/float64, finite, at least 1 × 1; a view of the input where possible."""
    if sp.issparse(X):
        return _check_csr(who, X, name)
    if isinstance(X, np.ma.MaskedArray):
        raise TypeError(
            f"{who}: {name} is a masked array, expected plain numbers; "
            f"call {name}.filled(value) or drop the masked samples."
        )
    try:
        X = np.asarray(X)
    except ValueError as error:
        raise ValueError(
            f"{who}: {name} cannot become an array ({error}); every sample needs the same number of features."
        ) from None
    _check_kind(who, name, X.dtype)
    _check_shape(who, name, X.shape)
    if X.dtype not in (np.float32, np.float64) or not X.dtype.isnative:
        X = X.astype(np.float32 if X.dtype == np.dtype(np.float16) or X.dtype == np.dtype(">f4") else np.float64)
    check_finite(who, name, X)
    return X


def check_size(who: str, X: Any, *, name: str = "X") -> None:
    """Refuse numbers whose squares overflow: distances and products would come out as NaN."""
    values = X.data if sp.issparse(X) else X
    largest = max(abs(float(values.min())), abs(float(values.max()))) if values.size else 0.0
    if largest > LARGEST:
        raise ValueError(
            f"{who}: {name} holds numbers as large as {largest:g}, whose squares overflow; "
            f"rescale the data to below {LARGEST:g}."
        )


def check_dense(who: str, X: Any) -> None:
    """Refuse a sparse matrix where only a dense one can be read."""
    if sp.issparse(X):
        raise TypeError(
            f"{who}: takes dense arrays, got a sparse matrix of shape {X.shape}; call X.toarray() if it fits in memory."
        )


def _check_csr(who: str, X: Any, name: str) -> Any:
    _check_kind(who, name, X.dtype)
    _check_shape(who, name, X.shape)
    X = X.tocsr()
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    check_finite(who, name, X.data, rows=lambda: np.repeat(np.arange(X.shape[0]), np.diff(X.indptr)))
    return X


def check_vector(who: str, name: str, values: Any, n: int) -> FloatArray:
    """A 1-D float64 array of `n` finite numbers."""
    array = np.asarray(values)
    _check_kind(who, name, array.dtype)
    if array.shape != (n,):
        raise ValueError(f"{who}: {name} must have shape ({n},), got {array.shape}.")
    array = np.ascontiguousarray(array, dtype=np.float64)
    check_finite(who, name, array)
    return array


def check_rows(who: str, rows: Any, n: int, *, name: str = "rows") -> IndexArray:
    """Row numbers (integers, negative ones from the end, a boolean mask or a slice) as int64 in [0, n)."""
    if isinstance(rows, slice):
        return np.arange(n, dtype=np.int64)[rows]
    array = np.asarray(rows)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.dtype == bool:
        if array.shape != (n,):
            raise IndexError(f"{who}: a mask for {name} needs length {n}, got shape {array.shape}.")
        return np.flatnonzero(array).astype(np.int64)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise IndexError(f"{who}: {name} must be integers, a mask or a slice, got {describe(rows)}.")
    low, high = int(array.min()), int(array.max())
    if low < -n or high >= n:
        raise IndexError(
            f"{who}: {name} {low if low < -n else high} is out of range for {n} samples; use 0 to {n - 1}."
        )
    array = np.ascontiguousarray(array, dtype=np.int64)
    return np.where(array < 0, array + n, array) if low < 0 else array


def check_output(who: str, out: Any, shape: tuple[int, int], dtype: np.dtype[Any]) -> FloatArray:
    """`out` if it can take the result, or a new array if it is None."""
    if out is None:
        return np.empty(shape, dtype=dtype)
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype and out.flags.writeable
    if not fits or (out.size and out.strides[1] != out.itemsize):
        raise ValueError(
            f"{who}: out must be a writable {dtype} array of shape {shape} with contiguous rows, got {describe(out)}."
        )
    return out  # type: ignore[no-any-return]
