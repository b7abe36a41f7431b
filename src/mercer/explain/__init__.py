"""Explanations of predictions by the contributions of features."""

from mercer._doors import publish
from mercer.explain.explanation import Explanation
from mercer.explain.features import top_features

__all__ = ["Explanation", "top_features"]

publish(__name__, globals())
