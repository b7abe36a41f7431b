"""Kernels of categories, ANOVA kernels and constants."""

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
from mercer.kernels.base import Kernel, Reads
from mercer.kernels.categories import indicator_names, indicators
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.features import Options, kron, real_root, series, vectors
from mercer.kernels.naming import input_names, monomials, product_name
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.vector import VectorKernel

__all__ = ["ANOVA", "Constant", "Delta", "Overlap"]

PSD, NOT_PSD = Definiteness.PSD, Definiteness.NOT_PSD


@final
@dataclass(frozen=True)
class Overlap(Kernel):
    """Overlap kernel  k(x, z) = (1/D) Σ_k [x_k = z_k], the share of features that agree.

    The samples are rows of numbers, strings or categories. Missing values raise an error.

    See Also
    --------
    Delta : 1 if all features agree, else 0.
    ANOVA : Interactions of numerical features.

    Notes
    -----
    Definiteness: PSD, as the inner product of one-hot codes divided by D. The kernel is one minus the normalised
    Hamming distance.

    Feature map: one-hot codes divided by √D, sparse. The columns are the categories that occur in the data, or the
    integers 0, …, m for ``feature_map(X, maximum=m)``.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix.

    References
    ----------
    * Boriah, Chandola and Kumar, *Similarity measures for categorical data: a comparative evaluation*, SDM 2008.

    Examples
    --------
    >>> import numpy as np
    >>> Overlap()(np.array([["red", "S"], ["red", "L"], ["blue", "L"]]))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """

    name: ClassVar[str] = "overlap"
    formula: ClassVar[str] = "(1/D)Σ[x=z]"
    reads: ClassVar[Reads] = "codes"

    def emit(self, program: Builder, X: Data) -> None:
        codes = program.codes(self, X)
        program.coordinates(Op.mismatch, codes)
        program.map(Op.affine, -1.0, codes.shape[1])  # count the agreements first, so that no agreement gives exactly 0
        program.map(Op.affine, 1.0 / codes.shape[1])

    def features(self, X: Data, options: Options) -> Any:
        codes = indicators("Overlap", X, options)
        return sp.hstack(codes, format="csr") * (1 / math.sqrt(len(codes)))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [name for names in indicator_names(X, options) for name in names]

    def proof(self) -> Certificate:
        return self._certify(PSD, "an inner product of the one-hot codes, divided by D")


@final
@dataclass(frozen=True)
class Delta(Kernel):
    """Delta kernel  k(x, z) = [x = z], which is 1 if all features agree and 0 otherwise.

    The samples are rows of numbers, strings or categories. Missing values raise an error.

    See Also
    --------
    Overlap : The share of features that agree.
    Columns : Kernel on some columns, such as a single category.

    Notes
    -----
    Definiteness: PSD, as the inner product of indicators, one for each distinct sample.

    Feature map: one indicator for each combination of categories, sparse with one entry per row. The categories are
    those that occur in the data, or the integers 0, …, m for ``feature_map(X, maximum=m)``, which has (m+1)^D features.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 9.

    Examples
    --------
    >>> Delta()([["a", "x"], ["a", "y"], ["a", "x"]])
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """

    name: ClassVar[str] = "delta"
    formula: ClassVar[str] = "[x = z]"
    reads: ClassVar[Reads] = "codes"

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.mismatch, program.codes(self, X))
        program.map(Op.is_zero)

    def features(self, X: Data, options: Options) -> Any:
        return reduce(partial(kron, "Delta"), indicators("Delta", X, options))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [product_name(names) for names in product(*indicator_names(X, options))]

    def proof(self) -> Certificate:
        return self._certify(PSD, "an inner product of indicators, one per distinct x")


@final
@dataclass(frozen=True)
class Constant(Kernel):
    """Constant kernel  k(x, z) = c.

    ``k + 1`` adds a constant kernel to k, which acts as a bias. The samples can be of any kind.

    Parameters
    ----------
    value : float, default=1.0
        Constant c. The kernel is PSD for c ≥ 0.

    See Also
    --------
    Linear : Linear kernel with a constant.
    Sum : Sum of kernels.

    Notes
    -----
    Definiteness: tᵀKt = c(Σt)², so the kernel is PSD for c ≥ 0 and not PSD for c < 0.

    Feature map: the single feature √c.

    Complexity: O(1) for one value, O(n²) for a Gram matrix.

    References
    ----------
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 3.

    Examples
    --------
    >>> Constant(2.0)([["anything"], ["else"]])
    array([[2., 2.],
           [2., 2.]])
    """

    name: ClassVar[str] = "constant"
    formula: ClassVar[str] = "c"
    reads: ClassVar[Reads] = "vectors"  # the least general kind, so that k + 1 reads the same samples as k
    value: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", check_real("Constant", "value", self.value))

    def emit(self, program: Builder, X: Data) -> None:
        program.constant(self.value)

    @property
    def may_vanish(self) -> bool:
        return self.value == 0

    def features(self, X: Data, options: Options) -> Any:
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
    """ANOVA kernel of order d, a sum over all sets S of d features of Π_{k∈S} b(x_k, z_k).

    The kernel contains the interactions of exactly d different features.

    Parameters
    ----------
    degree : int, default=2
        Order d of the interactions, from 1 to 16 and at most the number of features.
    base : {"rbf", "linear"}, default="rbf"
        Kernel b of single features: exp(−γ(x − z)²) or xz.
    gamma : float, default=1.0
        Inverse width γ > 0 of the base ``"rbf"``.

    See Also
    --------
    Polynomial : Interactions that contain powers of a feature.
    RBF : The product over all features.

    Notes
    -----
    Definiteness: PSD, as a sum of products of PSD kernels.

    Feature map: for the base ``"linear"`` the C(D, d) products of d different features. For ``"rbf"`` it is infinite.

    Complexity: O(D·d) for one value by the recurrence of elementary symmetric polynomials, O(n²D·d) for a Gram matrix.
    Sparse matrices are not accepted.

    References
    ----------
    * Stitson, Gammerman, Vapnik, Vovk, Watkins and Weston, *Support vector regression with ANOVA decomposition
      kernels*, 1999.
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 9,
      doi:10.1017/CBO9780511809682.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 2.0, 3.0]])
    >>> k = ANOVA(degree=2, base="linear")
    >>> k(X)  # 1·4 + 1·9 + 4·9
    array([[49.]])
    >>> k.feature_map(X)  # x₁x₂, x₁x₃, x₂x₃
    array([[2., 3., 6.]])
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
        """Raise a ValueError if there are fewer features than the order of the kernel."""
        if self.degree > array.shape[1]:
            raise ValueError(
                f"ANOVA: degree {self.degree} needs at least that many features, got {array.shape[1]}; lower degree."
            )

    def features(self, X: Data, options: Options) -> Any:
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
