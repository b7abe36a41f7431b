"""Kernel ridge regression."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, _fit_context
from sklearn.utils.metaestimators import available_if

from mercer._estimator import Training, constraints
from mercer._estimator.incremental import is_approximated
from mercer._estimator.progress import CallbackSupport, fit_progress
from mercer._estimator.score import ScoredRegressor
from mercer._estimator.transaction import transaction
from mercer._typing import Data, DoubleArray
from mercer.ridge.base import CONSTRAINTS
from mercer.ridge.incremental import IncrementalRidge

__all__ = ["KernelRidge"]


class KernelRidge(MultiOutputMixin, ScoredRegressor, IncrementalRidge, CallbackSupport):  # type: ignore[misc]
    """Kernel ridge regression.

    The function f(x) = Σ_i c_i k(x_i, x) + b minimises::

        Σ_i s_i (y_i − f(x_i))² + α ‖f − b‖²

    with sample weights s_i. The coefficients solve the linear system::

        (K + α diag(1/s)) c = y                      without intercept, b = 0
        (K + α diag(1/s)) c + b1 = y,  Σ_i c_i = 0   with intercept

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1
        Regularisation strength α ≥ 0, one value for all targets or one per target. Larger values regularise more
        strongly.
    kernel : str, callable or Kernel, default="linear"
        Kernel function. A name such as "linear", "poly" or "rbf", completed by `gamma`, `degree` and `coef0`; a kernel
        of `mercer.kernels` or its text form, such as "0.5*rbf(gamma=0.1) + linear", with parameters of its own; a
        callable; or "precomputed", in which case X is the Gram matrix.
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
    fit_intercept : bool, default=False
        Whether to fit an intercept b, which is not penalised. Otherwise b = 0.
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
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual coefficients c.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept b, zero with ``fit_intercept=False``.
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
    KernelRidgeCV : Kernel ridge regression with built-in choice of alpha.
    KernelRidgeClassifier : Classification by kernel ridge regression.
    Ridge : Linear ridge regression in primal and dual form.
    mercer.svm.SVR : Regression with the ε-insensitive loss and sparse coefficients.

    Notes
    -----
    The factorisation takes n³/3 operations and O(n²) memory. ``solver="cg"`` evaluates O(n²) kernel values per product
    and stores 10√n columns, at least 500 and at most 2000. Prediction evaluates one kernel value per training sample.

    If K + α diag(1/s) is singular, the solution of least norm is returned, with a ConvergenceWarning.

    References
    ----------
    * Saunders, Gammerman, Vovk, *Ridge regression learning algorithm in dual variables*, ICML 1998.
    * Hoerl, Kennard, *Ridge regression: Biased estimation for nonorthogonal problems*, Technometrics 12, 1970.
    * Díaz, Epperly, Frangella, Tropp, Webber, *Robust, randomized preconditioning for kernel ridge regression*,
      arXiv:2304.12465, 2023.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.ridge import KernelRidge
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> model = KernelRidge(alpha=0.01, kernel="rbf", gamma=1.0).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.0], [4.0]]).round(3), round(model.score(X, np.sin(X[:, 0])), 5)
    (array([ 0.842, -0.756]), 0.99997)

    With the linear kernel and an intercept the predictions are those of `Ridge`:

    >>> from mercer.ridge import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    >>> dual, primal = KernelRidge(kernel="linear", fit_intercept=True).fit(X, y), Ridge().fit(X, y)
    >>> dual.predict(X[:2]).round(6), primal.predict(X[:2]).round(6)
    (array([-0.034011,  0.012613]), array([-0.034011,  0.012613]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS | constraints("approximation")

    def __init__(
        self,
        alpha: Any = 1,
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = False,
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
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.approximation = approximation

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the regression function to the training data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or Gram matrix
            Training samples, in a form that the kernel reads. With ``kernel="precomputed"`` the Gram matrix of shape
            (n_samples, n_samples).
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Targets. None: those of the blocks of X.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights s of the squared errors. Integer weights are equivalent to repeating the samples. None means 1 for
            every sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, y = self._training(X, y, sample_weight, numeric=True, multi_output=True)
        with fit_progress(self, None, X=X, y=y, sample_weight=sample_weight) as training.report:
            return self._fit_training(training, y)

    @available_if(is_approximated)  # type: ignore[untyped-decorator]
    @transaction
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:
        """Add samples to the model.

        The first call resolves the kernel and fixes landmarks or random features. After any number of calls, the model
        equals that of one fit to all samples with these features. The sums that later calls add to are stored with the
        model. Exists only with an approximation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), frame or BlockSource
            Further training samples, with the columns of the first call.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Targets. None: those of the blocks of X.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of the samples. None means 1 for every sample.

        Returns
        -------
        self
            Estimator fitted to all samples so far.

        Notes
        -----
        A call takes O(n_samples · m²) for m features, and O(m³) for the solution. Its certificate does not bound the
        error of the approximation: ``solution_.exact_gap`` is NaN.
        """
        return self._partial_fit(X, y, sample_weight, numeric=True, multi_output=True)

    def _batch(self, training: Training, y: Any) -> tuple[Training, DoubleArray]:
        training, Y, _ = self._targets(training, y)
        return training, Y

    def _targets(self, training: Training, y: Any) -> tuple[Training, DoubleArray, bool]:
        return training, np.asarray(y, dtype=np.float64).reshape(training.n, -1), y.ndim == 1

    def predict(self, X: Data) -> DoubleArray:
        """Predict the targets of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions f(x) in float64. They do not depend on how the samples are divided into calls, up to rounding.
        """
        return self._values(X)
