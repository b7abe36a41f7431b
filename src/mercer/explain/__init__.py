"""Explanations of predictions: contributions of features, and Shapley values of columns."""

from mercer._doors import publish
from mercer.explain.expansion import KernelExpansion
from mercer.explain.explanation import Explanation
from mercer.explain.features import top_features
from mercer.explain.shapley import shapley_values
from mercer.explain.shapley_result import ShapleyValues

__all__ = ["Explanation", "KernelExpansion", "ShapleyValues", "shapley_values", "top_features"]

publish(__name__, globals())
