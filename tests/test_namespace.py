"""The package itself: complete, lazy and light."""

import importlib
import importlib.metadata
import subprocess
import sys

import pytest

import mercer
import mercer.kernels


@pytest.mark.parametrize("name", mercer.__all__)
def test_every_public_name_loads(name):
    assert getattr(mercer, name) is not None
    assert name in dir(mercer)


def test_names_at_the_top_are_those_of_their_packages():
    for name in mercer.__all__:
        value = getattr(mercer, name)
        if hasattr(value, "__qualname__"):
            assert value is getattr(importlib.import_module(value.__module__), name)


def test_star_imports():
    names = {}
    exec("from mercer import *", names)
    assert names.keys() >= set(mercer.__all__)


def test_names_are_the_functions_not_the_modules_of_that_name():
    assert mercer.kernel("rbf") == mercer.RBF()
    assert callable(mercer.user)
    assert callable(mercer.repair)
    assert callable(mercer.kernels.repair)


def test_the_automatic_models_come_with_their_evaluation():
    assert mercer.evaluate is mercer.auto.evaluate


def test_version_is_that_of_the_distribution():
    assert mercer.__version__ == importlib.metadata.version("mercer")


def test_unknown_names_raise():
    with pytest.raises(AttributeError, match="module 'mercer' has no attribute 'RFB'"):
        mercer.RFB  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("mercer.nothing")


def _after(statement: str) -> set[str]:
    """Modules in a fresh interpreter after a statement, and the number of its threads."""
    code = f"import sys, threading\n{statement}\nprint(threading.active_count(), *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    threads, *modules = done.stdout.split()
    assert threads == "1"
    return set(modules)


def test_import_is_light():
    modules = _after("import mercer")
    heavy = {"numpy", "scipy", "sklearn", "threadpoolctl", "mercer._core", "mercer.kernels"}
    assert not modules & heavy


def test_tools_that_probe_for_attributes_load_nothing():
    modules = _after("import mercer; hasattr(mercer, '__wrapped__'), hasattr(mercer, '_pytest_x'), mercer.__version__")
    assert "mercer.kernels" not in modules


def test_kernels_do_not_load_scikit_learn():
    modules = _after("import mercer; mercer.kernel('rbf + linear')")
    heavy = {"sklearn", "threadpoolctl", "matplotlib", "pandas", "polars", "cyclopts", "rich"}
    assert not modules & heavy
