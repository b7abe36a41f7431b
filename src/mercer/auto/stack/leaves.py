"""Kernel ridge regression in overlapping leaves of a tree of median splits, for more samples than a matrix allows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.kernels import Kernel
from mercer.operators import gram
from mercer.solvers.leave_one_out import LeaveOneOut

__all__ = ["LeafRidge"]

OVERLAP = 0.1  # share of the samples on each side of a split that the other side learns from, too
SAMPLE = 2000  # samples from which a direction is computed
FEW = 1e-8  # smallest penalty


@dataclass(frozen=True, eq=False)
class _Split:
    """An inner node: samples with ⟨direction, x⟩ ≤ threshold go to the left."""

    direction: DoubleArray
    threshold: float
    left: int
    right: int


class LeafRidge:
    r"""Kernel ridge regression, exact up to `leaf` samples, otherwise in leaves.

    Nodes are split at the median of the first principal direction of the embedded samples. A leaf also learns from
    samples beyond its borders, a tenth of its parent on each side, and predicts for its own region.

    Parameters
    ----------
    kernel : Kernel
        Kernel on rows of X.
    leaf : int
        Largest number of samples of a leaf, without those beyond its borders.
    """

    def __init__(self, kernel: Kernel, leaf: int, n_jobs: int | None = 1) -> None:
        self.kernel, self.leaf, self.n_jobs = kernel, leaf, n_jobs

    def fit(
        self,
        X: DoubleArray,
        E: DoubleArray,
        Y: DoubleArray,
        alphas: Sequence[float],
        judged: Any,
        weight: DoubleArray | None = None,
        groups: IndexArray | None = None,
    ) -> "LeafRidge":
        """Fit all leaves; α is chosen by the leave-one-out error of the judged samples in the first two.

        Parameters
        ----------
        X : ndarray of shape (n, n_columns)
            Samples as the kernel reads them.
        E : ndarray of shape (n, n_dimensions)
            Samples as points of a Euclidean space in which they are split.
        Y : ndarray of shape (n, n_targets)
            Centred targets.
        alphas : sequence of float
            Penalties to compare.
        judged : ndarray of bool of shape (n,)
            Samples whose errors choose α.
        weight : ndarray of shape (n,), default=None
            Sample weights.
        groups : ndarray of shape (n,), default=None
            Samples that are left out together.

        Returns
        -------
        LeafRidge
            This object, with `loo`, the leave-one-out predictions.
        """
        everyone = np.arange(len(X))
        self.nodes: list[_Split | None] = []
        self.parts: dict[int, tuple[DoubleArray, DoubleArray]] = {}
        self._train: dict[int, tuple[IndexArray, IndexArray]] = {}
        self._grow(E, everyone, everyone, np.random.default_rng(0))
        self.loo = np.zeros_like(Y)
        errors = np.zeros(len(alphas))
        tried = list(alphas)
        for number, (node, (core, train)) in enumerate(self._train.items()):
            loss = LeaveOneOut(
                Y[train],
                None if weight is None else weight[train],
                None if groups is None else groups[train],
            )
            K = gram(self.kernel, X[train], n_jobs=self.n_jobs, materialize=True).array()
            own = np.isin(train, core)
            scored = own & judged[train] if (own & judged[train]).any() else own
            fits = [_fitted(loss, K, alpha) for alpha in tried]
            if number < 2 and len(tried) > 1:
                found = [float(np.square(fit.residuals[scored]).sum()) for fit in fits]
                errors += found
                best = int(np.argmin(found))
            else:
                best = 0
            fit = fits[best]
            self.loo[train[own]] = Y[train[own]] - fit.residuals[own]
            self.parts[node] = X[train], fit.coef
            if number == 1 or len(self._train) == 1:
                tried = [alphas[int(np.argmin(errors))]]
        self.alpha = tried[0]
        del self._train
        return self

    def _grow(self, E: DoubleArray, core: IndexArray, train: IndexArray, rng: np.random.Generator) -> int:
        """Add the node of some samples, and those below it; its number."""
        number = len(self.nodes)
        self.nodes.append(None)
        if len(core) > self.leaf:
            sample = E[rng.choice(core, min(len(core), SAMPLE), replace=False)]
            direction = np.linalg.svd(sample - sample.mean(axis=0), full_matrices=False)[2][0]
            t, wide = E[core] @ direction, E[train] @ direction
            low, middle, high = np.quantile(t, [0.5 - OVERLAP, 0.5, 0.5 + OVERLAP])
            if 0.2 < float((t <= middle).mean()) < 0.8:  # otherwise most samples have the same coordinate
                left = self._grow(E, core[t <= middle], train[wide <= high], rng)
                right = self._grow(E, core[t > middle], train[wide > low], rng)
                self.nodes[number] = _Split(direction, float(middle), left, right)
                return number
        self._train[number] = core, train if len(train) < 2.5 * self.leaf else core
        return number

    def predict(self, X: DoubleArray, E: DoubleArray) -> DoubleArray:
        """Predictions of shape (n, n_targets)."""
        out = np.empty((len(X), self.loo.shape[1]))
        waiting = [(0, np.arange(len(X)))]
        while waiting:
            node, rows = waiting.pop()
            split = self.nodes[node]
            if split is not None:
                left = E[rows] @ split.direction <= split.threshold
                waiting += [(split.left, rows[left]), (split.right, rows[~left])]
            elif len(rows):
                points, coef = self.parts[node]
                out[rows] = gram(self.kernel, X[rows], points, n_jobs=self.n_jobs) @ coef
        return out


def _fitted(loss: LeaveOneOut, K: DoubleArray, alpha: float) -> Any:
    """Fit with the first of α, 100α, 10⁴α … whose matrix is positive definite."""
    alpha = max(alpha, FEW)
    while (fit := loss.fit(K, alpha)) is None:
        alpha *= 100
    return fit
