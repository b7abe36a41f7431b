"""Search for samples on which a kernel is not PSD or not symmetric.

One pair of samples with k(x, z) ≠ k(z, x), or one vector t with tᵀKt < 0, refutes a kernel. A search without success
proves nothing; proofs are given by certificates.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._typing import Data, FloatArray
from mercer._validation import check_integer
from mercer._words import one_word
from mercer.data import n_samples, take
from mercer.kernels.algebra import check_kernel_part
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import NONNEGATIVE
from mercer.kernels.validity import ROUNDING, doubly_centred

__all__ = ["Counterexample", "find_counterexample"]

Sampler = Callable[[np.random.Generator, int], Data]
EPS = float(np.finfo(np.float64).eps)
POOL = 32  # number of points in a pool, from whose Gram matrix the sets of points are drawn
TRIES_PER_POOL = 1000
MOST = 10_000_000  # tries, at a microsecond or more each
SUSPECTS = 3  # number of sets of one pool and size that are confirmed


@dataclass(frozen=True, eq=False)
class Counterexample:
    """Samples that refute a kernel, found by `find_counterexample`.

    Parameters
    ----------
    kind : {"asymmetric", "not psd", "not cpd"}
        Property that is violated.
    kernel : Kernel
        The kernel with its data-dependent parameters resolved.
    points : array, sparse matrix, list, DataFrame or container
        The samples: x and z for an asymmetry, otherwise as many as `t` has entries.
    t : ndarray of shape (n_points,) or None
        Unit vector with tᵀKt < 0. Its sum is 0 if the kind is ``"not cpd"``. None for an asymmetry.
    value : float
        tᵀKt, or k(x, z) − k(z, x) for an asymmetry.

    See Also
    --------
    find_counterexample : Search for counterexamples.
    Certificate : Proof of the definiteness of a kernel.

    Examples
    --------
    >>> from mercer.kernels import Linear, find_counterexample
    >>> found = find_counterexample(-1 * Linear())
    >>> found.kind, len(found.points), found.value < 0
    ('not psd', 1, True)
    """

    kind: Literal["asymmetric", "not psd", "not cpd"]
    kernel: Kernel
    points: Data
    t: FloatArray | None
    value: float

    def verify(self) -> bool:
        """Recompute the value and check that it still refutes the kernel.

        Returns
        -------
        bool
            True if the violation exceeds rounding errors.
        """
        if self.t is None:
            return _asymmetry(self.kernel, self.points) is not None
        if self.kind == "not cpd" and abs(self.t.sum()) > ROUNDING * len(self.t) * EPS:
            return False
        K = self.kernel(self.points)
        return float(self.t @ K @ self.t) < -_allowance(np.linalg.eigvalsh(K))

    def __str__(self) -> str:
        points = np.array2string(self.points) if isinstance(self.points, np.ndarray) else str(self.points)
        if self.t is None:
            claim = f"k(x,z) − k(z,x) = {self.value:.6g}"
        else:
            claim = f"tᵀKt = {self.value:.6g} for t = {np.array2string(self.t, precision=6)}"
            claim += ", Σt = 0" if self.kind == "not cpd" else ""
        return f"{self.kernel} is {self.kind}: {claim} at the points\n{points}"


@one_word
def find_counterexample(
    kernel: Kernel,
    sampler: Sampler | Data = None,
    *,
    max_points: int = 8,
    tries: int = 10_000,
    conditional: bool = False,
    random_state: Any = 0,
) -> Counterexample | None:
    """Search for samples that refute a kernel: k(x, z) ≠ k(z, x), or a vector t with tᵀKt < 0.

    Parameters
    ----------
    kernel : Kernel
        Kernel to refute.
    sampler : callable, array, list, DataFrame or container, default=None
        ``sampler(rng, m)`` returns m samples; data are a sample from which points are drawn. None means Gaussian points
        of several scales in 1 to 3 dimensions, nonnegative if the kernel requires it, and the origin.
    max_points : int, default=8
        Largest number of points in a counterexample.
    tries : int, default=10000
        Number of sets of points to examine, at most 10⁷, about equally many of each size.
    conditional : bool, default=False
        Whether to refute conditional positive semidefiniteness, that is, to consider only t with Σt = 0.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the random numbers.

    Returns
    -------
    Counterexample or None
        The counterexample with the fewest points that was found. None if none was found, which proves nothing.

    See Also
    --------
    Counterexample : The result.
    check_gram : Report on one Gram matrix.
    Kernel.certificate : Proof of the definiteness of a kernel.

    Notes
    -----
    A violation must exceed rounding errors: tᵀKt < −10·n·ε·λ_max, also after the points are changed by a few units in
    the last place. The tries share Gram matrices of 32 points, so that 10⁴ tries cost about 10⁴ kernel values.

    Examples
    --------
    >>> from mercer.kernels import Linear, Power, RBF
    >>> find_counterexample(-1 * Linear()).kind
    'not psd'
    >>> print(find_counterexample(RBF(gamma=1.0)))
    None
    >>> found = find_counterexample(Power(degree=1.0))
    >>> found.kind, len(found.points), found.verify()
    ('not psd', 2, True)
    >>> print(find_counterexample(Power(degree=1.0), conditional=True))
    None
    """
    who = "find_counterexample"
    check_kernel_part(who, "kernel", kernel)
    max_points = check_integer(who, "max_points", max_points, low=1)
    tries = check_integer(who, "tries", tries, low=1, high=MOST)
    require_memory(8 * max_points**2, what=f"{who}: a Gram matrix of {max_points} points", instead="Lower max_points.")
    n_pools = -(-tries // TRIES_PER_POOL)
    n_sets = -(-tries // (n_pools * max_points))
    rng = np.random.default_rng(random_state)
    draw = _sampler(kernel, sampler, rng)
    size = max(POOL, max_points)
    sizes = range(2 if conditional else 1, max_points + 1)
    pools = [_Pool(kernel, draw(rng, size), conditional) for _ in range(n_pools)]
    asymmetric = (pool.find_asymmetry() for pool in pools)
    negative = (pool.find_negative(m, n_sets, rng) for m in sizes for pool in pools)
    return next((found for found in chain(asymmetric, negative) if found is not None), None)


class _Pool:
    """Samples, the kernel resolved on them, and their Gram matrix."""

    def __init__(self, kernel: Kernel, X: Data, conditional: bool) -> None:
        X = X.astype(np.float64) if getattr(X, "dtype", None) == np.float32 else X
        self.kernel = kernel.resolve(X)
        self.conditional = conditional
        K = np.asarray(self.kernel(X), dtype=np.float64)
        kept = np.arange(len(K))
        while not np.isfinite(K).all():  # omit samples whose values overflow
            worst = int((~np.isfinite(K)).sum(axis=1).argmax())
            kept, K = np.delete(kept, worst), np.delete(np.delete(K, worst, 0), worst, 1)
        self.X, self.K = take(X, kept), K
        self.order = np.arange(0)  # samples by decreasing weight in the eigenvector of the smallest eigenvalue
        if len(kept):
            self.order = np.argsort(-np.abs(np.linalg.eigh(self._form(self.K))[1][:, 0]))

    def _form(self, K: FloatArray) -> FloatArray:
        """The matrix whose smallest eigenvalue is searched: K, or the centred K if `conditional`."""
        return doubly_centred(K) if self.conditional else K

    def find_asymmetry(self) -> Counterexample | None:
        """The pair of samples with the largest relative difference of k(x, z) and k(z, x), if it exceeds rounding."""
        n = len(self.K)
        if n < 2:
            return None
        left, right = np.arange(n // 2), np.arange(n // 2, n)
        A, B = take(self.X, left), take(self.X, right)
        there, back = self.kernel(A, B), self.kernel(B, A).T
        norm = np.sqrt(np.abs(self.K.diagonal()))
        size = np.outer(norm[left], norm[right]) + np.abs(there) + np.abs(back)
        gap = np.abs(there - back) / np.where(size > 0, size, 1.0)
        i, j = np.unravel_index(gap.argmax(), gap.shape)
        points = take(self.X, [left[i], right[j]])
        value = _asymmetry(self.kernel, points)
        return None if value is None else Counterexample("asymmetric", self.kernel, points, None, value)

    def find_negative(self, m: int, n_sets: int, rng: np.random.Generator) -> Counterexample | None:
        """A set of m samples with a negative eigenvalue that exceeds rounding."""
        n = len(self.K)
        if m > n:
            return None
        sets = np.vstack([self.order[:m], rng.permuted(np.tile(np.arange(n), (n_sets, 1)), axis=1)[:, :m]])
        K = self.K[sets[:, :, None], sets[:, None, :]]
        size = np.abs(K).max(axis=(1, 2))
        lowest = np.linalg.eigvalsh(self._form(K))[:, 0] / np.where(size > 0, size, 1.0)
        for s in np.argsort(lowest, kind="stable")[:SUSPECTS]:
            if lowest[s] < -ROUNDING * m * EPS:
                found = self._confirm(take(self.X, sets[s]), rng)
                if found is not None:
                    return found
        return None

    def _confirm(self, points: Data, rng: np.random.Generator) -> Counterexample | None:
        """Confirm a violation on these points alone; it must exceed the effect of rounding the points."""
        K = np.asarray(self.kernel(points), dtype=np.float64)
        t = np.linalg.eigh(self._form(K))[1][:, 0]
        if self.conditional:
            t = t - t.mean()
        norm = float(np.linalg.norm(t))
        t = t / norm if norm else t
        value = float(t @ K @ t)
        noise = np.abs(self.kernel(_nudge(points, rng)) - K).max()
        if not value < -_allowance(np.linalg.eigvalsh(K)) - ROUNDING * len(t) * noise:
            return None
        return Counterexample("not cpd" if self.conditional else "not psd", self.kernel, points, t, value)


def _allowance(values: FloatArray) -> float:
    """Bound on the rounding error of tᵀKt, from the eigenvalues of K: 10·n·ε·λ_max."""
    return ROUNDING * len(values) * EPS * max(float(values.max()), 0.0)


def _asymmetry(kernel: Kernel, points: Data) -> float | None:
    """k(x, z) − k(z, x) if it exceeds rounding, by two calls that cannot use symmetry."""
    x, z = take(points, [0]), take(points, [1])
    there, back = float(kernel(x, z)[0, 0]), float(kernel(z, x)[0, 0])
    size = max(abs(there), abs(back), float(np.abs(kernel.diag(points)).max()))
    return there - back if abs(there - back) > 1000 * ROUNDING * EPS * size else None


def _nudge(points: Data, rng: np.random.Generator) -> Data:
    """Change the points by a few units in the last place.

    Whole numbers, which are exact, and data that is not an array of floats stay as they are.
    """
    if not isinstance(points, np.ndarray) or points.dtype.kind != "f":
        return points
    moved = points * (1 + 4 * EPS * rng.uniform(-1, 1, size=points.shape))
    return np.where(points == np.round(points), points, moved)


# ---- samples


def _sampler(kernel: Kernel, sampler: Sampler | Data, rng: np.random.Generator) -> Sampler:
    """Function that draws samples, from the parameter `sampler`."""
    if sampler is None:
        return _gaussian(kernel, rng)
    if callable(sampler):
        return sampler
    n = n_samples(sampler)
    if n == 0:
        raise ValueError("find_counterexample: parameter sampler has 0 samples, expected at least 1.")
    return lambda rng, m: take(sampler, np.sort(rng.choice(n, min(n, m), replace=False)))


def _gaussian(kernel: Kernel, rng: np.random.Generator) -> Sampler:
    """Gaussian points of several scales, in the dimensions that the kernel accepts.

    These are 1, 2 and 3, or the smallest larger dimension if the kernel accepts none of them.
    """
    nonnegative = _needs_nonnegative(kernel)

    def points(rng: np.random.Generator, m: int, d: int) -> FloatArray:
        scale = 10 ** (rng.uniform(-1.5, 1.0) + rng.uniform(-0.5, 0.5, size=(m, 1)))
        X = scale * rng.standard_normal((m, d))
        X[0] = 0.0
        return np.abs(X) if nonnegative else X

    dimensions: list[int] = []
    failure: Exception | None = None
    for d in range(1, 65):
        if d > 3 and dimensions:
            break
        try:
            kernel(points(rng, 2, d))
            dimensions.append(d)
        except (TypeError, ValueError, IndexError) as error:
            failure = error
    if not dimensions:
        raise ValueError(
            f"find_counterexample: {kernel} does not accept Gaussian points ({failure}); pass as "
            "sampler a sample of its data, or a function of (rng, m) that returns m samples."
        ) from failure
    return lambda rng, m: points(rng, m, int(rng.choice(dimensions)))


def _needs_nonnegative(kernel: Kernel) -> bool:
    """Whether the kernel or a part of it is defined for x ≥ 0 only."""
    return kernel.domain == NONNEGATIVE or any(_needs_nonnegative(part) for part in kernel.parts().values())
