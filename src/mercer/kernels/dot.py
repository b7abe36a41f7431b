"""Kernels of the inner product: linear, polynomial, sigmoid, cosine, bilinear forms."""

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer._validation import check_integer, check_real, check_vectors
from mercer.exceptions import NotPositiveDefiniteError
from mercer.kernels.bandwidth import Gamma, is_rule, resolve_gamma
from mercer.kernels.base import VectorKernel
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.features import (
    Options,
    binomial,
    root,
    scale_columns,
    scale_rows,
    series,
    vectors,
)
from mercer.kernels.naming import input_names, monomials
from mercer.kernels.program import Builder, Op

__all__ = ["Bilinear", "Cosine", "Linear", "Polynomial", "Sigmoid"]

PSD, NOT_PSD, UNKNOWN = Definiteness.PSD, Definiteness.NOT_PSD, Definiteness.UNKNOWN


def _slope(who: str, gamma: Any) -> Gamma:
    """A factor of the inner product: any finite number, or a rule for a positive one."""
    if isinstance(gamma, str) and gamma in ("scale", "auto"):
        return str(gamma)  # type: ignore[return-value]
    if isinstance(gamma, str):
        raise ValueError(f"{who}: parameter gamma must be a number, 'scale' or 'auto', got {gamma!r}.")
    return check_real(who, "gamma", gamma)


@final
@dataclass(frozen=True)
class Linear(VectorKernel):
    r"""Inner product  k(x, z) = ⟨x, z⟩ + c.

    Parameters
    ----------
    coef0 : float
        The constant c. PSD for c ≥ 0.

    Notes
    -----
    O(D) per pair. φ(x) = (x, √c).

    Examples
    --------
    >>> import numpy as np
    >>> Linear(coef0=1.0)(np.array([[1.0, 2.0]]))
    array([[6.]])
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
        """φ(x) = (x, √c)."""
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
    r"""Polynomial kernel  k(x, z) = (γ⟨x, z⟩ + c)^d, integer d ≥ 1.

    Parameters
    ----------
    degree : int
        d.
    gamma : float or {"scale", "auto"}
        γ; PSD for γ > 0 and c ≥ 0.
    coef0 : float
        c.

    Notes
    -----
    O(D) per pair, although φ has C(D+d, d) features for c > 0 and C(D+d−1, d) for c = 0.

    Examples
    --------
    The explicit features reproduce the kernel:

    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0], [3.0, -1.0]])
    >>> k = Polynomial(degree=2, coef0=1.0)
    >>> F = k.feature_map(X)
    >>> bool(np.allclose(F @ F.T, k(X)))
    True
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
        """Monomials of degree j = d, …, 0 with weight √(C(d,j) c^(d−j) γ^j); only j = d for c = 0."""
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
                PSD, "an even power of −(γ⟨x,z⟩ + c), γ, c ≤ 0, or a constant ≥ 0: its coefficients are ≥ 0"
            )
        return self._certify(
            NOT_PSD,
            "some power of ⟨x,z⟩ has a negative coefficient; on a line x^k are independent, so its square is negative",
        )


@final
@dataclass(frozen=True)
class Sigmoid(VectorKernel):
    r"""Sigmoid  k(x, z) = tanh(γ⟨x, z⟩ + c). Not positive semidefinite.

    Parameters
    ----------
    gamma : float or {"scale", "auto"}
        γ, the slope β₀.
    coef0 : float
        c, the offset β₁.

    Notes
    -----
    O(D) per pair. A PSD function of ⟨x,z⟩ has a power series with coefficients ≥ 0, hence (Pringsheim) a singularity on
    the positive axis or none at all; those of tanh(γs + c) lie at (±iπ/2 − c)/γ, off the axis. So no γ ≠ 0 makes it
    PSD.

    Examples
    --------
    >>> Sigmoid(gamma=1.0).definiteness.value
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
    r"""Cosine of the angle  k(x, z) = ⟨x, z⟩ / (‖x‖ ‖z‖), 0 if either is the zero vector.

    Notes
    -----
    O(D) per pair; PSD. φ(x) = x/‖x‖.

    Examples
    --------
    >>> import numpy as np
    >>> Cosine()(np.array([[3.0, 4.0], [0.0, 0.0]])).diagonal()
    array([1., 0.])
    """

    name: ClassVar[str] = "cosine"
    formula: ClassVar[str] = "⟨x,z⟩/(‖x‖‖z‖)"

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        program.dot(array)
        program.outer(Op.outer_scale, program.once("inverse norms", array, lambda: inverse_roots(squared_norms(array))))

    def features(self, X: Data, options: Options) -> Any:
        """φ(x) = x/‖x‖, 0 for the zero vector."""
        array = vectors("Cosine", X)
        return scale_rows(array, inverse_roots(squared_norms(array)))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return input_names(X, options)

    def proof(self) -> Certificate:
        return self._certify(PSD, "an inner product of the normalised vectors x/‖x‖")


@final
@dataclass(frozen=True)
class Bilinear(VectorKernel):
    r"""Bilinear form  k(x, z) = xᵀ A z.

    Parameters
    ----------
    A : (D, D) array
        Symmetric; the kernel is PSD exactly if no eigenvalue of A is negative. Stored as a tuple of rows.

    Notes
    -----
    O(D) per pair after XA is formed once, O(nD²). φ(x) = Rᵀx with A = RRᵀ from its eigenvectors.

    Examples
    --------
    >>> Bilinear([[2.0, 1.0], [1.0, 2.0]]).definiteness.value
    'psd'
    >>> Bilinear([[0.0, 1.0], [1.0, 0.0]]).definiteness.value
    'not_psd'
    """

    name: ClassVar[str] = "bilinear"
    formula: ClassVar[str] = "xᵀAz"
    takes_sparse: ClassVar[bool] = False
    A: Any = ((1.0,),)

    def __post_init__(self) -> None:
        A = check_vectors("Bilinear", self.A, name="parameter A")
        if A.shape[0] != A.shape[1]:
            raise ValueError(f"Bilinear: parameter A must be a square matrix, got shape {A.shape}.")
        A = A.toarray() if sp.issparse(A) else A
        if not np.array_equal(A, A.T):
            raise ValueError(
                "Bilinear: parameter A must be symmetric, or k(x,z) would differ from k(z,x); "
                "pass (A + A.T)/2 if that is meant."
            )
        object.__setattr__(self, "A", tuple(tuple(float(v) for v in row) for row in A))

    @property
    def matrix(self) -> FloatArray:
        """A as an array."""
        return np.array(self.A)

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        left = program.once(("times", self.A), array, lambda: self._times(array, self.matrix))
        program.dot(array, left=left)

    def _times(self, array: FloatArray, factor: FloatArray) -> FloatArray:
        if len(factor) != array.shape[1]:
            raise ValueError(
                f"Bilinear: A is {len(factor)} x {len(factor)} but X has {array.shape[1]} features; they must agree."
            )
        return np.ascontiguousarray(array @ factor.astype(array.dtype))

    def features(self, X: Data, options: Options) -> Any:
        """φ(x) = Rᵀx with A = RRᵀ; as many features as A has rank."""
        proof = self.proof()
        if proof.definiteness is not PSD:
            raise NotPositiveDefiniteError(
                f"Bilinear: {proof.rule}, so it has no real features; use a symmetric A with eigenvalues >= 0."
            )
        return self._times(vectors("Bilinear", X, dense=True), root(self.matrix))

    @property
    def may_vanish(self) -> bool:
        return not self.matrix.any()

    def proof(self) -> Certificate:
        A = self.matrix
        values = np.linalg.eigvalsh(A)
        lowest = float(values[0])
        if lowest >= -10 * len(A) * np.finfo(float).eps * max(float(abs(values).max()), 0.0):
            return self._certify(PSD, "xᵀAz with A symmetric and no negative eigenvalue (to rounding)")
        return self._certify(NOT_PSD, f"A has the eigenvalue {lowest:g}; its eigenvector v gives k(v,v) < 0")


def squared_norms(array: Any) -> FloatArray:
    """Squared Euclidean norms of the rows, in float64."""
    if sp.issparse(array):
        return np.asarray(array.power(2, dtype=np.float64).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", array, array, dtype=np.float64))


def inverse_roots(values: FloatArray) -> FloatArray:
    """1/√v, and 0 where v is 0."""
    return np.divide(1.0, np.sqrt(values), out=np.zeros(values.shape), where=values > 0)
