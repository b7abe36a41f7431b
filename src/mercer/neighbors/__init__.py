"""Nearest-neighbour classification and regression in the metric of any kernel."""

from mercer._doors import publish
from mercer.neighbors.classification import KernelKNeighborsClassifier
from mercer.neighbors.regression import KernelKNeighborsRegressor

__all__ = ["KernelKNeighborsClassifier", "KernelKNeighborsRegressor"]

publish(__name__, globals())
