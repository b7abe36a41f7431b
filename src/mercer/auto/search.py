"""Which kernel: each proposal alone, and two sums of them, on Gram matrices that are computed once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.auto.candidate import Candidate
from mercer.auto.candidates import Proposal
from mercer.auto.models import Model, feature_variance
from mercer.auto.sampling import Folds
from mercer.auto.task import Task
from mercer.auto.trials import Trial, Trials, choose
from mercer.kernels import Kernel, Scaled, Sum
from mercer.model_selection.alignment import best_weights
from mercer.model_selection.target import target_factor
from mercer.operators import Agreement, GramOperator, OperatorStack, gram

__all__ = ["EVEN_SUM", "WEIGHTED_SUM", "Search"]

WEIGHTED_SUM, EVEN_SUM = "weighted sum", "even sum"


class _Form(NamedTuple):
    """A kernel with numbers for all parameters, its alignment and its Gram matrix; which of several it was."""

    place: int
    kernel: Kernel
    alignment: float
    gram: GramOperator


@dataclass(frozen=True, eq=False)
class _Entry:
    """One kernel that is compared."""

    name: str
    group: str | None
    kernel: Kernel
    gram: GramOperator


class _Combination(NamedTuple):
    """A sum of entries: weights from all samples, and those for each fold."""

    name: str
    weights: DoubleArray
    by_fold: list[DoubleArray]


class Search:
    """One search on one set of samples.

    Parameters
    ----------
    task : {"classification", "regression"}
    X : prepared data of n samples
    y : array, shape (n,)
    folds : list of pairs of arrays
        Training and test rows.
    models : sequence of Model
    n_jobs : int, optional
    random_state : int
        Of models that draw.

    Attributes
    ----------
    notes : list of str
        What was decided on the way.
    """

    def __init__(
        self,
        task: Task,
        X: Data,
        y: Any,
        folds: Folds,
        models: Sequence[Model],
        *,
        n_jobs: int | None,
        random_state: int,
    ) -> None:
        self.task, self.X, self.y, self.folds, self.n_jobs = task, X, y, folds, n_jobs
        self.trials = Trials(task, y, folds, models, n_jobs=n_jobs, random_state=random_state)
        self.factor = target_factor("search", y, task)
        self.notes: list[str] = []

    def run(self, found: Sequence[Proposal]) -> list[Candidate]:
        """Candidates in the order of the proposals, then sums of them; one of all is chosen."""
        tried = [pair for proposal in found for pair in self._entries(proposal)]
        if not tried:
            raise ValueError(
                f"No kernel tells these {len(self.y)} samples apart. {' '.join(self.notes)} Give kernel=, or other "
                "columns."
            )
        entries, trials = [entry for entry, _ in tried], [trial for _, trial in tried]
        stack = OperatorStack([entry.gram for entry in entries])
        measured = stack.agreement(self.factor)
        weights = _weights(measured)
        sums = list(self._sums(stack, entries, trials, weights)) if len(entries) > 1 else []
        trials += [self.trials.run(stack, combination.by_fold) for combination in sums]
        chosen = choose(trials, [1] * len(entries) + [int((c.weights > 0).sum()) for c in sums])
        rows: list[tuple[str, Kernel, float, float | None]] = [
            (entry.name, entry.kernel, float(measured.alignments[i]), float(weights[i]))
            for i, entry in enumerate(entries)
        ]
        kernels = [entry.kernel for entry in entries]
        rows += [(c.name, weighted_sum(c.weights, kernels), _aligned(c.weights, measured), None) for c in sums]
        return [
            Candidate(*row, trial.mean, trial.spread, trial.model, trial.params, i == chosen)
            for i, (row, trial) in enumerate(zip(rows, trials, strict=True))
        ]

    # ---- kernels alone

    def _entries(self, proposal: Proposal) -> Iterator[tuple[_Entry, Trial]]:
        """The best form of a proposal, and finer ones as long as they get better."""
        best = self._best_form(proposal.forms)
        if best is None:
            self.notes.append(f"{proposal.name}: left out, since it is constant on these samples.")
            return
        entry = _Entry(proposal.name, proposal.group, best.kernel, best.gram)
        trial = self._alone(entry)
        yield entry, trial
        for word, kernel in zip(
            ("finer", "finest"), proposal.finer[best.place] if proposal.finer else (), strict=False
        ):
            form, before = self._best_form([kernel]), trial
            if form is None:
                return
            entry = _Entry(f"{word} {proposal.name}", proposal.group, form.kernel, form.gram)
            trial = self._alone(entry)
            yield entry, trial
            if trial.mean <= before.mean:
                return

    def _alone(self, entry: _Entry) -> Trial:
        return self.trials.run(OperatorStack([entry.gram]), [np.ones(1)] * len(self.folds))

    def _best_form(self, forms: Sequence[Kernel]) -> _Form | None:
        """The form with the largest alignment; None if all are constant on the data."""
        best: _Form | None = None
        for i, form in enumerate(forms):
            kernel = form.resolve(self.X)
            K = gram(kernel, self.X, materialize=True, n_jobs=self.n_jobs)
            found = OperatorStack([K]).agreement(self.factor)
            if found.norms[0] > 0 and (best is None or found.alignments[0] > best.alignment):
                best = _Form(i, kernel, float(found.alignments[0]), K)
        return best

    # ---- sums

    def _sums(
        self, stack: OperatorStack, entries: list[_Entry], trials: list[Trial], weights: DoubleArray
    ) -> Iterator[_Combination]:
        if (weights > 0).sum() > 1:
            yield _Combination(WEIGHTED_SUM, weights, [self._fold_weights(stack, train) for train, _ in self.folds])
        else:
            self.notes.append(f"No {WEIGHTED_SUM} was tried, since only one kernel would have a weight.")
        best: dict[str, int] = {}
        for i, entry in enumerate(entries):
            if entry.group is not None and (entry.group not in best or trials[i].mean > trials[best[entry.group]].mean):
                best[entry.group] = i
        if len(best) > 1:
            even = np.zeros(len(entries))
            even[list(best.values())] = [1 / feature_variance(stack.members[i]) for i in best.values()]
            even /= even.sum()
            yield _Combination(EVEN_SUM, even, [even] * len(self.folds))

    def _fold_weights(self, stack: OperatorStack, rows: IndexArray) -> DoubleArray:
        """Weights from the training samples alone, so that scores on the others are out-of-fold."""
        try:
            factor = target_factor("search", self.y[rows], self.task)
        except ValueError:  # one class
            return np.full(len(stack), 1 / len(stack))
        return _weights(stack.take(rows).agreement(factor))


def _weights(measured: Agreement) -> DoubleArray:
    """Weights of the largest alignment; equal ones where no kernel is aligned with the target."""
    try:
        return best_weights("search", measured)
    except ValueError:
        return np.full(len(measured.norms), 1 / len(measured.norms))


def weighted_sum(weights: DoubleArray, kernels: Sequence[Kernel]) -> Kernel:
    """Σ d_k k, with four digits for each factor: people read it, and no score depends on the fifth.

    >>> from mercer.kernels import RBF, Linear
    >>> print(weighted_sum(np.array([0.25, 0.75]), [RBF(gamma=1.0), 0.1 * Linear()]))
    0.25*rbf(gamma=1) + 0.075*linear
    """
    terms = []
    for weight, kernel in zip(weights, kernels, strict=True):
        factor, inner = (kernel.scale, kernel.kernel) if isinstance(kernel, Scaled) else (1.0, kernel)
        if weight > 0:
            terms.append(float(f"{weight * factor:.4g}") * inner)
    return Sum(tuple(terms))


def _aligned(weights: DoubleArray, measured: Agreement) -> float:
    """Alignment of a sum with the target, from the products of its parts."""
    scaled = weights * measured.norms
    return float(scaled @ measured.alignments / np.sqrt(scaled @ measured.correlations @ scaled))
