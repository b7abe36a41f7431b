"""Results of permutation tests and their p-values."""

from dataclasses import dataclass
from typing import final

import numpy as np

from mercer._typing import DoubleArray
from mercer.operators import GramOperator

__all__ = ["MOST_PERMUTATIONS", "PermutationTestResult", "concluded", "magnitude"]

MOST_PERMUTATIONS = 10_000_000  # at a microsecond or more each

_ROUNDING = 1e-13  # relative difference that the order of summation can cause


@final
@dataclass(frozen=True, eq=False)
class PermutationTestResult:
    """Result of a permutation test.

    Parameters
    ----------
    statistic : float
        Value of the statistic for the observed samples.
    pvalue : float
        (1 + number of permutations whose value is at least `statistic`) / (1 + n_permutations). Under the null
        hypothesis the probability of a p-value of at most α is at most α, for every α.
    n_permutations : int
        Number of random permutations.
    null_distribution : ndarray of shape (n_permutations,)
        Values of the statistic for permuted samples, in the order in which they were drawn.

    See Also
    --------
    two_sample_test : Test whether two samples have the same distribution.
    independence_test : Test whether paired samples are independent.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.model_selection import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> two_sample_test(rng.normal(size=(40, 2)), rng.normal(1, size=(40, 2)), n_permutations=199, random_state=0)
    PermutationTestResult(statistic=0.1379, pvalue=0.005, n_permutations=199)
    """

    statistic: float
    pvalue: float
    n_permutations: int
    null_distribution: DoubleArray

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(statistic={self.statistic:.4g}, pvalue={self.pvalue:.4g}, "
            f"n_permutations={self.n_permutations})"
        )


def concluded(statistic: float, null: DoubleArray, size: float) -> PermutationTestResult:
    """Return the result of a one-sided test; values that differ from the statistic by rounding count as equal to it.

    Parameters
    ----------
    statistic : float
        Value for the observed samples.
    null : ndarray of shape (n_permutations,)
        Values for permuted samples, which become read-only.
    size : float
        Magnitude of the kernel values (or of their products) whose mean is the statistic. For a kernel that is constant
        on the samples, the statistic is zero up to rounding, which must not count as evidence.

    Returns
    -------
    PermutationTestResult
        Result with the p-value.

    Examples
    --------
    >>> concluded(2.0, np.array([1.0, 2.0, 3.0]), size=1.0)
    PermutationTestResult(statistic=2, pvalue=0.75, n_permutations=3)
    >>> concluded(1e-16, np.array([-1e-16, 0.0, 1e-17]), size=1.0).pvalue
    1.0
    """
    rounding = _ROUNDING * size
    extreme = int(np.count_nonzero(null >= statistic - rounding))
    null.flags.writeable = False
    return PermutationTestResult(statistic, (1 + extreme) / (1 + len(null)), len(null), null)


def magnitude(K: GramOperator) -> float:
    """Return the magnitude of the entries of a Gram matrix, from its diagonal and the means of its rows."""
    n = K.shape[0]
    return float(max(np.abs(K.diag()).max(), np.abs(K.matmul(np.full(n, 1 / n))).max()))
