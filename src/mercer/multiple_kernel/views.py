"""Normalised Gram operators of the kernels of a multiple-kernel estimator."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from mercer._estimator import Training
from mercer._estimator.basis import Basis, KernelBasis, RowBasis
from mercer._estimator.landmark_features import LandmarkFeatures
from mercer._runtime import limits
from mercer._typing import DoubleArray, FloatArray
from mercer.kernels import Definiteness, Kernel, Sum
from mercer.multiple_kernel.definite import require_psd
from mercer.multiple_kernel.landmarks import CommonLandmarks, common_landmarks
from mercer.operators import GramOperator, OperatorStack, PrecomputedOperator, gram

__all__ = ["Approximate", "Normalize", "Views", "kernel_views", "matrix_views"]

Normalize = Literal["trace", "cosine"] | None
# From training data with the uniform sum as kernel to an approximation of it; None for an exact fit.
Approximate: TypeAlias = Callable[[Training], LandmarkFeatures | None]
_TESTED = 1000  # samples on which the matrices of approximated kernels are tested for negative eigenvalues
_WORKING = 4  # matrices that the machine needs at the same time: sum, factor, copy, block of active samples


@dataclass(frozen=True, eq=False)
class Views:
    """Normalised operators over the same samples.

    Attributes
    ----------
    stack : OperatorStack
        Normalised operators c_m K_m.
    given : tuple of Kernel or None
        Kernels with all parameters resolved, before normalisation; None for Gram matrices.
    kernels : tuple of Kernel or None
        Kernels k_m, with unit diagonal if they are normalised by the cosine; None for Gram matrices.
    scale : ndarray of shape (n_kernels,)
        Normalisation factors c_m.
    names : tuple of str
        Names for messages and displays.
    landmarks : CommonLandmarks, default=None
        Approximations that replace the kernels in `stack`; None for an exact fit.
    """

    stack: OperatorStack
    given: tuple[Kernel, ...] | None
    kernels: tuple[Kernel, ...] | None
    scale: DoubleArray
    names: tuple[str, ...]
    landmarks: CommonLandmarks | None = None

    def combined(self, d: DoubleArray) -> Kernel | None:
        """Return Σ_m d_m c_m k_m as one kernel without terms of weight zero; None for Gram matrices."""
        terms = self.terms(d)
        return None if terms is None else terms[0] if len(terms) == 1 else Sum(terms)

    def terms(self, d: DoubleArray) -> tuple[Kernel, ...] | None:
        """Return the kernels d_m c_m k_m of positive weight; None for Gram matrices."""
        if self.kernels is None:
            return None
        return tuple(float(w * c) * k for w, c, k in zip(d, self.scale, self.kernels, strict=True) if w > 0)


def kernel_views(
    who: str,
    training: Training,
    kernels: Sequence[Kernel],
    normalize: Normalize,
    weight: DoubleArray,
    approximate: Approximate | None = None,
) -> Views:
    """Return the views of resolved kernels."""
    X, n_jobs, given = training.X, training.n_jobs, tuple(kernels)
    if normalize == "cosine":
        kernels = [k.normalized() for k in kernels]
    names = tuple(map(str, kernels))
    if approximate is not None:
        bases = [KernelBasis(k, X) for k in kernels]
        scale, stack = _normalised(who, [basis.gram(n_jobs) for basis in bases], names, normalize, weight)
        views = Views(stack, given, tuple(kernels), scale, names)
        whole = views.combined(np.full(len(bases), 1 / len(bases)))
        assert whole is not None
        summed = replace(training, who=who, kernel=whole, basis=KernelBasis(whole, X))
        unproved = [(k, basis.gram(n_jobs)) for k, basis in zip(kernels, bases, strict=True) if not _is_psd(k)]
        doubtful = [(f"the kernel {k}", K) for k, K in unproved]
        if (landmarked := _landmarked(views, bases, doubtful, summed, approximate)) is not None:
            return landmarked
    members = _held([gram(k, X, n_jobs=n_jobs) for k in kernels])
    for k, name, member in zip(kernels, names, members, strict=True):
        if not _is_psd(k):
            require_psd(who, f"the kernel {name}", member)
    scale, stack = _normalised(who, members, names, normalize, weight)
    return Views(stack, given, tuple(kernels), scale, names)


def matrix_views(
    who: str,
    training: Training,
    matrices: Sequence[FloatArray],
    normalize: Normalize,
    weight: DoubleArray,
    approximate: Approximate | None = None,
) -> Views:
    """Return the views of Gram matrices."""
    if normalize == "cosine":
        raise ValueError(
            f"{who}: normalize='cosine' needs k(x, x) of new samples, which Gram matrices do not contain; normalise "
            "the matrices beforehand, or use normalize='trace'."
        )
    given: list[GramOperator] = []
    for m, matrix in enumerate(matrices):
        K = PrecomputedOperator(matrix)
        if not K.symmetric:
            raise ValueError(f"{who}: X[{m}] must be a symmetric (n, n) matrix, got {K!r}; pass (K + K.T)/2.")
        given.append(K)
        if approximate is None:
            require_psd(who, f"X[{m}]", K)
    members = [K if K.dtype == np.float64 else PrecomputedOperator(K.array(), finite=True) for K in given]
    names = tuple(f"kernel {m}" for m in range(len(members)))
    scale, stack = _normalised(who, members, names, normalize, weight)
    views = Views(stack, None, None, scale, names)
    if approximate is None:
        return views
    whole = stack.weighted(np.full(len(members), 1 / len(members)))
    summed = replace(training, who=who, X=None, kernel=None, basis=RowBasis(whole), operator=whole)
    doubtful = [(f"X[{m}]", K) for m, K in enumerate(given)]
    landmarked = _landmarked(views, list(map(RowBasis, members)), doubtful, summed, approximate)
    return matrix_views(who, training, matrices, normalize, weight) if landmarked is None else landmarked


def _landmarked(
    views: Views,
    bases: Sequence[Basis],
    doubtful: Sequence[tuple[str, GramOperator]],
    summed: Training,
    approximate: Approximate,
) -> Views | None:
    """Return the views of approximated kernels; None for an exact fit. Doubtful kernels are tested on some samples."""
    found = approximate(summed)
    if found is None:
        return None
    rows = np.random.default_rng(0).choice(found.n, min(found.n, _TESTED), replace=False)
    for name, K in doubtful:
        require_psd(summed.who, name, K.take(np.sort(rows)))
    landmarks = common_landmarks(found, bases, views.scale, views.stack)
    return replace(views, stack=landmarks.stack, landmarks=landmarks)


def _is_psd(kernel: Kernel) -> bool:
    return kernel.definiteness is Definiteness.PSD


def _held(members: Sequence[GramOperator]) -> list[GramOperator]:
    """Hold as many members in memory as leave room for the machine, kernels in Python first."""
    size = 8 * members[0].shape[0] ** 2
    available = limits.available_memory() if size * len(members) >= limits.NEGLIGIBLE else None
    room = len(members) if available is None else int(limits.SHARE * available // size) - _WORKING
    order = sorted(range(len(members)), key=lambda m: not members[m].costly)
    found = list(members)
    for m in order[: max(0, room)]:
        found[m] = members[m].hold()
    return found


def _normalised(
    who: str, members: Sequence[GramOperator], names: tuple[str, ...], normalize: Normalize, weight: DoubleArray
) -> tuple[DoubleArray, OperatorStack]:
    """Return the factors c_m and the stack of c_m K_m."""
    for member in members:
        member.who = who
    share = weight / weight.max()  # avoids overflow of the sum
    share = share / share.sum()
    traces = np.array([float(share @ member.diag().astype(np.float64)) for member in members])
    for name, trace in zip(names, traces, strict=True):
        if normalize == "trace" and not trace > 0:
            raise ValueError(
                f"{who}: the mean diagonal of {name} on these samples is {trace:g}, expected a positive number for "
                "normalize='trace'; leave this kernel out."
            )
    scale = 1 / traces if normalize == "trace" else np.ones(len(members))
    scaled = [K if c == 1 else float(c) * K for c, K in zip(scale, members, strict=True)]
    return scale, OperatorStack(scaled)
