"""Probabilities from scores of classes: a softmax with temperature and one offset per class."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax

from mercer._typing import DoubleArray, IndexArray

__all__ = ["Calibration"]

SPREAD = 1.0  # standard deviation of the offsets and of the logarithm of the temperature


@dataclass(frozen=True, eq=False)
class Calibration:
    """Probabilities softmax(t·f + b) of scores f.

    Parameters
    ----------
    scale : float
        Inverse temperature t > 0.
    offset : ndarray of shape (n_classes,)
        Offsets b, near the logarithms of the class frequencies.
    """

    scale: float
    offset: DoubleArray

    @classmethod
    def fit(cls, scores: DoubleArray, labels: IndexArray, weight: DoubleArray | None = None) -> "Calibration":
        """Minimise the log-loss of scores of samples that did not influence them, with weak normal priors.

        Parameters
        ----------
        scores : ndarray of shape (n_samples, n_classes)
            Scores.
        labels : ndarray of int of shape (n_samples,)
            Positions of the classes.
        weight : ndarray of shape (n_samples,), default=None
            Sample weights.
        """
        n, k = scores.shape
        s = np.ones(n) if weight is None else weight * (n / weight.sum())
        frequency = np.bincount(labels, s, minlength=k) + 0.5
        prior = np.log(frequency / frequency.sum())
        unit = float(np.std(scores - scores.mean(axis=1, keepdims=True))) or 1.0
        truth = np.zeros((n, k))
        truth[np.arange(n), labels] = 1.0

        def loss(x: DoubleArray) -> tuple[float, DoubleArray]:
            t = np.exp(x[0]) / unit
            logs = log_softmax(t * scores + prior + x[1:], axis=1)
            slope = s[:, None] * (np.exp(logs) - truth)
            value = -float(s @ logs[np.arange(n), labels]) + 0.5 * float(x @ x) / SPREAD**2
            gradient = np.append(t * np.vdot(slope, scores), slope.sum(axis=0)) + x / SPREAD**2
            return value, gradient

        x = minimize(loss, np.zeros(k + 1), jac=True, method="L-BFGS-B").x
        return cls(float(np.exp(x[0]) / unit), prior + x[1:])

    def probabilities(self, scores: DoubleArray) -> DoubleArray:
        """Probabilities of shape (n_samples, n_classes)."""
        return np.asarray(np.exp(log_softmax(self.scale * scores + self.offset, axis=1)))
