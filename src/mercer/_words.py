"""Consistent parameter names: synonyms of scikit-learn's names raise an error that states the correct name.

`WORDS` lists the synonyms. Classes derive from `OneWord`, functions are decorated with `one_word`. Both raise an error
if a synonym is given and the parameter that it stands for exists.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, Self, TypeVar

__all__ = ["WORDS", "OneWord", "one_word", "proper_name", "refuse_other_words"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

# Synonyms used by former versions or by other libraries, with the parameters that they may stand for.
WORDS: Mapping[str, tuple[str, ...]] = {
    "centre": ("center",),
    "clusters": ("n_clusters",),
    "dimensions": ("n_components",),
    "epochs": ("max_iter",),
    "folds": ("cv",),
    "max_epochs": ("max_iter",),
    "most": ("max_samples",),
    "n_dimensions": ("n_components",),
    "n_epochs": ("max_iter",),
    "n_folds": ("cv",),
    "n_iter": ("max_iter",),
    "n_splits": ("cv",),
    "n_threads": ("n_jobs",),
    "neighbors": ("n_neighbors",),
    "passes": ("max_iter",),
    "reg": ("alpha", "C"),
    "regularisation": ("reg", "alpha", "C"),
    "regularization": ("reg", "alpha", "C"),
    "seed": ("random_state",),
    "threads": ("n_jobs",),
    "tolerance": ("tol",),
}


def proper_name(word: str, parameters: Iterable[str]) -> str | None:
    """Return the parameter among `parameters` that a synonym stands for; None for words that are not in the list.

    >>> proper_name("seed", ["kernel", "random_state"]), proper_name("seed", ["kernel"])
    ('random_state', None)
    """
    known = set(parameters)
    if word in known:
        return None
    return next((name for name in WORDS.get(word, ()) if name in known), None)


def refuse_other_words(
    who: str, given: Iterable[str], parameters: Iterable[str], error: type[Exception] = TypeError
) -> None:
    """Raise an error if one of the given keywords is a synonym of a parameter."""
    known = list(parameters)
    for word in given:
        name = proper_name(word, known)
        if name is not None:
            raise error(f"{who}: got the parameter {word!r}, which is called {name!r}; pass {name}=... instead.")


class OneWord:
    """Mixin for classes whose constructor raises an error for synonyms of its parameters.

    The check runs in ``__new__``, so that the signature of ``__init__``, which scikit-learn and dataclasses read, is
    not changed.

    Examples
    --------
    >>> from mercer.cluster import KernelKMeans
    >>> KernelKMeans(3, seed=0)
    Traceback (most recent call last):
    ...
    TypeError: KernelKMeans: got the parameter 'seed', which is called 'random_state'; pass random_state=... instead.
    """

    def __new__(cls, *values: Any, **parameters: Any) -> Self:  # noqa: ARG004
        if not WORDS.keys().isdisjoint(parameters):
            refuse_other_words(cls.__name__, parameters, inspect.signature(cls.__init__).parameters)
        return super().__new__(cls)


def one_word(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorate a function so that it raises an error for synonyms of its parameters.

    Examples
    --------
    >>> @one_word
    ... def draw(n, *, random_state=0):
    ...     return list(range(n))
    >>> draw(2, random_state=1)
    [0, 1]
    >>> draw(2, seed=1)
    Traceback (most recent call last):
    ...
    TypeError: draw: got the parameter 'seed', which is called 'random_state'; pass random_state=... instead.
    """
    parameters = inspect.signature(function).parameters

    @wraps(function)
    def checked(*values: _P.args, **options: _P.kwargs) -> _R:
        if not WORDS.keys().isdisjoint(options):
            refuse_other_words(function.__name__, options, parameters)
        return function(*values, **options)

    return checked
