"""Representation of objects with invariants in model files.

skops stores estimators by their attributes and restores them without calling a constructor. This is sufficient for
estimators, whose attributes are arrays and numbers, but not for objects with invariants: kernels, packed samples,
sparse matrices. These are stored as `Stored`, a kind and a state of plain values. The `Codec` of each kind restores the
object by its constructor, which validates the state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mercer._validation import Pending

__all__ = ["Codec", "Stored", "class_name", "need"]


@dataclass(eq=False)
class Stored(Pending):
    """Representation of a kernel, packed samples or a sparse matrix in a model file.

    The class is public because model files contain its name. Programs do not need it.

    Parameters
    ----------
    kind : str
        Kind of the object, which determines how it is restored.
    name : str
        Class of the object, shown by `about`. It is never imported.
    state : dict
        Plain values, arrays, and representations of other objects.

    See Also
    --------
    save : Writes objects in this form.
    load : Restores the objects.

    Examples
    --------
    >>> from mercer.persistence import Stored
    >>> Stored("kernel", "mercer.kernels.RBF", {"text": "rbf(gamma=0.5)"}).state
    {'text': 'rbf(gamma=0.5)'}
    """

    kind: str
    name: str
    state: dict[str, Any]


@dataclass(frozen=True)
class Codec:
    """Conversion of objects of one kind to a state and back.

    Parameters
    ----------
    kind : str
        Name of the kind.
    matches : callable
        Returns whether an object is of this kind.
    state : callable
        Returns the state of an object, a dict whose values may be objects of any kind. Raises TypeError or ValueError
        if the object cannot be stored.
    restore : callable
        Returns the object for a state whose values are already restored. The state may be arbitrary data from a file;
        any exception means that the file is damaged.
    """

    kind: str
    matches: Callable[[Any], bool]
    state: Callable[[Any], dict[str, Any]]
    restore: Callable[[dict[str, Any]], Any]


def class_name(cls: type) -> str:
    """Dotted name of a class.

    >>> class_name(Codec)
    'mercer.persistence.stored.Codec'
    """
    return f"{cls.__module__}.{cls.__qualname__}"


def need(holds: Any, what: str) -> None:
    """Raise ValueError with the message `what` unless a condition holds."""
    if not holds:
        raise ValueError(what)
