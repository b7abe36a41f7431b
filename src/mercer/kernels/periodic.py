"""Periodic kernel: a Gaussian kernel on circles."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from mercer._typing import Data, FloatArray
from mercer._validation import check_real, is_vector, positive_vector
from mercer.kernels.definiteness import Certificate, Definiteness
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder
from mercer.kernels.vector import VectorKernel

__all__ = ["Periodic"]


@final
@dataclass(frozen=True)
class Periodic(VectorKernel):
    """Periodic kernel  k(x, z) = exp(−γ Σ_k sin²(π (x_k − z_k)/p_k)).

    Parameters
    ----------
    period : float or array-like of shape (n_features,), default=1.0
        Period p > 0, one for all features or one for each.
    gamma : float, default=1.0
        Inverse width γ > 0. In the notation of Gaussian processes, γ = 2/ℓ².

    See Also
    --------
    RBF : Gaussian kernel, without a period.
    Map : Kernel of transformed samples.

    Notes
    -----
    Definiteness: PSD. With the points c(x) = (cos 2πx_k/p_k, sin 2πx_k/p_k) on circles it is the Gaussian kernel
    exp(−(γ/4) ‖c(x) − c(z)‖²). The form with sin²(π‖x − z‖/p) is indefinite for D ≥ 2 and is not implemented.

    Feature map: infinite; none is implemented.

    Complexity: O(D) for one value, O(n²D) for a Gram matrix, at the speed of a matrix product. Sparse matrices are not
    accepted.

    References
    ----------
    * MacKay, *Introduction to Gaussian processes*, 1998.
    * Rasmussen and Williams, *Gaussian Processes for Machine Learning*, 2006, section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> Periodic(period=2.0)(np.array([[0.25]]), np.array([[4.25], [1.25], [0.75]])).round(4)
    array([[1.    , 0.3679, 0.6065]])
    """

    name: ClassVar[str] = "periodic"
    formula: ClassVar[str] = "exp(−γΣsin²(π(x−z)/p))"
    takes_sparse: ClassVar[bool] = False
    period: float | tuple[float, ...] = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        if is_vector(self.period):
            object.__setattr__(self, "period", positive_vector("Periodic", "period", self.period))
        else:
            object.__setattr__(self, "period", check_real("Periodic", "period", self.period, low=0.0, strict=True))
        object.__setattr__(self, "gamma", check_real("Periodic", "gamma", self.gamma, low=0.0, strict=True))

    def emit(self, program: Builder, X: Data) -> None:
        array = program.vectors(self, X)
        program.sqdist(program.once(("circle", self.period), array, lambda: self._circle(array)))
        program.map(Op.exp, -self.gamma / 4)

    def _circle(self, array: FloatArray) -> FloatArray:
        """Coordinates as points on the unit circle, of shape (n, 2D)."""
        period = np.asarray(self.period, dtype=np.float64)
        if period.ndim and len(period) != array.shape[1]:
            raise ValueError(
                f"Periodic: period has {len(period)} entries but X has {array.shape[1]} features; give one entry per "
                "feature."
            )
        # fmod reduces the argument to one period exactly. The sine of a large angle would have few correct digits.
        angle = 2 * np.pi * (np.fmod(array.astype(np.float64), period) / period)
        return np.hstack([np.cos(angle), np.sin(angle)]).astype(array.dtype)

    def proof(self) -> Certificate:
        return self._certify(
            Definiteness.PSD, "a Gaussian of the points (cos 2πx/p, sin 2πx/p): rule k(φ(x),φ(z))", "MacKay 1998"
        )
