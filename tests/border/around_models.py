"""Entry points around models: explanations, gradients and metrics, fits that continue, and paths of fits."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from mercer import kernels as mk
from mercer.approximation import select_landmarks
from mercer.decomposition import KernelPCA
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.explain import KernelExpansion, importances, partial_dependence, shapley_values
from mercer.feature_learning import agop, column_kernel, rotation
from mercer.operators import gram
from mercer.ridge import KernelRidge, KernelRidgeClassifier
from mercer.svm import SVC, c_path
from tests.border.matrices import Entry

__all__ = ["ENTRIES"]

RBF = mk.RBF(gamma=0.5)
M = 5  # landmarks


def _numbers(plain: Any) -> Any:
    return np.sin(np.arange(len(plain)))


def _labels(plain: Any) -> Any:
    return np.resize(["a", "b"], len(plain))


@cache
def _fitted(kernel: Any, key: bytes, d: int) -> Any:
    X = np.frombuffer(key).reshape(-1, d)
    return KernelRidge(kernel=kernel).fit(X, _numbers(X))


def _ridge(plain: Any, kernel: Any = RBF) -> Any:
    return _fitted(kernel, plain.tobytes(), plain.shape[1])


def _expansion(X: Any, plain: Any) -> Any:
    return shapley_values(KernelExpansion(RBF, X, np.ones(len(plain))), plain[:3], plain).values


def _interactions(X: Any, plain: Any) -> Any:
    found = shapley_values(_ridge(plain, mk.Interactions()), X, plain, interactions=True)
    return [found.values, found.interactions]


ALONE: dict[str, Callable[[Any, Any], Any]] = {
    "shapley_values: X": lambda X, plain: shapley_values(_ridge(plain), X, plain).values,
    "shapley_values: background": lambda X, plain: shapley_values(_ridge(plain), plain[:3], X).values,
    "shapley_values: X, of Interactions": _interactions,
    "shapley_values: points": _expansion,
    "importances: X": lambda X, plain: importances(_ridge(plain), X, plain).values,
    "partial_dependence: X": lambda X, plain: partial_dependence(_ridge(plain), X, 1).individual,
    "partial_dependence: at": lambda X, plain: partial_dependence(_ridge(plain), plain, 1, at=X).individual,
    "agop: X": lambda X, plain: agop(RBF, X, _numbers(plain)),
    "agop: at": lambda X, plain: agop(RBF, plain, _numbers(plain), at=X),
    "rotation: X": lambda X, plain: rotation(RBF, X, _numbers(plain)),
    "column_kernel: X": lambda X, plain: str(column_kernel(X)),
    "k.gradient: X": lambda X, plain: RBF.gradient(X, plain, np.ones((len(plain), 1))),
    "k.gradient: Z": lambda X, plain: RBF.gradient(plain, X, np.ones((len(plain), 1))),
    "k.parameter_gradient: X": lambda X, plain: RBF.parameter_gradient(X, plain, np.ones((len(plain),) * 2)),
    "select_landmarks(gram(k, X))": lambda X, plain: select_landmarks(gram(RBF, X), M, random_state=0).indices,
    "c_path: X": lambda X, plain: c_path(SVC(kernel=RBF), X, _labels(plain), [1.0, 2.0]).estimators[1].dual_coef_,
}
CONTINUED: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "KernelRidge": (lambda: KernelRidge(kernel=RBF, approximation=M, alpha=0.1), _numbers),
    "KernelRidgeClassifier": (lambda: KernelRidgeClassifier(kernel=RBF, approximation=M, alpha=0.1), _labels),
    "KernelPCA": (lambda: KernelPCA(2, kernel=RBF, approximation=M), _numbers),
    "KernelDiscriminantAnalysis": (
        lambda: KernelDiscriminantAnalysis(kernel=RBF, approximation=M, reg=0.1),
        _labels,
    ),
}


def _continued(name: str, X: Any, plain: Any, *, first: bool) -> Any:
    """Results after two calls, of which the first or the second one has the odd input."""
    make, target = CONTINUED[name]
    model, y = make(), target(plain)
    needs_classes = "classes" in inspect.signature(type(model).partial_fit).parameters
    model.partial_fit(X if first else plain, y, **({"classes": np.unique(y)} if needs_classes else {}))
    model.partial_fit(plain if first else X, y)
    return np.abs(model.transform(plain)) if hasattr(model, "transform") else model.predict(plain)


ENTRIES: list[Entry] = [
    *(Entry(name, call, reads="numbers") for name, call in ALONE.items()),
    *(
        Entry(
            f"{name}.partial_fit(X, y), {call} call",
            lambda X, plain, name=name, call=call: _continued(name, X, plain, first=call == "first"),
        )
        for name in CONTINUED
        for call in ("first", "second")
    ),
]
