"""Classification by kernel ridge regression."""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from mercer._estimator import Approximation, Sums, Training, constraints
from mercer._estimator.class_weight import check_class_weight
from mercer._estimator.incremental import encoded, is_approximated, known_classes
from mercer._estimator.progress import CallbackSupport, fit_progress
from mercer._estimator.score import ScoredClassifier
from mercer._estimator.transaction import transaction
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.ridge.base import CONSTRAINTS
from mercer.ridge.incremental import IncrementalRidge

__all__ = ["KernelRidgeClassifier"]


class KernelRidgeClassifier(ScoredClassifier, IncrementalRidge, CallbackSupport):  # type: ignore[misc]
    """Classification by kernel ridge regression, also known as least-squares SVM.

    The target of each class is +1 for its samples and −1 for all others; two classes share one target. `KernelRidge` is
    fitted to these targets, and the class with the largest value is predicted. The matrix is factored once for all
    targets::

        (K + α diag(1/s)) c + b1 = y,  Σ_i c_i = 0,    y_i = ±1

    Parameters
    ----------
    alpha : float, default=1.0
        Regularisation strength α ≥ 0. Larger values regularise more strongly.
    kernel : str, callable or Kernel, default="rbf"
        Kernel function. A name such as "linear", "poly" or "rbf", completed by `gamma`, `degree` and `coef0`; a kernel
        of `mercer.kernels` or its text form, such as "0.5*rbf(gamma=0.1) + linear", with parameters of its own; a
        callable; or "precomputed", in which case X is the Gram matrix.
        Names: :ref:`kernel-names`. A function is called with two samples.
    gamma : float, {"scale", "auto"} or None, default="scale"
        Coefficient of the kernels "rbf", "poly" and "sigmoid". "scale" uses 1 / (n_features · X.var()) with the
        variance weighted by `sample_weight`; "auto" and None use 1 / n_features.
    degree : float, default=3
        Degree of the polynomial kernel "poly". Ignored by other kernels.
    coef0 : float, default=0.0
        Independent term of the kernels "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keyword arguments of a kernel that is passed as a callable.
    fit_intercept : bool, default=True
        Whether to fit an intercept b, which is not penalised. Otherwise b = 0.
    class_weight : dict or "balanced", default=None
        Factors of the sample weights by class label; labels that are not in the dict have the factor 1. "balanced" uses
        W / (n_classes · W_c), where W_c is the sum of the sample weights of class c and W the sum over all classes.
        None means 1 for every class.
    solver : {"auto", "cholesky", "mixed", "cg"}, default="auto"
        Method for the linear system. "cholesky" factors the matrix in float64, with one matrix in memory. "mixed" uses
        a factor in float32 as preconditioner of conjugate gradients in float64; it is as accurate, takes about half the
        time and the memory of 1.5 matrices. "cg" uses preconditioned conjugate gradients without storing the matrix.
        "auto" chooses with `mercer.solvers.choose_method`: "cg" if the matrix does not fit into memory.
    tol : float, default=1e-10
        Largest relative residual of the linear system, if rounding allows it.
    max_iter : int, default=None
        Largest number of products with the kernel matrix for ``solver="cg"``. None means 1000.
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
        Class labels, sorted.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Dual coefficients c; one column for two classes, otherwise one per class.
    intercept_ : float or ndarray of shape (n_classes,)
        Intercept b: a float for two classes, otherwise one value per class.
    X_fit_ : ndarray of shape (n_samples, n_features), sparse matrix, frame or list
        Training samples, or the Gram matrix with ``kernel="precomputed"``. With an approximation, its landmarks, to
        which the dual coefficients belong; None for random features.
    kernel_ : Kernel or None
        Kernel with the numerical values of all parameters. None with ``kernel="precomputed"``.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    solution_ : mercer.solvers.Solution
        Certificate: objective, gap, relative residual (``violation``), status and iterations.
    n_iter_ : int
        Number of products with the kernel matrix, at least 1.
    n_features_in_ : int
        Number of features seen during `fit`. Set only if X is a matrix or a frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    KernelRidge : Regression with the same linear system.
    KernelLogisticRegression : Kernel classifier with probabilities.
    mercer.svm.SVC : Classifier with the hinge loss and sparse coefficients.

    Notes
    -----
    Costs are those of `KernelRidge`, plus O(n²) for each class. The decision values are not probabilities: they
    estimate 2 P(class given x) − 1, but are not confined to [−1, 1].

    References
    ----------
    * Suykens, Vandewalle, *Least squares support vector machine classifiers*, Neural Processing Letters 9, 1999.
    * Rifkin, Yeo, Poggio, *Regularized least-squares classification*, in Advances in Learning Theory, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer.ridge import KernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelRidgeClassifier(alpha=0.1).fit(X, y)
    >>> round(model.score(X, y), 3), model.decision_function(X[:1]).round(3)
    (0.987, array([[ 1.061, -1.078, -0.983]]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "alpha": CONSTRAINTS["alpha"][:1],
        **constraints("class_weight", "approximation"),
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str = "auto",
        tol: float = 1e-10,
        max_iter: int | None = None,
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
        self.solver = solver
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
            Weights of the squared errors. Integer weights are equivalent to repeating the samples. None means 1 for
            every sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, y = self._training(X, y, sample_weight)
        check_classification_targets(y)
        with fit_progress(self, None, X=X, y=y, sample_weight=sample_weight) as training.report:
            return self._fit_training(training, y)

    @available_if(is_approximated)  # type: ignore[untyped-decorator]
    @transaction
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Data, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add samples to the model.

        The first call resolves the kernel and fixes the classes and landmarks or random features. After any number of
        calls, the model equals that of one fit to all samples with these features. The sums that later calls add to are
        stored with the model. Exists only with an approximation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), frame or BlockSource
            Further training samples, with the columns of the first call.
        y : array-like of shape (n_samples,), default=None
            Class labels. None: those of the blocks of X.
        classes : array-like of shape (n_classes,), default=None
            All class labels. Required in the first call; later calls need not repeat it.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples. None means 1 for every sample.

        Returns
        -------
        self
            Estimator fitted to all samples so far.

        Raises
        ------
        ValueError
            If ``class_weight="balanced"``, for which the sizes of the classes must be known in advance, or if y
            contains labels that are not among the classes.

        Notes
        -----
        A call takes O(n_samples · m²) for m features, and O(m³) for the solution. Its certificate does not bound the
        error of the approximation: ``solution_.exact_gap`` is NaN.
        """
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"KernelRidgeClassifier: class_weight={self.class_weight!r} needs the sizes of all classes, which "
                "partial_fit does not know in advance; pass a dict of class weights."
            )
        self.classes_ = known_classes(self, classes)
        return self._partial_fit(X, y, sample_weight)

    def _batch(self, training: Training, y: Any) -> tuple[Training, DoubleArray]:
        check_classification_targets(y)
        label = encoded(type(self).__name__, self.classes_, y)
        training = self._weigh_classes(training, self.classes_, label)  # some classes may be missing in y
        return training, self._sides(label)

    def _sides(self, label: IndexArray) -> DoubleArray:
        """Targets ±1 of numbered classes, of shape (n, 1) for two classes and (n, n_classes) for more."""
        several = np.arange(len(self.classes_)) if len(self.classes_) > 2 else np.array([1])
        return np.where(label[:, None] == several, 1.0, -1.0)

    def _from_sums(self, training: Training, approximation: Approximation, sums: Sums, *, single: bool) -> None:  # noqa: ARG002
        super()._from_sums(training, approximation, sums, single=len(self.classes_) == 2)

    def _targets(self, training: Training, y: Any) -> tuple[Training, DoubleArray, bool]:
        """Targets ±1 for each class; two classes share one target."""
        self.classes_, label = np.unique(y, return_inverse=True)
        training = self._weigh_classes(training, y, label)
        present = self.classes_[np.unique(label[training.weight > 0])]
        if len(present) < 2:
            raise ValueError(
                "KernelRidgeClassifier: y needs samples of at least two classes with positive weights, got "
                f"{len(present)} class: {present.tolist()}."
            )
        return training, self._sides(label), len(self.classes_) == 2

    def _weigh_classes(self, training: Training, y: Any, label: IndexArray) -> Training:
        """Multiply sample weights by class weights; "balanced" counts weights, not samples."""
        check_class_weight(self)
        if self.class_weight is None:
            return training
        if isinstance(self.class_weight, str):
            mass = np.bincount(label, weights=training.weight, minlength=len(self.classes_))
            factor = mass.sum() / ((mass > 0).sum() * np.where(mass > 0, mass, 1.0))
        else:
            factor = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
        return replace(training, weight=training.weight * factor[label], weighted=True)

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
            For two classes f(x), positive for ``classes_[1]``; otherwise one value per class.
        """
        return self._values(X)

    def predict(self, X: Data) -> Any:
        """Predict the class with the largest decision value.

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
        values = self._values(X)
        chosen = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp)
        return self.classes_[chosen]
