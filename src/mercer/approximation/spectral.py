"""Random frequencies from the spectral measures of shift-invariant kernels.

By Bochner's theorem, k(x, z) = w E[cos ⟨ω, x − z⟩] for a random frequency ω and a weight w = k(x, x). Sums of kernels
are sums of such terms, and the frequencies of a product are sums of independent frequencies of its factors.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from mercer._runtime.spectra import qr
from mercer._typing import DoubleArray
from mercer.kernels import (
    RBF,
    Constant,
    Exponential,
    Kernel,
    Laplacian,
    Matern,
    Product,
    RationalQuadratic,
    Scaled,
    Sum,
)

__all__ = ["Draw", "Term", "spectral_terms"]


@dataclass
class Draw:
    """Random numbers for p frequencies of D coordinates.

    Attributes
    ----------
    rng : numpy.random.Generator
        Source of random numbers.
    n_features : int
        D.
    orthogonal : bool
        Whether frequencies of rotation-invariant kernels are orthogonal in groups of D.
    """

    rng: np.random.Generator
    n_features: int
    orthogonal: bool

    def gaussian(self, p: int) -> DoubleArray:
        """Normal vectors of shape (D, p); orthogonal ones have the same lengths, those of normal vectors."""
        D = self.n_features
        G = self.rng.standard_normal((D, p))
        if not self.orthogonal:
            return G
        for start in range(0, p, D):
            Q, R = qr(G[:, start : start + D])
            length = np.sqrt(self.rng.chisquare(D, size=Q.shape[1]))
            G[:, start : start + D] = Q * (np.sign(R.diagonal()) * length)
        return G


@dataclass(frozen=True)
class Term:
    """Part of a kernel with one spectral measure.

    Attributes
    ----------
    weight : float
        Value k(x, x).
    sample : callable
        Map from a `Draw` and a number p to frequencies of shape (D, p).
    """

    weight: float
    sample: Callable[[Draw, int], DoubleArray]


def spectral_terms(who: str, kernel: Kernel) -> list[Term]:
    """Write a kernel as a sum of terms with spectral measures; ValueError if it is not shift-invariant."""
    match kernel:
        case Sum():
            return [term for part in kernel.parts().values() for term in spectral_terms(who, part)]
        case Scaled() if kernel.scale > 0:
            return [Term(kernel.scale * term.weight, term.sample) for term in spectral_terms(who, kernel.kernel)]
        case Product():
            return _multiplied([spectral_terms(who, part) for part in kernel.parts().values()])
        case Constant() if kernel.value > 0:
            return [Term(kernel.value, lambda draw, p: np.zeros((draw.n_features, p)))]
        case RBF() | Exponential() | Laplacian() | Matern() | RationalQuadratic():
            return [Term(1.0, lambda draw, p: _width(who, kernel, draw.n_features) * _unit(kernel, draw, p))]
        case _:
            raise ValueError(
                f"{who}: the kernel {kernel} has no random Fourier features here, because it is not a sum or product "
                "of RBF, Laplacian, Exponential, Matern, RationalQuadratic and Constant kernels with positive factors; "
                "use a Nyström approximation (mercer.kernel_approximation.Nystroem), which takes any kernel."
            )


def _multiplied(factors: list[list[Term]]) -> list[Term]:
    """Terms of a product of sums of terms."""

    def joined(terms: tuple[Term, ...]) -> Term:
        weight = float(np.prod([term.weight for term in terms]))
        return Term(weight, lambda draw, p: np.sum([term.sample(draw, p) for term in terms], axis=0))

    return [joined(terms) for terms in product(*factors)]


def _width(who: str, kernel: RBF | Exponential | Laplacian | Matern | RationalQuadratic, D: int) -> DoubleArray:
    """Factors of the coordinates of ω, of shape (D, 1)."""
    gamma = np.atleast_1d(np.asarray(kernel.gamma, dtype=np.float64))
    if len(gamma) not in (1, D):
        raise ValueError(f"{who}: gamma of {kernel} has {len(gamma)} entries, but the samples have {D} features.")
    return (np.sqrt(gamma) if kernel.squared else gamma)[:, None]


def _unit(kernel: Kernel, draw: Draw, p: int) -> DoubleArray:
    """Frequencies of the kernel with gamma = 1."""
    match kernel:
        case Laplacian():  # a product over coordinates, whose spectral densities are those of Cauchy variables
            return draw.rng.standard_cauchy((draw.n_features, p))
        case RationalQuadratic():  # a mixture of Gaussian kernels whose gamma has a Gamma density
            mixed = draw.rng.gamma(kernel.alpha, size=p) / kernel.alpha
            return np.sqrt(2 * mixed) * draw.gaussian(p)
        case Exponential() | Matern():  # a multivariate t density with 2ν degrees of freedom
            nu = kernel.nu if isinstance(kernel, Matern) else 0.5
            return draw.gaussian(p) / np.sqrt(draw.rng.chisquare(2 * nu, size=p) / (2 * nu))
        case _:
            return math.sqrt(2) * draw.gaussian(p)
