"""Common base of the perceptrons: labels ±1, order of the visits, history of mistakes, prediction."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from mercer._estimator import warn_unconverged
from mercer._estimator.score import ScoredClassifier
from mercer._typing import Data, DoubleArray, IndexArray
from mercer.solvers import Solution
from mercer.solvers.mistakes import History

__all__ = ["MistakeDriven", "erring"]


def erring(machines: Sequence[Any]) -> IndexArray:
    """Indices of the samples that at least one machine stores as a mistake, ascending; rows of `support_`."""
    return np.unique(np.concatenate([machine.sample for machine in machines]))


class MistakeDriven(ScoredClassifier):
    """Base class: one machine for two classes, +1 for the second; otherwise one machine per class against the rest."""

    def _distinct(self, y: Any) -> Any:
        """Classes of y, which must contain at least two."""
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
        """Labels ±1 of shape (n_machines, n)."""
        positive = classes[1:] if len(classes) == 2 else classes
        return np.where(np.asarray(y)[None, :] == positive[:, None], 1.0, -1.0)

    def _orders(self, n: int, passes: int) -> Iterator[IndexArray]:
        """Orders of the visits in each pass."""
        rng = check_random_state(self.random_state)
        for _ in range(passes):
            yield rng.permutation(n).astype(np.int64) if self.shuffle else np.arange(n)

    def _set_history(self, histories: Sequence[History]) -> None:
        """Set the fitted attributes that follow from the histories."""
        passes = max(len(h.counts) for h in histories)
        self.mistakes_ = np.array([np.pad(h.counts, (0, passes - len(h.counts))) for h in histories])
        self.mistake_indices_ = [h.sample for h in histories]
        self.n_iter_ = passes
        self.solution_ = Solution.together([h.solution for h in histories])

    def _warn_if_unclean(self) -> None:
        who = type(self).__name__
        text = (
            f"{who}: {self.solution_.objective:g} mistakes in the last of max_iter={self.max_iter} passes. "
            "Increase max_iter; if the classes are not separable, use a richer kernel or an averaged perceptron."
        )
        warn_unconverged(self, text)

    def predict(self, X: Data) -> Any:
        """Predict the classes of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), or data that the kernel reads
            Samples, as in `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels: of two classes the second where the decision value is positive, otherwise the class with the
            largest decision value.
        """
        decision = self.decision_function(X)
        if decision.ndim == 1:
            return self.classes_[(decision > 0).astype(np.intp)]
        return self.classes_[decision.argmax(axis=1)]
