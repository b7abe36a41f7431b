"""Tables of docs/coming-from: names and parameters in the column of mercer exist."""

import ast
import builtins
import importlib
import inspect
import re

import pytest
import sklearn.calibration
import sklearn.exceptions
import sklearn.model_selection
import sklearn.pipeline
import sklearn.preprocessing
import sklearn.svm
from numpydoc.docscrape import NumpyDocString

from tests.test_documentation import PAGES
from tests.test_public_names import OBJECTS

TRANSLATIONS = [page for page in PAGES if page.startswith("docs/coming-from/")]
BORROWED = (
    sklearn.calibration,
    sklearn.exceptions,
    sklearn.model_selection,
    sklearn.pipeline,
    sklearn.preprocessing,
    sklearn.svm,
)
PUBLIC = re.compile(r"[A-Z]|make_")
EXISTING = {
    **vars(builtins),
    **{name: getattr(module, name) for module in BORROWED for name in dir(module) if PUBLIC.match(name)},
    **{place.rpartition(".")[2]: thing for place, thing in OBJECTS.items()},
}


def code_of_mercer(text):
    """Code in the cells of columns headed "mercer", from the tables of a page."""
    column = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else []
        if not cells:
            column = None
        elif column is None:
            column = cells.index("mercer") if "mercer" in cells else -1
        elif column >= 0 and len(cells) > column:
            yield from re.findall(r"(?<!`)`([^`]+)`(?!`)", cells[column])


def unknown(code):
    """Capitalised names that do not exist, and keywords that a called class or function does not have."""
    try:
        tree = ast.parse(code.replace("...", "a0"), mode="eval")
    except SyntaxError:  # a keyword with its value
        return []
    found = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Name)
            and re.fullmatch(r"[A-Z]\w*[a-z]\w*[a-zA-Z0-9]", node.id)
            and node.id not in EXISTING
        ):
            found.append(node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EXISTING:
            parameters = inspect.signature(EXISTING[node.func.id]).parameters
            if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
                found += [f"{node.func.id}: {key.arg}" for key in node.keywords if key.arg not in parameters]
    return found


@pytest.mark.parametrize("page", TRANSLATIONS)
def test_names_and_parameters_exist(page):
    assert [fault for code in code_of_mercer(PAGES[page]) for fault in unknown(code)] == []


def test_missing_names_are_found():
    text = "| theirs | mercer |\n|---|---|\n| `a` | `Nothing(1)`, `RBF(width=2)` |\n\n| `a` | `b` |\n"
    assert [fault for code in code_of_mercer(text) for fault in unknown(code)] == ["Nothing", "RBF: width"]


# ---- classes that replace those of scikit-learn

SECTION = PAGES["docs/coming-from/scikit-learn.md"].partition("## Names")[2].partition("\n\nThese classes solve")[0]
REPLACED = re.findall(r"^\| `(sklearn\.[\w.]+)` \| `(mercer\.[\w.]+)` \| (.*) \| (.*) \|$", SECTION, re.MULTILINE)


def imported(place):
    module, _, name = place.rpartition(".")
    return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize(("theirs", "ours", "parameters", "attributes"), REPLACED, ids=[row[1] for row in REPLACED])
def test_new_parameters_and_attributes_are_listed(theirs, ours, parameters, attributes):
    old, new = imported(theirs)().get_params().keys(), imported(ours)().get_params().keys()
    assert old <= new
    assert set(re.findall(r"`(\w+)`", parameters)) == new - old
    documented = {
        name.strip()
        for entry in NumpyDocString(inspect.getdoc(imported(ours)))["Attributes"]
        for name in entry.name.split(",")
    }
    assert set(re.findall(r"`(\w+)`", attributes)) <= documented


def test_every_row_is_read():
    assert len(REPLACED) == SECTION.count("| `sklearn.") == 7
