"""Automatic regressor for raw tables."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from mercer._estimator.score import ScoredRegressor
from mercer._typing import Data
from mercer.auto.base import CONSTRAINTS, Auto
from mercer.auto.models import MODELS
from mercer.auto.task import check_numbers

__all__ = ["AutoRegressor"]


def _has_intervals(estimator: Any) -> bool:
    """Whether out-of-fold errors are known; models in files of earlier versions may have none."""
    if not hasattr(estimator, "model_"):
        return True
    return hasattr(estimator.model_, "interval_width") or getattr(estimator, "residuals_", None) is not None


class AutoRegressor(ScoredRegressor, Auto):
    """Regressor for raw tables that selects kernel, model and parameters by cross-validation.

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
    model : {"auto", "stack", "ridge", "svm", "knn"}, default="auto"
        Model to fit:

        - "stack": several ridge regressions on kernels with learned column weights, for tables of numbers and
          categories
        - "ridge": `mercer.ridge.KernelRidge`
        - "svm": `mercer.svm.SVR`
        - "knn": `mercer.neighbors.KernelKNeighborsRegressor`
        - "auto": "stack" for 30 to 100 000 samples of at most 300 numbers and categories, with ``kernel="auto"``.
          Otherwise it compares "ridge" and "svm" up to 2000 samples, and uses "ridge" for more samples.
    kinds : dict of str to str, default=None
        Kinds of some columns by name, see `TablePreparer`. Other kinds are inferred.
    cv : int, default=5
        Number of inner folds, at least 2. It is reduced if there are fewer than two samples per fold.
    simple : bool, default=False
        Whether ``model="auto"`` fits one machine on one kernel, selected by cross-validation, instead of a stack.
    max_samples : int, default=None
        Largest number of training rows. Larger tables are subsampled at random. None means all rows, or 20 000 rows for
        models without approximation. Kernel and parameters are selected on at most 2000 of these rows.
    random_state : int, RandomState instance or None, default=0
        Seed of folds and subsamples.
    n_jobs : int, default=None
        Number of threads. None means all available threads.
    scoring : str, callable or None, default=None
        Score that compares kernels, models and parameters, and weighs the members of a stack: a name of
        ``sklearn.metrics.get_scorer_names()`` or a callable ``scorer(estimator, X, y)``. None means the proper score of
        the task, the squared error.
    time_limit : float, default=None
        Seconds that `fit` may take. Steps that would take longer are left out, which `notes_` reports; one machine is
        always fitted. None: no limit.
    verbose : bool, default=False
        Whether progress is written to the standard error, with an estimate of the time that is left.
    approximation : None, "auto", int or transformer, default="auto"
        Approximation of the kernel in the final fit; the selection of kernel and parameters is exact. "auto": as that
        of the estimator, exact up to the limit of its class, otherwise landmarks. An int m: Nyström features of m
        landmarks, exact up to m rows. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its
        features. None: no approximation. Models without the parameter `approximation` are always exact.

    Attributes
    ----------
    preparer_ : TablePreparer
        Preparer fitted to the training rows.
    candidates_ : list of Candidate
        All kernels that were compared, with alignment, weight, score, model and parameters. For a stack, its members,
        with their weights in the stack, the largest first.
    kernel_ : Kernel
        Selected kernel on prepared data; for a stack, that of the member with the largest weight. All its parameters
        are resolved to numbers.
    calibration_ : None
        Not used in regression.
    model_ : estimator
        Model fitted to ``prepare(X)``, the columns that the kernel reads. If these are all numbers, they form one
        matrix and the kernel refers to columns by position.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation of the kernel that `model_` uses; None if the fit is exact.
    best_score_ : float
        Mean inner cross-validation R² of the selected model; for a stack, R² on samples that were used neither to
        learn its kernels nor to choose among them. It is optimistically biased, because it is the maximum over
        candidates; `evaluate` returns an unbiased score by nested cross-validation.
    best_params_ : dict
        Selected model (key "model") and its parameters.
    residuals_ : ndarray or None
        Sorted absolute out-of-fold errors of the selected model, for `predict_interval`. None for a stack, which has
        its own.
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
    AutoClassifier : The same for classes.
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
    >>> from mercer.auto import AutoRegressor
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(100, 2))
    >>> y = np.sin(X[:, 0]) + X[:, 1]
    >>> model = AutoRegressor(model="ridge").fit(X, y)
    >>> print(model.kernel_)
    rbf(gamma=0.25)
    >>> model.predict([[0.0, 1.0], [1.5, 0.0]]).round(2)
    array([1., 1.])
    """

    _task = "regression"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "model": [StrOptions({"auto", "stack", *MODELS["regression"]})],
    }

    def _target(self, y: Any) -> Any:
        return check_numbers("AutoRegressor", y)

    @available_if(_has_intervals)  # type: ignore[untyped-decorator]
    def predict_interval(self, X: Data, coverage: float = 0.9) -> Any:
        """Prediction intervals of raw samples.

        Their width is a quantile of the absolute out-of-fold errors, with the correction of split conformal prediction
        for their number. Some models in files of earlier versions have no intervals.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Raw samples, with the columns seen in `fit`.
        coverage : float, default=0.9
            Share of the targets of new samples that the intervals contain, if these are distributed as the training
            samples. It is met on average over samples, not for every kind of sample: all intervals have the same width.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Lower and upper ends.

        Raises
        ------
        ValueError
            If `coverage` is not between 0 and 1.
        """
        if not 0 < coverage < 1:
            raise ValueError(f"{type(self).__name__}: coverage must be between 0 and 1, got {coverage!r}.")
        values = self.predict(X)
        if hasattr(self.model_, "interval_width"):
            half = self.model_.interval_width(coverage)
        else:
            errors: Any = self.residuals_
            m = len(errors)
            half = errors[min(m, int(np.ceil((m + 1) * coverage))) - 1]
        return np.column_stack([values - half, values + half])
