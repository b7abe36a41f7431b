"""Samples, targets and groups of a data set, each on its own."""

from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from mercer._typing import Data
from mercer._validation import check_flag, describe
from mercer.data import take
from mercer.data.frames import as_frame, locate

if TYPE_CHECKING:
    from mercer.datasets.dataset import Dataset

__all__ = ["Split", "split"]

_WHO = "Dataset.split"
_USUAL = ("target", "class", "label", "y")


class _Parts(NamedTuple):
    X: Data
    y: npt.NDArray[Any] | None
    groups: npt.NDArray[Any] | None


@final
class Split(_Parts):
    """What `Dataset.split` gives: a tuple ``X, y, groups`` with two attributes.

    Attributes
    ----------
    target : str or None
        What y is called.
    notes : tuple of str
        Those of the data set, and the decisions that were taken while splitting.
    """

    target: str | None
    notes: tuple[str, ...]


def split(data: "Dataset", target: str | None, groups: str | None, drop_missing: bool) -> Split:
    """See `Dataset.split`."""
    drop_missing = check_flag(_WHO, "drop_missing", drop_missing)
    notes = list(data.notes)
    frame = as_frame(data.X)
    taken: dict[str, Any] = {}
    if frame is None:
        _check_unnamed(data, target, groups)
        X, called = data.X, data.target
        if data.y is not None:
            taken["target"] = data.y
    else:
        called = _choose(data, frame.columns, target, notes)
        taken["target"] = frame[called]
        if groups is not None:
            taken["groups"] = frame[_locate(frame.columns, groups)]
            if groups == called:
                raise ValueError(f"{_WHO}: column {groups!r} cannot be both the target and the groups.")
        if len(taken) == frame.shape[1]:
            raise ValueError(f"{_WHO}: {data.name!r} has no column left to learn from.")
        X = frame.drop([values.name for values in taken.values()]).to_native()
    keep = np.ones(len(data), dtype=bool)
    for values in taken.values():
        keep &= ~_missing(values)
    if not keep.all():
        what = " or no ".join([f"target {called!r}", f"groups {groups!r}"][: len(taken)])
        _tell_missing(data, keep, what, drop_missing, notes)
        X = take(X, keep)
    arrays = {what: _array(values, keep) for what, values in taken.items()}
    parts = Split(X, arrays.get("target"), arrays.get("groups"))
    parts.target, parts.notes = called, tuple(notes)
    return parts


def _check_unnamed(data: "Dataset", target: str | None, groups: str | None) -> None:
    """Refuse names of columns where there are none."""
    if target is not None and (data.y is None or target != data.target):
        own = "carries no targets" if data.y is None else f"carries its targets itself, called {data.target!r}"
        raise ValueError(f"{_WHO}: {data.name!r} has no columns and {own}; {target!r} was asked for.")
    if groups is not None:
        raise ValueError(f"{_WHO}: {data.name!r} has no columns, so {groups!r} cannot be the groups.")


def _choose(data: "Dataset", columns: list[str], target: str | None, notes: list[str]) -> str:
    """Name of the column that is the target."""
    named = data.target if target is None else target
    if named is not None:
        return _locate(columns, named)
    usual = [name for name in columns if name.lower() in _USUAL]
    if len(usual) != 1:
        which = f"{' and '.join(map(repr, usual))} could all be the target" if usual else "no column is called target"
        raise ValueError(f"{_WHO}: {which}; name one of the columns of {data.name!r}: {', '.join(map(repr, columns))}.")
    notes.append(f"Column {usual[0]!r} is taken as the target.")
    return usual[0]


def _locate(columns: list[str], name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{_WHO}: expected the name of a column, got {describe(name)}.")
    return columns[locate(_WHO, columns, name)]


def _tell_missing(data: "Dataset", keep: npt.NDArray[np.bool_], what: str, drop: bool, notes: list[str]) -> None:
    n, first = int((~keep).sum()), int(np.argmin(keep))
    rows = f"{n} of {len(data)} samples of {data.name!r} have no {what} (the first is row {first}, from 0)"
    if not drop:
        raise ValueError(f"{_WHO}: {rows}; fill it in, or pass drop_missing=True to leave them out.")
    if n == len(data):
        raise ValueError(f"{_WHO}: {rows}; none would be left.")
    notes.append(f"{rows}; left out.")


def _missing(values: Any) -> npt.NDArray[np.bool_]:
    """Where an array, or a column, has no value."""
    if isinstance(values, np.ndarray):
        gone = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
        return np.asarray(gone.reshape(len(values), -1).any(axis=1))
    if not _stays(values.dtype):
        return np.array([value is None or value == "" for value in values.to_list()])
    gone = values.is_null().to_numpy()
    return np.asarray(gone | np.isnan(values.to_numpy()) if values.dtype.is_float() else gone)


def _array(values: Any, keep: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """What to keep, as an array: numbers, truth values and dates as they are, anything else as text."""
    if isinstance(values, np.ndarray):
        return values if keep.all() else values[keep]
    values = values.filter(keep.tolist())
    return np.asarray(values.to_numpy() if _stays(values.dtype) else [str(value) for value in values.to_list()])


def _stays(dtype: Any) -> bool:
    return bool(dtype.is_numeric() or dtype.is_temporal() or str(dtype) == "Boolean")
