"""Validation of the data of estimators whose kernel may read vectors, frames, tables or lists of objects."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, check_X_y, column_or_1d
from sklearn.utils.validation import assert_all_finite, check_non_negative, validate_data

from mercer._estimator.kernel import as_kernel
from mercer._typing import Data, DoubleArray
from mercer._validation import as_labels, as_numbers
from mercer.data import BlockSource, Table, n_samples
from mercer.data.convert import as_matrix
from mercer.data.frames import as_frame
from mercer.kernels import Columns, Kernel, Map
from mercer.kernels.definiteness import NONNEGATIVE
from mercer.kernels.structured import naming_kernels

__all__ = [
    "check_matrix",
    "check_samples",
    "check_targets",
    "check_training",
    "check_weights",
    "kernel_tags",
    "names_columns",
]

_FLOATS = (np.float64, np.float32)
_ABSENT: Any = object()


def check_matrix(
    estimator: Any, X: Data, y: Any = _ABSENT, *, reset: bool = True, exact: bool = False, **options: Any
) -> Any:
    """X, or X and y, as matrices of numbers: mercer's definition of a number, then scikit-learn's checks.

    Every estimator validates its matrices here, and kernels call the same `as_numbers`. Masked arrays, dates, objects,
    complex numbers and malformed sparse matrices are therefore treated alike everywhere. scikit-learn then checks
    shape, finiteness and the number and names of the features.

    Parameters
    ----------
    estimator : object
        Estimator. With `reset` its `n_features_in_` and `feature_names_in_` are set.
    X : array-like, sparse matrix, frame or Table
        Samples.
    y : array-like, optional
        Targets.
    reset : bool, default=True
        Whether this is a fit.
    exact : bool, default=False
        Whether integers stay integers.
    **options : dict
        Options of scikit-learn's `check_array` or `check_X_y`.

    Returns
    -------
    X or (X, y)
        Validated matrices.
    """
    who = type(estimator).__name__
    if isinstance(X, BlockSource):
        raise TypeError(f"{who}: expected samples in memory, got {X!r}; pass them as an array.")
    frame = as_frame(X) is not None
    if frame:  # only the frame has the column names
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    matrix = as_numbers(who, as_matrix(X, who), exact=exact)
    options = {"accept_sparse": "csr", **options}
    if y is _ABSENT:
        if not frame:
            return validate_data(estimator, matrix, reset=reset, **options)
        return check_array(matrix, input_name="X", estimator=estimator, **options)
    y = _target(who, y, numeric=options.get("y_numeric", False))
    if not frame:
        return validate_data(estimator, matrix, y, reset=reset, **options)
    return check_X_y(matrix, y, estimator=estimator, **options)


def _target(who: str, y: Any, *, numeric: bool) -> Any:
    """Targets: numbers if `numeric`, otherwise labels."""
    if y is None or sp.issparse(y):  # scikit-learn raises the error
        return y
    if numeric:
        return as_numbers(who, y, name="y", exact=True)
    as_labels(who, y)  # raises errors; scikit-learn converts frames and series
    return y


@naming_kernels
def check_samples(estimator: Any, kernel: Kernel, X: Data, *, reset: bool, dtypes: tuple[type, ...] = _FLOATS) -> Data:
    """Validate vectors by scikit-learn's rules; leave data that only the kernel can read to the kernel.

    Arrays of numbers, sparse matrices and frames of numbers become matrices of one of `dtypes`, unless the kernel
    selects columns by name. The names of frame columns are stored in ``feature_names_in_``. Lists of objects, tables
    and frames with other columns are returned unchanged.
    """
    if not _becomes_matrix(estimator, kernel, X, reset=reset):
        return X
    X = check_matrix(estimator, X, reset=reset, **_types(kernel, dtypes))
    return _checked_domain(estimator, kernel, X)


@naming_kernels
def check_training(
    estimator: Any,
    kernel: Kernel,
    X: Data,
    y: Any,
    *,
    dtypes: tuple[type, ...] = _FLOATS,
    numeric: bool = False,
    multi_output: bool = False,
) -> tuple[Data, Any]:
    """`check_samples` for `fit`, together with targets: a finite number or label per sample, or a row of numbers."""
    if _becomes_matrix(estimator, kernel, X, reset=True):
        options = {**_types(kernel, dtypes), "multi_output": multi_output}
        X, y = check_matrix(estimator, X, y, y_numeric=numeric, **options)
        return _checked_domain(estimator, kernel, X), y
    return X, check_targets(estimator, y, n_samples(X), numeric=numeric, multi_output=multi_output)


def check_targets(estimator: Any, y: Any, n: int, *, numeric: bool, multi_output: bool) -> Any:
    """Targets of n samples: a finite number or label for each, or a row of numbers with `multi_output`."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__}: requires y to be passed, but the target y is None.")
    y = _target(type(estimator).__name__, y, numeric=numeric)
    if multi_output:
        y = check_array(y, ensure_2d=False, dtype="numeric" if numeric else None, input_name="y", estimator=estimator)
    else:
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y", estimator_name=type(estimator).__name__)
    if len(y) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]")
    return y


def check_weights(estimator: Any, sample_weight: Any, X: Data, *, negative: bool = False) -> DoubleArray:
    """One finite weight per sample; ones for None. Negative weights raise ValueError, unless `negative`."""
    n = n_samples(X)
    if sample_weight is None:
        return np.ones(n)
    weight = as_numbers(type(estimator).__name__, sample_weight, name="sample_weight")
    weight = check_array(weight, ensure_2d=False, ensure_min_samples=0, dtype=np.float64, input_name="sample_weight")
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight and X have incompatible shapes: {weight.shape} vs {getattr(X, 'shape', (n,))}; "
            "pass one weight per sample."
        )
    if not negative and (weight < 0).any():
        raise ValueError(
            f"{type(estimator).__name__}: sample_weight must not be negative, got a minimum of {weight.min():g}."
        )
    return np.asarray(weight)


def kernel_tags(tags: Any, kernel: Any) -> Any:
    """Set the input tags of scikit-learn that follow from a ``kernel=`` parameter."""
    try:
        kernel = as_kernel(kernel, who="kernel_tags")
    except (TypeError, ValueError):  # tags may be read before `fit`, which raises the error
        return tags
    tags.input_tags.sparse = kernel.takes_sparse
    tags.input_tags.positive_only = _is_nonnegative(kernel)
    return tags


def _becomes_matrix(estimator: Any, kernel: Kernel, X: Data, *, reset: bool) -> bool:
    if isinstance(X, Table):
        return all(kind == "number" for kind in X.kinds) and not names_columns(kernel)
    frame, vectors = as_frame(X), kernel.reads == "vectors"
    if frame is not None:
        numeric = all(dtype.is_numeric() for dtype in frame.schema.dtypes())
        if not numeric or names_columns(kernel):
            validate_data(estimator, X, reset=reset, skip_check_array=True)
            return False
    elif not _is_matrix(X) and not vectors:
        return False
    return True


def _types(kernel: Kernel, dtypes: tuple[type, ...]) -> dict[str, Any]:
    # Kernels of other data may need exact integers.
    vectors = kernel.reads == "vectors"
    return {"dtype": list(dtypes) if vectors else "numeric", "exact": not vectors}


def _checked_domain(estimator: Any, kernel: Kernel, X: Data) -> Data:
    if _is_nonnegative(kernel):
        check_non_negative(X, f"{type(estimator).__name__} with the kernel {kernel}")
    return X


def _is_nonnegative(kernel: Kernel) -> bool:
    """Whether all of X must be nonnegative, not only some columns or an image of it."""
    if isinstance(kernel, Columns | Map):
        return False
    return kernel.domain == NONNEGATIVE or any(map(_is_nonnegative, kernel.parts().values()))


def names_columns(kernel: Kernel) -> bool:
    """Whether a kernel selects columns by name."""
    named = isinstance(kernel, Columns) and any(isinstance(c, str) for c in kernel.columns)
    return named or any(names_columns(part) for part in kernel.parts().values())


def _is_matrix(X: Data) -> bool:
    numeric = isinstance(X, np.ndarray) and X.dtype.kind in "fiubc" and X.ndim == 2
    return numeric or sp.issparse(X)
