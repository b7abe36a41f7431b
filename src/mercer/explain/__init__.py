"""Why a model says what it says."""

from mercer._doors import publish
from mercer.explain.explanation import Explanation
from mercer.explain.features import top_features

__all__ = ["Explanation", "top_features"]

publish(__name__, globals())
