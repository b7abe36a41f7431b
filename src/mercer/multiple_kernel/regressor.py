"""Multiple kernel learning for regression."""

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, _fit_context
from sklearn.utils._param_validation import Interval

from mercer._estimator import Training
from mercer._estimator.score import ScoredRegressor
from mercer._typing import Data, DoubleArray
from mercer.multiple_kernel.base import MultipleKernel, inner_solution
from mercer.multiple_kernel.landmarks import WeightedFeatures
from mercer.multiple_kernel.views import Views
from mercer.operators import GramOperator
from mercer.ridge import KernelRidge
from mercer.solvers.kernel_weights import InnerSolution
from mercer.solvers.solution import Solution

__all__ = ["MKLRegressor"]


class MKLRegressor(MultiOutputMixin, ScoredRegressor, MultipleKernel):  # type: ignore[misc]
    r"""Multiple kernel learning for regression.

    Kernel ridge regression with the kernel Σ_m d_m k_m, whose weights d ≥ 0 are learned together with the regression.
    With ``method="lp"``, ½‖w‖² + 1/(2α) Σ(y − f)² is minimised over f and over the weights subject to ‖d‖_p ≤ 1; for
    several targets, the sum over the targets. p = 1 gives sparse weights, and p = ∞ gives the unweighted sum.

    Parameters
    ----------
    kernels : "auto", "precomputed", list of Kernel or str, or Sum, default="auto"
        Kernels k_m or their text forms (see :ref:`kernel-names`), as in `MKLClassifier`.
    method : {"lp", "alignf", "align", "uniform"}, default="lp"
        Method that learns the weights. "lp": minimum of the ridge objective. "alignf": centred alignment of the
        weighted sum with the targets. "align": centred alignment of each kernel by itself. "uniform": 1 / n_kernels
        each.
    p : float, default=1.0
        Norm of the weights for ``method="lp"``, from 1 to infinity.
    alpha : float, default=1.0
        Regularisation strength of the ridge regression, positive.
    normalize : {"trace", "cosine", None}, default="trace"
        Normalisation of each kernel, as in `MKLClassifier`.
    tol : float, default=1e-3
        Tolerance: relative duality gap of the weights at which learning stops.
    max_iter : int, default=200
        Maximal number of ridge fits.
    n_jobs : int, default=None
        Number of threads. None: all available cores.
    approximation : None, "auto", int or transformer, default=None
        Approximation of every kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks, which all kernels have in common. A `mercer.kernel_approximation.Nystroem` object: its landmarks,
        with the kernels of this estimator. "auto": exact up to 10 000 samples, otherwise landmarks until the relative
        residual is at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        Weights d of the normalised kernels.
    kernel_ : Kernel or None
        Learned kernel Σ_m d_m c_m k_m with the normalisation factors c_m, which can be used in any other estimator;
        None for Gram matrices.
    kernels_ : tuple of Kernel or None
        Kernels k_m with all parameters resolved, before normalisation; None for Gram matrices.
    kernel_names_ : list of str of length n_kernels
        Text forms of the kernels.
    scale_ : ndarray of shape (n_kernels,)
        Normalisation factors c_m; ones unless ``normalize="trace"``.
    estimator_ : KernelRidge
        Kernel ridge regression with intercept, fitted with `kernel_`.
        With an approximation, its dual coefficients belong to the values of the terms of `kernel_` with the landmarks,
        term by term, and it reads such values in place of samples.
    X_fit_ : ndarray of shape (n_landmarks, n_features), sparse matrix, frame, list or None
        Landmarks of an approximation; None if the fit is exact, and for Gram matrices.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used, with the residual of the uniform sum of the normalised kernels; None if the fit is
        exact.
    solution_ : Solution
        Certificate with objective, duality gap and status: of the weights for "lp", and of the ridge regression for the
        other methods, whose weights do not minimise its objective.
    history_ : ndarray of shape (n_iter, 2)
        Upper and lower bounds on the optimal objective after each iteration; of shape (0, 2) for methods other than
        "lp".
    n_iter_ : int
        Number of ridge fits that learned the weights for "lp"; 1 for the other methods.
    n_features_in_ : int
        Number of features seen during fit; number of training samples for Gram matrices.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit, if all of them are strings.

    See Also
    --------
    MKLClassifier : The same for classification.
    mercer.model_selection.alignment_weights : Weights by centred alignment, without an estimator.
    mercer.ridge.KernelRidge : Kernel ridge regression with one kernel.

    Notes
    -----
    Every iteration costs one ridge fit, O(n_samples³), and n_kernels products with Gram matrices. The matrices are held
    in memory if they fit, and recomputed otherwise.

    With an approximation, kernel m is replaced by its Nyström approximation K̂_m from the landmarks, which are selected
    for the uniform sum of the normalised kernels. The features of all kernels are held in memory, n_samples ·
    n_landmarks · n_kernels numbers, in float32 if they do not fit in float64. One pass over them
    serves all ridge fits. `solution_.exact_gap` bounds the distance to the exact kernels: for "lp" that of the optimum
    over all weights, and for the other methods that of the ridge regression with the weights that were found.

    References
    ----------
    * Kloft, Brefeld, Sonnenburg and Zien, lp-norm multiple kernel learning, JMLR 12, 953–997, 2011.
    * Cortes, Mohri and Rostamizadeh, L2 regularization for learning kernels, UAI, 2009.
    * Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, JMLR 13, 795–828,
      2012.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF, Columns
    >>> from mercer.multiple_kernel import MKLRegressor
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = MKLRegressor([Columns([0], RBF()), Columns([1], RBF())], alpha=0.1).fit(X, np.sin(X[:, 0]))
    >>> model.weights_.round(2)
    array([1., 0.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: rule for name, rule in MultipleKernel._parameter_constraints.items() if name != "reg"},
        "alpha": [Interval(Real, 0.0, None, closed="neither")],
    }
    _task: ClassVar[str] = "regression"
    _targets: ClassVar[dict[str, bool]] = {"numeric": True, "multi_output": True}

    def __init__(
        self,
        kernels: Any = "auto",
        *,
        method: str = "lp",
        p: float = 1.0,
        alpha: float = 1.0,
        normalize: str | None = "trace",
        tol: float = 1e-3,
        max_iter: int = 200,
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.kernels = kernels
        self.method = method
        self.p = p
        self.alpha = alpha
        self.normalize = normalize
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.approximation = approximation

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and fit the ridge regression.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Training samples of a type that the kernels accept. With ``kernels="precomputed"``: Gram matrices of shape
            (n_kernels, n_samples, n_samples).
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of the squared errors. Integer weights are equivalent to repeating the sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def predict(self, X: Data) -> DoubleArray:
        """Predict targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Samples. With ``kernels="precomputed"``: kernel values of shape (n_kernels, n_samples, n_training_samples).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predicted targets.
        """
        return self._answer("predict", X)  # type: ignore[no-any-return]

    # ---- the machine

    def _machine(self, kernel: Any) -> KernelRidge:
        return KernelRidge(alpha=self.alpha, kernel=kernel, fit_intercept=True, n_jobs=self.n_jobs)

    def _inner(
        self, views: Views, machine: Any, training: Training, y: Any
    ) -> Callable[[GramOperator, DoubleArray], InnerSolution]:
        weight = training.weight
        ridge = self.alpha / np.where(weight > 0, weight, 1.0)  # coefficients of weight zero are zero, hence not active
        unbounded = np.full(len(weight), np.inf)

        def solve(K: GramOperator, d: DoubleArray) -> InnerSolution:
            given = self._on(K, training, views, d, WeightedFeatures)
            machine._fit_training(given, y)
            coef = np.asarray(machine.dual_coef_)
            if given.approximation is not None:  # dual coefficients are residuals
                residual = y - (given.approximation.values(coef) + machine.intercept_)
                coef = (weight * residual.T).T / self.alpha
            solution, coef = machine.solution_, coef.reshape(training.n, -1)
            return inner_solution(coef, -solution.objective, solution.gap, unbounded, ridge=ridge)

        return solve

    def _quadratic(self, solution: Solution, form: float) -> float:  # noqa: ARG002
        return -2 * solution.objective  # the optimum is −½ of its quadratic terms, which include αcᵀ(c/s)
