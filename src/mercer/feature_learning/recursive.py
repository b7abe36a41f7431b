"""Recursive feature machines: a metric from the gradients of the fitted function."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, OneToOneFeatureMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import finite_fit, finite_values
from mercer._runtime.pools import limit_pools
from mercer._typing import Data, DoubleArray
from mercer._validation import as_doubles
from mercer.feature_learning.agop import agop, gradients
from mercer.feature_learning.base import KernelLearner
from mercer.feature_learning.columns import mean_terms, weighted_part
from mercer.feature_learning.metric import on_input, root_of, times
from mercer.feature_learning.problem import Problem
from mercer.kernels import Exponential, Kernel, WeightedColumns

__all__ = ["RecursiveFeatureMachine"]

WORSE = 1.1  # stop if the error exceeds the smallest one by this factor
Metric = Literal["diagonal", "full"]


@dataclass(frozen=True, eq=False)
class _Iterate:
    """Kernel ridge regression in one metric, with the bandwidth and the penalty of the smallest error."""

    metric: DoubleArray
    transformation: DoubleArray  # root of the metric, divided by the bandwidth
    kernel: Kernel
    alpha: float
    bandwidth: float
    error: float
    coef: DoubleArray


class RecursiveFeatureMachine(KernelLearner):
    r"""Recursive feature machine: a metric M learned from the gradients of kernel ridge regression.

    Each iteration fits the regression f in the present metric, k(x, z) = κ(M^½ x, M^½ z), and replaces M by the average
    gradient outer product Σ_i ∇f(x_i) ∇f(x_i)ᵀ, divided by its largest entry. The iterate with the smallest exact
    leave-one-out error is kept. Iterate 0 is ordinary kernel ridge regression. No validation set is needed.

    Parameters
    ----------
    kernel : Kernel, str or None, default=None
        Differentiable kernel κ of vectors, or its text form (see :ref:`kernel-names`). Data-dependent parameters such
        as ``gamma="median"`` are resolved in each iteration, in the metric of that iteration. A single weight of
        `WeightedColumns` is multiplied by 1 over the mean of S. None: ``Exponential(gamma="median")``, the exponential
        of the Euclidean distance.
    metric : {"diagonal", "full"}, default="diagonal"
        Form of M: one weight for each column, or a symmetric matrix.
    max_iter : int, default=5
        Number of times that M is replaced. Iterations stop earlier if the error exceeds 1.1 times the smallest one.
    alphas : array-like of shape (n_alphas,), default=(1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0)
        Penalties of the ridge regression, from which each iteration takes that of the smallest leave-one-out error.
    bandwidths : array-like of shape (n_bandwidths,), default=(1.0, 4.0)
        Factors of the width of the kernel, chosen in the same way. 1.0 with ``gamma="median"`` is the median rule.
    task : {"auto", "regression", "classification"}, default="auto"
        Meaning of y. Classes are encoded as one column of zeros and ones each. "auto" follows scikit-learn's
        `type_of_target`: labels and integers are classes.
    max_samples : int or None, default=700
        Number of different samples to which f is fitted, drawn at random; None means all.
    max_gradients : int or None, default=2000
        Number of different samples at which gradients are computed, drawn at random; None means all.
    class_weight : dict, "balanced" or None, default=None
        Factors of the sample weights by class. "balanced": inversely proportional to the total weight of the class.
    random_state : int, RandomState instance or None, default=0
        Seed of the choices of samples.
    n_jobs : int, default=None
        Number of threads for kernel values and gradients. None: all available cores. Linear algebra uses one thread.

    Attributes
    ----------
    metric_ : ndarray of shape (n_features,) or (n_features, n_features)
        Learned M: its diagonal for ``metric="diagonal"``. The largest entry is 1.
    transformation_ : ndarray of shape (n_features,) or (n_features, n_features)
        T = M^½/b with the chosen factor b of `bandwidths`. `transform` returns X·T.
    kernel_ : Kernel
        Kernel of the transformed samples, with numbers for all parameters: the learned kernel of samples x and z is
        ``kernel_`` of xT and zT.
    input_kernel_ : Kernel
        The same kernel for samples that are not transformed: a `WeightedColumns` for a diagonal metric and `RBF`,
        `Exponential`, `Laplacian` or `WeightedColumns`, otherwise a `LinearMap`.
    weights_ : ndarray of shape (n_features,)
        Diagonal of M.
    shares_ : ndarray of shape (n_features,)
        Share of each column in the mean squared distance: the diagonal of M times the variance of the column, with sum
        1.
    alpha_ : float
        Penalty of the chosen iterate.
    bandwidth_ : float
        Factor of the width of the chosen iterate.
    loo_score_ : float
        R² of the exact leave-one-out predictions of the samples to which f was fitted, for the chosen iterate.
    loo_scores_ : ndarray of shape (n_iter + 1,)
        The same for every iterate.
    best_iter_ : int
        Index of the chosen iterate in `loo_scores_`.
    n_iter_ : int
        Number of times that M was replaced.
    rows_ : ndarray of int
        Indices of the training samples to which f was fitted, with all samples that are identical to one of them.
    classes_ : ndarray of shape (n_classes,), or None
        Class labels; None for regression.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    LeaveOneOutWeights : Weights of columns by the gradient of the leave-one-out error itself.
    agop : The average gradient outer product of any kernel expansion.
    rotation : Its eigenvectors, as new columns.

    Notes
    -----
    Columns should have similar scales, for example by `sklearn.preprocessing.StandardScaler`. Pairs of samples at
    distance zero do not contribute to the gradients. Identical rows of X are left out together, and integer weights are
    equivalent to repeating the sample.

    With m = min(max_samples, n), an iteration costs O(m³) for every alpha and bandwidth, and O(m · max_gradients · d)
    for the gradients.

    References
    ----------
    * Radhakrishnan, Beaglehole, Pandit and Belkin, Mechanism for feature learning in neural networks and
      backpropagation-free machine learning models, Science 383, 2024.
    * Beaglehole, Holzmüller, Radhakrishnan and Belkin, xRFM: accurate, scalable, and interpretable feature learning
      models for tabular data, 2025, arXiv:2508.10053.

    Examples
    --------
    A function of the sum of the first two of five columns:

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from mercer.feature_learning import RecursiveFeatureMachine
    >>> from mercer.ridge import KernelRidge
    >>> X = np.random.default_rng(0).normal(size=(400, 5))
    >>> y = np.sin(X[:, 0] + X[:, 1])
    >>> learner = RecursiveFeatureMachine(metric="full").fit(X[:300], y[:300])
    >>> learner.metric_.round(1)[:3, :3] + 0.0
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 0.]])
    >>> model = make_pipeline(learner, KernelRidge(alpha=learner.alpha_, kernel=learner.kernel_))
    >>> round(model.fit(X[:300], y[:300]).score(X[300:], y[300:]), 2)
    0.99
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelLearner._parameter_constraints,
        "metric": [StrOptions({"diagonal", "full"})],
        "alphas": ["array-like"],
        "bandwidths": ["array-like"],
        "max_gradients": [Interval(Integral, 1, None, closed="left"), None],
    }

    _takes_sparse = False

    def __init__(
        self,
        kernel: Any = None,
        *,
        metric: Metric = "diagonal",
        max_iter: int = 5,
        alphas: Any = (1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0),
        bandwidths: Any = (1.0, 4.0),
        task: str = "auto",
        max_samples: int | None = 700,
        max_gradients: int | None = 2000,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.metric = metric
        self.max_iter = max_iter
        self.alphas = alphas
        self.bandwidths = bandwidths
        self.task = task
        self.max_samples = max_samples
        self.max_gradients = max_gradients
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    @finite_fit
    def fit(self, X: Data, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets: numbers, or class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the squared errors and of the gradients. Integer weights are equivalent to repeating the sample.
        groups : array-like of shape (n_samples,), default=None
            Samples with the same label are left out together. None: every sample is left out by itself, together with
            identical samples.

        Returns
        -------
        self
            Fitted estimator.
        """
        problem = self._problem(X, y, sample_weight, groups)
        d = problem.X.shape[1]
        metric = np.ones(d) if self.metric == "diagonal" else np.eye(d)
        iterates: list[_Iterate] = []
        with limit_pools(1, "blas"):
            while True:
                iterates.append(self._iterate(problem, metric))
                best = int(np.argmin([iterate.error for iterate in iterates]))
                if len(iterates) > self.max_iter or iterates[-1].error > WORSE * iterates[best].error:
                    break
                metric = self._gradient_metric(problem, iterates[-1])
                if not metric.max() > 0:  # f is constant
                    break
                metric = metric / metric.max()
        self._conclude(problem, iterates[best])
        self.loo_scores_ = np.array([problem.score(iterate.error) for iterate in iterates])
        self.loo_score_ = float(self.loo_scores_[best])
        self.best_iter_ = best
        self.n_iter_ = len(iterates) - 1
        return self

    def _iterate(self, problem: Problem, metric: DoubleArray) -> _Iterate:
        """Fit in a metric, with the best bandwidth and penalty."""
        root = root_of(metric)
        U = times(problem.X, root)
        kernel = self._resolved(U, problem.weight)
        U = U[problem.chosen]
        best: _Iterate | None = None
        for width in _positive(self, "bandwidths", self.bandwidths):
            K = kernel(U / width, n_jobs=self.n_jobs)
            for alpha in _positive(self, "alphas", self.alphas):
                fit = problem.loss.fit(K, alpha)
                if fit is not None and (best is None or fit.error < best.error):
                    best = _Iterate(metric, root / width, kernel, float(alpha), float(width), fit.error, fit.coef)
        if best is None:
            raise ValueError(
                f"{type(self).__name__}: no leave-one-out error is finite, since K + αI is not positive definite for "
                f"any of alphas={self.alphas} with the kernel {kernel}; use a positive semidefinite kernel or larger "
                "alphas."
            )
        return best

    def _resolved(self, U: DoubleArray, weight: DoubleArray) -> Kernel:
        """Kernel for samples in the present metric."""
        kernel = self._given()
        part = weighted_part(kernel)
        if isinstance(part, WeightedColumns):
            if kernel is not part or isinstance(part.weights, tuple) or part.categorical:
                raise ValueError(
                    f"{type(self).__name__}: kernel={kernel} has weights of columns or categories, but the metric "
                    "gives the columns their weights; use WeightedColumns with one number as weights and without "
                    "categorical, or LeaveOneOutWeights."
                )
            mean = float(mean_terms(U, p=part.p).sum())
            return part.with_params(weights=part.weights / mean) if mean > 0 else part
        return kernel.resolve(U, sample_weight=weight)

    def _gradient_metric(self, problem: Problem, iterate: _Iterate) -> DoubleArray:
        """Average gradient outer product in the coordinates of X, or its diagonal."""
        T = iterate.transformation
        size = len(problem.weight) if self.max_gradients is None else self.max_gradients
        points = problem.first(size)
        U, at = times(problem.samples, T), times(problem.X[points], T)
        weight = problem.weight[points]
        if T.ndim == 1:
            who = type(self).__name__
            values, share = gradients(who, iterate.kernel, U, iterate.coef, at, weight, self.n_jobs)
            return np.asarray(T**2 * np.einsum("i,ijt,ijt->j", share, values, values))
        M = agop(iterate.kernel, U, iterate.coef, at, sample_weight=weight, n_jobs=self.n_jobs)
        return np.asarray(T @ M @ T)

    def _conclude(self, problem: Problem, best: _Iterate) -> None:
        self.metric_, self.transformation_, self.kernel_ = best.metric, best.transformation, best.kernel
        self.alpha_, self.bandwidth_ = best.alpha, best.bandwidth
        self.weights_ = np.array(best.metric if best.metric.ndim == 1 else best.metric.diagonal())
        moved = self.weights_ * np.asarray(problem.X).var(axis=0)
        self.shares_ = moved / moved.sum() if moved.sum() > 0 else np.full(len(moved), 1 / len(moved))
        self.input_kernel_ = on_input(best.kernel, best.transformation)
        self._n_features_out = len(self.weights_)

    @finite_values
    def transform(self, X: Data) -> DoubleArray:
        """Map samples to the coordinates in which `kernel_` is the learned kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            X·T with `transformation_` T: scaled columns for a diagonal metric, linear combinations of all columns for a
            full one.
        """
        return times(self._new(X), self.transformation_)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of X. None: those seen during fit, or x0, x1, ….

        Returns
        -------
        ndarray of str
            The names of the columns of X for a diagonal metric, otherwise recursivefeaturemachine0, ….
        """
        check_is_fitted(self)
        names = OneToOneFeatureMixin if self.metric_.ndim == 1 else ClassNamePrefixFeaturesOutMixin
        return names.get_feature_names_out(self, input_features)

    @property
    def _default(self) -> Kernel:
        return Exponential(gamma="median")


def _positive(estimator: Any, name: str, values: Any) -> DoubleArray:
    """The values of a parameter, which must be positive numbers."""
    found = as_doubles(type(estimator).__name__, values, name=name).ravel()
    if not found.size or not (np.isfinite(found) & (found > 0)).all():
        raise ValueError(f"{type(estimator).__name__}: {name} must be positive numbers, got {values!r}.")
    return found
