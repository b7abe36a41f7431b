"""Kernels of a distance: Gaussian, exponential, Laplacian, Matérn, rational quadratic.

A vector ``gamma`` (one positive number per feature) weighs the coordinates: automatic relevance determination.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
from scipy.special import gammainc

from mercer._typing import Data, FloatArray
from mercer._validation import check_real
from mercer.kernels.bandwidth import Gamma, check_gamma, resolve_gamma
from mercer.kernels.base import VectorKernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.dot import squared_norms
from mercer.kernels.features import (
    Options,
    scale_columns,
    scale_rows,
    series,
    taylor_degree,
    vectors,
)
from mercer.kernels.naming import input_names, monomials
from mercer.kernels.program import Builder, Op

__all__ = ["RBF", "Exponential", "Laplacian", "Matern", "RationalQuadratic"]

PSD = Definiteness.PSD


def _from_sigma(who: str, sigma: float) -> float:
    """γ = 1/(2σ²), divided in steps that overflow to infinity and so are refused as gamma."""
    sigma = check_real(f"{who}.from_sigma", "sigma", sigma, low=0.0, strict=True)
    return 0.5 / sigma / sigma


class _Width(VectorKernel):
    """Kernels with a width: gamma is a number, a vector or a rule; squared and l1 say which distance it multiplies."""

    squared: ClassVar[bool] = True
    l1: ClassVar[bool] = False
    gamma: Gamma

    def _check_gamma(self) -> None:
        object.__setattr__(self, "gamma", check_gamma(type(self).__name__, self.gamma))

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        gamma = resolve_gamma(type(self).__name__, self.gamma, X, sample_weight, squared=self.squared, l1=self.l1)
        return replace(self, gamma=gamma)  # type: ignore[type-var]

    def _push_distance(self, program: Builder, X: Data) -> float:
        """Push the squared distance (or the L1 distance) and return the scalar that still multiplies it.

        For unsquared distances the caller takes the root; a vector gamma is folded into the coordinates.
        """
        array, gamma = program.vectors(self, X), self.gamma
        scale = None
        if isinstance(gamma, tuple):
            scale = tuple(math.sqrt(g) for g in gamma) if self.squared else gamma
        if self.l1:
            program.coordinates(Op.l1, array, scale)
        else:
            program.sqdist(array, scale)
        return 1.0 if scale is not None else gamma  # type: ignore[return-value]


@final
@dataclass(frozen=True)
class RBF(_Width):
    r"""Gaussian kernel  k(x, z) = exp(−γ ‖x − z‖²),  γ = 1/(2σ²).

    Parameters
    ----------
    gamma : float, vector or {"scale", "auto", "median"}
        γ > 0; a vector gives Σ_k γ_k (x_k − z_k)² in the exponent.

    Notes
    -----
    O(D) per pair; strictly PSD for every γ > 0. φ is infinite; ``feature_map(X, degree=r)`` is the truncated Taylor
    map.

    References
    ----------
    Schoenberg, Metric spaces and positive definite functions, 1938, doi:10.1090/S0002-9947-1938-1501980-0.

    Examples
    --------
    >>> RBF.from_sigma(0.5)
    RBF(gamma=2.0)
    """

    name: ClassVar[str] = "rbf"
    formula: ClassVar[str] = "exp(−γ‖x−z‖²)"
    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        self._check_gamma()

    @classmethod
    def from_sigma(cls, sigma: float) -> Self:
        """The kernel exp(−‖x−z‖²/(2σ²))."""
        return cls(gamma=_from_sigma("RBF", sigma))

    def emit(self, program: Builder, X: Data) -> None:
        program.map(Op.exp, -self._push_distance(program, X))

    def features(self, X: Data, options: Options) -> Any:
        """e^{−γ‖x‖²} √((2γ)^j/j!) times the monomials of degree j = r, …, 0: C(D+r, r) features."""
        degree = taylor_degree("RBF", options)
        array = self._in_units(X)
        powers = series("RBF", array, [1 / math.factorial(j) for j in range(degree + 1)])
        return scale_rows(powers, np.exp(-squared_norms(array) / 2))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return monomials(input_names(X, options), [1.0] * (taylor_degree("RBF", options) + 1))

    def _in_units(self, X: Data) -> Any:
        """√(2γ) x, so that k(x, z) = exp(⟨x,z⟩ − ‖x‖²/2 − ‖z‖²/2)."""
        array = vectors("RBF", X)
        if isinstance(self.gamma, tuple) and len(self.gamma) != array.shape[1]:
            raise ValueError(
                f"RBF: gamma has {len(self.gamma)} entries but X has {array.shape[1]} features; "
                "give one entry per feature."
            )
        return scale_columns(array, np.sqrt(2 * np.asarray(self.gamma, dtype=np.float64)))

    def taylor_bound(self, X: Data, degree: int, Z: Data = None) -> float:
        """Bound on |k(x, z) − φ(x)φ(z)ᵀ| over the samples, φ = ``feature_map(·, degree=degree)``.

        The remainder R(x, z) = e^{−γ(‖x‖²+‖z‖²)} Σ_{j>r} (2γ⟨x,z⟩)^j/j! is a PSD kernel, hence
        R(x, z)² ≤ R(x, x) R(z, z), and R(x, x) = P(r + 1, 2γ‖x‖²) with the regularised incomplete
        gamma function P, which grows with ‖x‖. For Z = X the bound is attained. Rounding is not
        counted. Small norms give small bounds: centre the data. O(nD).

        Parameters
        ----------
        X, Z : array or CSR matrix
            Samples; ``Z=None`` means X. A rule for gamma is resolved on X.
        degree : int
            r ≥ 0.

        References
        ----------
        Cotter, Keshet, Srebro, Explicit approximations of the Gaussian kernel, 2011,
        arXiv:1109.4603.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.6, 0.8]])
        >>> k = RBF(gamma=0.5)
        >>> F = k.feature_map(X, degree=3)
        >>> bool(np.isclose(k.taylor_bound(X, 3), 1 - (F @ F.T)[0, 0]))
        True
        """
        degree = taylor_degree("RBF.taylor_bound", {"degree": degree})
        kernel = self.resolve(X)
        squares = [squared_norms(kernel._in_units(data)).max() for data in (X, X if Z is None else Z)]
        remainders = gammainc(degree + 1, squares)
        return float(np.prod(np.sqrt(remainders)))

    def proof(self) -> Certificate:
        return self._certify(PSD, "exp(−γ‖x−z‖²) for γ > 0", "Schoenberg 1938")


@final
@dataclass(frozen=True)
class Exponential(_Width):
    r"""Exponential kernel  k(x, z) = exp(−γ ‖x − z‖₂),  γ = 1/(2σ²): Matérn with ν = 1/2.

    Parameters
    ----------
    gamma : float, vector or {"scale", "auto", "median"}
        γ > 0; a vector scales the coordinates before the norm. Rules give the square root of the Gaussian's.

    Notes
    -----
    O(D) per pair; PSD for every γ > 0. The norm is Euclidean; `Laplacian` has the L1 norm.

    Examples
    --------
    >>> import numpy as np
    >>> Exponential(gamma=1.0)(np.array([[0.0, 0.0], [3.0, 4.0]]))[0, 1] == np.exp(-5.0)
    np.True_
    """

    name: ClassVar[str] = "exponential"
    formula: ClassVar[str] = "exp(−γ‖x−z‖)"
    squared: ClassVar[bool] = False
    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        self._check_gamma()

    @classmethod
    def from_sigma(cls, sigma: float) -> Self:
        """The kernel exp(−‖x−z‖/(2σ²))."""
        return cls(gamma=_from_sigma("Exponential", sigma))

    def emit(self, program: Builder, X: Data) -> None:
        factor = self._push_distance(program, X)
        program.map(Op.sqrt)
        program.map(Op.exp, -factor)

    def proof(self) -> Certificate:
        return self._certify(PSD, "exp(−γ‖x−z‖) for γ > 0: exp of the CPD kernel −γ‖x−z‖", "Schoenberg 1938")


@final
@dataclass(frozen=True)
class Laplacian(_Width):
    r"""Laplacian kernel  k(x, z) = exp(−γ ‖x − z‖₁), scikit-learn's ``laplacian_kernel``.

    Parameters
    ----------
    gamma : float, vector or {"scale", "auto", "median"}
        γ > 0; a vector gives Σ_k γ_k |x_k − z_k|. Rules give the square root of the Gaussian's.

    Notes
    -----
    O(D) per pair; PSD for every γ > 0, as a product of one-dimensional exponential kernels.

    Examples
    --------
    >>> import numpy as np
    >>> k = Laplacian(gamma=1.0)
    >>> bool(np.isclose(k(np.array([[0.0, 0.0], [3.0, 4.0]]))[0, 1], np.exp(-7.0)))
    True
    """

    name: ClassVar[str] = "laplacian"
    formula: ClassVar[str] = "exp(−γ‖x−z‖₁)"
    squared: ClassVar[bool] = False
    l1: ClassVar[bool] = True
    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        self._check_gamma()

    def emit(self, program: Builder, X: Data) -> None:
        program.map(Op.exp, -self._push_distance(program, X))

    def proof(self) -> Certificate:
        return self._certify(PSD, "a product over coordinates of exp(−γ|x_k−z_k|), each PSD", "Schoenberg 1938")


@final
@dataclass(frozen=True)
class Matern(_Width):
    r"""Matérn kernel of half-integer smoothness.

    With u = √(2ν) γ ‖x − z‖:  ν = 1/2: exp(−u);  ν = 3/2: (1 + u) exp(−u);  ν = 5/2: (1 + u + u²/3) exp(−u).

    Parameters
    ----------
    nu : {0.5, 1.5, 2.5}
        Smoothness ν; larger is smoother, and the Gaussian is the limit.
    gamma : float, vector or {"scale", "auto", "median"}
        Inverse length γ = 1/ℓ > 0.

    Notes
    -----
    O(D) per pair; PSD: its spectral density is positive.

    References
    ----------
    Stein, Interpolation of Spatial Data, 1999, doi:10.1007/978-1-4612-1494-6.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [2.0]])
    >>> bool(np.array_equal(Matern(nu=0.5, gamma=1.0)(X), Exponential(gamma=1.0)(X)))
    True
    """

    name: ClassVar[str] = "matern"
    formula: ClassVar[str] = "(1+u)e⁻ᵘ, u=√3γ‖x−z‖"
    squared: ClassVar[bool] = False
    nu: float = 1.5
    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        nu = check_real("Matern", "nu", self.nu)
        if nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"Matern: parameter nu must be 0.5, 1.5 or 2.5 (closed forms), got {nu:g}; nu → ∞ is RBF.")
        object.__setattr__(self, "nu", nu)
        self._check_gamma()

    def emit(self, program: Builder, X: Data) -> None:
        factor = math.sqrt(2 * self.nu) * self._push_distance(program, X)
        program.map(Op.sqrt)
        if self.nu == 0.5:
            program.map(Op.exp, -factor)
        else:
            program.map(Op.matern32 if self.nu == 1.5 else Op.matern52, factor)

    def proof(self) -> Certificate:
        return self._certify(PSD, "its spectral density is positive in every dimension", "Matérn 1960; Bochner")


@final
@dataclass(frozen=True)
class RationalQuadratic(_Width):
    r"""Rational quadratic kernel  k(x, z) = (1 + γ‖x − z‖²/α)^(−α).

    Parameters
    ----------
    alpha : float
        α > 0; the Gaussian is the limit α → ∞.
    gamma : float, vector or {"scale", "auto", "median"}
        γ > 0.

    Notes
    -----
    O(D) per pair; PSD as a mixture of Gaussians over γ with a Gamma density.

    Examples
    --------
    >>> import numpy as np
    >>> RationalQuadratic(alpha=1.0, gamma=1.0)(np.array([[0.0], [1.0]]))[0, 1].round(12)
    np.float64(0.5)
    """

    name: ClassVar[str] = "rq"
    formula: ClassVar[str] = "(1 + γ‖x−z‖²/α)^(−α)"
    alpha: float = 1.0
    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", check_real("RationalQuadratic", "alpha", self.alpha, low=0.0, strict=True))
        self._check_gamma()

    def emit(self, program: Builder, X: Data) -> None:
        program.map(Op.rational_quadratic, self.alpha, self._push_distance(program, X) / self.alpha)

    def proof(self) -> Certificate:
        return self._certify(PSD, "a mixture of Gaussian kernels with positive weights (α, γ > 0)", "Schoenberg 1938")
