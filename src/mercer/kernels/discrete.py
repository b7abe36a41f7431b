"""Kernels of categories, the ANOVA kernel and constants."""

import math
from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from typing import Any, ClassVar, Literal, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer._validation import check_integer, check_real
from mercer.data import n_samples
from mercer.kernels.base import Kernel, Reads, VectorKernel
from mercer.kernels.categories import indicator_names, indicators
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.features import Options, kron, real_root, series, vectors
from mercer.kernels.naming import input_names, monomials, product_name
from mercer.kernels.program import Builder, Op

__all__ = ["ANOVA", "Constant", "Delta", "Overlap"]

PSD, NOT_PSD = Definiteness.PSD, Definiteness.NOT_PSD


@final
@dataclass(frozen=True)
class Overlap(Kernel):
    r"""Overlap of categories  k(x, z) = (1/D) Σ_k [x_k = z_k]: one minus the Hamming distance.

    Notes
    -----
    O(D) per pair; PSD. Takes numbers, strings and categories; missing values are refused.

    Examples
    --------
    >>> import numpy as np
    >>> Overlap()(np.array([["red", "S"], ["red", "L"]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    name: ClassVar[str] = "overlap"
    formula: ClassVar[str] = "(1/D)Σ[x=z]"
    reads: ClassVar[Reads] = "codes"

    def emit(self, program: Builder, X: Data) -> None:
        codes = program.codes(self, X)
        program.coordinates(Op.mismatch, codes)
        program.map(Op.affine, -1.0, codes.shape[1])  # agreements are counted first, so that none gives exactly 0
        program.map(Op.affine, 1.0 / codes.shape[1])

    def features(self, X: Data, options: Options) -> Any:
        """One-hot codes divided by √D, CSR: of the categories 0, …, maximum, or of those that occur in the data."""
        codes = indicators("Overlap", X, options)
        return sp.hstack(codes, format="csr") * (1 / math.sqrt(len(codes)))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [name for names in indicator_names(X, options) for name in names]

    def proof(self) -> Certificate:
        return self._certify(PSD, "an inner product of the one-hot codes, divided by D")


@final
@dataclass(frozen=True)
class Delta(Kernel):
    r"""Delta kernel  k(x, z) = [x = z] (all coordinates equal).

    Notes
    -----
    O(D) per pair; PSD. Takes numbers, strings and categories.

    Examples
    --------
    >>> Delta()([["a"], ["b"], ["a"]])[0]
    array([1., 0., 1.])
    """

    name: ClassVar[str] = "delta"
    formula: ClassVar[str] = "[x = z]"
    reads: ClassVar[Reads] = "codes"

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.mismatch, program.codes(self, X))
        program.map(Op.is_zero)

    def features(self, X: Data, options: Options) -> Any:
        """[x = a] for every combination a of categories, CSR with one entry per row; categories as in `Overlap`."""
        return reduce(partial(kron, "Delta"), indicators("Delta", X, options))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [product_name(names) for names in product(*indicator_names(X, options))]

    def proof(self) -> Certificate:
        return self._certify(PSD, "an inner product of indicators, one per distinct x")


@final
@dataclass(frozen=True)
class Constant(Kernel):
    r"""Constant  k(x, z) = c. PSD for c ≥ 0; ``k + 1`` adds one (a bias).

    Parameters
    ----------
    value : float
        c.

    Examples
    --------
    >>> Constant(2.0)([["anything"], ["else"]])[0]
    array([2., 2.])
    """

    name: ClassVar[str] = "constant"
    formula: ClassVar[str] = "c"
    reads: ClassVar[Reads] = "vectors"  # nothing, in truth: so that k + 1 reads what k does
    value: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", check_real("Constant", "value", self.value))

    def emit(self, program: Builder, X: Data) -> None:
        program.constant(self.value)

    @property
    def may_vanish(self) -> bool:
        return self.value == 0

    def features(self, X: Data, options: Options) -> Any:
        """φ(x) = √c. CSR, so that it never makes the features beside it dense."""
        dtype = np.float32 if getattr(X, "dtype", None) in (np.float16, np.float32) else np.float64
        feature = real_root("Constant", "value", self.value)
        return sp.csr_matrix(np.full((n_samples(X), 1), feature, dtype=dtype))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return ["1"]

    def proof(self) -> Certificate:
        return self._certify(PSD if self.value >= 0 else NOT_PSD, "Σ_ij t_i t_j c = c(Σt)² has the sign of c")


@final
@dataclass(frozen=True)
class ANOVA(VectorKernel):
    r"""ANOVA kernel of order d  k(x, z) = Σ_{|S|=d} Π_{k∈S} b(x_k, z_k), over all sets S of d coordinates.

    Parameters
    ----------
    degree : int
        d, from 1 to 16.
    base : {"rbf", "linear"}
        b(x, z) = exp(−γ(x − z)²) or xz.
    gamma : float
        γ > 0 of the rbf base.

    Notes
    -----
    O(D·d) per pair by the recurrence of elementary symmetric polynomials; PSD as a sum of products of PSD kernels. With
    the linear base φ has the C(D, d) products of d different coordinates.

    References
    ----------
    Shawe-Taylor & Cristianini 2004, chapter 9, doi:10.1017/CBO9780511809682.

    Examples
    --------
    >>> import numpy as np
    >>> ANOVA(degree=2, base="linear")(np.array([[1.0, 2.0, 3.0]]))  # 1·4 + 1·9 + 4·9
    array([[49.]])
    """

    name: ClassVar[str] = "anova"
    formula: ClassVar[str] = "Σ_{|S|=d}Π_{k∈S}b(x_k,z_k)"
    takes_sparse: ClassVar[bool] = False
    degree: int = 2
    base: Literal["rbf", "linear"] = "rbf"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", check_integer("ANOVA", "degree", self.degree, low=1, high=16))
        object.__setattr__(self, "gamma", check_real("ANOVA", "gamma", self.gamma, low=0.0, strict=True))
        if not isinstance(self.base, str) or self.base not in ("rbf", "linear"):
            raise ValueError(f"ANOVA: parameter base must be 'rbf' or 'linear', got {self.base!r}.")
        object.__setattr__(self, "base", str(self.base))

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        self._check_width(array)
        op = Op.anova_rbf if self.base == "rbf" else Op.anova_dot
        program.coordinates(op, array, a=self.degree, b=self.gamma)

    def _check_width(self, array: FloatArray) -> None:
        if self.degree > array.shape[1]:
            raise ValueError(
                f"ANOVA: degree {self.degree} needs at least that many features, got {array.shape[1]}; lower degree."
            )

    def features(self, X: Data, options: Options) -> Any:
        """All C(D, d) products of d different coordinates, for the linear base."""
        if self.base != "linear":
            return super().features(X, options)
        array = vectors("ANOVA", X)
        self._check_width(array)
        return series("ANOVA", array, [0.0] * self.degree + [1.0], distinct=True)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return monomials(input_names(X, options), [0.0] * self.degree + [1.0], distinct=True)

    def proof(self) -> Certificate:
        return self._certify(
            PSD, "a sum over sets of products of PSD kernels on single coordinates", "Stitson et al. 1999"
        )
