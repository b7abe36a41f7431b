"""Score by which automatic models compare candidates: log-loss, R², or any scorer of scikit-learn."""

import warnings
from inspect import signature
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer, get_scorer_names

from mercer._estimator.scorers import GivenProbabilities, GivenValues, takes_weight
from mercer._typing import DoubleArray
from mercer.auto.task import Task

__all__ = ["Judge", "rarer_class"]

PROPER: dict[Task, tuple[str, str]] = {
    "classification": ("log-loss", "neg_log_loss"),
    "regression": ("R²", "r2"),
}  # names of the default score: in messages, and of scikit-learn
ESTIMATORS: dict[Task, str] = {"classification": "AutoClassifier", "regression": "AutoRegressor"}


class Judge:
    """Score of known predictions; greater is better.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task of the models.
    scoring : None, str or callable
        None means the proper score of the task: the negative log-loss of probabilities, or R², which orders predictions
        as the squared error does. Otherwise a scorer of scikit-learn: one of ``sklearn.metrics.get_scorer_names()``, or
        a callable ``scorer(estimator, X, y)``. A callable gets an estimator whose input X are its own predictions.
    classes : array-like of shape (n_classes,) or None
        Class labels, sorted; None for regression.
    positive : label, default=None
        Positive class of two, for scorers whose own positive label (1 unless stated) is not among the classes. None
        means the second class.
    who : str, default=None
        Caller, for error messages; None means the automatic estimator of the task.

    Attributes
    ----------
    name : str
        Name of the score: "log-loss", "R²", "roc_auc".

    Raises
    ------
    ValueError
        If the scorer is unknown, belongs to the other task, or cannot score predictions for these classes.

    Examples
    --------
    >>> judge = Judge("classification", None, ["no", "yes"])
    >>> P = np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]])
    >>> judge.name, round(judge.probabilities(P, ["no", "yes", "yes"]), 3)
    ('log-loss', -0.607)
    >>> Judge("classification", "roc_auc", ["no", "yes"]).probabilities(P, ["no", "yes", "yes"])
    1.0
    >>> Judge("regression", "neg_mean_absolute_error", None).values([1.0, 2.0], [1.5, 2.5])
    -0.5
    """

    def __init__(self, task: Task, scoring: Any, classes: Any, *, positive: Any = None, who: str | None = None) -> None:
        self.task, self.who = task, who or ESTIMATORS[task]
        self.classes = None if classes is None else np.asarray(classes)
        name, formal = PROPER[task]
        proper = scoring is None or (isinstance(scoring, str) and scoring == formal)
        self.scorer: Any = None if proper else self._scorer(scoring)
        self.name = name if scoring is None else _name(scoring)
        self.positive: Any = None
        if self.scorer is None:
            return
        self.weighted = takes_weight(self.scorer)
        if self.classes is not None and not _knows_positive(self.scorer, self.classes.tolist()):
            self.positive = self.classes[1] if positive is None else positive
        self._try()

    def probabilities(self, P: Any, y: Any, sample_weight: DoubleArray | None = None) -> float:
        """Score of probabilities.

        Parameters
        ----------
        P : array-like of shape (n_samples, n_classes)
            Probabilities, in the order of the classes.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : ndarray of shape (n_samples,), default=None
            Sample weights. They are not passed to scorers that do not accept them.

        Returns
        -------
        float
            Score, greater is better; NaN where it is undefined, such as the area under the ROC curve of one class.
        """
        assert self.classes is not None
        P, y = np.asarray(P, dtype=np.float64), np.asarray(y)
        if self.scorer is None:
            logs = log_likelihoods(P, np.searchsorted(self.classes, y))
            return float(np.average(logs, weights=sample_weight))
        if self.positive is None:
            return self._call(GivenProbabilities(self.classes), P, y, sample_weight)
        P = P if self.positive == self.classes[1] else P[:, ::-1]
        return self._call(GivenProbabilities([0, 1]), P, (y == self.positive).astype(int), sample_weight)

    def values(
        self, predicted: Any, y: Any, sample_weight: DoubleArray | None = None, center: float | None = None
    ) -> float:
        """Score of predicted numbers.

        Parameters
        ----------
        predicted : array-like of shape (n_samples,)
            Predictions.
        y : array-like of shape (n_samples,)
            True values.
        sample_weight : ndarray of shape (n_samples,), default=None
            Sample weights. They are not passed to scorers that do not accept them.
        center : float, default=None
            Constant that R² compares predictions with if all true values are equal; None makes R² NaN.

        Returns
        -------
        float
            Score, greater is better.
        """
        predicted, y = np.asarray(predicted, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if self.scorer is not None:
            return self._call(GivenValues(), predicted, y, sample_weight)
        mean: Any = np.average(y, weights=sample_weight)
        if center is not None and (y == y[0]).all():
            mean = center
        error, total = (np.average(np.square(y - v), weights=sample_weight) for v in (predicted, mean))
        if total > 0:
            return float(1 - error / total)
        return float(1 - error) if center is not None else float("nan")

    @property
    def needs_probabilities(self) -> bool:
        """Whether the score depends on more than the order of decision values and the predicted classes."""
        return self.task == "classification" and (
            self.scorer is None or getattr(self.scorer, "_response_method", "") == "predict_proba"
        )

    # ---- scorers

    def _scorer(self, scoring: Any) -> Any:
        if isinstance(scoring, str):
            if scoring not in get_scorer_names():
                raise ValueError(f"{self.who}: unknown scoring={scoring!r}; {self._choices()}")
            scorer = get_scorer(scoring)
        elif callable(scoring):
            scorer = scoring
        else:
            kind = type(scoring).__name__
            raise ValueError(f"{self.who}: scoring must be None, a name or a callable, got {kind}; {self._choices()}")
        if _task(scorer) not in (self.task, None):
            raise ValueError(
                f"{self.who}: scoring={_name(scoring)!r} is a score for {_task(scorer)}; {self._choices()}"
            )
        return scorer

    def _choices(self) -> str:
        names = ", ".join(name for name in get_scorer_names() if _task(get_scorer(name)) == self.task)
        return f"choose None ({PROPER[self.task][0]}), a callable scorer(estimator, X, y), or one of {names}."

    def _try(self) -> None:
        """Score two samples of each class or a few numbers, so that errors are raised before anything is fitted."""
        if self.classes is None:
            self.values([1.0, 2.0, 3.0, 4.0], [1.5, 2.0, 2.5, 4.5])
        else:
            k = len(self.classes)
            self.probabilities(np.tile(0.5 / k + 0.5 * np.eye(k), (2, 1)), np.tile(self.classes, 2))

    def _call(self, estimator: Any, X: DoubleArray, y: Any, sample_weight: DoubleArray | None) -> float:
        options = {} if sample_weight is None or not self.weighted else {"sample_weight": sample_weight}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)
                return float(self.scorer(estimator, X, y, **options))
        except Exception as error:
            what = "predicted numbers" if self.classes is None else f"probabilities of {len(self.classes)} classes"
            raise ValueError(
                f"{self.who}: scoring={self.name!r} cannot score {what}: {error} The scorer is called with predictions "
                f"in place of X; {self._choices()}"
            ) from error


def log_likelihoods(P: DoubleArray, labels: Any) -> DoubleArray:
    """Logarithms of the probabilities of the true classes, whose positions are `labels`."""
    return np.asarray(np.log(np.maximum(P[np.arange(len(labels)), labels], np.finfo(np.float64).eps)))


def rarer_class(y: Any) -> Any:
    """Label with the fewest samples; the last one of those that are equally rare.

    >>> str(rarer_class(["ok", "fraud", "ok"])), int(rarer_class([0, 1]))
    ('fraud', 1)
    """
    classes, sizes = np.unique(y, return_counts=True)
    return classes[len(sizes) - 1 - sizes[::-1].argmin()]


def _knows_positive(scorer: Any, classes: list[Any]) -> bool:
    """Whether the positive label of a scorer is among two classes; also true if it needs none."""
    function = getattr(scorer, "_score_func", None)
    if len(classes) != 2 or function is None or "pos_label" not in signature(function).parameters:
        return True
    own = scorer._get_pos_label()
    return own in classes or (own is None and classes in ([0, 1], [-1, 1]))


def _task(scorer: Any) -> Task | None:
    """Task of a scorer of scikit-learn; None for other callables."""
    module = getattr(getattr(scorer, "_score_func", None), "__module__", "")
    if not module.startswith("sklearn.metrics."):
        return None
    return "regression" if module.endswith("._regression") else "classification"


def _name(scoring: Any) -> str:
    """Name of a scorer."""
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)
    return str(getattr(function, "__name__", type(function).__name__))
