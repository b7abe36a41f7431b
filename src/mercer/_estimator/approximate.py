"""The parameter ``approximation=`` of estimators."""

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from mercer._estimator.features import Approximation
from mercer._estimator.landmarks import landmark_features
from mercer._estimator.training import Training
from mercer._runtime.limits import SHARE, available_memory, format_bytes
from mercer.approximation import FittedApproximation

__all__ = ["APPROXIMATION", "Approximable", "Approximator"]

APPROXIMATION: list[Any] = [
    None,
    StrOptions({"auto"}),
    Interval(Integral, 1, None, closed="left"),
    HasMethods("_approximate"),
]
_KERNEL = ("kernel", "gamma", "degree", "coef0", "kernel_params")
_ENOUGH = 1e-3  # relative residual at which "auto" stops adding landmarks
_MOST = 4000  # landmarks of "auto"
_FEWEST = 100
_OPERATIONS = 4e12  # n m² of "auto", one to two minutes on two cores


@runtime_checkable
class Approximator(Protocol):
    """Transformer that `approximation` accepts."""

    def _approximate(self, estimator: Any, training: Training) -> Approximation:
        """Features of training data, for the kernel of the training data."""


class Approximable:
    """Mixin, left of ``KernelEstimator``: estimators with the parameter `approximation`.

    `_fit_training` asks `_approximated` for features and is exact if it returns None.
    """

    _exact_limit: ClassVar[int] = 10_000  # samples up to which "auto" is exact
    _needs_matrix: ClassVar[bool] = True  # whether an exact fit holds the Gram matrix
    approximation: Any
    approximation_: FittedApproximation | None

    def _approximated(self, training: Training) -> Approximation | None:
        """Features that replace the Gram matrix, and their record in `approximation_`; None for an exact fit."""
        found = self._features(training)
        self.approximation_ = None if found is None else found.fitted
        return found

    def _features(self, training: Training) -> Approximation | None:
        wanted = self.approximation
        if wanted is None or training.approximation is not None:
            return training.approximation
        if isinstance(wanted, str):
            return self._automatic(training)
        if isinstance(wanted, Approximator):
            _refuse_second_kernel(training.who, wanted)
            return wanted._approximate(self, training)
        if isinstance(wanted, bool):
            raise ValueError(
                f"{training.who}: approximation must be None, 'auto', a number of landmarks or a transformer, got "
                f"{wanted}; use 'auto' for an automatic number of landmarks, or None for the exact solution."
            )
        if wanted > training.n:
            raise ValueError(
                f"{training.who}: approximation={wanted} landmarks must be at most the number of samples, "
                f"{training.n}; lower it, or use approximation=None for the exact solution."
            )
        return landmark_features(self, training, int(wanted), random_state=0, reason=f"approximation={wanted}")

    def _is_exact(self, n: int) -> bool:
        """Whether "auto" stands for an exact fit to n samples."""
        memory = available_memory()
        held = not self._needs_matrix or memory is None or 8 * n**2 <= SHARE * memory / 2
        return n <= self._exact_limit and held

    def _automatic(self, training: Training) -> Approximation | None:
        """Landmarks until the residual is small or their number reaches a limit; None while exact fits are cheap."""
        n, limit = training.n, self._exact_limit
        if self._is_exact(n):
            return None
        most = int(min(n, max(_FEWEST, min(_MOST, np.sqrt(_OPERATIONS / n)))))
        found = landmark_features(self, training, most, random_state=0, tol=_ENOUGH)
        why = f"{n} samples are more than {limit}" if n > limit else f"the Gram matrix needs {format_bytes(8 * n**2)}"
        residual = found.fitted.residual_trace
        if residual <= _ENOUGH:
            end = f"the relative residual {residual:.2g} of {found.n_components} landmarks is at most {_ENOUGH:g}"
        else:
            end = f"the relative residual of {found.n_components} landmarks, the limit, is {residual:.2g}"
        found.fitted = replace(found.fitted, reason=f"approximation='auto': {why}; {end}")
        return found


def _refuse_second_kernel(who: str, transformer: Any) -> None:
    """Raise ValueError if a transformer has a kernel of its own, which would be ignored."""
    defaults, given = type(transformer)().get_params(deep=False), transformer.get_params(deep=False)
    changed = [name for name in _KERNEL if name in given and given[name] != defaults[name]]
    if changed:
        raise ValueError(
            f"{who}: approximation={type(transformer).__name__}(...) uses the kernel of {who}, but its "
            f"{', '.join(changed)} differ from the defaults; set the kernel in {who} alone."
        )
