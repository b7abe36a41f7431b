"""Support vector regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import _fit_context

from mercer._estimator import finite_fit
from mercer._estimator.progress import fit_progress
from mercer._estimator.score import ScoredRegressor
from mercer._typing import Data, DoubleArray
from mercer.solvers import Dual, DualSolution
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.approximated import ApproximableMachine
from mercer.svm.base import Training
from mercer.svm.single import SingleMachine

__all__ = ["SVR", "Regressor"]


class Regressor(ScoredRegressor, SingleMachine):
    """Base class of `SVR` and `NuSVR`: validation and prediction."""

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the regression function f(x) = Σ_i β_i k(x_i, x) + b.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or Gram matrix
            Training samples, in a form that the kernel reads. With ``kernel="precomputed"`` the Gram matrix of shape
            (n_samples, n_samples).
            With an approximation also a `mercer.data.BlockSource`, which is read in passes.
            `mercer.data.Checkpointed` around it continues the fit after an interruption.
        y : array-like of shape (n_samples,), default=None
            Targets. None: those of the blocks of X.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, which multiply C. Integer weights are equivalent to repeating the samples. Samples whose
            weight is zero or negative are ignored. None means 1 for every sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        training, y = self._training(X, y, sample_weight, numeric=True)
        with fit_progress(self, None, X=X, y=y, sample_weight=sample_weight) as training.report:
            return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        self._fit_single(training, np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: Data) -> DoubleArray:
        """Predict the targets of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,)
            Predictions f(x) in float64. They do not depend on how the samples are divided into calls, up to rounding.
        """
        return self._values(X)


class SVR(ApproximableMachine, Regressor):
    """ε-support vector regression.

    Errors up to ε are not penalised, larger ones linearly. The dual problem, with one signed coefficient per sample and
    sample weights w_i, is::

        min  ½ βᵀKβ − yᵀβ + ε‖β‖₁    subject to    −C w_i ≤ β_i ≤ C w_i,   Σ_i β_i = 0

    The prediction is f(x) = Σ_i β_i k(x_i, x) + b.

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        Kernel function. A name such as "linear", "poly", "rbf" or "sigmoid", completed by `degree`, `gamma` and
        `coef0`; a kernel of `mercer.kernels` or its text form, such as "0.5*rbf(gamma=0.1) + linear", with parameters
        of its own; a callable; or "precomputed", in which case X is the Gram matrix.
        Names: :ref:`kernel-names`. A function is called with two sets of samples.
    degree : int, default=3
        Degree of the polynomial kernel "poly". Ignored by other kernels.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the kernels "rbf", "poly" and "sigmoid". "scale" uses 1 / (n_features · X.var()), with the
        variance weighted by `sample_weight`; "auto" uses 1 / n_features.
    coef0 : float, default=0.0
        Independent term of the kernels "poly" and "sigmoid".
    tol : float, default=1e-3
        Tolerance of the stopping criterion: the largest accepted violation of the optimality (KKT) conditions,
        evaluated on the full gradient in float64. With an approximation, the largest relative duality gap; values above
        0.1 count as 0.1.
    C : float, default=1.0
        Regularisation parameter: the penalty of errors beyond ε. Smaller values regularise more strongly. ``np.inf``
        allows no such error, and `fit` raises ValueError if no function of this kernel stays within ε of the targets.
        It must be finite with an approximation.
    epsilon : float, default=0.1
        Half the width ε of the tube: errors up to ε are not penalised.
    shrinking : bool, default=True
        Whether the solver temporarily leaves out variables that are expected to stay at their bounds. It affects the
        training time, not the solution.
    cache_size : float, default=200
        Size of the kernel cache in megabytes.
    verbose : bool, default=False
        Whether to print the certificate to standard output after the fit.
    max_iter : int, default=-1
        Largest number of pair steps of the solver. -1 means max(10⁷, 1000 · n_samples), a safety limit. With an
        approximation, the largest number of passes over the samples, where -1 means 10 000.
    polish : bool or "auto", default="auto"
        Whether to end the fit by solving the linear system of the free coefficients, those strictly between their
        bounds, to rounding accuracy. "auto" does so if there are at most 2000 of them.
    warm_start : bool, default=False
        Whether `fit` starts from the coefficients of the previous fit, clipped to the new bounds, if the number of
        samples is unchanged. It has no effect with ``C=np.inf``. With an approximation, True also stores the dual
        coefficients of the samples.
    n_jobs : int, default=None
        Number of threads. None and -1 use all that are allowed.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 30 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    support_ : ndarray of int32 of shape (n_SV,)
        Indices of the support vectors, ascending. With an approximation, indices of the landmarks in the order of
        selection, empty if they were given or features are random.
    support_vectors_ : ndarray of shape (n_SV, n_features), sparse matrix, frame or list
        Support vectors, in the form of the training data. Empty with ``kernel="precomputed"``. With an approximation,
        its landmarks; None for random features.
    n_support_ : ndarray of int32 of shape (1,)
        Number of support vectors. With an approximation, number of samples with a nonzero dual coefficient.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_SV)
        Coefficients β_i of the support vectors. With an approximation, coefficients of the landmarks or random
        features.
    intercept_ : ndarray of shape (1,)
        Intercept b.
    coef_ : ndarray or CSR matrix of shape (1, n_features)
        Primal coefficients w. Only available with a linear kernel.
    n_iter_ : int
        Pair steps of the solver, or passes over the samples with an approximation, at least 1.
    fit_status_ : int
        0 if the solver converged, 1 otherwise.
    shape_fit_ : tuple of int
        Shape of the training data.
    kernel_ : Kernel or None
        Kernel with the numerical values of all parameters. None with ``kernel="precomputed"``.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    solution_ : mercer.solvers.Solution
        Certificate: dual objective, duality gap, KKT violation, status and iterations.
    n_features_in_ : int
        Number of features seen during `fit`. Set only if X is a matrix or a frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    NuSVR : Regression that finds the width of the tube from ν.
    c_path : Fits for many values of C on one Gram matrix.
    mercer.ridge.KernelRidge : Regression with squared errors, in closed form.

    Notes
    -----
    Training evaluates between O(n) and O(n²) kernel values; prediction evaluates one per support vector. Memory is
    `cache_size`, the data and O(n). The problem has n variables instead of the usual 2n.

    With an approximation of m features, the problem is solved by coordinate descent on the features, which take 4nm
    bytes and O(nm²) operations. `shrinking`, `cache_size` and `polish` have no effect. Dask collections are fitted in
    passes that return sums, see :ref:`dask`.

    References
    ----------
    * Drucker, Burges, Kaufman, Smola, Vapnik, *Support vector regression machines*, NIPS 9, 1996.
    * Smola, Schölkopf, *A tutorial on support vector regression*, Statistics and Computing 14, 2004.
    * Platt, *Fast training of support vector machines using sequential minimal optimization*, in Advances in Kernel
      Methods, 1999.
    * Fan, Chen, Lin, *Working set selection using second order information for training support vector machines*, JMLR
      6, 2005.

    Examples
    --------
    All errors are within the tube of half width 0.01, up to `tol`:

    >>> import numpy as np
    >>> from mercer.svm import SVR
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = SVR(C=100.0, epsilon=0.01).fit(X, np.sin(X[:, 0]))
    >>> round(float(abs(model.predict(X) - np.sin(X[:, 0])).max()), 3), len(model.support_)
    (0.01, 8)
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        polish: bool | str = "auto",
        warm_start: bool = False,
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.polish = polish
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.approximation = approximation

    def _problem(self, training: Training, y: DoubleArray) -> Dual:
        bound = self.C * training.weight[training.kept]
        return formulation.regression(
            training.kept, y[training.kept], bound, self.epsilon, self._start(training, bound)
        )

    def _answer(self, training: Training, y: DoubleArray) -> tuple[Dual, DualSolution]:
        if np.isfinite(self.C):
            return super()._answer(training, y)
        # A bound that no coefficient reaches has no effect. Larger bounds reduce the errors where that is possible.
        source, target = training.K.row_source(self.cache_size), y[training.kept]
        unit = float(np.ptp(target)) / (float(np.abs(training.diagonal).max()) or 1.0) or 1.0
        start, last = None, np.inf
        for power in range(2, 11):
            bound = np.full(len(target), unit * 10**power)
            problem = formulation.regression(training.kept, target, bound, self.epsilon, start)
            (answer,) = self._solve(source, [problem], training)
            if np.abs(answer.beta).max() < bound[0] or not answer.solution.converged:
                return problem, answer
            error = float(np.abs(answer.gradient + answer.bias[0]).max()) - self.epsilon
            if error > 0.5 * last:
                break
            start, last = answer.beta, error
        raise ValueError(
            f"SVR: C=inf requests errors of at most epsilon={self.epsilon}, but no function of this kernel satisfies "
            "that; use a finite C, a larger epsilon or a richer kernel."
        )

    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:  # noqa: ARG002
        return formulation.expansion(problem, answer)
