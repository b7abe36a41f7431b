"""Validation of weights of classes."""

from collections.abc import Mapping
from typing import Any

from mercer._validation import check_real

__all__ = ["check_class_weight"]


def check_class_weight(estimator: Any) -> None:
    """Raise an error if a weight in the dict `class_weight` of an estimator is not a finite number of at least 0.

    >>> from mercer.svm import SVC
    >>> check_class_weight(SVC(class_weight={"ox": 2.0, "cow": 1}))
    """
    if isinstance(estimator.class_weight, Mapping):
        for label, weight in estimator.class_weight.items():
            check_real(type(estimator).__name__, f"class_weight[{label!r}]", weight, low=0.0)
