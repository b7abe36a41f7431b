"""Conversions of data that the parts of a kernel expression share.

Inside a block of `sharing`, `once` computes a value once per object. Raw samples become one `Strings`, `Trees` or
`Graphs` container, whatever the number of leaves that read them, and values derived from it (folded case, tokens,
codes) are shared, too. Values are stored by the identity of the object and released at the end of the block.
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
    """Computed values by name and source object.

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
        self._alive: list[Any] = []  # an id is unique only during the lifetime of its object

    def once(self, what: Any, X: Any, make: Callable[[], T]) -> T:
        """Return ``make()``, computed at the first call for this `what` and this object X."""
        key = (what, id(X))
        if key not in self._made:
            made = make()
            self._alive.append(X)
            self._made[key] = made
        return self._made[key]  # type: ignore[no-any-return]


_current: ContextVar[Conversions | None] = ContextVar("mercer_conversions", default=None)


@contextmanager
def sharing(*, join: bool = False) -> Iterator[None]:
    """Open a block in which `once` computes each value once per object.

    Parameters
    ----------
    join : bool, default=False
        Whether to use the enclosing block, if there is one. By default a block shares nothing with the enclosing one,
        because functions of users run inside blocks and may change their data between two calls of a kernel.
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
    """Return ``make()``, computed once for this `what` and this object X inside a block of `sharing`.

    Parameters
    ----------
    what : hashable
        Name of the value, with all parameters on which it depends besides X.
    X : object
        Object from which the value is computed. Its identity counts, not its content.
    make : callable
        Function without arguments that computes the value, which must not be modified afterwards.

    Returns
    -------
    object
        The value.

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
        Samples. A table or matrix must have a single column.
    container : type
        `Strings`, `Trees` or `Graphs`.
    who : str
        Name of the kernel, for error messages.
    what : str
        Kind of sample, for error messages.

    Returns
    -------
    container
        The samples; X itself if it is such a container.
    """
    if isinstance(X, container):
        return X
    # Tables that select one column by name and by index are different objects with the same column.
    source = X.columns[0] if isinstance(X, Table) and len(X.columns) == 1 else X
    return once(container, source, lambda: packed(X, container, who, what))  # type: ignore[no-any-return]


def as_vectors(X: Data, who: str) -> Any:
    """Data as a matrix of floats, dense or CSR, checked once. Errors name the kernel `who`."""

    def convert() -> Any:
        with explained(who, X):
            return check_vectors(who, as_matrix(X, who))

    return once("vectors", X, convert)
