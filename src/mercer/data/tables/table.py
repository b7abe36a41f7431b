"""`Table`: mixed columns packed once, indexed by rows like an array."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import scipy.sparse as sp

from mercer._typing import Data, FloatArray
from mercer._validation import Rebuilt, check_rows, describe
from mercer.data.frames import locate, split, unknown_column
from mercer.data.tables.column import Column, Kind, pack

__all__ = ["Table"]

SHOWN = 8  # columns in the repr


@final
@dataclass(frozen=True, eq=False, repr=False)
class Table(Rebuilt):
    """Samples with columns of different kinds, created by `Table.from_frame`.

    Parameters
    ----------
    names : tuple of str
        Unique name of each column.
    columns : tuple of Column
        Packed columns of equal length.

    See Also
    --------
    Table.from_frame : Pack a frame.
    mercer.kernels.Columns : Kernel on some columns.

    Notes
    -----
    Immutable. Numbers are float64 (float32 is kept). Categories are coded without a vocabulary: equal categories have
    equal codes in all tables. Choosing rows takes O(rows · columns), choosing columns copies nothing.

    Examples
    --------
    >>> table = Table.from_frame({"age": [31, 45, 27], "city": ["Rome", "Oslo", "Rome"]})
    >>> table
    Table(3 rows: age number, city category[2])
    >>> table[1:].column("city")
    ['Oslo', 'Rome']
    >>> table[[True, False, True]].column("age")
    array([31., 27.])
    """

    names: tuple[str, ...]
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        fits = isinstance(self.names, tuple) and isinstance(self.columns, tuple)
        if not fits or len(self.names) != len(self.columns):
            raise ValueError(
                "Table: expected a tuple of names and a tuple of as many columns, got "
                f"{describe(self.names)} and {describe(self.columns)}; use Table.from_frame."
            )
        if not self.names:
            raise ValueError("Table: needs at least one column, got none.")
        for name, column in zip(self.names, self.columns, strict=True):
            if not isinstance(name, str) or not isinstance(column, Column):
                raise ValueError(
                    f"Table: expected str as names of packed columns, got {describe(name)} for {describe(column)}; "
                    "use Table.from_frame."
                )
        for i, (name, column) in enumerate(zip(self.names, self.columns, strict=True)):
            if name in self.names[:i]:
                raise ValueError(f"Table: column name {name!r} occurs twice; column names must be unique.")
            if len(column) != len(self):
                raise ValueError(
                    f"Table: column {name!r} has {len(column)} entries but {self.names[0]!r} has "
                    f"{len(self)}; columns need equal lengths."
                )

    @classmethod
    def from_frame(
        cls,
        frame: Data,
        kinds: Mapping[str, Kind] | None = None,
        *,
        names: Sequence[str] | None = None,
    ) -> Self:
        """Pack a frame.

        Parameters
        ----------
        frame : frame, dict of sequences, structured array, 2-D array or list of rows
            Data to pack. Frames of pandas, polars and pyarrow are accepted.
        kinds : dict of str to {"number", "category", "text", "object"}, default=None
            Kind of some columns. The others are inferred: numbers and booleans are numbers; strings, bytes,
            categoricals and enums are categories; dates and times raise TypeError; anything else is an object.
        names : sequence of str, default=None
            Column names of a 2-D array or list of rows. With None, ``x0``, ``x1``, …

        Returns
        -------
        Table
            Packed table, with NaN for missing numbers. A missing category or text raises ValueError.

        Examples
        --------
        >>> data = {"id": [7, 9], "dna": ["ACGT", "GGC"]}
        >>> Table.from_frame(data, kinds={"id": "category", "dna": "text"})
        Table(2 rows: id category[2], dna text)
        """
        kinds = dict(kinds or {})
        if isinstance(frame, cls):
            kinds = {**dict(zip(frame.names, frame.kinds, strict=True)), **kinds}
            frame = {name: frame.column(name) for name in frame.names}
        if sp.issparse(frame) or isinstance(frame, str) or not hasattr(frame, "__len__"):
            raise TypeError(
                f"Table: expected a frame, a dict of columns, a 2-D array or a list of rows, got {describe(frame)}."
            )
        found = _name("Table", split("Table", frame), names)
        labels = [name for name, _ in found]
        for name in kinds:
            if name not in labels:
                raise unknown_column("Table", labels, str(name))
        packed = tuple(pack("Table", name, values, kinds.get(name)) for name, values in found)
        return cls(tuple(labels), packed)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and number of columns."""
        return len(self), len(self.names)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kind of each column."""
        return tuple(column.kind for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*(column.tolist() for column in self.columns), strict=True)

    def __getitem__(self, key: Any) -> Any:
        """Choose rows, columns or both.

        ``table[rows]`` with integers, a mask or a slice, ``table[[names]]`` and ``table[rows, columns]`` are tables.
        ``table[i]`` is one sample as a tuple, ``table[name]`` the values of a column.
        """
        if isinstance(key, tuple):
            if len(key) != 2:
                raise IndexError(f"Table: expected table[rows, columns], got {len(key)} indices.")
            rows, columns = key
            return (self if columns is ... else self.select(columns))[rows]
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, (list, np.ndarray)) and np.size(key) and isinstance(key[0], str):
            return self.select(key)
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            rows = check_rows("Table", key, len(self))
            return next(iter(self[rows]))
        rows = key if isinstance(key, slice) else check_rows("Table", key, len(self))
        return Table(self.names, tuple(column.take(rows) for column in self.columns))

    def select(self, columns: Any) -> "Table":
        """Choose columns.

        Parameters
        ----------
        columns : str, int, slice, mask or sequence of str or int
            Names or positions, in the order wanted.

        Returns
        -------
        Table
            Table of the chosen columns.
        """
        width = len(self.names)
        if isinstance(columns, slice):
            columns = range(width)[columns]
        elif isinstance(columns, (str, int, np.integer)):
            columns = [columns]
        elif np.asarray(columns).dtype == bool:
            columns = check_rows("Table", columns, width, name="columns")
        where = [locate("Table", self.names, c if isinstance(c, str) else operator.index(c)) for c in columns]
        return Table(tuple(self.names[i] for i in where), tuple(self.columns[i] for i in where))

    def column(self, name: int | str) -> Any:
        """Values of one column.

        Parameters
        ----------
        name : int or str
            Name or position.

        Returns
        -------
        ndarray or list
            Numbers as a read-only array, anything else as a list.
        """
        column = self.columns[locate("Table", self.names, name)]
        return column.values if column.kind == "number" else column.tolist()

    def codes(self, who: str = "Table") -> FloatArray:
        """Convert all columns to numbers that are equal exactly where the values are.

        Parameters
        ----------
        who : str, default="Table"
            Caller, named in error messages.

        Returns
        -------
        ndarray of float64 of shape (n_samples, n_columns)
            Codes.
        """
        pairs = zip(self.names, self.columns, strict=True)
        return np.column_stack([column.codes(who, name) for name, column in pairs])

    def matrix(self, who: str = "Table") -> FloatArray:
        """Convert a table of numbers to a matrix.

        Parameters
        ----------
        who : str, default="Table"
            Caller, named in error messages.

        Returns
        -------
        ndarray of shape (n_samples, n_columns)
            Values.

        Raises
        ------
        TypeError
            If a column does not hold numbers.
        """
        for name, column in zip(self.names, self.columns, strict=True):
            if column.kind != "number":
                raise TypeError(
                    f"{who}: column {name!r} has kind {column.kind!r}, expected numbers; use "
                    f"Columns([{name!r}], Overlap()) or encode it."
                )
        return np.column_stack([column.values for column in self.columns])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.names == other.names and self.columns == other.columns

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = []
        for name, column in list(zip(self.names, self.columns, strict=True))[:SHOWN]:
            size = f"[{len(column.levels)}]" if column.kind == "category" else ""
            shown.append(f"{name} {column.kind}{size}")
        if len(self.names) > SHOWN:
            shown.append(f"{len(self.names) - SHOWN} more")
        return f"Table({len(self)} row{'' if len(self) == 1 else 's'}: {', '.join(shown)})"


def _name(who: str, pairs: list[tuple[int | str, Any]], names: Sequence[str] | None) -> list[tuple[str, Any]]:
    if names is None:
        return [(n if isinstance(n, str) else f"x{n}", values) for n, values in pairs]
    if any(isinstance(name, str) for name, _ in pairs):
        raise TypeError(
            f"{who}: parameter names is only for arrays and lists of rows, but these columns have names; "
            "rename them in the frame."
        )
    if isinstance(names, str) or len(names) != len(pairs):
        raise ValueError(f"{who}: parameter names must have {len(pairs)} entries, got {describe(names)}.")
    return [(str(name), values) for name, (_, values) in zip(names, pairs, strict=True)]
