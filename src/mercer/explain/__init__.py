"""Explanations of predictions: contributions of features, Shapley values and partial dependence of columns."""

from mercer._doors import publish
from mercer.explain.dependence import partial_dependence
from mercer.explain.dependence_result import PartialDependence
from mercer.explain.expansion import KernelExpansion
from mercer.explain.explanation import Explanation
from mercer.explain.features import top_features
from mercer.explain.importance import Importances, importances
from mercer.explain.shapley import shapley_values
from mercer.explain.shapley_result import ShapleyValues

__all__ = [
    "Explanation",
    "Importances",
    "KernelExpansion",
    "PartialDependence",
    "ShapleyValues",
    "importances",
    "partial_dependence",
    "shapley_values",
    "top_features",
]

publish(__name__, globals())
