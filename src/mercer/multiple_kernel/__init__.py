"""Multiple kernel learning: estimators that learn the weights of a sum of kernels."""

from mercer._doors import publish
from mercer.multiple_kernel.classifier import MKLClassifier
from mercer.multiple_kernel.regressor import MKLRegressor

__all__ = ["MKLClassifier", "MKLRegressor"]

publish(__name__, globals())
