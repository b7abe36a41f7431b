"""Support vector regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin, _fit_context

from mercer._estimator import finite_fit
from mercer._estimator.progress import fit_progress
from mercer._typing import Data, DoubleArray
from mercer.solvers import Dual, DualSolution
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.base import Training
from mercer.svm.single import SingleMachine

__all__ = ["SVR", "NuSVR"]


class _Regressor(RegressorMixin, SingleMachine):  # type: ignore[misc]
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Fit f(x) = Σ coef_i k(x_i, x) + b to numbers.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like of shape (n,)
            Targets.
        sample_weight : array-like of shape (n,), optional
            Factors of C. An integer weight equals so many repetitions of the sample.
        """
        training, y = self._training(X, y, sample_weight, numeric=True)
        with fit_progress(self, None, X=X, y=y, sample_weight=sample_weight) as training.report:
            return self._fit_training(training, y)

    @finite_fit
    def _fit_training(self, training: Training, y: Any) -> Self:
        self._fit_single(training, np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: Data) -> DoubleArray:
        """f(x) of every sample, in float64; the same whether samples come alone or together."""
        return self._values(X)


class SVR(_Regressor):
    """ε-support vector regression: errors up to ε cost nothing.

    min ½βᵀKβ − yᵀβ + ε‖β‖₁ over |β_i| ≤ C w_i, Σβ = 0;  f(x) = Σ β_i k(x_i, x) + b.

    Parameters
    ----------
    kernel : Kernel, str or callable
        A kernel of `mercer.kernels`, its text form ("0.5*rbf(gamma=0.1) + linear"), one of "linear", "poly", "rbf",
        "sigmoid" (then `degree`, `gamma`, `coef0` count), "precomputed", or a function.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    degree, gamma, coef0
        Parameters of the named kernels, as in scikit-learn.
    tol : float
        Largest violation of the optimality conditions, on the full gradient in float64.
    C : float
        The price of errors; ``np.inf`` allows none, and `fit` says so if no function stays inside the tube.
    epsilon : float
        Half the width of the tube.
    shrinking : bool
        Whether variables that will stay at their bounds are left out for a while.
    cache_size : float
        Megabytes of kernel rows.
    verbose : bool
        Whether to write the certificate to standard output after the fit.
    max_iter : int
        Pair steps; −1 for max(10⁷, 1000 n), which only hopeless fits reach.
    polish : {"auto", True, False}
        Whether to solve the linear system of the free coefficients to rounding; "auto": while there are at most 2000.
    warm_start : bool
        Whether `fit` starts from the coefficients of the last one, if the number of samples is the same.
    n_jobs : int, optional
        Threads; None means all that are allowed.

    Attributes
    ----------
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, shape_fit_
        As in scikit-learn; `support_vectors_` is there for every kind of data.
    kernel_ : Kernel
        The kernel with all parameters as numbers; None for "precomputed".
    solution_ : mercer.solvers.Solution
        The certificate: dual objective, duality gap, KKT violation, status, iterations.

    Notes
    -----
    Memory is `cache_size` plus the data. Training needs between O(n) and O(n²) kernel values, prediction one for each
    support vector.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import SVR
    >>> X = np.linspace(0, 6, 50)[:, None]
    >>> model = SVR(C=100.0, epsilon=0.01).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.011)  # inside the tube
    True
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

    def _problem(self, training: Training, y: DoubleArray) -> Dual:
        bound = self.C * training.weight[training.kept]
        return formulation.regression(
            training.kept, y[training.kept], bound, self.epsilon, self._start(training, bound)
        )

    def _answer(self, training: Training, y: DoubleArray) -> tuple[Dual, DualSolution]:
        if np.isfinite(self.C):
            return super()._answer(training, y)
        # A bound that no coefficient touches cuts nothing off. Larger ones bring the errors down, if that is possible.
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
            f"SVR: C=inf asks for errors of at most epsilon={self.epsilon}, but no function of this kernel keeps to "
            "that; use a finite C, a larger epsilon or a richer kernel."
        )

    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:  # noqa: ARG002
        return formulation.expansion(problem, answer)


class NuSVR(_Regressor):
    """ν-support vector regression: ν bounds the share of samples outside a tube whose width is found.

    min ½βᵀKβ − yᵀβ over |β_i| ≤ C w_i, Σβ = 0, Σ|β| = CνΣw;  f(x) = Σ β_i k(x_i, x) + b.

    Parameters
    ----------
    nu : float in (0, 1]
        Upper bound of the share of errors, lower bound of the share of support vectors.
    C : float
        The price of errors.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, polish, warm_start, n_jobs
        As in `SVR`; `warm_start` has no effect here.
        Names: docs/kernel-names.md. A function is called with two sets of samples.

    Attributes
    ----------
    epsilon_ : float
        Half the width of the tube.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, kernel_, solution_
        As in `SVR`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import SVR, NuSVR
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> found = NuSVR(nu=0.3, C=10.0).fit(X, y)
    >>> given = SVR(epsilon=found.epsilon_, C=10.0).fit(X, y)  # the same model
    >>> bool(np.allclose(found.predict(X), given.predict(X), atol=1e-6))
    True
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        polish: bool | str = "auto",
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.polish = polish
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def _problem(self, training: Training, y: DoubleArray) -> Dual:
        if np.isinf(self.C):
            raise ValueError("NuSVR: C must be finite, because the coefficients sum up to CνΣw; 1e6 comes near.")
        return formulation.nu_regression(
            training.kept, y[training.kept], self.C * training.weight[training.kept], self.nu
        )

    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:  # noqa: ARG002
        expansion, self.epsilon_ = formulation.nu_regression_expansion(problem, answer)
        return expansion
