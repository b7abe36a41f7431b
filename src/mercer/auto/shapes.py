"""Form detection of samples, and preparation of dense and sparse matrices."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._estimator.samples import check_matrix
from mercer._typing import Data
from mercer._validation import as_dense, describe
from mercer.auto.columns import has_columns
from mercer.data import Graph, Graphs, Strings, Trees
from mercer.data.frames import as_series
from mercer.data.readers.graph_objects import is_object

__all__ = ["as_samples", "checked_matrix", "fit_matrix", "transform_matrix"]

CONTAINERS = {Graphs: "graphs", Strings: "strings", Trees: "trees"}


def as_samples(X: Data, *, named: bool) -> tuple[str, Data]:
    """Detect the form of samples: "table", "matrix", "sparse", "graphs", "strings" or "trees".

    Returns the form, and the samples in that form. Arrays and lists of rows are matrices if they hold numbers and
    columns are not needed by name (`named`), else tables. A list or series of texts is a table with one column.
    """
    for container, form in CONTAINERS.items():
        if isinstance(X, container):
            return form, X
    if sp.issparse(X):
        return "sparse", X
    if has_columns(X):
        return "table", X
    series = as_series(X)
    if series is not None:
        return "table", {str(series.name or "x0"): X}
    if not np.ndim(X) if isinstance(X, np.ndarray) else not (hasattr(X, "__len__") or hasattr(X, "__array__")):
        raise TypeError(f"X: expected a collection of samples, got {describe(X)}; put a single sample in a list.")
    items = X if isinstance(X, (Sequence, np.ndarray)) and len(X) else [None]
    if isinstance(items[0], Graph) or is_object(items[0]):
        return "graphs", Graphs(X)
    if isinstance(items[0], str):
        return "table", {"x0": X}
    return ("table", X) if named or _holds_texts(X) else ("matrix", X)


def _holds_texts(X: Data) -> bool:
    """Whether an array or a list of rows has texts that are not numbers."""
    try:
        array = np.asarray(X)
    except ValueError:  # rows of different lengths, which scikit-learn's validation reports
        return False
    if array.ndim != 2 or array.dtype.kind not in "OUS" or not array.size:
        return False
    rows = array.tolist() if array.dtype.kind != "O" else [list(row) for row in array]
    return any(isinstance(value, str) and not _is_number(value) for row in rows for value in row)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def fit_matrix(preparer: Any, X: Data) -> None:
    """Set means, scales and medians of the columns of a dense matrix, or divisors of those of a sparse one."""
    X = checked_matrix(preparer, X, reset=True)
    if preparer.form_ == "sparse":
        largest = np.abs(X).max(axis=0).toarray().ravel() if X.nnz else np.zeros(X.shape[1])
        needed = bool(largest.max(initial=0.0) > 1)
        preparer.scale_ = np.where(largest > 0, largest, 1.0) if needed else np.ones(X.shape[1])
        if needed:
            preparer.notes_.append("The columns were divided by their largest absolute values; X stays sparse.")
        return
    preparer.median_ = np.array([np.median(c[~np.isnan(c)]) if not np.isnan(c).all() else 0.0 for c in X.T])
    missing = np.isnan(X)
    preparer.flagged_ = np.flatnonzero(missing.any(axis=0))
    filled = np.where(missing, preparer.median_, X)
    preparer.mean_ = filled.mean(axis=0)
    deviation = filled.std(axis=0)
    preparer.scale_ = np.where(deviation > 0, deviation, 1.0)
    preparer.notes_.append(f"{X.shape[1]} columns standardised to mean 0 and variance 1.")
    if (deviation == 0).any():
        constant = np.flatnonzero(deviation == 0)
        preparer.notes_.append(f"Constant columns, set to zero: {_numbered(constant)}.")
        preparer.unused_ = {f"x{j}": "all values are equal" for j in constant.tolist()}
    if len(preparer.flagged_):
        preparer.notes_.append(
            f"Missing values replaced by the median in {_numbered(preparer.flagged_)}; indicator columns at the end "
            "mark them."
        )


def transform_matrix(preparer: Any, X: Data) -> Any:
    """Standardise a dense matrix and append its indicator columns, or scale a sparse matrix."""
    X = checked_matrix(preparer, X, reset=False)
    if preparer.form_ == "sparse":
        return X.multiply(1 / preparer.scale_).tocsr() if (preparer.scale_ != 1).any() else X
    missing = np.isnan(X)
    Z = (np.where(missing, preparer.median_, X) - preparer.mean_) / preparer.scale_
    return np.hstack([Z, missing[:, preparer.flagged_]]) if len(preparer.flagged_) else Z


def checked_matrix(preparer: Any, X: Data, *, reset: bool) -> Any:
    """A dense matrix that may have NaN, or a sparse matrix of finite numbers, by the rules of all estimators."""
    # Numbers given as text, as read from a file; `as_samples` has checked in `fit` that all texts are numbers.
    X = X if sp.issparse(X) else as_dense("TablePreparer", X)
    if not sp.issparse(X) and X.dtype.kind in "US":
        try:
            X = X.astype(np.float64)
        except ValueError as error:
            raise ValueError(
                f"TablePreparer: got text that is not a number ({error}), but fit was called with numbers."
            ) from None
    finite = True if sp.issparse(X) else "allow-nan"
    return check_matrix(preparer, X, reset=reset, dtype=np.float64, ensure_all_finite=finite)


def _numbered(columns: Any) -> str:
    shown = ", ".join(map(str, columns[:8].tolist()))
    more = f" and {len(columns) - 8} more" if len(columns) > 8 else ""
    return f"column {shown}" if len(columns) == 1 else f"columns {shown}{more}"
