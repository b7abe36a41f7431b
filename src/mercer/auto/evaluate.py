"""Nested cross-validation: the whole fit, including all selections, is repeated in every outer fold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student
from sklearn.base import clone, is_classifier
from sklearn.metrics import (
    mean_absolute_error,
    r2_score,
    recall_score,
    roc_auc_score,
    root_mean_squared_error,
)

from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import check_integer
from mercer._words import one_word
from mercer.auto.columns import row_count, rows_of
from mercer.auto.sampling import check_groups, fold_count, make_folds, sample_rows, training_rows
from mercer.auto.task import as_partial_target, as_target, check_classes, check_numbers, known_labels

__all__ = ["Evaluation", "evaluate"]

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Result of `evaluate`: scores of the outer folds and out-of-fold predictions.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task of the model.
    metrics : dict of str to ndarray of shape (n_folds,)
        Scores of each fold: "accuracy", "balanced accuracy" and, for two classes, "ROC AUC"; for regression "R²",
        "RMSE" and "MAE".
    baseline : dict of str to ndarray of shape (n_folds,)
        The same scores of the majority-class baseline, or of predicting the mean. Class and mean are those of the
        training part.
    predictions : ndarray of shape (n_samples,)
        Out-of-fold predictions of the labelled samples, in the order of X.
    truth : ndarray of shape (n_samples,)
        Targets of the labelled samples.
    folds : ndarray of shape (n_samples,)
        Index of the fold in which each sample was predicted.
    kernels : list of str
        Kernel selected in each fold.
    decisions : ndarray of shape (n_samples,) or (n_samples, n_classes), default=None
        Out-of-fold decision values, or else probabilities. None for regressors and for models that have neither.
    classes : ndarray of shape (n_classes,), default=None
        Class labels, sorted, in the order of the columns of `decisions`. None for regressors.
    notes : sequence of str, default=()
        Decisions taken during the evaluation, one sentence each.
    rows : ndarray of shape (n_samples,), default=None
        Rows of X to which `predictions` belong, ascending. None if these are all labelled samples.

    See Also
    --------
    evaluate : Computes an evaluation.
    mercer.report.write_report : Writes a report of a model with its evaluation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.auto import evaluate
    >>> from mercer.svm import SVC
    >>> found = evaluate(SVC(), *load_iris(return_X_y=True), cv=3)
    >>> found.metrics["accuracy"].round(2)
    array([0.96, 0.98, 0.96])
    >>> found.baseline["accuracy"].round(2)
    array([0.32, 0.32, 0.32])
    """

    task: Literal["classification", "regression"]
    metrics: dict[str, DoubleArray]
    baseline: dict[str, DoubleArray]
    predictions: Any
    truth: Any
    folds: IndexArray
    kernels: list[str]
    decisions: DoubleArray | None = None
    classes: Any = None
    notes: Sequence[str] = ()
    rows: IndexArray | None = None

    def interval(self, metric: str) -> tuple[float, float, float]:
        """Mean of a metric over the folds with its 95 % t interval.

        The interval is approximate: training parts of different folds overlap, which makes it somewhat too narrow. It
        is not clipped to the range of the metric.

        Parameters
        ----------
        metric : str
            Name of a metric in `metrics`.

        Returns
        -------
        mean : float
            Mean over the folds.
        low : float
            Lower end of the interval.
        high : float
            Upper end of the interval.

        Raises
        ------
        ValueError
            If the metric was not computed.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.auto import Evaluation
        >>> scores = {"accuracy": np.array([0.8, 0.9, 1.0])}
        >>> found = Evaluation("classification", scores, {}, None, None, np.zeros(0, dtype=int), [])
        >>> [round(value, 3) for value in found.interval("accuracy")]
        [0.9, 0.652, 1.148]
        """
        if metric not in self.metrics:
            raise ValueError(
                f"Evaluation: unknown metric {metric!r}; choose from {', '.join(map(repr, self.metrics))}."
            )
        scores = self.metrics[metric]
        mean, n = float(scores.mean()), len(scores)
        half = float(student.ppf(0.975, n - 1) * scores.std(ddof=1) / np.sqrt(n))
        return mean, mean - half, mean + half


@one_word
def evaluate(
    model: Any,
    X: Data,
    y: Any,
    groups: Any = None,
    cv: int = 5,
    progress: Progress | None = None,
    max_samples: int | None = None,
) -> Evaluation:
    """Evaluate a model by nested cross-validation.

    In each outer fold a clone of the model is fitted to the other folds, including the preparation of the table and
    the selection of kernel and parameters, and predicts the samples of the fold. Folds are stratified for classifiers,
    keep groups together, and depend only on the model's `random_state`.

    Parameters
    ----------
    model : AutoClassifier, AutoRegressor, or any classifier or regressor
        Unfitted model. It is cloned and not changed.
    X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
        Samples, in any form that the model accepts.
    y : array-like of shape (n_samples,)
        Targets. For ``AutoClassifier(model="transductive")``, None and NaN mark unlabelled samples, which are part of
        every training set and are not scored. The test samples of a fold are not used as unlabelled samples.
    groups : array-like of shape (n_samples,), default=None
        Group labels. All samples of a group are in the same fold. Unlabelled samples of a tested group are left out of
        the training set.
    cv : int, default=5
        Number of outer folds, at least 2. It is reduced if a class has fewer samples or if there are fewer groups,
        which `notes` of the result reports.
    progress : callable, default=None
        Called as ``progress(done, cv, text)`` before each fold and after the last.
    max_samples : int, default=None
        Largest number of samples to use. Larger sets are subsampled by `sample_rows`, stratified by class, which
        `notes` and `rows` of the result report. None means all samples.

    Returns
    -------
    Evaluation
        Scores of each fold, baseline scores and out-of-fold predictions.

    Raises
    ------
    ValueError
        If a class has fewer than two samples, or if the fit of a fold fails.

    See Also
    --------
    AutoClassifier : Classifier that selects kernel, model and parameters.
    AutoRegressor : Regressor that selects kernel, model and parameters.
    mercer.report.write_report : Writes a report of a model with its evaluation.

    Notes
    -----
    The model is fitted `cv` times. For a large table, `max_samples` limits the time. The scores are then those of
    models fitted to parts of that many samples, and a model fitted to all samples is usually somewhat better.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.auto import AutoClassifier, evaluate
    >>> X, y = load_iris(return_X_y=True)
    >>> found = evaluate(AutoClassifier(kernel="rbf", model="ridge"), X, y, cv=3)
    >>> [round(value, 3) for value in found.interval("accuracy")]
    [0.953, 0.925, 0.982]
    >>> round(float(found.baseline["accuracy"].mean()), 3)
    0.32
    """
    classes = is_classifier(model)
    partial = getattr(model, "_takes_unlabeled", False)
    y = as_partial_target("evaluate", y) if partial else as_target("evaluate", y)
    n = row_count("evaluate", X)
    if n != len(y):
        raise ValueError(f"evaluate: X has {n} samples, but y has {len(y)}; give one target for each.")
    groups = check_groups("evaluate", groups, n)
    wanted = check_integer("evaluate", "cv", cv, low=2)
    seed = getattr(model, "random_state", 0)
    seed = seed if isinstance(seed, int) else 0
    rows = None
    if max_samples is not None:
        most = check_integer("evaluate", "max_samples", max_samples, low=4)
        rows = sample_rows(y, most, stratify=classes, random_state=seed)
        X, y = rows_of(X, rows), y[rows]
        groups = None if groups is None else groups[rows]
    labeled, truth = known_labels("evaluate", y)
    if classes:
        check_classes("evaluate", truth)
    else:
        y = truth = check_numbers("evaluate", truth)
    own = None if groups is None else groups[labeled]
    count, note = fold_count("evaluate", truth, wanted, classes=classes, groups=own, least=2)
    parts = make_folds(truth, count, classes=classes, groups=own, random_state=seed)
    notes = [f"Evaluation: {note}"] if note else []
    if rows is None or len(rows) == n:
        return _Folds(model, X, y, labeled, truth, groups, classes, notes).run(parts, progress)
    notes.insert(0, f"Scores were computed on {len(rows)} of {n} samples, drawn with random_state={seed}.")
    found = _Folds(model, X, y, labeled, truth, groups, classes, notes).run(parts, progress)
    return replace(found, rows=rows[labeled])


class _Folds:
    """State of an evaluation. `truth` holds the targets of the rows `labeled`; folds index these rows."""

    def __init__(
        self,
        model: Any,
        X: Data,
        y: Any,
        labeled: IndexArray,
        truth: Any,
        groups: Any,
        classes: bool,
        notes: list[str],
    ) -> None:
        self.model, self.X, self.y, self.groups, self.notes = model, X, y, groups, notes
        self.labeled, self.truth = labeled, truth
        self.labels = np.unique(truth) if classes else None
        self.predictions = np.empty_like(truth)
        self.numbers = np.zeros(len(truth), dtype=np.int64)
        self.decisions: DoubleArray | None = None
        self.metrics: dict[str, list[float]] = {}
        self.baseline: dict[str, list[float]] = {}
        self.kernels: list[str] = []

    def run(self, parts: list[tuple[IndexArray, IndexArray]], progress: Progress | None) -> Evaluation:
        report = progress or _no_progress
        for fold, (train, test) in enumerate(parts):
            report(fold, len(parts), f"fold {fold + 1} of {len(parts)}")
            self._fold(fold, train, test)
        report(len(parts), len(parts), "done")
        return Evaluation(
            "regression" if self.labels is None else "classification",
            {name: np.array(scores) for name, scores in self.metrics.items()},
            {name: np.array(scores) for name, scores in self.baseline.items()},
            self.predictions,
            self.truth,
            self.numbers,
            self.kernels,
            self.decisions,
            self.labels,
            self.notes,
        )

    def _fold(self, fold: int, train: IndexArray, test: IndexArray) -> None:
        rows = training_rows(train, test, self.labeled, len(self.y), self.groups)
        options = {} if self.groups is None else {"groups": self.groups[rows]}
        try:
            model = clone(self.model).fit(rows_of(self.X, rows), self.y[rows], **options)
        except ValueError as error:
            raise ValueError(f"evaluate: fitting without fold {fold + 1} failed: {error}") from error
        samples = rows_of(self.X, self.labeled[test])
        self.numbers[test] = fold
        self.predictions[test] = model.predict(samples)
        self.kernels.append(str(getattr(model, "kernel_", getattr(model, "kernel", ""))))
        values = self._decide(model, samples, test)
        truth = self.truth[train]
        if self.labels is None:
            constant = np.full(len(test), truth.mean())
        else:
            majority = self.labels[np.argmax([(truth == label).sum() for label in self.labels])]
            constant = np.full(len(test), majority)
        for name, score in self._scores(self.truth[test], self.predictions[test], values).items():
            self.metrics.setdefault(name, []).append(score)
        for name, score in self._scores(self.truth[test], constant, None).items():
            self.baseline.setdefault(name, []).append(score)

    def _decide(self, model: Any, samples: Data, test: IndexArray) -> Any:
        """Decision values of a fold, stored in `decisions`; None if the model has none."""
        ask = getattr(model, "decision_function", None) or getattr(model, "predict_proba", None)
        if self.labels is None or ask is None:
            return None
        values = np.asarray(ask(samples), dtype=np.float64)
        if len(self.labels) == 2 and values.ndim == 2:
            values = values[:, 1] - values[:, 0]
        if self.decisions is None:
            self.decisions = np.full((len(self.truth), *values.shape[1:]), np.nan)
        self.decisions[test] = values
        return values

    def _scores(self, truth: Any, predicted: Any, values: Any) -> dict[str, float]:
        if self.labels is None:
            return {
                "R²": float(r2_score(truth, predicted)) if len(truth) > 1 else np.nan,
                "RMSE": float(root_mean_squared_error(truth, predicted)),
                "MAE": float(mean_absolute_error(truth, predicted)),
            }
        scores = {"accuracy": float(np.mean(truth == predicted)), "balanced accuracy": _balanced(truth, predicted)}
        if len(self.labels) == 2:
            scores["ROC AUC"] = _area(truth == self.labels[1], np.zeros(len(truth)) if values is None else values)
        return scores


def _balanced(truth: Any, predicted: Any) -> float:
    # balanced_accuracy_score computes the same mean of recalls, but warns if a predicted class is absent from the fold.
    return float(recall_score(truth, predicted, labels=np.unique(truth), average="macro"))


def _area(positive: Any, values: Any) -> float:
    return float(roc_auc_score(positive, values)) if len(np.unique(positive)) == 2 else np.nan


def _no_progress(done: int, total: int, text: str) -> None:
    """Default no-op progress callback."""
