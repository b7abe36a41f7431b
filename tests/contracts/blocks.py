"""Fits to data sets in blocks: a case for every estimator that takes them, and ways to divide the same rows.

Tests of other sources divide the data of a case in their own way, and compare the fit with `assert_same_fit`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.cluster import KernelKMeans
from mercer.data import ArrayBlocks, BlockSource, IterableBlocks
from mercer.decomposition import KernelPCA
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier, KernelRidgeCV
from mercer.svm import SVC, SVR, NuSVC, OneClassSVM
from tests.contracts.estimators import ESTIMATORS

__all__ = ["ADDITIVE", "CASES", "DIVISIONS", "Case", "Rows", "assert_same_fit", "in_memory", "rows", "taking_blocks"]

N, D, M = 130, 3, 18
SCALED: dict[str, Any] = {"kernel": "rbf", "gamma": "scale"}
LANDMARKS = Nystroem(n_components=M, landmarks="uniform", random_state=3)


@dataclass(frozen=True)
class Rows:
    """Rows with targets, classes and weights."""

    X: Any
    y: Any
    label: Any
    weight: Any


def rows(n: int = N) -> Rows:
    """Rows whose columns are far from zero, on which summing in the wrong way shows."""
    rng = np.random.default_rng(7)
    X = rng.normal([0.0, 5.0, -3.0], size=(n, D))
    y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1]
    label = np.array(["red", "green", "blue"])[np.digitize(y, np.quantile(y, [0.3, 0.6]))]
    return Rows(X, y, label, rng.uniform(0.5, 2.0, n))


@dataclass(frozen=True)
class Case:
    """An estimator that can be fitted to blocks.

    Attributes
    ----------
    make : callable
        Makes the estimator.
    targets : {"y", "label", None}
        Targets of its fit.
    weights : bool
        Whether its fit takes weights.
    tol : float
        Relative difference from the fit in memory that is allowed: 1e-10, or that of an iterative solver.
    rough : tuple of str
        Attributes that are computed in single precision in memory.
    """

    make: Callable[[], Any]
    targets: str | None = "y"
    weights: bool = True
    tol: float = 1e-10
    rough: tuple[str, ...] = field(default=())


CASES: dict[str, Case] = {
    "KernelRidge": Case(lambda: KernelRidge(0.1, **SCALED, fit_intercept=True, approximation=M)),
    "KernelRidgeCV": Case(lambda: KernelRidgeCV(**SCALED, approximation=M)),
    "KernelRidgeCV, folds": Case(lambda: KernelRidgeCV(**SCALED, approximation=M, cv=3)),
    "KernelRidgeCV, gcv": Case(lambda: KernelRidgeCV(**SCALED, approximation=LANDMARKS, criterion="gcv")),
    "KernelRidgeClassifier": Case(lambda: KernelRidgeClassifier(class_weight="balanced", approximation=M), "label"),
    "KernelPCA": Case(lambda: KernelPCA(4, **SCALED, approximation=M), None),
    "KernelDiscriminantAnalysis": Case(lambda: KernelDiscriminantAnalysis(gamma=0.3, approximation=M), "label"),
    "KernelDiscriminantAnalysis, auto": Case(
        lambda: KernelDiscriminantAnalysis(gamma=0.3, reg="auto", loo=True, approximation=M), "label"
    ),
    "KernelDiscriminantAnalysis, coefficients": Case(
        lambda: KernelDiscriminantAnalysis(gamma=0.3, penalty="coefficients", mu=0.1, approximation=M), "label"
    ),
    "KernelKMeans": Case(
        lambda: KernelKMeans(4, gamma=0.3, random_state=0, approximation=M), None, rough=("inertia_history_",)
    ),
    "Nystroem": Case(lambda: Nystroem(gamma="scale", n_components=M, random_state=0), None, weights=False),
    "RandomFourierFeatures": Case(
        lambda: RandomFourierFeatures(gamma="scale", n_components=M, random_state=0), None, weights=False
    ),
    "KernelLogisticRegression": Case(
        lambda: KernelLogisticRegression(0.1, kernel="rbf", tol=1e-10, approximation=M), "label", tol=1e-6
    ),
    "SVC": Case(lambda: SVC(tol=1e-10, approximation=M), "label", tol=1e-4),
    "SVC, joint": Case(
        lambda: SVC(multi_class="crammer_singer", tol=1e-8, approximation=M), "label", tol=1e-4, weights=False
    ),
    "SVR": Case(lambda: SVR(tol=1e-10, approximation=M), tol=1e-4),
    "NuSVC": Case(lambda: NuSVC(nu=0.5, gamma=1.0, tol=1e-9, approximation=M), "label", tol=1e-3, weights=False),
    "OneClassSVM": Case(lambda: OneClassSVM(nu=0.2, tol=1e-10, approximation=M), None, tol=1e-4),
}
ADDITIVE = [name for name, case in CASES.items() if case.tol <= 1e-10]


def taking_blocks() -> set[str]:
    """Public estimators that can be fitted to blocks."""
    return {name for name, cls in ESTIMATORS.items() if getattr(cls, "_fits_blocks", False)}


def _cut(*ends: int) -> Callable[[Any, Any, Any], BlockSource]:
    def divide(X: Any, y: Any, weight: Any) -> BlockSource:
        parts = (slice(a, b) for a, b in zip((0, *ends), (*ends, len(X)), strict=True))
        return IterableBlocks([tuple(None if a is None else a[part] for a in (X, y, weight)) for part in parts])

    return divide


DIVISIONS: dict[str, Callable[[Any, Any, Any], BlockSource]] = {
    "whole": lambda X, y, weight: ArrayBlocks(X, y, weight, rows=len(X)),
    "uneven": _cut(1, 50, 53, 120),
    "single": lambda X, y, weight: ArrayBlocks(X, y, weight, rows=1),
    "empty": _cut(0, 0, 60, 60, N),
}


def in_memory(case: Case, data: Rows, *, weighted: bool) -> Any:
    """The fit of a case to all rows."""
    given = () if case.targets is None else (getattr(data, case.targets),)
    options = {"sample_weight": data.weight} if weighted else {}
    return case.make().fit(data.X, *given, **options)


def assert_same_fit(known: Any, model: Any, X: Any, *, tol: float, rough: tuple[str, ...] = ()) -> None:
    """Compare fitted attributes, certificates and predictions of two models."""

    def compare(what: str, mine: Any, theirs: Any) -> None:
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        if mine.dtype.kind != "f":
            if what == "predict" and tol > 1e-10:  # labels follow from decision values, which are compared
                return
            assert np.array_equal(mine, theirs), what
            return
        level = max(float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0)), 1e-30)
        slack = max(tol, 1e-6) if what in rough else tol
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=slack * level, err_msg=what)

    for name, value in vars(known).items():
        if (
            name.endswith("_")
            and isinstance(value, float | int | np.ndarray)
            and (tol <= 1e-10 or "n_iter" not in name)
        ):
            compare(name, getattr(model, name), value)
    if hasattr(known, "solution_"):
        for name in ("objective", "exact_gap"):
            compare(name, getattr(model.solution_, name), getattr(known.solution_, name))
    for name in ("predict", "decision_function", "transform", "predict_proba", "score_samples"):
        if hasattr(known, name):
            compare(name, getattr(model, name)(X), getattr(known, name)(X))
