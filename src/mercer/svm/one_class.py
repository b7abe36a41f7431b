"""One-class support vector machine: a half-space in feature space that contains most of the samples."""

from typing import Any

import numpy as np

from mercer._estimator import finite_values
from mercer._typing import Data, DoubleArray
from mercer.operators import LowRankOperator
from mercer.solvers import Dual, DualSolution, Solution, Status
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.approximated import ApproximableMachine
from mercer.svm.base import Training
from mercer.svm.detector import Detector, closed

__all__ = ["OneClassSVM"]


class OneClassSVM(ApproximableMachine, Detector):
    """One-class support vector machine for novelty detection.

    It finds the half-space of feature space that contains all but at most a fraction ν of the samples and is farthest
    from the origin. The dual problem, with sample weights w_i, is::

        min  ½ αᵀKα    subject to    0 ≤ α_i ≤ w_i,   Σ_i α_i = ν Σ_i w_i

    The decision function is f(x) = Σ_i α_i k(x_i, x) − ρ, positive inside the region.

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
    nu : float, default=0.5
        Upper bound on the fraction of training samples outside the region and lower bound on the fraction of support
        vectors, in (0, 1].
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
    n_jobs : int, default=None
        Number of threads. None and -1 use all that are allowed.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 30 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    offset_ : float
        Threshold ρ: ``decision_function(X) = score_samples(X) - offset_``.
    support_ : ndarray of int32 of shape (n_SV,)
        Indices of the support vectors, ascending. With an approximation, indices of the landmarks in the order of
        selection, empty if they were given or features are random.
    support_vectors_ : ndarray of shape (n_SV, n_features), sparse matrix, frame or list
        Support vectors, in the form of the training data. Empty with ``kernel="precomputed"``. With an approximation,
        its landmarks; None for random features.
    n_support_ : ndarray of int32 of shape (1,)
        Number of support vectors. With an approximation, number of samples with a nonzero dual coefficient.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_SV)
        Coefficients α_i of the support vectors. With an approximation, coefficients of the landmarks or random
        features.
    intercept_ : ndarray of shape (1,)
        Negative threshold −ρ.
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
    SVDD : Smallest ball around the samples; the same region if k(x, x) is constant.

    Notes
    -----
    Training evaluates between O(n) and O(n²) kernel values; prediction evaluates one per support vector. Memory is
    `cache_size`, the data and O(n). Support vectors on the boundary count as inside: the threshold is lowered by the
    rounding error of f.

    With an approximation of m features, the problem is solved by coordinate descent on the features, which take 4nm
    bytes and O(nm²) operations. `shrinking`, `cache_size` and `polish` have no effect. Dask collections are fitted in
    passes that return sums, see :ref:`dask`.

    References
    ----------
    * Schölkopf, Platt, Shawe-Taylor, Smola, Williamson, *Estimating the support of a high-dimensional distribution*,
      Neural Computation 13, 2001.
    * Platt, *Fast training of support vector machines using sequential minimal optimization*, in Advances in Kernel
      Methods, 1999.
    * Fan, Chen, Lin, *Working set selection using second order information for training support vector machines*, JMLR
      6, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import OneClassSVM
    >>> X = np.array([[0.0], [0.1], [-0.1], [0.2], [5.0]])
    >>> model = OneClassSVM(nu=0.3, gamma=1.0).fit(X)
    >>> model.predict([[0.05], [9.0]]), model.decision_function([[0.05], [9.0]]).round(3)
    (array([ 1, -1]), array([ 0.016, -0.734]))
    """

    _shrinkable = False

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
        approximation: Any = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            degree=degree,
            gamma=gamma,
            coef0=coef0,
            tol=tol,
            nu=nu,
            shrinking=shrinking,
            cache_size=cache_size,
            verbose=verbose,
            max_iter=max_iter,
            polish=polish,
            n_jobs=n_jobs,
        )
        self.approximation = approximation

    def _answer(self, training: Training, y: DoubleArray) -> tuple[Dual, DualSolution]:
        problem = self._problem(training, y)
        if training.approximation is None or (problem.start < problem.upper).any():
            return super()._answer(training, y)
        # ν = 1: there is a single feasible point, and no sample is inside. The solver on features would refuse it.
        if training.approximation.on_sums:
            start = np.zeros((training.n, 1))
            start[problem.members, 0] = problem.start
            w = training.approximation.projections(start)
            values = training.approximation.predicted(w, problem.members)[:, 0]
        else:
            K = LowRankOperator(self._feature_array(training.approximation)[problem.members])
            values = np.asarray(K @ problem.start, dtype=np.float64)
        solution = Solution(float(problem.start @ values) / 2, 0.0, 0.0, Status.CONVERGED, n_iter=0)
        return problem, DualSolution(problem.start, values, (-float(values.max()),) * 2, solution)

    def _problem(self, training: Training, y: DoubleArray) -> Dual:  # noqa: ARG002
        return formulation.one_class(training.kept, training.weight[training.kept], self.nu)

    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:
        return closed(formulation.expansion(problem, answer), answer, training)

    @property
    def offset_(self) -> float:
        """Threshold ρ of `score_samples`."""
        return -float(self.intercept_[0])

    def decision_function(self, X: Data) -> DoubleArray:
        """Decision values f(x) = Σ_i α_i k(x_i, x) − ρ, positive inside the region.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values.
        """
        return self._values(X)

    @finite_values
    def score_samples(self, X: Data) -> DoubleArray:
        """Scores Σ_i α_i k(x_i, x): the decision values without the threshold.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame, list of objects or kernel values
            Samples. With ``kernel="precomputed"`` the kernel values between samples and training samples, of shape
            (n_samples, n_samples_fit).

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores, larger for samples deeper inside the region.
        """
        return self.decision_function(X) + self.offset_
