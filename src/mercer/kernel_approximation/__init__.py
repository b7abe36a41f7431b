"""Approximate features of kernels as transformers for scikit-learn's pipelines.

`Nystroem` takes any kernel on any data, `RandomFourierFeatures` shift-invariant kernels, `PolynomialSketch` polynomial
kernels. `mercer.approximation` has the functions behind them.
"""

from mercer._doors import publish
from mercer.kernel_approximation.fourier import RandomFourierFeatures
from mercer.kernel_approximation.nystroem import Nystroem
from mercer.kernel_approximation.sketch import PolynomialSketch

__all__ = ["Nystroem", "PolynomialSketch", "RandomFourierFeatures"]

publish(__name__, globals())
