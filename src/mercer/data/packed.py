"""Base class of packed containers, and operations on flat arrays with offsets."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, Self

import numpy as np

from mercer._typing import Data, IndexArray
from mercer._validation import check_rows, describe, refusals
from mercer.data.frames import as_frame, as_series
from mercer.data.hashing.categories import is_missing

__all__ = [
    "Packed",
    "gather",
    "joined_offsets",
    "listed",
    "offsets_of",
    "record_error",
]


class Packed(ABC):
    """Base class of immutable containers: sample i owns the entries ``offsets[i]:offsets[i + 1]`` of flat arrays.

    Indexing with an integer returns one sample. Integer arrays, masks and slices return a container of the same class
    with a copy of the chosen entries; a slice with step 1 is a view.

    Fields from outside are validated: a subclass defines `_checked`, which verifies everything the compiled core relies
    on and is called by unpickling, `copy.deepcopy` and model files. `_fill` does not validate: it is for arrays that a
    reader has built, and for rows, joins and copies of valid containers.
    """

    offsets: IndexArray

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}: is immutable, {name!r} cannot be set; build a new one.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}: is immutable, {name!r} cannot be deleted.")

    def _fill(self, **fields: Any) -> Self:
        """Set the fields of a new object without validation; arrays become read-only."""
        for name, value in fields.items():
            object.__setattr__(self, name, _closed(value) if isinstance(value, np.ndarray) else value)
        return self

    @abstractmethod
    def _fields(self) -> dict[str, Any]:
        """Fields that a copy in another process needs."""

    @classmethod
    @abstractmethod
    def _checked(cls, **fields: Any) -> dict[str, Any]:
        """Private copies of `_fields`; ValueError if they do not describe a valid container."""

    @classmethod
    def _rebuilt(cls, fields: dict[str, Any]) -> Self:
        """Container from the fields of a pickle or a file, which are not trusted."""
        with refusals(cls.__name__):
            return cls.__new__(cls)._fill(**cls._checked(**fields))

    @abstractmethod
    def _item(self, i: int) -> Any:
        """Sample i, in [0, n)."""

    @abstractmethod
    def _take(self, rows: Any) -> Self:
        """Samples chosen by an array of numbers in [0, n), or by a range with step 1."""

    @abstractmethod
    def _join(self, others: Sequence[Any]) -> Self:
        """Samples of this container followed by those of others of its class."""

    @property
    def shape(self) -> tuple[int]:
        """Number of samples as a tuple, as scikit-learn expects it."""
        return (len(self),)

    @property
    def lengths(self) -> IndexArray:
        """Number of entries of each sample, ndarray of shape (n_samples,)."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Any]:
        return map(self._item, range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        """Choose samples: ``X[i]`` is one sample, ``X[rows]`` with integers, a mask or a slice a container."""
        who = type(self).__name__
        if isinstance(key, tuple):  # scikit-learn uses X[rows, ...]
            if len(key) != 2 or key[1] is not ...:
                raise IndexError(f"{who}: expected one index, X[rows], got {len(key)}.")
            key = key[0]
        if isinstance(key, slice):
            chosen = range(len(self))[key]
            return self._take(chosen if chosen.step == 1 else np.asarray(chosen, dtype=np.int64))
        rows = check_rows(who, key, len(self))
        return self._item(int(rows[0])) if _is_index(key) else self._take(rows)

    def __add__(self, other: object) -> Self:
        return self._join([other]) if type(other) is type(self) else NotImplemented

    @classmethod
    def concatenate(cls, parts: Iterable[Self]) -> Self:
        """Concatenate containers; every entry is copied once.

        Parameters
        ----------
        parts : iterable of containers
            At least one container of this class.

        Returns
        -------
        container
            The samples of all parts, in order.

        Raises
        ------
        TypeError
            If a part has another class.
        ValueError
            If there are no parts.
        """
        parts = list(parts)
        for i, part in enumerate(parts):
            if not isinstance(part, cls):
                raise TypeError(
                    f"{cls.__name__}: expected parts of type {cls.__name__}, got {describe(part)} as part {i}."
                )
        if not parts:
            raise ValueError(f"{cls.__name__}: needs at least one part to concatenate, got none.")
        return parts[0]._join(parts[1:]) if len(parts) > 1 else parts[0]

    def __copy__(self) -> Self:
        """The same samples, without texts that do not occur in them."""
        return type(self).__new__(type(self))._fill(**self._fields())

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self._fields())

    def to_list(self) -> list[Any]:
        """Convert all samples to Python objects.

        Returns
        -------
        list
            One object per sample.
        """
        return list(self)


def _closed(array: Any) -> Any:
    view = array.view()
    view.flags.writeable = False
    return view


def _restore(cls: type[Packed], fields: dict[str, Any]) -> Packed:
    """Rebuild a pickled container."""
    if not (isinstance(cls, type) and issubclass(cls, Packed)):
        raise ValueError(f"Packed: expected the class of a container of mercer.data, got {describe(cls)}.")
    return cls._rebuilt(fields)


def _is_index(key: Any) -> bool:
    return np.ndim(key) == 0 and not isinstance(key, (bool, np.bool_))


def offsets_of(lengths: Iterable[int], n: int) -> IndexArray:
    """Offsets of n samples of the given lengths."""
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.fromiter(lengths, dtype=np.int64, count=n), out=offsets[1:])
    return offsets


def joined_offsets(parts: Sequence[Packed]) -> IndexArray:
    """Offsets of several concatenated containers."""
    starts = np.cumsum([0, *(part.offsets[-1] for part in parts)])
    bounds = [part.offsets[1:] + start for part, start in zip(parts, starts[:-1], strict=True)]
    return np.concatenate([np.zeros(1, dtype=np.int64), *bounds])


def gather(offsets: IndexArray, rows: Any, *flats: Any) -> tuple[Any, ...]:
    """Offsets of the chosen samples, and their entries of each flat array.

    A range with step 1 gives views. Otherwise the chosen entries are copied, without an index per entry.
    """
    if isinstance(rows, range):
        start, stop = rows.start, max(rows.start, rows.stop)
        first, last = int(offsets[start]), int(offsets[stop])
        return (offsets[start : stop + 1] - first, *(flat[first:last] for flat in flats))
    lengths = np.diff(offsets)
    size = int(lengths[0]) if len(lengths) else 0
    if size and (lengths == size).all():
        entries = [flat.reshape(-1, size)[rows].reshape(-1) for flat in flats]
        return (np.arange(0, size * len(rows) + 1, size), *entries)
    spans = list(map(slice, offsets[:-1][rows].tolist(), offsets[1:][rows].tolist()))
    entries = []
    for flat in flats:
        view: Any = np.ascontiguousarray(flat).data
        entries.append(np.frombuffer(b"".join(map(view.__getitem__, spans)), dtype=flat.dtype))
    return (offsets_of(lengths[rows], len(spans)), *entries)


def listed(who: str, X: Data) -> list[Any]:
    """List the samples of a list, tuple, 1-D array or column of a frame."""
    if isinstance(X, (list, tuple, Packed)):
        return list(X)
    frame = as_frame(X)
    series: Any = as_series(X)
    if frame is not None and frame.shape[1] == 1:
        series = next(frame.iter_columns())
    if series is not None:
        return list(series.to_list())
    if isinstance(X, np.ndarray):
        ok = X.ndim == 1
    else:
        ok = frame is None and isinstance(X, Iterable) and not isinstance(X, (str, bytes, Mapping))
    if not ok:
        raise TypeError(
            f"{who}: expected a list, a 1-D array or a column with one entry per sample, got {describe(X)}."
        )
    for method in ("tolist", "to_pylist"):  # arrays of NumPy, pandas and Arrow
        if hasattr(X, method):
            return list(getattr(X, method)())
    return list(X)


def record_error(who: str, record: int, value: Any, expected: str) -> ValueError | TypeError:
    """Error for one sample, named by its number."""
    if is_missing(value):
        return ValueError(f"{who}: record {record} is missing, expected {expected}; drop such samples or fill them in.")
    return TypeError(f"{who}: expected {expected} as record {record}, got {describe(value)}.")
