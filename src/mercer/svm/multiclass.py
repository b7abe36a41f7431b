"""Reduction of many classes to binary machines, and the layout of their coefficients.

One-vs-one has a machine for each pair i < j of classes, with class i on the positive side. Coefficients are laid out as
in scikit-learn and LIBSVM: one row per *other* class, with the support vectors grouped by class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.solvers import Solution, Status
from mercer.solvers.svm import Expansion

__all__ = [
    "Machine",
    "SolvedMachine",
    "SupportModel",
    "assemble",
    "one_sided",
    "one_vs_one",
    "one_vs_rest",
    "pair_values",
    "place",
]


@dataclass(frozen=True, eq=False)
class Machine:
    """Binary problem: samples of the positive side first, then those of the negative side."""

    members: IndexArray
    n_positive: int
    classes: tuple[int, ...]  # (i, j): i against j; (i,): i against the rest

    @property
    def sign(self) -> DoubleArray:
        """+1 for the positive side, −1 for the negative one."""
        sign = np.full(len(self.members), -1.0)
        sign[: self.n_positive] = 1.0
        return sign


@dataclass(frozen=True, eq=False)
class SolvedMachine:
    """Solution of a binary problem: decision function, certificate, and dual coefficients over its members."""

    expansion: Expansion
    solution: Solution
    beta: DoubleArray
    factor: float = 1.0  # of β in the coefficients of the decision function


@dataclass(frozen=True, eq=False)
class SupportModel:
    """Support vectors of all machines and their coefficients."""

    support: IndexArray  # grouped by class, ascending inside a class
    n_support: IndexArray
    dual_coef: DoubleArray
    intercept: DoubleArray


def one_vs_one(by_class: Sequence[IndexArray]) -> list[Machine]:
    """One machine for each pair of classes; two classes have one machine, with the second class positive."""
    if len(by_class) == 2:
        return [Machine(np.concatenate([by_class[1], by_class[0]]), len(by_class[1]), (1, 0))]
    return [
        Machine(np.concatenate([by_class[i], by_class[j]]), len(by_class[i]), (i, j))
        for i, j in combinations(range(len(by_class)), 2)
    ]


def one_vs_rest(by_class: Sequence[IndexArray]) -> list[Machine]:
    """One machine for each class against all others; two classes have one machine."""
    if len(by_class) == 2:
        return one_vs_one(by_class)
    machines = []
    for i, members in enumerate(by_class):
        rest = np.sort(np.concatenate([other for j, other in enumerate(by_class) if j != i]))
        machines.append(Machine(np.concatenate([members, rest]), len(members), (i,)))
    return machines


def place(machine: Machine, n_classes: int) -> int:
    """Position of a machine in the list of `one_vs_one` or `one_vs_rest`.

    >>> three = one_vs_one([np.array([0]), np.array([1]), np.array([2])])
    >>> [place(machine, 3) for machine in three]
    [0, 1, 2]
    """
    if n_classes == 2:
        return 0
    if len(machine.classes) == 1:
        return machine.classes[0]
    i, j = machine.classes
    return i * (2 * n_classes - i - 1) // 2 + j - i - 1


def one_sided(machine: Machine) -> SolvedMachine:
    """Constant machine for the remaining class, where all samples of the other class have zero weight."""
    n = len(machine.members)
    side = float(np.sign(2 * machine.n_positive - n))
    certificate = Solution(objective=0.0, gap=0.0, violation=0.0, status=Status.CONVERGED, n_iter=0)
    return SolvedMachine(Expansion(np.zeros(n), side, 0.0), certificate, np.zeros(n))


def assemble(
    machines: Sequence[Machine], solved: Sequence[SolvedMachine], label: IndexArray, n_classes: int
) -> SupportModel:
    """Lay out the coefficients of all machines; `label` is the class index of every sample."""
    answers = [part.expansion for part in solved]
    used = np.zeros(len(label), dtype=bool)
    for machine, answer in zip(machines, answers, strict=True):
        used[machine.members[answer.coef != 0]] = True
    support = np.flatnonzero(used)
    support = support[np.argsort(label[support], kind="stable")]
    column = np.full(len(label), -1)
    column[support] = np.arange(len(support))
    paired = len(machines[0].classes) == 2
    rows = 1 if n_classes == 2 else n_classes - 1 if paired else n_classes
    coef = np.zeros((rows, len(support)))
    for machine, answer in zip(machines, answers, strict=True):
        nonzero = np.flatnonzero(answer.coef)
        columns, values = column[machine.members[nonzero]], answer.coef[nonzero]
        if n_classes == 2:
            coef[0, columns] = values
        elif paired:
            i, j = machine.classes
            coef[np.where(nonzero < machine.n_positive, j - 1, i), columns] = values
        else:
            coef[machine.classes[0], columns] = values
    intercept = np.array([answer.intercept for answer in answers])
    return SupportModel(support, np.bincount(label[support], minlength=n_classes).astype(np.int32), coef, intercept)


def pair_values(parts: DoubleArray, intercept: DoubleArray) -> DoubleArray:
    """Decision values of all pairs, from the expansions over the support vectors of each class.

    ``parts[a]`` is Σ_{s in class a} k(x, s) dual_coef[:, s], of shape (n, n_classes − 1).
    """
    pairs = list(combinations(range(len(parts)), 2))
    values = np.empty((len(parts[0]), len(pairs)))
    for column, (i, j) in enumerate(pairs):
        values[:, column] = parts[i][:, j - 1] + parts[j][:, i] + intercept[column]
    return values
