"""What perceptrons share: labels ±1, the order of visits, their history, the class of a sample."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from mercer._estimator import warn_unconverged
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.solvers import Solution
from mercer.solvers.perceptron import History

__all__ = ["MistakeDriven", "erring"]


def erring(machines: Sequence[Any]) -> IndexArray:
    """Samples that at least one machine remembers as a mistake, ascending: what `support_` and `dual_coef_` cover."""
    return np.unique(np.concatenate([machine.sample for machine in machines]))


class MistakeDriven(ClassifierMixin):  # type: ignore[misc]
    """One machine for two classes, +1 for the second; else one per class, against the rest."""

    def _distinct(self, y: Any) -> Any:
        """The classes of y, which must be labels of at least two kinds."""
        check_classification_targets(y)
        return self._at_least_two(np.unique(y))

    def _at_least_two(self, classes: Any) -> Any:
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__}: the number of classes has to be greater than one; got {len(classes)} class. "
                "Pass samples of at least two classes."
            )
        return classes

    @staticmethod
    def _labels(y: Any, classes: Any) -> DoubleArray:
        """±1 of shape (machines, n)."""
        positive = classes[1:] if len(classes) == 2 else classes
        return np.where(np.asarray(y)[None, :] == positive[:, None], 1.0, -1.0)

    def _orders(self, n: int, passes: int) -> Iterator[IndexArray]:
        rng = check_random_state(self.random_state)
        for _ in range(passes):
            yield rng.permutation(n).astype(np.int64) if self.shuffle else np.arange(n)

    def _tell(self, histories: Sequence[History]) -> None:
        """Set what every perceptron has after a fit."""
        passes = max(len(h.counts) for h in histories)
        self.mistakes_ = np.array([np.pad(h.counts, (0, passes - len(h.counts))) for h in histories])
        self.mistake_indices_ = [h.sample for h in histories]
        self.n_iter_ = passes
        self.solution_ = Solution.together([h.solution for h in histories])

    def _warn_if_unclean(self) -> None:
        who = type(self).__name__
        text = (
            f"{who}: {self.solution_.objective:g} mistakes in the last of max_iter={self.max_iter} passes. Raise "
            "max_iter; if no separator exists, use a richer kernel or an averaged perceptron."
        )
        warn_unconverged(self, text)

    def predict(self, X: Data) -> Any:
        """The class of each sample: the second of two where the decision is positive, else the one decided for most."""
        decision = self.decision_function(X)
        if decision.ndim == 1:
            return self.classes_[(decision > 0).astype(np.intp)]
        return self.classes_[decision.argmax(axis=1)]
