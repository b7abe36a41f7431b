"""Progress of long fits through scikit-learn's callbacks (1.9); no-op in earlier versions.

An estimator inherits `CallbackSupport`, decorates `fit` with scikit-learn's ``_fit_context``, which tears callbacks
down in any case, and wraps its work::

    with fit_progress(self, n_steps, X=X, y=y, sample_weight=sample_weight) as report:
        answers = solve_dual(source, problems, report=report)
        ...  # set the fitted attributes: callbacks see them at the end

A solver calls ``report(done, total, violation)`` from time to time, from the thread that called it, and stops early
with ``Status.MAX_ITER`` if it returns True. If `report` is None, there are no callbacks and nothing is to be reported.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

__all__ = ["CallbackSupport", "Report", "fit_progress"]

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
except ImportError:

    class CallbackSupport:  # type: ignore[no-redef]
        """Stands for scikit-learn's mixin, which gives estimators `set_callbacks`, in versions without it."""


Report: TypeAlias = Callable[[int, int | None, float], bool]


@contextmanager
def fit_progress(
    estimator: Any, n_steps: int | None, *, X: Any = None, y: Any = None, sample_weight: Any = None
) -> Iterator[Report | None]:
    """Notify the callbacks of an estimator of the begin, the progress and the end of its fit.

    Parameters
    ----------
    estimator : estimator
        Inherits `CallbackSupport`. It must be fitted when the context ends.
    n_steps : int or None
        Number of subtasks of the fit, usually its binary problems; each begins when the previous one has ended. None
        means one subtask per report, for a single problem with an unknown number of steps.
    X : data, default=None
        Training samples, for callbacks that score the fitted estimator.
    y : array-like, default=None
        Targets.
    sample_weight : array-like, default=None
        Sample weights.

    Yields
    ------
    report : callable or None
        ``report(done, total, violation)``: `done` of `total` steps (None if unknown) are complete, and the optimality
        conditions of the current problem are violated by `violation`. Callbacks find these numbers in `metadata` of the
        subtasks. It returns whether a callback requests a stop. None if there are no callbacks.

    Notes
    -----
    After an exception, raised by a callback or by Ctrl-C, subtasks and fit are not reported as ended; ``_fit_context``
    tears the callbacks down.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> class Model(CallbackSupport, BaseEstimator): ...
    >>> with fit_progress(Model(), 3) as report:
    ...     print(report)  # no callbacks
    None
    """
    begin = getattr(estimator, "_init_callback_context", None)
    if begin is None:
        yield None
        return
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    fit = begin(max_subtasks=n_steps)
    fit.call_on_fit_task_begin(estimator=estimator, X=X, y=y, metadata=metadata)
    steps = _Steps(estimator, fit, n_steps) if getattr(estimator, "_skl_callbacks", None) else None
    yield steps
    if steps is not None:
        steps.finish()
    fit.call_on_fit_task_end(estimator=estimator, X=X, y=y, metadata=metadata, reconstruction_attributes={})


class _Steps:
    """Subtasks of a fit; one of them is open at any time, from the end of the previous one to its own end."""

    def __init__(self, estimator: Any, fit: Any, n_steps: int | None) -> None:
        self._estimator, self._fit, self._n_steps = estimator, fit, n_steps
        self._n_ended = 0
        self._stopped = False
        self._open = self._next()

    def __call__(self, done: int, total: int | None, violation: float) -> bool:
        ended = self._n_ended + 1 if self._n_steps is None else min(done, self._n_steps)
        while self._n_ended < ended:
            self._end({"done": done, "total": total, "violation": violation})
            self._open = self._next()
        return self._stopped

    def finish(self) -> None:
        """End the open subtask and, unless the fit was stopped, all subtasks that were solved without a report."""
        while self._open is not None:
            last = self._n_steps is None or self._stopped
            self._end(None)
            self._open = None if last else self._next()

    def _next(self) -> Any:
        if self._n_ended == self._n_steps:
            return None
        step = self._fit.subcontext(task_name="solve")
        step.call_on_fit_task_begin(estimator=self._estimator)
        return step

    def _end(self, metadata: dict[str, Any] | None) -> None:
        self._stopped |= self._open.call_on_fit_task_end(estimator=self._estimator, metadata=metadata)
        self._n_ended += 1
