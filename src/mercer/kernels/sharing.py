"""Conversions of data that the leaves of an expression share.

`once` computes a thing once per object while a block of `sharing` is open: raw samples become one `Strings`, `Trees` or
`Graphs` whatever the number of leaves that read them, and so do the results that leaves derive from it (folded case,
tokens, codes). Results are stored by the identity of the object and are released at the end of the block.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from mercer._typing import Data
from mercer._validation import check_vectors
from mercer.data import Table, as_matrix
from mercer.data.convert import packed
from mercer.kernels.structured import explained

__all__ = ["Conversions", "as_container", "as_vectors", "once", "sharing"]

T = TypeVar("T")


class Conversions:
    """Results by what was computed and from which object.

    Examples
    --------
    >>> shared, words = Conversions(), ["GATTACA", "CAT"]
    >>> shared.once("lengths", words, lambda: [len(word) for word in words])
    [7, 3]
    >>> shared.once("lengths", words, lambda: 1 / 0)  # not computed again
    [7, 3]
    """

    def __init__(self) -> None:
        self._made: dict[tuple[Any, int], Any] = {}
        self._alive: list[Any] = []  # an id is unique only as long as its object lives

    def once(self, what: Any, X: Any, make: Callable[[], T]) -> T:
        """Return ``make()``, computed at the first call for this `what` and this very object X."""
        key = (what, id(X))
        if key not in self._made:
            made = make()
            self._alive.append(X)
            self._made[key] = made
        return self._made[key]  # type: ignore[no-any-return]


_current: ContextVar[Conversions | None] = ContextVar("mercer_conversions", default=None)


@contextmanager
def sharing(*, join: bool = False) -> Iterator[None]:
    """Open a block in which `once` computes each thing once per object.

    Parameters
    ----------
    join : bool, default=False
        Whether to use the block that is already open, if there is one. By default a block shares nothing with the one
        around it: functions of users run inside of blocks and may change their data between two calls of a kernel.
    """
    if join and _current.get() is not None:
        yield
        return
    token = _current.set(Conversions())
    try:
        yield
    finally:
        _current.reset(token)


def once(what: Any, X: Any, make: Callable[[], T]) -> T:
    """Return ``make()``, computed once for this `what` and this very object X while a block of `sharing` is open.

    Parameters
    ----------
    what : hashable
        Name of the result, with all parameters that it depends on besides X.
    X : object
        What the result is computed from. Its identity counts, not its value.
    make : callable
        Computes the result, which must not be changed afterwards.

    Examples
    --------
    >>> words = ["GATTACA", "CAT"]
    >>> with sharing():
    ...     once("upper", words, lambda: list(words)) is once("upper", words, lambda: list(words))
    True
    >>> once("upper", words, lambda: list(words)) is once("upper", words, lambda: list(words))
    False
    """
    current = _current.get()
    return make() if current is None else current.once(what, X, make)


def as_container(X: Data, container: type[T], who: str, what: str) -> T:
    """Samples in a container, converted once.

    Parameters
    ----------
    X : container, list, array or column
        A table or matrix needs a single column.
    container : type
        `Strings`, `Trees` or `Graphs`.
    who, what : str
        Name of the kernel and what a sample is, for error messages.

    Returns
    -------
    container
        X itself if it is one.
    """
    if isinstance(X, container):
        return X
    # Tables that select one column by its name and by its number are different objects around the same column.
    source = X.columns[0] if isinstance(X, Table) and len(X.columns) == 1 else X
    return once(container, source, lambda: packed(X, container, who, what))  # type: ignore[no-any-return]


def as_vectors(X: Data, who: str) -> Any:
    """The data as a matrix of floats, dense or CSR, checked once; `who` is the kernel named in errors."""

    def convert() -> Any:
        with explained(who, X):
            return check_vectors(who, as_matrix(X, who))

    return once("vectors", X, convert)
