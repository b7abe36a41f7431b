"""Fits and predictions for data sets in blocks: every public method that takes X also takes a source."""

import functools
import inspect
import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from mercer._validation import describe
from mercer.data import Block, BlockSource

__all__ = ["BlockOutputs", "in_blocks", "on_sources"]

_BOTH = ("fit_transform", "fit_predict")
_FITS = ("fit", "partial_fit", *_BOTH)
_METHODS = ("predict", "decision_function", "transform", "predict_proba", "predict_log_proba", "score_samples")

_LINK = re.compile(r":ref:`([^<`]+) <[^`]*>`")  # of scikit-learn's docstrings to its own pages


class BlockOutputs:
    """Mixin, left of ``BaseEstimator``: fits to a `BlockSource` or a Dask collection, and predictions block by block.

    `predict`, `decision_function`, `transform` and the like are wrapped when a class is created. For a source they
    return what `BlockSource.predictions` returns: for local sources an array of all outputs, for Dask collections a
    lazy collection. `score` compares predictions with the targets of the source. Methods that fit receive a source in
    place of a Dask collection, and run inside of `BlockSource.fitting`.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in _FITS:
            if inspect.isfunction(method := vars(cls).get(name)):
                setattr(cls, name, on_sources(method))
        for name in _METHODS:
            if inspect.isfunction(method := vars(cls).get(name)):
                setattr(cls, name, in_blocks(method))
        score = inspect.getattr_static(cls, "score", None)
        if inspect.isfunction(score) and not hasattr(score, "_in_blocks"):
            setattr(cls, "score", _scored(score))  # noqa: B010 - not declared here


def on_sources(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method that fits, so that it takes Dask collections, too."""
    targets = "y" in inspect.signature(method).parameters

    @functools.wraps(method)
    def fit(self: Any, *args: Any, **options: Any) -> Any:
        X = args[0] if args else options.get("X")
        if isinstance(X, BlockSource):
            with X.fitting(self):
                return method(self, *args, **options)
        if not is_collection(X):
            return method(self, *args, **options)
        if not getattr(self, "_fits_blocks", False):
            raise TypeError(
                f"{type(self).__name__}: cannot be fitted to a Dask collection, got {describe(X)}; pass "
                "X.compute(), if the rows fit into memory."
            )
        if method.__name__ in _BOTH:  # the outputs of the training samples are lazy, too
            return getattr(self.fit(*args, **options), method.__name__.removeprefix("fit_"))(X)
        names = ("X", "y", "sample_weight") if targets else ("X", "sample_weight")
        options |= dict(zip(names, args[: len(names)], strict=False))
        y, weight = options.pop("y", None), options.pop("sample_weight", None)
        numbers = None if weight is None or np.ndim(weight) == 0 else weight
        options["X"] = as_source(options["X"], y, numbers)
        if numbers is None and weight is not None:
            options["sample_weight"] = weight
        return fit(self, *args[len(names) :], **options)

    return fit


def is_collection(X: Any) -> bool:
    """Whether X is a Dask collection, without importing Dask."""
    return hasattr(type(X), "__dask_graph__")


def as_source(X: Any, y: Any = None, sample_weight: Any = None, *, lazy: bool = True) -> BlockSource:
    """Source of the chunks of a Dask collection."""
    from mercer.data.blocks.dask_blocks import DaskBlocks

    return DaskBlocks(X, y, sample_weight, lazy=lazy)


def in_blocks(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a method whose first argument is X, so that it takes a source, too; below `available_if`."""

    @functools.wraps(method)
    def answer(self: Any, *args: Any, **options: Any) -> Any:
        X = args[0] if args else options.get("X")
        if is_collection(X):
            X = as_source(X)
        if not isinstance(X, BlockSource):
            return method(self, *args, **options)
        _check_columns(self, X)
        bare = copy(self)
        bare.__dict__.pop("feature_names_in_", None)  # blocks are matrices without names
        rest = {name: value for name, value in options.items() if name != "X"}
        answer = _Answer(bare, method.__name__, args[1:], rest)
        return X.predictions(answer, _example(self, X.n_features), _output_names(self, method.__name__))

    return answer


def _example(estimator: Any, n_features: int) -> Any:
    """Row that the kernel of a fitted estimator can read: a landmark, if there are landmarks."""
    kept = getattr(estimator, "X_fit_", None)
    return kept[:1] if isinstance(kept, np.ndarray) else np.ones((1, n_features))


def _output_names(estimator: Any, method: str) -> Any:
    """Names of the columns of outputs, if they are known."""
    if method == "transform" and hasattr(estimator, "get_feature_names_out"):
        return [str(name) for name in estimator.get_feature_names_out()]
    return [str(label) for label in estimator.classes_] if method.startswith("predict_") else None


@final
@dataclass(frozen=True, eq=False)
class _Answer:
    """Task that calls a method of a fitted estimator with the rows of a block."""

    estimator: Any
    method: str
    args: tuple[Any, ...]
    options: dict[str, Any]

    def __call__(self, block: Block) -> Any:
        return getattr(self.estimator, self.method)(block.X, *self.args, **self.options)


@final
@dataclass(frozen=True)
class _Column:
    """Task that returns the targets or weights of a block."""

    name: str

    def __call__(self, block: Block) -> Any:
        return np.array(getattr(block, self.name))


def _scored(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def score(self: Any, X: Any, y: Any = None, *args: Any, **options: Any) -> Any:
        if is_collection(X):  # the score is a number: predictions are computed
            X, y = as_source(X, y, options.pop("sample_weight", None), lazy=False), None
        if not isinstance(X, BlockSource) or not (is_classifier(self) or is_regressor(self)):
            return method(self, X, y, *args, **options)
        if y is None:
            if not X.has_targets:
                raise ValueError(f"{type(self).__name__}: score needs targets, but {X!r} has none; pass them as y.")
            y = np.concatenate(list(X.map(_Column("y"))))
        if X.has_weights and not args and options.get("sample_weight") is None:
            options["sample_weight"] = np.concatenate(list(X.map(_Column("weight"))))
        return method(self, X, y, *args, **options)

    score._in_blocks = True  # type: ignore[attr-defined]
    score.__doc__ = _LINK.sub(r"\1", method.__doc__ or "")
    return score


def _check_columns(estimator: Any, source: BlockSource) -> None:
    """Raise ValueError unless a source has the columns of the training samples."""
    check_is_fitted(estimator)
    who = type(estimator).__name__
    expected = getattr(estimator, "n_features_in_", source.n_features)
    if source.n_features != expected:
        raise ValueError(
            f"{source!r} has {source.n_features} features, but {who} is expecting {expected} features as input; pass "
            "the columns of the fit."
        )
    names, own = getattr(estimator, "feature_names_in_", None), source.feature_names
    if names is not None and own is not None and list(names) != list(own):
        raise ValueError(f"{who}: the blocks have the columns {own}, expected those of the fit, {list(names)}.")
