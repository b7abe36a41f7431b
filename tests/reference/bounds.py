"""How exact each kernel must be in float64, and a measure of how exact it is.

For x, z let S = ‖x−c‖² + ‖z−c‖² with c the column means (0 for CSR data), r = ‖x−z‖,
m = Σ|x_k z_k|, D features. Squared distances come from inner products of centred rows with an
absolute error of about εS; pairs with r² ≤ 2⁻¹²S are recomputed from differences, which caps the
relative error of r² near 2¹²ε and the absolute error of r near 2⁶ε√S. The bounds:

RBF, RationalQuadratic
    4ε(1 + γS) |k|, the promise; a vector γ weighs the terms of S.
Exponential, Matern
    4ε(1 + √(2ν)γ min(S/r, 2⁶√S)) |k|: the error of r is that of r² over 2r.
Power, Log
    4ε(1 + (d/2) min(S/r², 2¹²)) |k|: the relative error of r² times d/2.
Periodic
    4ε(1 + γΣ_k(1 + 2π(|x_k| + |z_k|)/p_k)) |k|: reduction to one period.
WeightedColumns
    4ε(1 + S^g(D + g·e)) |k| with e = 1, and e = min(Σw(x−c)² + Σw(z−c)², 2¹²S)/S for p = 2: the relative
    error of S times g S^g.
Interactions
    ε(4(D+2) + 8(Q+1) min(max γ|x−z|^p, 1)): factors whose relative errors are those of their exponents, and D convex
    combinations of numbers in [0, 1].
Laplacian, Chi2, NegativeChi2
    A sum of D positive terms: ε(4 + (D+4)|log k|) |k|, and ε(D+8) |k| for NegativeChi2. For CSR the
    sum starts from that of each row alone: ε(4 + 4γ(Σ|x_k| + Σ|z_k|)) |k|, and 4ε Σ(x_k + z_k).
Linear, Polynomial, Sigmoid, Cosine, Bilinear
    ε(D+4) times what a change of ⟨x,z⟩ by m does; for Bilinear m = |x|ᵀ|A||z|.
Other sums and products of positive terms
    ε(cD+8) |k| with a small c.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import kernels as mk
from mercer._runtime.engine import simd_level
from tests.reference.vectors import gram

__all__ = ["BOUND", "LEAVES", "counts", "error_ratio", "points"]

EPS = float(np.finfo(np.float64).eps)
Array = Any


class Pair:
    """What bounds are made of, for all pairs of rows at once."""

    def __init__(self, X: Array, Z: Array, centre: Array, K: Array, *, sparse: bool) -> None:
        self.X, self.Z, self.centre, self.K, self.sparse = X, Z, centre, K, sparse
        self.D = X.shape[1]

    def total(self, weight: Array = 1.0) -> Array:
        rows = [(abs(M) * weight).sum(axis=1) for M in (self.X, self.Z)]
        return rows[0][:, None] + rows[1][None, :]

    def spread(self, weight: Array = 1.0) -> Array:
        rows = [((M - self.centre) ** 2 * weight).sum(axis=1) for M in (self.X, self.Z)]
        return rows[0][:, None] + rows[1][None, :]

    def square(self, weight: Array = 1.0) -> Array:
        return (((self.X[:, None, :] - self.Z[None, :, :]) ** 2) * weight).sum(axis=2)

    def products(self, A: Array | None = None) -> Array:
        return abs(self.X) @ (abs(self.Z).T if A is None else abs(A) @ abs(self.Z).T)

    def root_error(self, weight: Array = 1.0) -> Array:
        """min(S/r, 2⁶√S), 0 where r is."""
        S, r = self.spread(weight), np.sqrt(self.square(weight))
        return np.where(r > 0, np.minimum(S / np.where(r > 0, r, 1), 64 * np.sqrt(S)), 0)

    def relative_square(self) -> Array:
        """min(S/r², 2¹²), 0 where r is."""
        S, square = self.spread(), self.square()
        return np.where(square > 0, np.minimum(S / np.where(square > 0, square, 1), 4096), 0)

    def exponent(self) -> Array:
        return -np.log(np.where(self.K > 0, self.K, 1))


def _gauss(k: Any, p: Pair) -> Array:
    return 4 * EPS * (1 + p.spread(np.asarray(k.gamma))) * abs(p.K)


def _unsquared(k: Any, p: Pair) -> Array:
    factor = np.sqrt(2 * getattr(k, "nu", 0.5))
    return 4 * EPS * (1 + factor * p.root_error(np.asarray(k.gamma) ** 2)) * abs(p.K)


def _power(k: Any, p: Pair) -> Array:
    return 4 * EPS * (1 + k.degree / 2 * p.relative_square()) * abs(p.K)


def _periodic(k: Any, p: Pair) -> Array:
    a, b = ((1 + 2 * np.pi * abs(M) / np.asarray(k.period)).sum(axis=1) for M in (p.X, p.Z))
    return 4 * EPS * (1 + k.gamma * (a[:, None] + b[None, :])) * abs(p.K)


def _weighted_columns(k: Any, p: Pair) -> Array:
    weights = np.broadcast_to(np.asarray(k.weights, dtype=float), p.D)
    numerical = np.isin(np.arange(p.D), k.categorical, invert=True)
    power = p.exponent()
    S = power ** (1 / k.g)
    spread = np.minimum(p.spread(weights * numerical), 4096 * S) if k.p == 2 else S
    relative = np.where(S > 0, spread / np.where(S > 0, S, 1), 0)
    return 4 * EPS * (1 + power * (p.D + k.g * relative)) * abs(p.K)


def _interactions(k: Any, p: Pair) -> Array:
    """Relative errors of the factors, which grow with their exponents γ|x−z|^p, and of D convex combinations."""
    numerical = [j for j in range(p.D) if j not in k.categorical]
    rates = np.broadcast_to(np.asarray(k.gamma, dtype=float), len(numerical))
    exponent = max(
        (rate * np.abs(p.X[:, j, None] - p.Z[:, j]).max() ** k.p for j, rate in zip(numerical, rates, strict=True)),
        default=0.0,
    )
    return EPS * (4 * (p.D + 2) + 8 * len(k.orders) * min(exponent, 1.0)) * np.ones_like(p.K, dtype=float)


def _positive_exponent(k: Any, p: Pair) -> Array:
    if p.sparse:
        return EPS * (4 + 4 * p.total(np.asarray(k.gamma))) * abs(p.K)
    return EPS * (4 + (p.D + 4) * p.exponent()) * abs(p.K)


def _polynomial(k: Any, p: Pair) -> Array:
    return EPS * (p.D + 4) * k.degree * (abs(k.gamma) * p.products() + abs(k.coef0)) ** k.degree


def _cosine(k: Any, p: Pair) -> Array:
    norms = np.sqrt((p.X**2).sum(1))[:, None] * np.sqrt((p.Z**2).sum(1))[None, :]
    return EPS * (p.D + 8) * np.where(norms > 0, p.products() / np.where(norms > 0, norms, 1), 0)


def _times(c: float) -> Callable[[Any, Pair], Array]:
    return lambda k, p: EPS * (c * p.D + 8) * abs(p.K)


BOUND: dict[type, Callable[[Any, Pair], Array]] = {
    mk.RBF: _gauss,
    mk.RationalQuadratic: _gauss,
    mk.Exponential: _unsquared,
    mk.Matern: _unsquared,
    mk.Power: _power,
    mk.Log: _power,
    mk.Periodic: _periodic,
    mk.WeightedColumns: _weighted_columns,
    mk.Interactions: _interactions,
    mk.Laplacian: _positive_exponent,
    mk.Chi2: _positive_exponent,
    mk.Linear: lambda k, p: EPS * (p.D + 2) * (p.products() + abs(k.coef0)),
    mk.Polynomial: _polynomial,
    mk.Sigmoid: lambda k, p: EPS * ((p.D + 4) * (abs(k.gamma) * p.products() + abs(k.coef0)) + 4),
    mk.Cosine: _cosine,
    mk.Bilinear: lambda k, p: EPS * (2 * p.D + 4) * p.products(k.matrix),
    mk.NegativeChi2: lambda k, p: 4 * EPS * p.total() if p.sparse else _times(1)(k, p),
    mk.AdditiveChi2: _times(1),
    mk.Intersection: _times(1),
    mk.Brownian: _times(1),
    mk.MinMax: _times(3),
    mk.Tanimoto: _times(3),
    mk.Overlap: lambda k, p: 4 * EPS * np.ones(p.K.shape),  # 1 − (1/D)·mismatches: absolute
    mk.Delta: _times(0),
    mk.Constant: _times(0),
    # the products of a degree-q term are rounded q times, and γ(x−z)² enters through exp
    mk.ANOVA: lambda k, p: (
        EPS * k.degree * (p.D + 8 + k.gamma * p.square()) * p.K
        if k.base == "rbf"
        else EPS * k.degree * (p.D + 8) * _absolute_anova(k, p)
    ),
}


def _absolute_anova(k: Any, p: Pair) -> Array:
    return np.asarray(gram(k, abs(p.X), abs(p.Z)), dtype=np.float64)


def points(n: int = 9, d: int = 3) -> Array:
    """Standardised points with a duplicate, a near-duplicate and the origin."""
    X = np.random.default_rng(0).normal(size=(n, d))
    X[-1], X[-2], X[-3] = X[0], X[1] + 1e-7, 0.0
    return X


def counts(n: int = 9, d: int = 3) -> Array:
    """Nonnegative points with zeros, a duplicate and an empty row."""
    X = np.random.default_rng(1).gamma(1.0, size=(n, d)) * (np.random.default_rng(2).random((n, d)) > 0.2)
    X[-1], X[-2] = X[0], 0.0
    return X


def table(n: int = 9) -> Array:
    """Two columns of numbers and two of codes, with a duplicate and a near-duplicate."""
    codes = np.random.default_rng(3).integers(0, 3, size=(n, 2))
    X = np.hstack([points(n, 2), codes])
    X[-1], X[-2, 2:] = X[0], X[1, 2:]
    return X


LEAVES: list[tuple[mk.Kernel, Array]] = [
    *[(mk.RBF(gamma=g), points()) for g in (0.5, 1e-8, 30.0, (0.1, 2.0, 5.0))],
    *[(mk.RationalQuadratic(alpha=a, gamma=g), points()) for a, g in ((1, 0.5), (0.3, 4.0), (25, (1.0, 0.2, 3.0)))],
    *[(mk.Exponential(gamma=g), points()) for g in (0.5, 7.0, (0.1, 2.0, 5.0))],
    *[(mk.Matern(nu=nu, gamma=g), points()) for nu in (0.5, 1.5, 2.5) for g in (0.7, (0.1, 2.0, 5.0))],
    *[(mk.Laplacian(gamma=g), points()) for g in (0.5, (0.1, 2.0, 5.0))],
    *[(mk.WeightedColumns(p=p, g=g), points()) for p, g in ((1, 1), (2, 1), (1.5, 0.7), (2, 0.5), (0.5, 0.3))],
    *[
        (mk.WeightedColumns(w, (2, 3), p, g), table())
        for w in ((0.5, 2.0, 1.0, 0.3), (0.0, 3.0, 0.0, 2.0))
        for p, g in ((1, 1), (2, 1), (1, 0.5), (2, 0.4), (1.3, 0.8), (3, 1))
    ],
    (mk.WeightedColumns((0.0, 0.0, 0.0)), points()),
    *[(mk.Interactions((0.5,) * n, p=p), points()) for n, p in ((2, 1), (3, 2), (4, 1.5), (9, 0.5))],
    (mk.Interactions((0.0, 0.0, 2.0), (1e-200, 1e200, 1.0), 3.0), points()),
    (mk.Interactions((0.0, 1.0, 2.0), (1.0, 0.0, 3.0), (0.0, 2.0, 0.7), p=5.0), points()),
    (mk.Interactions((1.0, 0.5), (0.0, 0.0, 0.0)), points()),
    *[
        (mk.Interactions(orders, (0.5, 2.0, 1.0, 3.0), gamma, codes), table())
        for orders in ((1.0, 2.0, 0.5, 0.1), (0.0, 0.0, 0.0, 0.0, 1.0))
        for gamma, codes in (((0.3, 2.0), (2, 3)), (1.0, (0, 2, 3)), ((), (0, 1, 2, 3)))
    ],
    *[(mk.Power(degree=d), points()) for d in (0.5, 1.0, 1.7, 2.0, 3.0)],
    *[(mk.Log(degree=d), points()) for d in (0.5, 1.0, 2.0, 3.0)],
    *[(mk.Periodic(period=p, gamma=g), points()) for p, g in ((1.0, 1.0), ((0.3, 2.0, 5.0), 3.0))],
    *[(mk.Linear(coef0=c), points()) for c in (0.0, 1.5, -2.0)],
    *[
        (mk.Polynomial(degree=d, gamma=g, coef0=c), points())
        for d, g, c in ((1, 1, 1), (2, 0.5, 0), (3, 2, -1), (7, -1, 1))
    ],
    *[(mk.Sigmoid(gamma=g, coef0=c), points()) for g, c in ((1.0, 0.0), (0.1, -1.0), (30.0, 2.0))],
    (mk.Cosine(), points()),
    (mk.Bilinear([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]]), points()),
    (mk.Bilinear([[0.0, 1.0, 0.0], [1.0, -2.0, 3.0], [0.0, 3.0, 1.0]]), points()),
    *[(mk.Chi2(gamma=g), counts()) for g in (1.0, 12.0)],
    *[
        (k, counts())
        for k in (
            mk.NegativeChi2(),
            mk.AdditiveChi2(),
            mk.Intersection(),
            mk.Brownian(),
            mk.Tanimoto(),
            mk.MinMax(),
        )
    ],
    *[(k, np.round(counts())) for k in (mk.Overlap(), mk.Delta(), mk.Constant(2.5), mk.Constant(-1.0))],
    *[(mk.ANOVA(degree=d, base="rbf", gamma=2.0), points()) for d in (1, 2, 3)],
    *[(mk.ANOVA(degree=d, base="linear"), points()) for d in (1, 2, 3)],
]


def error_ratio(kernel: mk.Kernel, X: Array, Y: Array | None = None) -> float:
    """The largest error of k(X, Y) in units of its bound: at most 1 is a pass."""
    exact, sparse = gram(kernel, X, Y), sp.issparse(X)
    A, B = (M.toarray() if sp.issparse(M) else M for M in (X, X if Y is None else Y))
    centre = 0.0 if sparse else A.mean(axis=0)
    pair = Pair(A, B, centre, np.asarray(exact, dtype=np.float64), sparse=sparse)
    error = np.asarray(abs(kernel(X, Y).astype(object) - exact), dtype=np.float64)
    return float((error / (BOUND[type(kernel)](kernel, pair) + 5e-324)).max())


if __name__ == "__main__":  # the same table in another process: another instruction set
    ratios = {repr(kernel): error_ratio(kernel, X) for kernel, X in LEAVES}
    json.dump({"simd": simd_level(), "ratios": ratios}, sys.stdout)
