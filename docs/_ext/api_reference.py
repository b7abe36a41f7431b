"""Sphinx extension: writes one page for each public package, with a table of its objects.

`PACKAGES` lists the packages in order. A public package that is missing there is an error. Pages of single objects are
written by autosummary with the templates of ``docs/_templates``.
"""

import importlib
import inspect
import pkgutil
import re
from functools import cached_property
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.inspect import stringify_signature

import mercer

PACKAGES = {
    "Kernels": ["kernels", "testing"],
    "Classification and regression": ["svm", "ridge", "perceptron", "discriminant", "neighbors"],
    "Several kernels, learned kernels, unlabelled samples": [
        "multiple_kernel",
        "feature_learning",
        "semi_supervised",
    ],
    "Components, embeddings, clusters": ["decomposition", "cluster", "preprocessing", "kernel_approximation"],
    "Tables and automatic models": ["auto", "explain", "report", "plots"],
    "Data and models in files": ["data", "datasets", "persistence", "serving", "faces"],
    "Selection and statistics": ["model_selection"],
    "Under the estimators": ["operators", "approximation", "solvers", "exceptions"],
}
COMMAND_LINE = {"cli"}  # has a page of its own
REQUESTS = re.compile(r"set_\w+_request")  # scikit-learn's, with links into its pages


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension."""
    app.setup_extension("sphinx.ext.autodoc")  # has the second event
    app.connect("config-inited", write_pages, priority=100)
    app.connect("autodoc-process-signature", class_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx, config: Config) -> None:
    """Write ``api/index.rst`` and a page for each package; unchanged files keep their time stamps."""
    config.autosummary_context = {"shown_members": shown_members}
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    public = {m.name for m in pkgutil.iter_modules(mercer.__path__) if not m.name.startswith("_")} - COMMAND_LINE
    listed = [name for names in PACKAGES.values() for name in names]
    if sorted(listed) != sorted(public):
        raise ValueError(
            f"docs/_ext/api_reference.py: PACKAGES differs from the public packages: {public ^ set(listed)}"
        )
    _write(folder / "index.rst", _index())
    for name in listed:
        _write(folder / f"mercer.{name}.rst", _package(f"mercer.{name}"))
    for page in (folder / "generated").glob("*.rst"):  # of objects that are gone
        package, _, name = page.stem.rpartition(".")
        if package.removeprefix("mercer.") not in listed or name not in importlib.import_module(package).__all__:
            page.unlink()


def class_signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str, None] | None:
    """Signature of a class as `inspect.signature` has it; autodoc would show that of ``__new__``."""
    if what != "class" or signature is None:
        return None
    return stringify_signature(inspect.signature(obj), show_annotation=False, show_return_annotation=False), None


def shown_members(fullname: str) -> list[tuple[str, str]]:
    """Methods and properties for the page of a class, as (directive, name).

    Inherited members are shown unless they come from another library or from a public base class with its own page.
    """
    package, _, name = fullname.rpartition(".")
    cls = getattr(importlib.import_module(package), name)
    found = []
    for member in sorted(vars_of(cls)):
        owner = next(base for base in cls.__mro__ if member in vars(base))
        value = vars(owner)[member]
        computed = isinstance(value, property | cached_property)  # the latter counts as a routine, too
        method = inspect.isroutine(value) or isinstance(value, classmethod | staticmethod)
        if REQUESTS.fullmatch(member) or not (computed or method):
            continue
        inner = getattr(value, "__func__", value)
        if owner is not cls and (
            _is_public(owner) or not (getattr(inner, "__module__", None) or owner.__module__).startswith("mercer")
        ):
            continue
        if inspect.getdoc(getattr(cls, member, None)):
            found.append(("autoproperty" if computed else "automethod", member))
    return found


def vars_of(cls: type) -> set[str]:
    """Public names in a class and its bases."""
    return {name for base in cls.__mro__ for name in vars(base) if not name.startswith("_")}


def _is_public(cls: type) -> bool:
    """Whether a class belongs to a public package, and so has a page of its own."""
    home, _, package = cls.__module__.partition(".")
    listed = {name for names in PACKAGES.values() for name in names}
    return home == "mercer" and package in listed and cls.__name__ in importlib.import_module(cls.__module__).__all__


def _index() -> str:
    lines = [
        "API reference",
        "=============",
        "",
        "Grouped as the packages are. ``import mercer`` also exports the most used names.",
        "",
    ]
    for title, names in PACKAGES.items():
        lines += [title, "-" * len(title), "", ".. list-table::", "   :widths: 30 70", ""]
        for name in names:
            summary = (importlib.import_module(f"mercer.{name}").__doc__ or "").strip().splitlines()[0]
            lines += [f"   * - :doc:`mercer.{name} <mercer.{name}>`", f"     - {summary}"]
        lines += ["", ".. toctree::", "   :hidden:", "", *(f"   mercer.{name}" for name in names), ""]
    return "\n".join(lines)


def _package(package: str) -> str:
    module = importlib.import_module(package)
    lines = [
        package,
        "=" * len(package),
        "",
        f".. automodule:: {package}",
        "   :no-members:",
        "",
        f".. currentmodule:: {package}",
        "",
    ]
    groups: dict[str, list[str]] = {"Classes": [], "Functions": [], "Constants": []}
    for name in sorted(module.__all__, key=str.lower):
        value = getattr(module, name)
        group = "Classes" if inspect.isclass(value) else "Functions" if callable(value) else "Constants"
        groups[group].append(name)
    for title, names in groups.items():
        if names:
            lines += [
                title,
                "-" * len(title),
                "",
                ".. autosummary::",
                "   :toctree: generated",
                "   :nosignatures:",
                "",
            ]
            lines += [*(f"   {name}" for name in names), ""]
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
