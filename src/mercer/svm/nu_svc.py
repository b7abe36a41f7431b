"""ν-support vector classification."""

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from mercer._estimator import warn
from mercer._typing import IndexArray
from mercer.solvers import Dual, Solution
from mercer.solvers import svm as formulation
from mercer.solvers.svm import Expansion
from mercer.svm.classifier import Rows, SupportVectorClassifier
from mercer.svm.multiclass import Machine
from mercer.svm.nearest import nearest_points

__all__ = ["NuSVC"]

_RESOLVED = 0.1  # of the margin: the largest violation that leaves no doubt that there is one


class NuSVC(SupportVectorClassifier):
    """ν-support vector classification: ν bounds the share of margin errors instead of pricing them.

    min ½αᵀQα over 0 ≤ α_i ≤ w_i, yᵀα = 0, Σα = νΣw; then scaled so that support vectors have f = ±1.

    Parameters
    ----------
    nu : float in (0, 1]
        Upper bound of the share of margin errors, lower bound of the share of support vectors. It must be at most
        2·min(W₊, W₋)/(W₊ + W₋) for the weights of the two sides of every machine.
    class_weight : dict, "balanced" or None
        Factors of the sample weights (scikit-learn accepts and ignores it).
    kernel, degree, gamma, coef0, shrinking, probability, tol, cache_size, verbose, max_iter, decision_function_shape, break_ties, random_state, polish, n_jobs
        As in `mercer.svm.SVC`.
        Names: docs/kernel-names.md. A function is called with two sets of samples.

    Attributes
    ----------
    classes_, class_weight_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, kernel_, solution_, margin_width_
        As in `mercer.svm.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.svm import NuSVC
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    >>> NuSVC(nu=0.5, kernel="linear").fit(X, y).predict([[-0.1], [0.1]])
    array([0, 1])
    """  # noqa: E501 - names of parameters

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

    def _solve_machines(
        self,
        rows: Rows,
        machines: Sequence[Machine],
        label: IndexArray,  # noqa: ARG002
    ) -> tuple[list[Expansion], list[Solution]]:
        problems = [self._problem(machine, rows) for machine in machines]
        answers, apart = nearest_points(self, rows, problems, tol=self.tol, goal=_RESOLVED, finest=1e-9)
        if not all(apart):
            warn(
                f"NuSVC: at nu={self.nu} there is no margin between {self._named(machines[apart.index(False)])}: their "
                "hulls meet in feature space, w = 0 and the machine decides nothing. Raise nu or use a richer kernel."
            )
        triples = zip(problems, answers, apart, strict=True)
        return [
            formulation.nu_expansion(p, a) if separable else Expansion(np.zeros(len(a.beta)), 0.0, 0.0)
            for p, a, separable in triples
        ], [a.solution for a in answers]

    def _problem(self, machine: Machine, rows: Rows) -> Dual:
        weight = rows.weight[machine.members]
        sides = weight[: machine.n_positive].sum(), weight[machine.n_positive :].sum()
        if self.nu * sum(sides) / 2 > min(sides) * (1 + 1e-12):
            raise ValueError(
                f"specified nu is infeasible: nu={self.nu} exceeds {2 * min(sides) / sum(sides):.6g}, the most that "
                f"the weights of {self._named(machine)} allow; lower nu or balance the classes."
            )
        return formulation.nu_classification(machine.members, machine.n_positive, weight, self.nu)

    def _refuse_one_class(self) -> NoReturn:
        raise ValueError(
            "specified nu is infeasible: all samples with positive weights belong to the same class, so that no nu is "
            "feasible; give weight to two classes."
        )
