"""Support vector machines with an approximated kernel: dual coefficients folded into coefficients over landmarks."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
import scipy.sparse as sp

from mercer._estimator import Approximable, Approximation
from mercer._estimator.basis import RowBasis
from mercer._estimator.features import ExactGap
from mercer._typing import DoubleArray, FloatArray, IndexArray
from mercer.operators import GramOperator, PrecomputedOperator
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import inner, panels

__all__ = ["ApproximableMachine", "FoldFeatures", "dual_matrix", "folded", "previous_dual"]

_DENSE = 64_000_000  # bytes of dense dual coefficients that are allowed in any case


class FoldedMachines(NamedTuple):
    """Coefficients of decision functions over the basis of an approximation, and numbers for their certificate."""

    coef: DoubleArray  # (n_machines, n_columns)
    norm2: float  # Σ_t ‖Fᵀβ_t‖²
    exact: ExactGap  # of the sum of the dual objectives at β


class ApproximableMachine(Approximable):
    """Mixin, left of ``SupportVectorMachine``: support vector machines with the parameter `approximation`."""

    _exact_limit = 30_000
    _needs_matrix = False
    _fits_blocks: ClassVar[bool] = True

    @property
    def _on_features(self) -> bool:
        return True


def dual_matrix(members: Sequence[IndexArray], betas: Sequence[DoubleArray], n: int) -> Any:
    """Dual coefficients of all machines as a CSR matrix of shape (n_machines, n).

    >>> dual_matrix([np.array([2, 0])], [np.array([0.5, -0.5])], 3).toarray()
    array([[-0.5,  0. ,  0.5]])
    """
    used = [np.flatnonzero(beta) for beta in betas]
    starts = np.append(0, np.cumsum([len(chosen) for chosen in used]))
    columns = np.concatenate([m[chosen] for m, chosen in zip(members, used, strict=True)])
    values = np.concatenate([beta[chosen] for beta, chosen in zip(betas, used, strict=True)])
    return sp.csr_matrix((values, columns, starts), shape=(len(betas), n))


def previous_dual(duals: Any, machine: int, samples: IndexArray) -> DoubleArray | None:
    """Dual coefficients of a machine in the previous fit, for some samples; None if they are not known."""
    if duals is None or machine >= duals.shape[0]:
        return None
    return np.asarray(duals[[machine]].toarray()[0, samples])


def folded(approximation: Approximation, F: FloatArray | None, duals: Any, factor: DoubleArray) -> FoldedMachines:
    """Coefficients over the basis of an approximation, and the bound on the distance to the exact optimum.

    Parameters
    ----------
    approximation : Approximation
        Features of the training samples.
    F : ndarray of shape (n, r) or None
        The features that the machines were solved on; None if they were not held.
    duals : CSR matrix of shape (n_machines, n)
        Dual coefficients β of every machine.
    factor : ndarray of shape (n_machines,)
        The decision function of machine t is factor_t Σ_i β_ti k̂(x_i, ·), without its intercept.

    Returns
    -------
    FoldedMachines
        Coefficients, and the bound for the sum over all machines.
    """
    n_machines, n = duals.shape
    held = 0 if F is None or isinstance(F, np.memmap) else F.nbytes
    step = max(1, max(held, _DENSE) // (8 * n))  # dense coefficients take at most the memory of the features
    coef, gap, doubt, norm2 = [], 0.0, 0.0, 0.0
    for chosen in panels(n_machines, step):
        dense = np.ascontiguousarray(duals[chosen].toarray().T)
        weights = approximation.projections(dense) if F is None else inner(F, dense, MEMORY_BUDGET)
        norm2 += float(np.einsum("ij,ij->", weights, weights))
        coef.append(approximation.coefficients(weights * factor[chosen]).T)
        part = approximation.exact_gap(dense, weights, F)
        gap, doubt = gap + float(part.gap), doubt + 1 - part.confidence
    exact = ExactGap(gap, max(0.0, 1 - doubt))
    return FoldedMachines(np.ascontiguousarray(np.concatenate(coef)), norm2, exact)


@final
class FoldFeatures(Approximation):
    """Features in memory that stand for the samples in cross-validation: predictions read rows of features.

    Models that are fitted to them are scored without kernel values, and have no bound on the exact optimum.

    Parameters
    ----------
    given : Approximation
        Approximation for all samples.
    F : ndarray of shape (n, r)
        Features of all samples.
    """

    def __init__(self, given: Approximation, F: FloatArray) -> None:
        super().__init__(given.training, given.fitted, RowBasis(F, trusted=True), None)
        self._F = F

    def rows(self, rows: slice | IndexArray) -> DoubleArray:
        return self._F[rows].astype(np.float64)

    def array(self, dtype: Any = np.float64) -> FloatArray:
        return self._F.astype(dtype, copy=False)

    def coefficients(self, weights: DoubleArray) -> DoubleArray:
        return weights

    @property
    def _columns(self) -> GramOperator:
        return PrecomputedOperator(self._F, symmetric=False, finite=True)

    def exact_gap(
        self,
        coef: DoubleArray,  # noqa: ARG002
        weights: DoubleArray,  # noqa: ARG002
        F: FloatArray | None = None,  # noqa: ARG002
    ) -> ExactGap:
        return ExactGap(float("nan"), 1.0)
