"""Nested parameters of immutable kernels: ``kernel__0__gamma`` is the gamma of the first term of a sum.

scikit-learn sets nested parameters in place. Kernels are immutable, so a change builds new kernels along the path.
"""

import dataclasses
from typing import TYPE_CHECKING, Any

from mercer._validation import shortened
from mercer._words import refuse_other_words

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__ = ["get_params", "with_params"]


def _own_fields(kernel: "Kernel") -> dict[str, Any]:
    """Parameters by name. Fields that are excluded from comparisons are not parameters."""
    fields = dataclasses.fields(kernel)  # type: ignore[arg-type]
    return {f.name: getattr(kernel, f.name) for f in fields if f.init and f.compare}


def get_params(kernel: "Kernel", deep: bool = True) -> dict[str, Any]:
    """Fields of the kernel and, if `deep`, those of its parts as ``name__field``."""
    params = _own_fields(kernel)
    if deep:
        for name, part in kernel.parts().items():
            params[name] = part
            params.update({f"{name}__{key}": value for key, value in get_params(part).items()})
    return params


def with_params(kernel: "Kernel", changes: dict[str, Any]) -> "Kernel":
    """Copy of a kernel with some parameters replaced: whole parts first, then parameters inside them."""
    fields, parts = _own_fields(kernel), kernel.parts()
    own: dict[str, Any] = {}
    nested: dict[str, dict[str, Any]] = {}
    for key, value in changes.items():
        name, _, rest = key.partition("__")
        if name not in (parts if rest else fields.keys() | parts.keys()):
            refuse_other_words(type(kernel).__name__, [key], fields, ValueError)
            known = ", ".join(sorted(fields.keys() | parts.keys()))
            raise ValueError(f"{type(kernel).__name__} has no parameter {shortened(key)!r}; it has {known}.")
        if rest:
            nested.setdefault(name, {})[rest] = value
        elif name in parts:
            parts[name] = value
        else:
            own[name] = value
    if any(name in fields and name not in parts for name in own):
        kernel = dataclasses.replace(kernel, **own)  # type: ignore[type-var]
        replaced = {name for name in changes if "__" not in name and name in kernel.parts()}
        parts = {**kernel.parts(), **{name: parts[name] for name in replaced}}
    for name, inner in nested.items():
        if name not in parts:
            raise ValueError(
                f"{type(kernel).__name__} has no part {name!r} after the change; it has {', '.join(parts)}."
            )
        parts[name] = with_params(parts[name], inner)
    return kernel if parts == kernel.parts() else kernel.with_parts(parts)
