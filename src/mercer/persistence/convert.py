"""Conversion of models to storable objects and back."""

import inspect
import sys
from collections import OrderedDict
from collections.abc import Collection
from enum import Enum
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from mercer._estimator.basis import Kept
from mercer._validation import Rebuilt, describe
from mercer._words import OneWord, proper_name
from mercer.kernels import Kernel
from mercer.persistence.data import DATA
from mercer.persistence.kernels import FUNCTION, kernel_codec
from mercer.persistence.schema import is_plain
from mercer.persistence.stored import Codec, Stored, class_name, need
from mercer.persistence.training_samples import is_frame, storable
from mercer.persistence.values import SCALARS, VALUES

__all__ = ["restored", "storable_copy"]

_MAPPINGS = (dict, OrderedDict, Bunch)
_SAMPLES = {"X_fit_", "support_vectors_", "landmarks_", "landmarks", "components_"}
_IN_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_REFUSED: dict[type, str] = {
    np.random.Generator: "pass an integer as random_state",
    bytearray: "convert it to bytes",
    Enum: "take its value",
}
_CALLBACKS = "_skl_callbacks"  # not stored: callbacks belong to the program, not to the model


def storable_copy(model: Any) -> Any:
    """Replace objects with invariants by `Stored`; other objects are copied, arrays are not."""
    return _Storing().convert(model, type(model).__name__)


def restored(model: Any, trusted: Collection[str] = ()) -> Any:
    """Replace every `Stored` by the object it represents; objects and lists are changed in place."""
    return _Restoring(trusted).convert(model)


class _Storing:
    """Conversion of one model for a file; shared objects are stored once."""

    def __init__(self) -> None:
        self.codecs: tuple[Codec, ...] = (kernel_codec(), *DATA, *VALUES)
        self.done: dict[int, tuple[Any, Any]] = {}  # includes the object itself, so that its id is not reused
        self.open: set[int] = set()

    def convert(self, value: Any, place: str) -> Any:
        """Convert a value; `place` is its path from the model, for error messages."""
        if type(value) in SCALARS:
            return value
        if id(value) in self.open:
            raise TypeError(f"save: {place} contains itself, which cannot be stored; remove the cycle.")
        if id(value) not in self.done:
            self.open.add(id(value))
            self.done[id(value)] = self._converted(value, place), value
            self.open.remove(id(value))
        return self.done[id(value)][0]

    def _converted(self, value: Any, place: str) -> Any:
        cls = type(value)
        for codec in self.codecs:
            if codec.matches(value):
                try:
                    state = codec.state(value)
                except (TypeError, ValueError) as error:
                    raise TypeError(f"save: {place}: {error}.") from error
                stored = {name: self.convert(item, place) for name, item in state.items()}
                return Stored(codec.kind, class_name(cls), stored)
        if cls is list or cls is tuple:
            return cls(self.convert(item, f"{place}[{i}]") for i, item in enumerate(value))
        if cls in _MAPPINGS:
            made = cls()
            made.update({name: self.convert(item, f"{place}[{name!r}]") for name, item in value.items()})
            return made
        if isinstance(value, np.ndarray | np.generic):
            return _array(value, place)
        if isinstance(value, FunctionType):
            return _function(value, place)
        for refused, hint in _REFUSED.items():
            if isinstance(value, refused):
                raise TypeError(f"save: {place}: {describe(value)} cannot be stored; {hint}.")
        if is_frame(value):
            raise TypeError(f"save: {place}: {describe(value)} cannot be stored; convert it to an array or a Table.")
        return self._object(value, place) if _has_plain_state(value) else value

    def _object(self, value: Any, place: str) -> Any:
        """Copy an object with storable attributes."""
        state = value.__getstate__() or {}  # without attributes that are rebuilt on loading
        if type(state) is not dict:
            return value
        attributes = {n: item for n, item in state.items() if n != _CALLBACKS and not isinstance(item, Kept)}
        if isinstance(value, BaseEstimator) and type(value).__module__.startswith("mercer."):
            kernel = attributes.get("kernel")
            if callable(kernel) and not isinstance(kernel, Kernel):
                raise TypeError(f"save: {place}.kernel {FUNCTION}.")
            for name in attributes.keys() & _SAMPLES:
                try:
                    attributes[name] = storable(attributes[name], attributes.get("kernel_"))
                except (TypeError, ValueError) as error:
                    raise TypeError(f"save: {place}.{name}: {error}.") from error
        copy = object.__new__(type(value))
        copy.__dict__.update({name: self.convert(item, f"{place}.{name}") for name, item in attributes.items()})
        return copy


class _Restoring:
    """Conversion of one model from a file."""

    def __init__(self, trusted: Collection[str]) -> None:
        self.codecs = {codec.kind: codec for codec in (kernel_codec(trusted), *DATA, *VALUES)}
        self.done: dict[int, tuple[Any, Any]] = {}

    def convert(self, value: Any) -> Any:
        if type(value) in SCALARS:
            return value
        if id(value) not in self.done:
            self.done[id(value)] = self._converted(value), value
        return self.done[id(value)][0]

    def _converted(self, value: Any) -> Any:
        if type(value) is Stored:
            need(value.kind in self.codecs and type(value.state) is dict, f"{value.kind!r} is not a known kind")
            return self.codecs[value.kind].restore(self.convert(value.state))
        if type(value) is tuple:
            return tuple(map(self.convert, value))
        if type(value) is list:
            value[:] = map(self.convert, value)
        elif type(value) in _MAPPINGS:
            for name in value:
                value[name] = self.convert(value[name])
        elif _has_plain_state(value):
            for name, item in vars(value).items():
                vars(value)[name] = self.convert(item)
            if isinstance(value, Rebuilt):  # rebuild it from the converted attributes
                value.__setstate__(value.__getstate__())
            if isinstance(value, BaseEstimator) and type(value).__module__.startswith("mercer."):
                _complete(value)
        return value


def _complete(model: BaseEstimator) -> None:
    """Add current parameters to an estimator from a file of an earlier version: renamed ones, or defaults.

    A class whose fitted attributes have changed defines ``_upgrade``, which converts those of older files.
    """
    state = vars(model)
    known = {name: p for name, p in inspect.signature(type(model)).parameters.items() if p.default is not p.empty}
    for word in [word for word in state if not word.startswith("_")]:
        name = proper_name(word, known)
        if name is not None and name not in state:
            state[name] = state.pop(word)
    for name, parameter in known.items():
        state.setdefault(name, parameter.default)
    if hasattr(model, "_upgrade"):
        model._upgrade()


def _has_plain_state(value: Any) -> bool:
    """Whether an object of a Python class is determined by its attributes and uses the default pickling."""
    cls: Any = type(value)
    default = cls.__reduce_ex__ is object.__reduce_ex__ and cls.__reduce__ is object.__reduce__
    plain = hasattr(value, "__dict__") and not any(vars(base).get("__slots__") for base in cls.__mro__)
    return default and plain and cls.__new__ in (object.__new__, OneWord.__new__) and bool(cls.__flags__ & _IN_PYTHON)


def _array(value: Any, place: str) -> Any:
    if not is_plain(value.dtype) or isinstance(value, np.void):
        raise TypeError(
            f"save: {place}: an array of dtype {value.dtype} cannot be stored; convert it to numbers or texts."
        )
    if isinstance(value, np.generic) or type(value) is np.ndarray:
        return value
    if type(value) is np.memmap:
        return np.asarray(value)
    raise TypeError(f"save: {place}: {type(value).__name__} cannot be stored; convert it with numpy.asarray.")


def _function(value: Any, place: str) -> Any:
    if getattr(sys.modules.get(value.__module__), value.__name__, None) is not value:
        raise TypeError(
            f"save: {place}: the function {value.__qualname__} cannot be imported by its name; define it at the top "
            "level of a module."
        )
    return value
