"""Search for labels of the unlabelled samples by alternating fits and relabelling, from several starts."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.semi_supervised.machines import Machines, State, label_costs
from mercer.semi_supervised.relabel import Labelings

__all__ = ["Search", "Transduction"]

_GROWTH = 2.0 ** np.arange(-10, 1)  # increasing factors of D
_SAME = 1e-9  # relative difference below which objectives count as equal


@dataclass(frozen=True, eq=False)
class Transduction:
    """Last state of a search, and the factor of D and the objective after each fit that decreased it."""

    state: State
    path: list[tuple[float, float]]

    @property
    def objective(self) -> float:
        """Value of the minimised objective."""
        return self.state.objective


@dataclass(frozen=True, eq=False)
class Search:
    """Minimisation of the objective of a transductive SVM over machines and labels.

    Attributes
    ----------
    machines : Machines
        Solver of the machines for a labelling.
    allowed : Labelings
        Set of allowed labellings of the unlabelled samples.
    label : ndarray of int of shape (n,)
        Class indices; -1 for the unlabelled samples.
    labeled_bound : ndarray of shape (n,)
        C times the weight of each labelled sample; zero for unlabelled samples.
    unlabeled_bound : ndarray of shape (n,)
        D times the weight of each unlabelled sample; zero for labelled samples.
    """

    machines: Machines
    allowed: Labelings
    label: IndexArray
    labeled_bound: DoubleArray
    unlabeled_bound: DoubleArray

    @cached_property
    def unlabeled(self) -> IndexArray:
        """Indices of unlabelled samples."""
        return np.flatnonzero(self.label < 0)

    def run(self, starts: Iterable[IndexArray]) -> Transduction:
        """Search from the machine of the labelled samples with increasing D, and from `starts` with the final D.

        The best result is improved by neighbouring labellings that relabelling alone does not reach. The machines of
        the last labelling are solved to rounding.
        """
        inductive = self.machines.solve(self._filled(np.zeros(len(self.unlabeled), dtype=np.int64)), self.labeled_bound)
        chosen, beta = self._relabeled(inductive), inductive.beta
        path: list[tuple[float, float]] = []
        for factor in _GROWTH:
            found = self._descend(chosen, beta, factor)
            chosen, beta, path = found.state.label[self.unlabeled], found.state.beta, path + found.path
        best = Transduction(found.state, path)
        for start in starts:
            found = self._descend(start, inductive.beta)
            best = found if found.objective < best.objective else best
        best = self._exchanged(best)
        last = self.machines.solve(best.state.label, best.state.bound, best.state.beta, polish="auto")
        if last.objective < best.objective:
            best = Transduction(last, [*best.path, (1.0, last.objective)])
        return best

    def _descend(self, chosen: IndexArray, beta: DoubleArray, factor: float = 1.0) -> Transduction:
        """Alternate fits and relabelling until neither decreases the objective.

        One step minimises the objective over the machines, the other over the labels. It never rises, and the search
        ends because the number of labellings is finite.
        """
        bound = self.labeled_bound + factor * self.unlabeled_bound
        state = self.machines.solve(self._filled(chosen), bound, beta)
        path = [(factor, state.objective)]
        while not np.array_equal(chosen := self._relabeled(state), state.label[self.unlabeled]):
            new = self.machines.solve(self._filled(chosen), bound, state.beta)
            if not _lower(new, state):  # the labels differ by ties, or by less than the tolerance of the machines
                break
            state = new
            path.append((factor, state.objective))
        return Transduction(state, path)

    def _exchanged(self, best: Transduction) -> Transduction:
        """Restart from neighbours of the best labelling as long as that decreases the objective."""
        while True:
            state = best.state
            for chosen in self.allowed.near(self._costs(state), state.label[self.unlabeled]):
                found = self._descend(chosen, state.beta)
                if _lower(found.state, state):
                    # The first objectives of a descent may be above the state that it replaces.
                    below = [step for step in found.path if step[1] < state.objective]
                    best = Transduction(found.state, best.path + below)
                    break
            else:
                return best

    def _relabeled(self, state: State) -> IndexArray:
        return self.allowed.best(self._costs(state))

    def _costs(self, state: State) -> DoubleArray:
        # D does not change the order of labellings; sample weights do.
        return self.unlabeled_bound[self.unlabeled, None] * label_costs(state.values[self.unlabeled])

    def _filled(self, chosen: IndexArray) -> IndexArray:
        filled = self.label.copy()
        filled[self.unlabeled] = chosen
        return filled


def _lower(new: State, old: State) -> bool:
    return new.objective < old.objective - _SAME * abs(old.objective)
