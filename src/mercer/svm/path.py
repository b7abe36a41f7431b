"""Fits and cross-validation for many values of C on one Gram matrix."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from mercer._estimator import Training
from mercer._estimator.basis import RowBasis
from mercer._estimator.scorers import takes_weight
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import positive_vector
from mercer._words import one_word
from mercer.data import take
from mercer.operators import GramOperator, gram
from mercer.svm.approximated import FoldFeatures
from mercer.svm.follow import follow
from mercer.svm.svc import SVC
from mercer.svm.svr import SVR

__all__ = ["CPath", "c_path"]


@dataclass(frozen=True, eq=False)
class CPath:
    """Result of `c_path`: fitted estimators, or cross-validation scores, for ascending values of C.

    Parameters
    ----------
    C : ndarray of shape (n_C,)
        Distinct values of C, ascending.
    estimators : tuple of SVC or SVR, or None
        Fitted estimator for each value of C; None with `cv`.
    scores : ndarray of shape (n_C, n_folds), or None
        Scores of the held-out samples; None without `cv`.
    best_C : float or None
        Value of C with the highest mean score, the smallest on ties; None without `cv`.
    n_iter : ndarray of shape (n_C,) or (n_C, n_folds)
        Pair steps of the solver, summed over the binary problems of an estimator.

    See Also
    --------
    c_path : Compute a path.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.svm import SVC, c_path
    >>> X, y = load_iris(return_X_y=True)
    >>> path = c_path(SVC(gamma=0.5), X, y, C=[0.01, 1.0, 10.0], cv=5)
    >>> path.scores.mean(axis=1).round(3), path.best_C
    (array([0.947, 0.98 , 0.967]), 1.0)
    """

    C: DoubleArray
    estimators: "tuple[SVC | SVR, ...] | None"
    scores: DoubleArray | None
    best_C: float | None  # noqa: N815 - named after C
    n_iter: IndexArray


@one_word
def c_path(
    estimator: SVC | SVR, X: Data, y: Any, C: Any, *, cv: Any = None, scoring: Any = None, sample_weight: Any = None
) -> CPath:
    """Fit an SVC or SVR for many values of C, or cross-validate them, with one Gram matrix or one set of features.

    The values of C are taken in ascending order and each fit starts from the previous solution: coefficients at their
    bound are moved to the new bound and the others are kept. The closer the values, the more steps this saves.

    Parameters
    ----------
    estimator : SVC or SVR
        Estimator to fit. Its own C is ignored and it is not changed.
    X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or Gram matrix
        Training samples, as in `SVC.fit`.
    y : array-like of shape (n_samples,)
        Targets.
    C : array-like of shape (n_C,)
        Values of C, positive and finite.
    cv : int, cross-validation splitter or iterable of (train, test) indices, default=None
        Folds, as in scikit-learn. None fits every C to all samples.
    scoring : str or callable, default=None
        Scorer, as in scikit-learn. None uses accuracy or R². Sample weights are passed to scorers that accept them.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights, as in `SVC.fit`.

    Returns
    -------
    CPath
        Fitted estimators without `cv`, scores with `cv`. Each estimator has the solution of a separate fit, up to its
        tolerance.

    Raises
    ------
    TypeError
        If `estimator` is neither an SVC nor an SVR.

    See Also
    --------
    CPath : The result.
    mercer.ridge.KernelRidgeCV : Kernel ridge regression for many penalties from one eigendecomposition.

    Notes
    -----
    Kernel parameters that depend on the data, such as ``gamma="scale"``, are computed once from all samples.
    `sklearn.model_selection.GridSearchCV` computes them from the training samples of each fold. With a number for gamma
    both have the same scores.

    The Gram matrix takes 8n² bytes. It is kept if it fits in half of `cache_size`, and the solver has the other half;
    folds and their scores then need no further kernel values. If it does not fit, every fit computes the rows that it
    needs.

    With an approximation, landmarks and features are computed once, from all samples and without the targets. All
    values of C and all folds share them, and held-out samples are scored from their features. Scores may therefore
    differ slightly from those of `GridSearchCV`, which selects landmarks from the training samples of each fold.

    Examples
    --------
    The margin becomes narrower as C grows:

    >>> import numpy as np
    >>> from mercer.svm import SVC, c_path
    >>> X, y = np.array([[-2.0], [-1.0], [0.5], [-0.5], [1.0], [2.0]]), np.array([0, 0, 0, 1, 1, 1])
    >>> path = c_path(SVC(kernel="linear"), X, y, C=[0.1, 1.0, 10.0])
    >>> [round(float(model.margin_width_[0]), 3) for model in path.estimators]
    [4.0, 2.0, 2.0]
    >>> c_path(SVC(kernel="linear"), X, y, C=[0.1, 1.0], cv=3).scores.shape
    (2, 3)
    """
    if not isinstance(estimator, SVC | SVR):
        raise TypeError(
            f"c_path: estimator must be an SVC or SVR of mercer.svm, got {type(estimator).__name__}; "
            "use sklearn.model_selection.GridSearchCV for others."
        )
    if getattr(estimator, "multi_class", "ovo") == "crammer_singer":
        raise ValueError(
            "c_path: multi_class must be 'ovo' or 'ovr', got 'crammer_singer'; fit the values of C one by one."
        )
    values = np.unique(positive_vector("c_path", "C", C))
    model = clone(estimator).set_params(C=values[0])
    model._validate_params()
    numeric = isinstance(model, SVR)
    training, y = model._training(X, y, sample_weight, numeric=numeric)
    training = model._shared(training)
    held = _held(model, training)
    if held is not None:
        model.set_params(cache_size=model.cache_size - 8 * training.n**2 / 2**20)
        training = replace(training, operator=held)
    if cv is None:
        own = {"warm_start": estimator.warm_start, "cache_size": estimator.cache_size}
        models = tuple(m.set_params(**own) for m in follow(model, training, y, values.tolist()))
        return CPath(values, models, None, None, np.array([m.solution_.n_iter for m in models]))

    training, rows = _scored(model, training, held)
    scorer = check_scoring(estimator, scoring)
    weighted = sample_weight is not None and takes_weight(scorer)
    scores, n_iter = [], []
    for train, test in check_cv(cv, y, classifier=is_classifier(estimator)).split(training.X, y):
        X_test = rows(np.arange(training.n)[test])
        weight = {"sample_weight": training.weight[test]} if weighted else {}
        for fitted in follow(copy(model), *_fold(training, y, train), values.tolist()):
            scores.append(scorer(fitted, X_test, y[test], **weight))
            n_iter.append(fitted.solution_.n_iter)
    table = np.reshape(scores, (-1, len(values))).T
    best = float(values[table.mean(axis=1).argmax()])
    return CPath(values, None, table, best, np.reshape(n_iter, (-1, len(values))).T)


def _held(model: SVC | SVR, training: Training) -> GramOperator | None:
    """Gram matrix in float64, if it fits in half of the cache; None otherwise, or if X is such a matrix already."""
    if training.approximation is not None or training.K.matrix is not None:
        return None
    if 8 * training.n**2 > model.cache_size * 2**20 / 2:
        return None
    if training.K.dtype == np.float64:
        return training.K.hold()
    if training.kernel is None or not (isinstance(training.X, np.ndarray) or sp.issparse(training.X)):
        return None
    # Single fits on such data also end in float64.
    return gram(training.kernel, training.X.astype(np.float64), materialize=True, n_jobs=model.n_jobs)


def _scored(
    model: SVC | SVR, training: Training, held: GramOperator | None
) -> tuple[Training, Callable[[IndexArray], Any]]:
    """Training data whose models predict from what is held already, and a function that returns it for some samples."""
    if training.approximation is not None:
        F = model._feature_array(training.approximation)
        return replace(training, approximation=FoldFeatures(training.approximation, F)), F.__getitem__
    if held is not None:
        return replace(training, basis=RowBasis(held, trusted=True)), held.rows
    return training, lambda rows: take(training.X, rows)


def _fold(training: Training, y: Any, train: IndexArray) -> tuple[Training, Any]:
    """Training data of a fold as weights: zero outside the fold, and multiplied by the number of repetitions inside.

    Labels that occur only outside the fold are replaced, so that they do not become classes.
    """
    times = np.bincount(np.arange(len(y))[train], minlength=len(y))
    weight = training.weight * times
    kept = np.flatnonzero(weight > 0)
    if len(kept) == 0:
        raise ValueError("c_path: all samples of a fold have zero or negative weights; use other folds or weights.")
    return replace(training, weight=weight, kept=kept), np.where(times > 0, y, y[train][0])
