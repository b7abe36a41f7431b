"""One-class machines: the half-space and the ball that hold most of the samples."""

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin, _fit_context

from mercer._estimator import finite_fit, finite_values
from mercer._estimator.progress import fit_progress
from mercer._typing import Data, DoubleArray
from mercer.solvers import Dual, DualSolution
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.base import Training
from mercer.svm.single import SingleMachine

__all__ = ["SVDD", "OneClassSVM"]


class _Detector(OutlierMixin, SingleMachine):  # type: ignore[misc]
    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        polish: bool | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.polish = polish
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Find the region of the samples; y is ignored.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : ignored
            There for the sake of pipelines.
        sample_weight : array-like of shape (n,), optional
            An integer weight equals so many repetitions of the sample.
        """
        training, _ = self._training(X, None, sample_weight, targets=False)
        with fit_progress(self, None, X=X, sample_weight=sample_weight) as training.report:
            return self._fit_training(training, None)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:  # noqa: ARG002
        self._fit_single(training, np.empty(0))
        return self

    @abstractmethod
    def decision_function(self, X: Data) -> DoubleArray:
        """Signed distance to the boundary, positive inside, of shape (n_samples,)."""

    def predict(self, X: Data) -> Any:
        """+1 for samples strictly inside the region, −1 for the others."""
        return np.where(self.decision_function(X) > 0, 1, -1).astype(np.int64)


class OneClassSVM(_Detector):
    """The half-space of feature space that holds all but a share ν of the samples and is farthest from the origin.

    min ½αᵀKα over 0 ≤ α_i ≤ w_i, Σα = νΣw;  f(x) = Σ α_i k(x_i, x) − ρ.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, polish, n_jobs
        As in `mercer.svm.SVR`.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    nu : float in (0, 1]
        Upper bound of the share of outliers, lower bound of the share of support vectors.

    Attributes
    ----------
    offset_ : float
        ρ: ``decision_function = score_samples − offset_``.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, kernel_, solution_
        As in `mercer.svm.SVR`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import OneClassSVM
    >>> X = np.array([[0.0], [0.1], [-0.1], [0.2], [5.0]])
    >>> OneClassSVM(nu=0.3, gamma=1.0).fit(X).predict([[0.05], [9.0]])
    array([ 1, -1])
    """

    def _problem(self, training: Training, y: DoubleArray) -> Dual:  # noqa: ARG002
        return formulation.one_class(training.kept, training.weight[training.kept], self.nu)

    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:
        return _closed(formulation.expansion(problem, answer), answer, training)

    @property
    def offset_(self) -> float:
        """The threshold of `score_samples`."""
        return -float(self.intercept_[0])

    def decision_function(self, X: Data) -> DoubleArray:
        return self._values(X)

    @finite_values
    def score_samples(self, X: Data) -> DoubleArray:
        """Σ α_i k(x_i, x): the decision function without its threshold."""
        return self.decision_function(X) + self.offset_


class SVDD(_Detector):
    """The smallest ball of feature space that holds all but a share ν of the samples (support vector data description).

    min αᵀKα − Σ α_i K_ii over 0 ≤ α_i ≤ w_i/(νΣw), Σα = 1; centre a = Σ α_i φ(x_i);
    f(x) = R² − ‖φ(x) − a‖². For kernels with constant k(x, x) it bounds the same region as `OneClassSVM`.

    Parameters
    ----------
    kernel, degree, gamma, coef0, tol, shrinking, cache_size, verbose, max_iter, polish, n_jobs
        As in `mercer.svm.SVR`, except "precomputed": prediction needs k(x, x), which a Gram matrix does not hold.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    nu : float in (0, 1]
        Upper bound of the share of samples outside.

    Attributes
    ----------
    radius_ : float
        R.
    offset_ : float
        −R²: ``decision_function = score_samples − offset_``.
    support_, support_vectors_, n_support_, dual_coef_, n_iter_, kernel_, solution_
        As in `mercer.svm.SVR`; ``dual_coef_`` are the weights of the centre and sum to 1.

    Examples
    --------
    The ball around the corners of a square, and its centre:

    >>> import numpy as np
    >>> from mercer.svm import SVDD
    >>> model = SVDD(kernel="linear", nu=0.01).fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> round(model.radius_**2, 9), (model.dual_coef_ @ model.support_vectors_).round(9)
    (2.0, array([[1., 1.]]))
    """

    def _problem(self, training: Training, y: DoubleArray) -> Dual:  # noqa: ARG002
        if training.kernel is None:
            raise ValueError(
                "SVDD: kernel='precomputed' is not supported, because the distance to the centre needs k(x, x) of new "
                "samples; pass a kernel and the data, or use OneClassSVM, the same region if k(x, x) is constant."
            )
        weight = training.weight[training.kept]
        share = weight / (self.nu * weight.sum())
        return formulation.one_class(training.kept, share, self.nu, linear=-training.diagonal[training.kept] / 2)

    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:
        expansion = _closed(formulation.expansion(problem, answer), answer, training)
        self.radius_ = float(np.sqrt(max(0.0, 2 * expansion.intercept + expansion.norm2)))
        return expansion

    @property
    def offset_(self) -> float:
        """−R², the threshold of `score_samples`."""
        return -(self.radius_**2)

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """R² − ‖φ(x) − a‖², positive inside the ball, of shape (n_samples,)."""
        samples = self._samples(X)
        inner = self._expand(samples, self._coef.T)[:, 0] + self.intercept_[0]
        return np.asarray(2 * inner - self._norms(samples))

    @finite_values
    def score_samples(self, X: Data) -> DoubleArray:
        """−‖φ(x) − a‖²: the decision function without the radius."""
        return self.decision_function(X) + self.offset_


def _closed(expansion: Expansion, answer: DualSolution, training: Training) -> Expansion:
    """The region with its boundary: support vectors on it have f = 0 but for rounding, which must not put them outside.

    So the threshold gives way by as much as f is uncertain; else `predict` would depend on the order of summation.
    """
    largest = float(np.abs(training.diagonal[training.kept]).max())
    slack = 16 * np.finfo(np.float64).eps * (float(np.abs(expansion.coef).sum()) * largest + abs(expansion.intercept))
    if answer.solution.polished:
        slack += answer.solution.violation
    return replace(expansion, intercept=expansion.intercept + slack)
