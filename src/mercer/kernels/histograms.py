"""Kernels of nonnegative vectors: counts, histograms, fingerprints."""

from dataclasses import dataclass
from functools import partial, reduce
from itertools import product
from typing import Any, ClassVar, final

import numpy as np

from mercer._runtime.limits import require_memory, require_time
from mercer._typing import Data, FloatArray
from mercer._validation import check_real
from mercer.data import take
from mercer.kernels.base import VectorKernel
from mercer.kernels.definiteness import NONNEGATIVE, Certificate, Definiteness
from mercer.kernels.dot import squared_norms
from mercer.kernels.features import Options, counts, kron, lookup, root, unary
from mercer.kernels.naming import input_names, product_name
from mercer.kernels.program import Builder, Op

__all__ = ["AdditiveChi2", "Brownian", "Chi2", "Intersection", "MinMax", "NegativeChi2", "Tanimoto"]

PSD, CPD = Definiteness.PSD, Definiteness.CPD
EIGEN = 4e-10  # seconds, times n³, for all eigenvectors of a table of n rows


def _row_sums(array: Any) -> FloatArray:
    return np.asarray(array.sum(axis=1, dtype=np.float64)).ravel()


@final
@dataclass(frozen=True)
class Chi2(VectorKernel):
    r"""Exponential χ² kernel  k(x, z) = exp(−γ Σ_k (x_k − z_k)²/(x_k + z_k)), x ≥ 0, 0/0 = 0.

    Parameters
    ----------
    gamma : float
        γ > 0.

    Notes
    -----
    O(D) per pair; PSD: exp of a CPD kernel.

    References
    ----------
    Vedaldi & Zisserman 2012, doi:10.1109/TPAMI.2011.153.

    Examples
    --------
    >>> import numpy as np
    >>> Chi2()(np.array([[1.0, 0.0], [0.0, 1.0]]))[0, 1] == np.exp(-2.0)
    np.True_
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
    r"""Additive χ² kernel  k(x, z) = Σ_k 2 x_k z_k/(x_k + z_k), x ≥ 0, 0/0 = 0.

    Notes
    -----
    O(D) per pair; PSD: 2xz/(x+z) = 2∫ (x e^{−xt})(z e^{−zt}) dt. scikit-learn's ``additive_chi2_kernel`` is
    `NegativeChi2`.

    Examples
    --------
    >>> import numpy as np
    >>> AdditiveChi2()(np.array([[1.0, 3.0]]))
    array([[4.]])
    """

    name: ClassVar[str] = "additive_chi2"
    formula: ClassVar[str] = "Σ2xz/(x+z)"
    domain: ClassVar[str] = NONNEGATIVE

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.additive_chi2, program.vectors(self, X))

    def features(self, X: Data, options: Options) -> Any:
        """Each count a as row a of a root of the table 2ab/(a + b), a, b = 0, …, maximum."""
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
    r"""Negative χ² distance  k(x, z) = −Σ_k (x_k − z_k)²/(x_k + z_k), scikit-learn's ``additive_chi2_kernel``.

    Notes
    -----
    O(D) per pair. Only conditionally PSD: it equals 2·AdditiveChi2 − Σx − Σz.

    Examples
    --------
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
    r"""Histogram intersection  k(x, z) = Σ_k min(x_k, z_k), x ≥ 0.

    Notes
    -----
    O(D) per pair; PSD: min(x, z) = ∫ [t ≤ x][t ≤ z] dt. On integer counts ``feature_map(X, maximum=m)`` is exact.

    References
    ----------
    Barla, Odone, Verri 2003, doi:10.1109/ICIP.2003.1247294.

    Examples
    --------
    >>> import numpy as np
    >>> Intersection()(np.array([[1.0, 3.0]]), np.array([[2.0, 2.0]]))
    array([[3.]])
    """

    name: ClassVar[str] = "intersection"
    formula: ClassVar[str] = "Σmin(x,z)"
    domain: ClassVar[str] = NONNEGATIVE

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.min_sum, program.vectors(self, X))

    def features(self, X: Data, options: Options) -> Any:
        """Unary code of counts up to maximum: D·maximum features, CSR."""
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
    r"""Brownian covariance  k(x, z) = Π_k min(x_k, z_k), x ≥ 0 (the Brownian sheet; min(x, z) for one coordinate).

    Notes
    -----
    O(D) per pair; PSD as a product of PSD kernels. Dense data only: a sparse row has a zero, so its values are all 0.

    Examples
    --------
    >>> import numpy as np
    >>> Brownian()(np.array([[1.0, 3.0]]), np.array([[2.0, 2.0]]))
    array([[2.]])
    """

    name: ClassVar[str] = "brownian"
    formula: ClassVar[str] = "Πmin(x,z)"
    domain: ClassVar[str] = NONNEGATIVE
    takes_sparse: ClassVar[bool] = False

    def emit(self, program: Builder, X: Data) -> None:
        program.coordinates(Op.min_product, program.vectors(self, X))

    def features(self, X: Data, options: Options) -> Any:
        """All products of the unary codes of the coordinates: maximum^D features, CSR."""
        array, maximum = counts("Brownian", X, options, dense=True)
        codes = [unary("Brownian", column[:, None], maximum) for column in array.T]
        return reduce(partial(kron, "Brownian"), codes)

    def feature_names(self, X: Data, options: Options) -> list[str]:
        return [product_name(names) for names in product(*_levels(X, options))]

    def proof(self) -> Certificate:
        return self._certify(PSD, "a product over coordinates of min(x,z), the covariance of Brownian motion")


@final
@dataclass(frozen=True)
class Tanimoto(VectorKernel):
    r"""Tanimoto (Jaccard) kernel  k(x, z) = ⟨x,z⟩/(‖x‖² + ‖z‖² − ⟨x,z⟩), x ≥ 0, 0/0 = 1.

    Notes
    -----
    O(D) per pair; PSD. On 0/1 fingerprints it is |x ∩ z| / |x ∪ z|.

    References
    ----------
    Ralaivola et al. 2005, doi:10.1016/j.neunet.2005.07.009.

    Examples
    --------
    >>> import numpy as np
    >>> Tanimoto()(np.array([[1.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]))
    array([[0.5]])
    """

    name: ClassVar[str] = "tanimoto"
    formula: ClassVar[str] = "⟨x,z⟩/(‖x‖²+‖z‖²−⟨x,z⟩)"
    domain: ClassVar[str] = NONNEGATIVE

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        program.dot(array)
        program.outer(Op.outer_ratio, program.once("squared norms", array, lambda: squared_norms(array)))

    def proof(self) -> Certificate:
        return self._certify(
            PSD, "⟨x,z⟩·∫ f_t(x) exp(t⟨x,z⟩) f_t(z) dt with f_t(x) = exp(−t‖x‖²)", "Ralaivola et al. 2005"
        )


@final
@dataclass(frozen=True)
class MinMax(VectorKernel):
    r"""MinMax kernel  k(x, z) = Σ_k min(x_k, z_k) / Σ_k max(x_k, z_k), x ≥ 0, 0/0 = 1.

    Notes
    -----
    O(D) per pair; PSD: Tanimoto of the (generalised) counts in unary form.

    References
    ----------
    Ralaivola et al. 2005, doi:10.1016/j.neunet.2005.07.009.

    Examples
    --------
    On 0/1 vectors MinMax is Tanimoto:

    >>> import numpy as np
    >>> X = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    >>> bool(np.array_equal(MinMax()(X), Tanimoto()(X)))
    True
    """

    name: ClassVar[str] = "minmax"
    formula: ClassVar[str] = "Σmin(x,z)/Σmax(x,z)"
    domain: ClassVar[str] = NONNEGATIVE

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        program.coordinates(Op.min_sum, array)
        program.outer(Op.outer_ratio, program.once("row sums", array, lambda: _row_sums(array)))

    def proof(self) -> Certificate:
        return self._certify(
            PSD, "Tanimoto of the unary code of x, where Σmin is the inner product", "Ralaivola et al. 2005"
        )


def _levels(X: Data, options: Options) -> list[list[str]]:
    """Names of the unary codes of each column, such as "count>=1" and "count>=2"."""
    return [[f"{name}>={c}" for c in range(1, options["maximum"] + 1)] for name in input_names(X, options)]
