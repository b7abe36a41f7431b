"""Machines before they are weighted, and the choice of weights by an arbitrary score."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.stack.kernels import INTERACTIONS, LearnedKernel
from mercer.auto.stack.linear import LINEAR

__all__ = ["Draft", "selected"]

PICKS = 20  # steps of the selection by an arbitrary score: weights are multiples of 1/20


@dataclass(eq=False)
class Draft:
    """A fitted machine with predictions for samples that did not influence them.

    Parameters
    ----------
    learned : LearnedKernel
        Its kernel.
    machine : estimator
        Fitted machine.
    honest : ndarray of shape (n_samples, n_outputs)
        Predictions, or scores of classes.
    score : float, default=nan
        Score on judged samples.
    calibration : Calibration, default=None
        Calibration of the scores; None in regression.
    """

    learned: LearnedKernel
    machine: Any
    honest: DoubleArray
    score: float = float("nan")
    calibration: Calibration | None = None

    @property
    def family(self) -> tuple[str, str]:
        """Machine and kind of kernel; kernels with learned weights of columns are one kind."""
        kind = self.learned.kind
        return type(self.machine).__name__, kind if kind in (INTERACTIONS, LINEAR) else "columns"


def selected(members: Sequence[DoubleArray], judge: Callable[[DoubleArray], float]) -> DoubleArray:
    """Weights ≥ 0 with sum 1 of predictions whose mean has a large score, by forward selection with replacement.

    Parameters
    ----------
    members : sequence of ndarray
        Predictions of each member, of one shape.
    judge : callable
        Score of predictions, greater is better.

    Returns
    -------
    ndarray of shape (n_members,)
        Multiples of 1/20, the best that were met on the way.

    References
    ----------
    * Caruana, Niculescu-Mizil, Crew and Ksikes, Ensemble selection from libraries of models, ICML 2004.

    Examples
    --------
    >>> truth = np.array([1.0, 2.0, 3.0])
    >>> selected([truth + 1, truth - 1, 0 * truth], lambda values: -np.abs(values - truth).sum()).tolist()
    [0.5, 0.5, 0.0]
    """
    counts, total = np.zeros(len(members)), np.zeros_like(members[0])
    best, reached = counts, -np.inf
    for step in range(1, PICKS + 1):
        scores = [judge((total + member) / step) for member in members]
        pick = int(np.nanargmax(scores)) if not np.isnan(scores).all() else 0
        counts, total = counts + (np.arange(len(members)) == pick), total + members[pick]
        if scores[pick] > reached or not best.any():
            best, reached = counts / step, scores[pick]
    return best
