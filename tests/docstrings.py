"""Rules for the docstrings of public objects; ``python -m tests.docstrings [PREFIX ...]`` lists violations."""

import inspect
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import EnumMeta
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import roles
from numpydoc.docscrape import get_doc_object
from numpydoc.docscrape_sphinx import SphinxDocString
from numpydoc.validate import Validator, validate
from sklearn.base import BaseEstimator

from mercer.kernels import Kernel
from tests.test_public_names import NAMED, OBJECTS

__all__ = ["DOCUMENTED", "faults"]

for _role in (
    "ref",
    "doc",
    "py:obj",
    "obj",
    "class",
    "func",
    "meth",
    "mod",
    "term",
):  # Sphinx's; here their text is enough
    roles.register_local_role(
        _role, lambda role, raw, text, line, inliner, options=None, content=(): ([nodes.inline(raw, text)], [])
    )

MARKUP = re.compile(
    r"Undefined substitution|Unknown target name|start-string without end-string|Unexpected indentation"
)

IGNORED = {
    "GL01",  # the summary starts on the line of the quotes
    "GL02",  # and the quotes close a one-line docstring on the same line
    "ES01",  # not every object needs more than a summary
    "SA04",  # a name in See Also may be enough
    "SS05",  # "Returns", "Rows of …": nouns and formulas open summaries, too
    "SS02",  # a summary may start with a formula or a name in lower case
    "PR08",  # and so may a description
    "RT04",
    "PR09",  # descriptions may end with a formula or a table
    "RT05",
    "YD01",
}
ON_METHODS = {"SA01", "EX01"}  # the class has them


@dataclass(frozen=True)
class Documented:
    """A public object: its dotted name, itself, and the class if it is a method or property."""

    name: str
    thing: Any
    owner: type | None = None


def _documented() -> Iterator[Documented]:
    """Public classes and functions, and the methods and properties that mercer defines for them, each once."""
    seen = set()
    for place, thing in NAMED.items():
        yield Documented(place, thing)
        for name in dir(thing) if isinstance(thing, type) else ():
            base = next((base for base in thing.__mro__ if name in vars(base)), None)
            if name.startswith("_") or base is None or re.fullmatch(r"set_\w+_request", name):
                continue
            member = vars(base)[name]
            plain = getattr(member, "fget", getattr(member, "__func__", member))
            module = getattr(plain, "__module__", None) or ""
            if module.startswith("mercer") and inspect.isfunction(plain) and id(plain) not in seen:
                seen.add(id(plain))
                yield Documented(f"{place}.{name}", getattr(thing, name) if inspect.isroutine(plain) else member, thing)


DOCUMENTED = {one.name: one for one in _documented()}


def faults(one: Documented) -> list[str]:
    """What is missing or wrong in the docstring of an object, each a line that starts with a code.

    Codes of two letters and two digits are numpydoc's. ``DEF`` marks defaults that differ from the signature, ``REF``
    missing references, ``TYPE`` parameters without a type, ``RST`` text that reStructuredText takes for markup.
    """
    if not inspect.getdoc(one.thing):
        return ["GL08 no docstring"]
    ignored = IGNORED | (ON_METHODS if one.owner else set())
    if isinstance(one.thing, EnumMeta):
        ignored |= {"PR01"}  # its call looks up a member
    found = [f"{code} {text}" for code, text in validate(one.name)["errors"] if code not in ignored]
    return found + _defaults(one) + _references(one) + _markup(inspect.getdoc(one.thing))


def _defaults(one: Documented) -> list[str]:
    """Parameters whose type line does not end with the default of the signature."""
    if isinstance(one.thing, property) or not callable(one.thing):
        return []
    try:
        signature = inspect.signature(one.thing)
    except (TypeError, ValueError):
        return []
    types = {}
    for parameter in get_doc_object(one.thing)["Parameters"]:
        for name in parameter.name.split(","):
            types[name.strip().lstrip("*")] = parameter.type
    found = []
    for name, parameter in signature.parameters.items():
        if name not in types:
            continue  # numpydoc's own check
        if not types[name]:
            found.append(f"TYPE {name}: no type")
        if parameter.default is inspect.Parameter.empty or parameter.kind is parameter.VAR_KEYWORD:
            if re.search(r"\bdefault\b", types[name]):
                found.append(f"DEF {name}: has no default, got '{types[name]}'")
        elif not _states(types[name], parameter.default):
            found.append(f"DEF {name}: expected 'default={parameter.default!r}', got '{types[name]}'")
    return found


def _states(text: str, default: Any) -> bool:
    """Whether a type line ends with the default: ``default=0.5``, ``default="rbf"`` or ``optional`` for None."""
    if default is None and text.endswith("optional"):
        return True
    stated = re.search(r"default=(.+)$", text)
    if stated is None:
        return False
    said = stated[1].strip().strip("`")
    if isinstance(default, str):
        return said in (f'"{default}"', f"'{default}'")
    if isinstance(default, type) or inspect.isfunction(default):
        return said == default.__name__
    try:
        return bool(eval(said, {"np": __import__("numpy"), **NAMES}) == default)  # 1e-3 and 0.001 are the same
    except Exception:  # the text of an object that is not a literal
        return said == repr(default)


NAMES = {  # classes and constants
    place.rpartition(".")[2]: thing for place, thing in OBJECTS.items() if isinstance(thing, type) or place not in NAMED
}


def _references(one: Documented) -> list[str]:
    """Estimators and kernels name the literature."""
    cls = one.thing
    if one.owner or not isinstance(cls, type) or inspect.isabstract(cls) or not issubclass(cls, Kernel | BaseEstimator):
        return []
    return [] if get_doc_object(cls)["References"] else ["REF no section References"]


def _markup(text: str) -> list[str]:
    """Bars, stars and trailing underscores outside of literals, which reStructuredText takes for markup."""
    messages = io.StringIO()
    settings = {"warning_stream": messages, "report_level": 2, "halt_level": 5}
    publish_doctree(str(SphinxDocString(text)), settings_overrides=settings)
    found = [line for line in messages.getvalue().splitlines() if MARKUP.search(line)]
    return [f"RST {line.partition(') ')[2]}" for line in found]


def _main(prefixes: list[str]) -> int:
    total = 0
    for name, one in DOCUMENTED.items():
        source = Validator(get_doc_object(one.thing)).source_file_name if inspect.getdoc(one.thing) else None
        chosen = not prefixes or any(name.startswith(prefix) or prefix in str(source) for prefix in prefixes)
        for fault in faults(one) if chosen else ():
            print(f"{name}: {fault}")
            total += 1
    print(f"{total} faults")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
