"""Descriptions of kernels as plain data, for ``mercer kernels``."""

import dataclasses
import inspect
import re
from typing import Any

from mercer.kernels import Kernel, Linear, Power, kernel
from mercer.kernels.registry import ALIASES, NODES, families, parameters, registered

__all__ = ["describe_kernel", "describe_kernels"]


DEFAULT = re.compile(r",? *(default=.*|optional)$")  # shown in a column of its own
ROLE = re.compile(r":[\w:]+:(?=`)")


def describe_kernels() -> dict[str, Any]:
    """Describe every kernel by family, and every operation of the kernel algebra."""
    leaves = [_leaf(cls, family) for family, members in families().items() for cls in members]
    return {"kernels": leaves, "nodes": [_node(cls) for cls in NODES]}


def describe_kernel(text: str) -> dict[str, Any]:
    """Describe one kernel, given by name or as an expression, with its certificate if it has one."""
    cls = registered().get(ALIASES.get(text, text))
    if cls is None:
        return _expression(kernel(text))
    if cls in NODES:
        return _node(cls)
    family = next(name for name, members in families().items() if cls in members)
    described = _leaf(cls, family)
    if described["definiteness"] is not None:
        described["certificate"] = cls().certificate().to_dict()
    return described


def _leaf(cls: type[Kernel], family: str) -> dict[str, Any]:
    described = _parameters(cls)
    complete = not any(p["required"] for p in described)
    return {
        "name": cls.name,
        "class": cls.__name__,
        "module": cls.__module__,
        "family": family,
        "summary": _summary(cls),
        "formula": cls.formula,
        "definiteness": cls().definiteness.value if complete else None,
        "domain": cls.domain,
        "parameters": described,
    }


def _node(cls: type[Kernel]) -> dict[str, Any]:
    written, make = NODES[cls]
    return {
        "written": written,
        "class": cls.__name__,
        "module": cls.__module__,
        "summary": _summary(cls),
        "formula": cls.formula,
        "of_psd": make(Linear()).definiteness.value,
        "of_cpd": make(Power()).definiteness.value,
        "parameters": _parameters(cls),
    }


def _expression(value: Kernel) -> dict[str, Any]:
    certificate = value.certificate()
    params = {k: v for k, v in value.get_params().items() if not _holds_kernels(v)}
    return {
        "name": str(value),
        "python": repr(value),
        "definiteness": certificate.definiteness.value,
        "parameters": [{"name": name, "value": params[name]} for name in params],
        "certificate": certificate.to_dict(),
    }


def _holds_kernels(value: Any) -> bool:
    return isinstance(value, Kernel) or (isinstance(value, tuple) and any(isinstance(v, Kernel) for v in value))


def _summary(cls: type[Kernel]) -> str:
    return _unmarked((inspect.getdoc(cls) or "").partition("\n\n")[0])


def _unmarked(text: str) -> str:
    """Remove line breaks and reStructuredText markup."""
    return ROLE.sub("", " ".join(text.split())).replace("`", "")


def _parameters(cls: type[Kernel]) -> list[dict[str, Any]]:
    """Name, default, type and description of each parameter, from the docstrings of the class and its bases."""
    about = dict[str, tuple[str, str]]()
    for base in reversed(cls.__mro__[:-1]):
        section = re.search(r"Parameters\n-+\n(.*?)(?=\n\n\S|\Z)", inspect.cleandoc(base.__doc__ or ""), re.DOTALL)
        entries = re.finditer(r"^(\w+) : (.*)((?:\n    .*)*)", section[1] if section else "", re.M)
        about |= {entry[1]: (DEFAULT.sub("", _unmarked(entry[2])), _unmarked(entry[3])) for entry in entries}
    described = []
    for name, field in parameters(cls).items():
        kind, text = about.get(name, ("", ""))
        required = field.default is field.default_factory is dataclasses.MISSING
        default = None if field.default is dataclasses.MISSING else field.default
        entry = {"name": name, "default": default, "required": required, "by_name": bool(field.kw_only)}
        described.append({**entry, "type": kind, "about": text})
    return described
