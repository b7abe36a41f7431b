"""Kernels and metrics learned from data.

`LeaveOneOutWeights` learns weights of columns, and any other parameter of a kernel, by the gradient of the exact
leave-one-out error of kernel ridge regression. `RecursiveFeatureMachine` learns a metric from the gradients of the
fitted function. Both are transformers with the learned kernel in `kernel_`.
"""

from mercer._doors import publish
from mercer.feature_learning.agop import agop, rotation
from mercer.feature_learning.columns import column_kernel, column_weights
from mercer.feature_learning.recursive import RecursiveFeatureMachine
from mercer.feature_learning.weights import LeaveOneOutWeights

__all__ = [
    "LeaveOneOutWeights",
    "RecursiveFeatureMachine",
    "agop",
    "column_kernel",
    "column_weights",
    "rotation",
]

publish(__name__, globals())
