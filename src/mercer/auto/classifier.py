"""Automatic classifier for raw tables."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._estimator.score import ScoredClassifier
from mercer._typing import Data
from mercer.auto.base import CONSTRAINTS, Auto
from mercer.auto.decisions import decision_scores
from mercer.auto.models import MODELS
from mercer.auto.scoring import rarer_class
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.task import check_classes
from mercer.auto.thresholds import Threshold

__all__ = ["AutoClassifier"]


def _model_has(name: str) -> Any:
    """Make a method available only if the fitted model has it, or else the requested one may have it."""

    def check(estimator: Any) -> bool:
        if hasattr(estimator, "model_"):
            return hasattr(estimator.model_, name)
        asked = MODELS["classification"].get(estimator.model)
        return asked is None or hasattr(asked.estimator, name)  # "auto" decides in fit

    return available_if(check)


def _has_probabilities(estimator: Any) -> bool:
    """Whether there are calibrated decision values, or the model computes probabilities."""
    calibrated = not hasattr(estimator, "model_") or getattr(estimator, "calibration_", None) is not None
    return calibrated or hasattr(estimator.model_, "predict_proba")


class AutoClassifier(ScoredClassifier, Auto):
    """Classifier for raw tables that selects kernel, model and parameters by cross-validation.

    The table is prepared by `TablePreparer`: kinds of columns are inferred, numbers are standardised, missing values
    are replaced. Tables of numbers and categories get a stack of machines on kernels with learned column weights. For
    other data, several kernels are compared by inner cross-validation, and the best one is fitted to all rows.

    Parameters
    ----------
    kernel : "auto", Kernel, str or callable, default="auto"
        "auto" learns kernels if the model is a stack. Otherwise it tries a few kernels for each kind of column, each
        alone and in two sums: the sum of all kernels weighted by centred alignment with the target, and the equally
        weighted sum of the best kernel of each kind of column. Any other kernel is used as given, on prepared data. A
        text may name columns, such as ``"rbf[age, income] + overlap[city]"``.
        Names: :ref:`kernel-names`. A function is called with two (sets of) samples.
    model : {"auto", "stack", "svm", "ridge", "logistic", "lda", "knn", "perceptron", "transductive"}, default="auto"
        Model to fit:

        - "stack": several machines on kernels with learned column weights, for tables of numbers and categories
        - "svm": `mercer.svm.SVC`
        - "ridge": `mercer.ridge.KernelRidgeClassifier`
        - "logistic": `mercer.ridge.KernelLogisticRegression`
        - "lda": `mercer.discriminant.KernelDiscriminantAnalysis`
        - "knn": `mercer.neighbors.KernelKNeighborsClassifier`
        - "perceptron": averaged `mercer.perceptron.KernelPerceptron`
        - "transductive": `mercer.semi_supervised.TransductiveSVC`, which also learns from unlabelled samples (None or
          NaN in y)
        - "auto": "stack" for 30 to 100 000 samples of at most 300 numbers and categories, with ``kernel="auto"``.
          Otherwise it compares "svm" and "ridge" up to 2000 samples, and uses "svm" for more samples. For more than
          100 000 samples, and for more than 20 000 if "svm" has no approximation, it uses "ridge", whose approximated
          fit needs one pass over the samples.
    kinds : dict of str to str, default=None
        Kinds of some columns by name, see `TablePreparer`. Other kinds are inferred.
    cv : int, default=5
        Number of inner folds, at least 2. It is reduced to the size of the second largest class; smaller classes are
        missing from some test parts. A class with one sample stays in every training part and is not scored.
    simple : bool, default=False
        Whether ``model="auto"`` fits one machine on one kernel, selected by cross-validation, instead of a stack.
    max_samples : int, default=None
        Largest number of training rows. Larger tables are subsampled, stratified by class. None means all rows, or
        20 000 rows for models without approximation. Kernel and parameters are selected on at most 2000 of these rows.
        Unlabelled rows are subsampled separately with the same limit; if there are any, kernel and parameters are
        selected on at most 300 labelled and 300 unlabelled rows.
    random_state : int, RandomState instance or None, default=0
        Seed of folds, subsamples and models that use random numbers.
    n_jobs : int, default=None
        Number of threads. None means all available threads.
    scoring : str, callable or None, default=None
        Score that compares kernels, models and parameters, and weighs the members of a stack: a name of
        ``sklearn.metrics.get_scorer_names()`` or a callable ``scorer(estimator, X, y)``. None means the proper score of
        the task, the log-loss of calibrated probabilities.
    time_limit : float, default=None
        Seconds that `fit` may take. Steps that would take longer are left out, which `notes_` reports; one machine is
        always fitted. None: no limit.
    verbose : bool, default=False
        Whether progress is written to the standard error, with an estimate of the time that is left.
    class_weight : dict or "balanced", default=None
        Weights of the classes, by which sample weights are multiplied. "balanced" gives all classes the same total
        weight. Probabilities are those of the weighted samples. None: ones.
    approximation : None, "auto", int or transformer, default="auto"
        Approximation of the kernel in the final fit; the selection of kernel and parameters is exact. "auto": as that
        of the estimator, exact up to the limit of its class, otherwise landmarks. An int m: Nyström features of m
        landmarks, exact up to m rows. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its
        features. None: no approximation. Models without the parameter `approximation` are always exact.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    preparer_ : TablePreparer
        Preparer fitted to the training rows, unlabelled rows included.
    candidates_ : list of Candidate
        All kernels that were compared, with alignment, weight, score, model and parameters. For a stack, its members,
        with their weights in the stack, the largest first.
    kernel_ : Kernel
        Selected kernel on prepared data; for a stack, that of the member with the largest weight. All its parameters
        are resolved to numbers.
    positive_ : object
        Label of the positive class, for which `mercer predict` states probabilities: the rarer of two classes. None for
        several classes.
    threshold_ : Threshold or None
        Threshold that `predict` follows, set by `use_threshold`; None if it predicts as the model does.
    calibration_ : tuple of float and ndarray of shape (n_classes,), or None
        Factor and offsets of decision values in the logarithms of probabilities; None for a stack, whose members have
        calibrations of their own.
    residuals_ : None
        Not used in classification.
    model_ : estimator
        Model fitted to ``prepare(X)``, the columns that the kernel reads. If these are all numbers, they form one
        matrix and the kernel refers to columns by position.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation of the kernel that `model_` uses; None if the fit is exact.
    best_score_ : float
        Mean inner cross-validation accuracy of the selected model; for a stack, the accuracy on samples that were used
        neither to learn its kernels nor to choose among them. It is optimistically biased, because it is the maximum
        over candidates; `evaluate` returns an unbiased score by nested cross-validation.
    best_params_ : dict
        Selected model (key "model") and its parameters.
    notes_ : list of str
        Decisions taken in `fit`, one sentence each.
    rows_ : ndarray of shape (n_rows,)
        Indices of the rows on which `model_` was trained.
    draws_ : list of int
        Sizes of the random subsamples of raw rows and of prepared rows; 0 if all rows were used.
    seed_ : int
        Seed that was used; equal to `random_state` if that is an integer.
    form_ : {"whole", "table", "matrix", "codes", "graphs"}
        Form of the samples that `model_` takes. "whole" means prepared samples without change, "codes" a matrix of
        numbers and codes of categories.
    columns_ : list of str
        Names of the columns that `model_` reads; empty unless prepared samples are a table.
    names_ : list of str
        Names of all prepared columns; empty unless prepared samples are a table.
    n_features_in_ : int
        Number of columns seen in `fit`. Only defined for tables and matrices.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns seen in `fit`. Only defined if X has column names.

    See Also
    --------
    AutoRegressor : The same for numeric targets.
    TablePreparer : Preparation of raw tables on its own.
    evaluate : Unbiased score of the whole procedure by nested cross-validation.
    code : Python code that fits the selected model without the search.

    Notes
    -----
    **Stack.** Kernels exp(−(Σ w_j abs(x_j − z_j)^p + Σ w_c [x_c ≠ z_c])^g), plus small linear terms, have one weight
    per column. Weights, g and the penalty minimise the exact leave-one-out error of ridge regression on at most 700
    samples, for p = 1 and 2 and for two forms of the numbers, z-scores and normal scores of ranks. The kernels are
    ranked on other samples, and the best are fitted to all samples, in overlapping leaves of a tree above 4500 samples.
    The weights of the members are computed from predictions for samples that were used neither for the column weights
    nor for the ranking.

    **One machine.** Gram matrices are computed once. All folds, models and parameters use blocks of them, which takes
    O(m n²) memory for m kernels and n samples. The weights of the weighted sum are recomputed from the training part of
    every inner fold. The candidate with the best mean score is selected, with one exception: a single kernel is
    preferred to a sum if the difference of their scores is at most its standard error over the folds.

    With unlabelled samples, folds are made of the labelled samples, and the unlabelled samples are in every training
    part. Kernel widths are selected by score instead of alignment. The transductive SVM assigns the unlabelled samples
    to classes in the proportions of the labelled samples. If the true proportions differ, predictions can be worse than
    those of ``model="svm"``.

    References
    ----------
    * Stone, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal Statistical
      Society B 36, 1974.
    * Varma and Simon, Bias in error estimation when using cross-validation for model selection, BMC Bioinformatics 7,
      2006.
    * Cawley and Talbot, On over-fitting in model selection and subsequent selection bias in performance evaluation,
      Journal of Machine Learning Research 11, 2010.
    * Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, Journal of Machine
      Learning Research 13, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.auto import AutoClassifier
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

    Two half-moons, of which ten samples are labelled:

    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(120, noise=0.05, random_state=0)
    >>> known = np.r_[np.flatnonzero(truth == 0)[:5], np.flatnonzero(truth == 1)[:5]]
    >>> y = np.where(np.isin(np.arange(120), known), truth, np.nan)
    >>> model = AutoClassifier("rbf(gamma=4)", model="transductive").fit(X, y)
    >>> model.score(X, truth)
    1.0
    """

    _task = "classification"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "model": [StrOptions({"auto", "stack", *MODELS["classification"]})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        kernel: Any = "auto",
        model: str = "auto",
        *,
        kinds: Mapping[str, str] | None = None,
        cv: int = 5,
        simple: bool = False,
        max_samples: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        scoring: Any = None,
        time_limit: float | None = None,
        verbose: bool = False,
        class_weight: Any = None,
        approximation: Any = "auto",
    ) -> None:
        super().__init__(
            kernel,
            model,
            kinds=kinds,
            cv=cv,
            simple=simple,
            max_samples=max_samples,
            random_state=random_state,
            n_jobs=n_jobs,
            approximation=approximation,
            scoring=scoring,
            time_limit=time_limit,
            verbose=verbose,
        )
        self.class_weight = class_weight

    def _target(self, y: Any) -> Any:
        check_classes("AutoClassifier", y)
        self.classes_ = np.unique(y)
        self.threshold_: Threshold | None = None
        self.positive_ = rarer_class(y).item() if len(self.classes_) == 2 else None
        return y

    def predict(self, X: Data) -> Any:
        """Predict the classes of raw samples.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Raw samples, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted class labels; those of the threshold, if one is in use.
        """
        check_is_fitted(self)
        threshold = getattr(self, "threshold_", None)
        return self._answers(X, "predict") if threshold is None else self._decided(self.predict_proba(X), threshold)

    def _decided(self, P: Any, threshold: Threshold) -> Any:
        """Predicted classes of probabilities for a threshold of the positive class."""
        positive = int(np.flatnonzero(self.classes_ == threshold.positive)[0])
        others = P.copy()
        others[:, positive] = -1.0
        return self.classes_[np.where(P[:, positive] >= threshold.value, positive, others.argmax(axis=1))]

    def use_threshold(self, threshold: Threshold | None) -> Self:
        """Let `predict` follow a threshold of the probability of one class.

        Parameters
        ----------
        threshold : Threshold or None
            Result of `choose_threshold`. None: predictions are those of the model again.

        Returns
        -------
        self
            The classifier, with `threshold_` set. The next `fit` removes the threshold.

        Raises
        ------
        ValueError
            If the positive class of the threshold is unknown.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from mercer.auto import AutoClassifier, Threshold
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = AutoClassifier("rbf", "ridge").fit(X, y)
        >>> usual = (model.predict(X) == 0).sum()
        >>> careful = model.use_threshold(Threshold(0, 0.1, "given", 0.9, 0.99, 0.4))
        >>> bool((careful.predict(X) == 0).sum() > usual)
        True
        """
        check_is_fitted(self)
        if threshold is not None and threshold.positive not in self.classes_.tolist():
            raise ValueError(
                f"AutoClassifier: the positive class {threshold.positive!r} of the threshold is unknown; the classes "
                f"are {', '.join(map(repr, self.classes_.tolist()[:10]))}."
            )
        self.threshold_ = threshold
        if threshold is not None:
            self.positive_ = threshold.positive
        return self

    @_model_has("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Data) -> Any:
        """Decision values of raw samples. Only available if the model has a decision function.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Raw samples, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values of ``model_``; one column for two classes. Those of a stack are logarithms of probabilities,
            with two classes the log-odds of the second one.
        """
        return self._answers(X, "decision_function")

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Data) -> Any:
        """Calibrated class probabilities of raw samples. Some models in files of earlier versions have none.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Raw samples, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`. Those of a stack are calibrated by samples that did not influence
            its members. For one machine, its decision values are calibrated by the out-of-fold decision values of the
            search; `predict` follows the decision values, and may differ from the most probable class near the border.
        """
        check_is_fitted(self)
        found = getattr(self, "calibration_", None)
        if found is None:  # a stack, or a model file of an earlier version
            return self._answers(X, "predict_proba")
        return Calibration(*found).probabilities(self._in_parts(X, self._decisions))

    def _decisions(self, samples: Data) -> Any:
        return decision_scores(self.model_, samples, self.classes_)
