"""Slow twins of the vector kernels and of every node: k(x, z) from its definition, in 50 digits.

`value` takes two rows of an array and returns an mpmath number; no code is shared with the library.
"""

import math
from collections.abc import Callable
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from mpmath import mp, mpf

from mercer import kernels as mk

__all__ = ["REFERENCE", "dot", "gram", "sqdist", "value", "weights"]

mp.dps = 50
Row = Any  # a one-dimensional array
Twin = Callable[[Any, Row, Row], Any]


def numbers(x: Row) -> list[Any]:
    """The entries of a row, exactly."""
    return [mpf(float(v)) for v in x]


def pairs(x: Row, z: Row) -> list[tuple[Any, Any]]:
    return list(zip(numbers(x), numbers(z), strict=True))


def dot(x: Row, z: Row) -> Any:
    return mp.fsum(a * b for a, b in pairs(x, z))


def weights(gamma: Any, x: Row) -> list[Any]:
    """A scalar or vector parameter, one entry per coordinate."""
    return [mpf(g) for g in gamma] if isinstance(gamma, tuple) else [mpf(gamma)] * len(x)


def sqdist(x: Row, z: Row, scale: Any = 1.0) -> Any:
    """Σ s_k (x_k − z_k)²."""
    return mp.fsum(s * (a - b) ** 2 for s, (a, b) in zip(weights(scale, x), pairs(x, z), strict=True))


def norm(k: Any, x: Row, z: Row) -> Any:
    """γ‖x − z‖; a vector γ scales the coordinates."""
    return mp.sqrt(sqdist(x, z, tuple(mpf(g) ** 2 for g in weights(k.gamma, x))))


def l1(k: Any, x: Row, z: Row) -> Any:
    return mp.fsum(g * abs(a - b) for g, (a, b) in zip(weights(k.gamma, x), pairs(x, z), strict=True))


def chi2(x: Row, z: Row) -> Any:
    return mp.fsum((a - b) ** 2 / (a + b) for a, b in pairs(x, z) if a + b)


def matern(k: Any, x: Row, z: Row) -> Any:
    u = mp.sqrt(2 * mpf(k.nu)) * norm(k, x, z)
    return {0.5: 1, 1.5: 1 + u, 2.5: 1 + u + u**2 / 3}[k.nu] * mp.exp(-u)


def periodic(k: Any, x: Row, z: Row) -> Any:
    terms = zip(weights(k.period, x), pairs(x, z), strict=True)
    return mp.exp(-mpf(k.gamma) * mp.fsum(mp.sin(mp.pi * (a - b) / p) ** 2 for p, (a, b) in terms))


def weighted_columns(k: Any, x: Row, z: Row) -> Any:
    terms = zip(weights(k.weights, x), pairs(x, z), strict=True)
    total = mp.fsum(
        w * (mpf(a != b) if j in k.categorical else abs(a - b) ** mpf(k.p)) for j, (w, (a, b)) in enumerate(terms)
    )
    return mp.exp(-(total ** mpf(k.g)))


def interactions(k: Any, x: Row, z: Row) -> Any:
    codes = set(k.categorical)
    gamma = iter(weights(k.gamma, [j for j in range(len(x)) if j not in codes]))
    agree = [
        mpf(a == b) if j in codes else mp.exp(-next(gamma) * abs(a - b) ** mpf(k.p))
        for j, (a, b) in enumerate(pairs(x, z))
    ]
    v = list(weights(k.weights, x))
    total = mpf(0)
    for q, weight in enumerate(k.orders):
        sets = list(combinations(range(len(v)), q))
        below = mp.fsum(mp.fprod(v[j] for j in chosen) for chosen in sets)
        above = mp.fsum(mp.fprod(v[j] * agree[j] for j in chosen) for chosen in sets)
        total += mpf(weight) * above / below if below else 0
    return total / mp.fsum(map(mpf, k.orders))


def anova(k: Any, x: Row, z: Row) -> Any:
    base = [a * b if k.base == "linear" else mp.exp(-mpf(k.gamma) * (a - b) ** 2) for a, b in pairs(x, z)]
    return mp.fsum(math.prod(chosen) for chosen in combinations(base, k.degree))


def ratio(above: Any, below: Any) -> Any:
    return above / below if below else mpf(1)


def tanimoto(k: Any, x: Row, z: Row) -> Any:
    return ratio(dot(x, z), dot(x, x) + dot(z, z) - dot(x, z))


def minmax(k: Any, x: Row, z: Row) -> Any:
    return ratio(mp.fsum(min(p) for p in pairs(x, z)), mp.fsum(max(p) for p in pairs(x, z)))


def cosine(k: Any, x: Row, z: Row) -> Any:
    size = mp.sqrt(dot(x, x) * dot(z, z))
    return dot(x, z) / size if size else mpf(0)


def bilinear(k: Any, x: Row, z: Row) -> Any:
    return mp.fsum(
        a * mpf(v) * b for a, r in zip(numbers(x), k.A, strict=True) for v, b in zip(r, numbers(z), strict=True)
    )


def tanimoto_of(k, x, z):
    inner = value(k.kernel, x, z)
    total = value(k.kernel, x, x) + value(k.kernel, z, z) - inner
    return inner / total if total else inner


def normalized(k: Any, x: Row, z: Row) -> Any:
    size = mp.sqrt(value(k.kernel, x, x) * value(k.kernel, z, z))
    return value(k.kernel, x, z) / size if size else mpf(0)


def weighted(k: Any, x: Row, z: Row) -> Any:
    f, g = (mpf(float(k.f(np.asarray(v)[None, :])[0])) for v in (x, z))
    return f * value(k.kernel, x, z) * g


def mapped(k: Any, x: Row, z: Row) -> Any:
    return value(k.kernel, *(k.phi(np.asarray(v)[None, :])[0] for v in (x, z)))


def combined(k: Any, x: Row, z: Row) -> Any:
    m, columns = len(k.matrix), list(zip(*k.matrix, strict=True))
    images = ([mp.fsum(mpf(a) * mpf(b) for a, b in zip(v[:m], c, strict=True)) for c in columns] for v in (x, z))
    return value(k.kernel, *(np.array([*image, *v[m:]]) for image, v in zip(images, (x, z), strict=True)))


def polynomial(k: Any, x: Row, z: Row) -> Any:
    inner = value(k.kernel, x, z)
    return mp.fsum(mpf(c) * inner**j for j, c in enumerate(k.coefficients))


def user(k: Any, x: Row, z: Row) -> Any:
    found = k.function(x, z) if k.by == "pair" else k.function(x[None], z[None])[0, 0]
    return mpf(float(found))


REFERENCE: dict[type, Twin] = {
    mk.Linear: lambda k, x, z: dot(x, z) + mpf(k.coef0),
    mk.Polynomial: lambda k, x, z: (mpf(k.gamma) * dot(x, z) + mpf(k.coef0)) ** k.degree,
    mk.Sigmoid: lambda k, x, z: mp.tanh(mpf(k.gamma) * dot(x, z) + mpf(k.coef0)),
    mk.Cosine: cosine,
    mk.Bilinear: bilinear,
    mk.RBF: lambda k, x, z: mp.exp(-sqdist(x, z, k.gamma)),
    mk.Exponential: lambda k, x, z: mp.exp(-norm(k, x, z)),
    mk.Laplacian: lambda k, x, z: mp.exp(-l1(k, x, z)),
    mk.Matern: matern,
    mk.RationalQuadratic: lambda k, x, z: (1 + sqdist(x, z, k.gamma) / mpf(k.alpha)) ** (-mpf(k.alpha)),
    mk.Periodic: periodic,
    mk.WeightedColumns: weighted_columns,
    mk.Interactions: interactions,
    mk.Power: lambda k, x, z: -(sqdist(x, z) ** (mpf(k.degree) / 2)),
    mk.Log: lambda k, x, z: -mp.log(1 + sqdist(x, z) ** (mpf(k.degree) / 2)),
    mk.Chi2: lambda k, x, z: mp.exp(-mpf(k.gamma) * chi2(x, z)),
    mk.NegativeChi2: lambda k, x, z: -chi2(x, z),
    mk.AdditiveChi2: lambda k, x, z: mp.fsum(2 * a * b / (a + b) for a, b in pairs(x, z) if a + b),
    mk.Intersection: lambda k, x, z: mp.fsum(min(p) for p in pairs(x, z)),
    mk.Brownian: lambda k, x, z: math.prod((min(p) for p in pairs(x, z)), start=mpf(1)),
    mk.Tanimoto: tanimoto,
    mk.MinMax: minmax,
    mk.Overlap: lambda k, x, z: mpf(sum(a == b for a, b in zip(x, z, strict=True))) / len(x),
    mk.Delta: lambda k, x, z: mpf(all(a == b for a, b in zip(x, z, strict=True))),
    mk.Constant: lambda k, x, z: mpf(k.value),
    mk.ANOVA: anova,
    mk.Sum: lambda k, x, z: mp.fsum(value(t, x, z) for t in k.terms),
    mk.Product: lambda k, x, z: reduce(lambda a, b: a * b, (value(t, x, z) for t in k.factors)),
    mk.Scaled: lambda k, x, z: mpf(k.scale) * value(k.kernel, x, z),
    mk.ExpOf: lambda k, x, z: mp.exp(value(k.kernel, x, z)),
    mk.PowerOf: lambda k, x, z: value(k.kernel, x, z) ** k.exponent,
    mk.PolynomialOf: polynomial,
    mk.Normalized: normalized,
    mk.TanimotoOf: tanimoto_of,
    mk.Weighted: weighted,
    mk.Map: mapped,
    mk.LinearMap: combined,
    mk.User: user,
    mk.Columns: lambda k, x, z: value(k.kernel, *(np.asarray(v)[list(k.columns)] for v in (x, z))),
}


def value(kernel: mk.Kernel, x: Row, z: Row) -> Any:
    """k(x, z) of a resolved kernel for two rows."""
    return REFERENCE[type(kernel)](kernel, x, z)


def gram(kernel: mk.Kernel, X: Any, Y: Any = None) -> np.ndarray[Any, Any]:
    """All values as an object array of 50-digit numbers."""
    X, Y = (m.toarray() if sp.issparse(m) else m for m in (X, X if Y is None else Y))
    return np.array([[value(kernel, x, z) for z in Y] for x in X], dtype=object)
