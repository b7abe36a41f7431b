"""ν-support vector classification."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from mercer._estimator import warn
from mercer._typing import IndexArray
from mercer.solvers import Dual
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.approximated import ApproximableMachine
from mercer.svm.classifier import Rows, SupportVectorClassifier
from mercer.svm.multiclass import Machine, SolvedMachine
from mercer.svm.nearest import apart, nearest_points, stretch

__all__ = ["NuSVC"]

_RESOLVED = 0.1  # largest violation, relative to the margin, at which the margin counts as resolved


class NuSVC(ApproximableMachine, SupportVectorClassifier):
    """ν-support vector classification.

    The parameter ν bounds the fraction of margin errors and of support vectors; it replaces the C of `SVC`. The dual
    problem of two classes, with labels y_i = ±1 and sample weights w_i, is::

        min  ½ αᵀQα    subject to    0 ≤ α_i ≤ w_i,   yᵀα = 0,   Σ_i α_i = ν Σ_i w_i
        with Q_ij = y_i y_j k(x_i, x_j)

    The solution is then scaled so that free support vectors have f(x) = ±1. More than two classes are reduced to one
    problem for each pair of classes.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound on the fraction of margin errors and lower bound on the fraction of support vectors, in (0, 1]. For
        each binary problem it must be at most 2·min(W₊, W₋) / (W₊ + W₋), where W₊ and W₋ are the sums of the weights of
        the two classes; otherwise `fit` raises ValueError.
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
        Factors of the sample weights by class label; labels that are not in the dict have the factor 1. "balanced" uses
        W / (n_classes · W_c), where W_c is the sum of the sample weights of class c and W the sum over all classes.
        None means 1 for every class.
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
    polish : bool or "auto", default="auto"
        Whether to end the fit by solving the linear system of the free coefficients, those strictly between their
        bounds, to rounding accuracy. "auto" does so if there are at most 2000 of them.
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
        Factor of the sample weights for each class.
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
        binary problems of its class. With an approximation, coefficients of the landmarks or random features of shape
        (n_machines, n_components), one row per machine.
    intercept_ : ndarray of shape (n_machines,)
        Intercept b of each of the n_classes (n_classes - 1) / 2 machines.
    coef_ : ndarray or CSR matrix of shape (n_machines, n_features)
        Primal coefficients w of each machine. Only available with a linear kernel.
    margin_width_ : ndarray of shape (n_machines,)
        Width 2/‖w‖ of the margin of each machine; infinite where w = 0.
    n_iter_ : ndarray of int32 of shape (n_machines,)
        Pair steps of the solver for each machine, or passes over the samples with an approximation, at least 1.
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
    SVC : Classification with a penalty C of margin errors.
    NuSVR : Regression with the same meaning of ν.

    Notes
    -----
    Training evaluates between O(n) and O(n²) kernel values; prediction evaluates one per support vector. Memory is
    `cache_size`, the data and O(n). scikit-learn's `NuSVC` accepts `class_weight` without using it; this one uses it.

    If ν is so small that the reduced convex hulls of two classes intersect, there is no margin: their machine has w =
    0, and `fit` issues a ConvergenceWarning.

    With an approximation of m features, the problems of `SVC` with the same solution are found by a search over C. They
    are solved by coordinate descent on the features, which take 4nm bytes. `shrinking`, `cache_size` and `polish` have
    no effect. Dask collections are fitted in passes that return sums, see :ref:`dask`.

    References
    ----------
    * Schölkopf, Smola, Williamson, Bartlett, *New support vector algorithms*, Neural Computation 12, 2000.
    * Platt, *Fast training of support vector machines using sequential minimal optimization*, in Advances in Kernel
      Methods, 1999.
    * Fan, Chen, Lin, *Working set selection using second order information for training support vector machines*, JMLR
      6, 2005.
    * Chang, Lin, *LIBSVM: A library for support vector machines*, ACM Transactions on Intelligent Systems and
      Technology 2, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import NuSVC
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> model = NuSVC(nu=0.25, kernel="linear").fit(X, y)
    >>> model.predict([[-0.1], [0.1]])
    array([0, 1])
    >>> model.support_vectors_.ravel(), model.margin_width_.round(9)
    (array([-1.,  1.]), array([2.]))
    """

    _shrinkable = False

    def __init__(
        self,
        *,
        nu: float = 0.5,
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
        polish: bool | str = "auto",
        n_jobs: int | None = None,
        approximation: Any = None,
    ) -> None:
        self.nu = nu
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
        self.polish = polish
        self.n_jobs = n_jobs
        self.approximation = approximation

    def _solve_machines(
        self,
        rows: Rows,
        machines: Sequence[Machine],
        label: IndexArray,  # noqa: ARG002
    ) -> list[SolvedMachine]:
        problems = [self._problem(machine, rows) for machine in machines]
        if rows.training.approximation is None:
            answers, separable = nearest_points(self, rows, problems, tol=self.tol, goal=_RESOLVED, finest=1e-9)
        else:
            answers = self._solve(rows.source, problems, rows.training)
            separable = [apart(answer) for answer in answers]
        if not all(separable):
            between = self._named(machines[separable.index(False)])
            warn(
                f"NuSVC: at nu={self.nu} there is no margin between {between}: their "
                "reduced convex hulls intersect in feature space, so w = 0 and the decision function is constant. "
                "Increase nu or use a richer kernel."
            )
        triples = zip(problems, answers, separable, strict=True)
        return [
            SolvedMachine(formulation.nu_expansion(p, a), a.solution, a.beta, stretch(a))
            if disjoint
            else SolvedMachine(Expansion(np.zeros(len(a.beta)), 0.0, 0.0), a.solution, a.beta, 0.0)
            for p, a, disjoint in triples
        ]

    def _problem(self, machine: Machine, rows: Rows) -> Dual:
        weight = rows.weight[machine.members]
        sides = weight[: machine.n_positive].sum(), weight[machine.n_positive :].sum()
        if self.nu * sum(sides) / 2 > min(sides) * (1 + 1e-12):
            raise ValueError(
                f"specified nu is infeasible: nu={self.nu} exceeds {2 * min(sides) / sum(sides):.6g}, the upper "
                f"bound for the weights of {self._named(machine)}; decrease nu or balance the classes."
            )
        return formulation.nu_classification(machine.members, machine.n_positive, weight, self.nu)

    def _refuse_one_class(self) -> NoReturn:
        raise ValueError(
            "specified nu is infeasible: all samples with positive weights belong to the same class; pass samples of "
            "at least two classes with positive weights."
        )
