"""Names of models in prose."""

from typing import Any

__all__ = ["model_words"]

_MODELS = {
    "SVC": "support vector machine",
    "NuSVC": "support vector machine",
    "SVR": "support vector regression",
    "NuSVR": "support vector regression",
    "KernelRidge": "kernel ridge regression",
    "KernelRidgeCV": "kernel ridge regression",
    "KernelRidgeClassifier": "kernel ridge classifier",
    "KernelLogisticRegression": "kernel logistic regression",
    "KernelDiscriminantAnalysis": "kernel discriminant analysis",
    "KernelKNeighborsClassifier": "nearest neighbours",
    "KernelKNeighborsRegressor": "nearest neighbours",
    "KernelPerceptron": "kernel perceptron",
    "StackedClassifier": "stack of kernel machines",
    "StackedRegressor": "stack of kernel machines",
    "TransductiveSVC": "transductive support vector machine",
}


def model_words(model: Any) -> str:
    """Name of a model in prose; the class name if it has no other.

    >>> from mercer.svm import SVC
    >>> model_words(SVC())
    'support vector machine'
    """
    return _MODELS.get(type(model).__name__, type(model).__name__)
