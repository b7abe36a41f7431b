"""Search for the best kernel: each proposal alone and two sums of them, on Gram matrices computed once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.auto.candidate import Candidate
from mercer.auto.candidates import Proposal
from mercer.auto.grams import Shared
from mercer.auto.models import Model, feature_variance
from mercer.auto.pace import Pace, Report
from mercer.auto.prepare import TablePreparer
from mercer.auto.sampling import Folds
from mercer.auto.scoring import Judge
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.task import Task, known_labels
from mercer.auto.trials import Trial, Trials, choose
from mercer.kernels import Kernel, Scaled, Sum
from mercer.model_selection.alignment import best_weights
from mercer.model_selection.target import target_factor
from mercer.operators import Agreement, GramOperator, OperatorStack, gram

__all__ = ["UNIFORM_SUM", "WEIGHTED_SUM", "Search"]

WEIGHTED_SUM, UNIFORM_SUM = "weighted sum", "uniform sum"


class _Form(NamedTuple):
    """A resolved kernel with its alignment, its Gram matrix and its trial, if it was tried.

    `place` is its position among the forms of a proposal.
    """

    place: int
    kernel: Kernel
    alignment: float
    gram: GramOperator
    trial: Trial | None

    @property
    def merit(self) -> tuple[float, float]:
        """Key by which forms are compared: score, then alignment."""
        return (0.0 if self.trial is None else self.trial.mean), self.alignment


@dataclass(frozen=True, eq=False)
class _Entry:
    """A kernel of the search with its Gram matrix."""

    name: str
    group: str | None
    kernel: Kernel
    gram: GramOperator


class _Combination(NamedTuple):
    """A weighted sum of entries: weights computed from all samples, and from the training part of each fold."""

    name: str
    weights: DoubleArray
    by_fold: list[DoubleArray]


class Search:
    """Comparison of kernels and models by cross-validation on one set of samples.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task of the models.
    X : array, sparse matrix, Table, Graphs, Strings or Trees
        Prepared samples.
    y : ndarray of shape (n_samples,)
        Targets; None for unlabelled samples. Alignments are computed from the labelled samples.
    folds : list of pairs of ndarray of int
        Training and test rows.
    models : sequence of Model
        Models to compare.
    n_jobs : int or None
        Number of threads; None means all available threads.
    random_state : int
        Seed of models that use random numbers.
    judge : Judge, default=None
        Score by which kernels, models and parameters are compared. None means the log-loss of calibrated out-of-fold
        decision values, or R².
    sample_weight : ndarray of shape (n_samples,), default=None
        Positive weights in fits, calibrations and scores. Alignments do not use them.

    Attributes
    ----------
    notes : list of str
        Decisions taken during the search, one sentence each.
    calibration : Calibration or None
        Calibration of the decision values of the selected candidate, after `run`; None in regression.
    residuals : ndarray or None
        Sorted absolute out-of-fold errors of the selected candidate, after `run`; None in classification.
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
        judge: Judge | None = None,
        sample_weight: DoubleArray | None = None,
    ) -> None:
        self.task, self.X, self.y, self.folds, self.n_jobs = task, X, y, folds, n_jobs
        options: dict[str, Any] = {"judge": judge, "sample_weight": sample_weight}
        self.trials = Trials(task, y, folds, models, n_jobs=n_jobs, random_state=random_state, **options)
        self.labeled, labels = known_labels("search", y)
        self.factor = target_factor("search", labels, task)
        self.notes: list[str] = []
        self.calibration: Calibration | None = None
        self.residuals: DoubleArray | None = None
        self.shared: tuple[Shared, TablePreparer] | None = None

    def share(self, shared: Shared, preparer: TablePreparer) -> None:
        """Use Gram matrices that other fits have computed for samples that include X."""
        self.shared = shared, preparer

    def _gram(self, kernel: Kernel) -> GramOperator:
        """Gram matrix of X, held in memory."""
        if self.shared is not None:
            shared, preparer = self.shared
            found = shared.gram(kernel, self.X, preparer, self.n_jobs)
            if found is not None:
                return found
        return gram(kernel, self.X, materialize=True, n_jobs=self.n_jobs)

    def run(
        self, found: Sequence[Proposal], report: Report | None = None, left: Callable[[], float] | None = None
    ) -> list[Candidate]:
        """Compare all proposals, then their sums, and mark the selected candidate.

        Parameters
        ----------
        found : sequence of Proposal
            Kernels to compare.
        report : callable, default=None
            Called as ``report(done, total, name)`` before each candidate, and at the end. The total counts all narrower
            kernels and both sums, some of which may turn out not to be needed.
        left : callable, default=None
            Returns the seconds that are left. When there are none, no other candidates are tried, and a note names
            those left out. One candidate is always tried.

        Returns
        -------
        list of Candidate
            Results, in the order of the proposals, the sums last.
        """
        sizes = [1 + len(_ladder(proposal, 0)) for proposal in found]
        pace = Pace(sum(sizes) + (2 if len(found) > 1 else 0), report, left)
        tried: list[tuple[_Entry, Trial]] = []
        for i, proposal in enumerate(found):
            if pace.begin(proposal.name, needed=not tried):
                tried += self._entries(proposal, pace)
            pace.reach(sum(sizes[: i + 1]))
        if not tried:
            raise ValueError(
                f"All kernels are constant on these {len(self.y)} samples. {' '.join(self.notes)} Give kernel=, or add "
                "other columns."
            )
        entries, trials = [entry for entry, _ in tried], [trial for _, trial in tried]
        stack = OperatorStack([entry.gram for entry in entries])
        measured = self._agreement(stack)
        weights = _weights(measured)
        sums = []
        for combination in self._sums(stack, entries, trials, weights) if len(entries) > 1 else ():
            if pace.begin(combination.name):
                sums.append(combination)
                trials.append(self.trials.run(stack, combination.by_fold))
        pace.end()
        self.notes += [pace.note] if pace.note else []
        chosen = choose(trials, [1] * len(entries) + [int((c.weights > 0).sum()) for c in sums])
        self.calibration, self.residuals = trials[chosen].calibration, trials[chosen].residuals
        rows: list[tuple[str, Kernel, float, float | None]] = [
            (entry.name, entry.kernel, float(measured.alignments[i]), float(weights[i]))
            for i, entry in enumerate(entries)
        ]
        kernels = [entry.kernel for entry in entries]
        rows += [(c.name, weighted_sum(c.weights, kernels), _aligned(c.weights, measured), None) for c in sums]
        return [
            Candidate(*row, trial.score, trial.spread, trial.model, trial.params, i == chosen, trial.mean)
            for i, (row, trial) in enumerate(zip(rows, trials, strict=True))
        ]

    # ---- kernels alone

    def _entries(self, proposal: Proposal, pace: Pace) -> Iterator[tuple[_Entry, Trial]]:
        """Try the best form of a proposal, then its finer kernels until the score no longer improves."""
        best = self._best_form(proposal.forms)
        if best is None:
            self.notes.append(f"{proposal.name}: left out, since the kernel is constant on these samples.")
            return
        entry = _Entry(proposal.name, proposal.group, best.kernel, best.gram)
        trial = best.trial or self._alone(entry.gram)
        yield entry, trial
        for name, kernel in _ladder(proposal, best.place):
            form, before = self._best_form([kernel]) if pace.begin(name) else None, trial
            if form is None:
                return
            entry = _Entry(name, proposal.group, form.kernel, form.gram)
            trial = self._alone(entry.gram)
            yield entry, trial
            if trial.mean <= before.mean:
                return

    def _alone(self, K: GramOperator) -> Trial:
        return self.trials.run(OperatorStack([K]), [np.ones(1)] * len(self.folds))

    def _best_form(self, forms: Sequence[Kernel]) -> _Form | None:
        """Form with the largest alignment; None if all forms are constant on the samples.

        With unlabelled samples, forms are compared by inner score first: few labels have the largest alignment with
        wide kernels, which do not resolve the gaps between clusters.
        """
        best: _Form | None = None
        for i, form in enumerate(forms):
            kernel = form.resolve(self.X)
            K = self._gram(kernel)
            found = self._agreement(OperatorStack([K]))
            if found.norms[0] > 0:
                trial = self._alone(K) if len(self.labeled) < len(self.y) and len(forms) > 1 else None
                tried = _Form(i, kernel, float(found.alignments[0]), K, trial)
                best = tried if best is None or tried.merit > best.merit else best
        return best

    def _agreement(self, stack: OperatorStack) -> Agreement:
        """Alignments of the kernels with the target and with each other."""
        return (stack if len(self.labeled) == len(self.y) else stack.take(self.labeled)).agreement(self.factor)

    # ---- sums

    def _sums(
        self, stack: OperatorStack, entries: list[_Entry], trials: list[Trial], weights: DoubleArray
    ) -> Iterator[_Combination]:
        if (weights > 0).sum() > 1:
            yield _Combination(WEIGHTED_SUM, weights, [self._fold_weights(stack, train) for train, _ in self.folds])
        else:
            self.notes.append(f"No {WEIGHTED_SUM} was tried, since only one kernel has a nonzero weight.")
        best: dict[str, int] = {}
        for i, entry in enumerate(entries):
            if entry.group is not None and (entry.group not in best or trials[i].mean > trials[best[entry.group]].mean):
                best[entry.group] = i
        if len(best) > 1:
            equal = np.zeros(len(entries))
            equal[list(best.values())] = [1 / feature_variance(stack.members[i]) for i in best.values()]
            equal /= equal.sum()
            yield _Combination(UNIFORM_SUM, equal, [equal] * len(self.folds))

    def _fold_weights(self, stack: OperatorStack, rows: IndexArray) -> DoubleArray:
        """Weights computed from training samples only, so that test scores are out-of-fold."""
        try:
            known, labels = known_labels("search", self.y[rows])
            factor = target_factor("search", labels, self.task)
        except ValueError:  # the training part has one class
            return np.full(len(stack), 1 / len(stack))
        return _weights(stack.take(rows[known]).agreement(factor))


def _ladder(proposal: Proposal, form: int) -> list[tuple[str, Kernel]]:
    """Narrower kernels of a form of a proposal, with their names."""
    finer = proposal.finer[form] if proposal.finer else ()
    return [(f"{word} {proposal.name}", kernel) for word, kernel in zip(("finer", "finest"), finer, strict=False)]


def _weights(measured: Agreement) -> DoubleArray:
    """Weights that maximise the alignment with the target; equal weights if no kernel is aligned with it."""
    try:
        return best_weights("search", measured)
    except ValueError:
        return np.full(len(measured.norms), 1 / len(measured.norms))


def weighted_sum(weights: DoubleArray, kernels: Sequence[Kernel]) -> Kernel:
    """Weighted sum Σ d_k k of kernels, with factors rounded to four digits for readability.

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
    """Alignment of a weighted sum with the target, from the alignments and correlations of its terms."""
    scaled = weights * measured.norms
    return float(scaled @ measured.alignments / np.sqrt(scaled @ measured.correlations @ scaled))
