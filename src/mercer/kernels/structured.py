"""Error messages for strings, trees and graphs that were given to a vector kernel."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from mercer._typing import Data
from mercer.data import Graph, Graphs, Strings, Table, Tree, Trees, n_samples
from mercer.data.frames import as_frame, as_series

__all__ = ["explained", "kind_of", "naming_kernels"]

F = TypeVar("F", bound=Callable[..., Any])

_KERNELS = {
    "strings": "a string kernel, e.g. mercer.kernels.Spectrum(p=3), Subsequence() or, for text, BagOfWords()",
    "trees": "a tree kernel, e.g. mercer.kernels.SubsetTree()",
    "graphs": "a graph kernel, e.g. mercer.kernels.WeisfeilerLehman()",
}
_CONTAINERS = {Strings: "strings", Trees: "trees", Graphs: "graphs"}
_LIBRARIES = {"networkx": "graphs", "igraph": "graphs", "grakel": "graphs", "nltk": "trees"}


def kind_of(X: Data) -> str | None:
    """Kind of samples: "strings", "trees" or "graphs"; None for everything else.

    >>> kind_of(["GATTACA", "CAT"]), kind_of([["a", "b"], ["c"]]), kind_of([["red", "big"], ["blue", "big"]])
    ('strings', 'strings', None)
    """
    for container, kind in _CONTAINERS.items():
        if isinstance(X, container):
            return kind
    values = _single_column(X)
    if values is None or len(values) == 0:
        return None
    first = values[0]
    match first:
        case str() | bytes():
            return "strings"
        case Tree():
            return "trees"
        case Graph():
            return "graphs"
        case list() | tuple() if first and all(isinstance(item, str | bytes) for item in first):
            lengths = {len(value) for value in values if isinstance(value, list | tuple)}
            return "strings" if len(lengths) > 1 else None  # rows of equal length are categorical data
    return _LIBRARIES.get(type(first).__module__.partition(".")[0])


def _single_column(X: Data) -> Any:
    """Values of data with one value per sample; None if there are several columns, or no columns."""
    if isinstance(X, np.ndarray):
        return X if X.ndim == 1 else X[:, 0] if X.ndim == 2 and X.shape[1] == 1 else None
    if isinstance(X, list | tuple):
        return X
    if isinstance(X, Table):
        return X.column(0) if len(X.names) == 1 else None
    frame, series = as_frame(X), as_series(X)
    if frame is not None:
        return next(frame.iter_columns()).to_list() if frame.shape[1] == 1 else None
    return None if series is None else series.to_list()


@contextmanager
def explained(who: str, X: Data) -> Iterator[None]:
    """Context manager that replaces a conversion error by one that names the kernels for these samples.

    Parameters
    ----------
    who : str
        Kernel or estimator named in the message.
    X : data
        Data converted inside the block.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        kind = kind_of(X)
        if kind is None:
            raise
        cls = TypeError if isinstance(error, TypeError) else ValueError
        raise cls(
            f"{who}: expected vectors of numbers, got {n_samples(X)} {kind}; use {_KERNELS[kind]}, as kernel= of an "
            "estimator or by itself."
        ) from error


def naming_kernels(check: F) -> F:
    """Decorator for ``check(estimator, kernel, X, ...)``: errors about X name the kernels for such samples."""

    @wraps(check)
    def checked(estimator: Any, kernel: Any, X: Data, *args: Any, **options: Any) -> Any:
        if kernel.reads != "vectors":
            return check(estimator, kernel, X, *args, **options)
        with explained(f"{type(estimator).__name__} with the kernel {kernel}", X):
            return check(estimator, kernel, X, *args, **options)

    return checked  # type: ignore[return-value]
