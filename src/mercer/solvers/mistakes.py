"""State of perceptrons: the list of mistakes, or a part of them with weights.

A *machine* separates one set of labels ±1. Several machines run over one source and share its kernel values.
"""

from dataclasses import dataclass, field, replace

import numpy as np

import mercer._core as _core
from mercer._typing import DoubleArray, IndexArray
from mercer.solvers.solution import Solution, Status

__all__ = ["BudgetMemory", "History", "MistakeList"]


@dataclass(frozen=True, eq=False)
class History:
    """Mistakes of one machine in the passes up to and including its first pass without a mistake.

    Attributes
    ----------
    sample : ndarray of int of shape (n_mistakes,)
        Misclassified samples in the order of the mistakes.
    time : ndarray of int of shape (n_mistakes,)
        Visit of each mistake, counted from 1 over all passes.
    counts : ndarray of int of shape (n_passes,)
        Number of mistakes in each pass.
    visits : int
        Number of visited samples.
    """

    sample: IndexArray
    time: IndexArray
    counts: IndexArray
    visits: int

    @property
    def clean(self) -> bool:
        """Whether the last pass made no mistake, so that the machine separates the samples."""
        return int(self.counts[-1]) == 0

    @property
    def solution(self) -> Solution:
        """Certificate: the mistakes of the last pass as objective and gap, their fraction as violation."""
        last = float(self.counts[-1])
        share = last * len(self.counts) / self.visits
        status = Status.CONVERGED if self.clean else Status.MAX_ITER
        return Solution(objective=last, gap=last, violation=share, status=status, n_iter=len(self.counts))


@dataclass(frozen=True, eq=False)
class MistakeList:
    """Perceptron as the list of its mistakes, f(x) = Σ_v sign_v k(x_v, x).

    Every mistake defines a new decision function. Its *survival* is the number of visits from this mistake until
    before the next one, which weights the averaged and the voted perceptron.

    Parameters
    ----------
    sample : ndarray of int of shape (n_mistakes,), default=<factory>
        Samples of the mistakes in order. Default: empty.
    sign : ndarray of shape (n_mistakes,), default=<factory>
        Labels ±1 of these samples. Default: empty.
    time : ndarray of int of shape (n_mistakes,), default=<factory>
        Visit of each mistake, counted from 1. Default: empty.
    visits : int, default=0
        Number of visits in total.

    See Also
    --------
    BudgetMemory : Perceptron with a bounded number of samples.
    mercer.perceptron.KernelPerceptron : Classifier based on it.

    References
    ----------
    * Freund and Schapire, Large margin classification using the perceptron algorithm, Machine Learning, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> machine = MistakeList(sample=np.array([0, 2]), sign=np.array([1.0, -1.0]), time=np.array([1, 4]), visits=5)
    >>> machine.survival.tolist(), machine.coef(3).tolist(), machine.coef(3, averaged=True).tolist()
    ([3, 2], [1.0, 0.0, -1.0], [1.0, 0.0, -0.4])
    """

    sample: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    sign: DoubleArray = field(default_factory=lambda: np.empty(0))
    time: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    visits: int = 0

    def after(self, history: History, label: DoubleArray) -> "MistakeList":
        """Return the list extended by the mistakes of further passes.

        Parameters
        ----------
        history : History
            Mistakes of the passes.
        label : ndarray of shape (n_samples,)
            Labels ±1 of the samples.

        Returns
        -------
        MistakeList
            Extended list.
        """
        return MistakeList(
            np.concatenate([self.sample, history.sample]),
            np.concatenate([self.sign, label[history.sample]]),
            np.concatenate([self.time, history.time + self.visits]),
            self.visits + history.visits,
        )

    @property
    def survival(self) -> IndexArray:
        """Number of visits for which each decision function was in use.

        Returns
        -------
        ndarray of int of shape (n_mistakes,)
            Visits from each mistake until before the next one.
        """
        return np.diff(self.time, append=self.visits + 1)

    def coef(self, n: int, *, averaged: bool = False) -> DoubleArray:
        """Return the coefficients of the last decision function, or of the average of all of them.

        Parameters
        ----------
        n : int
            Number of samples.
        averaged : bool, default=False
            Whether the decision functions are averaged over all visits.

        Returns
        -------
        ndarray of shape (n,)
            Coefficients of the kernel expansion.
        """
        weight = (self.visits + 1 - self.time) / self.visits if averaged else 1.0
        return np.bincount(self.sample, self.sign * weight, minlength=n).astype(np.float64)

    def moved(self, place: IndexArray) -> "MistakeList":
        """Return the list with renumbered samples.

        Parameters
        ----------
        place : ndarray of int of shape (n_samples,)
            New index of each sample.

        Returns
        -------
        MistakeList
            List in which sample i has the index ``place[i]``.
        """
        return replace(self, sample=place[self.sample])


@dataclass(frozen=True, eq=False)
class BudgetMemory:
    """Perceptron that keeps at most `budget` samples, f(x) = Σ_j weight_j k(x_j, x).

    Parameters
    ----------
    removal : {"forgetron", "random", "projectron"}
        Rule for a mistake beyond the budget. "forgetron" (self-tuned) shrinks f and removes its oldest sample. "random"
        removes a random sample. "projectron" keeps all samples and adds the projection of the new sample onto their
        span; it projects earlier if the sample is at most `threshold` away from the span.
    budget : int
        Maximal number of samples.
    threshold : float, default=0.0
        Distance from the span up to which "projectron" projects a sample.
    sample : ndarray of int of shape (n_kept,), default=<factory>
        Kept samples, oldest first. Default: empty.
    weight : ndarray of shape (n_kept,), default=<factory>
        Coefficients of the kept samples. Default: empty.
    mistakes : int, default=0
        Number of mistakes so far.
    damage : float, default=0.0
        Accumulated damage by removals, which tunes the shrinking of "forgetron".
    largest : float, default=0.0
        Largest k(x, x) seen so far.
    state : int, default=0
        State of the random number generator of "random".

    See Also
    --------
    MistakeList : Perceptron without a budget.
    mercer.perceptron.KernelPerceptron : Classifier based on it.

    References
    ----------
    * Dekel, Shalev-Shwartz and Singer, The Forgetron: a kernel-based perceptron on a budget, SIAM J. Computing, 2008.
    * Cavallanti, Cesa-Bianchi and Gentile, Tracking the best hyperplane with a simple budget perceptron, Machine
      Learning, 2007.
    * Orabona, Keshet and Caputo, Bounded kernel-based online learning, JMLR, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> memory = BudgetMemory("random", budget=2, sample=np.array([0, 3]), weight=np.array([1.0, -1.0]))
    >>> memory.coef(4)
    array([ 1.,  0.,  0., -1.])
    """

    removal: str
    budget: int
    threshold: float = 0.0
    sample: IndexArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    weight: DoubleArray = field(default_factory=lambda: np.empty(0))
    mistakes: int = 0
    damage: float = 0.0
    largest: float = 0.0
    state: int = 0

    def packed(self) -> _core.Memory:
        """Return the state in the form of the compiled core, which updates it.

        Returns
        -------
        Memory
            Object of the compiled core.
        """
        removal = _core.Removal[self.removal]
        sample, weight = self.sample.tolist(), self.weight.tolist()
        more = (self.mistakes, self.damage, self.largest, self.state)
        return _core.Memory(removal, self.budget, self.threshold, sample, weight, *more)

    def unpacked(self, memory: _core.Memory) -> "BudgetMemory":
        """Return the state after the compiled core has updated it.

        Parameters
        ----------
        memory : Memory
            Object of the compiled core.

        Returns
        -------
        BudgetMemory
            Updated state.
        """
        return replace(
            self,
            sample=np.array(memory.sample, dtype=np.int64),
            weight=np.array(memory.coef, dtype=np.float64),
            mistakes=memory.mistakes,
            damage=memory.damage,
            largest=memory.largest,
            state=memory.state,
        )

    def coef(self, n: int) -> DoubleArray:
        """Return the coefficients of the kernel expansion.

        Parameters
        ----------
        n : int
            Number of samples.

        Returns
        -------
        ndarray of shape (n,)
            Coefficients; zero for samples that are not kept.
        """
        return np.bincount(self.sample, self.weight, minlength=n).astype(np.float64)

    def moved(self, place: IndexArray) -> "BudgetMemory":
        """Return the state with renumbered samples.

        Parameters
        ----------
        place : ndarray of int of shape (n_samples,)
            New index of each sample.

        Returns
        -------
        BudgetMemory
            State in which sample i has the index ``place[i]``.
        """
        return replace(self, sample=place[self.sample])
