"""Base class of the nearest-neighbour estimators: searches, weights and neighbourhoods."""

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import as_doubles, check_integer, check_real
from mercer.operators import GramOperator
from mercer.operators.tiles import panels
from mercer.solvers.neighbors import nearest, within, within_panels
from mercer.solvers.solution import Solution, Status

__all__ = ["KernelNeighbors"]

_ROWS = 1024  # rows whose neighbours are weighted at a time


class KernelNeighbors(KernelEstimator):
    """Base class of nearest-neighbour estimators with the metric D²(x, z) = k(x, x) + k(z, z) − 2k(x, z)."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "n_neighbors",
        weights=[StrOptions({"uniform", "distance"}), callable],
        radius=[Interval(Real, 0, None, closed="left"), None],
    )

    def _index(self, training: Training) -> None:
        """Store what searches need; no optimisation problem is solved."""
        self.n_samples_fit_ = training.n
        self.fit_norms_ = training.diagonal
        self.solution_ = Solution(objective=0.0, gap=0.0, violation=0.0, status=Status.CONVERGED, n_iter=0)
        self._remember(training)

    # ---- searches

    def kneighbors(self, X: Data = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest training samples of each sample.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples, default=None
            Samples, or kernel values with the training samples for ``kernel="precomputed"``. None stands for the
            training samples, none of which is its own neighbour.
        n_neighbors : int, default=None
            Number of neighbours; None uses the parameter of the estimator.
        return_distance : bool, default=True
            Whether to return the distances too. They are not available for new samples with ``kernel="precomputed"``.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Distances ‖φ(x) − φ(z)‖, ascending. Only if `return_distance` is True.
        indices : ndarray of shape (n_samples, n_neighbors)
            Indices of the training samples, nearest first; ties go to the lower index.
        """
        check_is_fitted(self)
        k = self._checked_count(n_neighbors, X)
        operator, norms = self._search(X)
        if return_distance and norms is None:
            raise ValueError(self._no_norms("return_distance=True", "use return_distance=False"))
        D2, found = nearest(operator, norms, self.fit_norms_, k, skip_self=X is None)
        return (np.sqrt(D2), found) if return_distance else found

    def radius_neighbors(self, X: Data = None, radius: float | None = None, return_distance: bool = True) -> Any:
        """Find the training samples within a radius of each sample.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples, default=None
            Samples, or kernel values with the training samples for ``kernel="precomputed"``. None stands for the
            training samples, none of which is its own neighbour.
        radius : float, default=None
            Radius in the metric of the kernel; None uses the parameter of the estimator.
        return_distance : bool, default=True
            Whether to return the distances too.

        Returns
        -------
        distances : ndarray of shape (n_samples,) of arrays
            Distances of the neighbours of each sample. Only if `return_distance` is True.
        indices : ndarray of shape (n_samples,) of arrays
            Indices of the neighbours of each sample, ascending.
        """
        check_is_fitted(self)
        operator, norms = self._search(X)
        if norms is None:
            raise ValueError(self._no_norms("a radius", "use kneighbors(return_distance=False)"))
        radius = self._checked_radius(radius)
        D2, found, indptr = within(operator, norms, self.fit_norms_, radius, skip_self=X is None)
        indices = _ragged(found, indptr)
        return (_ragged(np.sqrt(D2), indptr), indices) if return_distance else indices

    def kneighbors_graph(self, X: Data = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """Compute the graph of the nearest neighbours as a sparse matrix.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of length n_samples, default=None
            Samples, or kernel values with the training samples for ``kernel="precomputed"``. None stands for the
            training samples, none of which is its own neighbour.
        n_neighbors : int, default=None
            Number of neighbours; None uses the parameter of the estimator.
        mode : {"connectivity", "distance"}, default="connectivity"
            Entries of the matrix: ones, or distances.

        Returns
        -------
        csr_matrix of shape (n_samples, n_samples_fit)
            Row i has its entries in the columns of the neighbours of sample i.
        """
        if mode not in ("connectivity", "distance"):
            raise ValueError(
                f"{type(self).__name__}: kneighbors_graph: mode must be 'connectivity' or 'distance', got {mode!r}."
            )
        if mode == "distance":
            values, found = self.kneighbors(X, n_neighbors)
        else:
            found = self.kneighbors(X, n_neighbors, return_distance=False)
            values = np.ones(found.shape)
        m, k = found.shape
        parts = values.ravel(), found.ravel(), np.arange(0, m * k + 1, k)
        return sp.csr_matrix(parts, shape=(m, self.n_samples_fit_))

    def _search(self, X: Data) -> tuple[GramOperator, DoubleArray | None]:
        """Return k(X, ``X_fit_``) and k(x, x), or None where it is unknown; X is None for the training samples."""
        return (self._gram(), self.fit_norms_) if X is None else self._compared(X)

    # ---- neighbours and their weights, some rows at a time

    def _neighborhoods(self, X: Data) -> Iterator[tuple[slice, sp.csr_array]]:
        """Yield slices of rows with the weights of their neighbours, as sparse matrices of shape (rows, n)."""
        check_is_fitted(self)
        operator, norms = self._search(X)
        if self.radius is None:
            yield from self._of_count(operator, norms, X)
            return
        if norms is None:
            raise ValueError(self._no_norms("a radius", "use radius=None"))
        radius = self._checked_radius(None)
        for rows, D2, found, indptr in within_panels(operator, norms, self.fit_norms_, radius, skip_self=X is None):
            distances = np.sqrt(D2)
            if callable(self.weights):
                weight = np.concatenate([self._called(d) for d in np.split(distances, indptr[1:-1])])
            else:
                owner = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
                hit = np.bincount(owner, weights=distances == 0, minlength=len(indptr) - 1) > 0
                weight = self._weight(distances, hit[owner])
            yield rows, sp.csr_array((weight, found, indptr), shape=(len(indptr) - 1, self.n_samples_fit_))

    def _of_count(self, operator: GramOperator, norms: DoubleArray | None, X: Data) -> Iterator[Any]:
        if norms is None and self.weights != "uniform":
            raise ValueError(self._no_norms(f"weights={self.weights!r}", "use weights='uniform'"))
        k = self._checked_count(None, X)
        D2, found = nearest(operator, norms, self.fit_norms_, k, skip_self=X is None)
        for rows in panels(len(D2), _ROWS):
            if norms is None:
                weight = np.ones_like(D2[rows])
            else:
                distances = np.sqrt(D2[rows])
                hit = (distances == 0).any(axis=1, keepdims=True)
                weight = self._called(distances) if callable(self.weights) else self._weight(distances, hit)
            m = len(weight)
            parts = weight.ravel(), found[rows].ravel(), np.arange(0, m * k + 1, k)
            yield rows, sp.csr_array(parts, shape=(m, self.n_samples_fit_))

    def _weight(self, distances: DoubleArray, hit: Any) -> DoubleArray:
        """Return 1 or 1/distance; neighbours at distance 0 (`hit`) outweigh all others."""
        if self.weights == "uniform":
            return np.ones_like(distances)
        zero = distances == 0
        return np.where(hit, zero, np.divide(1.0, distances, out=np.zeros_like(distances), where=~zero))

    def _called(self, distances: DoubleArray) -> DoubleArray:
        weight = as_doubles(type(self).__name__, self.weights(distances), name="weights(distances)")
        if weight.shape != distances.shape:
            raise ValueError(
                f"{type(self).__name__}: weights must return one weight per distance, an array of shape "
                f"{distances.shape}, got {weight.shape}."
            )
        return weight

    def _totals(self, weight: sp.csr_array) -> DoubleArray:
        """Return the sum of the weights of every sample, which is 0 only without neighbours."""
        total = np.asarray(weight.sum(axis=1))
        if ((total == 0) & (np.diff(weight.indptr) > 0)).any():
            raise ValueError(
                f"{type(self).__name__}: all neighbors of some sample are getting zero weights; modify 'weights' to "
                "avoid this case."
            )
        return total

    # ---- checks

    def _checked_count(self, n_neighbors: int | None, X: Data) -> int:
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        k = check_integer(type(self).__name__, "n_neighbors", k, low=1)
        n, others = self.n_samples_fit_, self.n_samples_fit_ - (X is None)
        if k > others:
            sign = "n_neighbors < n_samples_fit" if X is None else "n_neighbors <= n_samples_fit"
            m = n if X is None else getattr(X, "shape", (len(X),) if hasattr(X, "__len__") else ("?",))[0]
            raise ValueError(f"Expected {sign}, but n_neighbors = {k}, n_samples_fit = {n}, n_samples = {m}")
        return k

    def _checked_radius(self, radius: float | None) -> float:
        radius = self.radius if radius is None else radius
        if radius is None:
            raise ValueError(f"{type(self).__name__}: radius is None; pass a radius to the method or the estimator.")
        return check_real(type(self).__name__, "radius", radius, low=0.0)

    def _no_norms(self, what: str, instead: str) -> str:
        return (
            f"{type(self).__name__}: {what} needs k(x, x) of new samples, which a precomputed matrix does not contain; "
            f"pass the kernel itself, {instead}, or pass X=None for the training samples."
        )


def _ragged(values: DoubleArray | IndexArray, indptr: IndexArray) -> Any:
    """Return an object array of arrays, the form in which scikit-learn returns neighbourhoods."""
    out = np.empty(len(indptr) - 1, dtype=object)
    for i, part in enumerate(np.split(values, indptr[1:-1])):  # np.array would stack parts of equal length
        out[i] = part
    return out
