"""Laws about kernel values. Each is a function that raises an AssertionError if the law is violated."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer.data import take
from mercer.exceptions import NoFeatureMapError, NotPositiveDefiniteError
from mercer.kernels import Definiteness, Kernel, Normalized
from mercer.kernels.validity import doubly_centred
from mercer.kernels.vocabulary import Vocabularies
from mercer.testing.case import Case, is_matrix, nodes

__all__ = ["GRAM_LAWS"]


def finite_values(case: Case) -> None:
    """k(X) is an (n, n) array of finite floating-point numbers."""
    K = case.gram
    if K.shape != (case.n, case.n):
        raise AssertionError(f"k(X) has shape {K.shape}, expected {(case.n, case.n)}")
    if K.dtype not in (np.float32, np.float64):
        raise AssertionError(f"k(X) has dtype {K.dtype}, expected float32 or float64")
    if not np.isfinite(K).all():
        i, j = (int(v) for v in np.argwhere(~np.isfinite(K))[0])
        raise AssertionError(f"k(X)[{i}, {j}] is {K[i, j]}, expected a finite number")


def symmetry(case: Case) -> None:
    """k(x, z) = k(z, x), also where the evaluation cannot exploit symmetry."""
    case.agree(case.gram, case.gram.T, "k(X) and its transpose")
    full = case.kernel(case.sample, take(case.sample, range(case.n)))
    case.agree(full, full.T, "k(X, X) and its transpose")


def two_arguments(case: Case) -> None:
    """k(X) = k(X, X)."""
    case.agree(case.gram, case.kernel(case.sample, case.sample), "k(X) and k(X, X)")


def transposed_arguments(case: Case) -> None:
    """k(X, Y) = k(Y, X)ᵀ."""
    X, Y = case.pair
    case.agree(case.kernel(X, Y), case.kernel(Y, X).T, "k(X, Y) and k(Y, X)ᵀ")


def diagonal(case: Case) -> None:
    """diag(X) is the diagonal of k(X)."""
    found, size = case.kernel.diag(case.sample), float(abs(case.gram).max())
    case.agree(found, case.gram.diagonal(), "diag(X) and the diagonal of k(X)", size=size)


def row_subsets(case: Case) -> None:
    """A value depends on its two samples only: rows can be omitted, repeated and permuted."""
    order = np.random.default_rng(0).permutation(case.n)
    some = np.concatenate([order[: max(1, case.n // 3)], order[:1]])
    for rows, what in ((order, "permuted"), (some, "some"), (np.arange(1), "one of the")):
        part = take(case.sample, rows)
        square, wide = case.gram[np.ix_(rows, rows)], case.gram[rows]
        case.agree(case.kernel(part), square, f"k of {what} rows and k(X) there")
        case.agree(case.kernel(part, case.sample), wide, f"k({what} rows, X) and k(X) there")


def prepared_rows(case: Case) -> None:
    """Blocks between selections of prepared data are blocks of the Gram matrix."""
    prepared = case.kernel.prepare(case.sample)
    rows = np.random.default_rng(1).permutation(case.n)[: max(1, case.n // 2)]
    mask = np.arange(case.n) % 2 == 0
    chosen, other = prepared.take(rows), prepared.take(mask)
    found, expected = (
        case.kernel.block(chosen, other),
        case.gram[np.ix_(rows, np.flatnonzero(mask))],
    )
    case.agree(found, expected, "block(rows, columns) and k(X)")
    found = case.kernel.block(chosen, chosen)
    case.agree(found, case.gram[np.ix_(rows, rows)], "block(rows, rows) and k(X)")
    found = case.kernel.block(prepared.take(slice(1, None)), prepared)
    case.agree(found, case.gram[1:], "block(1:, :) and k(X)")


def certificates(case: Case) -> None:
    """A kernel that is certified PSD or conditionally PSD is so on the data, and so is each of its parts."""
    for kernel, data in nodes(case.kernel, case.sample):
        verdict = kernel.definiteness
        if not verdict.conditional:
            continue
        K = case.gram if kernel is case.kernel else np.asarray(kernel(data))
        conditional = verdict is Definiteness.CPD
        lowest, bound = _lowest_eigenvalue(K, case.eps, conditional=conditional)
        if not lowest >= bound:
            what = "centred Gram matrix HKH" if conditional else "Gram matrix"
            raise AssertionError(
                f"{kernel} is certified {verdict.name} ({kernel.certificate().rule}), but its "
                f"{what} has the eigenvalue {lowest:.6g}, below the rounding bound {bound:.3g}"
            )


def _lowest_eigenvalue(K: FloatArray, eps: float, *, conditional: bool) -> tuple[float, float]:
    """λ_min of K (of HKH if `conditional`) and its lower bound up to rounding."""
    K = K.astype(np.float64)
    size = float(np.abs(np.linalg.eigvalsh((K + K.T) / 2)).max())  # the rounding error of centring is relative to K
    K = doubly_centred(K) if conditional else K
    return float(np.linalg.eigvalsh((K + K.T) / 2)[0]), -10 * len(K) * eps * size


def unit_diagonal(case: Case) -> None:
    """A normalised kernel has k(x, x) = 1, or 0 where the kernel inside has 0."""
    inside = case.kernel.parts()["kernel"].diag(case.sample)
    case.agree(case.kernel.diag(case.sample), np.where(inside > 0, 1.0, 0.0), "diag(X) and 1")


def pseudo_metric(case: Case) -> None:
    """The induced distance is zero on the diagonal, symmetric, and satisfies the triangle inequality."""
    D = np.asarray(case.kernel.distance(case.sample), dtype=np.float64)
    if D.diagonal().any():
        raise AssertionError(f"distance(X) has {D.diagonal().max():.6g} on its diagonal, expected 0")
    # D² is exact up to rounding, so near zero D is exact only up to the square root of rounding.
    slack = 3 * np.sqrt(64 * case.eps * float(np.abs(case.gram).max()))
    if abs(D - D.T).max() > slack:
        raise AssertionError(f"distance(X) differs from its transpose by up to {abs(D - D.T).max():.3g}")
    for j in range(case.n):
        excess = D - (D[:, j, None] + D[None, j, :])
        if excess.max() > slack:
            i, k = (int(v) for v in np.unravel_index(excess.argmax(), D.shape))
            raise AssertionError(
                f"distance: d({i}, {k}) = {D[i, k]:.6g} is more than d({i}, {j}) + d({j}, {k}) = "
                f"{D[i, j] + D[j, k]:.6g}"
            )


def float32(case: Case) -> None:
    """Single precision gives the same values up to its rounding."""
    single = case.sample.astype(np.float32)
    double = case.kernel(single.astype(np.float64))
    case.agree(case.kernel(single), double, "k in float32 and in float64", dtype=np.float32)


def layouts(case: Case) -> None:
    """Read-only, strided and Fortran-ordered arrays and other sparse formats give the same values."""
    for what, X in _layouts(case.sample):
        case.agree(case.kernel(X), case.gram, f"k(X) of {what} and k(X)")


def _layouts(X: Data) -> list[tuple[str, Any]]:
    """Copies of X in other memory layouts, each with a description."""
    if sp.issparse(X):
        wide = X.copy()
        wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
        return [("64-bit indices", wide), ("CSC format", X.tocsc()), ("COO format", X.tocoo())]
    frozen = X.copy()
    frozen.setflags(write=False)
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), dtype=X.dtype)
    wide[::2, ::3] = X
    backwards = np.ascontiguousarray(X[::-1, ::-1])
    return [
        ("a read-only array", frozen),
        ("a Fortran-ordered array", np.asfortranarray(X)),
        ("a strided array", wide[::2, ::3]),
        ("an array with negative strides", backwards[::-1, ::-1]),
    ]


def input_unchanged(case: Case) -> None:
    """Evaluation does not modify the data."""
    X, before = case.sample, case.sample.copy()
    case.kernel(X)
    case.kernel.diag(X)
    same = abs(X - before).max() == 0 if sp.issparse(X) else np.array_equal(X, before)
    if not same:
        raise AssertionError("k(X) or diag(X) modified X")


def empty_input(case: Case) -> None:
    """Zero samples raise a ValueError."""
    try:
        K = case.kernel(take(case.sample, []))
    except ValueError:
        return
    raise AssertionError(f"k of 0 samples returned an array of shape {K.shape}, expected a ValueError")


def threads(case: Case) -> None:
    """Different numbers of threads agree up to rounding, and repeated calls are bitwise equal."""
    one, two = (case.kernel(case.sample, n_jobs=n_jobs) for n_jobs in (1, 2))
    case.agree(one, two, "k(X) with n_jobs=1 and with n_jobs=2")
    for n_jobs in (1, 2):
        first, second = (case.kernel(case.sample, n_jobs=n_jobs) for _ in range(2))
        if not np.array_equal(first, second):
            gap = abs(first - second).max()
            raise AssertionError(f"two calls with n_jobs={n_jobs} differ by up to {gap:.3g}")


def out_argument(case: Case) -> None:
    """`out` is filled and returned, and an array of the wrong shape raises a ValueError."""
    out = np.full((case.n, case.n), np.nan, dtype=case.gram.dtype)
    result = case.kernel(case.sample, out=out)
    if result is not out:
        raise AssertionError("k(X, out=out) returned an array other than out")
    case.agree(out, case.gram, "k(X, out=out) and k(X)")
    try:
        case.kernel(case.sample, out=np.empty((case.n, case.n + 1), dtype=case.gram.dtype))
    except ValueError:
        return
    raise AssertionError("k(X, out=out) accepted an array of the wrong shape, expected a ValueError")


def explicit_features(case: Case) -> None:
    """φ(X) φ(Y)ᵀ = k(X, Y), for kernels with a finite feature map."""
    X, Y = case.pair
    learned = Vocabularies()
    try:
        F = case.kernel.feature_map(X, vocabularies=learned)
        G = case.kernel.feature_map(Y, vocabularies=learned.again())
    except (NoFeatureMapError, NotPositiveDefiniteError):
        return
    product = F @ G.T
    product = product.toarray() if sp.issparse(product) else product
    case.agree(product, case.kernel(X, Y), "φ(X)φ(Y)ᵀ and k(X, Y)")


def _is_metric(kernel: Kernel, _: Data) -> bool:
    """Whether the kernel induces a pseudo-metric."""
    return kernel.definiteness.conditional


def _on_matrix(_: Kernel, X: Data) -> bool:
    """Whether the data are a matrix of floats."""
    return is_matrix(X)


# Each law with the condition under which it applies, None for always.
GRAM_LAWS = (
    (finite_values, None),
    (symmetry, None),
    (two_arguments, None),
    (transposed_arguments, None),
    (diagonal, None),
    (row_subsets, None),
    (prepared_rows, None),
    (certificates, None),
    (unit_diagonal, lambda kernel, _: isinstance(kernel, Normalized)),
    (pseudo_metric, _is_metric),
    (float32, _on_matrix),
    (layouts, _on_matrix),
    (input_unchanged, lambda _, X: isinstance(X, np.ndarray) or sp.issparse(X)),
    (empty_input, None),
    (threads, None),
    (out_argument, None),
    (explicit_features, None),
)
