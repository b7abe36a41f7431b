"""scikit-learn's checks for the registry of estimators, and their answers on data."""

import inspect
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils.estimator_checks import estimator_checks_generator

from mercer.data import Graphs, Table
from tests.contracts.estimators import ESTIMATORS, Entry, entry

__all__ = ["ARRAY_API", "answers", "checks", "has_kernel", "named", "same", "target"]


def named(names: Iterable[str]) -> list[Any]:
    """Names of estimators as parameters of a test, in which warnings that an entry expects are ignored."""
    return [pytest.param(name, marks=_quiet(entry(name))) for name in names]


def _quiet(known: Entry) -> list[Any]:
    return [pytest.mark.filterwarnings(f"ignore:{known.warnings}")] if known.warnings else []


# ---- scikit-learn's checks

# These checks pass points where an estimator of Gram matrices has said that it needs a Gram matrix.
OF_POINTS = (
    "check_clustering",
    "check_decision_proba_consistency",
    "check_outliers_fit_predict",
    "check_outliers_train",
)
ARRAY_API = "check_array_api_input"  # needs a setting that SciPy reads when it is imported: a process of its own
NO_INTERCEPT = (
    "planes through the origin cannot give the whole plane to one of three classes, and there is no intercept"
)


def checks() -> Iterator[Any]:
    """Every configuration with every check of scikit-learn, as parameters of a test."""
    for name, cls in ESTIMATORS.items():
        known = entry(name)
        for estimator in known.checked or (cls(),):
            yield from _checks(estimator, known, [])
        for estimator in known.also_checked:
            yield from _checks(estimator, known, [pytest.mark.exhaustive])


def _checks(given: BaseEstimator, known: Entry, marks: list[Any]) -> Iterator[Any]:
    pairwise = given.__sklearn_tags__().input_tags.pairwise
    expected = dict(known.expected)
    if pairwise and getattr(given, "multi_class", "") == "crammer_singer":
        expected["check_class_weight_classifiers"] = NO_INTERCEPT
    for estimator, check in estimator_checks_generator(given):
        name = getattr(check, "func", check).__name__
        if name == ARRAY_API or (pairwise and name in OF_POINTS):
            continue
        method = name.removeprefix("check_classifiers_multilabel_output_format_")
        if method != name and not hasattr(given, method):
            continue  # about a method that the estimator does not have
        fails = [pytest.mark.xfail(reason=expected[name], strict=True)] if name in expected else []
        keywords = getattr(check, "keywords", {})
        yield pytest.param(
            estimator,
            check,
            marks=marks + fails + _quiet(known),
            id=f"{given}-{name}{keywords or ''}".replace("\n", ""),
        )


# ---- data and answers

ANSWERS = ("predict", "decision_function", "predict_proba", "transform", "score_samples", "kneighbors")


def has_kernel(cls: type[Any]) -> bool:
    """Whether the estimator has a parameter `kernel`."""
    return "kernel" in inspect.signature(cls).parameters


def target(cls: type[Any], n: int) -> Any:
    """A target of n samples: numbers for regressors, else three classes."""
    draw = np.random.default_rng(2)
    return draw.normal(size=n) if is_regressor(cls()) else draw.permutation(np.resize(["a", "b", "c"], n))


def answers(model: Any, X: Any) -> dict[str, Any]:
    """Results of all methods of a fitted model on samples."""
    unknown = entry(type(model).__name__).needs_norms if getattr(model, "kernel", None) == "precomputed" else ()
    return {name: getattr(model, name)(X) for name in ANSWERS if hasattr(model, name) and name not in unknown}


def same(first: Any, second: Any) -> bool:
    """Whether two results are equal to the bit."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[name], second[name]) for name in first)
    if isinstance(first, tuple | list):
        return len(first) == len(second) and all(map(same, first, second))
    if sp.issparse(first):
        return same(first.toarray(), second.toarray())
    if isinstance(first, Table | Graphs):
        return first == second
    return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
