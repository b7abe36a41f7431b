"""Conversion of training samples to storable forms: frames, and trees and graphs of other libraries."""

from typing import Any

import numpy as np

from mercer._validation import describe
from mercer.data import Graphs, Table, Trees, n_samples, take
from mercer.data.frames import as_frame, as_series
from mercer.kernels import Columns, Constant, Kernel
from mercer.kernels.registry import families

__all__ = ["is_frame", "storable"]

_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf")
_COMPARED = 8  # number of rows on which kernel values of a frame and its table are compared


def is_frame(value: Any) -> bool:
    """Whether a value is a frame or a series, judged by its module name so that no library is imported."""
    return type(value).__module__.partition(".")[0] in _LIBRARIES


def storable(value: Any, kernel: Any) -> Any:
    """Convert the samples of an estimator to a form that can be stored and gives the same kernel values.

    A frame becomes a `Table` and a series becomes a list. Trees and graphs of other libraries, or given as matrices or
    edges, become a list of mercer's trees or graphs. Other samples are not changed.
    """
    container = _container(kernel)
    if is_frame(value):
        frame = as_frame(value)
        if frame is not None and (frame.shape[1] > 1 or container is None):
            return _table(value, kernel)
        value = _column(value) if frame is None else frame[frame.columns[0]].to_list()
    listed = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object)
    if listed and container is not None and not all(isinstance(item, str) for item in value):
        return container(value).to_list()
    return value


def _container(kernel: Any) -> type[Trees | Graphs] | None:
    """Container for the samples of a tree or graph kernel; None for other kernels."""
    if isinstance(kernel, Kernel):
        for family, container in (("trees", Trees), ("graphs", Graphs)):
            if _is_of(kernel, families()[family]):
                return container
    return None


def _table(frame: Any, kernel: Any) -> Table:
    try:
        table = Table.from_frame(frame)
        if isinstance(kernel, Kernel):
            rows = range(min(_COMPARED, n_samples(frame)))
            first, second = kernel(take(frame, list(rows))), kernel(take(table, list(rows)))
            if not np.array_equal(first, second):
                raise ValueError(f"the kernel {kernel} has other values on the table")
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"a frame ({describe(frame)}) is stored as a mercer.Table, but {error}; fit the model to "
            "mercer.Table.from_frame(frame, kinds=...) or to the columns that it needs"
        ) from error
    return table


def _column(value: Any) -> list[Any]:
    series = as_series(value)
    if series is None:
        raise TypeError(f"{describe(value)} cannot be stored; convert it to an array or a list")
    return list(series.to_list())


def _is_of(kernel: Kernel, classes: tuple[type[Kernel], ...]) -> bool:
    """Whether all leaves of a kernel belong to these classes and it does not select columns."""
    if isinstance(kernel, classes):
        return True
    parts = kernel.parts().values()
    if not parts:
        return isinstance(kernel, Constant)
    return not isinstance(kernel, Columns) and all(_is_of(part, classes) for part in parts)
