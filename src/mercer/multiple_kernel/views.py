"""Normalised Gram operators of the kernels of a multiple-kernel estimator."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mercer._runtime import limits
from mercer._runtime.factors import try_cholesky
from mercer._typing import Data, DoubleArray, FloatArray
from mercer.kernels import Definiteness, Kernel, Sum
from mercer.kernels.validity import ROUNDING, check_gram
from mercer.operators import GramOperator, OperatorStack, PrecomputedOperator, gram

__all__ = ["Normalize", "Views", "kernel_views", "matrix_views"]

Normalize = Literal["trace", "cosine"] | None
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
    """

    stack: OperatorStack
    given: tuple[Kernel, ...] | None
    kernels: tuple[Kernel, ...] | None
    scale: DoubleArray
    names: tuple[str, ...]

    def combined(self, d: DoubleArray) -> Kernel | None:
        """Return Σ_m d_m c_m k_m as one kernel without terms of weight zero; None for Gram matrices."""
        if self.kernels is None:
            return None
        terms = [float(w * c) * k for w, c, k in zip(d, self.scale, self.kernels, strict=True) if w > 0]
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))


def kernel_views(
    who: str, kernels: Sequence[Kernel], X: Data, normalize: Normalize, weight: DoubleArray, n_jobs: int | None
) -> Views:
    """Return the views of resolved kernels."""
    given = tuple(kernels)
    if normalize == "cosine":
        kernels = [k.normalized() for k in kernels]
    members = _held([gram(k, X, n_jobs=n_jobs) for k in kernels])
    names = tuple(map(str, kernels))
    for k, name, member in zip(kernels, names, members, strict=True):
        if k.definiteness is not Definiteness.PSD:
            _require_psd(who, f"the kernel {name}", member)
    scale, stack = _normalised(who, members, names, normalize, weight)
    return Views(stack, given, tuple(kernels), scale, names)


def matrix_views(who: str, matrices: Sequence[FloatArray], normalize: Normalize, weight: DoubleArray) -> Views:
    """Return the views of Gram matrices."""
    if normalize == "cosine":
        raise ValueError(
            f"{who}: normalize='cosine' needs k(x, x) of new samples, which Gram matrices do not contain; normalise "
            "the matrices beforehand, or use normalize='trace'."
        )
    members: list[GramOperator] = []
    for m, matrix in enumerate(matrices):
        K = PrecomputedOperator(matrix)
        if not K.symmetric:
            raise ValueError(f"{who}: X[{m}] must be a symmetric (n, n) matrix, got {K!r}; pass (K + K.T)/2.")
        _require_psd(who, f"X[{m}]", K)
        members.append(K if K.dtype == np.float64 else PrecomputedOperator(K.array(), finite=True))
    names = tuple(f"kernel {m}" for m in range(len(members)))
    scale, stack = _normalised(who, members, names, normalize, weight)
    return Views(stack, None, None, scale, names)


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


def _require_psd(who: str, name: str, K: GramOperator) -> None:
    """Raise ValueError if K has negative eigenvalues beyond rounding, in n³/3 operations."""
    K.who = who
    A = K.array(buffers=2)
    n, eps = len(A), float(np.finfo(K.dtype).eps)
    size = float(np.abs(A).max()) or 1.0
    A /= size
    A.flat[:: n + 1] += ROUNDING * n * eps * float(np.linalg.norm(A))
    if not try_cholesky(A.T):
        return
    report = check_gram(K.dense())
    if not report.is_psd:
        raise ValueError(
            f"{who}: {name} is not positive semidefinite on these samples: its eigenvalues range from "
            f"{report.min_eigenvalue:.3g} to {report.max_eigenvalue:.3g}, so a weighted sum with it has no "
            "certificate; leave it out, or repair its matrix with mercer.kernels.repair and pass kernels='precomputed'."
        )


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
