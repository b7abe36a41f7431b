"""Base class of estimators with manifold regularisation: graph and deformed kernel."""

from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from mercer._estimator import KernelEstimator, Training, constraints, warn
from mercer._estimator.basis import RowBasis
from mercer._typing import IndexArray
from mercer.operators import PrecomputedOperator
from mercer.semi_supervised.graph import sample_graph
from mercer.solvers import Solution, Status
from mercer.solvers.deformed import DeformedKernel, deformed_kernel

__all__ = ["MANIFOLD", "ManifoldEstimator", "restated"]

MANIFOLD = constraints(
    "n_neighbors",
    manifold=[Interval(Real, 0, None, closed="left")],
    weights=[StrOptions({"binary", "heat"})],
    normalize=["boolean"],
    power=[Interval(Integral, 1, 1000, closed="both")],
)


class ManifoldEstimator(KernelEstimator):
    """Base class of estimators with the penalty ‖f‖² + manifold·fᵀL^p f."""

    manifold: float
    n_neighbors: int
    weights: str
    normalize: bool
    power: int

    def _held(self, training: Training) -> Training:
        """Return the training data with the Gram matrix in memory, if a graph is built from it."""
        return replace(training, operator=training.K.hold()) if self.manifold else training

    def _deform(self, training: Training, labeled: IndexArray) -> tuple[DeformedKernel, Training]:
        """Return the deformed kernel, and its matrix as training data of the labelled samples."""
        who, vertices, affinity = type(self).__name__, np.empty(0, dtype=np.int64), None
        self.n_neighbors_ = 0
        if self.manifold:
            if self.n_neighbors >= training.n:
                raise ValueError(
                    f"{who}: n_neighbors={self.n_neighbors} must be less than n_samples={training.n}: a sample is not "
                    "a neighbour of itself."
                )
            graph = sample_graph(training, self.n_neighbors, self.weights)
            self._warn_of_pieces(graph.piece, labeled)
            vertices, affinity, self.n_neighbors_ = graph.vertices, graph.affinity, graph.n_neighbors
        deformed = deformed_kernel(
            training.K,
            labeled,
            vertices,
            affinity,
            float(self.manifold),
            normalize=self.normalize,
            power=self.power,
        )
        K, weight = PrecomputedOperator(deformed.matrix, symmetric=True), training.weight[labeled]
        rows = RowBasis(K, trusted=True)
        kept = np.arange(len(labeled))
        return deformed, Training(who, None, None, rows, weight, kept, training.weighted, training.n_jobs, K)

    def _warn_of_pieces(self, piece: IndexArray, labeled: IndexArray) -> None:
        """Warn about connected components of the graph without a labelled sample."""
        alone = np.setdiff1d(piece[piece >= 0], piece[labeled])
        if len(alone):
            warn(
                f"{type(self).__name__}: {np.isin(piece, alone).sum()} samples are in {len(alone)} of "
                f"{piece.max() + 1} connected components of the neighbour graph that have no labelled sample; their "
                f"predictions depend on the kernel alone. Raise n_neighbors={self.n_neighbors}, or label a sample of "
                "each component.",
                UserWarning,
            )


def restated(solution: Solution, error: float, limit: float) -> Solution:
    """Return the certificate of coefficients in k from the certificate of coefficients in k̃.

    Parameters
    ----------
    solution : Solution
        Certificate of coefficients in k̃.
    error : float
        Error of the values at labelled samples that the step to k causes, in units of `Solution.violation`.
    limit : float
        Error above which the status is at least PRECISION.

    Returns
    -------
    Solution
        Certificate with the error added to `violation`.
    """
    return replace(
        solution,
        violation=solution.violation + error,
        status=Status.worst([solution.status, Status.CONVERGED if error <= limit else Status.PRECISION]),
        machines=tuple(restated(part, error, limit) for part in solution.machines),
    )
