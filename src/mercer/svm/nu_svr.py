"""ν-support vector regression."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.solvers import Dual, DualSolution
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.base import Training
from mercer.svm.svr import Regressor

__all__ = ["NuSVR"]


class NuSVR(Regressor):
    """ν-support vector regression.

    The parameter ν bounds the fraction of samples outside the tube, whose width is found by the fit. The dual problem,
    with sample weights w_i, is::

        min  ½ βᵀKβ − yᵀβ
        subject to    −C w_i ≤ β_i ≤ C w_i,   Σ_i β_i = 0,   Σ_i |β_i| = C ν Σ_i w_i

    The prediction is f(x) = Σ_i β_i k(x_i, x) + b.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the fraction of samples outside the tube and lower bound on the fraction of support vectors, in
        (0, 1].
    C : float, default=1.0
        Regularisation parameter: the penalty of errors outside the tube. Smaller values regularise more strongly. It
        must be finite.
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
    shrinking : bool, default=True
        Whether the solver temporarily leaves out variables that are expected to stay at their bounds. It affects the
        training time, not the solution.
    tol : float, default=1e-3
        Tolerance of the stopping criterion: the largest accepted violation of the optimality (KKT) conditions,
        evaluated on the full gradient in float64.
    cache_size : float, default=200
        Size of the kernel cache in megabytes.
    verbose : bool, default=False
        Whether to print the certificate to standard output after the fit.
    max_iter : int, default=-1
        Largest number of pair steps of the solver. -1 means max(10⁷, 1000 · n_samples), a safety limit.
    polish : bool or "auto", default="auto"
        Whether to end the fit by solving the linear system of the free coefficients, those strictly between their
        bounds, to rounding accuracy. "auto" does so if there are at most 2000 of them.
    warm_start : bool, default=False
        No effect: the constraints of ν-SVR change with its parameters. Present so that `SVR` and `NuSVR` take the same
        parameters.
    n_jobs : int, default=None
        Number of threads. None and -1 use all that are allowed.

    Attributes
    ----------
    epsilon_ : float
        Half the width of the tube.
    support_ : ndarray of int32 of shape (n_SV,)
        Indices of the support vectors, ascending.
    support_vectors_ : ndarray of shape (n_SV, n_features), sparse matrix, frame or list
        Support vectors, in the form of the training data. Empty with ``kernel="precomputed"``.
    n_support_ : ndarray of int32 of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_SV)
        Coefficients β_i of the support vectors.
    intercept_ : ndarray of shape (1,)
        Intercept b.
    coef_ : ndarray or CSR matrix of shape (1, n_features)
        Primal coefficients w. Only available with a linear kernel.
    n_iter_ : int
        Pair steps of the solver, at least 1.
    fit_status_ : int
        0 if the solver converged, 1 otherwise.
    shape_fit_ : tuple of int
        Shape of the training data.
    kernel_ : Kernel or None
        Kernel with the numerical values of all parameters. None with ``kernel="precomputed"``.
    solution_ : mercer.solvers.Solution
        Certificate: dual objective, duality gap, KKT violation, status and iterations.
    n_features_in_ : int
        Number of features seen during `fit`. Set only if X is a matrix or a frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    SVR : Regression with a given width of the tube.
    NuSVC : Classification with the same meaning of ν.

    Notes
    -----
    `SVR` with ``epsilon=epsilon_`` and the same C has the same solution. Training evaluates between O(n) and O(n²)
    kernel values; prediction evaluates one per support vector. Memory is `cache_size`, the data and O(n).

    References
    ----------
    * Schölkopf, Smola, Williamson, Bartlett, *New support vector algorithms*, Neural Computation 12, 2000.
    * Platt, *Fast training of support vector machines using sequential minimal optimization*, in Advances in Kernel
      Methods, 1999.
    * Fan, Chen, Lin, *Working set selection using second order information for training support vector machines*, JMLR
      6, 2005.

    Examples
    --------
    The tube that is found, and the prediction of `SVR` with the same tube:

    >>> import numpy as np
    >>> from mercer.svm import SVR, NuSVR
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> found = NuSVR(nu=0.3, C=10.0).fit(X, y)
    >>> round(found.epsilon_, 4)
    0.0004
    >>> given = SVR(epsilon=found.epsilon_, C=10.0).fit(X, y)
    >>> found.predict([[1.0], [4.0]]).round(4), given.predict([[1.0], [4.0]]).round(4)
    (array([ 0.8419, -0.7567]), array([ 0.8419, -0.7567]))
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
            raise ValueError("NuSVR: C must be finite, got inf; use a large value such as C=1e6.")
        return formulation.nu_regression(
            training.kept, y[training.kept], self.C * training.weight[training.kept], self.nu
        )

    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:  # noqa: ARG002
        expansion, self.epsilon_ = formulation.nu_regression_expansion(problem, answer)
        return expansion
