"""Maximum mean discrepancy and the kernel two-sample test."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer._runtime.interrupt import pieces
from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray
from mercer._validation import check_flag, check_integer, check_rows, generator
from mercer._words import one_word
from mercer.data import n_samples
from mercer.data.convert import as_matrix
from mercer.data.frames import as_frame
from mercer.data.join import joined
from mercer.model_selection.grams import gram_operator, is_kernel, kernel_or_default
from mercer.model_selection.permutation import MOST_PERMUTATIONS, PermutationTestResult, concluded, magnitude
from mercer.operators import GramOperator, OperatorStack

__all__ = ["mmd", "two_sample_test"]


@one_word
def mmd(kernel: Any, X: Data, Y: Data, *, unbiased: bool = True, n_jobs: int | None = None) -> float:
    r"""Compute the squared maximum mean discrepancy (MMD²) of two samples.

    MMD² is the squared distance ‖μ_x − μ_y‖² between the means of the two samples in feature space. For characteristic
    kernels, such as the Gaussian kernel, it is zero in the population if and only if both distributions are equal. The
    biased estimate averages over all pairs. The unbiased estimate leaves out pairs of a sample with itself:

        Σ_{i≠j} k(x_i, x_j)/(m(m−1)) + Σ_{i≠j} k(y_i, y_j)/(n(n−1)) − 2 Σ_ij k(x_i, y_j)/(mn).

    Parameters
    ----------
    kernel : Kernel, str, GramOperator, array-like of shape (m + n, m + n) or None
        Kernel, its text form (see :ref:`kernel-names`), or a symmetric Gram matrix of both samples. None:
        ``RBF(gamma="median")``. Parameters that depend on the data are resolved on both samples together.
    X : {array-like, sparse matrix} of shape (m, n_features) or other data
        First sample. For a Gram matrix: its row indices, as integers, mask or slice.
    Y : {array-like, sparse matrix} of shape (n, n_features) or other data
        Second sample, in the same form; row indices must differ from those of X.
    unbiased : bool, default=True
        Whether the unbiased estimate is computed, which may be negative and needs at least two observations in each
        sample.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    float
        Estimate of the *squared* discrepancy.

    See Also
    --------
    two_sample_test : The same statistic with a p-value.
    hsic : Dependence of paired samples.

    Notes
    -----
    Cost: O((m + n)²) time and 64 MB for tiles. Gram matrices that are larger are not held in memory.

    References
    ----------
    * Gretton, Borgwardt, Rasch, Schölkopf and Smola, A kernel two-sample test, JMLR 13, 723–773, 2012.

    Examples
    --------
    With the linear kernel it is the squared distance of the means:

    >>> import numpy as np
    >>> X, Y = np.array([[0.0, 0.0], [2.0, 0.0]]), np.array([[1.0, 3.0]])
    >>> mmd("linear", X, Y, unbiased=False)
    9.0
    >>> K = np.vstack([X, Y]) @ np.vstack([X, Y]).T
    >>> mmd(K, [0, 1], [2], unbiased=False)
    9.0
    """
    unbiased = check_flag("mmd", "unbiased", unbiased)
    K, m = _pooled("mmd", kernel, X, Y, n_jobs, unbiased=unbiased)
    member = np.zeros((K.shape[0], 1))
    member[:m] = 1.0
    return float(_discrepancies(K, member, unbiased=unbiased)[0])


@one_word
def two_sample_test(
    X: Data,
    Y: Data,
    *,
    kernel: Any = None,
    unbiased: bool = True,
    n_permutations: int = 1000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> PermutationTestResult:
    r"""Test whether two samples have the same distribution, by MMD² and random permutations.

    Under the null hypothesis all observations have the same distribution. MMD² is computed for random divisions of all
    observations into groups of the same sizes. The p-value is the fraction of values that are at least as large as the
    observed one.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (m, n_features) or other data
        First sample, of a type that the kernel accepts; row indices if `kernel` is a Gram matrix.
    Y : {array-like, sparse matrix} of shape (n, n_features) or other data
        Second sample, in the same form.
    kernel : Kernel, str, GramOperator or array-like of shape (m + n, m + n), default=None
        Kernel, its text form (see :ref:`kernel-names`), or a Gram matrix of both samples, as in `mmd`. None:
        ``RBF(gamma="median")``, for vectors.
    unbiased : bool, default=True
        Whether the statistic is the unbiased estimate of MMD².
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

    See Also
    --------
    mmd : The statistic alone.
    independence_test : Test whether paired samples are independent.

    Notes
    -----
    Every permutation costs one quadratic form sᵀKs with the centred Gram matrix K of all observations and the indicator
    s of a group. The cost is O(B (m + n)²), by matrix products over many permutations. The matrix is computed once and
    held in memory if it fits. Otherwise one pass over the kernel values serves all permutations.

    References
    ----------
    * Gretton, Borgwardt, Rasch, Schölkopf and Smola, A kernel two-sample test, JMLR 13, 723–773, 2012.

    Examples
    --------
    Strings of the same length that differ in the middle letter:

    >>> from mercer.model_selection import two_sample_test
    >>> X, Y = ["GAT", "GCT", "GAT", "GTT"] * 5, ["GGT", "GGT", "GCT", "GGT"] * 5
    >>> two_sample_test(X, Y, kernel="spectrum(p=1)", random_state=0)
    PermutationTestResult(statistic=0.8224, pvalue=0.000999, n_permutations=1000)
    """
    who = "two_sample_test"
    unbiased = check_flag(who, "unbiased", unbiased)
    n_permutations = check_integer(who, "n_permutations", n_permutations, low=1, high=MOST_PERMUTATIONS)
    rng = generator(who, random_state)
    K, m = _pooled(who, kernel, X, Y, n_jobs, unbiased=unbiased)
    K, n = K.hold(), K.shape[0]
    null = np.empty(1 + n_permutations)
    for first, last in _batches(K, 1 + n_permutations, who):
        members = np.zeros((n, last - first))
        for column in range(last - first):  # the very first column is the observed division
            order = rng.permutation(n) if first + column else np.arange(n)
            members[order[:m], column] = 1.0
        null[first:last] = _discrepancies(K, members, unbiased=unbiased)
    return concluded(float(null[0]), null[1:].copy(), magnitude(K))


def _pooled(who: str, kernel: Any, X: Any, Y: Any, n_jobs: int | None, *, unbiased: bool) -> tuple[GramOperator, int]:
    """Return the Gram matrix of all observations, those of X first, and the number of observations in X."""
    kernel = kernel_or_default(kernel)
    if is_kernel(kernel):
        sizes = n_samples(X), n_samples(Y)
        _check_sizes(who, *sizes, unbiased=unbiased)
        if (as_frame(X) is None) != (as_frame(Y) is None):  # a frame and an array of its numbers
            X, Y = as_matrix(X, who), as_matrix(Y, who)
        try:
            both = joined(X, Y)
        except (TypeError, ValueError) as error:
            reason = str(error).removeprefix("joined: ")
            raise type(error)(f"{who}: X and Y cannot be compared, {reason}") from None
        return gram_operator(who, kernel, both, n_jobs), sizes[0]
    K = gram_operator(who, kernel, None, n_jobs)
    n = K.shape[0]
    rows = [check_rows(who, given, n, name=name) for name, given in (("X", X), ("Y", Y))]
    order = np.concatenate(rows)
    if len(np.unique(order)) < len(order):
        raise ValueError(
            f"{who}: a row of the Gram matrix occurs twice in X and Y; every row is one observation, pass it once."
        )
    _check_sizes(who, len(rows[0]), len(rows[1]), unbiased=unbiased)
    return (K if np.array_equal(order, np.arange(n)) else K.take(order)), len(rows[0])


def _check_sizes(who: str, m: int, n: int, *, unbiased: bool) -> None:
    least = 2 if unbiased else 1
    if min(m, n) < least:
        raise ValueError(
            f"{who}: got samples of sizes {m} and {n}, expected at least {least} each"
            + ("; the biased estimate, unbiased=False, needs one." if unbiased else ".")
        )


def _discrepancies(K: GramOperator, members: DoubleArray, *, unbiased: bool) -> DoubleArray:
    """Return MMD² of the divisions described by the columns of `members`, which have ones for the first group.

    The sums over pairs within both groups and between them are q, q and −q with q = sᵀKs for the centred matrix K.
    """
    m = float(members[:, 0].sum())
    n = len(members) - m
    centred = K.centered()
    (q,) = OperatorStack([centred]).forms(members)
    if not unbiased:
        return np.asarray(q * (1 / m + 1 / n) ** 2)
    diagonal = np.asarray(centred.diag(), dtype=np.float64)
    own = diagonal @ members
    return np.asarray((q - own) / (m * (m - 1)) + (q - (diagonal.sum() - own)) / (n * (n - 1)) + 2 * q / (m * n))


def _batches(K: GramOperator, columns: int, who: str) -> Iterator[tuple[int, int]]:
    """Yield ranges of columns: short ones for a matrix in memory, a single one if kernel values must be computed."""
    n = K.shape[0]
    if K.matrix is not None:
        yield from pieces(0, columns, 2.0 * n * n)
        return
    require_memory(
        4 * 8 * n * columns,
        what=f"{who}: {columns} divisions of {n} observations",
        instead="Use fewer permutations or fewer observations.",
    )
    yield 0, columns
