"""Codec of kernels: their text form if it is complete, else class and parameters.

Kernels are restored by their constructors. Classes are imported only if they are kernels of mercer, registered in this
process, or trusted by the caller.
"""

import dataclasses
from collections.abc import Collection
from importlib import import_module
from typing import Any

import numpy as np

from mercer._words import proper_name
from mercer.kernels import Kernel, Map, User, Weighted, kernel, registered
from mercer.kernels.registry import NODES
from mercer.kernels.text import kernel_of_file
from mercer.persistence.errors import UntrustedTypeError
from mercer.persistence.stored import Codec, class_name, need

__all__ = ["FUNCTION", "kernel_codec", "known_kernels"]

_LONGEST = 100_000  # largest number of characters of a text form that is tried
_WITH_FUNCTIONS = (User, Weighted, Map)
FUNCTION = (
    "contains a Python function, which cannot be stored; define the kernel as a subclass of mercer.kernels.Kernel and "
    "register it with mercer.kernels.register, or apply the function in a transformer before the model"
)


def kernel_codec(trusted: Collection[str] = ()) -> Codec:
    """Codec of kernels; unregistered classes of users are restored only if `trusted` names them."""
    return Codec("kernel", lambda value: isinstance(value, Kernel), _state, lambda state: _restore(state, trusted))


def known_kernels() -> dict[str, type[Kernel]]:
    """Kernel classes that are trusted, by name: those of mercer without functions, and registered ones."""
    return {class_name(cls): cls for cls in (*registered().values(), *NODES) if cls not in _WITH_FUNCTIONS}


def _state(value: Kernel) -> dict[str, Any]:
    if isinstance(value, _WITH_FUNCTIONS):
        raise TypeError(f"the kernel {value} {FUNCTION}")
    text = str(value)
    if _is_complete(text, value):
        return {"text": text}
    cls = type(value)
    if "<locals>" in cls.__qualname__:
        raise TypeError(f"the kernel {cls.__name__} is defined inside a function; define it in a module or register it")
    fields = _fields(value)
    if not _same(_fields(cls(**fields)), fields):
        raise TypeError(f"the kernel {value} cannot be restored from its parameters")
    return {"text": text, "class": class_name(cls), "fields": fields}


def _restore(state: dict[str, Any], trusted: Collection[str]) -> Kernel:
    if "class" not in state:
        return kernel_of_file(state["text"])
    name, fields = state["class"], state["fields"]
    need(type(name) is str and type(fields) is dict, "a kernel has no class or no parameters")
    cls = known_kernels().get(name)
    if cls is None:
        if name not in trusted:
            raise UntrustedTypeError([name])
        module, _, word = name.rpartition(".")
        cls = getattr(import_module(module), word)
        is_kernel = isinstance(cls, type) and issubclass(cls, Kernel) and cls not in _WITH_FUNCTIONS
        need(is_kernel, f"{name} is not a kernel")
    known = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    return cls(**{proper_name(word, known) or word: value for word, value in fields.items()})


def _fields(value: Kernel) -> dict[str, Any]:
    return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}  # type: ignore[arg-type]


def _is_complete(text: str, value: Kernel) -> bool:
    """Whether the text form restores the kernel exactly."""
    if len(text) > _LONGEST:
        return False
    try:
        read = kernel(text)
    except (TypeError, ValueError):  # a class that is not registered
        return False
    return type(read) is type(value) and _same(_fields(read), _fields(value))


def _same(first: Any, second: Any) -> bool:
    """Whether two values are equal in type and value, including the sign of zeros."""
    if type(first) is not type(second):
        return False
    if isinstance(first, Kernel):
        return _same(_fields(first), _fields(second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(_same(first[name], second[name]) for name in first)
    if isinstance(first, tuple | list):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    return repr(first) == repr(second)
