"""Support vector classification."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.solvers import Status
from mercer.solvers import svm as formulation
from mercer.svm.approximated import ApproximableMachine, previous_dual
from mercer.svm.classifier import Rows, SupportVectorClassifier
from mercer.svm.multiclass import Machine, SolvedMachine, place
from mercer.svm.nearest import nearest_points, scaled
from mercer.svm.single import feasible

__all__ = ["SVC"]


class SVC(ApproximableMachine, SupportVectorClassifier):
    """C-support vector classification.

    The dual problem of two classes, with labels y_i = ±1 and sample weights w_i, is::

        min  ½ αᵀQα − Σ_i α_i    subject to    0 ≤ α_i ≤ C w_i,   yᵀα = 0
        with Q_ij = y_i y_j k(x_i, x_j)

    The decision function is f(x) = Σ_i y_i α_i k(x_i, x) + b. More than two classes are reduced to binary problems, or
    solved jointly, as chosen by `multi_class`.

    Parameters
    ----------
    C : float, default=1.0
        Regularisation parameter: the penalty of margin errors. Smaller values regularise more strongly. ``np.inf``
        requests a hard margin, and `fit` raises ValueError if the kernel does not separate the classes. It must be
        finite with an approximation.
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
    probability : bool, default="deprecated"
        Present for compatibility with scikit-learn. True raises ValueError: calibrate the decision values with
        `sklearn.calibration.CalibratedClassifierCV` instead.
    tol : float, default=1e-3
        Tolerance of the stopping criterion: the largest accepted violation of the optimality (KKT) conditions,
        evaluated on the full gradient in float64. With an approximation, the largest relative duality gap; values above
        0.1 count as 0.1.
    cache_size : float, default=200
        Size of the kernel cache in megabytes.
    class_weight : dict or "balanced", default=None
        Factors of C by class label; labels that are not in the dict have the factor 1. "balanced" uses W / (n_classes ·
        W_c), where W_c is the sum of the sample weights of class c and W the sum over all classes. None means 1 for
        every class.
    verbose : bool, default=False
        Whether to print the certificate to standard output after the fit.
    max_iter : int, default=-1
        Largest number of pair steps of the solver for each binary problem. -1 means max(10⁷, 1000 · n_samples), a
        safety limit. With an approximation, the largest number of passes over the samples, where -1 means 10 000.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        Shape returned by `decision_function` for more than two classes: one value per class, or one per pair of
        classes.
    break_ties : bool, default=False
        Whether `predict` breaks ties between classes with equally many votes by their decision values. Otherwise the
        first of these classes is returned. True requires ``decision_function_shape="ovr"``.
    random_state : int, RandomState instance or None, default=None
        Ignored, because the solver is deterministic. Present for compatibility with scikit-learn.
    multi_class : {"ovo", "ovr", "crammer_singer"}, default="ovo"
        Strategy for more than two classes. "ovo" trains a binary machine for each pair of classes and predicts by
        votes. "ovr" trains one for each class against the rest and predicts the largest decision value.
        "crammer_singer" solves one joint problem, without intercepts, and predicts the largest decision value.
    polish : bool or "auto", default="auto"
        Whether to end the fit by solving the linear system of the free coefficients, those strictly between their
        bounds, to rounding accuracy. "auto" does so if there are at most 2000 of them.
    warm_start : bool, default=False
        Whether `fit` starts from the coefficients of the previous fit, clipped to the new bounds, if the numbers of
        samples and classes are unchanged. It has no effect with ``C=np.inf`` or ``multi_class="crammer_singer"``. With
        an approximation, True also stores the dual coefficients of the samples.
    n_jobs : int, default=None
        Number of threads. None and -1 use all that are allowed. The binary problems of several classes are solved in
        parallel, one thread each.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the kernel by explicit features. None: no approximation. An int m: Nyström features of m
        landmarks. A `mercer.kernel_approximation.Nystroem` or `RandomFourierFeatures` object: its features, with the
        kernel of this estimator. "auto": exact up to 30 000 samples, otherwise landmarks until the relative residual is
        at most 0.001 or their number reaches a limit, see :ref:`scaling`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    support_ : ndarray of int32 of shape (n_SV,)
        Indices of the support vectors, grouped by class and ascending within a class. With an approximation, indices of
        the landmarks in the order of selection, empty if they were given or features are random.
    support_vectors_ : ndarray of shape (n_SV, n_features), sparse matrix, frame or list
        Support vectors, in the form of the training data. Empty with ``kernel="precomputed"``. With an approximation,
        its landmarks; None for random features.
    n_support_ : ndarray of int32 of shape (n_classes,)
        Number of support vectors of each class. With an approximation, number of samples of each class with a nonzero
        dual coefficient.
    dual_coef_ : ndarray or CSR matrix of shape (n_classes - 1, n_SV)
        Dual coefficients y_i α_i in scikit-learn's layout: column s has the coefficients of support vector s in the
        binary problems of its class. With ``multi_class="ovr"`` or "crammer_singer" and more than two classes the shape
        is (n_classes, n_SV), one row per class. With an approximation, coefficients of the landmarks or random features
        of shape (n_machines, n_components), one row per machine.
    intercept_ : ndarray of shape (n_machines,)
        Intercept b of each machine: n_classes (n_classes - 1) / 2 machines with "ovo", n_classes with "ovr" and
        "crammer_singer" (zeros), one for two classes.
    coef_ : ndarray or CSR matrix of shape (n_machines, n_features)
        Primal coefficients w of each machine. Only available with a linear kernel.
    margin_width_ : ndarray of shape (n_machines,)
        Width 2/‖w‖ of the margin of each machine; infinite where w = 0. Not set by ``multi_class="crammer_singer"``
        with more than two classes.
    n_iter_ : ndarray of int32 of shape (n_machines,)
        Pair steps of the solver for each machine, or passes over the samples with an approximation, at least 1.
        "crammer_singer" has one entry.
    fit_status_ : int
        0 if the solver converged, 1 otherwise.
    shape_fit_ : tuple of int
        Shape of the training data.
    kernel_ : Kernel or None
        Kernel with the numerical values of all parameters. None with ``kernel="precomputed"``.
    approximation_ : mercer.approximation.FittedApproximation or None
        Approximation that was used; None if the fit is exact.
    solution_ : mercer.solvers.Solution
        Certificate: dual objective, duality gap, KKT violation, status and iterations. With several machines their
        certificates are in ``solution_.machines``. With an approximation, `exact_gap` refers to the sum over all
        machines.
    n_features_in_ : int
        Number of features seen during `fit`. Set only if X is a matrix or a frame.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during `fit`. Set only if all column names of X are strings.

    See Also
    --------
    NuSVC : Classification with a bound on the fraction of margin errors instead of C.
    SVR : Support vector regression.
    c_path : Fits for many values of C on one Gram matrix.
    mercer.ridge.KernelLogisticRegression : Kernel classifier with probabilities.

    Notes
    -----
    Training evaluates between O(n) and O(n²) kernel values; prediction evaluates one per support vector. Memory is
    `cache_size`, the data and O(n); the solver also factors the system of at most 4096 free coefficients.

    Integer weights are equivalent to repeating the samples. For this reason ``gamma="scale"`` uses the weighted
    variance and ``class_weight="balanced"`` counts weights, which scikit-learn does not.

    With an approximation of m features, the binary problems are solved by coordinate descent on the features, which
    take 4nm bytes and are shared by all machines. They are computed in O(nm²) operations, and a pass over the samples
    takes O(nm). `shrinking`, `cache_size` and `polish` have no effect. "crammer_singer" uses the exact solver on the
    approximated kernel, so that only memory and predictions are cheaper, and `tol` and `max_iter` keep their meaning.
    Dask collections are fitted in passes that return sums, see :ref:`dask`.

    References
    ----------
    * Cortes, Vapnik, *Support-vector networks*, Machine Learning 20, 1995.
    * Crammer, Singer, *On the algorithmic implementation of multiclass kernel-based vector machines*, JMLR 2, 2001.
    * Platt, *Fast training of support vector machines using sequential minimal optimization*, in Advances in Kernel
      Methods, 1999.
    * Fan, Chen, Lin, *Working set selection using second order information for training support vector machines*, JMLR
      6, 2005.
    * Chang, Lin, *LIBSVM: A library for support vector machines*, ACM Transactions on Intelligent Systems and
      Technology 2, 2011.

    Examples
    --------
    A hard margin between two classes on a line:

    >>> import numpy as np
    >>> from mercer.svm import SVC
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> model = SVC(C=np.inf, kernel="linear").fit(X, y)
    >>> model.support_vectors_.ravel(), model.coef_.round(9), model.margin_width_.round(9)
    (array([-1.,  1.]), array([[1.]]), array([2.]))

    Samples of any type that the kernel can read, here strings:

    >>> from mercer.kernels import user
    >>> shared = user(lambda a, b: len(set(a) & set(b)), definiteness="psd")
    >>> SVC(kernel=shared).fit(["abc", "abd", "xyz", "xyw"], [0, 0, 1, 1]).predict(["ab", "xz"])
    array([0, 1])
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: str = "ovo",
        polish: bool | str = "auto",
        warm_start: bool = False,
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
        self.polish = polish
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.approximation = approximation

    @property
    def _on_features(self) -> bool:
        return not self._native or len(self.classes_) == 2

    def _solve_machines(self, rows: Rows, machines: Sequence[Machine], label: IndexArray) -> list[SolvedMachine]:
        if np.isinf(self.C):
            return self._solve_hard(rows, machines)
        bounds = self.C * rows.weight
        problems = [
            formulation.classification(m.members, m.sign, bounds[m.members], self._start(m, bounds, rows.order, label))
            for m in machines
        ]
        answers = self._solve(rows.source, problems, rows.training)
        pairs = zip(problems, answers, strict=True)
        return [SolvedMachine(formulation.expansion(p, a), a.solution, a.beta) for p, a in pairs]

    def _solve_hard(self, rows: Rows, machines: Sequence[Machine]) -> list[SolvedMachine]:
        problems = [formulation.hard_margin(m.members, m.n_positive) for m in machines]
        largest = float(np.abs(rows.training.diagonal).max()) or 1.0
        answers, apart = nearest_points(self, rows, problems, tol=self.tol * largest, goal=self.tol, finest=1e-14)
        for machine, answer, separable in zip(machines, answers, apart, strict=True):
            if not separable:
                if answer.solution.status is Status.MAX_ITER:
                    verdict = (
                        f"max_iter={self.max_iter} stopped the solver before it separated {self._named(machine)}. "
                        "Increase max_iter."
                    )
                else:
                    verdict = (
                        f"the kernel does not separate {self._named(machine)}: their convex hulls intersect in feature "
                        "space. Use a finite C or a richer kernel."
                    )
                raise ValueError(f"SVC: C=inf requests a hard margin, but {verdict}")
        pairs = zip(problems, answers, strict=True)
        return [SolvedMachine(formulation.nu_expansion(p, a), scaled(a, self.tol), a.beta) for p, a in pairs]

    def _start(self, machine: Machine, bounds: DoubleArray, order: IndexArray, label: IndexArray) -> DoubleArray | None:
        """Coefficients of the previous fit for this machine, clipped to the new bounds; None without a usable fit."""
        if not self.warm_start or not hasattr(self, "dual_coef_") or self.shape_fit_[0] != len(label):
            return None
        start = self._previous(machine, order, label)
        if start is None:
            return None
        bound = machine.sign * bounds[machine.members]
        return feasible(start, np.minimum(bound, 0), np.maximum(bound, 0))

    def _previous(self, machine: Machine, order: IndexArray, label: IndexArray) -> DoubleArray | None:
        """Coefficients of the previous fit for the members of a machine; None if it had other machines."""
        n_classes, samples = len(self.classes_), order[machine.members]
        if len(self.n_support_) != n_classes:
            return None
        if hasattr(self, "_duals"):  # it was approximated
            return previous_dual(self._duals, place(machine, n_classes), samples)
        old = self._coef
        rows = 1 if n_classes == 2 else n_classes if self._one_vs_rest else n_classes - 1
        if len(old) != rows:
            return None
        beta = np.zeros((rows, len(label)))
        beta[:, self.support_] = old
        beta = beta[:, samples]
        if n_classes == 2:
            return np.asarray(beta[0])
        if self._one_vs_rest:
            return np.asarray(beta[machine.classes[0]])
        i, j = machine.classes
        return np.asarray(np.where(machine.sign > 0, beta[j - 1], beta[i]))
