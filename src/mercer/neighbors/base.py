"""What classifier and regressor share: the search, the weights, votes that are counted as neighbours are found."""

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._estimator import KernelEstimator, Training, constraints
from mercer._typing import Data, DoubleArray, IndexArray
from mercer._validation import check_integer, check_real
from mercer.operators import GramOperator
from mercer.operators.tiles import panels
from mercer.solvers.neighbors import nearest, within, within_panels
from mercer.solvers.solution import Solution, Status

__all__ = ["KernelNeighbors"]

_ROWS = 1024  # whose k neighbours are used up before the next are looked for


class KernelNeighbors(KernelEstimator):
    """Base of the family: D²(x, z) = k(x, x) + k(z, z) − 2k(x, z), and searches in this metric."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = constraints(
        "n_neighbors",
        weights=[StrOptions({"uniform", "distance"}), callable],
        radius=[Interval(Real, 0, None, closed="left"), None],
    )

    def _index(self, training: Training) -> None:
        """Keep what the search needs; nothing is solved."""
        self.n_samples_fit_ = training.n
        self.fit_norms_ = training.diagonal
        self.solution_ = Solution(objective=0.0, gap=0.0, violation=0.0, status=Status.CONVERGED, n_iter=0)
        self._remember(training)

    # ---- searches

    def kneighbors(self, X: Data = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest training samples of each sample, nearest first; of equally near ones those of lower index.

        Parameters
        ----------
        X : data, or rows of a Gram matrix with ``kernel="precomputed"``, optional
            None: the training samples, none of which is its own neighbour.
        n_neighbors : int, optional
            How many; None means the parameter of the estimator.
        return_distance : bool
            Whether to return distances too. A Gram matrix between new and training samples does not hold them.

        Returns
        -------
        distances : array, shape (m, n_neighbors)
            ‖φ(x) − φ(z)‖, if `return_distance`.
        indices : array of int, shape (m, n_neighbors)
            Rows of the training samples.
        """
        check_is_fitted(self)
        k = self._checked_count(n_neighbors, X)
        operator, norms = self._search(X)
        if return_distance and norms is None:
            raise ValueError(self._no_norms("distances", "return_distance=False gives the neighbours"))
        D2, found = nearest(operator, norms, self.fit_norms_, k, skip_self=X is None)
        return (np.sqrt(D2), found) if return_distance else found

    def radius_neighbors(self, X: Data = None, radius: float | None = None, return_distance: bool = True) -> Any:
        """The training samples within a radius of each sample, by index.

        Parameters
        ----------
        X : data, optional
            None: the training samples, none of which is its own neighbour.
        radius : float, optional
            None means the parameter of the estimator.
        return_distance : bool
            Whether to return distances too.

        Returns
        -------
        distances, indices : arrays of m arrays
            Of different lengths; distances only if `return_distance`.
        """
        check_is_fitted(self)
        operator, norms = self._search(X)
        if norms is None:
            raise ValueError(self._no_norms("a radius", "kneighbors(return_distance=False) gives the nearest"))
        radius = self._checked_radius(radius)
        D2, found, indptr = within(operator, norms, self.fit_norms_, radius, skip_self=X is None)
        indices = _ragged(found, indptr)
        return (_ragged(np.sqrt(D2), indptr), indices) if return_distance else indices

    def kneighbors_graph(self, X: Data = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """The graph of `kneighbors` as a CSR matrix (m, n) of ones, or with ``mode="distance"`` of distances."""
        if mode not in ("connectivity", "distance"):
            raise ValueError(f"kneighbors_graph: mode must be 'connectivity' or 'distance', got {mode!r}.")
        if mode == "distance":
            values, found = self.kneighbors(X, n_neighbors)
        else:
            found = self.kneighbors(X, n_neighbors, return_distance=False)
            values = np.ones(found.shape)
        m, k = found.shape
        parts = values.ravel(), found.ravel(), np.arange(0, m * k + 1, k)
        return sp.csr_matrix(parts, shape=(m, self.n_samples_fit_))

    def _search(self, X: Data) -> tuple[GramOperator, DoubleArray | None]:
        """k(X, X_fit_) and k(x, x), None if it is not known; X is None for the training samples."""
        return (self._gram(), self.fit_norms_) if X is None else self._compared(X)

    # ---- neighbours and their weights, a few rows at a time

    def _neighborhoods(self, X: Data) -> Iterator[tuple[slice, sp.csr_array]]:
        """Rows after rows the weights of their neighbours, as matrices (rows, n)."""
        check_is_fitted(self)
        operator, norms = self._search(X)
        if self.radius is None:
            yield from self._of_count(operator, norms, X)
            return
        if norms is None:
            raise ValueError(self._no_norms("a radius", "radius=None counts neighbours"))
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
            raise ValueError(self._no_norms(f"weights={self.weights!r}", "weights='uniform' needs no distances"))
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
        """1, or 1/distance, where a neighbour at distance 0 (`hit`) outweighs all others."""
        if self.weights == "uniform":
            return np.ones_like(distances)
        zero = distances == 0
        return np.where(hit, zero, np.divide(1.0, distances, out=np.zeros_like(distances), where=~zero))

    def _called(self, distances: DoubleArray) -> DoubleArray:
        weight = np.asarray(self.weights(distances), dtype=np.float64)
        if weight.shape != distances.shape:
            raise ValueError(
                f"{type(self).__name__}: weights must return one weight per distance, an array of shape "
                f"{distances.shape}, got {weight.shape}."
            )
        return weight

    def _totals(self, weight: sp.csr_array) -> DoubleArray:
        """The sum of the weights of every sample; zero only if it has no neighbours."""
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
            f"{type(self).__name__}: {what} needs k(x, x) of new samples, which a precomputed matrix does not hold; "
            f"pass the kernel itself; {instead}; X=None searches among the training samples."
        )


def _ragged(values: DoubleArray | IndexArray, indptr: IndexArray) -> Any:
    """An array of arrays, as scikit-learn returns neighbourhoods."""
    out = np.empty(len(indptr) - 1, dtype=object)
    for i, part in enumerate(np.split(values, indptr[1:-1])):  # at once NumPy would stack parts of one length
        out[i] = part
    return out
