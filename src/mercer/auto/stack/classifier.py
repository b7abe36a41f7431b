"""Stacks for classification."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.scoring import Judge
from mercer.auto.stack.calibrate import Calibration
from mercer.auto.stack.draft import Draft, selected
from mercer.auto.stack.machines import log_loss
from mercer.auto.stack.member import StackMember, both_signs
from mercer.auto.stack.pool import pooled_probabilities
from mercer.auto.stack.stack import Stack

__all__ = ["StackedClassifier"]


class StackedClassifier(ClassifierMixin, Stack):  # type: ignore[misc]
    """Weighted mean of calibrated probabilities of ridge classifiers, SVMs and logistic regressions."""

    _task = "classification"

    def _in_score(self, member: StackMember) -> tuple[float, Any]:
        assert member.scale is not None
        assert member.offset is not None
        if len(self.classes_) == 2:  # the score of the second class minus that of the first
            return 2 * member.weight * member.scale, member.weight * (member.offset[1] - member.offset[0])
        return member.weight * member.scale, member.weight * member.offset

    def _targets(self, y: Any, weight: DoubleArray | None) -> tuple[DoubleArray, Any, IndexArray | None, int | None]:
        self.classes_, labels = np.unique(y, return_inverse=True)
        n_classes = len(self.classes_)
        Y = np.eye(n_classes)[labels]
        Y = Y[:, 1:] if n_classes == 2 else Y
        return np.asarray(Y - np.average(Y, axis=0, weights=weight)), labels, labels, n_classes

    def _ridge_loss(self, honest: DoubleArray, own: Any, weight: DoubleArray | None) -> float:
        return log_loss(both_signs(honest), own, weight)

    def _machine_loss(self, honest: DoubleArray, own: Any, weight: DoubleArray | None) -> float:
        return log_loss(honest, own, weight)

    def _weigh(
        self, drafts: list[Draft], y: Any, judged: Any, weight: DoubleArray | None, judge: Judge | None
    ) -> tuple[DoubleArray, float]:
        labels, s = np.searchsorted(self.classes_, y[judged]), None if weight is None else weight[judged]
        parts = []
        for draft in drafts:
            scores = both_signs(draft.honest)[judged]
            draft.calibration = Calibration.fit(scores, labels, s)
            parts.append(draft.calibration.probabilities(scores))
            draft.score = float(np.average(parts[-1].argmax(axis=1) == labels, weights=s))
        if judge is None:
            found = pooled_probabilities(parts, labels, s, [draft.family for draft in drafts])
        else:
            found = selected(parts, lambda P: judge.probabilities(P, y[judged], s))
        pooled = np.sum(found[:, None, None] * parts, axis=0)
        if judge is None:
            return found, float(np.average(pooled.argmax(axis=1) == labels, weights=s))
        return found, judge.probabilities(pooled, y[judged], s)

    def predict_proba(self, X: DoubleArray) -> DoubleArray:
        """Class probabilities."""
        parts = self._each(X, len(self.classes_))
        total = np.sum([m.weight * part for m, part in zip(self.members_, parts, strict=True)], axis=0)
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def decision_function(self, X: DoubleArray) -> DoubleArray:
        """Logarithms of the probabilities; with two classes, the log-odds of the second one."""
        log = np.log(np.maximum(self.predict_proba(X), np.finfo(np.float64).tiny))
        return log if len(self.classes_) > 2 else log[:, 1] - log[:, 0]

    def predict(self, X: DoubleArray) -> Any:
        """Most probable classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
