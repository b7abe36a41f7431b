"""Kernels of nonnegative vectors: counts and histograms."""

from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from typing import Any, ClassVar, final

import numpy as np

from mercer._runtime.limits import require_memory, require_time
from mercer._typing import Data
from mercer._validation import check_real
from mercer.data import take
from mercer.kernels.definiteness import NONNEGATIVE, Certificate, Definiteness
from mercer.kernels.features import Options, counts, kron, lookup, root, unary
from mercer.kernels.naming import input_names, product_name
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.vector import VectorKernel

__all__ = ["AdditiveChi2", "Brownian", "Chi2", "Intersection", "NegativeChi2"]

PSD, CPD = Definiteness.PSD, Definiteness.CPD
EIGEN = 4e-10  # all eigenvectors of an n × n table take about EIGEN · n³ seconds


@final
@dataclass(frozen=True)
class Chi2(VectorKernel):
    """Exponential χ² kernel  k(x, z) = exp(−γ Σ_k (x_k − z_k)²/(x_k + z_k)), for x ≥ 0.

    Terms 0/0 count as 0. The kernel is scikit-learn's ``chi2_kernel``.

    Parameters
    ----------
    gamma : float, default=1.0
        Inverse width γ > 0.

    See Also
    --------
    NegativeChi2 : The negative χ² distance in the exponent.
    AdditiveChi2 : The additive χ² kernel.

    Notes
    -----
    Definiteness: PSD on nonnegative vectors, as exp of γ times the conditionally PSD kernel `NegativeChi2`.

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, coordinate by coordinate.

    References
    ----------
    * Hein and Bousquet, *Hilbertian metrics and positive definite kernels on probability measures*, AISTATS 2005.
    * Vedaldi and Zisserman, *Efficient additive kernels via explicit feature maps*, TPAMI 34, 2012,
      doi:10.1109/TPAMI.2011.153.

    Examples
    --------
    >>> import numpy as np
    >>> Chi2(gamma=0.5)(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])).round(4)
    array([[1.    , 0.3679, 0.6065],
           [0.3679, 1.    , 0.6065],
           [0.6065, 0.6065, 1.    ]])
    """

    name: ClassVar[str] = "chi2"
    formula: ClassVar[str] = "exp(−γΣ(x−z)²/(x+z))"
    domain: ClassVar[str] = NONNEGATIVE
    gamma: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", check_real("Chi2", "gamma", self.gamma, low=0.0, strict=True))

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.chi2, program.vectors(self, X))
        program.map(Op.exp, -self.gamma)

    def proof(self) -> Certificate:
        return self._certify(PSD, "exp(γk) of the CPD kernel k = −Σ(x−z)²/(x+z), γ > 0", "Schoenberg 1938")


@final
@dataclass(frozen=True)
class AdditiveChi2(VectorKernel):
    """Additive χ² kernel  k(x, z) = Σ_k 2 x_k z_k/(x_k + z_k), for x ≥ 0.

    Terms 0/0 count as 0. scikit-learn's ``additive_chi2_kernel`` is another function, `NegativeChi2`.

    See Also
    --------
    NegativeChi2 : The function that scikit-learn calls ``additive_chi2_kernel``.
    Chi2 : Exponential χ² kernel.
    Intersection : Another additive kernel of histograms.

    Notes
    -----
    Definiteness: PSD on nonnegative vectors, because 2xz/(x + z) = 2∫ (x e^(−xt)) (z e^(−zt)) dt over t > 0 is an inner
    product of functions.

    Feature map: infinite in general. On integer counts up to m, ``feature_map(X, maximum=m)`` is exact: each count a
    becomes row a of a root of the table 2ab/(a + b), a, b = 0, …, m. It has at most D·m features and costs one
    eigendecomposition, O(m³).

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, coordinate by coordinate.

    References
    ----------
    * Hein and Bousquet, *Hilbertian metrics and positive definite kernels on probability measures*, AISTATS 2005.
    * Vedaldi and Zisserman, *Efficient additive kernels via explicit feature maps*, TPAMI 34, 2012,
      doi:10.1109/TPAMI.2011.153.

    Examples
    --------
    >>> import numpy as np
    >>> AdditiveChi2()(np.array([[1.0, 3.0], [3.0, 1.0]]))
    array([[4., 3.],
           [3., 4.]])
    """

    name: ClassVar[str] = "additive_chi2"
    formula: ClassVar[str] = "Σ2xz/(x+z)"
    domain: ClassVar[str] = NONNEGATIVE

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.additive_chi2, program.vectors(self, X))

    def features(self, X: Data, options: Options) -> Any:
        array, maximum = counts("AdditiveChi2", X, options)
        require_memory(
            3 * 8 * (maximum + 1) ** 2,
            what=f"AdditiveChi2: the table of 2ab/(a + b) up to maximum = {maximum}",
            instead="Use mercer.preprocessing.KernelRows, which needs no table.",
        )
        require_time(
            EIGEN * (maximum + 1) ** 3,
            what=f"AdditiveChi2: the eigendecomposition of the table up to maximum = {maximum}",
            instead="Use mercer.preprocessing.KernelRows, which needs no table, or round counts to fewer levels.",
        )
        a = np.arange(maximum + 1.0)
        total = np.maximum(a[:, None] + a, 1.0)
        return lookup("AdditiveChi2", array, root(2 * np.outer(a, a) / total))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        columns = input_names(X, options)
        each = self.features(take(X, [0]), options).shape[1] // len(columns)
        return [f"{name}[{i}]" for name in columns for i in range(each)]

    def proof(self) -> Certificate:
        return self._certify(
            PSD, "2xz/(x+z) = 2∫(xe^{−xt})(ze^{−zt})dt, an inner product of functions", "Hein & Bousquet 2005"
        )


@final
@dataclass(frozen=True)
class NegativeChi2(VectorKernel):
    """Negative χ² distance  k(x, z) = −Σ_k (x_k − z_k)²/(x_k + z_k), for x ≥ 0.

    Terms 0/0 count as 0. The kernel is scikit-learn's ``additive_chi2_kernel``. It is conditionally PSD but not PSD.

    See Also
    --------
    Chi2 : The exponential of this kernel.
    AdditiveChi2 : The PSD additive χ² kernel.

    Notes
    -----
    Definiteness: conditionally PSD on nonnegative vectors. The kernel equals 2·AdditiveChi2 − Σx − Σz, and terms of the
    form f(x) + f(z) vanish in tᵀKt for Σt = 0. Not PSD: the diagonal is zero and the other entries are not positive.

    Feature map: none, because the kernel is not PSD.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, coordinate by coordinate.

    References
    ----------
    * Hein and Bousquet, *Hilbertian metrics and positive definite kernels on probability measures*, AISTATS 2005.

    Examples
    --------
    >>> import numpy as np
    >>> NegativeChi2()(np.array([[1.0, 3.0], [3.0, 1.0]])) + 0.0
    array([[ 0., -2.],
           [-2.,  0.]])
    >>> NegativeChi2().definiteness.value
    'cpd'
    """

    name: ClassVar[str] = "negative_chi2"
    formula: ClassVar[str] = "−Σ(x−z)²/(x+z)"
    domain: ClassVar[str] = NONNEGATIVE

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.chi2, program.vectors(self, X))
        program.map(Op.affine, -1.0)

    def proof(self) -> Certificate:
        return self._certify(CPD, "Σ4xz/(x+z) − Σx − Σz: a PSD kernel plus f(x) + f(z)", "Hein & Bousquet 2005")


@final
@dataclass(frozen=True)
class Intersection(VectorKernel):
    """Histogram intersection kernel  k(x, z) = Σ_k min(x_k, z_k), for x ≥ 0.

    See Also
    --------
    MinMax : The intersection divided by the union.
    Brownian : The product of the minima.
    AdditiveChi2 : Another additive kernel of histograms.

    Notes
    -----
    Definiteness: PSD on nonnegative vectors, because min(x, z) = ∫ [t ≤ x] [t ≤ z] dt over t > 0 is an inner product of
    indicator functions.

    Feature map: infinite in general. On integer counts up to m, ``feature_map(X, maximum=m)`` is the unary code: each
    count becomes that many ones followed by zeros. It has D·m features and is sparse.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, coordinate by coordinate.

    References
    ----------
    * Swain and Ballard, *Color indexing*, International Journal of Computer Vision 7, 1991.
    * Barla, Odone and Verri, *Histogram intersection kernel for image classification*, ICIP 2003,
      doi:10.1109/ICIP.2003.1247294.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 3.0], [2.0, 2.0]])
    >>> Intersection()(X)
    array([[4., 3.],
           [3., 4.]])
    >>> Intersection().feature_map(X, maximum=3).toarray()
    array([[1., 0., 0., 1., 1., 1.],
           [1., 1., 0., 1., 1., 0.]])
    """

    name: ClassVar[str] = "intersection"
    formula: ClassVar[str] = "Σmin(x,z)"
    domain: ClassVar[str] = NONNEGATIVE

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.min_sum, program.vectors(self, X))

    def features(self, X: Data, options: Options) -> Any:
        return unary("Intersection", *counts("Intersection", X, options))

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [name for names in _levels(X, options) for name in names]

    def proof(self) -> Certificate:
        return self._certify(
            PSD, "min(x,z) = ∫[t≤x][t≤z]dt, an inner product of indicator functions", "Barla et al. 2003"
        )


@final
@dataclass(frozen=True)
class Brownian(VectorKernel):
    """Brownian kernel  k(x, z) = Π_k min(x_k, z_k), the covariance of the Brownian sheet, for x ≥ 0.

    With a single feature it is the covariance min(x, z) of Brownian motion.

    See Also
    --------
    Intersection : The sum of the minima.

    Notes
    -----
    Definiteness: PSD on nonnegative vectors, as a product over the coordinates of the PSD kernel min(x, z).

    Feature map: infinite in general. On integer counts up to m, ``feature_map(X, maximum=m)`` has all m^D products of
    the unary codes of the coordinates, as a sparse matrix.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, coordinate by coordinate. Sparse matrices are not
    accepted: a row with a zero has the value 0 with every other row.

    References
    ----------
    * Adler and Taylor, *Random Fields and Geometry*, 2007.
    * Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, 2004, chapter 9.

    Examples
    --------
    >>> import numpy as np
    >>> Brownian()(np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([[3., 2.],
           [2., 4.]])
    """

    name: ClassVar[str] = "brownian"
    formula: ClassVar[str] = "Πmin(x,z)"
    domain: ClassVar[str] = NONNEGATIVE
    takes_sparse: ClassVar[bool] = False

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.min_product, program.vectors(self, X))

    def features(self, X: Data, options: Options) -> Any:
        array, maximum = counts("Brownian", X, options, dense=True)
        codes = [unary("Brownian", column[:, None], maximum) for column in array.T]
        return reduce(partial(kron, "Brownian"), codes)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [product_name(names) for names in product(*_levels(X, options))]

    def proof(self) -> Certificate:
        return self._certify(PSD, "a product over coordinates of min(x,z), the covariance of Brownian motion")


def _levels(X: Data, options: Options) -> list[list[str]]:
    """Names of the unary codes of each column, such as ``count>=1`` and ``count>=2``."""
    return [[f"{name}>={c}" for c in range(1, options["maximum"] + 1)] for name in input_names(X, options)]
