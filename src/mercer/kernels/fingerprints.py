"""Kernels of fingerprints and counts: shares of what two samples have in common."""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from mercer._typing import Data, FloatArray
from mercer.kernels.definiteness import NONNEGATIVE, Certificate, Definiteness
from mercer.kernels.dot import squared_norms
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.vector import VectorKernel

__all__ = ["MinMax", "Tanimoto"]

PSD = Definiteness.PSD


def _row_sums(array: Any) -> FloatArray:
    """Sums of the rows in float64."""
    return np.asarray(array.sum(axis=1, dtype=np.float64)).ravel()


@final
@dataclass(frozen=True)
class Tanimoto(VectorKernel):
    """Tanimoto kernel  k(x, z) = ⟨x, z⟩/(‖x‖² + ‖z‖² − ⟨x, z⟩), for x ≥ 0, with 0/0 = 1.

    On fingerprints of zeros and ones it is the Jaccard index, the size of the intersection divided by that of the
    union.

    See Also
    --------
    MinMax : The generalisation to counts by minima and maxima.
    TanimotoOf : Tanimoto kernel of any PSD kernel.
    Cosine : Another normalised inner product.

    Notes
    -----
    Definiteness: PSD. With 1/u = ∫ e^(−tu) dt over t > 0, the kernel is ⟨x, z⟩ times an integral over t of the PSD
    kernels f_t(x) exp(t⟨x, z⟩) f_t(z), f_t(x) = exp(−t‖x‖²).

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, at the speed of a matrix product.

    References
    ----------
    * Ralaivola, Swamidass, Saigo and Baldi, *Graph kernels for chemical informatics*, Neural Networks 18, 2005,
      doi:10.1016/j.neunet.2005.07.009.

    Examples
    --------
    >>> import numpy as np
    >>> Tanimoto()(np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
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
    """MinMax kernel  k(x, z) = Σ_k min(x_k, z_k)/Σ_k max(x_k, z_k), for x ≥ 0, with 0/0 = 1.

    See Also
    --------
    Tanimoto : The same kernel on vectors of zeros and ones.
    Intersection : The sum of the minima.

    Notes
    -----
    Definiteness: PSD on nonnegative vectors, as the Tanimoto kernel of unary codes, whose inner product is Σ min.

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, coordinate by coordinate.

    References
    ----------
    * Ralaivola, Swamidass, Saigo and Baldi, *Graph kernels for chemical informatics*, Neural Networks 18, 2005,
      doi:10.1016/j.neunet.2005.07.009.

    Examples
    --------
    >>> import numpy as np
    >>> MinMax()(np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([[1. , 0.6],
           [0.6, 1. ]])
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
