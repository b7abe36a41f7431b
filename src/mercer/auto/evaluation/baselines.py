"""Baselines that people know, on the folds of an evaluation: a linear model and gradient boosting of scikit-learn."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV

from mercer._runtime.pools import limit_pools
from mercer._typing import Data, DoubleArray
from mercer.auto.evaluation.features import Features, Plain

__all__ = ["BOOSTING", "LINEAR", "Baseline", "Baselines"]

LINEAR, BOOSTING = "linear model", "gradient boosting"
WORK = 1e9  # rows · columns · classes · trees that gradient boosting may take in a fold, a few seconds
TREES, FEW = 100, 20  # usual and smallest number of rounds of gradient boosting
ROWS = 5000  # rows up to which one thread is used
NARROW = 1000  # columns up to which the penalty of a ridge regression is chosen by leave-one-out
DESCRIBED = {
    LINEAR: "standardised numbers, one-hot categories, weighted counts of words or k-mers, counts of labels",
    BOOSTING: "numbers, categories, counts of labels",
}


@dataclass(frozen=True, eq=False)
class Baseline:
    """Scores of a well-known model on the folds of an evaluation.

    Parameters
    ----------
    metrics : dict of str to ndarray of shape (n_folds,)
        Scores of each fold, by the names of `Evaluation.metrics`.
    seconds : float
        Mean time of a fit.
    estimator : str
        Name of the estimator of scikit-learn.
    description : str, default=""
        What the model reads, and how many rounds of boosting it has if they are fewer than usual.

    See Also
    --------
    Evaluation : Holds baselines by name.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.auto import AutoClassifier, evaluate
    >>> found = evaluate(AutoClassifier("rbf", "svm"), *load_iris(return_X_y=True), cv=3, baselines=True)
    >>> for name, baseline in found.baselines.items():
    ...     print(name, baseline.estimator, baseline.metrics["accuracy"].mean().round(2))
    linear model LogisticRegression 0.95
    gradient boosting HistGradientBoostingClassifier 0.95
    """

    metrics: Mapping[str, DoubleArray]
    seconds: float
    estimator: str
    description: str = ""


class _Fit(NamedTuple):
    """Samples of a fold for one baseline, and its estimator."""

    estimator: Any
    train: Any
    test: Any


class Baselines:
    """Fits of the baselines in the folds of an evaluation.

    Parameters
    ----------
    model : estimator
        Model that is evaluated, whose kinds of columns, class weights and seed are used.
    classes : bool
        Whether the task is classification.
    random_state : int
        Seed.

    Attributes
    ----------
    notes : list of str
        One sentence for each baseline that was left out.
    """

    def __init__(self, model: Any, *, classes: bool, random_state: int) -> None:
        self.kinds, self.weight = getattr(model, "kinds", None), getattr(model, "class_weight", None)
        self.classes, self.random_state = classes, random_state
        self.notes: list[str] = []
        self._left_out: set[str] = set()
        self._scores: dict[str, list[dict[str, float]]] = {}
        self._seconds: dict[str, list[float]] = {}
        self._names: dict[str, str] = {}
        self._rounds = TREES

    def fold(self, X: Data, y: Any, samples: Data, score: Any) -> None:
        """Fit the baselines to X and y and score their answers for samples: ``score(estimator, matrix)``."""
        start = perf_counter()
        few = len(y) <= ROWS  # threads cost more than they save on small data, and very much more on a busy machine
        with warnings.catch_warnings(), limit_pools(1 if few else None):
            warnings.simplefilter("ignore")  # the warnings of the model itself are those that count
            features = Features(self.kinds).fit(X)
            train, test = features.transform(X), features.transform(samples)
            shared = (perf_counter() - start) / 2
            for name, make in ((LINEAR, self._linear), (BOOSTING, self._boosting)):
                if name not in self._left_out:
                    self._one(name, make, features, (train, test), y, score, shared)

    def _one(
        self, name: str, make: Any, features: Features, parts: tuple[Plain, Plain], y: Any, score: Any, shared: float
    ) -> None:
        start = perf_counter()
        found = make(features, *parts, y)
        if isinstance(found, str):
            self._leave_out(name, found)
            return
        try:
            found.estimator.fit(found.train, y)
        except ValueError as error:
            self._leave_out(name, f"its fit failed ({error})")
            return
        self._seconds.setdefault(name, []).append(perf_counter() - start + shared)
        self._scores.setdefault(name, []).append(score(found.estimator, found.test))
        self._names[name] = type(found.estimator).__name__

    def _leave_out(self, name: str, why: str) -> None:
        self._left_out.add(name)
        self.notes.append(f"The baseline {name!r} was left out, since {why}.")

    def found(self) -> dict[str, Baseline]:
        """Baselines that could be fitted in all folds, by name."""
        return {
            name: Baseline(
                {metric: np.array([scores[metric] for scores in folds]) for metric in folds[0]},
                float(np.mean(self._seconds[name])),
                self._names[name],
                DESCRIBED[name] + (self._fewer if name == BOOSTING else ""),
            )
            for name, folds in self._scores.items()
            if name not in self._left_out
        }

    @property
    def _fewer(self) -> str:
        """Words for fewer rounds than usual; a baseline that was weakened must not look like the usual one."""
        return "" if self._rounds == TREES else f"; {self._rounds} rounds instead of {TREES}, to save time"

    def _linear(self, features: Features, train: Plain, test: Plain, y: Any) -> _Fit | str:  # noqa: ARG002
        X = features.linear(train)
        if X is None:
            return "it has no features of such samples"
        if self.classes:
            model = LogisticRegression(max_iter=500, class_weight=self.weight)
        elif X.shape[1] <= NARROW:
            X = X.toarray() if sp.issparse(X) else X
            return _Fit(RidgeCV(np.logspace(-3, 3, 13)), X, _dense(features.linear(test)))
        else:
            model = Ridge()
        return _Fit(model, X, features.linear(test))

    def _boosting(self, features: Features, train: Plain, test: Plain, y: Any) -> _Fit | str:
        X, categories = features.trees(train)
        if X is None:
            return "it needs numbers or categories"
        classes = len(np.unique(y)) if self.classes else 1
        each = len(X) * X.shape[1] * (classes if classes > 2 else 1)
        rounds = int(min(TREES, WORK / each))
        if rounds < FEW:
            return f"{X.shape[1]} columns would take it too long"
        self._rounds = min(self._rounds, rounds)
        options: dict[str, Any] = {
            "max_iter": rounds,
            "categorical_features": categories if categories.any() else None,
            "random_state": self.random_state,
        }
        if self.classes:
            model: Any = HistGradientBoostingClassifier(**options, class_weight=self.weight)
        else:
            model = HistGradientBoostingRegressor(**options)
        return _Fit(model, X, features.trees(test)[0])


def _dense(X: Any) -> Any:
    return X.toarray() if sp.issparse(X) else X
