"""Explicit features φ with φ(X) φ(Z)ᵀ = k(X, Z).

`series` turns features of k into features of Σ_j c_j k^j (polynomials, powers, Taylor series). `kron` makes the
features of a product, `hstack` those of a sum, and `scale_rows` those of f(x) k(x, z) f(z). `unary`, `onehot` and
`lookup` encode integer counts. All functions keep float32. CSR matrices stay sparse: a result is dense only if one of
its parts is.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from mercer._runtime.limits import require_memory
from mercer._runtime.spectra import eigh
from mercer._typing import Data, FloatArray, IndexArray
from mercer._validation import check_dense, check_integer
from mercer.exceptions import NoFeatureMapError, NotPositiveDefiniteError
from mercer.kernels.sharing import as_vectors

__all__ = [
    "Options",
    "binomial",
    "counts",
    "hstack",
    "kron",
    "lookup",
    "onehot",
    "real_root",
    "root",
    "scale_columns",
    "scale_rows",
    "series",
    "taylor_degree",
    "unary",
    "vectors",
]

Options: TypeAlias = dict[str, Any]
MAX_DEGREE = 1000  # binomial coefficients of higher degree overflow float64
MAX_TAYLOR = 170  # factorials of larger numbers overflow float64
MAX_WIDTH = 2**63 - 1
ENTRY_BYTES = 48  # memory per entry of a sparse result while it is computed
INSTEAD = "Use mercer.operators.gram, which needs no features, or mercer.preprocessing.KernelRows."


def vectors(who: str, X: Data, *, dense: bool = False) -> Any:
    """Data as a checked matrix of floats. With `dense`, sparse matrices raise an error."""
    array = as_vectors(X, who)
    if dense:
        check_dense(who, array)
    return array


def real_root(who: str, name: str, value: float) -> float:
    """√value. A negative value raises an error, because there are no real features."""
    if value < 0:
        raise NotPositiveDefiniteError(
            f"{who}: {name} is {value:g}, so the kernel is not positive semidefinite and has no "
            "real features; use a number >= 0 (k.certificate() shows the proof)."
        )
    return math.sqrt(value)


def taylor_degree(who: str, options: Options) -> int:
    """Degree at which a Taylor series is truncated, which the user must give."""
    if options["degree"] is None:
        raise NoFeatureMapError(
            f"{who}: has infinitely many features; pass degree=r to keep the Taylor terms up to r, "
            "or use mercer.preprocessing.KernelRows for features relative to a set of landmarks."
        )
    return check_integer(who, "degree", options["degree"], low=0, high=MAX_TAYLOR)


# ---- rows and columns


def _empty(who: str, n: int, width: int, dtype: np.dtype[Any]) -> FloatArray:
    """Uninitialised array, after a check of the available memory."""
    require_memory(
        n * width * dtype.itemsize,
        what=f"{who}: {width} features of {n} samples",
        instead=INSTEAD,
    )
    return np.empty((n, width), dtype=dtype)


def _require_entries(who: str, total: int) -> None:
    """Check that the memory suffices for the nonzero entries of a sparse result."""
    require_memory(ENTRY_BYTES * total, what=f"{who}: {total} nonzero features", instead=INSTEAD)


def _csr(row: IndexArray, column: IndexArray, value: FloatArray, shape: Any) -> Any:
    """CSR matrix of entries in the order of rows and columns."""
    pointers = np.searchsorted(row, np.arange(shape[0] + 1))
    return sp.csr_matrix((value, column, pointers), shape=shape)


def _check_width(who: str, width: int) -> None:
    """Check that the columns can be numbered with 64-bit integers."""
    if width > MAX_WIDTH:
        raise ValueError(f"{who}: {width} features exceed the range of 64-bit column numbers. {INSTEAD}")


def _ranges(who: str, begin: IndexArray, end: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Integers of all intervals [begin, end), each with the number of its interval."""
    length = np.maximum(end - begin, 0)
    total = int(length.sum())
    _require_entries(who, total)
    which = np.repeat(np.arange(len(length)), length)
    return which, np.arange(total) + (begin + length - np.cumsum(length))[which]


def scale_rows(F: Any, factor: FloatArray) -> Any:
    """Multiply every row by its factor: features of f(x) k(x, z) f(z)."""
    factor = factor.astype(F.dtype)
    if not sp.issparse(F):
        return F * factor[:, None]
    values = F.data * np.repeat(factor, np.diff(F.indptr))
    return sp.csr_matrix((values, F.indices.copy(), F.indptr.copy()), shape=F.shape)


def scale_columns(F: Any, factor: FloatArray | float) -> Any:
    """Multiply every column by its factor, or all columns by one number."""
    factor = np.broadcast_to(np.asarray(factor, dtype=F.dtype), F.shape[1])
    if not sp.issparse(F):
        return F * factor
    values = F.data * factor[F.indices]
    return sp.csr_matrix((values, F.indices.copy(), F.indptr.copy()), shape=F.shape)


def hstack(who: str, parts: Sequence[Any]) -> Any:
    """Features side by side, for a sum of kernels: CSR if every part is, else dense."""
    if all(sp.issparse(part) for part in parts):
        _check_width(who, sum(part.shape[1] for part in parts))
        return sp.hstack(parts, format="csr")
    stops = np.cumsum([part.shape[1] for part in parts])
    dtype = np.result_type(*(part.dtype for part in parts))
    out = _empty(who, parts[0].shape[0], int(stops[-1]), dtype)
    for part, stop in zip(parts, stops, strict=True):
        out[:, stop - part.shape[1] : stop] = part.toarray() if sp.issparse(part) else part
    return out


def kron(who: str, A: Any, B: Any) -> Any:
    """All products of a feature of A and a feature of B, for a product of kernels.

    The result is CSR if both are, else dense. The cost is O(n · width), or O(nonzeros of the result).
    """
    n, a, b = A.shape[0], A.shape[1], B.shape[1]
    if sp.issparse(A) and sp.issparse(B):
        _check_width(who, a * b)
        row = np.repeat(np.arange(n), np.diff(A.indptr))
        which, partner = _ranges(who, B.indptr[row], B.indptr[row + 1])
        column = A.indices[which].astype(np.int64) * b + B.indices[partner]
        return _csr(row[which], column, A.data[which] * B.data[partner], (n, a * b))
    out = _empty(who, n, a * b, np.result_type(A.dtype, B.dtype))
    A, B = (F.toarray() if sp.issparse(F) else F for F in (A, B))
    np.multiply(A[:, :, None], B[:, None, :], out=out.reshape(n, a, b))
    return out


# ---- monomials


def series(who: str, F: Any, coefficients: Sequence[float], *, distinct: bool = False) -> Any:
    """Features of Σ_j c_j k^j from features F of k: monomials weighted by √(c_j · multinomial coefficient).

    The highest degree comes first, and each degree is in lexicographic order. Degrees with c_j = 0 are omitted. With
    `distinct`, only products of different features are kept, each with the weight √c_j. These are features of Σ_j c_j
    e_j, the elementary symmetric polynomials of the products φ_i(x) φ_i(z). The cost is O(n · width) for dense F and
    O(nonzeros of the result) for CSR.

    >>> series("powers", np.array([[2.0, 3.0]]), [1, 0, 1])  # x₁², √2 x₁x₂, x₂², 1
    array([[4.        , 8.48528137, 9.        , 1.        ]])
    """
    _check_degree(who, len(coefficients) - 1)
    roots = {j: real_root(who, f"the coefficient of degree {j}", c) for j, c in enumerate(coefficients) if c != 0} or {
        0: 0.0
    }
    if not all(map(math.isfinite, roots.values())):
        raise ValueError(f"{who}: a coefficient overflows float64; lower the degree.")
    widths = {j: _width(F.shape[1], j, distinct) for j in sorted(roots)}
    _check_width(who, sum(widths.values()))
    if sp.issparse(F):
        return _sparse_series(who, F, roots, widths, distinct)
    return _dense_series(who, F, roots, widths, distinct)


def binomial(who: str, degree: int, a: float, b: float) -> list[float]:
    """Coefficients of (a t + b)^degree, lowest power first."""
    _check_degree(who, degree)
    powers = np.arange(degree + 1)
    with np.errstate(over="ignore", invalid="ignore"):  # `series` raises if a coefficient is not finite
        weights = np.float64(a) ** powers * np.float64(b) ** powers[::-1]
    return [math.comb(degree, j) * float(w) for j, w in enumerate(weights)]


def _check_degree(who: str, degree: int) -> None:
    """Check that binomial coefficients of this degree are in the range of float64."""
    if degree > MAX_DEGREE:
        raise ValueError(f"{who}: explicit features are limited to degree {MAX_DEGREE}, got {degree}. {INSTEAD}")


def _width(n_variables: int, degree: int, distinct: bool) -> int:
    """Number of monomials of one degree. There is one of degree 0 even without variables."""
    return math.comb(n_variables if distinct else max(n_variables + degree - 1, 0), degree)


@dataclass(frozen=True)
class _Monomials:
    """Nonzero monomials of one degree, row by row in the order of their columns."""

    row: IndexArray
    column: IndexArray
    value: FloatArray
    first: IndexArray  # first variable of each monomial
    power: IndexArray  # exponent of the first variable


def _levels(
    who: str,
    row: IndexArray,
    column: IndexArray,
    value: FloatArray,
    D: int,
    top: int,
    distinct: bool,
) -> Iterator[_Monomials]:
    """Weighted monomials of degree 0, …, top in the entries of a matrix with D columns.

    A monomial is x_i times one of the next lower degree whose first variable is not before i (is after i, if
    `distinct`). In lexicographic order these partners are the end of the list, so the column of the monomial is found
    by counting. The multinomial coefficient grows by q divided by the new exponent of x_i.
    """
    require_memory(32 * D, what=f"{who}: counting monomials of {D} features", instead=INSTEAD)
    shift = int(distinct)
    lines = np.unique(row)
    count = np.ones(D + 1, dtype=np.int64)  # number of monomials of the current degree in 0, ..., D variables
    ones = np.ones_like(lines)
    level = _Monomials(lines, ones - 1, np.ones(len(lines), dtype=value.dtype), ones * D, ones - 1)
    yield level
    for q in range(1, top + 1):
        key = level.row * (D + 1) + level.first
        begin = np.searchsorted(key, row * (D + 1) + column + shift)
        which, partner = _ranges(who, begin, np.searchsorted(key, (row + 1) * (D + 1)))
        first = column[which]
        same = level.first[partner] == first
        power = np.where(same, level.power[partner] + 1, 1)
        product = value[which] * level.value[partner]
        if not distinct:
            product *= np.sqrt(q / power)
        lower = count[-1] - count[::-1]  # monomials that start before variable i
        count = np.concatenate([[0], np.cumsum(count[:-1] if distinct else count[1:])])
        place = (count[-1] - count[::-1])[first] + level.column[partner] - lower[first + shift]
        level = _Monomials(row[which], place, product, first, power)
        yield level


def _sparse_series(who: str, F: Any, roots: Mapping[int, float], widths: Mapping[int, int], distinct: bool) -> Any:
    """`series` of a CSR matrix."""
    n, D = F.shape
    filled = np.diff(F.indptr)
    lengths, times = np.unique(filled, return_counts=True)
    pairs = list(zip(lengths.tolist(), times.tolist(), strict=True))
    _require_entries(who, sum(t * _width(m, j, distinct) for j in widths for m, t in pairs))
    row = np.repeat(np.arange(n), filled)
    levels = _levels(who, row, F.indices.astype(np.int64), F.data, D, max(roots), distinct)
    # Rows without entries have the constant, too, so degree 0 is not taken from the levels.
    parts = {0: sp.csr_matrix(np.full((n, 1), roots.get(0, 0.0), dtype=F.dtype))}
    for j, level in enumerate(islice(levels, 1, None), 1):
        if j in roots:
            values = level.value * np.asarray(roots[j], dtype=F.dtype)
            parts[j] = _csr(level.row, level.column, values, (n, widths[j]))
    return hstack(who, [parts[j] for j in reversed(widths)])


def _dense_series(
    who: str, F: FloatArray, roots: Mapping[int, float], widths: Mapping[int, int], distinct: bool
) -> FloatArray:
    """`series` of a dense matrix."""
    n, D = F.shape
    out = _empty(who, n, sum(widths.values()), F.dtype)
    slots, stop = {}, out.shape[1]
    for j, width in widths.items():
        slots[j] = out[:, stop - width : stop]
        stop -= width
    if 0 in slots:
        slots[0][:] = roots[0]
    if 1 in slots:
        np.multiply(F, roots[1], out=slots[1])
    # Columns and weights are those of a single row of ones. The values are then computed in long blocks.
    row_of_ones = np.zeros(D, dtype=np.int64), np.arange(D), np.ones(D)
    levels = _levels(who, *row_of_ones, D, max(roots), distinct)
    values, weights = F, {}
    for j, (lower, level) in enumerate(pairwise(islice(levels, 1, None)), 2):
        product = slots[j] if j in slots else _empty(who, n, len(level.first), F.dtype)
        starts = np.searchsorted(lower.first, np.arange(D) + int(distinct))
        bounds = np.searchsorted(level.first, np.arange(D + 1))
        for i, (begin, end) in enumerate(pairwise(bounds)):
            np.multiply(F[:, i, None], values[:, starts[i] :], out=product[:, begin:end])
        values = product
        if j in slots:
            weights[j] = roots[j] * level.value
    for j, weight in weights.items():  # last, because higher degrees are computed from unweighted monomials
        slots[j] *= weight
    return out


# ---- counts


def counts(who: str, X: Data, options: Options, *, dense: bool = False) -> tuple[Any, int]:
    """Check that the data are integers from 0 to ``options["maximum"]``, and return both."""
    if options["maximum"] is None:
        raise NoFeatureMapError(
            f"{who}: has finitely many features only on integer counts; pass maximum=m, the "
            "largest count that can occur, or use mercer.preprocessing.KernelRows, which accepts any "
            "data."
        )
    maximum = check_integer(who, "maximum", options["maximum"], low=1)
    array = vectors(who, X, dense=dense)
    values = array.data if sp.issparse(array) else array
    bad = (values < 0) | (values > maximum) | (values != np.floor(values))
    if bad.any():
        raise ValueError(
            f"{who}: explicit features need integers from 0 to maximum = {maximum}, got "
            f"{values[bad].flat[0]:g}; raise maximum, round the data, or use "
            "mercer.preprocessing.KernelRows, which accepts any data."
        )
    return array, maximum


def unary(who: str, array: Any, maximum: int) -> Any:
    """Unary code, CSR: every count becomes that many ones followed by zeros. Features of Σ min(x, z)."""
    array = sp.csr_matrix(array)
    n, D = array.shape
    _check_width(who, D * maximum)
    row = np.repeat(np.arange(n), np.diff(array.indptr))
    begin = array.indices.astype(np.int64) * maximum
    which, column = _ranges(who, begin, begin + array.data.astype(np.int64))
    return _csr(row[which], column, np.ones(len(column), array.dtype), (n, D * maximum))


def onehot(who: str, array: FloatArray, maximum: int) -> Any:
    """One-hot code, CSR. Features of Σ [x = z]."""
    n, D = array.shape
    width = D * (maximum + 1)
    _check_width(who, width)
    column = array.astype(np.int64) + np.arange(D) * (maximum + 1)
    pointers = np.arange(n + 1) * D
    values = np.ones(n * D, dtype=array.dtype)
    return sp.csr_matrix((values, column.ravel(), pointers), shape=(n, width))


def lookup(who: str, array: Any, code: FloatArray) -> Any:
    """Replace every count by its row of `code`: features of Σ g(x, z) with g = code codeᵀ.

    The result is CSR for CSR data, where code[0] must be 0, and dense for dense data.
    """
    n, D = array.shape
    code = code.astype(array.dtype)
    width = code.shape[1]
    if not sp.issparse(array):
        out = _empty(who, n, D * width, array.dtype)
        np.take(code, array.astype(np.int64), axis=0, out=out.reshape(n, D, width))
        return out
    begin = array.indices.astype(np.int64) * width
    _, column = _ranges(who, begin, begin + width)
    values = code[array.data.astype(np.int64)].ravel()
    pointers = array.indptr.astype(np.int64) * width
    return sp.csr_matrix((values, column, pointers), shape=(n, D * width))


def root(A: FloatArray) -> FloatArray:
    """R with R Rᵀ = A for PSD A, with one column for each eigenvalue that exceeds rounding.

    The error of entry (i, j) is relative to √(A_ii A_jj), so that rows of small scale keep their digits.
    """
    diagonal = A.diagonal()
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, U = eigh(A / np.outer(scale, scale), check_finite=False)
    keep = values > np.finfo(np.float64).eps * values[-1]
    keep[-1] = True
    R: FloatArray = scale[:, None] * U[:, keep] * np.sqrt(np.maximum(values[keep], 0.0))
    return R
