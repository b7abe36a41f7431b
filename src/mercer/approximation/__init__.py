"""Low-rank approximations of Gram matrices and explicit approximate features of kernels.

`select_landmarks` chooses representative samples for any kernel, and `nystroem` turns kernel values with them into
features. `random_fourier` and `tensor_sketch` draw features that do not depend on the data, for shift-invariant and
polynomial kernels. `mercer.kernel_approximation` has the same methods as transformers.
"""

from mercer._doors import publish
from mercer.approximation.factor import NystroemFactor
from mercer.approximation.fitted import FittedApproximation
from mercer.approximation.fourier import FourierMap, random_fourier
from mercer.approximation.landmarks import Landmarks
from mercer.approximation.nystroem import nystroem
from mercer.approximation.residual import ResidualEnergy, residual_energy
from mercer.approximation.selection import select_landmarks
from mercer.approximation.sketch import TensorSketch, tensor_sketch

__all__ = [
    "FittedApproximation",
    "FourierMap",
    "Landmarks",
    "NystroemFactor",
    "ResidualEnergy",
    "TensorSketch",
    "nystroem",
    "random_fourier",
    "residual_energy",
    "select_landmarks",
    "tensor_sketch",
]

publish(__name__, globals())
