"""Models of the search and their parameter grids."""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from mercer._estimator import Training
from mercer.auto.task import Task
from mercer.discriminant import KernelDiscriminantAnalysis
from mercer.neighbors import KernelKNeighborsClassifier, KernelKNeighborsRegressor
from mercer.operators import GramOperator
from mercer.perceptron import KernelPerceptron
from mercer.ridge import KernelLogisticRegression, KernelRidge, KernelRidgeClassifier
from mercer.semi_supervised import TransductiveSVC
from mercer.svm import SVC, SVR

__all__ = [
    "DEFAULTS",
    "EXACT",
    "MODELS",
    "Model",
    "check_weighted",
    "feature_variance",
    "is_fixed",
    "kernel_scale",
    "models_of",
]

Params = dict[str, Any]
EXACT = 20_000  # largest number of training rows of models without approximation
MANY = 100_000  # number of rows above which "auto" uses a model that holds no features: 100 000 x 4000 take 1.6 GB
COSTS = (0.1, 1.0, 10.0, 100.0)
PENALTIES = (1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0)
NEIGHBORS = (1, 3, 5, 9, 15, 25)


@dataclass(frozen=True)
class Model:
    """A model of the search: its estimator class, fixed parameters and parameter grid.

    ``grid(n, scale, spread)`` returns the grid for n samples, the scale of the kernel and the standard deviation of the
    target (1 for classes).
    """

    name: str
    estimator: type[Any]
    grid: Callable[[int, float, float], list[Params]]
    fixed: tuple[tuple[str, Any], ...] = ()
    holds_gram: bool = True  # whether fit needs the whole Gram matrix in memory
    seeded: bool = False  # whether the estimator has random_state
    stops_early: bool = False  # whether stopping before convergence is intended
    takes_unlabeled: bool = False  # whether the model also learns from unlabelled samples; its grid is then in order
    # of preference, and the first entry within one standard error of the best is selected, since labels are few
    one_pass: bool = False  # whether an approximated fit reads the rows panel by panel and holds no features

    @property
    def approximates(self) -> bool:
        """Whether the estimator has the parameter `approximation`."""
        return "approximation" in inspect.signature(self.estimator).parameters

    @property
    def takes_weight(self) -> bool:
        """Whether the estimator takes sample weights."""
        return bool(has_fit_parameter(self.estimator, "sample_weight"))

    def build(self, params: Params, *, random_state: int, **options: Any) -> Any:
        """Create an unfitted estimator; `options` are its other parameters."""
        seed = {"random_state": random_state} if self.seeded else {}
        return self.estimator(**dict(self.fixed), **params, **seed, **options)

    def fit_each(self, grid: Sequence[Params], training: Training, y: Any, *, random_state: int) -> Iterator[Any]:
        """Fit one estimator for each entry of a grid to packed training samples."""
        fitted: Iterator[Any] = self.build({}, random_state=random_state, n_jobs=1)._fit_each(training, y, grid)
        return fitted


def kernel_scale(K: GramOperator) -> float:
    """Variance of the samples in feature space, rounded to a power of ten; 1 for normalised kernels.

    The grids multiply penalties by it and divide costs by it, so that they do not depend on the scale of the kernel.

    >>> from mercer.operators import PrecomputedOperator
    >>> K = PrecomputedOperator(np.eye(5))
    >>> kernel_scale(K), kernel_scale(2000 * K)
    (1.0, 1000.0)
    """
    variance = feature_variance(K)
    return float(10.0 ** math.floor(math.log10(variance) + 0.5)) if variance > 0 and math.isfinite(variance) else 1.0


def feature_variance(K: GramOperator) -> float:
    """Mean squared distance of the samples from their mean in feature space."""
    n = K.shape[0]
    return float(K.diag().mean(dtype=np.float64) - (K @ np.full(n, 1 / n)).mean())


def _costs(n: int, scale: float, spread: float) -> list[Params]:  # noqa: ARG001
    return [{"C": _short(cost / scale)} for cost in COSTS]


def _few_costs(n: int, scale: float, spread: float) -> list[Params]:
    # A transductive fit takes as long as many inductive ones, and C=100 is seldom better. With few labels scores hardly
    # differ, and the first entry is then selected: C=1 does better than 0.1 on clusters, and better than 10 if classes
    # overlap.
    costs = _costs(n, scale, spread)
    return [costs[1], costs[2], costs[0]]


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
    """Round to two digits, which is enough for a grid in factors of ten and stays readable."""
    return float(f"{value:.2g}")


MODELS: dict[Task, dict[str, Model]] = {
    "classification": {
        "svm": Model("svm", SVC, _costs, holds_gram=False),
        "ridge": Model("ridge", KernelRidgeClassifier, _penalties, one_pass=True),
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
        # With unlabeled=None, only None marks unlabelled samples, and -1 is an ordinary class.
        "transductive": Model(
            "transductive", TransductiveSVC, _few_costs, (("unlabeled", None),), holds_gram=False, takes_unlabeled=True
        ),
    },
    "regression": {
        "ridge": Model("ridge", KernelRidge, _penalties, (("fit_intercept", True),), one_pass=True),
        "svm": Model("svm", SVR, _tubes, holds_gram=False),
        "knn": Model("knn", KernelKNeighborsRegressor, _neighbors, holds_gram=False),
    },
}
DEFAULTS: dict[Task, tuple[str, ...]] = {"classification": ("svm", "ridge"), "regression": ("ridge", "svm")}


def check_weighted(who: str, task: Task, models: Sequence[Model]) -> None:
    """Raise ValueError unless all models take sample weights."""
    without = [repr(model.name) for model in models if not model.takes_weight]
    if without:
        others = ", ".join(repr(model.name) for model in MODELS[task].values() if model.takes_weight)
        raise ValueError(
            f"{who}: sample weights were given, but the model {', '.join(without)} does not take them; use model= with "
            f"one of {others}, or give no weights."
        )


def is_fixed(approximation: Any) -> bool:
    """Whether an approximation was requested for any number of samples: a number of landmarks or a transformer."""
    return approximation is not None and not isinstance(approximation, str)


def models_of(task: Task, name: str, n: int, *, several: int, approximation: Any = None) -> tuple[list[Model], str]:
    """Models to compare, and a note if "auto" is limited to one of them.

    Parameters
    ----------
    task : {"classification", "regression"}
        Task of the models.
    name : str
        Name of a model or "auto".
    n : int
        Number of training rows.
    several : int
        Largest number of rows for which "auto" compares several models.
    approximation : None, "auto", int or transformer, default=None
        Approximation of the final model. "auto" leaves out models without approximations if it is fixed, or if there
        are more rows than exact models are fitted to. For more than `MANY` rows, "auto" uses a model whose
        approximated fit reads the rows in one pass.

    Returns
    -------
    models : list of Model
        Models to compare.
    note : str
        Empty unless "auto" is limited to one model by the number of rows.

    Raises
    ------
    ValueError
        If the approximation is fixed and the named model has none.
    """
    if name != "auto":
        model = MODELS[task][name]
        if is_fixed(approximation) and not model.approximates:
            others = ", ".join(repr(other.name) for other in MODELS[task].values() if other.approximates)
            raise ValueError(
                f"the model {name!r} has no approximation, got approximation={approximation!r}; use model= with one of "
                f"{others}, or approximation='auto' to approximate where possible."
            )
        return [model], ""
    found = [MODELS[task][other] for other in DEFAULTS[task]]
    if is_fixed(approximation) or (approximation is not None and n > EXACT):
        found = [model for model in found if model.approximates]
    if n <= several:
        return found, ""
    if approximation is not None and n > MANY:
        found = [model for model in found if model.one_pass]
    why = f"since there are more than {several} samples; set model= to change."
    return found[:1], f"Only the model {found[0].name!r} was tried, {why}"
