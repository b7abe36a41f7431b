"""Pickles with other contents than their object had."""

import copyreg
import pickle
from typing import Any

__all__ = ["changed", "fields_of"]


class _Reduced:
    """Pickles as the value that it was given."""

    def __init__(self, *reduced: Any) -> None:
        self.reduced = reduced

    def __reduce__(self) -> Any:
        return self.reduced


def _blank(cls: type) -> Any:
    return cls.__new__(cls)


def fields_of(value: Any) -> dict[str, Any]:
    """What a pickle of an object holds, by name."""
    make, arguments, *state = value.__reduce_ex__(4)
    if make is copyreg.__newobj__:
        return dict(state[0])
    if isinstance(arguments[-1], dict) and len(arguments) == 2:
        return dict(arguments[1])
    return dict(zip(("kind", "values", "levels"), arguments, strict=True))  # a column


def changed(value: Any, /, without: str | None = None, **changes: Any) -> Any:
    """An object read from a pickle in which some fields were replaced or left out."""
    make, arguments, *_ = value.__reduce_ex__(4)
    fields = {name: field for name, field in (fields_of(value) | changes).items() if name != without}
    if make is copyreg.__newobj__:
        reduced: tuple[Any, ...] = _blank, arguments, fields
    else:
        reduced = make, (arguments[0], fields) if len(arguments) == 2 else tuple(fields.values())
    return pickle.loads(pickle.dumps(_Reduced(*reduced)))
