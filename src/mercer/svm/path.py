"""Many values of C, and many folds, on one Gram matrix."""

from copy import copy
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from mercer._estimator import Training
from mercer._estimator.basis import RowBasis
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import positive_vector
from mercer._words import one_word
from mercer.data import take
from mercer.operators import GramOperator, gram
from mercer.svm.follow import follow
from mercer.svm.svc import SVC
from mercer.svm.svr import SVR

__all__ = ["CPath", "c_path"]


@dataclass(frozen=True, eq=False)
class CPath:
    """Solutions, or scores, for ascending values of C.

    Attributes
    ----------
    C : array of shape (n_C,)
        The values, ascending, each once.
    estimators : tuple of n_C fitted estimators, or None
        One for each C; None with folds.
    scores : array of shape (n_C, n_folds), or None
        Of the held out samples; None without folds.
    best_C : float or None
        The C of the highest mean score, the smallest of several; None without folds.
    n_iter : array of shape (n_C,) or (n_C, n_folds)
        Pair steps, of all machines together.
    """

    C: DoubleArray
    estimators: "tuple[SVC | SVR, ...] | None"
    scores: DoubleArray | None
    best_C: float | None  # noqa: N815 - as C is called
    n_iter: IndexArray


@one_word
def c_path(
    estimator: SVC | SVR, X: Data, y: Any, C: Any, *, cv: Any = None, scoring: Any = None, sample_weight: Any = None
) -> CPath:
    """Fit an SVC or SVR for many values of C, or score them on folds, with one Gram matrix for all.

    Values of C are taken in ascending order, and each solution starts from the one before: coefficients at their bound
    move on to the new bound, the others stay. The closer the values, the more steps this saves.

    Parameters
    ----------
    estimator : SVC or SVR
        What to fit; its own C does not count, and it is left as it is.
    X, y, sample_weight
        As in `fit`.
    C : sequence of positive finite numbers
        The values.
    cv : int, splitter or iterable of (train, test), optional
        Folds, as in scikit-learn. Without them every C is fitted to all samples.
    scoring : str or callable, optional
        As in scikit-learn; accuracy or R² if not given. Weights of samples count if the scorer takes them.

    Returns
    -------
    CPath
        Without `cv`, the estimators, each as if fitted alone, to its tolerance. With `cv`, the scores.

    Notes
    -----
    Kernel parameters that depend on the data, such as ``gamma="scale"``, are found once, on all samples, for all folds;
    `sklearn.model_selection.GridSearchCV` finds them anew in every fold. Given the number, it finds the same scores.

    The matrix takes 8n² bytes and is kept if half of `cache_size` is enough; the solver has the rest. Then folds need
    no other kernel values, not even for their scores. Else every fit computes the rows it needs, as it would alone.

    Examples
    --------
    The margin narrows as errors become dearer:

    >>> import numpy as np
    >>> from mercer.svm import SVC
    >>> from mercer.svm import c_path
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
            "c_path: multi_class must be 'ovo' or 'ovr', got 'crammer_singer'; fit its values of C one by one."
        )
    values = np.unique(positive_vector("c_path", "C", C))
    model = clone(estimator).set_params(C=values[0])
    model._validate_params()
    numeric = isinstance(model, SVR)
    training, y = model._training(X, y, sample_weight, numeric=numeric)
    held = _held(model, training)
    if held is not None:
        model.set_params(cache_size=model.cache_size - 8 * training.n**2 / 2**20)
        training = replace(training, operator=held)
    if cv is None:
        own = {"warm_start": estimator.warm_start, "cache_size": estimator.cache_size}
        models = tuple(m.set_params(**own) for m in follow(model, training, y, values.tolist()))
        return CPath(values, models, None, None, np.array([m.solution_.n_iter for m in models]))

    if held is not None:  # predictions are read from the matrix, too
        training = replace(training, basis=RowBasis(held, trusted=True))
    scorer = check_scoring(estimator, scoring)
    weighted = sample_weight is not None and _takes_weight(scorer)
    scores, n_iter = [], []
    for train, test in check_cv(cv, y, classifier=is_classifier(estimator)).split(training.X, y):
        X_test = take(training.X, test) if held is None else held.rows(np.arange(training.n)[test])
        weight = {"sample_weight": training.weight[test]} if weighted else {}
        for fitted in follow(copy(model), *_fold(training, y, train), values.tolist()):
            scores.append(scorer(fitted, X_test, y[test], **weight))
            n_iter.append(fitted.solution_.n_iter)
    table = np.reshape(scores, (-1, len(values))).T
    best = float(values[table.mean(axis=1).argmax()])
    return CPath(values, None, table, best, np.reshape(n_iter, (-1, len(values))).T)


def _held(model: SVC | SVR, training: Training) -> GramOperator | None:
    """All kernel values in float64, if half of the cache has room for them; None too if X is such a matrix already."""
    if training.K.matrix is not None or 8 * training.n**2 > model.cache_size * 2**20 / 2:
        return None
    if training.K.dtype == np.float64:
        return training.K.hold()
    if training.kernel is None or not (isinstance(training.X, np.ndarray) or sp.issparse(training.X)):
        return None
    # A lone fit ends in float64 on such data too.
    return gram(training.kernel, training.X.astype(np.float64), materialize=True, n_jobs=model.n_jobs)


def _takes_weight(scorer: Any) -> bool:
    accepts = getattr(scorer, "_accept_sample_weight", None)
    return bool(accepts()) if accepts is not None else "sample_weight" in signature(scorer).parameters


def _fold(training: Training, y: Any, train: IndexArray) -> tuple[Training, Any]:
    """A fold as weights: zero outside, repetitions counted. Labels found only outside must not become classes."""
    times = np.bincount(np.arange(len(y))[train], minlength=len(y))
    weight = training.weight * times
    kept = np.flatnonzero(weight > 0)
    if len(kept) == 0:
        raise ValueError("c_path: all samples of a fold have zero or negative weights; use other folds or weights.")
    return replace(training, weight=weight, kept=kept), np.where(times > 0, y, y[train][0])
