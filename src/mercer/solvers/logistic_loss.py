"""Logistic and softmax loss, and the intercepts that minimise it."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax

from mercer._typing import DoubleArray

__all__ = ["LogisticLoss", "best_intercept", "first_intercept"]

_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class LogisticLoss:
    """Loss L(F) = −Σ_i s_i log p(class of sample i | F_i), where p is the sigmoid (one column) or softmax of F.

    Attributes
    ----------
    T : ndarray of shape (n, 1) or (n, n_classes)
        Indicator of the second of two classes, or of each class.
    weight : ndarray of shape (n,)
        Sample weights s.
    """

    T: DoubleArray
    weight: DoubleArray

    def value(self, F: DoubleArray) -> float:
        """Return L, from log-probabilities that do not underflow."""
        if F.shape[1] == 1:
            logs = np.where(self.T > 0, log_expit(F), log_expit(-F))[:, 0]
        else:
            logs = np.einsum("ij,ij->i", self.T, log_softmax(F, axis=1))
        return float(-self.weight @ logs)

    def probabilities(self, F: DoubleArray) -> DoubleArray:
        """Return the probabilities P, of the shape of F."""
        return np.asarray(expit(F) if F.shape[1] == 1 else softmax(F, axis=1))

    def gradient(self, F: DoubleArray) -> DoubleArray:
        """Return ∂L/∂F = s (P − T), where 1 − p is computed without cancellation."""
        if F.shape[1] == 1:
            slope = np.where(self.T > 0, -expit(-F), expit(F))
        else:
            others = np.where(self.T > 0, 0.0, self.probabilities(F))
            slope = others - self.T * others.sum(axis=1, keepdims=True)
        return np.asarray(self.weight[:, None] * slope)

    def curvature(self, P: DoubleArray, V: DoubleArray) -> DoubleArray:
        """Return ∂²L/∂F² applied to V: s p(1 − p) v, or s (diag(p) − ppᵀ)v for every sample."""
        PV = P * V
        return np.asarray(self.weight[:, None] * (PV - P * PV.sum(axis=1, keepdims=True)))

    def bend(self, P: DoubleArray) -> DoubleArray:
        """Return the mean eigenvalue of the curvature of every sample, for several classes on rows of sum zero."""
        spread = P.sum(axis=1) - np.square(P).sum(axis=1)
        return np.asarray(self.weight * np.maximum(spread, 0.0) / max(1, P.shape[1] - 1))

    def intercept_inverse(self, P: DoubleArray) -> DoubleArray:
        """Return the inverse of the curvature in the intercepts, Σ_i s_i (diag(p_i) − p_i p_iᵀ) or Σ s p(1 − p)."""
        weighted = self.weight[:, None] * P
        curvature = np.diag(weighted.sum(axis=0)) - P.T @ weighted
        if len(curvature) > 1:
            curvature += np.trace(curvature) / curvature.size  # lifts the zero eigenvalue of constant shifts of F
        return np.asarray(np.linalg.pinv(curvature, hermitian=True))


def first_intercept(loss: LogisticLoss) -> DoubleArray:
    """Return the optimal intercepts for F = b, the logarithms of the class fractions."""
    mass = loss.weight @ loss.T
    if len(mass) == 1:
        return np.asarray(np.log(mass / (loss.weight.sum() - mass)))
    return np.asarray(np.log(mass) - np.log(mass).mean())


def best_intercept(loss: LogisticLoss, H: DoubleArray, b: DoubleArray) -> DoubleArray:
    """Return the b with Σ_i s_i (p_i − t_i) = 0 by Newton's method, which decreases the norm of this sum."""
    total = loss.gradient(H + b).sum(axis=0)
    for _ in range(100):
        if np.abs(total).max() <= _EPS * loss.weight.sum():
            break
        step = -loss.intercept_inverse(loss.probabilities(H + b)) @ total
        step *= min(1.0, 10 / max(float(np.abs(step).max()), _TINY))  # limits the step where the loss is flat
        for t in 0.5 ** np.arange(40):
            moved = loss.gradient(H + (b + t * step)).sum(axis=0)
            if np.linalg.norm(moved) < np.linalg.norm(total):
                break
        else:
            break
        b, total = b + t * step, moved
    return b
