"""Data of estimators whose kernel may take vectors, frames, tables or lists of objects."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import column_or_1d
from sklearn.utils.validation import assert_all_finite, check_consistent_length, check_non_negative, validate_data

from mercer._estimator.kernel import as_kernel
from mercer._typing import Data
from mercer.data.frames import as_frame
from mercer.kernels import Columns, Kernel, Map
from mercer.kernels.definiteness import NONNEGATIVE

__all__ = ["check_samples", "check_training", "kernel_tags"]


def check_samples(estimator: Any, kernel: Kernel, X: Data, *, reset: bool) -> Data:
    """Validate vectors by scikit-learn's rules; pass what only the kernel understands to it.

    Arrays of numbers, sparse matrices and frames of numbers become float32/float64 matrices, unless
    the kernel asks for columns by name. Frames keep their names in ``feature_names_in_``. Lists of
    objects, tables and frames with other columns stay as they are.
    """
    if not _becomes_matrix(estimator, kernel, X, reset=reset):
        return X
    X = validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=_dtype(kernel))
    return _checked_domain(estimator, kernel, X)


def check_training(estimator: Any, kernel: Kernel, X: Data, y: Any, *, numeric: bool = False) -> tuple[Data, Any]:
    """As `check_samples` in `fit`, together with targets: one finite number or label per sample."""
    if _becomes_matrix(estimator, kernel, X, reset=True):
        X, y = validate_data(estimator, X, y, accept_sparse="csr", dtype=_dtype(kernel), y_numeric=numeric)
        return _checked_domain(estimator, kernel, X), y
    if y is None:
        raise ValueError(f"{type(estimator).__name__}: requires y to be passed, but the target y is None.")
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y", estimator_name=type(estimator).__name__)
    check_consistent_length(X, y)
    return X, y.astype(np.float64) if numeric and y.dtype.kind == "O" else y


def kernel_tags(tags: Any, kernel: Any) -> Any:
    """Complete scikit-learn's tags with what a ``kernel=`` parameter says about its data."""
    try:
        kernel = as_kernel(kernel, who="kernel_tags")
    except (TypeError, ValueError):  # tags are asked for at any time; `fit` says what is wrong
        return tags
    tags.input_tags.sparse = kernel.takes_sparse
    tags.input_tags.positive_only = _is_nonnegative(kernel)
    return tags


def _becomes_matrix(estimator: Any, kernel: Kernel, X: Data, *, reset: bool) -> bool:
    frame, vectors = as_frame(X), kernel.reads == "vectors"
    if frame is not None:
        numeric = all(dtype.is_numeric() for dtype in frame.schema.dtypes())
        if not numeric or _names_columns(kernel):
            validate_data(estimator, X, reset=reset, skip_check_array=True)
            return False
    elif not _is_matrix(X) and not vectors:
        return False
    return True


def _dtype(kernel: Kernel) -> Any:
    # Other kernels than those of vectors may need integers to the last digit.
    return [np.float64, np.float32] if kernel.reads == "vectors" else "numeric"


def _checked_domain(estimator: Any, kernel: Kernel, X: Data) -> Data:
    if _is_nonnegative(kernel):
        check_non_negative(X, f"{type(estimator).__name__} with the kernel {kernel}")
    return X


def _is_nonnegative(kernel: Kernel) -> bool:
    """Whether all of X must be nonnegative, not only some columns or an image of it."""
    if isinstance(kernel, Columns | Map):
        return False
    return kernel.domain == NONNEGATIVE or any(map(_is_nonnegative, kernel.parts().values()))


def _names_columns(kernel: Kernel) -> bool:
    named = isinstance(kernel, Columns) and any(isinstance(c, str) for c in kernel.columns)
    return named or any(_names_columns(part) for part in kernel.parts().values())


def _is_matrix(X: Data) -> bool:
    numeric = isinstance(X, np.ndarray) and X.dtype.kind in "fiubc" and X.ndim == 2
    return numeric or sp.issparse(X)
