"""Objects as plain things that can be written, and back again by the constructors that check them.

skops writes estimators by their attributes, and reads them by filling a new object, which no constructor sees. That is
right for estimators, whose attributes are arrays and numbers, and wrong for values with invariants: kernels, packed
samples, sparse matrices. In a file these stand as `Stored`: a kind and a state of plain things. Each kind has a
`Codec`, whose `restore` goes through the constructor and so accepts nothing that a constructor would refuse.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mercer._validation import Pending

__all__ = ["Codec", "Stored", "class_name", "need"]


@dataclass(eq=False)
class Stored(Pending):
    """What stands in a file for an object.

    Attributes
    ----------
    kind : str
        Which codec restores it.
    name : str
        Its class, for `mercer.persistence.about`; nothing is ever imported by it.
    state : dict
        Plain things, arrays, and what stands for other objects.
    """

    kind: str
    name: str
    state: dict[str, Any]


@dataclass(frozen=True)
class Codec:
    """How objects of one kind are stored.

    Attributes
    ----------
    kind : str
    matches : callable
        Whether an object is of this kind.
    state : callable
        Its state, a dict; what is in it may be of any kind again. TypeError or ValueError if it cannot be stored.
    restore : callable
        The object from its state, the parts of which are restored already. Takes whatever a file may hold: an
        exception of any type means that the file is damaged.
    """

    kind: str
    matches: Callable[[Any], bool]
    state: Callable[[Any], dict[str, Any]]
    restore: Callable[[dict[str, Any]], Any]


def class_name(cls: type) -> str:
    """The dotted name of a class.

    >>> class_name(Codec)
    'mercer.persistence.stored.Codec'
    """
    return f"{cls.__module__}.{cls.__qualname__}"


def need(holds: Any, what: str) -> None:
    """Refuse a state that does not hold together."""
    if not holds:
        raise ValueError(what)
