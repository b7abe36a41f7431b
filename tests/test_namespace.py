"""The package itself: complete, lazy and light."""

import importlib
import importlib.metadata
import subprocess
import sys

import pytest

import mercer
import mercer.kernels
import mercer.kernels.graphs
import mercer.kernels.strings
import mercer.kernels.trees


@pytest.mark.parametrize("name", mercer.__all__)
def test_every_public_name_loads(name):
    assert getattr(mercer, name) is not None
    assert name in dir(mercer)


def test_all_kernels_are_at_the_top():
    assert set(mercer.kernels.__all__) <= set(mercer.__all__)
    for name in mercer.kernels.__all__:
        assert getattr(mercer, name) is getattr(mercer.kernels, name)


def test_every_kernel_class_is_public():
    classes = set(mercer.kernels.registered().values())
    places = (mercer.kernels, mercer.kernels.strings, mercer.kernels.trees, mercer.kernels.graphs)
    assert classes <= {getattr(place, name) for place in places for name in place.__all__}


def test_names_are_the_functions_not_the_modules_of_that_name():
    assert mercer.kernel("rbf") == mercer.RBF()
    assert callable(mercer.user)
    assert callable(mercer.repair)
    assert callable(mercer.kernels.repair)


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


def test_kernels_do_not_load_scikit_learn():
    modules = _after("import mercer; mercer.kernel('rbf + linear')")
    heavy = {"sklearn", "threadpoolctl", "matplotlib", "pandas", "polars", "cyclopts", "rich"}
    assert not modules & heavy
