"""Kernels of a distance with a parameter of smoothness: Matérn and rational quadratic."""

import math
from dataclasses import dataclass
from typing import ClassVar, final

from mercer._typing import Data
from mercer._validation import check_real
from mercer.kernels.bandwidth import Gamma
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.stationary import Width

__all__ = ["Matern", "RationalQuadratic"]

PSD = Definiteness.PSD


@final
@dataclass(frozen=True)
class Matern(Width):
    """Matérn kernel of smoothness ν = 1/2, 3/2 or 5/2.

    With u = √(2ν) γ ‖x − z‖, the kernel is exp(−u) for ν = 1/2, (1 + u) exp(−u) for ν = 3/2, and
    (1 + u + u²/3) exp(−u) for ν = 5/2.

    Parameters
    ----------
    nu : {0.5, 1.5, 2.5}, default=1.5
        Smoothness ν. The limit ν → ∞ is the Gaussian kernel.
    gamma : float, array-like of shape (n_features,) or {"scale", "auto", "median"}, default="scale"
        Inverse length scale γ = 1/ℓ > 0. A vector multiplies the coordinates before the norm is computed. The rules
        give the square root of the value for `RBF`.

    See Also
    --------
    Exponential : The case ν = 1/2.
    RBF : The limit ν → ∞.

    Notes
    -----
    Definiteness: PSD for every γ > 0. By Bochner's theorem, because the spectral density, proportional to
    (2νγ² + ‖ω‖²)^(−ν−D/2), is positive in every dimension D.

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, at the speed of a matrix product.

    References
    ----------
    * Matérn, *Spatial Variation*, 1960.
    * Stein, *Interpolation of Spatial Data*, 1999, doi:10.1007/978-1-4612-1494-6.
    * Rasmussen and Williams, *Gaussian Processes for Machine Learning*, 2006, section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [2.0]])
    >>> [float(Matern(nu=nu, gamma=0.5)(X)[0, 1].round(4)) for nu in (0.5, 1.5, 2.5)]
    [0.3679, 0.4834, 0.524]
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
class RationalQuadratic(Width):
    """Rational quadratic kernel  k(x, z) = (1 + γ‖x − z‖²/α)^(−α).

    Parameters
    ----------
    alpha : float, default=1.0
        Shape α > 0. Small values give heavy tails; the limit α → ∞ is the Gaussian kernel.
    gamma : float, array-like of shape (n_features,) or {"scale", "auto", "median"}, default="scale"
        Inverse width γ > 0, as for `RBF`.

    See Also
    --------
    RBF : The limit α → ∞.
    Log : The logarithm of the case α = 1.

    Notes
    -----
    Definiteness: PSD for α, γ > 0, as a mixture of Gaussian kernels whose γ has a Gamma density.

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, at the speed of a matrix product.

    References
    ----------
    * Schoenberg, *Metric spaces and positive definite functions*, Transactions of the AMS 44, 1938.
    * Rasmussen and Williams, *Gaussian Processes for Machine Learning*, 2006, section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> RationalQuadratic(alpha=1.0, gamma=1.0)(X).round(12)
    array([[1. , 0.5, 0.1],
           [0.5, 1. , 0.2],
           [0.1, 0.2, 1. ]])
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
