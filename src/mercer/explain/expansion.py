"""Kernel expansions f(x) = Σ_i a_i k(x, x_i) + b: given by the user, or those of fitted models."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator
from mercer._estimator.samples import check_samples
from mercer._typing import Data, DoubleArray
from mercer._validation import as_dense, as_doubles, check_finite, describe
from mercer.data import as_codes, n_samples
from mercer.data.frames import as_frame
from mercer.data.names import column_names
from mercer.explain.features import class_signs
from mercer.explain.terms import Samples
from mercer.kernels import Kernel
from mercer.kernels.text import kernel as parse
from mercer.multiple_kernel import MKLClassifier, MKLRegressor
from mercer.operators import BlockedOperator

__all__ = ["KernelExpansion", "Score", "score_of"]

WHO = "mercer.explain"


@dataclass(frozen=True, eq=False)
class KernelExpansion:
    """Function f(x) = Σ_i a_i k(x, x_i) + b, given by its parts.

    Parameters
    ----------
    kernel : Kernel or str
        Kernel k, or its text form (see :ref:`kernel-names`). Data-dependent parameters are resolved on the points.
    points : array-like, frame or Table of shape (n_points, n_features)
        Points x_i.
    coef : array-like of shape (n_points,) or (n_points, n_outputs)
        Coefficients a_i.
    intercept : float or array-like of shape (n_outputs,), default=0.0
        Constant b.

    See Also
    --------
    shapley_values : Shapley values of an expansion or a fitted model.

    Examples
    --------
    >>> from mercer.explain import KernelExpansion, shapley_values
    >>> f = KernelExpansion("linear", [[1.0, 2.0]], [3.0])
    >>> shapley_values(f, [[1.0, 1.0]], [[0.0, 0.0]]).values
    array([[3., 6.]])
    """

    kernel: Kernel | str
    points: Any
    coef: Any
    intercept: Any = 0.0


@dataclass(frozen=True, eq=False)
class Score:
    """Expansion that is explained, its outputs, the names of its columns, and how it reads new samples."""

    kernel: Kernel
    points: Samples
    coef: DoubleArray
    intercept: DoubleArray
    outputs: list[Any]
    names: list[str]
    read: Callable[[Data], Samples]

    def __call__(self, X: Samples, n_jobs: int | None = None) -> DoubleArray:
        """Values of shape (n_samples, n_outputs)."""
        if not len(self.points):  # a machine without support vectors
            return np.tile(self.intercept, (len(X), 1))
        operator = BlockedOperator(self.kernel.prepare(X.data), self.kernel.prepare(self.points.data), n_jobs=n_jobs)
        return np.asarray(operator.matmul(self.coef) + self.intercept, dtype=np.float64)


def score_of(model: Any) -> Score:
    """Score of a fitted model, or of an expansion."""
    if isinstance(model, KernelExpansion):
        return _of_parts(model)
    if isinstance(model, Pipeline) and len(model) > 1:
        return _of_pipeline(model)
    if isinstance(model, (MKLClassifier, MKLRegressor)):
        return _of_sum(model)
    if isinstance(model, KernelEstimator):
        return _of_machine(model)
    raise TypeError(
        f"{WHO}: got {describe(model)}, expected a fitted kernel machine of mercer, a pipeline that ends in one, or a "
        "KernelExpansion."
    )


def _read(kernel: Kernel, X: Data) -> Samples:
    """Samples with their columns as numbers, validated by the kernel that will read them."""
    if sp.issparse(X):
        raise TypeError(
            f"{WHO}: got a sparse matrix, expected dense rows; call X.toarray(), or use top_features for a kernel with "
            "explicit features."
        )
    if n_samples(X):  # a machine without support vectors has no points
        # Curves evaluate functions of single columns, and would read dates and codes of texts as numbers.
        kernel.prepare(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.ndim == 2:
        matrix = np.ascontiguousarray(X, dtype=np.float64)
        return Samples(matrix, matrix)
    return Samples(X, np.asarray(as_codes(X, WHO), dtype=np.float64))


def _refuse_objects(kernel: Kernel, samples: Data) -> None:
    """Raise a TypeError for samples without columns."""
    columns = isinstance(samples, np.ndarray) or sp.issparse(samples) or hasattr(samples, "kinds")
    if not columns and as_frame(samples) is None:
        raise TypeError(
            f"{WHO}: the kernel {kernel} compares objects without columns, such as strings, trees or graphs, which "
            "have no players; use top_features for the contributions of explicit features."
        )


def _of_machine(model: Any) -> Score:
    points, coef, intercept = model._expansion()
    kernel = model.kernel_
    if kernel is None:
        raise ValueError(
            f"{WHO}: {type(model).__name__} was fitted to a precomputed Gram matrix, which has no columns; fit it to "
            "samples with a kernel."
        )
    _refuse_objects(kernel, points)
    coef = np.asarray(coef, dtype=np.float64)
    intercept = np.broadcast_to(np.asarray(intercept, dtype=np.float64), coef.shape[1:])
    outputs: list[Any] = list(range(coef.shape[1]))
    if is_classifier(model):
        classes = model.classes_.tolist()
        if coef.shape[1] == 1:
            outputs = classes[1:]
        else:
            signs = class_signs(model, coef.shape[1])
            coef, intercept, outputs = coef @ signs, intercept @ signs, classes
    names = model._column_names or column_names(points)
    points = _read(kernel, points)
    return Score(
        kernel, points, coef, intercept, outputs, list(names), lambda X: _read(kernel, model._check_new(kernel, X))
    )


def _of_sum(model: Any) -> Score:
    """Score of a model with learned weights of kernels: that of the machine with their sum."""
    check_is_fitted(model)
    if model.approximation_ is not None:
        raise TypeError(
            f"{WHO}: {type(model).__name__} was fitted with an approximation and is not one kernel expansion over its "
            "landmarks; fit it with approximation=None."
        )
    inner = score_of(model.estimator_)
    names = [str(name) for name in getattr(model, "feature_names_in_", inner.names)]
    return replace(
        inner,
        names=names,
        read=lambda X: _read(inner.kernel, check_samples(model, inner.kernel, X, reset=False, dtypes=model._dtypes)),
    )


def _of_pipeline(model: Pipeline) -> Score:
    steps = [step for _, step in model.steps[:-1] if step is not None and step != "passthrough"]
    for step in steps:
        if not isinstance(step, OneToOneFeatureMixin) or isinstance(step, Normalizer):
            raise TypeError(
                f"{WHO}: the step {step} of the pipeline may join columns, expected steps that change every column "
                f"alone, such as StandardScaler; pass the last step of the pipeline and transformed samples."
            )
    last = score_of(model[-1])
    first = model[0]
    names = [str(name) for name in getattr(first, "feature_names_in_", last.names)]
    return replace(last, names=names, read=lambda X: last.read(model[:-1].transform(X)))


def _of_parts(given: KernelExpansion) -> Score:
    kernel = parse(given.kernel) if isinstance(given.kernel, str) else given.kernel
    if not isinstance(kernel, Kernel):
        raise TypeError(f"KernelExpansion: kernel must be a kernel or its text form, got {describe(kernel)}.")
    points = _vectors(given.points)
    _refuse_objects(kernel, points)
    n = n_samples(points)
    coef = as_doubles("KernelExpansion", given.coef, name="coef")
    if coef.ndim not in (1, 2) or len(coef) != n:
        raise ValueError(
            f"KernelExpansion: coef must have one row for each of {n} points, got shape {coef.shape}; give one number "
            "or one row of numbers for each point."
        )
    coef = coef.reshape(n, -1)
    check_finite("KernelExpansion", "coef", coef)
    intercept = as_doubles("KernelExpansion", given.intercept, name="intercept")
    check_finite("KernelExpansion", "intercept", np.atleast_1d(intercept))
    if intercept.shape not in ((), (coef.shape[1],)):
        raise ValueError(
            f"KernelExpansion: intercept must be a number or have {coef.shape[1]} entries, one for each output, got "
            f"shape {intercept.shape}."
        )
    intercept = np.broadcast_to(intercept, coef.shape[1:])
    names, outputs = column_names(points), list(range(coef.shape[1]))
    samples = _read(kernel, points)
    resolved = kernel.resolve(samples.data)

    def read(X: Data) -> Samples:
        samples = _read(resolved, _vectors(X))
        if samples.matrix.shape[1] != len(names):
            raise ValueError(
                f"{WHO}: X has {samples.matrix.shape[1]} columns but the points have {len(names)}; give both the same."
            )
        return samples

    return Score(resolved, samples, coef, intercept, outputs, names, read)


def _vectors(X: Data) -> Data:
    """Lists of rows of numbers as an array, other data unchanged."""
    if isinstance(X, (list, tuple)) and X and isinstance(X[0], (list, tuple, np.ndarray)):
        array = as_dense(WHO, X)
        return array if array.dtype.kind in "fiub" else X
    return X
