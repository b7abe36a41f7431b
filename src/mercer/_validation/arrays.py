"""Checks of arrays of numbers from outside."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import FloatArray, IndexArray

__all__ = ["check_dense", "check_finite", "check_size", "check_vector", "check_vectors"]

LARGEST = 1e150


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
