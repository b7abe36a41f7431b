"""How large the numbers inside an expression get: the measure of rounding and cancellation."""

from typing import Any

import numpy as np
from mpmath import mp, mpf

from mercer import kernels as mk
from tests.reference.vectors import dot, value

__all__ = ["size", "sizes"]


def size(kernel: Any, x: Any, z: Any) -> Any:
    """A bound of |k(x, z)| with no cancellation in it, times how often its parts are magnified."""
    inner = size(kernel.kernel, *_seen(kernel, x, z)) if "kernel" in kernel.parts() else mpf(0)
    match kernel:
        case mk.Sum():
            return mp.fsum(size(t, x, z) for t in kernel.terms)
        case mk.Product():
            return mp.fprod(size(t, x, z) for t in kernel.factors)
        case mk.Scaled():
            return abs(mpf(kernel.scale)) * inner
        case mk.PowerOf():
            return kernel.exponent * inner**kernel.exponent
        case mk.PolynomialOf():
            return mp.fsum(abs(c) * max(1, j) * inner**j for j, c in enumerate(kernel.coefficients))
        case mk.ExpOf():
            return value(kernel, x, z) * (1 + inner)
        case mk.Weighted():
            return abs(_one(kernel.f, x) * _one(kernel.f, z)) * inner
        case mk.Normalized():
            a, b = (value(kernel.kernel, v, v) for v in (x, z))
            lost = max(size(kernel.kernel, v, v) / d for v, d in ((x, a), (z, b))) if a * b else 0
            return inner / mp.sqrt(a * b) * lost if a * b else mpf(0)
        case mk.Overlap():
            return mpf(1)
        case mk.Map() | mk.LinearMap() | mk.Columns():
            return inner
        case mk.Bilinear():
            return value(mk.Bilinear(abs(kernel.matrix)), abs(x), abs(z))
        case mk.Cosine() | mk.ANOVA():
            return value(kernel, abs(x), abs(z)) if getattr(kernel, "base", "") != "rbf" else value(kernel, x, z)
        case mk.Linear() | mk.Polynomial() | mk.Sigmoid():
            slope, degree = getattr(kernel, "gamma", 1.0), getattr(kernel, "degree", 1)
            return degree * (abs(slope) * dot(abs(x), abs(z)) + abs(kernel.coef0)) ** degree
    return abs(value(kernel, x, z))


def sizes(kernel: Any, X: Any, Z: Any) -> Any:
    """`size` for all pairs of rows, as an object array."""
    return np.array([[size(kernel, x, z) for z in Z] for x in X], dtype=object)


def _seen(kernel: Any, x: Any, z: Any) -> tuple[Any, Any]:
    """Two rows as the kernel inside a node sees them."""
    if isinstance(kernel, (mk.Map, mk.LinearMap, mk.Columns)):
        return tuple(np.asarray(kernel.restrict(np.asarray(v)[None, :]))[0] for v in (x, z))
    return x, z


def _one(f: Any, x: Any) -> Any:
    return mpf(float(f(np.asarray(x)[None, :])[0]))
