"""Inner products of centred Gram matrices and of a target, by panels of rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mercer._typing import DoubleArray, IndexArray
from mercer.operators import GramOperator

__all__ = ["Agreement", "agreement"]

BUDGET = 64_000_000  # bytes for the panels of all kernels together


class Agreement(NamedTuple):
    """Kernels compared with each other and with a target, all centred and of norm 1; 0 where one is constant."""

    alignments: DoubleArray  # (m,), with the target
    correlations: DoubleArray  # (m, m), with each other
    norms: DoubleArray  # (m,), ‖HKH‖; 0 for a kernel that is constant


def agreement(
    who: str, grams: Sequence[GramOperator], factor: DoubleArray, rows: IndexArray | None = None
) -> Agreement:
    """Products ⟨HK_kH, HK_lH⟩ and ⟨HK_kH, UUᵀ⟩, as cosines.

    Parameters
    ----------
    who : str
        For messages.
    grams : sequence of m operators of shape (n, n)
    factor : array, shape (samples, r)
        U of the target, with zero column sums.
    rows : array of int, optional
        The samples that count, in the order of `factor`; all by default.

    Notes
    -----
    Centring comes before products, so that no digit is lost where kernels are nearly constant.
    """
    for K in grams:
        if K.shape != grams[0].shape or (rows is None and K.shape[0] != len(factor)):
            raise ValueError(
                f"{who}: needs one number for every pair of the {len(factor)} samples, got {K!r}; "
                "kernels and target must speak of the same samples."
            )
    rows = np.arange(len(factor), dtype=np.int64) if rows is None else rows
    n, m = len(rows), len(grams)
    means = [_means(K, rows) for K in grams]
    products, targets, sizes = np.zeros((m, m)), np.zeros(m), np.zeros(m)
    step = max(1, BUDGET // (8 * m * n))
    for first in range(0, n, step):
        panel = slice(first, min(first + step, n))
        stack = np.empty((m, panel.stop - first, n))
        for k, (K, mean) in enumerate(zip(grams, means, strict=True)):
            stack[k] = K.block(rows[panel], rows)
            sizes[k] += np.vdot(stack[k], stack[k])
            stack[k] -= mean[panel, None] + (mean - mean.mean())
            targets[k] += np.vdot(factor[panel], stack[k] @ factor)
        flat = stack.reshape(m, -1)
        products += flat @ flat.T
    norms = np.sqrt(products.diagonal())
    norms = np.where(norms > n * np.finfo(np.float64).eps * np.sqrt(sizes), norms, 0.0)
    scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1.0), 0.0)
    size = float(np.linalg.norm(factor.T @ factor))
    return Agreement(targets * scale / (size or 1.0), products * np.outer(scale, scale), norms)


def _means(K: GramOperator, rows: IndexArray) -> DoubleArray:
    share = np.zeros(K.shape[0])
    share[rows] = 1 / len(rows)
    return np.asarray((K @ share)[rows], dtype=np.float64)
