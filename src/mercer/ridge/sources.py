"""Fits of kernel ridge regression for many penalties, from a Gram matrix or from approximated features."""

from typing import Any, Protocol

import numpy as np

from mercer._estimator import Approximation, Training
from mercer._typing import DoubleArray, IndexArray
from mercer.operators import GramOperator
from mercer.ridge.approximated import RidgeExpansion, certified
from mercer.solvers.ridge_feature_path import FeaturePath
from mercer.solvers.ridge_features import CenteredMoments, solve_feature_ridge
from mercer.solvers.ridge_path import RidgePath

__all__ = ["Path", "Source", "source_of"]


class Path(Protocol):
    """Leave-one-out and generalised cross-validation for many penalties."""

    def loo(self, alphas: Any) -> DoubleArray:
        """Leave-one-out predictions of shape (n, n_targets, n_alphas)."""

    def gcv(self, alphas: Any) -> DoubleArray:
        """Scores of shape (n_targets, n_alphas)."""


class Source(Protocol):
    """What `KernelRidgeCV` needs of its training data."""

    def path(self, Y: DoubleArray, n_alphas: int | None) -> Any:
        """Path of all samples, for a number of penalties; None for generalised cross-validation."""

    def fold_values(self, fit: IndexArray, held: IndexArray, Y: DoubleArray, alphas: DoubleArray) -> DoubleArray:
        """Predictions of held-out samples by fits to others, of shape (n_held, n_targets, n_alphas)."""

    def expansion(self, path: Any, Y: DoubleArray, alpha: Any) -> RidgeExpansion:
        """Fit to all samples with one penalty, or one for each target."""


class GramSource:
    """Exact fits: one eigendecomposition of a Gram matrix for all penalties, or a Cholesky factor for each of a few.

    Parameters
    ----------
    training : Training
        Training data.
    intercept : bool
        Whether an intercept is fitted.
    """

    def __init__(self, training: Training, *, intercept: bool) -> None:
        self._training, self._intercept = training, intercept
        self._held: GramOperator | None = None  # shared by all folds

    def path(self, Y: DoubleArray, n_alphas: int | None) -> RidgePath:
        self._held = None  # the path has two matrices of its own
        weight = self._training.optional_weight
        return RidgePath(self._training.K, Y, weight, intercept=self._intercept, n_alphas=n_alphas)

    def fold_values(self, fit: IndexArray, held: IndexArray, Y: DoubleArray, alphas: DoubleArray) -> DoubleArray:
        self._held = K = self._training.K.hold() if self._held is None else self._held
        weight = self._training.weight[fit] if self._training.weighted else None
        path = RidgePath(K.take(fit), Y[fit], weight, intercept=self._intercept, n_alphas=len(alphas))
        coef, intercept = path.coefs(alphas)
        values = K.block(held, fit) @ coef.reshape(len(fit), -1)
        return np.asarray(values.reshape(len(held), *intercept.shape) + intercept)

    def expansion(self, path: RidgePath, Y: DoubleArray, alpha: Any) -> RidgeExpansion:  # noqa: ARG002
        coef, intercept = path.coef(alpha)
        return RidgeExpansion(self._training.basis.fold(coef), intercept, path.solution(alpha))


class FeatureSource:
    """Approximated fits: one eigendecomposition of the moments of features for all penalties.

    Parameters
    ----------
    approximation : Approximation
        Features of the training samples, which all folds share.
    intercept : bool
        Whether an intercept is fitted.
    least : float
        Smallest penalty, to which the moments must be accurate.
    """

    def __init__(self, approximation: Approximation, *, intercept: bool, least: float) -> None:
        self._approximation, self._intercept, self._least = approximation, intercept, least
        self._weight = approximation.training.optional_weight

    def path(self, Y: DoubleArray, n_alphas: int | None) -> FeaturePath:  # noqa: ARG002
        return self._path(Y, self._weight)

    def _path(self, Y: DoubleArray, weight: DoubleArray | None) -> FeaturePath:
        moments = self._approximation.moments(Y, weight, accuracy=0.1 * self._least)
        energy = np.einsum("ij,ij->j", Y, Y if weight is None else weight[:, None] * Y)
        centered = CenteredMoments.of(moments, energy, intercept=self._intercept)
        return FeaturePath(centered, self._approximation.each, Y, weight, intercept=self._intercept)

    def fold_values(self, fit: IndexArray, held: IndexArray, Y: DoubleArray, alphas: DoubleArray) -> DoubleArray:
        weight = np.bincount(fit, minlength=self._approximation.n).astype(np.float64)
        weight = weight if self._weight is None else weight * self._weight
        path = self._path(Y, weight)
        weights = path.weights(alphas)
        values = self._approximation.predicted(weights.reshape(len(weights), -1), held)
        return values.reshape(len(held), *weights.shape[1:]) + path.intercepts(weights)

    def expansion(self, path: FeaturePath, Y: DoubleArray, alpha: Any) -> RidgeExpansion:
        penalties = np.array(np.broadcast_to(np.asarray(alpha, dtype=np.float64), (Y.shape[1],)))
        answer = solve_feature_ridge(path.centered, penalties)
        coef = self._approximation.coefficients(answer.weights)
        residual = Y - self._approximation.values(coef) - answer.intercept
        solution = certified(self._approximation, answer.solution, residual, penalties, answer.weights)
        return RidgeExpansion(coef, answer.intercept, solution)


def source_of(training: Training, approximation: Approximation | None, *, intercept: bool, least: float) -> Source:
    """Source of exact fits, or of fits with approximated features; `least` is the smallest penalty."""
    if approximation is None:
        return GramSource(training, intercept=intercept)
    return FeatureSource(approximation, intercept=intercept, least=least)
