"""Pre-images by fixed-point iteration: the z whose φ(z) is nearest to a given kernel expansion."""

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
_ROUNDING = 256 * _EPS  # rounding error of sums of kernel values relative to the sum of magnitudes
_DEPTH = 5  # number of moves used by the extrapolation
_SHORTEST = 2.0**-40  # smallest fraction of a step, below which rounding dominates


@dataclass(eq=False)
class FixedPoints:
    """Results of the fixed-point iterations, with one entry per point.

    Attributes
    ----------
    Z : ndarray of shape (m, d)
        Pre-images.
    value : ndarray of shape (m,)
        Objective f.
    penalty : ndarray of shape (m,)
        Penalty Σ_j λ_j (z_j − a_j)², which is part of f.
    step : ndarray of shape (m,)
        Length ‖∇f‖/2|A| of the next step relative to max|x|.
    settled : ndarray of bool of shape (m,)
        Whether the step is below the tolerance or below rounding.
    lost : ndarray of bool of shape (m,)
        Whether ⟨φ(z), Ψ⟩ ≤ 0 up to rounding, which happens far away from all data, where a Gaussian is flat.
    n_iter : ndarray of int of shape (m,)
        Number of iterations of the longest run.
    """

    Z: DoubleArray
    value: DoubleArray
    penalty: DoubleArray
    step: DoubleArray
    settled: BoolArray
    lost: BoolArray
    n_iter: IndexArray

    def replace(self, rows: IndexArray, other: "FixedPoints") -> None:
        """Replace some points by those of `other` if their objective is lower; keep the larger number of iterations."""
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

    so that a stationary point is a fixed point of z ← B/A. For the Gaussian kernel this is the iteration of Mika et
    al., and with λ > 0 that of Abrahamsen and Hansen. With coefficients of both signs, f may increase and A may vanish.
    The step is therefore z + t(B − Az)/|A|, with Anderson extrapolation from the last few steps, and is accepted only
    if f decreases. Otherwise the past steps are discarded first, and then t is halved.

    Parameters
    ----------
    kernel : Kernel
        Kernel.
    slopes : Slopes
        Derivative of the kernel.
    X : ndarray or CSR matrix of shape (n, d)
        Samples of the expansion.
    coef : ndarray of shape (m, n)
        Coefficients c, one row per pre-image.
    starts : sequence of ndarray of shape (m, d)
        Starting points. The first one is the anchor a.
    trust : bool
        Whether the run from the first start is final unless it is lost or does not settle. Otherwise all starts are
        tried, and the lowest f is kept.
    penalty : ndarray of shape (d,)
        Penalty λ ≥ 0 per coordinate.
    tol : float
        Tolerance: steps shorter than tol · max|x| end the iteration.
    max_iter : int
        Maximal number of iterations from one start.
    n_jobs : int, default=None
        Number of threads. None: all available cores.

    Returns
    -------
    FixedPoints
        Pre-images with their objectives.

    Notes
    -----
    An iteration takes O(mnd) operations, by matrix products. Points that have settled are left out. Memory: blocks of
    points times n within the operators' budget.
    """
    # Distances do not depend on the origin, but their rounding errors do.
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
    """Points, f with its penalty and rounding, whether they are lost, and the next steps with lengths and rounding."""

    Z: DoubleArray
    f: DoubleArray
    penalty: DoubleArray
    slack: DoubleArray
    lost: BoolArray
    P: DoubleArray
    length: DoubleArray
    noise: DoubleArray

    def move(self, rows: IndexArray, other: "_Place", chosen: BoolArray) -> None:
        """Replace some points by the chosen ones of `other`."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(other, field.name)[chosen]


class _Surface:
    """Objective f and its gradient."""

    def __init__(self, kernel: Kernel, slopes: Slopes, X: Any, penalty: DoubleArray, n_jobs: int | None) -> None:
        self.X, self.kernel, self.slopes, self.penalty, self.n_jobs = X, kernel, slopes, penalty, n_jobs
        kernels = (k for k in (kernel, slopes.radial, slopes.inner) if k is not None)
        self.prepared = {base: base.prepare(X) for _, base in map(_split, kernels)}
        self.length = float(np.abs(X.data if sp.issparse(X) else X).max(initial=0.0)) or 1.0

    def at(self, Z: DoubleArray, coef: DoubleArray, anchor: DoubleArray) -> _Place:
        """Evaluate f and the next step at Z; overflow gives f = ∞, which no step accepts."""
        blocks: dict[Kernel, DoubleArray] = {}  # the slope of a Gaussian is a multiple of it and is evaluated once

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
        """Return A, B and the magnitude of A without cancellation, all of shape (m, d)."""
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
        """Return (B − Az)/|A| with |A| kept away from zero, its length, and the rounding error of the length."""
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
        # If the change of f is below its rounding error, the length of the step measures progress.
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
    """Last few moves of every point and the resulting changes of its step."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.dZ = np.zeros((shape[0], _DEPTH, shape[1]))
        self.dP = np.zeros_like(self.dZ)

    def extrapolate(self, rows: Any, t: DoubleArray, P: DoubleArray) -> DoubleArray:
        """Return tP − Σ_h θ_h (dZ_h + t dP_h) with θ = argmin ‖P − Σ_h θ_h dP_h‖; tP if no move is stored."""
        dZ, dP = self.dZ[rows], self.dP[rows]
        M = dP @ dP.transpose(0, 2, 1)
        trace = np.trace(M, axis1=1, axis2=2)
        M += np.where(trace > 0, 1e-12 * trace, 1.0)[:, None, None] * np.eye(_DEPTH)
        theta = np.linalg.solve(M, dP @ P[:, :, None])
        return np.asarray(t * P - ((dZ + t[:, :, None] * dP) * theta).sum(axis=1))

    def add(self, turn: int, rows: IndexArray, dZ: DoubleArray, dP: DoubleArray) -> None:
        """Store a move in place of the oldest one."""
        self.dZ[rows, turn % _DEPTH], self.dP[rows, turn % _DEPTH] = dZ, dP

    def forget(self, rows: IndexArray) -> None:
        """Discard the moves of some points."""
        self.dZ[rows], self.dP[rows] = 0.0, 0.0

    def empty(self, rows: Any) -> BoolArray:
        """Whether no move is stored, so that the last step was not extrapolated."""
        return np.asarray(~self.dP[rows].any(axis=(1, 2)))


def _split(kernel: Kernel) -> tuple[float, Kernel]:
    return (kernel.scale, kernel.kernel) if isinstance(kernel, Scaled) else (1.0, kernel)
