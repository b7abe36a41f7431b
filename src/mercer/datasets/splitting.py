"""Separation of samples, targets and groups."""

from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
import numpy.typing as npt

from mercer._typing import Data
from mercer._validation import check_flag, describe
from mercer.data import take
from mercer.data.frames import as_frame, locate
from mercer.datasets.input_files import listed

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
    """Result of `Dataset.split`: the tuple ``X, y, groups`` with two attributes.

    Parameters
    ----------
    X : data
        Samples without the target and group columns.
    y : ndarray of shape (n_samples,) or None
        Targets.
    groups : ndarray of shape (n_samples,) or None
        Group of each sample.

    Attributes
    ----------
    target : str or None
        Name of y.
    notes : tuple of str
        Notes of the data set, and automatic decisions taken while splitting.

    See Also
    --------
    Dataset.split : Creates it.

    Examples
    --------
    >>> from mercer.datasets import load
    >>> parts = load("iris").split()
    >>> parts.X.shape, parts.y[:2].tolist(), parts.target
    ((150, 4), ['setosa', 'setosa'], 'species')
    """

    target: str | None
    notes: tuple[str, ...]


def split(data: "Dataset", target: str | None, groups: str | None, drop_missing: bool, unlabeled: bool) -> Split:
    """Implementation of `Dataset.split`."""
    drop_missing = check_flag(_WHO, "drop_missing", drop_missing)
    if check_flag(_WHO, "unlabeled", unlabeled) and drop_missing:
        raise ValueError(
            f"{_WHO}: expected drop_missing=True or unlabeled=True, got both; the first drops samples without "
            "target, the second keeps them."
        )
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
            raise ValueError(f"{_WHO}: {data.name!r} has no feature columns left.")
        X = frame.drop([values.name for values in taken.values()]).to_native()
    missing = {what: _missing(values) for what, values in taken.items()}
    named = {"target": f"target {called!r}", "groups": f"groups {groups!r}"}
    gaps = missing.pop("target") if unlabeled and "target" in missing else np.zeros(len(data), dtype=bool)
    keep = ~np.any([np.zeros(len(data), dtype=bool), *missing.values()], axis=0)
    if not keep.all():
        _tell_missing(data, keep, " or no ".join(named[what] for what in missing), drop_missing, notes)
        X = take(X, keep)
    arrays = {what: _array(values, keep) for what, values in taken.items()}
    if gaps.any():
        arrays["target"] = _partial(data, taken["target"], gaps, named["target"], notes)
    parts = Split(X, arrays.get("target"), arrays.get("groups"))
    parts.target, parts.notes = called, tuple(notes)
    return parts


def _check_unnamed(data: "Dataset", target: str | None, groups: str | None) -> None:
    """Raise ValueError for column names of data without columns."""
    if target is not None and (data.y is None or target != data.target):
        own = "no targets" if data.y is None else f"its own targets, called {data.target!r}"
        raise ValueError(f"{_WHO}: {data.name!r} has no columns and {own}, got target={target!r}.")
    if groups is not None:
        raise ValueError(f"{_WHO}: {data.name!r} has no columns, so {groups!r} cannot be the groups.")


def _choose(data: "Dataset", columns: list[str], target: str | None, notes: list[str]) -> str:
    """Name of the target column."""
    named = data.target if target is None else target
    if named is not None:
        return _locate(columns, named)
    usual = [name for name in columns if name.lower() in _USUAL]
    if len(usual) != 1:
        which = f"{' and '.join(map(repr, usual))} could be the target" if usual else "no column is called target"
        raise ValueError(f"{_WHO}: {which}; name one of the columns of {data.name!r}: {listed(map(repr, columns))}.")
    notes.append(f"Column {usual[0]!r} is used as the target.")
    return usual[0]


def usual_target(columns: list[str]) -> str | None:
    """The only column called target, class, label or y; None if there is none, or more than one."""
    usual = [name for name in columns if name.lower() in _USUAL]
    return usual[0] if len(usual) == 1 and len(columns) > 1 else None


def _locate(columns: list[str], name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{_WHO}: expected the name of a column, got {describe(name)}.")
    return columns[locate(_WHO, columns, name)]


def _tell_missing(data: "Dataset", keep: npt.NDArray[np.bool_], what: str, drop: bool, notes: list[str]) -> None:
    rows = _counted(data, ~keep, what)
    if not drop:
        ways = "fill it in, or pass drop_missing=True to leave them out"
        if what.startswith("target"):
            ways = "fill it in, pass drop_missing=True to leave them out, or unlabeled=True to keep them without label"
        raise ValueError(f"{_WHO}: {rows}; {ways}.")
    if not keep.any():
        raise ValueError(f"{_WHO}: {rows}; no sample would remain.")
    notes.append(f"{rows}; dropped.")


def _partial(
    data: "Dataset", values: Any, gaps: npt.NDArray[np.bool_], what: str, notes: list[str]
) -> npt.NDArray[np.object_]:
    """Targets as objects, None where they are missing; numbers and booleans are kept."""
    rows = _counted(data, gaps, what)
    if gaps.all():
        raise ValueError(f"{_WHO}: {rows}; no sample has a label.")
    notes.append(f"{rows}; kept as unlabelled.")
    array = np.full(len(data), None, dtype=object)
    array[~gaps] = _array(values, ~gaps).tolist()
    return array


def _counted(data: "Dataset", gaps: npt.NDArray[np.bool_], what: str) -> str:
    """Number of samples with missing values, and the first of them."""
    n, first = int(gaps.sum()), int(np.argmax(gaps))
    where = f"row {first}, from 0" if data.lines is None else f"in line {data.lines[first]} of the file"
    return f"{n} of {len(data)} samples of {data.name!r} have no {what} (the first is {where})"


def _missing(values: Any) -> npt.NDArray[np.bool_]:
    """Mask of missing values of an array or a column."""
    if isinstance(values, np.ndarray):
        gone = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
        return np.asarray(gone.reshape(len(values), -1).any(axis=1))
    gone = values.is_null().to_numpy()
    if str(values.dtype) == "String":
        return np.asarray(gone | (values == "").fill_null(True).to_numpy())
    if not _stays(values.dtype):
        return np.array([value is None or value == "" for value in values.to_list()])
    return np.asarray(gone | np.isnan(values.to_numpy()) if values.dtype.is_float() else gone)


def _array(values: Any, keep: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Kept values as an array: numbers, booleans and dates unchanged, anything else as str."""
    if isinstance(values, np.ndarray):
        return values if keep.all() else values[keep]
    values = values if keep.all() else values.filter(keep.tolist())
    return np.asarray(values.to_numpy() if _stays(values.dtype) else [str(value) for value in values.to_list()])


def _stays(dtype: Any) -> bool:
    return bool(dtype.is_numeric() or dtype.is_temporal() or str(dtype) == "Boolean")
