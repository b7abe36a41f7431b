"""Stacks for regression."""

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.scoring import Judge
from mercer.auto.stack.draft import Draft, selected
from mercer.auto.stack.member import StackMember
from mercer.auto.stack.pool import pooled_values
from mercer.auto.stack.stack import Stack

__all__ = ["StackedRegressor"]


class StackedRegressor(RegressorMixin, Stack):  # type: ignore[misc]
    """Weighted sum of ridge and support vector regressions on learned kernels."""

    _task = "regression"

    def _in_score(self, member: StackMember) -> tuple[float, Any]:
        return member.weight * self.spread_, self.center_ / len(self.members_)

    def _targets(self, y: Any, weight: DoubleArray | None) -> tuple[DoubleArray, Any, IndexArray | None, int | None]:
        self.center_ = float(np.average(y, weights=weight))
        self.spread_ = float(np.sqrt(np.average(np.square(y - self.center_), weights=weight))) or 1.0
        own = np.asarray((y - self.center_) / self.spread_)
        return own[:, None], own, None, None

    def _ridge_loss(self, honest: DoubleArray, own: Any, weight: DoubleArray | None) -> float:
        return float(np.average(np.square(own - honest[:, 0]), weights=weight))

    _machine_loss = _ridge_loss

    def _weigh(
        self, drafts: list[Draft], y: Any, judged: Any, weight: DoubleArray | None, judge: Judge | None
    ) -> tuple[DoubleArray, float]:
        truth, s = (y[judged] - self.center_) / self.spread_, None if weight is None else weight[judged]
        honest = [draft.honest[judged, 0] for draft in drafts]
        if judge is None:
            found = pooled_values(honest, truth, s)
        else:
            found = selected(honest, lambda values: judge.values(self._back(values), y[judged], s))
        pooled = np.sum(found[:, None] * honest, axis=0)
        for draft, values in zip(drafts, honest, strict=True):
            draft.score = _r2(truth, values, s)
        self.residuals_ = self.spread_ * np.sort(np.abs(truth - pooled))
        return found, _r2(truth, pooled, s) if judge is None else judge.values(self._back(pooled), y[judged], s)

    def _back(self, values: DoubleArray) -> DoubleArray:
        """Centred predictions in the units of the target."""
        return np.asarray(self.center_ + self.spread_ * values)

    def interval_width(self, coverage: float) -> float:
        """Half the width of an interval that contains this share of the targets of samples not used for training.

        Quantile of the absolute residuals of judged samples, with the correction for their number of split conformal
        prediction.
        """
        m = len(self.residuals_)
        return float(self.residuals_[min(m, int(np.ceil((m + 1) * coverage))) - 1])

    def predict(self, X: DoubleArray) -> DoubleArray:
        """Predict targets."""
        parts = self._each(X, None)
        total = sum(member.weight * part[:, 0] for member, part in zip(self.members_, parts, strict=True))
        return self._back(np.asarray(total))


def _r2(truth: DoubleArray, predicted: DoubleArray, weight: DoubleArray | None) -> float:
    """Share of the variance that predictions explain."""
    mean = np.average(truth, weights=weight)
    error, total = (np.average(np.square(truth - v), weights=weight) for v in (predicted, mean))
    return float(1 - error / total) if total > 0 else float("nan")
