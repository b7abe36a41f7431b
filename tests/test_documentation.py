"""Pages and docstrings name only what can be imported, by its public name."""

import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import mercer
from tests.test_public_names import CLASSES, FAMILIES, NAMED, PACKAGES

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
}
PROGRAMS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (ROOT / "examples").rglob("*.py")}
DOCSTRINGS = {
    place: inspect.getdoc(thing) or ""
    for place, thing in [
        ("mercer", mercer),
        *((package.__name__, package) for package in PACKAGES + FAMILIES),
        *NAMED.items(),
        *(
            (f"{place}.{name}", member)
            for place, cls in CLASSES.items()
            for name, member in vars(cls).items()
            if not name.startswith("_")
        ),
    ]
}
PUBLIC = {module.__name__ for module in (mercer, *PACKAGES, *FAMILIES)}
CONTRIBUTORS = ("CONTRIBUTING.md", "docs/development/how-to-add-an-estimator.md")  # may name private packages

PROMPTS = re.compile(r"^( *)(>>>|\.\.\.) ?", re.MULTILINE)
FROM = re.compile(r"\bfrom (mercer[\w.]*) import (\([^)]*\)|[^\n(]*)")
DOTTED = re.compile(r"(?<![\w./'-])mercer(?:\.\w+)+")  # not the end of a file's name


def references(text):
    """Dotted names of mercer in a text, each once: of imports, of code, of prose."""
    plain = PROMPTS.sub(r"\1", text)
    found = dict.fromkeys(DOTTED.findall(plain))
    for package, names in FROM.findall(plain):
        listed = re.sub(r"#.*|[()]", "", names).replace("\n", " ").split(",")
        found |= {f"{package}.{name.split()[0]}": None for name in listed if name.strip() not in ("", "*")}
    return list(found)


def resolve(reference, *, private=False):
    """Walk to an object by public names only, or from a private package; AssertionError where a name is missing."""
    thing = mercer
    for name in reference.split(".")[1:]:
        if isinstance(thing, ModuleType):
            path = f"{thing.__name__}.{name}"
            module = importlib.import_module(path) if path in PUBLIC or (private and name[0] == "_") else None
            assert module or name in thing.__all__, f"{reference}: {name} is not public in {thing.__name__}"
            thing = module or getattr(thing, name)
        else:
            assert hasattr(thing, name), f"{reference}: {name} is not an attribute of {thing!r}"
            thing = getattr(thing, name)


@pytest.mark.parametrize("page", [*PAGES, *PROGRAMS, *DOCSTRINGS])
def test_names_can_be_imported(page):
    for reference in references({**PAGES, **PROGRAMS, **DOCSTRINGS}[page]):
        resolve(reference, private=page in CONTRIBUTORS)


def test_references_are_found():
    text = """
    >>> from mercer.kernels import (  # all of them
    ...     RBF,
    ...     Linear as Dot,
    ... )
    >>> import mercer.svm
    >>> mercer.SVC(kernel=RBF()).fit(X, y)

    `mercer.ridge.KernelRidge.fit`, in model.mercer, of src/mercer.py
    """
    assert set(references(text)) == {
        "mercer.kernels",
        "mercer.kernels.RBF",
        "mercer.kernels.Linear",
        "mercer.svm",
        "mercer.SVC",
        "mercer.ridge.KernelRidge.fit",
    }


@pytest.mark.parametrize("reference", ["mercer.svm.svc.SVC", "mercer.nothing", "mercer.SVC.nothing", "mercer._doors"])
def test_names_that_are_not_public_are_found(reference):
    with pytest.raises(AssertionError, match="is not"):
        resolve(reference)
