"""Progress of long fits, by scikit-learn's callbacks where it has them (1.9); nothing where it has not.

An estimator inherits `CallbackSupport`, decorates `fit` with scikit-learn's ``_fit_context`` (which tears callbacks
down, whatever happens) and wraps its work::

    with fit_progress(self, n_steps, X=X, y=y, sample_weight=sample_weight) as report:
        answers = solve_dual(source, problems, report=report)
        ...  # set the fitted attributes: callbacks see them at the end

A solver calls ``report(done, total, violation)`` now and then from the thread that called it, and ends early, with
``Status.MAX_ITER``, if the answer is True. It is not to call, and need not ask, if `report` is None: nobody listens.
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
    """Tell the callbacks of an estimator that its fit begins, goes on and ends.

    Parameters
    ----------
    estimator : estimator
        Inherits `CallbackSupport`; it must be fitted when the context ends.
    n_steps : int or None
        Subtasks of the fit, usually its machines: each begins when the one before has ended. None: as many as there are
        reports, for one machine whose end nobody can foretell.
    X, y, sample_weight
        The training data, for callbacks that score the fitted estimator.

    Yields
    ------
    report : callable or None
        ``report(done, total, violation)``: `done` steps of `total` (None: unknown) are behind, and the conditions of
        optimality of the current problem are violated by `violation`. Callbacks find these numbers in `metadata` of the
        subtasks. It returns whether a callback asks to stop. None if there are no callbacks.

    Notes
    -----
    An exception, of a callback or Ctrl-C, leaves subtasks and the fit without an end; the tear-down of callbacks
    belongs to ``_fit_context``.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> class Model(CallbackSupport, BaseEstimator): ...
    >>> with fit_progress(Model(), 3) as report:
    ...     report is None  # nobody listens
    True
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
    """The subtasks of a fit: one at a time is open, from the end of the last one to its own."""

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
        """End what is open; unless the fit was stopped, machines that nobody reported have been solved all the same."""
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
