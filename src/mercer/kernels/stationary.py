"""Kernels of a distance: Gaussian, exponential and Laplacian.

A vector ``gamma``, with one positive number per feature, weights the coordinates (automatic relevance determination).
"""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
from scipy.special import gammainc

from mercer._typing import Data, FloatArray
from mercer._validation import check_real
from mercer.kernels.bandwidth import Gamma, check_gamma, resolve_gamma
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
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.vector import VectorKernel

__all__ = ["RBF", "Exponential", "Laplacian"]

PSD = Definiteness.PSD


def _from_sigma(who: str, sigma: float) -> float:
    """γ = 1/(2σ²). Dividing twice overflows to infinity for a tiny σ, which the check of gamma refuses."""
    sigma = check_real(f"{who}.from_sigma", "sigma", sigma, low=0.0, strict=True)
    return 0.5 / sigma / sigma


class Width(VectorKernel):
    """Kernels with a width gamma: a number, a vector or a rule.

    `squared` and `l1` declare the distance that gamma multiplies.
    """

    squared: ClassVar[bool] = True
    l1: ClassVar[bool] = False
    gamma: Gamma

    def _check_gamma(self) -> None:
        """Check gamma and store it as a float, a tuple or the name of a rule."""
        object.__setattr__(self, "gamma", check_gamma(type(self).__name__, self.gamma))

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        gamma = resolve_gamma(type(self).__name__, self.gamma, X, sample_weight, squared=self.squared, l1=self.l1)
        return replace(self, gamma=gamma)  # type: ignore[type-var]

    def _push_distance(self, program: Builder, X: Data) -> float:
        """Push the squared Euclidean distance, or the L1 distance, and return the scalar factor that is left.

        Kernels of the unsquared distance take the square root afterwards. A vector gamma is folded into the
        coordinates.
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
class RBF(Width):
    """Gaussian kernel  k(x, z) = exp(−γ ‖x − z‖²),  γ = 1/(2σ²).

    Parameters
    ----------
    gamma : float, array-like of shape (n_features,) or {"scale", "auto", "median"}, default="scale"
        Inverse width γ > 0. A vector gives Σ_k γ_k (x_k − z_k)² in the exponent. ``"scale"`` is 1/(D·Var X), ``"auto"``
        is 1/D, ``"median"`` is 1/m² with the median m of the nonzero distances.

    See Also
    --------
    Exponential : The Euclidean distance instead of its square.
    Matern : Kernels between the exponential and the Gaussian kernel.
    RationalQuadratic : A mixture of Gaussian kernels of different widths.
    mercer.operators.gram : Matrix-free Gram matrix.

    Notes
    -----
    Definiteness: PSD for every γ > 0 in every dimension. The Gram matrix of different points is nonsingular.

    Feature map: infinite. ``feature_map(X, degree=r)`` keeps the C(D+r, r) terms e^(−γ‖x‖²) √((2γ)^j/j!) times the
    monomials of degree j = r, …, 0 of the Taylor series. `taylor_bound` bounds the error.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, at the speed of a matrix product.

    References
    ----------
    * Schoenberg, *Metric spaces and positive definite functions*, Transactions of the AMS 44, 1938,
      doi:10.1090/S0002-9947-1938-1501980-0.
    * Cotter, Keshet and Srebro, *Explicit approximations of the Gaussian kernel*, 2011, arXiv:1109.4603.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> RBF(gamma=0.5)(X).round(4)
    array([[1.    , 0.6065, 0.3679],
           [0.6065, 1.    , 0.6065],
           [0.3679, 0.6065, 1.    ]])
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
        """Gaussian kernel exp(−‖x − z‖²/(2σ²)) of standard deviation σ.

        Parameters
        ----------
        sigma : float
            Standard deviation σ > 0.

        Returns
        -------
        RBF
            The kernel with γ = 1/(2σ²).
        """
        return cls(gamma=_from_sigma("RBF", sigma))

    def emit(self, program: Builder, X: Data) -> None:
        program.map(Op.exp, -self._push_distance(program, X))

    def features(self, X: Data, options: Options) -> Any:
        degree = taylor_degree("RBF", options)
        array = self._in_units(X)
        powers = series("RBF", array, [1 / math.factorial(j) for j in range(degree + 1)])
        return scale_rows(powers, np.exp(-squared_norms(array) / 2))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return monomials(input_names(X, options), [1.0] * (taylor_degree("RBF", options) + 1))

    def _in_units(self, X: Data) -> Any:
        """The scaled samples √(2γ) x, for which k(x, z) = exp(⟨x, z⟩ − ‖x‖²/2 − ‖z‖²/2)."""
        array = vectors("RBF", X)
        if isinstance(self.gamma, tuple) and len(self.gamma) != array.shape[1]:
            raise ValueError(
                f"RBF: gamma has {len(self.gamma)} entries but X has {array.shape[1]} features; "
                "give one entry per feature."
            )
        return scale_columns(array, np.sqrt(2 * np.asarray(self.gamma, dtype=np.float64)))

    def taylor_bound(self, X: Data, degree: int, Z: Data = None) -> float:
        """Bound on the error of the truncated Taylor features, ``feature_map(X, degree=degree)``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples_X, n_features)
            Samples. Data-dependent parameters are resolved on them.
        degree : int
            Degree r ≥ 0 of the Taylor series.
        Z : array or sparse matrix of shape (n_samples_Z, n_features), default=None
            Second set of samples. None means X.

        Returns
        -------
        float
            Upper bound on the largest absolute error of φ(x)φ(z)ᵀ over all x in X and z in Z, without rounding errors.

        Notes
        -----
        The remainder R(x, z) = e^(−γ(‖x‖²+‖z‖²)) Σ_{j>r} (2γ⟨x, z⟩)^j/j! is a PSD kernel, hence R(x, z)² ≤ R(x, x) R(z,
        z). R(x, x) = P(r + 1, 2γ‖x‖²) with the regularised incomplete gamma function P, which increases with ‖x‖. For Z
        = X the bound is attained. Small norms give small bounds, so the data should be centred. The cost is O(nD).

        References
        ----------
        * Cotter, Keshet and Srebro, *Explicit approximations of the Gaussian kernel*, 2011, arXiv:1109.4603.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.6, 0.8]])
        >>> k = RBF(gamma=0.5)
        >>> F = k.feature_map(X, degree=3)
        >>> round(k.taylor_bound(X, 3), 6), round(1 - float((F @ F.T)[0, 0]), 6)
        (0.018988, 0.018988)
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
class Exponential(Width):
    """Exponential kernel  k(x, z) = exp(−γ ‖x − z‖), with the Euclidean norm.

    Parameters
    ----------
    gamma : float, array-like of shape (n_features,) or {"scale", "auto", "median"}, default="scale"
        Inverse width γ > 0. A vector multiplies the coordinates before the norm is computed. The rules give the square
        root of the value for `RBF`.

    See Also
    --------
    Laplacian : The same function of the L1 distance.
    Matern : Matérn kernels; ν = 1/2 is the exponential kernel.
    RBF : The same function of the squared distance.

    Notes
    -----
    Definiteness: PSD for every γ > 0, because −γ‖x − z‖ is conditionally PSD and exp of such a kernel is PSD.

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, at the speed of a matrix product.

    References
    ----------
    * Schoenberg, *Metric spaces and positive definite functions*, Transactions of the AMS 44, 1938.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> Exponential(gamma=0.2)(X).round(6)  # exp(−1) off the diagonal
    array([[1.      , 0.367879],
           [0.367879, 1.      ]])
    """

    name: ClassVar[str] = "exponential"
    formula: ClassVar[str] = "exp(−γ‖x−z‖)"
    squared: ClassVar[bool] = False
    gamma: Gamma = "scale"

    def __post_init__(self) -> None:
        self._check_gamma()

    @classmethod
    def from_sigma(cls, sigma: float) -> Self:
        """Exponential kernel exp(−‖x − z‖/(2σ²)).

        Parameters
        ----------
        sigma : float
            Width σ > 0.

        Returns
        -------
        Exponential
            The kernel with γ = 1/(2σ²).
        """
        return cls(gamma=_from_sigma("Exponential", sigma))

    def emit(self, program: Builder, X: Data) -> None:
        factor = self._push_distance(program, X)
        program.map(Op.sqrt)
        program.map(Op.exp, -factor)

    def proof(self) -> Certificate:
        return self._certify(PSD, "exp(−γ‖x−z‖) for γ > 0: exp of the CPD kernel −γ‖x−z‖", "Schoenberg 1938")


@final
@dataclass(frozen=True)
class Laplacian(Width):
    """Laplacian kernel  k(x, z) = exp(−γ ‖x − z‖₁), with the L1 norm.

    Parameters
    ----------
    gamma : float, array-like of shape (n_features,) or {"scale", "auto", "median"}, default="scale"
        Inverse width γ > 0. A vector gives the distance ``Σ_k γ_k |x_k − z_k|``. The rules give the square root of the
        value for `RBF`; ``"median"`` uses L1 distances.

    See Also
    --------
    Exponential : The same function of the Euclidean distance.
    RBF : Gaussian kernel.

    Notes
    -----
    The kernel is scikit-learn's ``laplacian_kernel``.

    Definiteness: PSD for every γ > 0, as a product over the coordinates of one-dimensional exponential kernels.

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix. The distances are summed coordinate by coordinate, which
    is slower than the matrix product of the Euclidean kernels.

    References
    ----------
    * Schoenberg, *Metric spaces and positive definite functions*, Transactions of the AMS 44, 1938.
    * Rahimi and Recht, *Random features for large-scale kernel machines*, NIPS 2007.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> Laplacian(gamma=1 / 7)(X).round(6)  # exp(−1) off the diagonal
    array([[1.      , 0.367879],
           [0.367879, 1.      ]])
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
