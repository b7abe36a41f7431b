"""Several Gram matrices over the same samples: weighted sums, quadratic forms, centred inner products."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, final

import numpy as np

from mercer._typing import DoubleArray, FloatArray
from mercer._validation import check_vector, describe
from mercer.operators.algebra import SumOperator
from mercer.operators.base import MEMORY_BUDGET, GramOperator
from mercer.operators.tiles import panels

__all__ = ["Agreement", "OperatorStack"]


class Agreement(NamedTuple):
    """Cosines between centred Gram matrices and a target; 0 where a matrix is constant.

    Attributes
    ----------
    alignments : ndarray of shape (M,)
        ⟨HK_kH, UUᵀ⟩ / (‖HK_kH‖ ‖UUᵀ‖), the centred alignment with the target.
    correlations : ndarray of shape (M, M)
        ⟨HK_kH, HK_lH⟩ / (‖HK_kH‖ ‖HK_lH‖).
    norms : ndarray of shape (M,)
        ‖HK_kH‖; 0 for a kernel that is constant on the samples.
    """

    alignments: DoubleArray
    correlations: DoubleArray
    norms: DoubleArray


@final
class OperatorStack:
    """K_1, …, K_M of shape (n, n) over the same samples; each member is held or evaluated by tiles, as it comes.

    Parameters
    ----------
    members : sequence of GramOperator
        At least one; symmetric and of one shape.
    memory_budget : int, default=64000000
        Bytes for the panels of all members together.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.operators import LowRankOperator, OperatorStack
    >>> stack = OperatorStack([LowRankOperator([[1.0], [2.0]]), LowRankOperator([[1.0], [0.0]])])
    >>> stack.weighted([0.5, 2.0]).dense()
    array([[2.5, 1. ],
           [1. , 2. ]])
    >>> stack.forms([1.0, 1.0])
    array([9., 1.])
    """

    def __init__(self, members: Sequence[GramOperator], *, memory_budget: int = MEMORY_BUDGET) -> None:
        self.members = tuple(members)
        self.memory_budget = memory_budget
        if not self.members:
            raise ValueError("OperatorStack: needs at least one operator, got none.")
        for member in self.members:
            if not isinstance(member, GramOperator):
                raise TypeError(
                    f"OperatorStack: expected operators, got {describe(member)}; wrap a matrix in PrecomputedOperator."
                )
            if not member.symmetric or member.shape != self.members[0].shape:
                raise ValueError(
                    f"OperatorStack: operators must be symmetric and over the same {self.n} samples, got {member!r}."
                )

    @property
    def n(self) -> int:
        """Number of samples."""
        return self.members[0].shape[0]

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[GramOperator]:
        return iter(self.members)

    def take(self, rows: Any) -> "OperatorStack":
        """Return the stack of the sub-operators K_k[rows, rows]."""
        return OperatorStack([member.take(rows) for member in self.members], memory_budget=self.memory_budget)

    def weighted(self, d: Any) -> GramOperator:
        """Return Σ_k d_k K_k as an operator; members of weight zero are left out.

        Parameters
        ----------
        d : array-like of shape (M,)
            Weights, at least one of them not zero.
        """
        weights = check_vector("OperatorStack", "d", d, len(self))
        pairs = zip(weights.tolist(), self.members, strict=True)
        chosen = [member if w == 1 else w * member for w, member in pairs if w != 0]
        if not chosen:
            raise ValueError("OperatorStack: all weights d are zero, so nothing is left to sum up; give one a weight.")
        return SumOperator(chosen) if len(chosen) > 1 else chosen[0]

    def forms(self, C: Any) -> DoubleArray:
        """Return cᵀK_k c of every member, of shape (M,); for C of shape (n, columns) of every column, (M, columns)."""
        C = np.asarray(C, dtype=np.float64)
        return np.array([np.einsum("i...,i...->...", C, member.matmul(C)) for member in self.members])

    def traces(self) -> DoubleArray:
        """Return tr K_k of every member, of shape (M,)."""
        return np.array([member.diag().sum(dtype=np.float64) for member in self.members])

    def agreement(self, U: FloatArray) -> Agreement:
        """Compare the centred matrices with each other and with the target kernel UUᵀ.

        Parameters
        ----------
        U : ndarray of shape (n, r)
            Factor of the target's kernel, with column sums of zero.

        Notes
        -----
        O(M n² (M + r)), by panels of rows. Centring comes before products, so that no digit is lost where kernels are
        nearly constant.
        """
        if len(U) != self.n:
            raise ValueError(f"OperatorStack: the target has {len(U)} samples, but the kernels have {self.n}.")
        n, m = self.n, len(self)
        means = [member.matmul(np.full(n, 1 / n)) for member in self.members]
        products, targets, sizes = np.zeros((m, m)), np.zeros(m), np.zeros(m)
        for panel in panels(n, max(1, self.memory_budget // (8 * m * n))):
            stacked = np.empty((m, panel.stop - panel.start, n))
            for k, (member, mean) in enumerate(zip(self.members, means, strict=True)):
                stacked[k] = member.rows(panel)
                sizes[k] += np.vdot(stacked[k], stacked[k])
                stacked[k] -= mean[panel, None] + (mean - mean.mean())
                targets[k] += np.vdot(U[panel], stacked[k] @ U)
            flat = stacked.reshape(m, -1)
            products += flat @ flat.T
        norms = np.sqrt(products.diagonal())
        norms = np.where(norms > n * np.finfo(np.float64).eps * np.sqrt(sizes), norms, 0.0)
        scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 0.0)
        size = float(np.linalg.norm(U.T @ U))
        return Agreement(targets * scale / (size or 1.0), products * scale[:, None] * scale, norms)

    def __repr__(self) -> str:
        return f"OperatorStack of {len(self)}: {', '.join(member._label() for member in self.members)}"
