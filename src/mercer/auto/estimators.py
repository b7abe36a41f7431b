"""Estimators that take raw tables, and choose kernel, model and parameters themselves."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from mercer._typing import Data
from mercer.auto.base import CONSTRAINTS, Auto
from mercer.auto.models import DEFAULTS, MODELS
from mercer.auto.task import check_classes, check_numbers

__all__ = ["AutoClassifier", "AutoRegressor"]


def _model_has(name: str) -> Any:
    """A method that is there if the model has it: the fitted one, or else the one that is asked for."""

    def check(estimator: Any) -> bool:
        models = MODELS[estimator._task]
        asked = models[estimator.model if estimator.model in models else DEFAULTS[estimator._task][0]].estimator
        return hasattr(getattr(estimator, "model_", asked), name)

    return available_if(check)


class AutoClassifier(ClassifierMixin, Auto):  # type: ignore[misc]
    """A classifier for raw tables: prepares them, and chooses kernel, model and parameters by cross-validation.

    Parameters
    ----------
    kernel : "auto", Kernel, str or callable
        "auto": a few kernels for each kind of column, each alone, all of them in a sum weighted by centred alignment
        with the target, and the best of each kind in a sum of equal parts. Otherwise the kernel that is meant, on
        prepared data; text may use names of columns, such as ``"rbf[age, income] + overlap[city]"``. Names of kernels
        mean the text form, see docs/kernel-names.md, and a function is called with two sets of samples.
    model : {"auto", "svm", "ridge", "logistic", "lda", "knn", "perceptron"}
        `SVC`, `KernelRidgeClassifier`, `KernelLogisticRegression`, `KernelDiscriminantAnalysis`,
        `KernelKNeighborsClassifier` or the averaged `KernelPerceptron`; "auto" compares the first two, up to 2000
        samples, and takes the first beyond.
    kinds : dict, optional
        Kind of some columns, see `TablePreparer`.
    cv : int
        Number of inner folds, at least 2; fewer where a class is smaller. A class of one sample stays in every training
        part and is not scored.
    max_samples : int
        Rows beyond this number are left out by a stratified draw, which `notes_` tell. Kernel and parameters are chosen
        on 2000 of them at most.
    random_state : int, RandomState or None
        Seed of folds and draws.
    n_jobs : int, optional
        Threads; None means all that are allowed.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    preparer_ : TablePreparer
        Fitted to the training rows.
    candidates_ : list of Candidate
        Every kernel that was tried, with its alignment, weight, score, model and parameters.
    kernel_ : Kernel
        The chosen one, on prepared data, with numbers for all parameters; ``str(kernel_)`` is its text.
    model_ : estimator
        Fitted to ``prepare(X)``. It holds what its kernel reads and no more: numbers as one matrix, in which the kernel
        asks for columns by position.
    best_score_, best_params_ : float and dict
        Mean inner score (accuracy) of the choice, and its parameters, its model among them. The score is a little too
        good, being the best of several; `evaluate` tells an honest one.
    notes_ : list of str
        Every decision that was taken, one sentence each.
    rows_ : array of int
        Rows that `model_` was trained on.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn, where there are columns and names.

    Notes
    -----
    Gram matrices are computed once; all folds, models and parameters use blocks of them: O(m n²) memory for m kernels.
    Weights of the sum are found anew in every inner fold, from its training part. The best mean score wins, but one
    kernel alone wins over a sum if it is behind by no more than the standard error of their difference.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> size, colour = rng.normal(size=80), rng.choice(["red", "blue", "green"], 80)
    >>> y = np.where((size > 0) ^ (colour == "red"), "yes", "no")
    >>> model = AutoClassifier(model="ridge").fit({"size": size, "colour": colour, "id": np.arange(80)}, y)
    >>> model.preparer_.kinds_
    {'size': 'number', 'colour': 'category', 'id': 'drop'}
    >>> next(candidate.name for candidate in model.candidates_ if candidate.chosen)
    'numbers and categories jointly'
    >>> model.predict({"size": [1.0, 1.0], "colour": ["red", "black"]}).tolist()
    ['no', 'yes']
    """

    _task = "classification"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "model": [StrOptions({"auto", *MODELS["classification"]})],
    }

    def _target(self, y: Any) -> Any:
        check_classes("AutoClassifier", y)
        self.classes_ = np.unique(y)
        return y

    @_model_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Data) -> Any:
        """Values of the classes as the model has them: shape (m,) for two classes, else (m, classes)."""
        samples = self.prepare(X)
        return self.model_.decision_function(samples)

    @_model_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Data) -> Any:
        """Probabilities of the classes, shape (m, classes)."""
        samples = self.prepare(X)
        return self.model_.predict_proba(samples)


class AutoRegressor(RegressorMixin, Auto):  # type: ignore[misc]
    """A regressor for raw tables: prepares them, and chooses kernel, model and parameters by cross-validation.

    Parameters
    ----------
    kernel, kinds, cv, max_samples, random_state, n_jobs
        As in `AutoClassifier`; for names of kernels see docs/kernel-names.md.
    model : {"auto", "ridge", "svm", "knn"}
        `KernelRidge`, `SVR` or `KernelKNeighborsRegressor`; "auto" compares the first two, up to 2000 samples, and
        takes the first beyond.

    Attributes
    ----------
    preparer_, candidates_, kernel_, model_, best_params_, notes_, rows_, n_features_in_, feature_names_in_
        As in `AutoClassifier`.
    best_score_ : float
        Mean inner R² of the choice.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(100, 2))
    >>> model = AutoRegressor(model="ridge").fit(X, np.sin(X[:, 0]) + X[:, 1])
    >>> bool(model.score(X, np.sin(X[:, 0]) + X[:, 1]) > 0.98)
    True
    """

    _task = "regression"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "model": [StrOptions({"auto", *MODELS["regression"]})],
    }

    def _target(self, y: Any) -> Any:
        return check_numbers("AutoRegressor", y)
