"""Kernels of the inner product: linear, polynomial, sigmoid and cosine."""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer._validation import check_integer, check_real
from mercer.kernels.bandwidth import Gamma, is_rule, resolve_gamma
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.features import (
    Options,
    binomial,
    scale_columns,
    scale_rows,
    series,
    vectors,
)
from mercer.kernels.naming import input_names, monomials
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.vector import VectorKernel

__all__ = ["Cosine", "Linear", "Polynomial", "Sigmoid"]

PSD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


def _slope(who: str, gamma: Any) -> Gamma:
    """Check a factor of the inner product: any finite number, ``"scale"`` or ``"auto"``."""
    if isinstance(gamma, str) and gamma in ("scale", "auto"):
        return str(gamma)  # type: ignore[return-value]
    if isinstance(gamma, str):
        raise ValueError(f"{who}: parameter gamma must be a number, 'scale' or 'auto', got {gamma!r}.")
    return check_real(who, "gamma", gamma)


@final
@dataclass(frozen=True)
class Linear(VectorKernel):
    """Linear kernel  k(x, z) = ⟨x, z⟩ + c.

    Parameters
    ----------
    coef0 : float, default=0.0
        Constant c. The kernel is PSD for c ≥ 0.

    See Also
    --------
    Polynomial : Powers of γ⟨x, z⟩ + c.
    Cosine : Inner product of the normalised vectors.
    Bilinear : Inner product with a matrix, xᵀAz.

    Notes
    -----
    Definiteness: PSD for c ≥ 0, as the inner product of the vectors (x, √c). For c < 0 the kernel is not PSD, because
    k(0, 0) = c, but it is conditionally PSD.

    Feature map: φ(x) = (x, √c), with D + 1 features; for c = 0 it is x itself.

    Complexity: O(D) for one value of vectors with D features, and O(n²D) for the Gram matrix of n samples, which is one
    matrix product.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> k = Linear(coef0=1.0)
    >>> k(X)
    array([[ 6.,  2.],
           [ 2., 11.]])
    >>> k.feature_map(X)
    array([[ 1.,  2.,  1.],
           [ 3., -1.,  1.]])
    """

    name: ClassVar[str] = "linear"
    formula: ClassVar[str] = "⟨x,z⟩ + c"
    coef0: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "coef0", check_real("Linear", "coef0", self.coef0))

    def emit(self, program: Builder, X: Data) -> None:
        program.dot(program.vectors(self, X))
        if self.coef0:
            program.map(Op.affine, 1.0, self.coef0)

    def features(self, X: Data, options: Options) -> Any:
        return series("Linear", vectors("Linear", X), [self.coef0, 1.0])

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return monomials(input_names(X, options), [self.coef0, 1.0])

    def proof(self) -> Certificate:
        if self.coef0 >= 0:
            return self._certify(PSD, "⟨x,z⟩ + c is an inner product of (x, √c) for c ≥ 0")
        return self._certify(NOT_PSD, "k(0,0) = c < 0 (only conditionally PSD: the constant vanishes when Σt = 0)")


@final
@dataclass(frozen=True)
class Polynomial(VectorKernel):
    """Polynomial kernel  k(x, z) = (γ⟨x, z⟩ + c)^d.

    Parameters
    ----------
    degree : int, default=3
        Degree d ≥ 1.
    gamma : float or {"scale", "auto"}, default=1.0
        Factor γ of the inner product. ``"scale"`` is 1/(D·Var X), ``"auto"`` is 1/D.
    coef0 : float, default=1.0
        Constant c. The kernel is PSD for γ > 0 and c ≥ 0.

    See Also
    --------
    Linear : The case d = 1, γ = 1.
    PolynomialOf : Polynomial of any kernel.
    ANOVA : Products of different coordinates only.

    Notes
    -----
    Definiteness: PSD for γ > 0 and c ≥ 0, as a polynomial in ⟨x, z⟩ with nonnegative coefficients. Also PSD for γ < 0,
    c ≤ 0 and even d, where the signs cancel. Otherwise a power of ⟨x, z⟩ has a negative coefficient, and the kernel is
    not PSD.

    Feature map: all monomials of degree j = d, …, 0 with the weight √(C(d, j) c^(d−j) γ^j times a multinomial
    coefficient). These are C(D+d, d) features for c > 0. For c = 0 only the C(D+d−1, d) monomials of degree d remain.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, whatever the number of features.

    References
    ----------
    * Poggio, *On optimal nonlinear associative recall*, Biological Cybernetics 19, 1975.
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapters 3 and 9.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> k = Polynomial(degree=2, coef0=0.0)
    >>> k(X)
    array([[ 25.,   1.],
           [  1., 100.]])

    The features are x₁², √2 x₁x₂ and x₂²:

    >>> k.feature_map(X).round(4)
    array([[ 1.    ,  2.8284,  4.    ],
           [ 9.    , -4.2426,  1.    ]])
    """

    name: ClassVar[str] = "poly"
    formula: ClassVar[str] = "(γ⟨x,z⟩ + c)^d"
    degree: int = 3
    gamma: Gamma = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", check_integer("Polynomial", "degree", self.degree, low=1, high=2**31 - 1))
        object.__setattr__(self, "gamma", _slope("Polynomial", self.gamma))
        object.__setattr__(self, "coef0", check_real("Polynomial", "coef0", self.coef0))

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        return replace(self, gamma=resolve_gamma("Polynomial", self.gamma, X, sample_weight))

    def emit(self, program: Builder, X: Data) -> None:
        program.dot(program.vectors(self, X))
        if (self.gamma, self.coef0) != (1.0, 0.0):
            program.map(Op.affine, self.gamma, self.coef0)  # type: ignore[arg-type]
        program.map(Op.power_int, power=self.degree)

    def features(self, X: Data, options: Options) -> Any:
        gamma: float = self.gamma  # type: ignore[assignment]
        coefficients = binomial("Polynomial", self.degree, float(np.sign(gamma)), self.coef0)
        array = scale_columns(vectors("Polynomial", X), math.sqrt(abs(gamma)))
        return series("Polynomial", array, coefficients)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return monomials(input_names(X, options), binomial("Polynomial", self.degree, 1.0, self.coef0))

    @property
    def may_vanish(self) -> bool:
        return self.gamma == 0 and self.coef0 == 0

    def proof(self) -> Certificate:
        positive = is_rule(self.gamma) or self.gamma > 0  # type: ignore[operator]
        if positive and self.coef0 >= 0:
            return self._certify(PSD, "a polynomial in ⟨x,z⟩ with coefficients ≥ 0 (γ > 0, c ≥ 0)")
        same_sign = self.coef0 <= 0 and not positive
        if (same_sign and self.degree % 2 == 0) or (self.gamma == 0 and self.coef0 >= 0):
            return self._certify(
                PSD, "an even power of −(γ⟨x,z⟩ + c) with γ, c ≤ 0, or a constant ≥ 0: all coefficients are ≥ 0"
            )
        return self._certify(
            NOT_PSD,
            "a power of ⟨x,z⟩ has a negative coefficient, and the monomials are linearly independent on a line",
        )


@final
@dataclass(frozen=True)
class Sigmoid(VectorKernel):
    """Sigmoid kernel  k(x, z) = tanh(γ⟨x, z⟩ + c), which is not positive semidefinite.

    Parameters
    ----------
    gamma : float or {"scale", "auto"}, default=1.0
        Slope γ. ``"scale"`` is 1/(D·Var X), ``"auto"`` is 1/D.
    coef0 : float, default=0.0
        Offset c.

    See Also
    --------
    repair : Make an indefinite Gram matrix PSD.
    find_counterexample : Find samples on which a kernel is not PSD.

    Notes
    -----
    Definiteness: not PSD for any γ ≠ 0. A PSD function of ⟨x, z⟩ has a power series with nonnegative coefficients
    (Schoenberg). By Pringsheim's theorem, such a series has a singularity on the positive real axis or none at all. The
    singularities of tanh(γs + c) nearest to 0 lie at (±iπ/2 − c)/γ, off the axis.

    Feature map: none, because the kernel is not PSD.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix.

    References
    ----------
    * Schoenberg, *Positive definite functions on spheres*, Duke Mathematical Journal 9, 1942.
    * Lin and Lin, *A study on sigmoid kernels for SVM and the training of non-PSD kernels by SMO-type methods*, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> k = Sigmoid(gamma=1.0)
    >>> k(np.array([[0.5], [2.0]])).round(4)
    array([[0.2449, 0.7616],
           [0.7616, 0.9993]])
    >>> k.definiteness.value
    'not_psd'
    """

    name: ClassVar[str] = "sigmoid"
    formula: ClassVar[str] = "tanh(γ⟨x,z⟩ + c)"
    gamma: Gamma = 1.0
    coef0: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", _slope("Sigmoid", self.gamma))
        object.__setattr__(self, "coef0", check_real("Sigmoid", "coef0", self.coef0))

    def resolved(self, X: Data, sample_weight: FloatArray | None) -> Self:
        return replace(self, gamma=resolve_gamma("Sigmoid", self.gamma, X, sample_weight))

    def emit(self, program: Builder, X: Data) -> None:
        program.dot(program.vectors(self, X))
        if (self.gamma, self.coef0) != (1.0, 0.0):
            program.map(Op.affine, self.gamma, self.coef0)  # type: ignore[arg-type]
        program.map(Op.tanh)

    @property
    def may_vanish(self) -> bool:
        return self.gamma == 0 and self.coef0 == 0

    def proof(self) -> Certificate:
        if self.gamma == 0:
            return self._certify(PSD if self.coef0 >= 0 else NOT_PSD, "the constant tanh(c)")
        return self._certify(
            NOT_PSD,
            "the singularities of tanh(γs + c) lie off the positive axis, so some Taylor coefficient is negative",
            "Schoenberg 1942; Pringsheim",
        )


@final
@dataclass(frozen=True)
class Cosine(VectorKernel):
    """Cosine kernel  k(x, z) = ⟨x, z⟩/(‖x‖ ‖z‖), the cosine of the angle between x and z.

    The value is 0 if x or z is the zero vector.

    See Also
    --------
    Linear : The inner product without normalisation.
    Normalized : Normalisation of any kernel.
    Tanimoto : Another normalised inner product, for nonnegative vectors.

    Notes
    -----
    Definiteness: PSD, as the inner product of the normalised vectors.

    Feature map: φ(x) = x/‖x‖, and 0 for the zero vector. Sparse matrices stay sparse.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix. The norms are computed once per sample.

    References
    ----------
    * Salton, Wong and Yang, *A vector space model for automatic indexing*, Communications of the ACM 18, 1975.

    Examples
    --------
    >>> import numpy as np
    >>> Cosine()(np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 0.0]]))
    array([[1. , 0.6, 0. ],
           [0.6, 1. , 0. ],
           [0. , 0. , 0. ]])
    """

    name: ClassVar[str] = "cosine"
    formula: ClassVar[str] = "⟨x,z⟩/(‖x‖‖z‖)"

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        program.dot(array)
        program.outer(Op.outer_scale, program.once("inverse norms", array, lambda: inverse_roots(squared_norms(array))))

    def features(self, X: Data, options: Options) -> Any:
        array = vectors("Cosine", X)
        return scale_rows(array, inverse_roots(squared_norms(array)))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return input_names(X, options)

    def proof(self) -> Certificate:
        return self._certify(PSD, "an inner product of the normalised vectors x/‖x‖")


def squared_norms(array: Any) -> FloatArray:
    """Squared Euclidean norms of the rows, in float64."""
    if sp.issparse(array):
        return np.asarray(array.power(2, dtype=np.float64).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", array, array, dtype=np.float64))


def inverse_roots(values: FloatArray) -> FloatArray:
    """1/√v for each value v, and 0 where v is 0."""
    return np.divide(1.0, np.sqrt(values), out=np.zeros(values.shape), where=values > 0)
