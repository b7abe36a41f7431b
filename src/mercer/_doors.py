"""Public names: ``__module__`` of every public object is the package from which it is imported.

A class is defined in a file of a package, ``mercer/svm/svc.py``, and imported from the package, ``mercer.svm``. Python
records the file. Pickles, model files, tracebacks and generated code would then name files, and renaming a file would
break them. `publish` records the package instead.
"""

from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

__all__ = ["publish"]


def publish(package: str, names: Mapping[str, Any]) -> None:
    """Set ``__module__`` of the public classes and functions of a package to the package.

    Called as ``publish(__name__, globals())`` at the end of the package's ``__init__``. Objects that were imported from
    another public package keep that package, and constants and type aliases have no ``__module__`` of their own.

    Parameters
    ----------
    package : str
        Dotted name of the package.
    names : mapping of str to object
        Its namespace. Entries listed in ``__all__`` are published.

    Notes
    -----
    Methods are changed with their class, because doctest collects the methods of a class only if both have the same
    module. ``inspect.getsource`` does not find the source of a published class, because it searches the file of the
    package. It finds the source of its methods.

    Examples
    --------
    >>> from mercer.svm import SVC
    >>> SVC.__module__
    'mercer.svm'
    """
    inside = (f"{package}.", "mercer._")  # private modules and the compiled core have no public names
    for name in names["__all__"]:
        thing = names[name]
        module = getattr(thing, "__module__", None)
        if hasattr(thing, "__qualname__") and str(module).startswith(inside):
            for part in (thing, *_methods(thing)):
                if part.__module__ == module:
                    part.__module__ = package


def _methods(thing: Any) -> Iterator[Any]:
    """Yield the functions in the body of a class."""
    for value in vars(thing).values() if isinstance(thing, type) else ():
        function = getattr(value, "__func__", value)  # of a static or class method
        if isinstance(function, FunctionType):
            yield function
