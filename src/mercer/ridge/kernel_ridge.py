"""Kernel ridge regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin, _fit_context

from mercer._estimator import Training
from mercer._typing import Data, DoubleArray
from mercer.ridge.base import KernelRidgeBase

__all__ = ["KernelRidge"]


class KernelRidge(MultiOutputMixin, RegressorMixin, KernelRidgeBase):  # type: ignore[misc]
    r"""Least squares with a quadratic penalty, in the feature space of a kernel.

    f(x) = Σ_i c_i k(x_i, x) + b minimises Σ_i s_i (y_i − f(x_i))² + α‖f‖², without b, which is 0 unless asked for:

        (K + α diag(1/s)) c = y,    or with b    (K + α diag(1/s)) c + b1 = y,  Σc = 0.

    Parameters
    ----------
    alpha : float, or array-like of shape (n_targets,)
        α ≥ 0, the price of a large f; for all targets or one each.
    kernel : Kernel, str or callable
        A kernel of `mercer.kernels`, its text form ("0.5*rbf(gamma=0.1) + linear"), one of scikit-learn's names (then
        `gamma`, `degree`, `coef0` count), "precomputed", or a function.
        Names: docs/kernel-names.md. A function is called with two samples.
    gamma, degree, coef0
        Parameters of the named kernels, as in scikit-learn; ``gamma=None`` is 1/n_features.
    kernel_params : dict, optional
        Keyword arguments of a function as kernel.
    fit_intercept : bool
        Whether to find b, which costs nothing however large it is.
    solver : {"auto", "cholesky", "mixed", "cg"}
        "cholesky": float64, one matrix in memory. "mixed": a factor in float32 as preconditioner of conjugate gradients
        in float64; as exact, about half the time, one and a half matrices. "cg": without the matrix. "auto" asks
        `mercer.solvers.choose_method`.
    tol : float
        Largest relative residual, if rounding allows it.
    max_iter : int, optional
        Products with the kernel matrix for ``solver="cg"``; 1000 if None.
    n_jobs : int, optional
        Threads for kernel values; None means all that are allowed.

    Attributes
    ----------
    dual_coef_ : array, shape (n,) or (n, n_targets)
        c.
    intercept_ : float, or array of shape (n_targets,)
        b.
    X_fit_ : data
        The training samples, or the Gram matrix for "precomputed".
    kernel_ : Kernel
        The kernel with all parameters as numbers; None for "precomputed".
    solution_ : mercer.solvers.Solution
        The certificate: objective, gap, the relative residual as `violation`, status.
    n_iter_ : int
        Products with the kernel matrix.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    O(n³/3) time and O(n²) memory; ``solver="cg"`` takes O(n²) kernel values per product and O(500 n) memory. Every
    training sample is needed to predict. If K + α/s is singular, the solution of least norm is taken, with a warning.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.ridge import KernelRidge, Ridge
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    >>> dual, primal = KernelRidge(kernel="linear", fit_intercept=True).fit(X, y), Ridge().fit(X, y)
    >>> bool(np.allclose(dual.predict(X), primal.predict(X)))
    True
    """

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

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Fit f to numbers.

        Parameters
        ----------
        X : data of n samples, or the (n, n) Gram matrix with ``kernel="precomputed"``
            Vectors, frames or objects, as the kernel reads them.
        y : array-like of shape (n,) or (n, n_targets)
            Targets.
        sample_weight : float or array-like of shape (n,), optional
            s. An integer weight equals so many repetitions of the sample.
        """
        training, y = self._training(X, y, sample_weight, numeric=True, multi_output=True)
        return self._fit_training(training, y)

    def _targets(self, training: Training, y: Any) -> tuple[Training, DoubleArray, bool]:
        return training, np.asarray(y, dtype=np.float64).reshape(training.n, -1), y.ndim == 1

    def predict(self, X: Data) -> DoubleArray:
        """f of samples, of shape (m,) or (m, n_targets), in float64; the same whether they come alone or together."""
        return self._values(X)
