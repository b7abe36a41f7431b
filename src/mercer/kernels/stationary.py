"""Kernels of a distance: Gaussian, exponential, Laplacian, Matérn, rational quadratic, periodic, power, log.

A vector ``gamma`` (one positive number per feature) weighs the coordinates: automatic relevance determination.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self, final

import numpy as np

from mercer._typing import Data, FloatArray
from mercer._validation import check_real, positive_vector
from mercer.kernels.bandwidth import Gamma, check_gamma, resolve_gamma
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.program import Builder, Op

__all__ = ["RBF", "Exponential", "Laplacian", "Log", "Matern", "Periodic", "Power", "RationalQuadratic"]

PSD, CPD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.CPD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


class _Width(Kernel):
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
    O(D) per pair; strictly PSD for every γ > 0. φ is infinite; ``feature_map(X, degree=r)`` is the truncated Taylor map.

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
        return cls(gamma=1 / (2 * check_real("RBF.from_sigma", "sigma", sigma, low=0.0, strict=True) ** 2))

    def emit(self, program: Builder, X: Data) -> None:
        program.map(Op.exp, -self._push_distance(program, X))

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
        return cls(gamma=1 / (2 * check_real("Exponential.from_sigma", "sigma", sigma, low=0.0, strict=True) ** 2))

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
    r"""Matérn kernel of half-integer smoothness; with u = √(2ν) γ ‖x − z‖,

    ν = 1/2: exp(−u);  ν = 3/2: (1 + u) exp(−u);  ν = 5/2: (1 + u + u²/3) exp(−u).

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
    formula: ClassVar[str] = "(1+u)exp(−u), u=√3γ‖x−z‖ (ν=3/2)"
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


@final
@dataclass(frozen=True)
class Periodic(Kernel):
    r"""Periodic kernel  k(x, z) = exp(−γ Σ_k sin²(π (x_k − z_k)/p_k)), a product over coordinates.

    Parameters
    ----------
    period : float or vector
        p_k > 0.
    gamma : float
        γ > 0; γ = 2/ℓ² in the notation of Gaussian processes.

    Notes
    -----
    O(D) per pair. PSD: with c(x) = (cos 2πx_k/p_k, sin 2πx_k/p_k) it is the Gaussian exp(−(γ/4)‖c(x) − c(z)‖²). (The form
    sin²(π‖x−z‖/p) is indefinite for D ≥ 2.)

    Examples
    --------
    >>> import numpy as np
    >>> Periodic(period=2.0)(np.array([[0.25], [4.25]])).round(12)
    array([[1., 1.],
           [1., 1.]])
    """

    name: ClassVar[str] = "periodic"
    formula: ClassVar[str] = "exp(−γΣsin²(π(x−z)/p))"
    period: float | tuple[float, ...] = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        scalar = np.ndim(self.period) == 0
        period = check_real("Periodic", "period", self.period, low=0.0, strict=True) if scalar else positive_vector("Periodic", "period", self.period)
        object.__setattr__(self, "period", period)
        object.__setattr__(self, "gamma", check_real("Periodic", "gamma", self.gamma, low=0.0, strict=True))

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X, dense=True)
        program.sqdist(program.once(("circle", self.period), array, lambda: self._circle(array)))
        program.map(Op.exp, -self.gamma / 4)

    def _circle(self, array: FloatArray) -> FloatArray:
        """Each coordinate as a point on the unit circle, (n, 2D)."""
        period = np.asarray(self.period, dtype=np.float64)
        if period.ndim and len(period) != array.shape[1]:
            raise ValueError(f"Periodic: period has {len(period)} entries but X has {array.shape[1]} features; give one per feature.")
        # Reduce to one period first: the sine of a large angle has few correct digits.
        angle = 2 * np.pi * np.mod(array.astype(np.float64) / period, 1.0)
        return np.hstack([np.cos(angle), np.sin(angle)]).astype(array.dtype)

    def proof(self) -> Certificate:
        return self._certify(PSD, "a Gaussian of the points (cos 2πx/p, sin 2πx/p): rule k(φ(x),φ(z))", "MacKay 1998")


@final
@dataclass(frozen=True)
class Power(Kernel):
    r"""Power kernel  k(x, z) = −‖x − z‖^d. Conditionally PSD, never PSD.

    Parameters
    ----------
    degree : float
        d > 0; conditionally PSD for d ≤ 2.

    Notes
    -----
    O(D) per pair. Usable where the data are centred: kernel PCA, SVM with a bias. exp(t·k) is PSD for t > 0, d ≤ 2.

    References
    ----------
    Schoenberg 1938, doi:10.1090/S0002-9947-1938-1501980-0.

    Examples
    --------
    >>> from mercer.kernels import ExpOf
    >>> Power(degree=1.0).definiteness.value, ExpOf(Power(degree=1.0)).definiteness.value
    ('cpd', 'psd')
    """

    name: ClassVar[str] = "power"
    formula: ClassVar[str] = "−‖x−z‖^d"
    degree: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", check_real("Power", "degree", self.degree, low=0.0, strict=True))

    def emit(self, program: Builder, X: Data) -> None:
        program.sqdist(program.vectors(self, X))
        _raise_distance(program, self.degree)
        program.map(Op.affine, -1.0)

    def proof(self) -> Certificate:
        if self.degree <= 2:
            return self._certify(CPD, "−‖x−z‖^d for 0 < d ≤ 2 (never PSD: zero diagonal, negative entries)", "Schoenberg 1938")
        return self._certify(NOT_PSD, "zero diagonal and negative entries; for d > 2 not even conditionally PSD", "Schoenberg 1938")


@final
@dataclass(frozen=True)
class Log(Kernel):
    r"""Logarithmic kernel  k(x, z) = −log(1 + ‖x − z‖^d). Conditionally PSD for 0 < d ≤ 2.

    Parameters
    ----------
    degree : float
        d > 0.

    Notes
    -----
    O(D) per pair. Never PSD: the diagonal is zero and the rest negative.

    Examples
    --------
    >>> import numpy as np
    >>> Log(degree=2.0)(np.array([[0.0], [1.0]]))[0, 1] == -np.log(2.0)
    np.True_
    """

    name: ClassVar[str] = "log"
    formula: ClassVar[str] = "−log(1 + ‖x−z‖^d)"
    degree: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", check_real("Log", "degree", self.degree, low=0.0, strict=True))

    def emit(self, program: Builder, X: Data) -> None:
        program.sqdist(program.vectors(self, X))
        _raise_distance(program, self.degree)
        program.map(Op.log1p)
        program.map(Op.affine, -1.0)

    def proof(self) -> Certificate:
        if self.degree <= 2:
            return self._certify(CPD, "−log(1 − k) for the CPD kernel k = −‖x−z‖^d ≤ 0", "Berg, Christensen, Ressel 1984")
        return self._certify(NOT_PSD, "zero diagonal and negative entries")


def _raise_distance(program: Builder, degree: float) -> None:
    """From ‖x−z‖² on the stack to ‖x−z‖^degree."""
    if degree == 1:
        program.map(Op.sqrt)
    elif degree != 2:
        program.map(Op.power, degree / 2)
