"""The learners that are compared, each with a small grid of its parameters."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._estimator import Training
from mercer.auto.task import Task
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor
from mercer.operators import GramOperator
from mercer.perceptron import KernelPerceptron
from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier
from mercer.svm import SVC, SVR

__all__ = ["DEFAULTS", "MODELS", "Model", "feature_variance", "kernel_scale", "models_of"]

Params = dict[str, Any]
COSTS = (0.1, 1.0, 10.0, 100.0)
PENALTIES = (1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0)
NEIGHBORS = (1, 3, 5, 9, 15, 25)


@dataclass(frozen=True)
class Model:
    """A learner: its name, its class, what is always set, and the grid for a kernel and a target of given scales.

    The grid takes n (samples), the scale of the kernel, and the spread of the target (1 for classes).
    """

    name: str
    estimator: type[Any]
    grid: Callable[[int, float, float], list[Params]]
    fixed: tuple[tuple[str, Any], ...] = ()
    holds_gram: bool = True  # whether its fit needs the whole Gram matrix in memory
    seeded: bool = False
    stops_early: bool = False  # whether it is meant to stop before it has converged

    def build(self, params: Params, *, random_state: int, **options: Any) -> Any:
        """An unfitted estimator; `options` are its other parameters."""
        seed = {"random_state": random_state} if self.seeded else {}
        return self.estimator(**dict(self.fixed), **params, **seed, **options)

    def fit_each(self, grid: Sequence[Params], training: Training, y: Any, *, random_state: int) -> Iterator[Any]:
        """Estimators fitted to samples that have been packed, one for each entry of a grid."""
        fitted: Iterator[Any] = self.build({}, random_state=random_state, n_jobs=1)._fit_each(training, y, grid)
        return fitted


def kernel_scale(K: GramOperator) -> float:
    """The variance of samples in feature space, as a power of ten: 1 for normalised kernels.

    Penalties are multiplied by it and costs divided, so that no grid depends on the unit of a kernel.

    >>> from mercer.operators import PrecomputedOperator
    >>> K = PrecomputedOperator(np.eye(5))
    >>> kernel_scale(K), kernel_scale(2000 * K)
    (1.0, 1000.0)
    """
    variance = feature_variance(K)
    return float(10.0 ** math.floor(math.log10(variance) + 0.5)) if variance > 0 and math.isfinite(variance) else 1.0


def feature_variance(K: GramOperator) -> float:
    """The mean squared distance of samples from their mean in feature space."""
    n = K.shape[0]
    return float(K.diag().mean(dtype=np.float64) - (K @ np.full(n, 1 / n)).mean())


def _costs(n: int, scale: float, spread: float) -> list[Params]:  # noqa: ARG001
    return [{"C": _short(cost / scale)} for cost in COSTS]


def _tubes(n: int, scale: float, spread: float) -> list[Params]:  # noqa: ARG001
    return [{"C": _short(cost * spread / scale), "epsilon": _short(0.1 * spread)} for cost in COSTS]


def _penalties(n: int, scale: float, spread: float) -> list[Params]:  # noqa: ARG001
    return [{"alpha": _short(alpha * scale)} for alpha in PENALTIES]


def _regs(n: int, scale: float, spread: float) -> list[Params]:  # noqa: ARG001
    return [{"reg": reg} for reg in PENALTIES]


def _neighbors(n: int, scale: float, spread: float) -> list[Params]:  # noqa: ARG001
    return [{"n_neighbors": k} for k in NEIGHBORS if k <= n] or [{"n_neighbors": 1}]


def _passes(n: int, scale: float, spread: float) -> list[Params]:  # noqa: ARG001
    return [{"max_iter": passes} for passes in (3, 10, 30)]


def _short(value: float) -> float:
    """Two digits: a grid of factors ten needs no more, and people read it."""
    return float(f"{value:.2g}")


MODELS: dict[Task, dict[str, Model]] = {
    "classification": {
        "svm": Model("svm", SVC, _costs, holds_gram=False),
        "ridge": Model("ridge", KernelRidgeClassifier, _penalties),
        "logistic": Model("logistic", KernelLogisticRegression, _penalties),
        "lda": Model("lda", KernelDiscriminantAnalysis, _regs),
        "knn": Model("knn", KernelKNeighborsClassifier, _neighbors, holds_gram=False),
        "perceptron": Model(
            "perceptron",
            KernelPerceptron,
            _passes,
            (("variant", "averaged"), ("shuffle", True)),
            holds_gram=False,
            seeded=True,
            stops_early=True,
        ),
    },
    "regression": {
        "ridge": Model("ridge", KernelRidge, _penalties, (("fit_intercept", True),)),
        "svm": Model("svm", SVR, _tubes, holds_gram=False),
        "knn": Model("knn", KernelKNeighborsRegressor, _neighbors, holds_gram=False),
    },
}
DEFAULTS: dict[Task, tuple[str, ...]] = {"classification": ("svm", "ridge"), "regression": ("ridge", "svm")}


def models_of(task: Task, name: str, n: int, *, several: int) -> tuple[list[Model], str]:
    """The models that "auto" or a name means, and a note where "auto" keeps to one: above `several` samples."""
    if name != "auto":
        return [MODELS[task][name]], ""
    names = DEFAULTS[task]
    if n <= several:
        return [MODELS[task][other] for other in names], ""
    note = (
        f"Only the model {names[0]!r} was tried, since there are more than {several} samples; model= chooses another."
    )
    return [MODELS[task][names[0]]], note
