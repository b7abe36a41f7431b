"""Shapley values of weighted sums of kernel expansions: the scores of automatic models."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.data import n_samples, take
from mercer.explain.shapley_result import ShapleyValues

__all__ = ["REGION", "ScorePart", "WeightedScore", "explained"]

REGION = "(region)"  # player of the part of the samples that a machine was fitted to


@dataclass(frozen=True, eq=False)
class ScorePart:
    """A term of the score of some rows.

    Parameters
    ----------
    rows : ndarray of int
        Rows whose score has the term.
    expansion : KernelExpansion or estimator
        The term; its coefficients contain the weight in the sum. A fitted kernel machine is a term as it is.
    """

    rows: IndexArray
    expansion: Any


class WeightedScore(Protocol):
    """A model whose score is a sum of kernel expansions, which may differ between rows."""

    def _score_samples(self, X: Data) -> Data:
        """Samples that the expansions read, with columns."""

    def _score_players(self, samples: Data) -> dict[str, list[int]]:
        """Columns of these samples that belong to each column of the data."""

    def _score_parts(self, samples: Data) -> Iterator[ScorePart]:
        """Terms of the score of these samples."""

    def _score_values(self, X: Data, names: list[str]) -> DoubleArray:
        """Numbers in the named columns, NaN where they are not numbers."""

    def _score_outputs(self) -> list[Any]:
        """Classes or indices of the outputs."""


def explained(
    explain: Callable[..., ShapleyValues],
    model: Any,
    X: Data,
    background: Data,
    options: dict[str, Any],
) -> ShapleyValues:
    """Sum of the Shapley values of all terms.

    The term of a row is held fixed for all hybrid rows, also where the model would use that of another region. The
    difference between the base values of a row's own terms and the mean base value is that of the player "(region)".
    """
    samples, others = model._score_samples(X), model._score_samples(background)
    players, outputs = model._score_players(samples), model._score_outputs()
    n, names = n_samples(samples), list(players)
    values = np.zeros((n, len(names), len(outputs)))
    pairs = np.zeros((n, len(names), len(names), len(outputs))) if options["interactions"] else None
    sampled = False
    base, score, error = np.zeros((n, len(outputs))), np.zeros((n, len(outputs))), np.zeros(n)
    for part in model._score_parts(samples):
        found = explain(part.expansion, take(samples, part.rows), others, players=players, **options)
        shape = (len(part.rows), -1, len(outputs))
        values[part.rows] += found.values.reshape(shape)
        base[part.rows] += found.base
        score[part.rows] += found.score.reshape(len(part.rows), -1)
        error[part.rows] += found.error
        sampled |= found.sampled
        if pairs is not None:
            pairs[part.rows] += found.interactions.reshape(len(part.rows), len(names), len(names), -1)  # type: ignore[union-attr]
    mean, data = base.mean(axis=0), model._score_values(X, names)
    if not np.allclose(base, mean, rtol=1e-12, atol=1e-12):
        values = np.concatenate([values, (base - mean)[:, None]], axis=1)
        names, data = [*names, REGION], np.column_stack([data, np.full(n, np.nan)])
        if pairs is not None:
            pairs = np.pad(pairs, [(0, 0), (0, 1), (0, 1), (0, 0)])
            pairs[:, -1, -1] = base - mean
    result = ShapleyValues(values, mean, score, names, float(error.max()), data, outputs, pairs, sampled)
    return result.of_output(outputs[0]) if len(outputs) == 1 else result
