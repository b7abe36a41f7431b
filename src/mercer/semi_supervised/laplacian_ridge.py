"""Kernel ridge regression with manifold regularisation."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import MultiOutputMixin, _fit_context

from mercer._estimator import Approximation, Training, finite_fit
from mercer._estimator.score import ScoredRegressor
from mercer._typing import Data, DoubleArray
from mercer._validation import as_numbers
from mercer.ridge.approximated import RidgeExpansion
from mercer.ridge.base import CONSTRAINTS, KernelRidgeBase
from mercer.semi_supervised.laplacian_base import MANIFOLD, ManifoldEstimator, restated

__all__ = ["LaplacianRidge"]

_AGREE = 1e-6  # relative error of values that rounding of the deformed kernel can cause


class LaplacianRidge(MultiOutputMixin, ScoredRegressor, ManifoldEstimator, KernelRidgeBase):  # type: ignore[misc]
    r"""Kernel ridge regression with manifold regularisation (Laplacian regularised least squares, LapRLS).

    It learns from few samples with a target and many samples without. f(x) = Σ_i c_i k(x_i, x) + b over labelled and
    unlabelled samples minimises

        Σ_labelled s_i (y_i − f(x_i))² + α (‖f‖² + μ gᵀLᵖg),    g = (f(x_1) − b, …, f(x_n) − b),

    where L = D − W is the Laplacian of the graph that joins each sample to its nearest neighbours in feature space, so
    that gᵀLg = ½ Σ_ij W_ij (g_i − g_j)². The penalty makes f change slowly where samples are dense. μ = 0 gives
    `mercer.ridge.KernelRidge` of the labelled samples.

    Parameters
    ----------
    alpha : float or array-like of shape (n_targets,), default=1e-4
        Regularisation strength α ≥ 0 of both norms, for all targets or one per target. In the notation of Belkin,
        Niyogi and Sindhwani, α = γ_A l for l labelled samples.
    manifold : float, default=10.0
        Weight μ ≥ 0 of the graph penalty relative to ‖f‖². In the notation above, μ = γ_I / (γ_A n²) for n samples.
    n_neighbors : int, default=6
        Number of neighbours of each sample in the graph, not counting the sample itself.
    weights : {"binary", "heat"}, default="binary"
        Weights of the edges. "binary": W_ij = ½([j near i] + [i near j]). "heat": the same times exp(−d²/(2s²)) with
        the mean square s² of the distances d between neighbours.
    normalize : bool, default=False
        Whether the normalised Laplacian I − D^(−½)WD^(−½) is used.
    power : int, default=1
        Power p of the Laplacian, from 1 to 1000. Powers above 1 penalise spikes at labelled samples. Use them with
        ``normalize=True``, because the scale of Lᵖ grows with the degrees. See Notes.
    kernel : Kernel, str or callable, default="rbf"
        Kernel of `mercer.kernels`, its text form, one of scikit-learn's names (with `gamma`, `degree` and `coef0`),
        "precomputed", or a function. Names: :ref:`kernel-names`. A function is called with two samples.
    gamma : {"scale", "auto"}, float or None, default="scale"
        Coefficient of the named kernels. "scale" uses the variance of all samples, including unlabelled ones.
    degree : float, default=3
        Degree of the kernel "poly".
    coef0 : float, default=0.0
        Constant term of the kernels "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keyword arguments of a function as kernel.
    fit_intercept : bool, default=True
        Whether the intercept b is fitted, which is not penalised.
    solver : {"auto", "cholesky", "mixed", "cg"}, default="auto"
        Solver of the linear system of the labelled samples, as in `mercer.ridge.KernelRidge`.
    tol : float, default=1e-10
        Tolerance: largest relative residual of that system, if rounding allows it.
    max_iter : int, default=None
        Maximal number of products with the matrix for ``solver="cg"``. None: 1000.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Dual coefficients c of labelled and unlabelled samples.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept b.
    transduction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Predictions of the training samples.
    n_neighbors_ : int
        Number of neighbours in the graph: `n_neighbors`, or fewer if there are not enough distinct samples; 0 if
        ``manifold=0``.
    X_fit_ : data of n_samples samples
        Training samples; the Gram matrix for "precomputed".
    kernel_ : Kernel or None
        Kernel with all parameters resolved; None for "precomputed".
    solution_ : Solution
        Certificate of the system (K̃ + α diag(1/s)) β = y − b of the labelled samples, where K̃ is the kernel of the norm
        ‖f‖² + μgᵀLᵖg. Its `violation` includes the rounding of the step from β to c.
    n_iter_ : int
        Number of products with the matrix.
    n_features_in_ : int
        Number of features seen during fit; number of training samples for Gram matrices.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit, if all of them are strings.

    See Also
    --------
    LaplacianSVC : The same penalty for classification.
    mercer.ridge.KernelRidge : Kernel ridge regression of labelled samples.

    Notes
    -----
    The kernel K̃ between the labelled samples takes O(n_samples³) time and four n_samples × n_samples matrices. It is
    the same for all values of `alpha` and all targets. Samples at distance zero are one vertex of the graph, so that
    integer weights are equivalent to repeating samples. A warning is issued if a connected component of the graph has
    no labelled sample.

    With p = 1, functions with spikes at the labelled samples have small penalties if the data have two or more
    dimensions and there are many unlabelled samples (Nadler, Srebro and Zhou, 2009). Powers of L penalise spikes.

    References
    ----------
    * Belkin, Niyogi and Sindhwani, Manifold regularization: a geometric framework for learning from labeled and
      unlabeled examples, JMLR 7, 2399–2434, 2006.
    * Sindhwani, Niyogi and Belkin, Beyond the point cloud: from transductive to semi-supervised learning, ICML, 2005,
      doi:10.1145/1102351.1102455.
    * Nadler, Srebro and Zhou, Statistical analysis of semi-supervised learning: the limit of infinite unlabelled data,
      NIPS, 2009.

    Examples
    --------
    The height along a spiral, known only at both ends:

    >>> import numpy as np
    >>> from mercer.semi_supervised import LaplacianRidge
    >>> height = np.linspace(0, 1, 60)
    >>> angle = 1 + 9 * height
    >>> X = np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
    >>> y = np.full(60, np.nan)
    >>> y[[0, -1]] = 0.0, 1.0
    >>> plain, model = (LaplacianRidge(1e-3, manifold=m, n_neighbors=2, gamma=0.1).fit(X, y) for m in (0.0, 100.0))
    >>> [round(float(abs(each.predict(X) - height).max()), 2) for each in (plain, model)]
    [0.42, 0.03]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**CONSTRAINTS, **MANIFOLD}

    def __init__(
        self,
        alpha: Any = 1e-4,
        *,
        manifold: float = 10.0,
        n_neighbors: int = 6,
        weights: str = "binary",
        normalize: bool = False,
        power: int = 1,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        kernel_params: dict[str, Any] | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        tol: float = 1e-10,
        max_iter: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.manifold = manifold
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.normalize = normalize
        self.power = power
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

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Fit the regression to labelled and unlabelled samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Labelled and unlabelled samples. With ``kernel="precomputed"``: Gram matrix of shape (n_samples, n_samples).
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets; NaN for unlabelled samples, in all targets of the sample.
        sample_weight : float or array-like of shape (n_samples,), default=None
            Weights of squared errors and of vertices of the graph. Integer weights are equivalent to repeating the
            sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        unknown = None
        if y is not None and not sp.issparse(y):
            y = as_numbers(type(self).__name__, y, name="y", exact=True)
            unknown = np.isnan(y)
            y = np.where(unknown, 0.0, y) if unknown.any() else y
        training, y = self._training(X, y, sample_weight, numeric=True, multi_output=True)
        if unknown is not None and unknown.any():
            y = np.where(unknown.reshape(y.shape), np.nan, y)
        return self._fit_training(training, y)

    def _targets(self, training: Training, y: Any) -> tuple[Training, DoubleArray, bool]:
        Y = np.asarray(y, dtype=np.float64).reshape(training.n, -1)
        unknown = np.isnan(Y)
        partly = np.flatnonzero(unknown.any(axis=1) & ~unknown.all(axis=1))
        if len(partly):
            raise ValueError(
                f"LaplacianRidge: sample {partly[0]} has NaN in some of its {Y.shape[1]} targets only; expected NaN in "
                "all or in none of them. Fit one model for each target."
            )
        if unknown[training.kept].all():
            raise ValueError(
                f"LaplacianRidge: none of the {len(training.kept)} samples with positive weights has a target; "
                "expected a number in y for at least one, and NaN for unlabelled samples."
            )
        return self._held(training), Y, y.ndim == 1

    @finite_fit
    def _exact(self, training: Training, Y: DoubleArray, alpha: DoubleArray) -> RidgeExpansion:
        """Return the coefficients of all samples, before `Basis.fold`."""
        labeled = training.kept[~np.isnan(Y[training.kept, 0])]
        deformed, small = self._deform(training, labeled)
        found = super()._exact(small, Y[labeled], alpha)
        coef, mismatch = deformed.expand(found.coef)
        size = np.linalg.norm(Y[labeled], axis=0).max()
        error = float(np.linalg.norm(mismatch, axis=0).max()) / size if size else 0.0
        return RidgeExpansion(coef, found.intercept, restated(found.solution, error, max(self.tol, _AGREE)))

    def _conclude(
        self, training: Training, expansion: RidgeExpansion, approximation: Approximation | None, *, single: bool
    ) -> None:
        values = np.asarray(training.K @ expansion.coef) + expansion.intercept
        self.transduction_: DoubleArray = values[:, 0] if single else values
        folded = RidgeExpansion(training.basis.fold(expansion.coef), expansion.intercept, expansion.solution)
        super()._conclude(training, folded, approximation, single=single)

    def predict(self, X: Data) -> DoubleArray:
        """Predict targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Samples. With ``kernel="precomputed"``: kernel values of shape (n_samples, n_training_samples).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predicted targets.
        """
        return self._values(X)
