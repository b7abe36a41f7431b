"""Pre-images by fixed points: the z whose φ(z) is nearest to a given expansion in feature space."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from mercer._typing import DoubleArray, IndexArray
from mercer.kernels import Kernel, Scaled
from mercer.operators.base import MEMORY_BUDGET
from mercer.operators.tiles import panels
from mercer.solvers.slopes import Slopes

__all__ = ["FixedPoints", "fixed_points"]

BoolArray: TypeAlias = npt.NDArray[np.bool_]
_EPS = float(np.finfo(np.float64).eps)
_ROUNDING = 256 * _EPS  # of sums of kernel values, relative to the sum of sizes: distances by products lose digits
_DEPTH = 5  # moves remembered by the extrapolation
_SHORTEST = 2.0**-40  # a fraction of a step; what no longer helps is due to rounding


@dataclass(eq=False)
class FixedPoints:
    """Where the iterations ended; all arrays have one entry per point.

    Attributes
    ----------
    Z : array, shape (m, d)
    value, penalty : arrays
        f, and Σ_j λ_j (z_j − a_j)² within it.
    step : array
        ‖∇f‖/2|A| over max|x|: how far the next step would lead.
    settled : array of bool
        Whether that is less than the tolerance, or than rounding can tell.
    lost : array of bool
        Whether ⟨φ(z), Ψ⟩ ≤ 0 up to rounding: far away from all data a Gaussian is flat.
    n_iter : array of int
        Of the longest run.
    """

    Z: DoubleArray
    value: DoubleArray
    penalty: DoubleArray
    step: DoubleArray
    settled: BoolArray
    lost: BoolArray
    n_iter: IndexArray

    def replace(self, rows: IndexArray, other: "FixedPoints") -> None:
        """Let some points end where `other` did, if that is lower; the longer run counts in any case."""
        self.n_iter[rows] = np.maximum(self.n_iter[rows], other.n_iter)
        better = other.value < self.value[rows]
        for field in fields(self):
            if field.name != "n_iter":
                getattr(self, field.name)[rows[better]] = getattr(other, field.name)[better]


def fixed_points(
    kernel: Kernel,
    slopes: Slopes,
    X: Any,
    coef: DoubleArray,
    starts: Sequence[DoubleArray],
    *,
    trust: bool,
    penalty: DoubleArray,
    tol: float,
    max_iter: int,
    n_jobs: int | None = None,
) -> FixedPoints:
    r"""Minimise f(z) = k(z, z) − 2 Σ_i c_i k(z, x_i) + Σ_j λ_j (z_j − a_j)² for every row c of `coef`.

    ½∇f = A z − B with the slopes ρ, σ of the kernel (`mercer.solvers.slopes`),

        A = σ(z, z) + 2 Σ_i c_i ρ(z, x_i) + λ,    B = Σ_i c_i (2ρ(z, x_i) + σ(z, x_i)) x_i + λ a,

    so that a stationary point is a fixed point of z ← B/A: for the Gaussian kernel the iteration of Mika et al., with
    λ > 0 that of Abrahamsen and Hansen. Coefficients of both signs may make it climb, and A vanish; so a step is
    z + t(B − Az)/|A|, extrapolated from the last few by Anderson's rule, and taken only if f falls; else the past is
    forgotten, then t halved.

    Parameters
    ----------
    kernel, slopes : Kernel and its derivative
    X : array or CSR matrix, shape (n, d)
    coef : array, shape (m, n)
    starts : arrays of shape (m, d)
        The first one is the anchor a.
    trust : bool
        Whether a run from the first start is final unless it is lost or does not settle. Else all starts are tried, and
        the lowest f wins.
    penalty : array, shape (d,)
        λ ≥ 0 per coordinate.
    tol : float
        Steps shorter than tol · max|x| end the iteration.
    max_iter : int
        Most iterations from one start.

    Notes
    -----
    An iteration takes O(mnd) operations, by matrix products. Points that have settled are left out. Memory: blocks of
    points times n within the operators' budget.
    """
    # Distances do not see where the origin is, but rounding does.
    isotropic = slopes.radial is not None and slopes.inner is None
    origin = X.mean(axis=0) if isotropic and not sp.issparse(X) else np.zeros(X.shape[1])
    surface = _Surface(kernel, slopes, X - origin if origin.any() else X, penalty, n_jobs)
    parts = []
    for panel in panels(len(coef), max(1, MEMORY_BUDGET // (32 * (X.shape[0] + _DEPTH * X.shape[1])))):
        c, anchor = coef[panel], starts[0][panel] - origin
        found = _descend(surface, c, anchor, anchor, tol, max_iter)
        again = np.flatnonzero(found.lost | ~found.settled) if trust else np.arange(len(c))
        for start in starts[1:] if len(again) else ():
            found.replace(
                again, _descend(surface, c[again], start[panel][again] - origin, anchor[again], tol, max_iter)
            )
        found.Z += origin
        parts.append(found)
    return FixedPoints(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(FixedPoints))
    )


@dataclass(eq=False)
class _Place:
    """Points, f there, its penalty and rounding, whether they are lost; the next steps, their lengths and rounding."""

    Z: DoubleArray
    f: DoubleArray
    penalty: DoubleArray
    slack: DoubleArray
    lost: BoolArray
    P: DoubleArray
    length: DoubleArray
    noise: DoubleArray

    def move(self, rows: IndexArray, other: "_Place", chosen: BoolArray) -> None:
        """Let some points be where `other` is."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(other, field.name)[chosen]


class _Surface:
    """f and its gradient."""

    def __init__(self, kernel: Kernel, slopes: Slopes, X: Any, penalty: DoubleArray, n_jobs: int | None) -> None:
        self.X, self.kernel, self.slopes, self.penalty, self.n_jobs = X, kernel, slopes, penalty, n_jobs
        kernels = (k for k in (kernel, slopes.radial, slopes.inner) if k is not None)
        self.prepared = {base: base.prepare(X) for _, base in map(_split, kernels)}
        self.length = float(np.abs(X.data if sp.issparse(X) else X).max(initial=0.0)) or 1.0

    def at(self, Z: DoubleArray, coef: DoubleArray, anchor: DoubleArray) -> _Place:
        """Everything at Z; overflow ends as f = ∞, which no step accepts."""
        blocks: dict[Kernel, DoubleArray] = {}  # the slope of a Gaussian is a multiple of it: evaluated once

        def weights(kernel: Kernel) -> tuple[float, DoubleArray]:
            factor, base = _split(kernel)
            if base not in blocks:
                block = base.block(base.prepare(Z), self.prepared[base], n_jobs=self.n_jobs)
                blocks[base] = np.multiply(block, coef, out=block)
            return factor, blocks[base]

        with np.errstate(over="ignore", invalid="ignore"):
            factor, W = weights(self.kernel)
            product, size = factor * W.sum(axis=1), abs(factor) * np.abs(W).sum(axis=1)
            diagonal = self.kernel.diag(Z, n_jobs=self.n_jobs)
            away = np.square(Z - anchor) @ self.penalty
            f = diagonal - 2 * product + away
            slack = _ROUNDING * (np.abs(diagonal) + 2 * size + away)
            lost = product <= _ROUNDING * size
            step = self._step(Z, *self._gradient(Z, anchor, weights))
        return _Place(Z, np.where(np.isnan(f), np.inf, f), away, slack, lost, *step)

    def _gradient(self, Z: DoubleArray, anchor: DoubleArray, weights: Any) -> tuple[DoubleArray, ...]:
        """A, B and the size of A without cancellation, all of shape (m, d)."""
        A = np.repeat(self.penalty[None], len(Z), axis=0)
        B, natural = self.penalty * anchor, A.copy()
        if self.slopes.radial is not None:
            factor, W = weights(self.slopes.radial)
            A += 2 * factor * W.sum(axis=1)[:, None]
            B += 2 * factor * (W @ self.X)
            natural += 2 * abs(factor) * np.abs(W).sum(axis=1)[:, None]
        if self.slopes.inner is not None:
            factor, W = weights(self.slopes.inner)
            slope = self.slopes.inner.diag(Z, n_jobs=self.n_jobs)[:, None]
            A += slope
            B += factor * (W @ self.X)
            natural += np.abs(slope)
        return A, B, natural

    def _step(
        self, Z: DoubleArray, A: DoubleArray, B: DoubleArray, natural: DoubleArray
    ) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
        """(B − Az)/|A| with |A| kept off zero by its natural size; its length; what of that may be rounding."""
        size = np.maximum(np.abs(A), 64 * _EPS * natural)
        P = (B - A * Z) / np.where(size > 0, size, 1.0)
        P[~np.isfinite(P).all(axis=1)] = 0.0
        noise = 8 * _EPS * self.length * (natural / np.where(size > 0, size, 1.0)).max(axis=1, initial=1.0)
        return P, np.linalg.norm(P, axis=1), noise


def _descend(
    surface: _Surface, coef: DoubleArray, start: DoubleArray, anchor: DoubleArray, tol: float, max_iter: int
) -> FixedPoints:
    place = surface.at(start.copy(), coef, anchor)
    n_iter, t, past = np.zeros(len(start), dtype=np.int64), np.ones(len(start)), _Past(start.shape)
    for turn in range(max_iter):
        settled = place.length <= np.maximum(tol * surface.length, place.noise)
        active = np.flatnonzero(~settled & (t > _SHORTEST))
        if not len(active):
            break
        rows = slice(None) if len(active) == len(start) else active  # a slice spares a copy of coef
        ahead = past.extrapolate(rows, t[rows, None], place.P[rows])
        trial = surface.at(place.Z[rows] + ahead, coef[rows], anchor[rows])
        change = trial.f - place.f[rows]
        # Below the rounding of f the length of the step takes over as the measure of progress.
        level = (change <= place.slack[rows]) & (trial.length < place.length[rows])
        good = (change < -place.slack[rows]) | level
        t[rows] *= np.where(good, 1.25, np.where(past.empty(rows), 0.5, 1.0))
        np.minimum(t, 1.0, out=t)
        past.forget(active[~good])
        moved = active[good]
        past.add(turn, moved, trial.Z[good] - place.Z[moved], trial.P[good] - place.P[moved])
        place.move(moved, trial, good)
        n_iter[rows] += 1
    settled = place.length <= np.maximum(tol * surface.length, place.noise)
    return FixedPoints(place.Z, place.f, place.penalty, place.length / surface.length, settled, place.lost, n_iter)


class _Past:
    """The last few moves of every point and what they did to its step."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.dZ = np.zeros((shape[0], _DEPTH, shape[1]))
        self.dP = np.zeros_like(self.dZ)

    def extrapolate(self, rows: Any, t: DoubleArray, P: DoubleArray) -> DoubleArray:
        """tP − Σ_h θ_h (dZ_h + t dP_h) with θ = argmin ‖P − Σ_h θ_h dP_h‖; tP where nothing is remembered."""
        dZ, dP = self.dZ[rows], self.dP[rows]
        M = dP @ dP.transpose(0, 2, 1)
        trace = np.trace(M, axis1=1, axis2=2)
        M += np.where(trace > 0, 1e-12 * trace, 1.0)[:, None, None] * np.eye(_DEPTH)
        theta = np.linalg.solve(M, dP @ P[:, :, None])
        return np.asarray(t * P - ((dZ + t[:, :, None] * dP) * theta).sum(axis=1))

    def add(self, turn: int, rows: IndexArray, dZ: DoubleArray, dP: DoubleArray) -> None:
        """Remember a move in place of the oldest."""
        self.dZ[rows, turn % _DEPTH], self.dP[rows, turn % _DEPTH] = dZ, dP

    def forget(self, rows: IndexArray) -> None:
        """Start anew."""
        self.dZ[rows], self.dP[rows] = 0.0, 0.0

    def empty(self, rows: Any) -> BoolArray:
        """Whether the last step was not extrapolated."""
        return np.asarray(~self.dP[rows].any(axis=(1, 2)))


def _split(kernel: Kernel) -> tuple[float, Kernel]:
    return (kernel.scale, kernel.kernel) if isinstance(kernel, Scaled) else (1.0, kernel)
