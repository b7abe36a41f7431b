"""Centred alignment: how well a kernel agrees with a target, and the weighted sum that agrees best."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.optimize import nnls

from mercer._typing import Data, DoubleArray
from mercer._validation import check_choice, describe
from mercer._words import one_word
from mercer.kernels import Kernel
from mercer.model_selection.target import target_factor
from mercer.operators import Agreement, GramOperator, OperatorStack, PrecomputedOperator, gram

__all__ = ["alignment", "alignment_weights", "best_weights", "centered_alignment"]

Task: TypeAlias = Literal["auto", "classification", "regression"]


@one_word
def alignment(K: Any, L: Any, X: Data = None, *, n_jobs: int | None = None) -> float:
    r"""Centred alignment of two kernels, ⟨HKH, HLH⟩ / (‖HKH‖ ‖HLH‖) with H = I − 11ᵀ/n and Frobenius' inner product.

    Parameters
    ----------
    K, L : Kernel, its text form, GramOperator, or array of shape (n, n)
        Gram matrices must be symmetric.
    X : data, optional
        The samples, where K or L is a kernel.
    n_jobs : int, optional
        Threads for kernel values; None means all that are allowed.

    Returns
    -------
    float
        Between −1 and 1, for positive semidefinite kernels between 0 and 1; 0 if one of them is constant on the data.

    Notes
    -----
    O(n²) time and 64 MB for tiles; Gram matrices of kernels that take more are computed twice and never held.

    References
    ----------
    Cortes, Mohri & Rostamizadeh 2012, Algorithms for learning kernels based on centered alignment, JMLR 13, 795–828.

    Examples
    --------
    The alignment of a kernel with itself is 1, whatever is added to it or multiplied with it:

    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> round(alignment(RBF(), 2 * RBF() + 5, X), 12)
    1.0
    """
    pair = _stack("alignment", [K, L], X, n_jobs)
    return float(pair.agreement(np.zeros((pair.n, 1))).correlations[0, 1])


@one_word
def centered_alignment(kernel: Any, X: Data, y: Any, *, task: Task = "auto", n_jobs: int | None = None) -> float:
    r"""Centred alignment of a kernel with a target: `alignment` with the kernel that the target itself defines.

    For numbers that kernel is l(i, j) = (y_i − ȳ)(y_j − ȳ); for classes it is [y_i = y_j] / (number of samples of the
    class), so that large classes do not count more than small ones. For two classes both are the same.

    Parameters
    ----------
    kernel : Kernel, its text form, GramOperator, or array of shape (n, n)
    X : data
        The samples; None where `kernel` is a Gram matrix.
    y : array-like of shape (n,), or (n, outputs) of numbers
        Must not be constant.
    task : {"auto", "classification", "regression"}
        What y is; "auto": floats are numbers, anything else classes.
    n_jobs : int, optional
        Threads for kernel values; None means all that are allowed.

    Returns
    -------
    float
        Between −1 and 1, for positive semidefinite kernels between 0 and 1; 0 for a kernel constant on the data.

    Notes
    -----
    O(n²) for a Gram matrix and a target with few classes; the target's own matrix is never formed.

    Examples
    --------
    Nothing agrees better with a target than the target:

    >>> import numpy as np
    >>> from mercer.kernels import RBF, Linear
    >>> x = np.linspace(-1, 1, 40)[:, None]
    >>> round(centered_alignment(Linear(), x, x[:, 0]), 12)
    1.0
    >>> centered_alignment(Linear(), x, np.abs(x[:, 0]) > 0.5) < centered_alignment(RBF(), x, np.abs(x[:, 0]) > 0.5)
    True
    """
    who = "centered_alignment"
    factor = target_factor(who, y, check_choice(who, "task", task, Task))
    return float(_stack(who, [kernel], X, n_jobs, factor).agreement(factor).alignments[0])


@one_word
def alignment_weights(
    kernels: Sequence[Any], X: Data, y: Any, *, task: Task = "auto", n_jobs: int | None = None
) -> DoubleArray:
    r"""Weights d ≥ 0, Σd = 1, whose sum Σ_k d_k K_k has the largest centred alignment with a target (alignf).

    With a_k = ⟨HK_kH, HLH⟩ and M_kl = ⟨HK_kH, HK_lH⟩ they are proportional to argmin_{v ≥ 0} vᵀMv − 2vᵀa.

    Parameters
    ----------
    kernels : sequence of Kernel, text forms, GramOperator or arrays of shape (n, n)
    X : data
        The samples; None where all are Gram matrices.
    y : array-like of shape (n,), or (n, outputs) of numbers
        Must not be constant.
    task : {"auto", "classification", "regression"}
        What y is, as in `centered_alignment`.
    n_jobs : int, optional
        Threads for kernel values; None means all that are allowed.

    Returns
    -------
    array, shape (number of kernels,)
        Many of them may be zero. A kernel that is constant on the data gets none.

    Raises
    ------
    ValueError
        If no kernel has a positive alignment: no weighted sum has one either.

    Notes
    -----
    O(m n² (m + classes)) for m Gram matrices; the quadratic programme of size m is solved by `scipy.optimize.nnls`, on
    kernels of equal norm. The weighted *sum* does not depend on the scale of a kernel: if K_k is multiplied by c, then
    d_k is divided by c before the weights are scaled to sum 1.

    References
    ----------
    Cortes, Mohri & Rostamizadeh 2012, Algorithms for learning kernels based on centered alignment, JMLR 13, 795–828.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF, Columns, Linear
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = X[:, 0] + np.sin(3 * X[:, 1])
    >>> kernels = [Columns(0, Linear()), Columns(1, RBF()), Columns(2, RBF())]
    >>> weights = alignment_weights(kernels, X, y)
    >>> bool(weights[:2].min() > 10 * weights[2])
    True
    >>> best = sum(d * k for d, k in zip(weights, kernels))
    >>> all(centered_alignment(best, X, y) > centered_alignment(k, X, y) for k in kernels)
    True
    """
    who = "alignment_weights"
    if isinstance(kernels, (str, Kernel, GramOperator)) or len(kernels) == 0:
        raise TypeError(f"{who}: kernels must be a list of at least one kernel or matrix, got {describe(kernels)}.")
    factor = target_factor(who, y, check_choice(who, "task", task, Task))
    return best_weights(who, _stack(who, kernels, X, n_jobs, factor).agreement(factor))


def best_weights(who: str, found: Agreement) -> DoubleArray:
    """Weights of sum 1 from the products of kernels and target."""
    varying = found.norms > 0
    if not (found.alignments > 0).any():
        raise ValueError(
            f"{who}: no kernel is aligned with the target (largest alignment {found.alignments.max():g}), "
            "so no weighted sum is; try other kernels."
        )
    # With M = RᵀR, vᵀMv − 2vᵀa is |Rv − b|² up to a constant, where Rᵀb = a. M may be singular: kernels may coincide.
    values, vectors = np.linalg.eigh(found.correlations[np.ix_(varying, varying)])
    kept = values > len(values) * np.finfo(np.float64).eps * values[-1]
    root = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    goal = vectors[:, kept].T @ found.alignments[varying] / np.sqrt(values[kept])
    weights = np.zeros(len(varying))
    weights[varying] = nnls(root, goal)[0] / found.norms[varying]
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _stack(
    who: str, kernels: Sequence[Any], X: Data, n_jobs: int | None, factor: DoubleArray | None = None
) -> OperatorStack:
    """Operators over the same samples, and over those of the target's factor."""
    grams = [_operator(who, kernel, X, n_jobs) for kernel in kernels]
    n = grams[0].shape[0] if factor is None else len(factor)
    for K in grams:
        if K.shape[0] != n:
            raise ValueError(
                f"{who}: needs one number for every pair of the {n} samples, got {K!r}; kernels and target must be "
                "over the same samples."
            )
    return OperatorStack(grams)


def _operator(who: str, kernel: Any, X: Data, n_jobs: int | None) -> GramOperator:
    if isinstance(kernel, GramOperator):
        operator = kernel
    elif isinstance(kernel, (Kernel, str)):
        if X is None:
            raise TypeError(f"{who}: a kernel ({kernel}) needs the samples X, got None; pass them, or a Gram matrix.")
        operator = gram(kernel, X, materialize="auto", n_jobs=n_jobs)
    else:
        operator = PrecomputedOperator(kernel)
    if not operator.symmetric:
        raise ValueError(
            f"{who}: a Gram matrix must be symmetric, got {operator!r}; pass (K + K.T)/2 to symmetrise it."
        )
    return operator
