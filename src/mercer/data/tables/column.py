"""One packed column of a table; its kind determines the storage and the kernels that accept it."""

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from mercer._typing import FloatArray
from mercer._validation import check_choice, describe, refusals
from mercer.data.frames import as_series, plain
from mercer.data.hashing import categories as coding
from mercer.data.hashing.categories import is_missing
from mercer.data.hashing.checks import check_values

__all__ = ["Column", "Kind", "pack"]

Kind: TypeAlias = Literal["number", "category", "text", "object"]


@dataclass(frozen=True, eq=False)
class Column:
    """Read-only values of one kind: floats for numbers, codes for categories, otherwise objects.

    `levels` maps codes to categories. The constructor copies and validates its arguments.
    """

    kind: Kind
    values: Any
    levels: dict[float, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with refusals("Column"):
            self._set(*_checked(self.kind, self.values, self.levels))

    @classmethod
    def _of(cls, kind: Kind, values: Any, levels: dict[float, Any] | None = None) -> "Column":
        """Column from valid values, without checks."""
        column = cls.__new__(cls)
        column._set(kind, values, {} if levels is None else levels)
        return column

    def _set(self, kind: Kind, values: Any, levels: dict[float, Any]) -> None:
        view = values.view()
        view.flags.writeable = False
        self.__dict__.update(kind=kind, values=view, levels=levels)

    def __reduce__(self) -> tuple[Any, ...]:
        return Column, (self.kind, self.values, self.levels)

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        if self.kind != other.kind or len(self) != len(other):
            return False
        if self.kind in ("number", "category"):
            return bool(np.array_equal(self.values, other.values, equal_nan=True))
        pairs = zip(self.values, other.values, strict=True)
        return all(a is b or bool(np.all(a == b)) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def take(self, rows: Any) -> "Column":
        """Choose samples."""
        return Column._of(self.kind, self.values[rows], self.levels)

    def joined(self, other: "Column") -> "Column":
        """Values of this column followed by those of another of its kind."""
        if other.kind != self.kind:
            raise ValueError(f"Column: cannot join values of kind {self.kind!r} and {other.kind!r}; pack them alike.")
        return Column._of(self.kind, np.concatenate([self.values, other.values]), {**self.levels, **other.levels})

    def tolist(self) -> list[Any]:
        """List the values, categories as they were given."""
        values: list[Any] = self.values.tolist()
        return [self.levels[value] for value in values] if self.kind == "category" else values

    def codes(self, who: str, name: str) -> FloatArray:
        """Numbers that are equal exactly where the values are."""
        if self.kind == "category":
            return self.values  # type: ignore[no-any-return]
        if self.kind == "number":
            return coding.encode_numbers(who, self.values, name)
        return coding.encode(who, name, self.values.tolist())[0]


def _checked(kind: Any, values: Any, levels: Any) -> tuple[Kind, Any, dict[float, Any]]:
    """Private copies of values and levels, validated against the kind."""
    check_choice("Column", "kind", kind, Kind)
    dtypes = {"number": (np.float64, np.float32), "category": (np.float64,)}.get(kind, (np.object_,))
    if not (isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.newbyteorder("=") in dtypes):
        expected = " or ".join(np.dtype(dtype).name for dtype in dtypes)
        raise ValueError(
            f"Column: values of kind {kind!r} must be a 1-D array of {expected}, got {describe(values)}; use "
            "Table.from_frame, which converts them."
        )
    own = np.array(values, dtype=values.dtype.newbyteorder("="), subok=False)
    if kind == "text":
        _check_text("Column", "values", own.tolist())
    return kind, own, check_values("Column", "levels", levels, own if kind == "category" else np.empty(0))


def pack(who: str, name: str, values: Any, kind: Kind | None = None) -> Column:
    """Pack a sequence, 1-D array or series; without a kind it is inferred."""
    if kind is not None and kind not in get_args(Kind):
        options = ", ".join(map(repr, get_args(Kind)))
        raise ValueError(f"{who}: the kind of column {name!r} must be one of {options}, got {describe(kind)}.")
    _check_sequence(who, name, values)
    if kind == "object":  # any values are allowed, including dates
        series = as_series(values)
        return Column._of(kind, _objects(list(values) if series is None else series.to_list()))
    given = plain(who, name, values)
    kind = kind or _infer(who, name, given)
    if kind == "number":
        return Column._of(kind, _numbers(who, name, given))
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if kind == "category":
        return Column._of(kind, *coding.encode(who, name, given))
    if kind == "text":
        _check_text(who, name, given)
    return Column._of(kind, _objects(given))


def _check_sequence(who: str, name: str, values: Any) -> None:
    if isinstance(values, np.ndarray):
        ok = values.ndim == 1
    elif isinstance(values, Sequence):
        ok = not isinstance(values, (str, bytes))
    else:
        ok = as_series(values) is not None
    if not ok:
        raise TypeError(f"{who}: column {name!r} must be a list, 1-D array or series, got {describe(values)}.")


def _infer(who: str, name: str, given: Any) -> Kind:
    if isinstance(given, np.ndarray):
        return "number"
    one = {type(value): value for value in given if not is_missing(value)}  # one value of each type
    for value in one.values():
        if isinstance(value, coding.TEMPORAL):
            raise coding.temporal_error(who, name, type(value).__name__)
    if one and all(isinstance(value, (str, bytes)) for value in one.values()):
        return "category"
    return "number" if one and all(map(_is_real, one.values())) else "object"


def _is_real(value: Any) -> bool:
    unreal = isinstance(value, (complex, np.complexfloating))
    return isinstance(value, (numbers.Number, np.bool_)) and not unreal


def _numbers(who: str, name: str, given: Any) -> FloatArray:
    if isinstance(given, np.ndarray):
        whole = given.size and given.dtype.kind in "iu"
        ends = [int(given.min()), int(given.max())] if whole else []
    else:
        for row, value in enumerate(given):
            if not (is_missing(value) or _is_real(value)):
                raise TypeError(
                    f"{who}: column {name!r} must hold numbers, got {describe(value)} in row "
                    f"{row}; use kind 'category' for it or convert it."
                )
        ends = [int(value) for value in given if isinstance(value, numbers.Integral)]
    if any(abs(end) > coding.EXACT for end in ends):
        raise ValueError(
            f"{who}: column {name!r} holds integers beyond 2^53, which float64 would round; use "
            "kind 'category' for it if they are identifiers, or convert it to float."
        )
    if isinstance(given, np.ndarray):
        return given.astype(np.float32 if given.dtype == np.float32 else np.float64)
    return np.array([np.nan if is_missing(value) else value for value in given], dtype=np.float64)


def _check_text(who: str, name: str, given: list[Any]) -> None:
    for row, value in enumerate(given):
        if is_missing(value):
            raise coding.missing_error(who, name, row)
        if not isinstance(value, str):
            raise TypeError(
                f"{who}: column {name!r} must hold text, got {describe(value)} in row {row}; convert it with str."
            )


def _objects(given: Sequence[Any]) -> Any:
    array = np.empty(len(given), dtype=object)
    for row, value in enumerate(given):  # np.array would unpack nested sequences
        array[row] = value
    return array
