"""Nearest neighbours in the metric of any kernel."""

from mercer.neighbors.classification import KernelKNeighborsClassifier
from mercer.neighbors.regression import KernelKNeighborsRegressor

__all__ = ["KernelKNeighborsClassifier", "KernelKNeighborsRegressor"]
