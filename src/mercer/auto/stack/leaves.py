"""Kernel ridge regression in overlapping leaves of a tree of median splits, for more samples than a matrix allows."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from mercer._typing import DoubleArray, IndexArray
from mercer.auto.stack.layout import embedded, frequent
from mercer.auto.stack.rotated import weighted_columns
from mercer.kernels import Kernel
from mercer.operators import gram
from mercer.solvers.leave_one_out import LeaveOneOut, LeaveOneOutFit

__all__ = ["LeafRidge"]

OVERLAP = 0.1  # share of the samples on each side of a split that the other side learns from, too
SAMPLE = 2000  # samples from which a direction is computed
COMPARED = 2  # leaves in which penalties are compared
SMALLEST = 1e-8  # penalty
SMALLER = 0.2  # smallest share of the samples of a node on one side of its split
LARGEST = 2.5  # samples that a leaf learns from, relative to its size


class LeafRidge(BaseEstimator):  # type: ignore[misc]
    """Kernel ridge regression, exact up to `leaf` samples, otherwise in leaves of a tree.

    Nodes are split near the median of the first principal direction of the samples in the metric of the kernel, or of
    the next one if too many samples have the same coordinate. A leaf also learns from samples beyond its borders, a
    tenth of its parent on each side, and predicts for its own region. A leaf of more than 2.5 `leaf` samples that
    cannot be split, because they coincide, learns from that many of them, drawn at random.

    Parameters
    ----------
    kernel : Kernel
        Kernel with learned column weights.
    p : float, default=1.0
        Exponent of its differences.
    categorical : sequence of int, default=()
        Its columns of categories, the last ones.
    leaf : int, default=4500
        Largest number of samples of a leaf, without those beyond its borders.

    Attributes
    ----------
    alpha_ : float
        Penalty.
    children_ : ndarray of int of shape (n_nodes, 2)
        Nodes below each node; -1 for leaves.
    directions_ : ndarray of shape (n_nodes, n_dimensions)
        Directions of the splits.
    thresholds_ : ndarray of shape (n_nodes,)
        Samples with smaller coordinates belong to the first child.
    points_, coefs_ : list of ndarray
        Samples and coefficients of each leaf; empty for other nodes.
    levels_ : list of ndarray
        Categories that splits distinguish.
    """

    def __init__(self, kernel: Kernel, p: float = 1.0, categorical: Sequence[int] = (), leaf: int = 4500) -> None:
        self.kernel = kernel
        self.p = p
        self.categorical = categorical
        self.leaf = leaf

    def fit(
        self,
        X: DoubleArray,
        Y: DoubleArray,
        alphas: Sequence[float],
        judged: Any,
        weight: DoubleArray | None = None,
        groups: IndexArray | None = None,
        check: Callable[[], None] = lambda: None,
    ) -> DoubleArray:
        """Fit all leaves and return the leave-one-out predictions.

        Parameters
        ----------
        X : ndarray of shape (n, n_columns)
            Samples.
        Y : ndarray of shape (n, n_targets)
            Centred targets.
        alphas : sequence of float
            Penalties, compared by the leave-one-out errors of judged samples in the first leaves.
        judged : ndarray of bool of shape (n,)
            Samples whose errors are compared.
        weight : ndarray of shape (n,), default=None
            Sample weights.
        groups : ndarray of shape (n,), default=None
            Samples that are left out together.
        check : callable, default=no-op
            Called between leaves; may raise.

        Returns
        -------
        ndarray of shape (n, n_targets)
            Leave-one-out predictions.
        """
        self.levels_ = [frequent(X[:, j]) for j in self.categorical]
        E = self._embedded(X)
        tree = _Tree(E, self.leaf)
        self.children_, self.thresholds_ = np.array(tree.children), np.array(tree.thresholds)
        self.directions_ = np.array(tree.directions)
        self.points_: list[DoubleArray] = [X[:0]] * len(tree.children)
        self.coefs_: list[DoubleArray] = [Y[:0]] * len(tree.children)
        out, errors, tried = np.empty_like(Y), np.zeros(len(alphas)), list(alphas)
        for number, (node, (core, train)) in enumerate(tree.leaves.items()):
            check()
            loss, own = LeaveOneOut.on(train, Y, weight, groups), np.isin(train, core)
            K = gram(self.kernel, X[train], n_jobs=1, materialize=True).array()
            fits = [_fitted(loss, K, alpha) for alpha in tried]
            fit = fits[0]
            if len(fits) > 1:
                scored = own & judged[train] if (own & judged[train]).any() else own
                found = [float(np.square(fit.residuals[scored]).sum()) for fit in fits]
                errors += found
                fit = fits[int(np.argmin(found))]
                if number + 1 == min(COMPARED, len(tree.leaves)):
                    tried = [alphas[int(np.argmin(errors))]]
            out[train[own]] = Y[train[own]] - fit.residuals[own]
            others = np.setdiff1d(core, train, assume_unique=True)
            if len(others):
                out[others] = gram(self.kernel, X[others], X[train], n_jobs=1) @ fit.coef
            self.points_[node], self.coefs_[node] = X[train], fit.coef
        self.alpha_ = float(tried[0])
        return out

    def predict(self, X: DoubleArray) -> DoubleArray:
        """Predict centred targets of samples, of shape (n, n_targets)."""
        out = np.empty((len(X), next(c.shape[1] for c in self.coefs_)))
        for rows, leaf in self.regions(X):
            out[rows] = gram(self.kernel, X[rows], self.points_[leaf], n_jobs=1) @ self.coefs_[leaf]
        return out

    def regions(self, X: DoubleArray) -> Iterator[tuple[IndexArray, int]]:
        """Rows of each leaf, and its number; leaves without rows are left out."""
        E = self._embedded(X)
        waiting = [(0, np.arange(len(X)))]
        while waiting:
            node, rows = waiting.pop()
            first, second = self.children_[node].tolist()
            if first >= 0:
                left = E[rows] @ self.directions_[node] <= self.thresholds_[node]
                waiting += [(first, rows[left]), (second, rows[~left])]
            elif len(rows):
                yield rows, node

    def _upgrade(self) -> None:
        """Check the tree of a model file: children follow their parent, so that every walk ends."""
        if hasattr(self, "children_"):
            children, nodes = np.asarray(self.children_), np.arange(len(self.points_))
            shaped = children.shape == (len(nodes), 2) and len(self.coefs_) == len(self.directions_) == len(nodes)
            if not shaped or not ((children == -1) | ((children > nodes[:, None]) & (children < len(nodes)))).all():
                raise ValueError("LeafRidge: the tree of the model is damaged; save the model again.")

    def _embedded(self, X: DoubleArray) -> DoubleArray:
        return embedded(*weighted_columns(self.kernel, X), self.p, self.levels_)


class _Tree:
    """Median splits along principal directions, and the samples of the leaves."""

    def __init__(self, E: DoubleArray, leaf: int) -> None:
        self.E, self.leaf, self.rng = E, leaf, np.random.default_rng(0)
        self.children: list[tuple[int, int]] = []
        self.directions: list[DoubleArray] = []
        self.thresholds: list[float] = []
        self.leaves: dict[int, tuple[IndexArray, IndexArray]] = {}  # own samples, and those to learn from
        everyone = np.arange(len(E))
        self._grow(everyone, everyone)

    def _grow(self, core: IndexArray, train: IndexArray) -> int:
        """Add the node of some samples and those below it; return its number."""
        number = len(self.children)
        self.children.append((-1, -1))
        self.directions.append(np.zeros(self.E.shape[1]))
        self.thresholds.append(0.0)
        if len(core) > self.leaf and (split := self._split(core)) is not None:
            direction, threshold = split
            t, wide = self.E[core] @ direction, self.E[train] @ direction
            share = float((t <= threshold).mean())
            low, high = np.quantile(t, [max(0.0, share - OVERLAP), min(1.0, share + OVERLAP)])
            self.directions[number], self.thresholds[number] = direction, threshold
            left = self._grow(core[t <= threshold], train[wide <= max(high, threshold)])
            self.children[number] = left, self._grow(core[t > threshold], train[wide > min(low, threshold)])
            return number
        most = int(LARGEST * self.leaf)
        if len(train) > most:
            train = core if len(core) <= most else np.sort(self.rng.choice(core, most, replace=False))
        self.leaves[number] = core, train
        return number

    def _split(self, core: IndexArray) -> tuple[DoubleArray, float] | None:
        """Direction and threshold of a split; None if there is no direction in which both sides have enough samples."""
        some = self.E[self.rng.choice(core, min(len(core), SAMPLE), replace=False)]
        for direction in np.linalg.svd(some - some.mean(axis=0), full_matrices=False)[2]:
            t = self.E[core] @ direction
            middle = float(np.median(t))
            below = t[t < middle]  # samples with the coordinate of the median may all be on one side
            for threshold in (middle, float(below.max()) if len(below) else middle):
                if SMALLER < float((t <= threshold).mean()) < 1 - SMALLER:
                    return direction, threshold
        return None


def _fitted(loss: LeaveOneOut, K: DoubleArray, alpha: float) -> LeaveOneOutFit:
    """Fit with the first of α, 100α, 10⁴α … whose matrix is positive definite."""
    alpha = max(alpha, SMALLEST)
    while (fit := loss.fit(K, alpha)) is None:
        alpha *= 100
    return fit
