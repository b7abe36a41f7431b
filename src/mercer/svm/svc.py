"""Support vector classification."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.solvers import Solution, Status
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.classifier import Rows, SupportVectorClassifier
from mercer.svm.multiclass import Machine
from mercer.svm.nearest import nearest_points, scaled
from mercer.svm.single import feasible

__all__ = ["SVC"]


class SVC(SupportVectorClassifier):
    """C-support vector classification with any kernel.

    min ½αᵀQα − Σα over 0 ≤ α_i ≤ C w_i, yᵀα = 0, Q_ij = y_i y_j k(x_i, x_j);  f(x) = Σ y_i α_i k(x_i, x) + b.

    Parameters
    ----------
    C : float
        The price of errors; ``np.inf`` asks for a hard margin, and `fit` says so if the classes cannot be separated.
    kernel : Kernel, str or callable
        A kernel of `mercer.kernels`, its text form ("0.5*rbf(gamma=0.1) + linear"), one of "linear", "poly", "rbf",
        "sigmoid" (then `degree`, `gamma`, `coef0` count), "precomputed", or a function.
        Names: docs/kernel-names.md. A function is called with two sets of samples.
    degree, gamma, coef0
        Parameters of the named kernels, as in scikit-learn.
    shrinking : bool
        Whether variables that will stay at their bounds are left out for a while.
    probability : bool
        Accepted while scikit-learn has it; True raises and names `CalibratedClassifierCV`.
    tol : float
        Largest violation of the optimality conditions, on the full gradient in float64.
    cache_size : float
        Megabytes of kernel rows.
    class_weight : dict, "balanced" or None
        Factors of C for classes; "balanced" counts samples by their weights.
    verbose : bool
        Whether to write the certificate to standard output after the fit.
    max_iter : int
        Pair steps of each machine; −1 for max(10⁷, 1000 n), which only hopeless fits reach.
    decision_function_shape : {"ovr", "ovo"}
        Of the values for more than two classes.
    break_ties : bool
        Whether `predict` breaks ties of votes by the decision values.
    random_state
        Ignored: nothing here is random.
    multi_class : {"ovo", "ovr", "crammer_singer"}
        Machines for pairs of classes, for each class against the rest, or one machine for all classes at once.
    polish : {"auto", True, False}
        Whether to solve the linear system of the free coefficients to rounding; "auto": while there are at most 2000.
    warm_start : bool
        Whether `fit` starts from the coefficients of the last one, if samples and classes are as many.
    n_jobs : int, optional
        Threads; None means all that are allowed. Machines of several classes run side by side.

    Attributes
    ----------
    classes_, class_weight_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_
        As in scikit-learn, with its order and signs; `support_vectors_` is there for every kind of data.
    n_iter_, fit_status_, shape_fit_
        As in scikit-learn; iterations are pair steps.
    kernel_ : Kernel
        The kernel with all parameters as numbers; None for "precomputed".
    solution_ : mercer.solvers.Solution
        The certificate: dual objective, duality gap, KKT violation, status, iterations; that of each machine is in
        ``machines``.
    margin_width_ : array
        2/‖w‖ of every machine; infinite if w = 0, NaN if the kernel is indefinite and wᵀw negative.

    Notes
    -----
    Memory is `cache_size` plus the data. With weights, ``gamma="scale"`` uses the weighted variance, so that weights
    equal repetitions; scikit-learn's does not.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import SVC
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> model = SVC(C=np.inf, kernel="linear").fit(X, y)
    >>> model.support_vectors_.ravel(), model.coef_.round(9), model.margin_width_.round(9)
    (array([-1.,  1.]), array([[1.]]), array([2.]))

    Any data a kernel can read:

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

    def _solve_machines(
        self, rows: Rows, machines: Sequence[Machine], label: IndexArray
    ) -> tuple[list[Expansion], list[Solution]]:
        if np.isinf(self.C):
            return self._solve_hard(rows, machines)
        bounds = self.C * rows.weight
        problems = [
            formulation.classification(m.members, m.sign, bounds[m.members], self._start(m, bounds, rows.order, label))
            for m in machines
        ]
        answers = self._solve(rows.source, problems, rows.training)
        pairs = zip(problems, answers, strict=True)
        return [formulation.expansion(p, a) for p, a in pairs], [a.solution for a in answers]

    def _solve_hard(self, rows: Rows, machines: Sequence[Machine]) -> tuple[list[Expansion], list[Solution]]:
        problems = [formulation.hard_margin(m.members, m.n_positive) for m in machines]
        largest = float(np.abs(rows.training.diagonal).max()) or 1.0
        answers, apart = nearest_points(self, rows, problems, tol=self.tol * largest, goal=self.tol, finest=1e-14)
        for machine, answer, separable in zip(machines, answers, apart, strict=True):
            if not separable:
                if answer.solution.status is Status.MAX_ITER:
                    verdict = f"max_iter={self.max_iter} ended the search between {self._named(machine)}. Raise it."
                else:
                    verdict = (
                        f"the kernel does not separate {self._named(machine)}: their convex hulls meet in feature "
                        "space. Use a finite C or a richer kernel."
                    )
                raise ValueError(f"SVC: C=inf asks for a hard margin, but {verdict}")
        pairs = zip(problems, answers, strict=True)
        return [formulation.nu_expansion(p, a) for p, a in pairs], [scaled(a, self.tol) for a in answers]

    def _start(self, machine: Machine, bounds: DoubleArray, order: IndexArray, label: IndexArray) -> DoubleArray | None:
        """The last coefficients of this machine, cut to the new bounds, if `warm_start` asks for them and they fit."""
        if not self.warm_start or not hasattr(self, "dual_coef_") or self.shape_fit_[0] != len(label):
            return None
        old, n_classes = self._coef, len(self.classes_)
        rows = 1 if n_classes == 2 else n_classes if self._one_vs_rest else n_classes - 1
        if len(old) != rows or len(self.n_support_) != n_classes:
            return None
        beta = np.zeros((rows, len(label)))
        beta[:, self.support_] = old
        beta = beta[:, order[machine.members]]
        if n_classes == 2:
            start = beta[0]
        elif self._one_vs_rest:
            start = beta[machine.classes[0]]
        else:
            i, j = machine.classes
            start = np.where(machine.sign > 0, beta[j - 1], beta[i])
        bound = machine.sign * bounds[machine.members]
        return feasible(start, np.minimum(bound, 0), np.maximum(bound, 0))
