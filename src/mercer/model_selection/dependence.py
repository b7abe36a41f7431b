"""Hilbert-Schmidt independence criterion and the permutation test of independence."""

from typing import Any

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer._validation import check_flag, check_integer, generator
from mercer._words import one_word
from mercer.model_selection.grams import gram_operator, kernel_or_default
from mercer.model_selection.permutation import MOST_PERMUTATIONS, PermutationTestResult, concluded, magnitude
from mercer.operators import GramOperator
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels

__all__ = ["hsic", "independence_test"]

_TILE = 2**16  # number of entries permuted at a time, which stay in cache


@one_word
def hsic(K: Any, L: Any, X: Data = None, Y: Data = None, *, unbiased: bool = True, n_jobs: int | None = None) -> float:
    r"""Compute the Hilbert-Schmidt independence criterion (HSIC) of two kernels on paired samples.

    HSIC is the squared norm of the cross-covariance operator between the feature spaces of k and l. For characteristic
    kernels, such as the Gaussian kernel, it is zero in the population if and only if x and y are independent.

    With H = I − 11ᵀ/n the biased estimate is tr(KHLH)/n². The unbiased estimate, where K̃ and L̃ are K and L with zero
    diagonals, is

        [tr(K̃L̃) + 1ᵀK̃1·1ᵀL̃1/((n−1)(n−2)) − 2/(n−2)·1ᵀK̃L̃1] / (n(n−3)).

    Parameters
    ----------
    K : Kernel, str, GramOperator or array-like of shape (n_samples, n_samples)
        Kernel of x, its text form (see :ref:`kernel-names`), or a symmetric Gram matrix.
    L : Kernel, str, GramOperator or array-like of shape (n_samples, n_samples)
        Kernel of y, its text form, or a symmetric Gram matrix.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data, default=None
        Samples of K; not used if K is a Gram matrix.
    Y : {array-like, sparse matrix} of shape (n_samples, n_features) or other data, default=None
        Samples of L in the same order; not used if L is a Gram matrix.
    unbiased : bool, default=True
        Whether the unbiased estimate is computed, which may be negative and needs at least four samples.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    float
        Estimate of HSIC.

    See Also
    --------
    independence_test : The same statistic with a p-value.
    alignment : HSIC of two kernels divided by the square roots of the HSIC of each with itself.

    Notes
    -----
    Cost: O(n²) time and 64 MB for tiles. Gram matrices that are larger are computed twice and not held in memory.

    References
    ----------
    * Gretton, Bousquet, Smola and Schölkopf, Measuring statistical dependence with Hilbert-Schmidt norms, ALT, 2005.
    * Song, Smola, Gretton, Bedo and Borgwardt, Feature selection via dependence maximization, JMLR 13, 1393–1434, 2012.

    Examples
    --------
    With linear kernels the biased estimate is the squared covariance:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 50, 1))
    >>> round(hsic("linear", "linear", x, y, unbiased=False), 12)
    0.009811051496
    >>> round(float(np.cov(x[:, 0], y[:, 0], bias=True)[0, 1]) ** 2, 12)
    0.009811051496
    """
    unbiased = check_flag("hsic", "unbiased", unbiased)
    left = gram_operator("hsic", K, X, n_jobs)
    right = gram_operator("hsic", L, Y, n_jobs, name="Y")
    n = _check_pairs("hsic", left, right, unbiased=unbiased)
    left_means, right_means = (_Offsets(operator, unbiased=unbiased) for operator in (left, right))
    total = 0.0
    for rows in panels(n, max(1, MEMORY_BUDGET // (3 * 8 * n))):
        a, b = (np.asarray(operator.rows(rows), dtype=np.float64) for operator in (left, right))
        a, b = a - left_means.of(rows), b - right_means.of(rows)
        if unbiased:
            here = np.arange(rows.start, rows.stop)
            a[here - rows.start, here] = 0.0
        total += float(np.vdot(a, b))
    return total / _scale(n, unbiased=unbiased)


@one_word
def independence_test(
    X: Data,
    Y: Data,
    *,
    kernel_x: Any = None,
    kernel_y: Any = None,
    unbiased: bool = True,
    n_permutations: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> PermutationTestResult:
    r"""Test whether paired samples are independent, by HSIC and random permutations.

    Under the null hypothesis x and y are independent, so that the order of the samples of Y is irrelevant. HSIC is
    computed for random permutations of Y. The p-value is the fraction of values that are at least as large as the
    observed one.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
        Samples x_i of a type that `kernel_x` accepts, a Gram matrix with ``kernel_x="precomputed"``, or a GramOperator.
    Y : {array-like, sparse matrix} of shape (n_samples, n_features) or other data
        Samples y_i in the same order, in the same forms.
    kernel_x : Kernel or str, default=None
        Kernel of X, or its text form (see :ref:`kernel-names`). None: ``RBF(gamma="median")``, for vectors.
    kernel_y : Kernel or str, default=None
        Kernel of Y, or its text form. None: ``RBF(gamma="median")``, for vectors.
    unbiased : bool, default=True
        Whether the statistic is the unbiased estimate of HSIC, which needs at least four samples.
    n_permutations : int, default=1000
        Number B of random permutations, at most 10⁷. The smallest possible p-value is 1/(1 + B).
    random_state : int, Generator, RandomState or None, default=None
        Source of the permutations. Pass an integer for reproducible results.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    PermutationTestResult
        Result with `statistic`, `pvalue`, `n_permutations` and `null_distribution`.

    Raises
    ------
    MemoryLimitError
        If two Gram matrices in float64 do not fit in memory.

    See Also
    --------
    hsic : The statistic alone, without the matrices in memory.
    two_sample_test : Test whether two samples have the same distribution.

    Notes
    -----
    Both Gram matrices are computed once and take 16n² bytes. The permutations cost O(B n²) time.

    References
    ----------
    * Gretton, Fukumizu, Teo, Song, Schölkopf and Smola, A kernel statistical test of independence, NIPS 20, 2008.

    Examples
    --------
    Uncorrelated variables can be dependent:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 1))
    >>> y = x**2 + 0.1 * rng.normal(size=(60, 1))
    >>> independence_test(x, y, random_state=0).pvalue
    0.000999000999000999
    >>> round(independence_test(x, y, kernel_x="linear", kernel_y="linear", random_state=0).pvalue, 3)
    1.0
    """
    who = "independence_test"
    unbiased = check_flag(who, "unbiased", unbiased)
    n_permutations = check_integer(who, "n_permutations", n_permutations, low=1, high=MOST_PERMUTATIONS)
    left = _given(who, X, kernel_x, n_jobs, name="X")
    right = _given(who, Y, kernel_y, n_jobs, name="Y")
    n = _check_pairs(who, left, right, unbiased=unbiased)
    rng = generator(who, random_state)
    A, B = (_centred(operator, who, unbiased=unbiased) for operator in (left, right))
    orders = (rng.permutation(n) for _ in range(n_permutations))
    scale = _scale(n, unbiased=unbiased)
    null = np.array([_permuted_product(A, B, order) for order in orders]) / scale
    statistic = _permuted_product(A, B, np.arange(n)) / scale
    return concluded(statistic, null, magnitude(left) * magnitude(right))


def _given(who: str, samples: Any, kernel: Any, n_jobs: int | None, *, name: str) -> GramOperator:
    if isinstance(samples, GramOperator) or (isinstance(kernel, str) and kernel == "precomputed"):
        return gram_operator(who, samples, None, n_jobs, name=name)
    return gram_operator(who, kernel_or_default(kernel), samples, n_jobs, name=name)


def _check_pairs(who: str, K: GramOperator, L: GramOperator, *, unbiased: bool) -> int:
    n, least = K.shape[0], 4 if unbiased else 2
    if L.shape[0] != n:
        raise ValueError(
            f"{who}: X has {n} samples but Y has {L.shape[0]}; expected pairs, the same number of samples in the same "
            "order."
        )
    if n < least:
        raise ValueError(
            f"{who}: got {n} samples, expected at least {least}; "
            + ("the biased estimate, unbiased=False, needs two." if unbiased else "add samples.")
        )
    return n


def _scale(n: int, *, unbiased: bool) -> float:
    return float(n * (n - 3) if unbiased else n * n)


class _Offsets:
    """Offsets u_i + u_j that centring subtracts from the entry (i, j).

    Biased: rows and columns of K − u − uᵀ sum to zero. Unbiased: rows and columns of this matrix without its diagonal
    sum to zero, so that the product of two such matrices is the formula of Song et al.
    """

    def __init__(self, K: GramOperator, *, unbiased: bool) -> None:
        n = K.shape[0]
        sums = np.asarray(K.matmul(np.ones(n)), dtype=np.float64)
        if unbiased:
            sums -= K.diag()
            self.u = sums / (n - 2) - sums.sum() / (2 * (n - 1) * (n - 2))
        else:
            self.u = sums / n - sums.sum() / (2 * n * n)

    def of(self, rows: slice) -> DoubleArray:
        return np.asarray(self.u[rows, None] + self.u)


def _centred(K: GramOperator, who: str, *, unbiased: bool) -> DoubleArray:
    """Return the centred matrix as a new array."""
    attributed, K.who = K.who, who
    try:
        out = K.array(buffers=2)
    finally:
        K.who = attributed
    offsets = _Offsets(K, unbiased=unbiased)
    for rows in panels(len(out), max(1, _TILE // len(out))):
        out[rows] -= offsets.of(rows)
    if unbiased:
        np.fill_diagonal(out, 0.0)
    return out


def _permuted_product(A: DoubleArray, B: DoubleArray, order: Any) -> float:
    """Return Σ_ij A_ij B_π(i)π(j) of symmetric matrices, from the entries on and right of the diagonal."""
    n, total = len(A), 0.0
    for rows in panels(n, max(1, _TILE // n)):
        part = B[order[rows]].take(order[rows.start :], axis=1)
        here = A[rows, rows.start :]
        square = rows.stop - rows.start
        total += 2 * float(np.einsum("ij,ij->", here, part))
        total -= float(np.einsum("ij,ij->", here[:, :square], part[:, :square]))
    return total
