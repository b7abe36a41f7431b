"""Support vector data description: a ball in feature space that contains most of the samples."""

import numpy as np

from mercer._estimator import finite_values
from mercer._typing import Data, DoubleArray
from mercer.solvers import Dual, DualSolution
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.base import Training
from mercer.svm.detector import Detector, closed

__all__ = ["SVDD"]


class SVDD(Detector):
    """Support vector data description for novelty detection.

    It finds the smallest ball of feature space that contains all but at most a fraction ν of the samples. The dual
    problem, with sample weights w_i, is::

        min  αᵀKα − Σ_i α_i k(x_i, x_i)
        subject to    0 ≤ α_i ≤ w_i / (ν Σ_j w_j),   Σ_i α_i = 1

    The centre is a = Σ_i α_i φ(x_i), and the decision function is f(x) = R² − ‖φ(x) − a‖², positive inside the ball.

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        Kernel function. A name such as "linear", "poly", "rbf" or "sigmoid", completed by `degree`, `gamma` and
        `coef0`; a kernel of `mercer.kernels` or its text form, such as "0.5*rbf(gamma=0.1) + linear", with parameters
        of its own; or a callable. "precomputed" is not supported, because prediction needs k(x, x) of new samples.
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
        evaluated on the full gradient in float64.
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
        Largest number of pair steps of the solver. -1 means max(10⁷, 1000 · n_samples), a safety limit.
    polish : bool or "auto", default="auto"
        Whether to end the fit by solving the linear system of the free coefficients, those strictly between their
        bounds, to rounding accuracy. "auto" does so if there are at most 2000 of them.
    n_jobs : int, default=None
        Number of threads. None and -1 use all that are allowed.

    Attributes
    ----------
    radius_ : float
        Radius R of the ball.
    offset_ : float
        Negative squared radius −R²: ``decision_function(X) = score_samples(X) - offset_``.
    support_ : ndarray of int32 of shape (n_SV,)
        Indices of the support vectors, ascending.
    support_vectors_ : ndarray of shape (n_SV, n_features), sparse matrix, frame or list
        Support vectors, in the form of the training data. Empty with ``kernel="precomputed"``.
    n_support_ : ndarray of int32 of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or CSR matrix of shape (1, n_SV)
        Coefficients α_i of the centre a. They sum to 1.
    intercept_ : ndarray of shape (1,)
        Constant (R² − ‖a‖²)/2, so that f(x) = 2(Σ_i α_i k(x_i, x) + constant) − k(x, x).
    coef_ : ndarray or CSR matrix of shape (1, n_features)
        Centre a of the ball. Only available with a linear kernel.
    n_iter_ : int
        Pair steps of the solver, at least 1.
    fit_status_ : int
        0 if the solver converged, 1 otherwise.
    shape_fit_ : tuple of int
        Shape of the training data.
    kernel_ : Kernel
        Kernel with the numerical values of all parameters.
    solution_ : mercer.solvers.Solution
        Certificate: dual objective, duality gap, KKT violation, status and iterations.
    n_features_in_ : int
        Number of features seen during `fit`. Set only if X is a matrix or a frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    OneClassSVM : Half-space instead of a ball; the same region if k(x, x) is constant, as for the Gaussian kernel.

    Notes
    -----
    Training evaluates between O(n) and O(n²) kernel values; prediction evaluates one per support vector, and k(x, x).
    Memory is `cache_size`, the data and O(n). Support vectors on the boundary count as inside: the squared radius is
    enlarged by the rounding error of f.

    References
    ----------
    * Tax, Duin, *Support vector data description*, Machine Learning 54, 2004.
    * Platt, *Fast training of support vector machines using sequential minimal optimization*, in Advances in Kernel
      Methods, 1999.
    * Fan, Chen, Lin, *Working set selection using second order information for training support vector machines*, JMLR
      6, 2005.

    Examples
    --------
    Squared radius and centre of the ball around the corners of a square:

    >>> import numpy as np
    >>> from mercer.svm import SVDD
    >>> model = SVDD(kernel="linear", nu=0.01).fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> round(model.radius_**2, 9), (model.dual_coef_ @ model.support_vectors_).round(9)
    (2.0, array([[1., 1.]]))
    >>> model.predict([[1.5, 0.5], [3.0, 1.0]])
    array([ 1, -1])
    """

    def _problem(self, training: Training, y: DoubleArray) -> Dual:  # noqa: ARG002
        if training.kernel is None:
            raise ValueError(
                "SVDD: kernel='precomputed' is not supported, because the distance to the centre needs k(x, x) of new "
                "samples; pass a kernel and the data, or use OneClassSVM, which finds the same region if k(x, x) is "
                "constant."
            )
        weight = training.weight[training.kept]
        share = weight / (self.nu * weight.sum())
        return formulation.one_class(training.kept, share, self.nu, linear=-training.diagonal[training.kept] / 2)

    def _read(self, problem: Dual, answer: DualSolution, training: Training) -> Expansion:
        expansion = closed(formulation.expansion(problem, answer), answer, training)
        self.radius_ = float(np.sqrt(max(0.0, 2 * expansion.intercept + expansion.norm2)))
        return expansion

    @property
    def offset_(self) -> float:
        """Negative squared radius −R², the threshold of `score_samples`."""
        return -(self.radius_**2)

    @finite_values
    def decision_function(self, X: Data) -> DoubleArray:
        """Decision values f(x) = R² − ‖φ(x) − a‖², positive inside the ball.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame or list of objects
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values.
        """
        samples = self._samples(X)
        inner = self._expand(samples, self._coef.T)[:, 0] + self.intercept_[0]
        return np.asarray(2 * inner - self._norms(samples))

    def _expansion(self) -> tuple[Data, DoubleArray, DoubleArray]:
        raise TypeError(
            f"{type(self).__name__}: decision values contain k(x, x) and are not a kernel expansion "
            "Σ a_i k(x_i, x) + b; explain a OneClassSVM instead."
        )

    @finite_values
    def score_samples(self, X: Data) -> DoubleArray:
        """Scores −‖φ(x) − a‖²: the negative squared distances to the centre.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), frame or list of objects
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores, larger for samples closer to the centre.
        """
        return self.decision_function(X) + self.offset_
