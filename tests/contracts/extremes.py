"""Fits at the limits of floating point numbers: cases, and the check of what a fit leaves behind."""

import dataclasses
import inspect
import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, is_regressor
from sklearn.exceptions import ConvergenceWarning

from mercer.kernels import RBF, Interactions, Linear, Polynomial, Sigmoid, WeightedColumns, user
from mercer.solvers import Solution
from tests.contracts.behaviour import answers, has_kernel
from tests.contracts.estimators import ESTIMATORS

__all__ = ["Case", "cases", "faults"]

N, NEW = 12, 4
DRAW = np.random.default_rng(0)
POINTS = DRAW.normal(size=(N + NEW, 3)) + np.resize([0.0, 3.0, 6.0], N + NEW)[:, None]
CLASSES = np.resize(["a", "b", "c"], N)
TARGET = DRAW.normal(size=N)


def _constant(value: float) -> Any:
    return np.full_like(POINTS, value)


# Samples of fit, then samples of prediction.
DATA: dict[str, tuple[Any, Any]] = {
    "plain": (POINTS[:N], POINTS[N:]),
    "one sample": (POINTS[:1], POINTS[N:]),
    "two samples": (POINTS[:2], POINTS[N:]),
    "three samples": (POINTS[:3], POINTS[N:]),
    "constant": (_constant(1.0)[:N], _constant(1.0)[N:]),
    "identical samples": (np.tile(POINTS[:1], (N, 1)), POINTS[N:]),
    "zeros": (_constant(0.0)[:N], POINTS[N:]),
    "one huge feature": (POINTS[:N] * [1.0, 1.0, 1e100], POINTS[N:] * [1.0, 1.0, 1e100]),
    "one huge sample": (np.vstack([POINTS[: N - 1], _constant(1e140)[:1]]), POINTS[N:]),
    "1e-300": (POINTS[:N] * 1e-300, POINTS[N:] * 1e-300),
    "1e-150": (POINTS[:N] * 1e-150, POINTS[N:] * 1e-150),
    "1e70": (POINTS[:N] * 1e70, POINTS[N:] * 1e70),
    "1e149": (POINTS[:N] * 1e149 / 8, POINTS[N:] * 1e149 / 8),
    "1e150": (POINTS[:N] * 1e150, POINTS[N:] * 1e150),
    "1e300": (POINTS[:N] * 1e300, POINTS[N:] * 1e300),
    "sparse 1e140": (sp.csr_matrix(POINTS[:N] * 1e140), sp.csr_matrix(POINTS[N:] * 1e140)),
    "single precision 1e30": ((POINTS[:N] * 1e30).astype(np.float32), (POINTS[N:] * 1e30).astype(np.float32)),
    "new samples 1e100": (POINTS[:N], POINTS[N:] * 1e100),
    "new samples 1e140": (POINTS[:N], POINTS[N:] * 1e140),
    "new samples 1e300": (POINTS[:N], POINTS[N:] * 1e300),
}


def _not_a_number(a: Any, b: Any) -> float:
    return float("nan") if np.allclose(a, b) else 1.0


def _infinite(a: Any, b: Any) -> float:
    return float("inf") if np.allclose(a, b) else 1.0


def _indefinite(a: Any, b: Any) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).sum() - 3.0)


def _block_nan(A: Any, B: Any) -> Any:
    K = np.asarray(A) @ np.asarray(B).T
    K[-1, -1] = np.nan
    return K


KERNELS: dict[str, Any] = {
    "linear": Linear(),
    "rbf, gamma 1e300": RBF(gamma=1e300),
    "rbf, gamma 1e-300": RBF(gamma=1e-300),
    "poly, degree 50": Polynomial(degree=50, gamma=1e5, coef0=1.0),
    "poly, degree 300": Polynomial(degree=300, gamma=1e5, coef0=1.0),
    "poly, gamma 1e100": Polynomial(degree=3, gamma=1e100, coef0=0.0),
    "poly, gamma 1e300": Polynomial(degree=1, gamma=1e300, coef0=0.0),
    "poly, coef0 1e300": Polynomial(degree=2, gamma=1.0, coef0=1e300),
    "poly, coef0 1e160": Polynomial(degree=1, gamma=1.0, coef0=1e160),
    "sigmoid, gamma 1e300": Sigmoid(gamma=1e300, coef0=0.0),
    "1e300 rbf": 1e300 * RBF(gamma=0.3),
    "1e160 linear": 1e160 * Linear(),
    "1e-300 linear": 1e-300 * Linear(),
    "1e-160 linear": 1e-160 * Linear(),
    "interactions": Interactions(),
    "interactions, gamma 1e300": Interactions(gamma=1e300),
    "interactions, weights 1e-300": Interactions(weights=1e-300),
    "weighted columns": WeightedColumns(),
    "weighted columns, weights 1e300": WeightedColumns(weights=1e300),
    "indefinite": user(_indefinite),
    "NaN": user(_not_a_number),
    "infinity": user(_infinite),
    "NaN in a block": user(block=_block_nan),
}

VALUES: dict[str, tuple[Any, ...]] = {
    "C": (1e-300, 1e-150, 1e150, 1e300),
    "alpha": (0.0, 1e-300, 1e-150, 1e150, 1e300),
    "alphas": ((1e-300, 1e300), (1e-150, 1.0), (1e150,), (1e300,)),
    "gamma": (1e-300, 1e-150, 1e150, 1e300),
    "coef0": (-1e300, 1e-300, 1e150, 1e300),
    "degree": (0, 50, 1000),
    "tol": (1e-300, 1e-20, 1e300),
    "reg": (0.0, 1e-300, 1e150, 1e300),
    "epsilon": (0.0, 1e-300, 1e300),
    "nu": (1e-300, 1e-10, 1.0),
    "eta0": (1e-300, 1e150, 1e300),
    "threshold": (1e-300, 1e300),
    "radius": (1e-300, 1e300),
}

# Parameters that choose another algorithm; extremes are tried on each.
FORMS: dict[str, tuple[dict[str, Any], ...]] = {
    "KernelRidge": (
        {},
        {"fit_intercept": True},
        {"solver": "cg"},
        {"solver": "mixed"},
        {"solver": "cholesky", "fit_intercept": True},
    ),
    "KernelRidgeCV": ({}, {"criterion": "gcv", "fit_intercept": True}, {"cv": 2}),
    "KernelRidgeClassifier": ({}, {"solver": "cg"}),
    "Ridge": ({}, {"form": "primal"}, {"form": "dual"}, {"fit_intercept": False}),
    "KernelPCA": ({}, {"center": False}, {"eigen_solver": "arpack"}, {"fit_inverse_transform": True}),
    "KernelLogisticRegression": ({}, {"fit_intercept": False}),
    "KernelDiscriminantAnalysis": ({}, {"loo": True}, {"penalty": "coefficients"}, {"solver": "eigen"}),
    "KernelPerceptron": ({}, {"budget": 4}, {"variant": "voted"}, {"budget": 4, "removal": "projectron"}),
    "Perceptron": ({}, {"form": "dual"}),
    "KernelKNeighborsClassifier": ({}, {"weights": "distance"}, {"radius": 1.0, "outlier_label": "a"}),
    "KernelKNeighborsRegressor": ({}, {"weights": "distance"}),
    "LaplacianEigenmaps": ({}, {"affinity": "kernel"}),
    "Nystroem": tuple({"landmarks": method, "n_components": 3} for method in ("rpcholesky", "uniform", "kmeans++")),
    "MKLClassifier": ({}, {"p": 2.0}, {"method": "easymkl"}, {"method": "alignf"}),
    "MKLRegressor": ({}, {"p": 2.0}, {"method": "align"}),
    "SVC": ({}, {"multi_class": "ovr"}, {"multi_class": "crammer_singer"}),
    "KernelSpectralClustering": ({}, {"assign_labels": "discretize"}),
    "KernelRepair": ({}, {"method": "flip"}, {"method": "shift"}),
}
SMALL = {"n_neighbors": 3, "n_clusters": 2, "n_components": 1, "max_iter": 50, "nu": 0.3, "landmarks": 3}
WEIGHTS: dict[str, Any] = {
    "1e300": np.full(N, 1e300),
    "1e-300": np.full(N, 1e-300),
    "1e300 and 0": np.resize([1e300, 0.0, 1e300], N),
    "1e300 and 1": np.resize([1.0, 1e300, 1.0, 1.0], N),
    "0 but one": np.resize([1.0] + [0.0] * (N - 1), N),
    "0 and 1": np.resize([1.0, 0.0, 1.0, 1.0, 1.0], N),
}
TARGETS = (1e-300, 1e160, 1e300)


@dataclass(frozen=True)
class Case:
    """One fit: an estimator, its parameters, samples, and factors of weights and targets."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)
    data: str = "plain"
    weight: str = ""
    target: float = 1.0

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return (
            f"{self.name}({given}) on {self.data}"
            + (f", weights {self.weight}" if self.weight else "")
            + (f", targets x {self.target:g}" if self.target != 1.0 else "")
        )

    def fit(self) -> tuple[Any, Any]:
        """The fitted model, and samples to predict."""
        X, Z = DATA[self.data]
        cls = ESTIMATORS[self.name]
        names = inspect.signature(cls).parameters
        small = {name: value for name, value in SMALL.items() if name in names}
        model = cls(**small | _fixed(self.name) | self.options)
        n = X.shape[0]
        if getattr(model, "kernel", None) == "precomputed" or model.__sklearn_tags__().input_tags.pairwise:
            X, Z = _gram(X, X), _gram(Z, X)
        y = TARGET[:n] * self.target if is_regressor(model) else CLASSES[:n]
        more = {"sample_weight": WEIGHTS[self.weight][:n]} if self.weight else {}
        return model.fit(X, y, **more), Z


def _gram(A: Any, B: Any) -> Any:
    with np.errstate(all="ignore"):
        K = A @ B.T
    return K.toarray() if sp.issparse(K) else K


def _fixed(name: str) -> dict[str, Any]:
    fixed = {"random_state": 0} if "random_state" in inspect.signature(ESTIMATORS[name]).parameters else {}
    return fixed | ({"kernel": "rbf", "model": "ridge", "cv": 2} if name.startswith("Auto") else {})


def cases(*, every: bool) -> Iterator[Case]:
    """Every estimator and form at every extreme; else every estimator at a part of them."""
    for name, cls in ESTIMATORS.items():
        if name == "TablePreparer":
            continue
        yield from _thinned(_of(name, cls), 1 if every else 9)


def _thinned(found: Iterator[Case], step: int) -> Iterator[Case]:
    return itertools.islice(found, 0, None, step)


def _of(name: str, cls: type[Any]) -> Iterator[Case]:
    names = inspect.signature(cls).parameters
    weighted = "sample_weight" in inspect.signature(cls.fit).parameters
    approximated = ({"approximation": 3},) if "approximation" in names and not name.startswith("Auto") else ()
    for form in FORMS.get(name, ({},)) + approximated:
        for data in DATA:
            yield Case(name, form, data)
            if has_kernel(cls):
                yield Case(name, form | {"kernel": KERNELS["linear"]}, data)
                yield Case(name, form | {"kernel": KERNELS["poly, gamma 1e100"]}, data)
        for parameter, values in VALUES.items():
            if parameter not in names or parameter in form:
                continue
            for value in values:
                if parameter in ("gamma", "coef0", "degree") and has_kernel(cls):
                    for kernel in ("rbf", "poly", "sigmoid"):
                        yield Case(name, form | {"kernel": kernel, parameter: value})
                    continue
                yield Case(name, form | {parameter: value})
                for data in ("one huge feature", "1e149", "1e-300", "constant"):
                    yield Case(name, form | {parameter: value} | _linear(cls), data)
        if has_kernel(cls):
            for kernel in KERNELS.values():
                yield Case(name, form | {"kernel": kernel})
                yield Case(name, form | {"kernel": kernel}, "new samples 1e100")
            for data in ("plain", "1e149", "1e-300", "constant"):
                yield Case(name, form | {"kernel": "precomputed"}, data)
        if weighted:
            for weight in WEIGHTS:
                yield Case(name, form, weight=weight)
                yield Case(name, form | _linear(cls), "1e149", weight=weight)
        if is_regressor(cls()):
            for target in TARGETS:
                yield Case(name, form, target=target)
                yield Case(name, form | _linear(cls), "1e149", target=target)


def _linear(cls: type[Any]) -> dict[str, Any]:
    return {"kernel": KERNELS["linear"]} if has_kernel(cls) else {}


# ---- what a fit leaves behind

DOCUMENTED = {
    "center_norms_",  # infinite for an empty cluster; those of others are checked
    "loo_decision_function_",  # NaN for a sample alone in its class
    "margin_width_",  # infinite for w = 0
    "negative_mass_",  # NaN unless allow_indefinite
    "novikoff_bound_",  # NaN unless the last pass was clean
    "scores_",  # of an alpha that is not chosen
}

# Not finite only if a warning says so.
ANNOUNCED = {"best_score_": "no alpha has a finite score"}


def faults(case: Case) -> list[str]:
    """Fit and predict, and list everything that should not be."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model, Z = case.fit()
        except Exception as error:
            return _refusal(case, error)
        warned = any(issubclass(w.category, ConvergenceWarning) for w in caught)
        told = " ".join(str(w.message) for w in caught)
        found = [f"{path} is not finite" for path in _not_finite(model) if ANNOUNCED.get(path, "\n") not in told]
        solution = getattr(model, "solution_", None)
        if isinstance(solution, Solution):
            bad = not _is_finite(solution)
            if bad and solution.converged:
                found.append(f"{solution.status} with {solution}")
            if bad and not warned:
                found.append(f"no warning about {solution}")
        try:
            found += [f"{path} is not finite" for path in _arrays(_answers(model, Z), "answers")]
            if any("predicting NaN" in str(w.message) for w in caught):
                found.remove("answers['predict'] is not finite")
        except Exception as error:
            found += _refusal(case, error)
        found += [f"{w.category.__name__}: {w.message}" for w in caught if issubclass(w.category, RuntimeWarning)]
    return found


def _answers(model: Any, Z: Any) -> dict[str, Any]:
    """Answers of all methods, but for infinite distances from empty clusters."""
    found = answers(model, Z)
    if hasattr(model, "center_norms_") and "transform" in found:
        found["transform"] = found["transform"][:, np.isfinite(model.center_norms_)]
    return found


def _refusal(case: Case, error: Exception) -> list[str]:
    if not isinstance(error, ValueError) or isinstance(error, np.linalg.LinAlgError):
        return [f"{type(error).__name__}: {error}"]
    return [] if str(error).count(" ") > 4 else [f"not a sentence: {error}"]


def _is_finite(solution: Solution) -> bool:
    bounded = np.isfinite([solution.objective, solution.violation]).all() and not np.isinf(solution.gap)
    return bool(bounded) and all(map(_is_finite, solution.machines))


def _not_finite(model: Any) -> Iterator[str]:
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and name not in DOCUMENTED:
            yield from _arrays(value, name)
    if hasattr(model, "center_norms_"):
        empty = ~np.isin(np.arange(model.n_clusters), model.labels_)
        yield from _arrays(model.center_norms_[~empty], "center_norms_")


def _arrays(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Solution):
        return
    if sp.issparse(value):
        value = value.data
    if isinstance(value, np.ndarray | float):
        value = np.asarray(value)
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            yield path
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from _arrays(part, f"{path}[{i}]")
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _arrays(part, f"{path}[{name!r}]")
    elif isinstance(value, BaseEstimator):
        yield from (f"{path}.{name}" for name in _not_finite(value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for part in dataclasses.fields(value):
            yield from _arrays(getattr(value, part.name), f"{path}.{part.name}")
