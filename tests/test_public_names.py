"""Every public object names the package it is imported from, and every kernel is in the one list of them."""

import ast
import importlib
import inspect
import pickle
import pkgutil
import typing
from types import FunctionType, ModuleType

import pytest

import mercer
import mercer.kernels
from mercer.kernels import Kernel, library
from mercer.kernels.registry import LIBRARY, NODES, families

PACKAGES = [
    importlib.import_module(f"mercer.{module.name}")
    for module in pkgutil.iter_modules(mercer.__path__)
    if not module.name.startswith("_")
]
FAMILIES = [importlib.import_module(f"mercer.kernels.{name}") for name in ("strings", "trees", "graphs")]
OBJECTS = {f"{package.__name__}.{name}": getattr(package, name) for package in PACKAGES for name in package.__all__}
NAMED = {place: thing for place, thing in OBJECTS.items() if hasattr(thing, "__qualname__")}
CLASSES = {place: thing for place, thing in NAMED.items() if isinstance(thing, type)}


@pytest.mark.parametrize("place", NAMED)
def test_public_objects_name_their_package(place):
    package, _, name = place.rpartition(".")
    assert NAMED[place].__module__ == package
    assert NAMED[place].__qualname__ == name


@pytest.mark.parametrize("place", NAMED)
def test_public_objects_pickle_by_name(place):
    written = pickle.dumps(NAMED[place])
    assert pickle.loads(written) is NAMED[place]
    for part in place.split("."):
        assert part.encode() in written


def test_all_others_are_constants():
    assert all(place.rpartition(".")[2].isupper() for place in OBJECTS.keys() - NAMED.keys())


def test_an_object_has_one_home():
    homes = {}
    for place, thing in NAMED.items():
        assert homes.setdefault(id(thing), place) == place
    for family in FAMILIES:
        for name in family.__all__:
            assert getattr(family, name) is getattr(mercer.kernels, name)


@pytest.mark.parametrize("place", CLASSES)
def test_methods_name_the_package_of_their_class(place):
    """doctest collects only such methods."""
    for value in vars(CLASSES[place]).values():
        function = getattr(value, "__func__", value)
        own = isinstance(function, FunctionType) and function.__qualname__.startswith(f"{CLASSES[place].__name__}.")
        if own and function.__module__.startswith("mercer."):  # not one that a decorator has made
            assert function.__module__ == CLASSES[place].__module__, function


@pytest.mark.parametrize("place", CLASSES)
def test_annotations_resolve(place):
    """Names in quotes are looked up in the module that a class names."""
    typing.get_type_hints(CLASSES[place])


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_packages_say_what_is_public(package):
    assert package.__doc__
    assert len(set(package.__all__)) == len(package.__all__)
    assert not [name for name in package.__all__ if isinstance(getattr(package, name), ModuleType)]


# ---- kernels


def _kernel_classes(base=Kernel):
    """Classes of mercer that derive from a class, in every file of the package."""
    for module in pkgutil.walk_packages(mercer.kernels.__path__, "mercer.kernels."):
        importlib.import_module(module.name)
    derived = [cls for cls in base.__subclasses__() if cls.__module__.partition(".")[0] == "mercer"]
    return {base, *(cls for one in derived for cls in _kernel_classes(one))}


def test_every_kernel_of_the_library_is_in_the_list():
    classes = _kernel_classes()
    leaves = {cls for cls in classes if not any(cls in other.__bases__ for other in classes)}
    public = {cls for cls in leaves if not cls.__name__.startswith("_")}
    assert public == set(LIBRARY), "add to the table in mercer/kernels/registry.py"


def test_the_list_is_what_is_exported():
    exported = {value for value in vars(library).values() if isinstance(value, type) and issubclass(value, Kernel)}
    assert exported == set(LIBRARY)
    assert len(set(LIBRARY)) == len(LIBRARY)
    for cls in LIBRARY:
        assert getattr(mercer.kernels, cls.__name__) is cls


GENERIC = {  # everyday words, and nodes that operators build: mercer.Sum would not say that it is a kernel
    *("Constant", "Delta", "Exponential", "Gapped", "Intersection", "Log", "Mismatch", "Overlap", "Power"),
    *("Propagation", "Subsequence", "User"),
    *(cls.__name__ for cls in NODES),
}


@pytest.mark.parametrize("cls", LIBRARY)
def test_kernels_with_generic_names_are_in_their_package_only(cls):
    name = cls.__name__
    assert (name in mercer.__all__) == (name not in GENERIC)
    if name not in GENERIC:
        assert getattr(mercer, name) is cls
        return
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; it is mercer.kernels.{name}$"):
        getattr(mercer, name)


def test_family_packages_hold_their_family():
    for family in FAMILIES:
        name = family.__name__.rpartition(".")[2]
        assert {cls.__name__ for cls in families()[name]} == set(family.__all__)


def test_names_do_not_clash():
    names = [*(GENERIC | mercer._HOMES.keys()), *mercer._PACKAGES]
    assert len(set(names)) == len(names)


# ---- what type checkers see


def _imports(module):
    """Names that a module exports by ``import … as``, and the modules from which it takes all, as its source says."""
    names, stars = set(), set()
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom):
            names |= {item.asname for item in node.names if item.asname == item.name}
            stars |= {node.module for item in node.names if item.name == "*"}
    return names, stars


def test_type_checkers_see_the_same_names():
    assert _imports(mercer) == (set(mercer.__all__) - {"__version__"}, set())
    names, stars = _imports(mercer.kernels)
    assert stars == {"mercer.kernels.library"}
    assert names | {cls.__name__ for cls in LIBRARY} == set(mercer.kernels.__all__)
