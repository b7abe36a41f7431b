"""ν-support vector classification."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer._typing import IndexArray
from mercer.solvers import RowSource, Solution
from mercer.solvers import svm as machines
from mercer.solvers.svm import Expansion
from mercer.svm.base import Training
from mercer.svm.classifier import SupportVectorClassifier
from mercer.svm.multiclass import Machine

__all__ = ["NuSVC"]


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

    _parameter_constraints = {
        k: v
        for k, v in SupportVectorClassifier._parameter_constraints.items()
        if k not in ("C", "epsilon", "multi_class", "warm_start")
    }

    def _solve_machines(
        self, source: RowSource, list_machines: Sequence[Machine], training: Training, label: IndexArray
    ) -> tuple[list[Expansion], list[Solution]]:
        problems = []
        for machine in list_machines:
            weight = training.weight[machine.members]
            sides = weight[: machine.n_positive].sum(), weight[machine.n_positive :].sum()
            if self.nu * sum(sides) / 2 > min(sides) * (1 + 1e-12):
                names = " and ".join(repr(self.classes_[c]) for c in machine.classes)
                raise ValueError(
                    f"specified nu is infeasible: nu={self.nu} exceeds {2 * min(sides) / sum(sides):.6g}, the most that the "
                    f"weights of the classes {names} allow; lower nu or balance the classes."
                )
            problems.append(machines.nu_classification(machine.members, machine.n_positive, weight, self.nu))
        answers = self._solve(source, problems)
        return [machines.nu_expansion(p, a) for p, a in zip(problems, answers, strict=True)], [
            a.solution for a in answers
        ]
