"""Learned weights of columns, by the gradient of the leave-one-out error."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import finite_fit, finite_values
from mercer._runtime.pools import limit_pools
from mercer._typing import Data, DoubleArray
from mercer.feature_learning.base import KernelLearner
from mercer.feature_learning.columns import WIDTHS, column_kernel, column_shares, column_weights, unit_scales
from mercer.feature_learning.learn import learn, shifted
from mercer.feature_learning.objective import WORST, Objective
from mercer.feature_learning.problem import Problem
from mercer.kernels import Interactions, Kernel, WeightedColumns

__all__ = ["LeaveOneOutWeights"]

_FACTORS = (0.25, 1.0, 4.0)  # of the widths or weights of a given kernel, at the starting points
_POSITIVE = Interval(Real, 0.0, None, closed="neither")


class LeaveOneOutWeights(OneToOneFeatureMixin, KernelLearner):  # type: ignore[misc]
    r"""Weights of columns, and other kernel parameters, by the gradient of the exact leave-one-out error.

    The parameters θ of the kernel and the penalty α of a kernel ridge regression minimise::

        ½ n log(J/n) + Σ_j (log w_j/w_j⁰ − mean)² / 2τ² + weak penalties on the other parameters

    where J is the sum of squared leave-one-out residuals, which are computed exactly and without refitting, and w⁰ are
    the weights for which all columns contribute equally. All weights are first multiplied by a common factor; then each
    is learned by itself.

    Parameters
    ----------
    kernel : Kernel, str or None, default=None
        Kernel whose free parameters (`theta_names`) are learned, or its text form (see :ref:`kernel-names`).
        Data-dependent parameters are resolved first and are free as well. A kernel learns a weight for each column if
        it has a vector of them, such as ``RBF(gamma=(1.0, 1.0, 1.0))`` or ``WeightedColumns(weights=(1.0, 1.0, 1.0))``.
        None: `column_kernel`, that is `WeightedColumns` with a weight for each column plus small multiples of linear
        kernels.
    categorical : sequence of int, default=()
        Indices of columns with codes of categories. Only for ``kernel=None``.
    p : float, default=1.0
        Exponent of the differences of numerical columns, at most 2. Only for ``kernel=None``.
    tau : float, default=1.0
        Spread τ of the logarithms of the weights that is expected. Smaller values keep the weights closer to each
        other.
    alpha : float, default=0.03
        Penalty α of the ridge regression at the starting point.
    tied : bool, default=False
        Whether to learn only a common factor of all weights.
    task : {"auto", "regression", "classification"}, default="auto"
        Meaning of y. Classes are encoded as one column of zeros and ones each. "auto" follows scikit-learn's
        `type_of_target`: labels and integers are classes.
    max_samples : int or None, default=700
        Number of different samples from which the parameters are learned, drawn at random; None means all. The cost
        does not depend on the number of other samples.
    max_iter : int, default=18
        Largest number of evaluations of the objective for separate weights. At most 15 evaluations for the common
        factor come first.
    class_weight : dict, "balanced" or None, default=None
        Factors of the sample weights by class. "balanced": inversely proportional to the total weight of the class.
    random_state : int, RandomState instance or None, default=0
        Seed of the choice of samples.
    n_jobs : int, default=None
        Number of threads for kernel values and their derivatives. None: all available cores. Linear algebra uses one
        thread, because the matrices are small.

    Attributes
    ----------
    kernel_ : Kernel
        Kernel with the learned parameters. It can be used in any other estimator.
    alpha_ : float
        Learned penalty of the ridge regression on `max_samples` samples.
    weights_ : ndarray of shape (n_features,), or None
        Learned weights of the columns, see `column_weights`: `weights` of the first `WeightedColumns` in the kernel, or
        `gamma` of the first kernel of a distance. None if the kernel has neither, or reads other data than matrices.
    shares_ : ndarray of shape (n_features,), or None
        Share of each column in the mean over pairs of samples of the weighted distance, which does not depend on the
        units of the columns; None if `weights_` is. It is not an importance: a column with a linear effect needs little
        weight, in particular if the kernel has a linear part.
    objective_path_ : ndarray of shape (n_iter,)
        Smallest objective after each evaluation. The first entry belongs to the best starting point.
    loo_score_ : float
        R² of the exact leave-one-out predictions of the samples used for learning, for `kernel_` and `alpha_`. Classes
        are columns of zeros and ones. It is slightly optimistic, because the parameters were chosen by it.
    n_iter_ : int
        Number of entries of `objective_path_`.
    rows_ : ndarray of int
        Indices of the training samples that took part in learning, with all samples that are identical to one of them.
        Predictions for other samples are not affected by the choice of the parameters.
    classes_ : ndarray of shape (n_classes,), or None
        Class labels; None for regression.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit. Only if X was a data frame whose column names are all strings.

    See Also
    --------
    RecursiveFeatureMachine : Learns a metric from the gradients of the fitted function.
    column_kernel : The default kernel.
    mercer.plots.ColumnWeightsDisplay : Bar chart of the learned weights.
    mercer.multiple_kernel.MKLRegressor : Weights of a sum of kernels.

    Notes
    -----
    Identical rows of X are always left out together: they are replaced by one sample with the sum of their weights and
    the mean of their targets. Therefore integer weights are equivalent to repeating the sample. `groups` are left out
    together, too; groups that share a sample are joined.

    Each evaluation costs O(m³ + m²d) operations for m = min(max_samples, n) samples and d columns.

    References
    ----------
    * Allen, The relationship between variable selection and data augmentation and a method for prediction,
      Technometrics 16, 1974.
    * Chapelle, Vapnik, Bousquet and Mukherjee, Choosing multiple parameters for support vector machines, Machine
      Learning 46, 2002.
    * Cawley and Talbot, Preventing over-fitting during model selection via Bayesian regularisation of the
      hyper-parameters, JMLR 8, 2007.

    Examples
    --------
    The target depends on the first two of four columns:

    >>> import numpy as np
    >>> from mercer.feature_learning import LeaveOneOutWeights
    >>> from mercer.ridge import KernelRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = np.sin(2 * X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=300)
    >>> learner = LeaveOneOutWeights(p=2).fit(X[:200], y[:200])
    >>> learner.shares_.round(2)
    array([0.92, 0.05, 0.01, 0.02])
    >>> model = KernelRidge(alpha=learner.alpha_, kernel=learner.kernel_).fit(X[:200], y[:200])
    >>> plain = KernelRidge(alpha=0.1, kernel="rbf").fit(X[:200], y[:200])
    >>> round(model.score(X[200:], y[200:]), 2), round(plain.score(X[200:], y[200:]), 2)
    (0.97, 0.65)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelLearner._parameter_constraints,
        "categorical": ["array-like"],
        "p": [Interval(Real, 0.0, 2.0, closed="right")],
        "tau": [_POSITIVE],
        "alpha": [_POSITIVE],
        "tied": ["boolean"],
    }

    def __init__(
        self,
        kernel: Any = None,
        *,
        categorical: Sequence[int] = (),
        p: float = 1.0,
        tau: float = 1.0,
        alpha: float = 0.03,
        tied: bool = False,
        task: str = "auto",
        max_samples: int | None = 700,
        max_iter: int = 18,
        class_weight: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.categorical = categorical
        self.p = p
        self.tau = tau
        self.alpha = alpha
        self.tied = tied
        self.task = task
        self.max_samples = max_samples
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    @finite_fit
    def fit(self, X: Data, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the parameters of the kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or other data
            Training samples of a type that the kernel accepts.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets: numbers, or class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the squared errors. Integer weights are equivalent to repeating the sample.
        groups : array-like of shape (n_samples,), default=None
            Samples with the same label are left out together. None: every sample is left out by itself, together with
            identical samples.

        Returns
        -------
        self
            Fitted estimator.
        """
        problem = self._problem(X, y, sample_weight, groups)

        def make(kernel: Kernel) -> Objective:
            return Objective(
                kernel,
                problem.samples,
                problem.loss,
                alpha=self.alpha,
                tau=self.tau,
                n_jobs=self.n_jobs,
                relative=True,
                within=problem.constant,
            )

        with limit_pools(1, "blas"):
            together, free = learn(make, self._starts(problem), max_iter=self.max_iter, tau=(self.tau,))
            found = together if self.tied or not free else free[0]
            if found.value >= WORST:
                raise ValueError(
                    f"{type(self).__name__}: no leave-one-out error is finite, since K + αI is not positive definite "
                    f"with the kernel {found.kernel}; use a positive semidefinite kernel, or a larger alpha than "
                    f"{self.alpha:g}."
                )
            self.kernel_, self.alpha_ = found.kernel, found.alpha
            fit = problem.loss.fit(self.kernel_(problem.samples, n_jobs=self.n_jobs), self.alpha_)
        assert fit is not None  # the objective was finite there
        self.loo_score_ = problem.score(fit.error)
        self.objective_path_ = found.path
        self.n_iter_ = len(found.path)
        self.weights_, self.shares_ = self._of_columns(problem)
        return self

    def _starts(self, problem: Problem) -> list[Kernel]:
        if self.kernel is None:
            return [column_kernel(problem.X, self.categorical, p=self.p, width=width) for width in WIDTHS]
        kernel = self._given().resolve(problem.X, sample_weight=problem.weight)
        if not len(kernel.theta):
            raise ValueError(
                f"{type(self).__name__}: the kernel {kernel} has no free parameters to learn (see `Kernel.theta`); "
                "use a kernel with a width, weights or factors, such as 0.5 * kernel."
            )
        return shifted(kernel, _FACTORS)

    def _of_columns(self, problem: Problem) -> tuple[DoubleArray | None, DoubleArray | None]:
        """Weights and shares of columns; None if the kernel does not weigh columns of a matrix."""
        if not isinstance(problem.X, np.ndarray) and not sp.issparse(problem.X):
            return None, None
        weights = column_weights(self.kernel_, problem.X.shape[1])
        return (None, None) if np.isnan(weights).any() else (weights, column_shares(self.kernel_, problem.X))

    @finite_values
    def transform(self, X: Data) -> Any:
        """Scale the columns so that the learned kernel has weights of 1.

        With the default kernel, ``WeightedColumns(p=p, g=g)`` of the result, where g is that of `kernel_`, equals the
        part `WeightedColumns` of `kernel_`. Its linear part is not contained: use `kernel_` itself for all of it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. Sparse matrices are accepted if the kernel accepts them.

        Returns
        -------
        ndarray or CSR matrix of shape (n_samples, n_features)
            Columns multiplied by w^(1/p) for `WeightedColumns`, √γ for `RBF` and `RationalQuadratic`, and γ for kernels
            of an unsquared distance.

        Raises
        ------
        ValueError
            If a column is categorical, or the kernel has no weights of columns. Use `kernel_` then.
        """
        check_is_fitted(self)
        who = type(self).__name__
        if self.weights_ is None or any(isinstance(part, Interactions) for part in _leaves(self.kernel_)):
            raise ValueError(
                f"{who}: transform scales columns, but the kernel {self.kernel_} has no weights that scale columns; "
                "pass kernel_ to an estimator instead."
            )
        codes = [list(part.categorical) for part in _leaves(self.kernel_) if isinstance(part, WeightedColumns)]
        if any(codes):
            raise ValueError(
                f"{who}: transform scales columns, and no factor of the codes gives columns {codes[0]}, which are "
                "categorical, their weights; pass kernel_ to an estimator instead."
            )
        X = self._new(X)
        scales = unit_scales(self.kernel_, X.shape[1])
        return X.multiply(scales).tocsr() if sp.issparse(X) else np.asarray(X * scales)

    @property
    def _any_data(self) -> bool:  # type: ignore[override]
        return self.kernel is not None

    @property
    def _default(self) -> Kernel:
        return WeightedColumns(categorical=tuple(self.categorical), p=self.p)


def _leaves(kernel: Kernel) -> list[Kernel]:
    parts = kernel.parts().values()
    return [leaf for part in parts for leaf in _leaves(part)] if parts else [kernel]
