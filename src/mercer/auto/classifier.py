"""Automatic classifier for raw tables."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from mercer._typing import Data
from mercer.auto.base import CONSTRAINTS, Auto
from mercer.auto.models import MODELS
from mercer.auto.task import check_classes

__all__ = ["AutoClassifier"]


def _model_has(name: str) -> Any:
    """Make a method available only if the fitted model has it, or else the requested one may have it."""

    def check(estimator: Any) -> bool:
        if hasattr(estimator, "model_"):
            return hasattr(estimator.model_, name)
        asked = MODELS["classification"].get(estimator.model)
        return asked is None or hasattr(asked.estimator, name)  # "auto" decides in fit

    return available_if(check)


class AutoClassifier(ClassifierMixin, Auto):  # type: ignore[misc]
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
        Number of inner folds, at least 2. It is reduced to the size of the smallest class with two or more samples. A
        class with one sample stays in every training part and is not scored.
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
    model_ : estimator
        Model fitted to ``prepare(X)``, the columns that the kernel reads. If these are all numbers, they form one
        matrix and the kernel refers to columns by position.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation of the kernel that `model_` uses; None if the fit is exact.
    best_score_ : float
        Mean inner cross-validation accuracy of the selected model; for a stack, the accuracy on samples that taught
        neither its kernels nor the choice among them. It is optimistically biased, because it is the
        maximum over candidates; `evaluate` returns an unbiased score by nested cross-validation.
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
    The members are weighted by predictions for samples that taught neither weights nor ranking.

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
    }

    def _target(self, y: Any) -> Any:
        check_classes("AutoClassifier", y)
        self.classes_ = np.unique(y)
        return y

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

    @_model_has("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Data) -> Any:
        """Class probabilities of raw samples. Only available if the model computes them.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Raw samples, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of `classes_`.
        """
        return self._answers(X, "predict_proba")
