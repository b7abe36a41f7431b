"""Result of nested cross-validation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.evaluation.baselines import Baseline
from mercer.auto.evaluation.choices import Choice, choice_of, differences
from mercer.auto.evaluation.duplicates import Duplicates
from mercer.auto.metrics import metric_range

__all__ = ["Evaluation"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Result of `evaluate`: scores of the outer folds and out-of-fold predictions.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task of the model.
    metrics : dict of str to ndarray of shape (n_folds,)
        Scores of each fold. Classification: "accuracy", "balanced accuracy", for two classes "ROC AUC" and "average
        precision", and for models with probabilities "log-loss". The average precision is that of the positive class,
        by default the rarer one, or the second one if both are equally frequent; the ROC AUC is the same for both
        classes. Regression: "R²", "RMSE" and "MAE". With ``evaluate(scoring=)``, that score by its name.
    baseline : dict of str to ndarray of shape (n_folds,)
        The same scores of the majority-class baseline, whose probabilities are the frequencies of the classes, or of
        predicting the mean. Class, frequencies and mean are those of the training part.
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
        Rows of X to which `predictions` belong, ascending. None if these are all labelled samples. Samples that are
        alone in their class are in every training part and have no prediction.
    probabilities : ndarray of shape (n_samples, n_classes), default=None
        Out-of-fold class probabilities in the order of `classes`, calibrated for automatic models. None for regressors
        and for models without probabilities.
    intervals : ndarray of shape (n_samples, 2), default=None
        Out-of-fold prediction intervals with a coverage of 90 %. None for classifiers and for models without
        `predict_interval`.
    baselines : dict of str to Baseline, default=None
        Scores of "linear model" and "gradient boosting" on the same folds. None without ``evaluate(baselines=True)``.
    choices : sequence of Choice, default=()
        Kernel and model that each fold chose.
    seconds : ndarray of shape (n_folds,), default=None
        Time to fit the model in each fold.
    duplicates : Duplicates, default=None
        Equal and nearly equal samples. None if there are none.
    positive : object, default=None
        Label of the positive class, to which the average precision belongs. None for regressors, and if none of
        several classes was named.

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
    probabilities: DoubleArray | None = None
    intervals: DoubleArray | None = None
    baselines: Mapping[str, Baseline] | None = None
    choices: Sequence[Choice] = ()
    seconds: DoubleArray | None = None
    duplicates: Duplicates | None = None
    positive: Any = None

    def interval(self, metric: str) -> tuple[float, float, float]:
        """Mean of a metric over the folds with its 95 % t interval.

        The interval is approximate: training parts of different folds overlap, which makes it somewhat too narrow. It
        is clipped to the range of the metric: [0, 1] for accuracies, areas and precisions, at most 1 for R², and at
        least 0 for errors and losses.

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
        [0.9, 0.652, 1.0]
        """
        if metric not in self.metrics:
            raise ValueError(
                f"Evaluation: unknown metric {metric!r}; choose from {', '.join(map(repr, self.metrics))}."
            )
        scores = self.metrics[metric]
        mean, n = float(scores.mean()), len(scores)
        half = float(student.ppf(0.975, n - 1) * scores.std(ddof=1) / np.sqrt(n))
        least, most = metric_range(metric)
        return mean, max(least, mean - half), min(most, mean + half)

    def differences(self, model: Any) -> str:
        """Compare the choices of the folds with those of a fitted model.

        Parameters
        ----------
        model : AutoClassifier, AutoRegressor, or any estimator
            Fitted model, of the same kind as the one that was evaluated.

        Returns
        -------
        str
            One sentence if kernel or model differ in some folds; empty if all folds chose as the model did. Real
            parameters, such as widths and penalties, are not compared.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from mercer.auto import AutoClassifier, evaluate
        >>> X, y = load_iris(return_X_y=True)
        >>> found = evaluate(AutoClassifier("rbf", "svm"), X, y, cv=3)
        >>> found.differences(AutoClassifier("rbf", "svm").fit(X, y))
        ''
        >>> print(found.differences(AutoClassifier("rbf", "ridge").fit(X, y))[:68])
        Fits in 3 of 3 folds chose differently (3 × svm on the given kernel)
        """
        return differences(self.choices, choice_of(model))
