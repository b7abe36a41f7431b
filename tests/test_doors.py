"""Which objects `publish` claims for a package."""

import functools
from enum import Enum
from types import FunctionType
from typing import NamedTuple

import numpy as np

from mercer._doors import publish

ROOM = "mercer.pack.room"


def decorator(function):
    @functools.wraps(function)
    def wrapper(*values):
        return function(*values)

    return wrapper


class Plain:
    """With methods of every sort."""

    def method(self): ...

    @classmethod
    def of_class(cls): ...

    @staticmethod
    def static(): ...

    @decorator
    def decorated(self): ...

    shared = decorator


class Word(Enum):
    """A value."""

    YES = 1


class Pair(NamedTuple):
    """Two values."""

    a: int
    b: int


def function(): ...


@decorator
def wrapped(): ...


@functools.cache
def cached(): ...


def published(**names):
    """The modules that objects name after they were published, each defined in a file of the package before."""
    for thing in names.values():
        members = [getattr(v, "__func__", v) for v in vars(thing).values()] if isinstance(thing, type) else []
        thing.__module__ = ROOM
        for member in members:
            if isinstance(member, FunctionType) and member.__qualname__.startswith(f"{thing.__name__}."):
                member.__module__ = ROOM
    publish("mercer.pack", {**names, "__all__": list(names), "hidden": object()})
    return {thing.__module__ for thing in names.values()}


def test_classes_and_functions():
    things = {"Plain": Plain, "Word": Word, "Pair": Pair, "function": function, "wrapped": wrapped, "cached": cached}
    assert published(**things) == {"mercer.pack"}


def test_methods_follow_their_class_and_borrowed_functions_do_not():
    published(Plain=Plain)
    for name in ("method", "of_class", "static", "decorated"):
        member = vars(Plain)[name]
        assert getattr(member, "__func__", member).__module__ == "mercer.pack"
    assert Plain.shared.__module__ == __name__


def test_objects_of_other_packages_keep_theirs():
    def other(): ...

    other.__module__ = "mercer.package.room"  # begins alike
    names = {"other": other, "array": np.array, "path": np.linalg.norm}
    before = [thing.__module__ for thing in names.values()]
    publish("mercer.pack", {**names, "__all__": list(names)})
    assert [thing.__module__ for thing in names.values()] == before


def test_private_modules_have_no_names_of_their_own():
    def private(): ...

    private.__module__ = "mercer._core"
    publish("mercer.pack", {"private": private, "__all__": ["private"]})
    publish("mercer.late", {"private": private, "__all__": ["private"]})
    assert private.__module__ == "mercer.pack"


def test_constants_and_aliases_are_left_alone():
    names = {"NUMBERS": (1, 2), "TABLE": {}, "Alias": list[int], "Either": int | str, "value": Word.YES}
    publish("mercer.pack", {**names, "__all__": list(names)})
    assert list[int].__module__ == "builtins"
