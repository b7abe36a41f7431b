"""Samples in the body of a request: JSON or CSV."""

import json
from typing import Any

from mercer.datasets.delimited import parse_delimited
from mercer.datasets.typed_tables import parse_records

__all__ = ["JSON_FORMS", "TYPES", "RequestError", "samples_of"]

BODY = "request body"
TYPES = ("application/json", "text/csv")
JSON_FORMS = (
    'a list of objects, {"records": [...]}, {"columns": {"name": [...]}} or, without columns, {"samples": [...]}'
)


class RequestError(Exception):
    """A request that gets a 4xx or 5xx answer with a sentence."""

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.status, self.headers = status, headers


def samples_of(body: bytes, kind: str) -> Any:
    """Samples of a body: a frame, or a list if the samples have no columns.

    Parameters
    ----------
    body : bytes
        Body of the request.
    kind : str
        Media type: one of `TYPES`.

    Returns
    -------
    polars.DataFrame or list
        Samples.

    Raises
    ------
    ValueError
        If the body cannot be read.
    """
    if kind == "text/csv":
        return parse_delimited(BODY, body).X
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{BODY}: is not JSON ({error}).") from None
    if isinstance(value, dict) and len(value) == 1 and (form := next(iter(value))) in _FORMS:
        return _FORMS[form](value[form])
    if isinstance(value, list):
        return _records(value) if all(isinstance(item, dict) for item in value) else _listed(value)
    raise ValueError(f"{BODY}: expected {JSON_FORMS}, got {_kind(value)}.")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value; write null")


def _records(value: Any) -> Any:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError(f"{BODY}: 'records' must be a list of objects, got {_kind(value)}.")
    return parse_records(BODY, value).X


def _columns(value: Any) -> Any:
    if not isinstance(value, dict) or not all(isinstance(column, list) for column in value.values()):
        raise ValueError(f"{BODY}: 'columns' must be an object of lists, got {_kind(value)}.")
    lengths = {name: len(column) for name, column in value.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{BODY}: the lists of 'columns' must have equal lengths, got {lengths}.")
    rows = zip(*value.values(), strict=True)
    return parse_records(BODY, [dict(zip(value, row, strict=True)) for row in rows]).X


def _listed(value: Any) -> Any:
    if not isinstance(value, list) or not value:
        raise ValueError(f"{BODY}: 'samples' must be a list of at least one sample, got {_kind(value)}.")
    return value


_FORMS = {"records": _records, "columns": _columns, "samples": _listed}


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}
    found = names.get(type(value), "a number")
    return f"{found} with the keys {', '.join(map(repr, list(value)[:5]))}" if isinstance(value, dict) else found
