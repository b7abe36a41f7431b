"""Support vector classification."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.solvers import Dual, DualSolution, RowSource, Solution
from mercer.solvers import svm as machines
from mercer.solvers.svm import Expansion
from mercer.svm.base import Training
from mercer.svm.classifier import SupportVectorClassifier
from mercer.svm.multiclass import Machine
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
        A kernel of `mercer.kernels`, its text form ("0.5*rbf(gamma=0.1) + linear"), one of "linear", "poly", "rbf", "sigmoid"
        (then `degree`, `gamma`, `coef0` count), "precomputed", or a function of two sets of samples.
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
        Pair steps of each machine; −1 for no limit.
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
    classes_, class_weight_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_, shape_fit_
        As in scikit-learn, with its order and signs; `support_vectors_` is there for every kind of data.
    kernel_ : Kernel
        The kernel with all parameters as numbers; None for "precomputed".
    solution_ : mercer.solvers.Solution
        The certificate: dual objective, duality gap, KKT violation, status, iterations; one per machine in ``machines``.
    margin_width_ : array
        2/‖w‖ of every machine.

    Notes
    -----
    Memory is `cache_size` plus the data. With weights, ``gamma="scale"`` uses the weighted variance, so that weights equal
    repetitions; scikit-learn's does not.

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

    _parameter_constraints = {
        k: v for k, v in SupportVectorClassifier._parameter_constraints.items() if k not in ("nu", "epsilon")
    }

    def _solve_machines(
        self, source: RowSource, list_machines: Sequence[Machine], training: Training, label: IndexArray
    ) -> tuple[list[Expansion], list[Solution]]:
        if np.isinf(self.C):
            return self._solve_hard(source, list_machines, training)
        bounds = self.C * training.weight
        problems = [
            machines.classification(m.members, m.sign, bounds[m.members], self._start(m, bounds, training.kept, label))
            for m in list_machines
        ]
        answers = self._solve(source, problems)
        return [machines.expansion(p, a) for p, a in zip(problems, answers, strict=True)], [a.solution for a in answers]

    def _solve_hard(
        self, source: RowSource, list_machines: Sequence[Machine], training: Training
    ) -> tuple[list[Expansion], list[Solution]]:
        """Nearest points of the convex hulls, then the scale at which support vectors have f = ±1."""
        scale = float(np.abs(training.diagonal).max()) or 1.0
        problems = [machines.hard_margin(m.members, m.n_positive) for m in list_machines]
        tol = self.tol * scale
        for _ in range(20):
            answers = self._solve(source, problems, tol=tol)
            worst = max((a.solution.violation * _stretch(a) for a in answers), default=0.0)
            if worst <= self.tol or tol < 1e-14 * scale:
                break
            tol = max(tol * min(0.1, 0.5 * self.tol / worst), 1e-15 * scale)
            problems = [_restarted(p, a) for p, a in zip(problems, answers, strict=True)]
        for machine, answer in zip(list_machines, answers, strict=True):
            if not machines.separated(answer, scale):
                names = " and ".join(repr(self.classes_[c]) for c in machine.classes)
                raise ValueError(
                    f"SVC: C=inf asks for a hard margin, but the kernel does not separate "
                    f"{'the classes ' + names if len(machine.classes) == 2 else 'class ' + names + ' from the rest'}: "
                    "their convex hulls meet in feature space. Use a finite C or a richer kernel."
                )
        pairs = list(zip(problems, answers, strict=True))
        return [machines.nu_expansion(p, a) for p, a in pairs], [_scaled(a) for a in answers]

    def _start(self, machine: Machine, bounds: DoubleArray, order: IndexArray, label: IndexArray) -> DoubleArray | None:
        """The last coefficients of this machine, cut to the new bounds, if `warm_start` asks for them and they fit."""
        old = getattr(self, "dual_coef_", None)
        if not self.warm_start or old is None or self.shape_fit_[0] != len(label):
            return None
        n_classes = len(self.classes_)
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


def _stretch(answer: DualSolution) -> float:
    width = answer.bias[1] - answer.bias[0]
    return 2 / width if width > 0 else np.inf


def _scaled(answer: DualSolution) -> Solution:
    """The certificate in units of the hard-margin dual, whose optimum is −2/d² for hulls at the distance d."""
    from dataclasses import replace

    stretch = _stretch(answer)
    part = answer.solution
    return replace(
        part, objective=-part.objective * stretch**2, gap=part.gap * stretch**2, violation=part.violation * stretch
    )


def _restarted(problem: Dual, answer: DualSolution) -> Dual:
    from dataclasses import replace

    return replace(problem, start=answer.beta)
