"""Stacks of operators over the same samples: weighted sums, quadratic forms, alignments."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from mercer._typing import DoubleArray, FloatArray
from mercer._validation import check_vector, describe
from mercer.operators.algebra import SumOperator
from mercer.operators.base import MEMORY_BUDGET, GramOperator
from mercer.operators.tiles import panels

__all__ = ["Agreement", "OperatorStack"]


class Agreement(NamedTuple):
    """Cosines between centred Gram matrices and a target, as returned by `OperatorStack.agreement`.

    Cosines of a kernel that is constant on the samples are 0.

    Parameters
    ----------
    alignments : ndarray of shape (n_kernels,)
        Centred alignment with the target, ⟨HK_kH, UUᵀ⟩ / (‖HK_kH‖ ‖UUᵀ‖).
    correlations : ndarray of shape (n_kernels, n_kernels)
        Centred alignment between kernels, ⟨HK_kH, HK_lH⟩ / (‖HK_kH‖ ‖HK_lH‖).
    norms : ndarray of shape (n_kernels,)
        Frobenius norms ‖HK_kH‖; 0 for a kernel that is constant on the samples.

    See Also
    --------
    mercer.model_selection.centered_alignment : Centred alignment of one kernel with a target.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.operators import LowRankOperator, OperatorStack
    >>> stack = OperatorStack([LowRankOperator([[1.0], [-1.0], [0.0]]), LowRankOperator([[1.0], [1.0], [-2.0]])])
    >>> stack.agreement(np.array([[1.0], [-1.0], [0.0]])).alignments
    array([1., 0.])
    """

    alignments: DoubleArray
    correlations: DoubleArray
    norms: DoubleArray

    @classmethod
    def of(cls, products: DoubleArray, targets: DoubleArray, rounding: DoubleArray, U: FloatArray) -> "Agreement":
        """Divide inner products by norms.

        Parameters
        ----------
        products : ndarray of shape (n_kernels, n_kernels)
            Inner products ⟨HK_kH, HK_lH⟩.
        targets : ndarray of shape (n_kernels,)
            Inner products ⟨HK_kH, UUᵀ⟩.
        rounding : ndarray of shape (n_kernels,)
            Norms up to which a centred matrix is zero.
        U : ndarray of shape (n, r)
            Factor of the target kernel.

        Returns
        -------
        Agreement
            Alignments, correlations and norms.
        """
        norms = np.sqrt(products.diagonal())
        norms = np.where(norms > rounding, norms, 0.0)
        scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 0.0)
        size = float(np.linalg.norm(U.T @ U))
        return cls(targets * scale / (size or 1.0), products * scale[:, None] * scale, norms)


class OperatorStack:
    """Stack of operators K_1, …, K_M of shape (n, n) over the same samples.

    Parameters
    ----------
    members : sequence of GramOperator
        At least one symmetric operator; all have the same shape. Operators that hold no matrix are evaluated by tiles.
    memory_budget : int, default=64000000
        Maximal number of bytes for the panels of all members together.

    Attributes
    ----------
    members : tuple of GramOperator
        The operators.
    memory_budget : int
        Maximal number of bytes for panels.

    See Also
    --------
    SumOperator : Sum of operators.
    mercer.multiple_kernel.MKLClassifier : Learns the weights of a sum of kernels.

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
        """Number of samples.

        Returns
        -------
        int
            Order n of the matrices.
        """
        return self.members[0].shape[0]

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[GramOperator]:
        return iter(self.members)

    def take(self, rows: Any) -> "OperatorStack":
        """Return the stack of the sub-operators K_k[rows, rows].

        Parameters
        ----------
        rows : array-like of int, mask or slice
            Row indices, as in `GramOperator.take`.

        Returns
        -------
        OperatorStack
            Stack over the chosen samples.
        """
        return OperatorStack([member.take(rows) for member in self.members], memory_budget=self.memory_budget)

    def weighted(self, d: Any) -> GramOperator:
        """Return the weighted sum Σ_k d_k K_k as an operator.

        Parameters
        ----------
        d : array-like of shape (n_kernels,)
            Weights, at least one of them not zero. Members of weight zero are left out.

        Returns
        -------
        GramOperator
            The weighted sum.
        """
        weights = check_vector("OperatorStack", "d", d, len(self))
        pairs = zip(weights.tolist(), self.members, strict=True)
        chosen = [member if w == 1 else w * member for w, member in pairs if w != 0]
        if not chosen:
            raise ValueError("OperatorStack: all weights d are zero; at least one must be non-zero.")
        return SumOperator(chosen) if len(chosen) > 1 else chosen[0]

    def combined(self, d: Any) -> GramOperator:
        """Return the weighted sum Σ_k d_k K_k in the form that a machine reads: in memory, if it fits.

        Parameters
        ----------
        d : array-like of shape (n_kernels,)
            Weights, at least one of them not zero. Members of weight zero are left out.

        Returns
        -------
        GramOperator
            The weighted sum.
        """
        return self.weighted(d).hold()

    def forms(self, C: Any) -> DoubleArray:
        """Return the quadratic forms cᵀK_k c of every member.

        Parameters
        ----------
        C : array-like of shape (n,) or (n, n_vectors)
            Vector c, or a matrix with one vector per column.

        Returns
        -------
        ndarray of shape (n_kernels,) or (n_kernels, n_vectors)
            Quadratic forms.
        """
        C = np.asarray(C, dtype=np.float64)
        return np.array([np.einsum("i...,i...->...", C, member.matmul(C)) for member in self.members])

    def traces(self) -> DoubleArray:
        """Return the trace of every member.

        Returns
        -------
        ndarray of shape (n_kernels,)
            Traces tr K_k.
        """
        return np.array([member.diag().sum(dtype=np.float64) for member in self.members])

    def agreement(self, U: FloatArray, weight: DoubleArray | None = None) -> Agreement:
        """Compute the centred alignments of the members with each other and with the target kernel UUᵀ.

        Parameters
        ----------
        U : ndarray of shape (n, r)
            Factor of the target kernel, whose (weighted) column sums are zero.
        weight : ndarray of shape (n,), default=None
            Non-negative sample weights. Integer weights are equivalent to repeating samples. None: all equal.

        Returns
        -------
        Agreement
            Alignments, correlations and norms.

        Notes
        -----
        Cost O(M n² (M + r)), by panels of rows. The matrices are centred before they are multiplied, so that no digits
        are lost for nearly constant kernels.
        """
        if len(U) != self.n:
            raise ValueError(
                f"OperatorStack: the target has {len(U)} samples, but the kernels have {self.n}; both must be equal."
            )
        n, m = self.n, len(self)
        share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
        root = None if weight is None else np.sqrt(share * n)  # mean square 1
        U = U if root is None else root[:, None] * U
        means = [member.matmul(share) for member in self.members]
        products, targets, sizes = np.zeros((m, m)), np.zeros(m), np.zeros(m)
        for panel in panels(n, max(1, self.memory_budget // (8 * m * n))):
            stacked = np.empty((m, panel.stop - panel.start, n))
            for k, (member, mean) in enumerate(zip(self.members, means, strict=True)):
                stacked[k] = member.rows(panel)
                sizes[k] += np.vdot(stacked[k], stacked[k])
                stacked[k] -= mean[panel, None] + (mean - share @ mean)
                if root is not None:
                    stacked[k] *= root[panel, None] * root
                targets[k] += np.vdot(U[panel], stacked[k] @ U)
            flat = stacked.reshape(m, -1)
            products += flat @ flat.T
        return Agreement.of(products, targets, n * np.finfo(np.float64).eps * np.sqrt(sizes), U)

    def __repr__(self) -> str:
        return f"OperatorStack of {len(self)}: {', '.join(member._label() for member in self.members)}"
