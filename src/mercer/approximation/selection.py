"""Selection of landmarks from the samples of a Gram matrix."""

from typing import Any, Literal

import numpy as np

from mercer._validation import check_choice, check_real, generator
from mercer._words import one_word
from mercer.approximation.landmarks import Landmarks, checked_count, landmarks_of
from mercer.approximation.samplers import SAMPLERS, CholeskySampler, Sampler, require_sum
from mercer.operators import as_operator

__all__ = ["Method", "select_landmarks"]

Method = Literal["rpcholesky", "uniform", "kmeans++"]


@one_word
def select_landmarks(
    K: Any,
    n_landmarks: int,
    *,
    method: Method = "rpcholesky",
    tol: float = 0.0,
    random_state: Any = None,
    dtype: Literal["float64", "float32"] = "float64",
) -> Landmarks:
    """Select landmarks for a Nyström approximation, for any kernel on any data.

    Parameters
    ----------
    K : GramOperator or array-like of shape (n, n)
        Symmetric positive semidefinite Gram matrix of the samples.
    n_landmarks : int
        Largest number m of landmarks, at most n.
    method : {"rpcholesky", "uniform", "kmeans++"}, default="rpcholesky"
        "rpcholesky" draws the next landmark in proportion to the residual k(x, x) − k̂(x, x) of the landmarks so far.
        "uniform" draws without replacement. "kmeans++" draws in proportion to the squared distance in feature space to
        the nearest landmark so far.
    tol : float, default=0.0
        Relative trace of the residual at which "rpcholesky" stops. It always stops when the residual is rounding error.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the draws.
    dtype : {"float64", "float32"}, default="float64"
        Type of the factor of "rpcholesky". Single precision takes half the time and memory, and the selection stops at
        residuals of about 10⁻⁵ k(x, x). The factor is in double precision if the largest k(x, x) is below 10⁻³⁰ or
        above 10³⁷, the range of single precision.

    Returns
    -------
    Landmarks
        Indices in the order of selection, and the residual after each of them.

    Raises
    ------
    NotPositiveDefiniteError
        If "rpcholesky" finds a squared distance in feature space below −10⁻⁴ max k(x, x), or −10⁻² in single precision.
    MemoryLimitError
        If the factor of "rpcholesky" does not fit into memory.

    See Also
    --------
    Landmarks : The result.
    nystroem : Nyström approximation for landmarks.
    mercer.kernel_approximation.Nystroem : Transformer for pipelines.

    Notes
    -----
    Candidates are drawn in blocks and thinned by rejection, so that matrix products do the work while the landmarks
    have the same law as those drawn one by one. "rpcholesky" takes (m + 1)n kernel values, O(nm²) operations and a
    factor of n × m numbers; select from a subsample if that is too large. Equal samples are never selected twice.
    "uniform" takes no kernel values but the diagonal. "kmeans++" takes mn kernel values and O(n) memory for each
    candidate of a block.

    References
    ----------
    * Chen, Epperly, Tropp and Webber, *Randomly pivoted Cholesky: practical approximation of a kernel matrix with few
      entry evaluations*, Communications on Pure and Applied Mathematics, 2025.
    * Epperly, Tropp and Webber, *Embrace rejection: kernel matrix approximation by accelerated randomly pivoted
      Cholesky*, 2024.
    * Arthur and Vassilvitskii, *k-means++: the advantages of careful seeding*, SODA 2007.

    Examples
    --------
    >>> from mercer.approximation import select_landmarks
    >>> from mercer.operators import gram
    >>> words = ["GATTACA", "GATTA", "TTATTA", "CCGC", "GCCG", "ACGC"]
    >>> landmarks = select_landmarks(gram("spectrum(2)", words), 6, tol=0.2, random_state=0)
    >>> [words[i] for i in landmarks.indices]
    ['ACGC', 'GATTACA', 'CCGC']
    >>> landmarks.residuals.round(2)
    array([28.  , 22.  ,  8.94,  5.41])
    """
    who = "select_landmarks"
    operator = as_operator(who, K)
    n = operator.shape[0]
    count = checked_count(who, n_landmarks, n, low=1)
    method = check_choice(who, "method", method, Method)  # type: ignore[assignment]
    tol = check_real(who, "tol", tol, low=0.0)
    precision = check_choice(who, "dtype", dtype, Literal["float64", "float32"])
    with np.errstate(over="ignore"):
        trace = float(np.asarray(operator.diag(), dtype=np.float64).sum())
    require_sum(operator.who, n, trace)
    own = np.random.default_rng(generator(who, random_state).integers(2**63, size=4))  # kept for `grow`
    sampler: Sampler = (
        CholeskySampler(operator, own, precision) if method == "rpcholesky" else SAMPLERS[method](operator, own)
    )
    sampler.extend(operator, count, tol)
    return landmarks_of(sampler, trace, method, n)
