"""Transactional fits: a fit that fails leaves the estimator in the state of its last complete fit."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Self
from weakref import ref

__all__ = ["TransactionalFit", "transaction"]

_METHODS = ("fit", "partial_fit", "fit_transform", "fit_predict")
# Drafts of running fits, by id. The references have no callbacks, as those of a WeakValueDictionary would: Python
# discards exceptions in callbacks, so a Ctrl-C that arrived there would be lost. Interrupted clean-up leaves a dead
# reference, which is replaced when its id is used again.
_drafts: dict[int, ref[Any]] = {}


class TransactionalFit:
    """Mixin, left of ``BaseEstimator``: a fit changes the estimator completely or not at all.

    `fit`, `partial_fit`, `fit_transform` and `fit_predict` of a class are wrapped when the class is created. The method
    then runs on a draft, a second object with the same attributes. Its last step replaces the attributes of the
    estimator by those of the draft, in one assignment. An exception, including Ctrl-C, discards the draft, and other
    threads can predict with the estimator while it is fitted again.

    Methods that are called on a draft, by ``super().fit`` or by a `fit_transform` that calls `fit`, work on the same
    draft. `_fit_training` is not wrapped: its callers own the copy that they fit.

    Attributes are shared between the estimator and its draft. A fit must therefore assign new objects and not change
    old ones in place.

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
            if inspect.isfunction(method := vars(cls).get(name)):  # descriptors wrap their function themselves
                setattr(cls, name, transaction(method))

    def _draft(self) -> Self:
        """Second estimator with the same attributes; subclasses replace those that are changed in place."""
        draft = type(self).__new__(type(self))
        draft.__dict__.update(self.__dict__)
        return draft


def transaction(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method of a `TransactionalFit` so that it runs on a draft; below decorators that make descriptors."""

    @functools.wraps(method)
    def whole(self: Any, *args: Any, **options: Any) -> Any:
        if (known := _drafts.get(id(self))) is not None and known() is self:
            return method(self, *args, **options)
        draft = self._draft()
        _drafts[id(draft)] = ref(draft)
        try:
            result = method(draft, *args, **options)
        finally:
            _drafts.pop(id(draft), None)
        self.__dict__ = draft.__dict__  # the only change of the estimator, in one uninterruptible step
        return self if result is draft else result

    return whole
