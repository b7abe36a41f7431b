"""Multiple kernel learning for classification."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context

from mercer._estimator import Training
from mercer._estimator.constraints import constraints
from mercer._estimator.score import ScoredClassifier
from mercer._typing import Data, DoubleArray
from mercer.multiple_kernel import weights
from mercer.multiple_kernel.base import MultipleKernel, inner_solution
from mercer.multiple_kernel.landmarks import WeightedFeatures
from mercer.multiple_kernel.views import Views
from mercer.operators import GramOperator
from mercer.solvers.kernel_weights import InnerSolution, KernelWeights
from mercer.solvers.solution import Solution
from mercer.svm import SVC, multiclass

__all__ = ["MKLClassifier"]

_SHARED = constraints("C", "class_weight")


class MKLClassifier(ScoredClassifier, MultipleKernel):
    r"""Multiple kernel learning for classification.

    Support vector machine with the kernel Σ_m d_m k_m, whose weights d ≥ 0 are learned together with the machine. With
    ``method="lp"`` the weights minimise the objective of the SVM subject to ‖d‖_p ≤ 1. p = 1 (the problem of SimpleMKL)
    gives sparse weights, larger p gives smoother weights, and p = ∞ gives the unweighted sum. `solution_` contains the
    duality gap.

    Parameters
    ----------
    kernels : "auto", "precomputed", list of Kernel or str, or Sum, default="auto"
        Kernels k_m. "auto": Gaussian kernels of several widths and the linear kernel for numbers, and kernels by type
        for columns of other kinds. "precomputed": X is an array of shape (n_kernels, n_samples, n_samples) or a list of
        Gram matrices; of shape (n_kernels, n_new_samples, n_samples) in `predict`. List: kernels or their text forms
        (see :ref:`kernel-names`). Sum: a sum of kernels, whose terms are used.
    method : {"lp", "easymkl", "alignf", "align", "uniform"}, default="lp"
        Method that learns the weights. "lp": minimum of the SVM objective. "easymkl": optimisation of the margin
        distribution. "alignf": centred alignment of the weighted sum with the classes. "align": centred alignment of
        each kernel by itself. "uniform": 1 / n_kernels each.
    p : float, default=1.0
        Norm of the weights for ``method="lp"``, from 1 to infinity.
    C : float, default=1.0
        Regularisation parameter of the SVM. The strength of the regularisation is inversely proportional to C.
    normalize : {"trace", "cosine", None}, default="trace"
        Normalisation of each kernel. "trace": division by the mean of its diagonal on the training samples. "cosine":
        k(x, z)/√(k(x, x) k(z, z)). None: no normalisation.
    reg : float, default=0.1
        Regularisation λ of ``method="easymkl"``, from 0 to 1.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class. "balanced": inversely proportional to the class frequencies.
    tol : float, default=1e-3
        Tolerance: relative duality gap of the weights at which learning stops.
    max_iter : int, default=200
        Maximal number of SVM fits.
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
    estimator_ : SVC
        Support vector machine fitted with `kernel_`.
        With an approximation, its dual coefficients belong to the values of the terms of `kernel_` with the landmarks,
        term by term, and it reads such values in place of samples.
    X_fit_ : ndarray of shape (n_landmarks, n_features), sparse matrix, frame, list or None
        Landmarks of an approximation; None if the fit is exact, and for Gram matrices.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used, with the residual of the uniform sum of the normalised kernels; None if the fit is
        exact.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    solution_ : Solution
        Certificate with objective, duality gap and status: of the weights for "lp", of the quadratic programme of
        EasyMKL for "easymkl", and of the SVM for the other methods, whose weights do not minimise its objective.
    history_ : ndarray of shape (n_iter, 2)
        Upper and lower bounds on the optimal objective after each iteration; of shape (0, 2) for methods other than
        "lp".
    n_iter_ : int
        Number of SVM fits that learned the weights for "lp"; 1 for methods without iterations.
    n_features_in_ : int
        Number of features seen during fit; number of training samples for Gram matrices.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit, if all of them are strings.

    See Also
    --------
    MKLRegressor : The same for regression.
    mercer.model_selection.alignment_weights : Weights by centred alignment, without an estimator.
    mercer.svm.SVC : Support vector machine with one kernel.

    Notes
    -----
    For more than two classes one set of weights is learned for all pairs of classes; it minimises the sum of their
    objectives. For p = 1, Newton steps on the simplex take about ten SVM fits. Each fit costs n_kernels products with
    Gram matrices. The matrices are held in memory if they fit, and recomputed otherwise.

    With an approximation, kernel m is replaced by its Nyström approximation K̂_m from the landmarks, which are selected
    for the uniform sum of the normalised kernels. The features of all kernels are held in memory, n_samples ·
    n_landmarks · n_kernels numbers, in float32 if they do not fit in float64. `solution_.exact_gap` bounds
    the distance to the exact kernels: for "lp" that of the optimum over all weights, and for "alignf", "align" and
    "uniform" that of the SVM with the weights that were found. For "easymkl" there is no bound, and an n × n matrix is
    formed.

    References
    ----------
    * Kloft, Brefeld, Sonnenburg and Zien, lp-norm multiple kernel learning, JMLR 12, 953–997, 2011.
    * Rakotomamonjy, Bach, Canu and Grandvalet, SimpleMKL, JMLR 9, 2491–2521, 2008.
    * Aiolli and Donini, EasyMKL: a scalable multiple kernel learning algorithm, Neurocomputing 169, 215–224, 2015.
    * Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, JMLR 13, 795–828,
      2012.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF, Columns
    >>> from mercer.multiple_kernel import MKLClassifier
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = MKLClassifier([Columns([0], RBF()), Columns([1], RBF())]).fit(X, X[:, 0] > 0)
    >>> model.weights_.round(2)
    array([1., 0.])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MultipleKernel._parameter_constraints,
        "C": _SHARED["C"],
        "class_weight": _SHARED["class_weight"],
    }
    _task: ClassVar[str] = "classification"

    def __init__(
        self,
        kernels: Any = "auto",
        *,
        method: str = "lp",
        p: float = 1.0,
        C: float = 1.0,
        normalize: str | None = "trace",
        reg: float = 0.1,
        class_weight: Any = None,
        tol: float = 1e-3,
        max_iter: int = 200,
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.kernels = kernels
        self.method = method
        self.p = p
        self.C = C
        self.normalize = normalize
        self.reg = reg
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.approximation = approximation

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Data, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and fit the support vector machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Training samples of a type that the kernels accept. With ``kernels="precomputed"``: Gram matrices of shape
            (n_kernels, n_samples, n_samples).
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C. Integer weights are equivalent to repeating the sample.

        Returns
        -------
        self
            Fitted estimator.
        """
        return self._fit(X, y, sample_weight)

    def decision_function(self, X: Data) -> DoubleArray:
        """Compute the decision function of the support vector machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Samples. With ``kernels="precomputed"``: kernel values of shape (n_kernels, n_samples, n_training_samples).

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values as those of `mercer.svm.SVC`; for two classes, positive values mean ``classes_[1]``.
        """
        return self._answer("decision_function", X)  # type: ignore[no-any-return]

    def predict(self, X: Data) -> Any:
        """Predict class labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
            Samples. With ``kernels="precomputed"``: kernel values of shape (n_kernels, n_samples, n_training_samples).

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted labels.
        """
        return self._answer("predict", X)

    # ---- the machine

    def _machine(self, kernel: Any) -> SVC:
        # The gap of the weights includes the gap of the machine.
        tol = min(1e-3, self.tol / 10)
        return SVC(C=self.C, kernel=kernel, class_weight=self.class_weight, tol=tol, n_jobs=self.n_jobs)

    def _inner(
        self, views: Views, machine: Any, training: Training, y: Any
    ) -> Callable[[GramOperator, DoubleArray], InnerSolution]:
        machine.set_params(warm_start=True)

        def solve(K: GramOperator, d: DoubleArray) -> InnerSolution:
            machine._fit_training(self._on(K, training, views, d, WeightedFeatures), y)
            if views.landmarks is None:
                coef = np.zeros((training.n, len(machine.intercept_)))
                coef[machine.support_] = machine._machine_coef().T
            else:
                coef = np.ascontiguousarray(machine._duals.toarray().T)
            label = np.searchsorted(machine.classes_, y)
            bound = self.C * training.weight * machine.class_weight_[label]
            return inner_solution(coef, -machine.solution_.objective, machine.solution_.gap, bound)

        return solve

    def _quadratic(self, solution: Solution, form: float) -> float:  # noqa: ARG002
        return form

    def _easy_weights(self, views: Views, training: Training, y: Any) -> KernelWeights:
        classes, label = np.unique(np.asarray(y)[training.kept], return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__}: needs samples of at least two classes with positive weights, got 1 class "
                f"({classes.tolist()})."
            )
        by_class = [training.kept[label == c] for c in range(len(classes))]
        machines = multiclass.one_vs_one(by_class) if len(classes) == 2 else multiclass.one_vs_rest(by_class)
        pairs = [(machine.members, machine.n_positive) for machine in machines]
        tol = self.tol / 10
        return weights.easy(views.stack, pairs, training.weight, reg=self.reg, tol=tol, n_jobs=self.n_jobs)

    def _copy_fitted(self) -> None:
        self.classes_ = self.estimator_.classes_
