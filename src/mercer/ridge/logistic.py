"""Kernel logistic regression."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import _fit_context
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import (
    Approximable,
    KernelEstimator,
    Training,
    constraints,
    finite_fit,
    finite_values,
    warn_unconverged,
)
from mercer._estimator.class_weight import check_class_weight
from mercer._estimator.score import ScoredClassifier
from mercer._typing import Data, DoubleArray
from mercer.ridge.approximated import approximate_logistic
from mercer.solvers.logistic import solve_logistic

__all__ = ["KernelLogisticRegression"]


class KernelLogisticRegression(ScoredClassifier, Approximable, KernelEstimator):
    """Kernel logistic regression.

    f = Σ_i a_i k(x_i, ·) + b minimises::

        −Σ_i s_i log p(y_i given x_i) + ½ α ‖f − b‖²

    with sample weights s_i. For two classes p is the sigmoid of f, for more classes the softmax of one f per class.
    With ``kernel="linear"`` it is scikit-learn's `LogisticRegression` with C = 1/α.

    Parameters
    ----------
    alpha : float, default=1.0
        Regularisation strength α > 0. Larger values pull the probabilities towards the class frequencies.
    kernel : str, callable or Kernel, default="linear"
        Kernel function. A name such as "linear", "poly" or "rbf", completed by `gamma`, `degree` and `coef0`; a kernel
        of `mercer.kernels` or its text form, such as "0.5*rbf(gamma=0.1) + linear", with parameters of its own; a
        callable; or "precomputed", in which case X is the Gram matrix. It must be positive semidefinite.
        Names: :ref:`kernel-names`. A function is called with two samples.
    gamma : float, {"scale", "auto"} or None, default=None
        Coefficient of the kernels "rbf", "laplacian", "poly", "sigmoid" and "chi2". None uses scikit-learn's default
        for the name: 1 for "chi2", otherwise 1 / n_features. "auto" uses 1 / n_features, "scale" 1 / (n_features ·
        X.var()) with the variance weighted by `sample_weight`.
    degree : float, default=3
        Degree of the polynomial kernel "poly". Ignored by other kernels.
    coef0 : float, default=1
        Independent term of the kernels "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keyword arguments of a kernel that is passed as a callable.
    fit_intercept : bool, default=True
        Whether to fit an intercept b, which is not penalised. On the training data the weighted mean probability of
        each class is then its weighted frequency.
    class_weight : dict or "balanced", default=None
        Factors of the sample weights by class label; labels that are not in the dict have the factor 1. All factors
        must be positive. "balanced" uses W / (n_classes · W_c), where W_c is the sum of the sample weights of class c
        and W the sum over all classes. None means 1 for every class.
    tol : float, default=1e-8
        Largest norm of the gradient at which Newton's method stops, relative to Σ_i s_i ‖φ(x_i)‖.
    max_iter : int, default=100
        Largest number of Newton steps.
    n_jobs : int, default=None
        Number of threads for kernel values. None and -1 use all that are allowed.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 10 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels of the classes that have samples of positive weight, sorted.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Dual coefficients a; one column for two classes, otherwise one per class.
    intercept_ : float or ndarray of shape (n_classes,)
        Intercept b: a float for two classes, otherwise one value per class; 0.0 with ``fit_intercept=False``.
    X_fit_ : ndarray of shape (n_samples, n_features), sparse matrix, frame or list
        Training samples, or the Gram matrix with ``kernel="precomputed"``. With an approximation, its landmarks, to
        which the dual coefficients belong; None for random features.
    kernel_ : Kernel or None
        Kernel with the numerical values of all parameters. None with ``kernel="precomputed"``.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    solution_ : mercer.solvers.Solution
        Certificate: objective, duality gap, relative norm of the gradient (``violation``), status and iterations.
    n_iter_ : int
        Number of Newton steps, at least 1.
    n_features_in_ : int
        Number of features seen during `fit`. Set only if X is a matrix or a frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    KernelRidgeClassifier : Kernel classifier from one linear system, without probabilities.
    mercer.svm.SVC : Kernel classifier with sparse coefficients, without probabilities.

    Notes
    -----
    A Newton step takes n³/3 operations for two classes. For more classes it takes O(n r²) operations if K has rank r,
    after one decomposition in O(n³). About ten steps suffice. Memory is two n × n matrices. With an approximation by r
    features, a step takes O(n r²) operations, and memory is the n × r features, in float32 if they do not fit in
    float64.

    The penalty keeps f finite if the classes are separable. The duality gap bounds the distance to the optimum f*:
    ½α‖f − f*‖² ≤ gap.

    References
    ----------
    * Zhu, Hastie, *Kernel logistic regression and the import vector machine*, Journal of Computational and Graphical
      Statistics 14, 2005.
    * Jaakkola, Haussler, *Probabilistic kernel regression models*, AISTATS 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.ridge import KernelLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "inside", "outside")
    >>> model = KernelLogisticRegression(kernel="rbf", gamma=1.0, alpha=0.1).fit(X, y)
    >>> model.predict([[0.0, 0.0], [2.0, 0.0]]).tolist(), model.predict_proba([[0.0, 0.0]]).round(3)
    (['inside', 'outside'], array([[0.997, 0.003]]))

    The mean probability of a class on the training data is its frequency:

    >>> model.predict_proba(X).mean(axis=0).round(6), float(np.mean(y == "inside"))
    (array([0.3625, 0.6375]), 0.3625)
    """

    _functions = "pair"
    _fits_blocks = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "kernel_params",
        "fit_intercept",
        "max_iter",
        "class_weight",
        "approximation",
        alpha=[Interval(Real, 0, None, closed="neither")],
        tol=[Interval(Real, 0, None, closed="neither")],
    )

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-8,
        max_iter: int = 100,
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.approximation = approximation

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the classifier to the training data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or Gram matrix
            Training samples, in a form that the kernel reads. With ``kernel="precomputed"`` the Gram matrix of shape
            (n_samples, n_samples).
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : array-like of shape (n_samples,), default=None
            Class labels. None: those of the blocks of X.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights s of the log losses. Integer weights are equivalent to repeating the samples; samples of weight zero
            are ignored. None means 1 for every sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, y = self._training(X, y, sample_weight)
        check_classification_targets(y)
        return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        T, weight = self._targets(y, training)
        two = len(self.classes_) == 2
        T = T[:, 1:] if two else T
        options: dict[str, Any] = {"intercept": self.fit_intercept, "tol": self.tol, "max_iter": self.max_iter}
        approximation = self._approximated(training)
        if approximation is None:
            answer = solve_logistic(training.K, T, self.alpha, weight=weight, **options)
            coef = training.basis.fold(answer.coef)
        else:
            answer = approximate_logistic(approximation, T, self.alpha, weight=weight, **options)
            coef = answer.coef
        self.dual_coef_ = coef[:, 0] if two else coef
        self.intercept_: Any = 0.0
        if self.fit_intercept:
            self.intercept_ = float(answer.intercept[0]) if two else answer.intercept
        self.solution_ = answer.solution
        self.n_iter_ = max(1, answer.solution.n_iter)
        self._remember(training, approximation)
        who = type(self).__name__
        text = (
            f"{who}: the relative gradient is {self.solution_.violation:.2g} after {self.n_iter_} Newton steps "
            f"(max_iter={self.max_iter}), more than tol={self.tol:g}; increase max_iter, alpha or tol, or scale the "
            "features."
        )
        warn_unconverged(self, text)
        return self

    def _targets(self, y: Any, training: Training) -> tuple[DoubleArray, DoubleArray]:
        """One indicator column per class with samples of positive weight, and sample weights times class weights."""
        self.classes_ = np.unique(y[training.kept])
        if len(self.classes_) < 2:
            raise ValueError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{self.classes_[0]!r}"
            )
        T = (y[:, None] == self.classes_).astype(np.float64)
        mass = training.weight @ T
        check_class_weight(self)
        if self.class_weight is None:
            factor = np.ones(len(mass))
        elif isinstance(self.class_weight, str):
            factor = mass.sum() / (len(mass) * mass)
        else:
            factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y[training.kept])
        if not (np.isfinite(factor) & (factor > 0)).all():
            raise ValueError(
                f"{type(self).__name__}: class_weight must be positive for every class, got {self.class_weight!r}; "
                "remove the samples of classes that are to be ignored."
            )
        return T, training.weight * (T @ factor)

    # ---- prediction

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """Decision values of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the log odds of ``classes_[1]``; otherwise the input of the softmax, one value per class.
        """
        check_is_fitted(self)
        return np.asarray(self._against(X) @ self.dual_coef_ + self.intercept_)

    def predict(self, X: Data) -> Any:
        """Predict the most probable class of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        f = self.decision_function(X)
        return self.classes_[(f > 0).astype(np.intp) if f.ndim == 1 else f.argmax(axis=1)]

    def predict_proba(self, X: Data) -> DoubleArray:
        """Predict class probabilities of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities of the classes in the order of ``classes_``.
        """
        f = self.decision_function(X)
        return np.asarray(np.column_stack([expit(-f), expit(f)]) if f.ndim == 1 else softmax(f, axis=1))

    def predict_log_proba(self, X: Data) -> DoubleArray:
        """Predict logarithms of the class probabilities, computed without underflow.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log probabilities of the classes in the order of ``classes_``.
        """
        f = self.decision_function(X)
        return np.asarray(np.column_stack([log_expit(-f), log_expit(f)]) if f.ndim == 1 else log_softmax(f, axis=1))
