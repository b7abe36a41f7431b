"""Report on the definiteness of a Gram matrix.

A certificate proves the definiteness of a kernel for all data. The report examines the numbers of one matrix.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime.products import asymmetry, symmetric_part
from mercer._runtime.spectra import eigvalsh
from mercer._typing import FloatArray
from mercer._validation import as_numbers, check_real, describe

__all__ = ["ROUNDING", "GramReport", "check_gram", "doubly_centred", "square_matrix"]

FULL_SPECTRUM = 1500  # above this size only the two ends of the spectrum are computed if possible
ROUNDING = 10  # tolerance of verdicts: ROUNDING · n · eps, relative to the largest eigenvalue
ROW_PANEL = 256


@dataclass(frozen=True)
class GramReport:
    """Result of `check_gram`. Fields that were not computed are None.

    Parameters
    ----------
    n : int
        Number of rows and columns.
    tol : float
        Relative tolerance of the verdicts.
    is_finite : bool
        Whether all entries are finite.
    is_symmetric : bool
        Whether the matrix is symmetric up to the tolerance.
    is_psd : bool
        Whether the matrix is PSD up to the tolerance. False if it is not finite or not symmetric.
    is_cpd : bool
        Whether the matrix is conditionally PSD up to the tolerance. False if it is not finite or not symmetric.
    asymmetry : float, default=None
        Largest entry of ``|K − Kᵀ|``.
    min_diagonal : float, default=None
        Smallest diagonal entry. It is nonnegative for a PSD matrix.
    cauchy_schwarz : float, default=None
        Maximum of K_ij² − K_ii K_jj over i ≠ j. It is at most 0 (up to rounding) for a PSD matrix. None if n = 1.
    worst_pair : tuple of (int, int), default=None
        Pair (i, j) at which that maximum is attained.
    min_eigenvalue : float, default=None
        Smallest eigenvalue.
    max_eigenvalue : float, default=None
        Largest eigenvalue.
    negative_mass : float, default=None
        Share of the negative eigenvalues, ``Σ|λ₋| / Σ|λ|``.
    rank : int, default=None
        Number of eigenvalues with ``|λ| > tol · max|λ|``.
    condition : float, default=None
        Condition number ``max|λ| / min|λ|``, infinite for a singular matrix.
    effective_dimension : float, default=None
        Participation ratio (Σλ)²/Σλ²: n for a multiple of the identity, 1 for rank one.

    See Also
    --------
    check_gram : Make the report.

    Examples
    --------
    >>> from mercer.kernels import check_gram
    >>> report = check_gram([[1.0, 2.0], [2.0, 1.0]])
    >>> report.verdict, round(report.min_eigenvalue, 6), round(report.negative_mass, 6)
    ('indefinite', -1.0, 0.25)
    """

    n: int
    tol: float
    is_finite: bool
    is_symmetric: bool
    is_psd: bool
    is_cpd: bool
    asymmetry: float | None = None
    min_diagonal: float | None = None
    cauchy_schwarz: float | None = None
    worst_pair: tuple[int, int] | None = None
    min_eigenvalue: float | None = None
    max_eigenvalue: float | None = None
    negative_mass: float | None = None
    rank: int | None = None
    condition: float | None = None
    effective_dimension: float | None = None

    @property
    def verdict(self) -> str:
        """The strongest statement that holds for the matrix, in words.

        Returns
        -------
        str
            ``"positive semidefinite"``, ``"conditionally positive semidefinite"``, ``"indefinite"``, ``"not
            symmetric"`` or ``"not finite"``.
        """
        if not self.is_finite:
            return "not finite"
        if not self.is_symmetric:
            return "not symmetric"
        if self.is_psd:
            return "positive semidefinite"
        return "conditionally positive semidefinite" if self.is_cpd else "indefinite"

    def __str__(self) -> str:
        def show(value: float | None) -> str:
            return "not computed" if value is None else f"{value:.6g}"

        title = f"Gram matrix of {self.n} samples: {self.verdict}"
        ends = f"{show(self.min_eigenvalue)} to {show(self.max_eigenvalue)}"
        pair = "" if self.worst_pair is None else f" at {self.worst_pair}"
        return "\n".join(
            [
                f"{title} (relative tolerance {self.tol:.2g})",
                f"  max |K − Kᵀ|            {show(self.asymmetry)}",
                f"  smallest diagonal       {show(self.min_diagonal)}",
                f"  max K_ij² − K_ii·K_jj   {show(self.cauchy_schwarz)}{pair}",
                f"  spectrum                {ends}",
                f"  negative mass           {show(self.negative_mass)}",
                f"  rank                    {show(self.rank)}",
                f"  condition               {show(self.condition)}",
                f"  effective dimension     {show(self.effective_dimension)}",
            ]
        )


def check_gram(K: Any, *, tol: float | None = None) -> GramReport:
    """Examine a Gram matrix: symmetry, diagonal, Cauchy–Schwarz inequality, spectrum and definiteness.

    Parameters
    ----------
    K : array-like of shape (n_samples, n_samples)
        Square matrix. It may contain NaN, which the report states.
    tol : float, default=None
        Relative tolerance of every verdict. None means 10·n·eps for the eps of the dtype of K. K is PSD if
        λ_min ≥ −tol·λ_max. K is conditionally PSD if λ_min of HKH, H = I − 11ᵀ/n, is at least −tol times the largest
        absolute eigenvalue of K.

    Returns
    -------
    GramReport
        The report; ``print`` shows it as a table.

    See Also
    --------
    repair : Make an indefinite matrix PSD.
    Kernel.certificate : Proof of the definiteness of a kernel for all data.
    find_counterexample : Search for data that refute a kernel.

    Notes
    -----
    The cost is O(n³), once for a PSD matrix and twice for others. For n > 1500, Lanczos iterations first try to find
    both ends of the spectrum with a few O(n²) products. If they succeed, the fields that need all eigenvalues are None.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import RBF, Power
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> report = check_gram(RBF(gamma=1.0)(X))
    >>> report.verdict, round(report.min_eigenvalue, 4)
    ('positive semidefinite', 0.6317)
    >>> report = check_gram(Power()(X))
    >>> report.verdict, round(report.negative_mass, 6)
    ('conditionally positive semidefinite', 0.5)
    """
    K, eps = square_matrix("check_gram", K)
    n = len(K)
    tol = ROUNDING * n * eps if tol is None else check_real("check_gram", "tol", tol, low=0.0)
    if not np.isfinite(K).all():
        return GramReport(n, tol, is_finite=False, is_symmetric=False, is_psd=False, is_cpd=False)
    unit = float(np.ldexp(1.0, np.frexp(np.abs(K).max())[1]))  # a power of two, so that dividing is exact
    K = K / unit
    diagonal = K.diagonal()
    worst = asymmetry(K)
    excess, pair = _cauchy_schwarz(K, diagonal)
    known: dict[str, Any] = {
        "asymmetry": worst * unit,
        "min_diagonal": float(diagonal.min()) * unit,
        "cauchy_schwarz": None if excess is None else excess * unit * unit,
        "worst_pair": pair,
    }
    if worst > tol * float(np.abs(K).max()):
        return GramReport(n, tol, True, is_symmetric=False, is_psd=False, is_cpd=False, **known)
    K = K if worst == 0 else symmetric_part(K)
    values = _spectrum(K)
    low, high = float(values[0]), float(values[-1])
    size = max(abs(low), abs(high))
    is_psd = low >= -tol * max(high, 0.0)
    is_cpd = is_psd or float(_spectrum(doubly_centred(K))[0]) >= -tol * size
    squares = float(np.vdot(K, K))
    known |= {
        "min_eigenvalue": low * unit,
        "max_eigenvalue": high * unit,
        "effective_dimension": float(diagonal.sum()) ** 2 / squares if squares else 0.0,
    }
    if len(values) == n:
        sizes = np.abs(values)
        smallest, total = float(sizes.min()), float(sizes.sum())
        known |= {
            "negative_mass": float(sizes[values < 0].sum()) / total if total else 0.0,
            "rank": int((sizes > tol * size).sum()),
            "condition": size / smallest if smallest else np.inf,
        }
    elif low > 0:  # the inner eigenvalues lie between two known positive ones
        known |= {"negative_mass": 0.0, "condition": high / low}
    return GramReport(n, tol, True, is_symmetric=True, is_psd=is_psd, is_cpd=is_cpd, **known)


def square_matrix(who: str, K: Any) -> tuple[FloatArray, float]:
    """K as a square float64 array, which may contain NaN, and the eps of its original dtype."""
    if sp.issparse(K):
        raise TypeError(f"{who}: K is sparse, expected a dense Gram matrix; pass K.toarray().")
    given = getattr(K, "dtype", np.dtype(float))
    K = as_numbers(who, K, name="K")
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.size == 0:
        raise ValueError(
            f"{who}: K must be a square matrix of real numbers, of shape (n, n) with n >= 1, got "
            f"{describe(K)}; pass the Gram matrix kernel(X)."
        )
    double = float(np.finfo(np.float64).eps)
    eps = max(double, float(np.finfo(given).eps)) if given.kind == "f" else double
    return np.asarray(K, dtype=np.float64), eps


def _panels(n: int) -> Iterator[slice]:
    """Slices of consecutive rows."""
    return (slice(start, start + ROW_PANEL) for start in range(0, n, ROW_PANEL))


def _cauchy_schwarz(K: FloatArray, diagonal: FloatArray) -> tuple[float | None, tuple[int, int] | None]:
    """The largest K_ij² − K_ii K_jj over i ≠ j, and its position."""
    worst, pair = -np.inf, None
    for rows in _panels(len(K)):
        excess = K[rows] ** 2 - diagonal[rows, None] * diagonal
        own = np.arange(len(excess))
        excess[own, rows.start + own] = -np.inf
        i, j = np.unravel_index(excess.argmax(), excess.shape)
        if excess[i, j] > worst:
            worst, pair = float(excess[i, j]), (rows.start + int(i), int(j))
    return (None, None) if pair is None else (worst, pair)


def doubly_centred(K: FloatArray) -> FloatArray:
    """HKH with H = I − 11ᵀ/n, for one matrix or a stack of them."""
    K = K - K.mean(axis=-1, keepdims=True)
    return np.asarray(K - K.mean(axis=-2, keepdims=True))


def _spectrum(K: FloatArray) -> FloatArray:
    """All eigenvalues in ascending order, or only the smallest and the largest."""
    ends = _ends(K) if len(K) > FULL_SPECTRUM else None
    return np.asarray(eigvalsh(K)) if ends is None else ends


def _ends(K: FloatArray) -> FloatArray | None:
    """Both ends of the spectrum by Lanczos iterations.

    Returns None if they are not found at about a third of the cost of all eigenvalues.
    """
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    n = len(K)
    options: dict[str, Any] = {
        "k": 1,
        "which": "LM",
        "v0": np.random.default_rng(0).standard_normal(n),
        "ncv": 40,
        "maxiter": max(5, n // 500),
        "tol": n * np.finfo(np.float64).eps,
        "return_eigenvectors": False,
    }
    try:
        largest = float(eigsh(K, **options)[0])
        # ARPACK's tolerance is relative to the eigenvalue. The shift makes the other end large.
        shifted = LinearOperator((n, n), lambda v: largest * v - K @ v, dtype=np.float64)
        other = largest - float(eigsh(shifted, **options)[0])
    except ArpackError:
        return None
    return np.sort([largest, other])
