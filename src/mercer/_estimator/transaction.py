"""Fits as transactions: an estimator has the state of its last complete fit, whatever ended the next one."""

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Self

__all__ = ["TransactionalFit", "transaction"]

_METHODS = ("fit", "partial_fit", "fit_transform", "fit_predict")
_drafts: ContextVar[tuple[Any, ...]] = ContextVar("_drafts", default=())  # of the fits that are running


class TransactionalFit:
    """Mixin, left of ``BaseEstimator``: fits change the estimator as a whole or not at all.

    A class that defines `fit`, `partial_fit`, `fit_transform` or `fit_predict` has them wrapped when it is created. The
    method then runs on a draft, a second object with the same attributes, and its last step replaces the attributes of
    the estimator by those of the draft, in one assignment. An exception, Ctrl-C among them, discards the draft, and
    other threads can predict with the estimator while it is fitted again.

    Methods that are called on a draft, by ``super().fit`` or by a `fit_transform` that calls `fit`, work on the same
    draft. `_fit_training` is not wrapped: it belongs to callers that own the copy they fit.

    Attributes are shared between the estimator and its draft, so a fit assigns new objects and does not change old ones
    in place.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> class Mean(TransactionalFit, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self.n_ = len(X)
    ...         self.mean_ = sum(X) / len(X)
    ...         return self
    >>> model = Mean().fit([1.0, 2.0])
    >>> model.fit([])
    Traceback (most recent call last):
        ...
    ZeroDivisionError: division by zero
    >>> model.n_, model.mean_
    (2, 1.5)
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in _METHODS:
            if inspect.isfunction(method := vars(cls).get(name)):  # descriptors wrap the function that they hold
                setattr(cls, name, transaction(method))

    def _draft(self) -> Self:
        """A second estimator with the same attributes; subclasses replace those that are changed in place."""
        draft = type(self).__new__(type(self))
        draft.__dict__.update(self.__dict__)
        return draft


def transaction(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a `TransactionalFit` that runs on a draft; as a decorator below those that make descriptors."""

    @functools.wraps(method)
    def whole(self: Any, *args: Any, **options: Any) -> Any:
        running = _drafts.get()
        if any(draft is self for draft in running):
            return method(self, *args, **options)
        draft = self._draft()
        token = _drafts.set((*running, draft))
        try:
            result = method(draft, *args, **options)
        finally:
            _drafts.reset(token)
        self.__dict__ = draft.__dict__  # the only change of the estimator, and one that nothing can interrupt
        return self if result is draft else result

    return whole
