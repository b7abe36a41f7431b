"""Learners of kernels, and what they learned."""

import numpy as np

from mercer.feature_learning import LeaveOneOutWeights, RecursiveFeatureMachine
from mercer.kernels import RBF

__all__ = ["LEARNERS", "everything"]

LEARNERS = [LeaveOneOutWeights(), LeaveOneOutWeights(RBF("median")), RecursiveFeatureMachine()]


def everything(model):
    """Fitted numbers by name."""
    return {name: np.asarray(v) for name, v in vars(model).items() if isinstance(v, np.ndarray | float)}
