"""Centred alignment of kernels with each other and with a target."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.optimize import nnls

from mercer._typing import Data, DoubleArray
from mercer._validation import check_choice
from mercer._words import one_word
from mercer.model_selection.grams import check_kernels, stack_of
from mercer.model_selection.target import target_factor
from mercer.operators import Agreement

__all__ = ["Task", "alignment", "alignment_weights", "best_weights", "centered_alignment"]

Task: TypeAlias = Literal["auto", "classification", "regression"]


@one_word
def alignment(K: Any, L: Any, X: Data = None, *, n_jobs: int | None = None) -> float:
    r"""Compute the centred alignment of two kernels.

    It is ⟨HKH, HLH⟩ / (‖HKH‖ ‖HLH‖) with H = I − 11ᵀ/n and the Frobenius inner product.

    Parameters
    ----------
    K : Kernel, str, GramOperator or array-like of shape (n_samples, n_samples)
        First kernel, its text form (see :ref:`kernel-names`), or a symmetric Gram matrix.
    L : Kernel, str, GramOperator or array-like of shape (n_samples, n_samples)
        Second kernel, its text form, or a symmetric Gram matrix.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data, default=None
        Samples; needed if K or L is a kernel.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    float
        Alignment between −1 and 1, for positive semidefinite kernels between 0 and 1; 0 if a kernel is constant on the
        samples.

    See Also
    --------
    centered_alignment : Alignment of a kernel with a target.
    hsic : The inner product without normalisation.

    Notes
    -----
    Cost: O(n²) time and 64 MB for tiles. Gram matrices that are larger are computed twice and not held in memory.

    References
    ----------
    * Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, JMLR 13, 795–828,
      2012.

    Examples
    --------
    Scaling a kernel or adding a constant does not change its alignment:

    >>> import numpy as np
    >>> from mercer.kernels import RBF
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> round(alignment(RBF(), 2 * RBF() + 5, X), 12)
    1.0
    """
    pair = stack_of("alignment", [K, L], X, n_jobs)
    return float(pair.agreement(np.zeros((pair.n, 1))).correlations[0, 1])


@one_word
def centered_alignment(kernel: Any, X: Data, y: Any, *, task: Task = "auto", n_jobs: int | None = None) -> float:
    r"""Compute the centred alignment of a kernel with a target.

    It is the `alignment` with the target kernel. For regression the target kernel is l(i, j) = (y_i − ȳ)(y_j − ȳ). For
    classification it is [y_i = y_j] / (size of the class), so that large classes do not count more than small ones. For
    two classes both are the same.

    Parameters
    ----------
    kernel : Kernel, str, GramOperator or array-like of shape (n_samples, n_samples)
        Kernel, its text form (see :ref:`kernel-names`), or a symmetric Gram matrix.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
        Samples; None if `kernel` is a Gram matrix.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Target, which must not be constant.
    task : {"auto", "classification", "regression"}, default="auto"
        Type of the target. "auto": regression for floats, classification otherwise.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    float
        Alignment between −1 and 1, for positive semidefinite kernels between 0 and 1; 0 if the kernel is constant on
        the samples.

    See Also
    --------
    alignment : Alignment of two kernels.
    rank_kernels : Ranking of several kernels.
    alignment_weights : Weighted sum of kernels with the largest alignment.

    Notes
    -----
    Cost: O(n²) for a Gram matrix and a target with few classes. The matrix of the target is not formed.

    References
    ----------
    * Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, JMLR 13, 795–828,
      2012.

    Examples
    --------
    The linear kernel fits a linear target, and the Gaussian kernel fits the sign of a distance better:

    >>> import numpy as np
    >>> from mercer.kernels import RBF, Linear
    >>> x = np.linspace(-1, 1, 40)[:, None]
    >>> round(centered_alignment(Linear(), x, x[:, 0]), 12)
    1.0
    >>> far = np.abs(x[:, 0] - 0.1) > 0.5
    >>> round(centered_alignment(Linear(), x, far), 4), round(centered_alignment(RBF(), x, far), 4)
    (0.03, 0.4134)
    """
    who = "centered_alignment"
    factor = target_factor(who, y, check_choice(who, "task", task, Task))
    return float(stack_of(who, [kernel], X, n_jobs, factor).agreement(factor).alignments[0])


@one_word
def alignment_weights(
    kernels: Sequence[Any], X: Data, y: Any, *, task: Task = "auto", n_jobs: int | None = None
) -> DoubleArray:
    r"""Compute weights of a sum of kernels with the largest centred alignment with a target (alignf).

    The weights d ≥ 0 with Σd = 1 maximise the centred alignment of Σ_k d_k K_k. With a_k = ⟨HK_kH, HLH⟩ and
    M_kl = ⟨HK_kH, HK_lH⟩ they are proportional to argmin_{v ≥ 0} vᵀMv − 2vᵀa.

    Parameters
    ----------
    kernels : sequence of Kernel, str, GramOperator or array-like of shape (n_samples, n_samples)
        Kernels, their text forms (see :ref:`kernel-names`), or symmetric Gram matrices.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
        Samples; None if all kernels are Gram matrices.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Target, which must not be constant.
    task : {"auto", "classification", "regression"}, default="auto"
        Type of the target. "auto": regression for floats, classification otherwise.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    ndarray of shape (n_kernels,)
        Weights, many of which may be zero. The weight of a kernel that is constant on the samples is zero.

    Raises
    ------
    ValueError
        If no kernel has a positive alignment, so that no weighted sum has one.

    See Also
    --------
    centered_alignment : Alignment of one kernel.
    mercer.multiple_kernel.MKLClassifier : Weights learned together with a support vector machine.

    Notes
    -----
    Cost: O(m n² (m + classes)) for m Gram matrices. The quadratic programme of size m is solved by
    `scipy.optimize.nnls` for kernels scaled to equal norm. The weighted *sum* does not depend on the scale of a kernel:
    if K_k is multiplied by c, d_k is divided by c before the weights are scaled to sum 1.

    References
    ----------
    * Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, JMLR 13, 795–828,
      2012.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF, Columns, Linear
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = X[:, 0] + np.sin(3 * X[:, 1])
    >>> kernels = [Columns(0, Linear()), Columns(1, RBF()), Columns(2, RBF())]
    >>> weights = alignment_weights(kernels, X, y)
    >>> weights.round(3)
    array([0.709, 0.284, 0.007])
    >>> best = sum(d * k for d, k in zip(weights, kernels))
    >>> [round(centered_alignment(k, X, y), 3) for k in (best, *kernels)]
    [0.672, 0.667, 0.085, 0.011]
    """
    who = "alignment_weights"
    kernels = check_kernels(who, kernels)
    factor = target_factor(who, y, check_choice(who, "task", task, Task))
    return best_weights(who, stack_of(who, kernels, X, n_jobs, factor).agreement(factor))


def best_weights(who: str, found: Agreement) -> DoubleArray:
    """Return weights of sum 1 from the alignments between kernels and target."""
    varying = found.norms > 0
    if not (found.alignments > 0).any():
        raise ValueError(
            f"{who}: no kernel is aligned with the target (largest alignment {found.alignments.max():g}), "
            "and neither is any weighted sum; try other kernels."
        )
    # With M = RᵀR, vᵀMv − 2vᵀa is |Rv − b|² up to a constant, where Rᵀb = a. M is singular if kernels coincide.
    values, vectors = np.linalg.eigh(found.correlations[np.ix_(varying, varying)])
    kept = values > len(values) * np.finfo(np.float64).eps * values[-1]
    root = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    goal = vectors[:, kept].T @ found.alignments[varying] / np.sqrt(values[kept])
    weights = np.zeros(len(varying))
    weights[varying] = nnls(root, goal)[0] / found.norms[varying]
    return np.asarray(weights / weights.sum(), dtype=np.float64)
