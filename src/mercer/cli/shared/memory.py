"""The option ``--max-memory`` of all commands that read data."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from cyclopts import Parameter

__all__ = ["with_memory_limit"]

MaxMemory = Annotated[
    str | None,
    Parameter(
        help="Memory limit for reading, such as 2GB. Files that need more are refused. "
        "[default: half of the available memory]",
        metavar="SIZE",
        show_default=False,
    ),
]
_READ = ("data", "folder")  # parameters that name what a command reads


def with_memory_limit(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option to a command; a command that reads no data is returned as it is."""
    signature = inspect.signature(command)
    if not any(name in signature.parameters for name in _READ):
        return command

    @wraps(command)
    def limited(*arguments: Any, max_memory: str | None = None, **options: Any) -> Any:
        from mercer._runtime.budget import checked_bytes, limited_memory

        with limited_memory(checked_bytes(command.__name__, max_memory)):
            return command(*arguments, **options)

    option = inspect.Parameter("max_memory", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=MaxMemory)
    parameters = list(signature.parameters.values())
    at = next(i for i, parameter in enumerate(parameters) if parameter.name == "json")
    limited.__signature__ = signature.replace(parameters=[*parameters[:at], option, *parameters[at:]])  # type: ignore[attr-defined]
    limited.__annotations__ = {**command.__annotations__, "max_memory": MaxMemory}
    return limited
