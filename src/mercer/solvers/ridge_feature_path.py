"""Ridge regression on explicit features for many penalties, from one eigendecomposition of their moments."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from mercer._runtime.products import product
from mercer._runtime.spectra import eigh
from mercer._typing import DoubleArray
from mercer.solvers.ridge_features import CenteredMoments

__all__ = ["FeaturePath"]

_EPS = float(np.finfo(np.float64).eps)

Each = Callable[..., DoubleArray]


class FeaturePath:
    """Solutions of min Σs(y − ⟨w, φ⟩ − b)² + α‖w‖² for many values of α; `RidgePath` is its twin on Gram matrices.

    Parameters
    ----------
    centered : CenteredMoments
        Moments of features and targets about their means, or about zero without an intercept.
    each : callable
        Called as ``each(function, *columns)`` with columns of n rows. It returns the outputs of ``function(F, *parts)``
        for the features of all samples, in panels of rows, for `loo`.
    Y : ndarray of shape (n, t)
        Targets.
    weight : ndarray of shape (n,), default=None
        Weights s. None: ones.
    intercept : bool, default=False
        Whether b is fitted.

    Notes
    -----
    With G = UΛUᵀ the eigendecomposition takes O(r³), and each α O(r²) for a target. `loo` passes over the features and
    takes O(nr²).

    Examples
    --------
    >>> from mercer.solvers.moments import Moments
    >>> from mercer.solvers.ridge_path import RidgePath
    >>> F, y = np.random.default_rng(0).normal(size=(6, 2)), np.arange(6.0)[:, None]
    >>> sums = CenteredMoments.of(Moments.of(F, y), (y**2).sum(axis=0), intercept=True)
    >>> path = FeaturePath(sums, lambda function, *columns: function(F, *columns), y, intercept=True)
    >>> path.loo([0.5])[:2, 0, 0].round(6), RidgePath(F @ F.T, y, intercept=True).loo([0.5])[:2, 0, 0].round(6)
    (array([2.959615, 2.406441]), array([2.959615, 2.406441]))
    """

    def __init__(
        self,
        centered: CenteredMoments,
        each: Each,
        Y: DoubleArray,
        weight: DoubleArray | None = None,
        *,
        intercept: bool = False,
    ) -> None:
        self.centered = centered
        self._each, self._Y = each, Y
        self._s = np.ones(len(Y)) if weight is None else weight
        self._intercept = intercept
        values, self._U = eigh(centered.outer)
        self.values: DoubleArray = np.maximum(values, 0.0)
        self._z = product(self._U.T, centered.cross)

    def weights(self, alphas: Any) -> DoubleArray:
        """Weights w of shape (r, t, n_alphas) for every α > 0."""
        waves = self._z[:, :, None] / self._denominator(alphas)[:, None, :]
        return np.asarray(np.tensordot(self._U, waves, axes=1))

    def intercepts(self, weights: DoubleArray) -> DoubleArray:
        """Intercepts b of weights of shape (r, t, …)."""
        shape = weights.shape[1:2] + (1,) * (weights.ndim - 2)
        return np.asarray(self.centered.target.reshape(shape) - np.tensordot(self.centered.mean, weights, axes=1))

    def loo(self, alphas: Any) -> DoubleArray:
        """Leave-one-out predictions of shape (n, t, n_alphas), in one pass over the features.

        A sample is left out with its whole weight, which is equivalent to leaving out all its copies.
        """
        self._require_two()
        scale = self._denominator(alphas)
        waves = self._z[:, :, None] / scale[:, None, :]
        constant = 1 / self._s.sum() if self._intercept else 0.0
        shift = self.centered.mean @ self._U
        found = _LeftOut(self._U, scale, waves, shift, self.centered.target, constant)
        return self._each(found, self._Y, self._s)

    def gcv(self, alphas: Any) -> DoubleArray:
        """Scores of generalised cross-validation, of shape (t, n_alphas); lower is better."""
        self._require_two()
        scale, C = self._denominator(alphas), self.centered
        waves = self._z[:, :, None] / scale[:, None, :]
        fit = np.einsum("rta,rt->ta", waves, self._z)
        squares = C.energy[:, None] - 2 * fit + np.einsum("r,rta->ta", self.values, waves**2)
        count = np.count_nonzero(self._s)
        slack = (count - self._intercept - (self.values[:, None] / scale).sum(axis=0)) / count
        return np.asarray(np.maximum(squares, 0.0) / self._s.sum() / np.square(slack))

    def _denominator(self, alphas: Any) -> DoubleArray:
        return np.asarray(self.values[:, None] + np.asarray(alphas, dtype=np.float64))

    def _require_two(self) -> None:
        if self._intercept and self._s.max() >= (1 - len(self._s) * _EPS) * self._s.sum():
            raise ValueError(
                "Leave-one-out with an intercept needs at least two samples with positive weight, but sample "
                f"{int(self._s.argmax())} has all the weight; add samples, or use fit_intercept=False."
            )


@final
@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Leave-one-out predictions of samples with features F, targets Y and weights s, of shape (n, t, n_alphas)."""

    U: DoubleArray
    scale: DoubleArray
    waves: DoubleArray
    shift: DoubleArray
    target: DoubleArray
    constant: float

    def __call__(self, F: DoubleArray, Y: DoubleArray, s: DoubleArray) -> DoubleArray:
        Q = product(F, self.U)
        Q -= self.shift
        values = np.tensordot(Q, self.waves, axes=1) + self.target[:, None]
        np.square(Q, out=Q)
        leverage = s[:, None] * (Q @ (1 / self.scale) + self.constant)
        slack = np.maximum(1 - leverage, _EPS)[:, None, :]
        own = Y[:, :, None]
        return np.asarray(own - (own - values) / slack)
