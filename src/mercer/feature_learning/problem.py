"""The regression problem behind learned kernels: targets as numbers, identical samples merged, a random subsample."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.utils import check_array, column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from mercer._estimator.samples import check_weights
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import as_numbers, group_codes
from mercer.data import n_samples, take
from mercer.solvers.leave_one_out import LeaveOneOut

__all__ = ["Problem", "identical", "problem_of"]

Task = Literal["auto", "regression", "classification"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Distinct samples with mean targets, and the random choice of those whose leave-one-out error is minimised.

    Parameters
    ----------
    X : data of m samples
        Distinct samples of positive weight.
    Y : ndarray of shape (m, n_targets)
        Mean targets of identical samples, centred and scaled.
    weight : ndarray of shape (m,)
        Sums of the weights of identical samples.
    within : ndarray of shape (m,)
        Weighted squared differences between the targets of identical samples and their mean.
    groups : ndarray of int of shape (m,), or None
        Samples that are left out together.
    label : ndarray of int of shape (n,)
        Index in X of each given sample; -1 for samples of weight zero.
    order : ndarray of int of shape (m,)
        Random order of X.
    size : int
        Number of chosen samples, the first ones of the random order.
    classes : ndarray of shape (n_classes,), or None
        Class labels; None for regression.
    """

    X: Data
    Y: DoubleArray
    weight: DoubleArray
    within: DoubleArray
    groups: IndexArray | None
    label: IndexArray
    order: IndexArray
    size: int
    classes: Any

    def first(self, size: int) -> IndexArray:
        """Indices in X of the first samples of the random order, sorted."""
        return np.sort(self.order[:size])

    @cached_property
    def chosen(self) -> IndexArray:
        """Indices in X of the chosen samples."""
        return self.first(self.size)

    @cached_property
    def samples(self) -> Data:
        """The chosen samples."""
        return self.X if len(self.chosen) == len(self.weight) else take(self.X, self.chosen)

    @property
    def rows(self) -> IndexArray:
        """Indices of all given samples that are among the chosen ones or identical to one of them."""
        return np.flatnonzero(np.isin(self.label, self.chosen))

    @cached_property
    def loss(self) -> LeaveOneOut:
        """Leave-one-out error of the chosen samples."""
        groups = None if self.groups is None else self.groups[self.chosen]
        return LeaveOneOut(self.Y[self.chosen], self.weight[self.chosen], groups)

    @cached_property
    def constant(self) -> float:
        """Part of the error that no function of x can avoid."""
        return float(self.within[self.chosen].sum())

    def score(self, error: float) -> float:
        """R² of leave-one-out predictions with a weighted sum of squared errors, without `constant`."""
        total = np.einsum("i,il,il->", self.weight[self.chosen], self.Y[self.chosen], self.Y[self.chosen])
        return float(1 - (error + self.constant) / (total + self.constant))


def problem_of(
    estimator: Any,
    X: Data,
    y: Any,
    sample_weight: Any,
    groups: Any,
    *,
    task: Task,
    class_weight: Any,
    max_samples: int | None,
    rng: np.random.RandomState,
) -> Problem:
    """Problem of validated samples X and targets y."""
    who = type(estimator).__name__
    weight = check_weights(estimator, sample_weight, X)
    kept, total = np.flatnonzero(weight > 0), len(weight)
    if not len(kept):
        raise ValueError(f"{who}: all samples have weight zero; at least two need a positive sample_weight.")
    group = None if groups is None else group_codes(who, groups, n_samples(X))[kept]
    if len(kept) < total:
        X, y, weight = take(X, kept), np.asarray(y)[kept], weight[kept]
    Y, weight, classes = _numbers(who, y, weight, task, class_weight)
    same = identical(X)
    m = int(same.max()) + 1
    if m < 2:
        raise ValueError(f"{who}: needs at least two different samples, got {m}; a left-out sample has no others.")
    mass: Any = np.bincount(same, weight, m)
    mean = np.column_stack([np.bincount(same, weight * column, m) for column in Y.T]) / mass[:, None]
    within: Any = np.bincount(same, weight * np.square(Y - mean[same]).sum(axis=1), m)
    first = np.unique(same, return_index=True)[1]
    label = np.full(total, -1)
    label[kept] = same
    joined = None if group is None else _joined(who, same, group, m)
    order = rng.permutation(m)
    size = m if max_samples is None else min(max_samples, m)
    return Problem(take(X, first), mean, mass, within, joined, label, order, size, classes)


def identical(X: Data) -> IndexArray:
    """Numbers of the samples that are equal for identical rows of a matrix; other data are not compared.

    >>> first, second, third = identical(np.array([[1.0, 0.0], [2.0, 1.0], [1.0, -0.0]])).tolist()
    >>> first == third != second
    True
    """
    if sp.issparse(X):
        X = sp.csr_array(X, copy=True)
        X.eliminate_zeros()
        ends = X.indptr
        rows = [X.indices[a:b].tobytes() + X.data[a:b].tobytes() for a, b in pairwise(ends)]
        return np.asarray(np.unique(np.array(rows, dtype=object), return_inverse=True)[1]).ravel()
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiub" or not X.shape[1]:
        return np.arange(n_samples(X))
    plain = np.ascontiguousarray(X + 0.0)  # without negative zeros
    whole = plain.view(np.dtype((np.void, plain.itemsize * plain.shape[1]))).ravel()
    return np.asarray(np.unique(whole, return_inverse=True)[1]).ravel()


def _joined(who: str, same: IndexArray, group: IndexArray, m: int) -> IndexArray:
    """Groups of distinct samples; groups that share a sample are joined."""
    links = sp.coo_array((np.ones(len(same)), (same, m + group)), shape=(m + group.max() + 1,) * 2)
    count, found = connected_components(links, directed=False)
    if count < 2:
        raise ValueError(
            f"{who}: groups leave out all samples together, as there is one group, or identical samples join all "
            "groups; pass at least two groups without common samples."
        )
    return np.asarray(found[:m])


def _numbers(
    who: str, y: Any, weight: DoubleArray, task: Task, class_weight: Any
) -> tuple[DoubleArray, DoubleArray, Any]:
    """Targets as centred columns of numbers with mean square 1, weights times those of classes, and the classes."""
    kind = type_of_target(y, input_name="y") if task == "auto" else task
    classes = None
    if kind in ("binary", "multiclass", "classification"):
        check_classification_targets(y)
        classes, code = np.unique(column_or_1d(y), return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"{who}: needs samples of at least two classes, got 1 class ({classes.tolist()}).")
        Y = np.eye(len(classes))[code]
        weight = weight * _class_weights(class_weight, classes, code, weight)[code]
    else:
        if class_weight is not None:
            raise ValueError(
                f"{who}: class_weight={class_weight!r} is for classification, but y contains numbers; pass "
                "sample_weight, or task='classification'."
            )
        Y = check_array(as_numbers(who, y, name="y"), ensure_2d=False, dtype=np.float64, input_name="y")
        Y = Y.reshape(len(Y), -1)
        Y = Y / np.maximum(np.abs(Y).max(axis=0), np.finfo(float).tiny)  # so that squares do not overflow
    if not (weight > 0).all():
        raise ValueError(f"{who}: class_weight={class_weight!r} must be positive for every class.")
    Y = Y - np.average(Y, axis=0, weights=weight)
    square = np.average(np.square(Y), axis=0, weights=weight)
    if not square.max() > 1e-24:
        raise ValueError(f"{who}: y is constant, so that every kernel has the same error; pass targets that vary.")
    scale = np.full(len(square), square.sum()) if classes is not None else len(square) * np.maximum(square, 1e-24)
    return Y / np.sqrt(scale), weight, classes


def _class_weights(class_weight: Any, classes: Any, code: IndexArray, weight: DoubleArray) -> DoubleArray:
    """Factor of each class; "balanced" divides by the total weight of the class, so that weights are repetitions."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, Mapping):
        return np.asarray(compute_class_weight(dict(class_weight), classes=classes, y=classes[code]), dtype=np.float64)
    return np.asarray(weight.sum() / (len(classes) * np.bincount(code, weight)))
