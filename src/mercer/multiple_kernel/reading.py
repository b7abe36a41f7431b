"""Interpretation of the parameter ``kernels`` of multiple-kernel estimators."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer._typing import Data, DoubleArray, FloatArray
from mercer._validation import as_numbers, describe
from mercer.data import Graphs, Strings, Table, Trees
from mercer.data.frames import as_frame
from mercer.kernels import (
    RBF,
    Columns,
    Definiteness,
    Kernel,
    Linear,
    Overlap,
    Spectrum,
    SubsetTree,
    Sum,
    WeisfeilerLehman,
    kernel,
)

__all__ = ["auto_kernels", "has_columns", "is_structured", "read_kernels", "read_matrices", "with_names"]

_WIDTHS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)  # multiples of gamma="scale"
_LENGTHS = (2, 3, 4)  # lengths of k-mers, for strings
_ROUNDS = (1, 3, 5)  # iterations of Weisfeiler–Lehman, for graphs
_MOST_COLUMNS = 20  # maximal number of numeric columns for which each column has its own kernel


def read_kernels(who: str, given: Any, X: Data, weight: DoubleArray | None = None) -> tuple[Kernel, ...]:
    """Return the kernels that the parameter ``kernels`` selects for these samples."""
    if isinstance(given, str) and given == "auto":
        return auto_kernels(who, X, weight)
    if isinstance(given, Sum):
        given = given.terms
    if _holds_matrices(given):
        raise TypeError(
            f"{who}: kernels must contain kernels or their text forms, got Gram matrices; pass "
            "kernels='precomputed' and pass the matrices to fit in place of X: fit(matrices, y)."
        )
    if isinstance(given, str | Kernel) or not isinstance(given, Sequence) or len(given) == 0:
        raise TypeError(
            f"{who}: kernels must be a list of kernels or of their text forms, a sum of kernels, 'auto' or "
            f"'precomputed', got {describe(given)}."
        )
    found = []
    for i, value in enumerate(given):
        if not isinstance(value, Kernel | str):
            raise TypeError(f"{who}: kernels[{i}] must be a kernel or its text form, got {describe(value)}.")
        one = kernel(value) if isinstance(value, str) else value
        if one.definiteness is Definiteness.NOT_PSD:
            raise ValueError(
                f"{who}: kernels[{i}], {one}, is not positive semidefinite ({one.certificate().rule}), so a weighted "
                "sum with it has no certificate; leave it out, or repair its Gram matrix with "
                "mercer.kernels.repair and pass kernels='precomputed'."
            )
        found.append(one)
    return tuple(found)


def _holds_matrices(given: Any) -> bool:
    if isinstance(given, list | tuple):
        return any(np.ndim(value) == 2 for value in given if isinstance(value, list | tuple | np.ndarray))
    return isinstance(given, np.ndarray) and given.dtype.kind in "fiub"


def is_structured(X: Data) -> bool:
    """Whether the samples are strings, graphs or trees."""
    return isinstance(X, Strings | Graphs | Trees) or (isinstance(X, list) and bool(X) and isinstance(X[0], str))


def has_columns(X: Data) -> bool:
    """Whether the samples are rows of a frame or a table."""
    return isinstance(X, Table) or as_frame(X) is not None


def auto_kernels(who: str, X: Data, weight: DoubleArray | None = None) -> tuple[Kernel, ...]:
    """Return kernels for a matrix, a frame or structured samples by the type of each column.

    Numbers: Gaussian kernels of five widths and the linear kernel on all numeric columns, and a Gaussian kernel on each
    column if there are at most 20. Categories: overlap kernel. Texts (strings of which more than half are distinct):
    spectrum kernels of three lengths. Graphs: Weisfeiler–Lehman kernels of three depths. Trees: subset tree kernel.

    >>> import numpy as np
    >>> len(auto_kernels("auto_kernels", np.random.default_rng(0).normal(size=(9, 3))))
    9
    """
    if is_structured(X):
        return tuple(_of_texts(list(X)) if isinstance(X, Strings | list) else _of_objects(X) or ())
    if not has_columns(X):
        width = int(np.shape(X)[1]) if len(np.shape(X)) == 2 else 0
        return _of_numbers(X, list(range(width)), weight, whole=True)
    table = X if isinstance(X, Table) else Table.from_frame(X)
    numbers = [name for name, kind in zip(table.names, table.kinds, strict=True) if kind == "number"]
    if len(numbers) == len(table.names):  # treated as a matrix, so that new samples need no column names
        return _of_numbers(table, list(range(len(numbers))), weight, whole=True)
    found: list[Kernel] = []
    if numbers:
        found += _of_numbers(table.select(numbers), numbers, weight, whole=False)
    for name, kind in zip(table.names, table.kinds, strict=True):
        if kind != "number":
            found += [Columns([name], k) for k in _of_others(who, table, name, weight)]
    return tuple(found)


def with_names(kernel: Kernel, names: Sequence[str]) -> Kernel:
    """Replace the positions of columns in a `Columns` kernel by their names; other kernels are returned unchanged.

    >>> print(with_names(Columns([1], Linear()), ["height", "width"]))
    linear[width]
    """
    if not isinstance(kernel, Columns) or not all(isinstance(column, int) for column in kernel.columns):
        return kernel
    return Columns([names[column] for column in kernel.columns], kernel.kernel)


def _of_numbers(X: Data, columns: list[Any], weight: DoubleArray | None, *, whole: bool) -> tuple[Kernel, ...]:
    gamma = float(RBF().resolve(X, sample_weight=weight).gamma)  # type: ignore[arg-type]
    together: list[Kernel] = [*(RBF(gamma=float(c * gamma)) for c in _WIDTHS), Linear()]
    if not whole:
        together = [Columns(columns, k) for k in together]
    if 1 < len(columns) <= _MOST_COLUMNS:
        together += [Columns([column], RBF()) for column in columns]
    return tuple(together)


def _of_others(who: str, table: Table, name: str, weight: DoubleArray | None) -> list[Kernel]:
    kind = table.kinds[table.names.index(name)]
    values = table.column(name)
    if kind == "text" or (kind == "category" and _are_texts(values, weight)):
        return _of_texts(values)
    if kind == "category":
        return [Overlap()]
    found = _of_objects(values)
    if found is None:
        raise ValueError(
            f"{who}: kernels='auto' has no kernel for column {name!r}, whose values are {type(values[0]).__name__}; "
            f"drop the column, or list the kernels: kernels=[..., Columns([{name!r}], k)]."
        )
    return found


def _of_texts(values: list[Any]) -> list[Kernel]:
    longest = max((len(value) for value in values if value is not None), default=0)
    return [Spectrum(length) for length in _LENGTHS if length <= longest] or [Spectrum(1)]


def _of_objects(values: Any) -> list[Kernel] | None:
    """Return kernels for graphs or trees; None for other objects."""
    for container, found in ((Graphs, [WeisfeilerLehman(n) for n in _ROUNDS]), (Trees, [SubsetTree()])):
        try:
            container(values)
        except (TypeError, ValueError):
            continue
        return list(found)
    return None


def _are_texts(values: list[Any], weight: DoubleArray | None) -> bool:
    """Whether there are more distinct strings than half of the (weighted) number of samples."""
    counts = np.ones(len(values)) if weight is None else weight
    present = [value for value, count in zip(values, counts, strict=True) if count > 0]
    strings = all(isinstance(value, str) for value in present)
    return strings and len(set(present)) > float(counts.sum()) / 2


def read_matrices(who: str, X: Any, *, n: int | None = None) -> list[FloatArray]:
    """Return Gram matrices, an array of shape (n_kernels, m, n) or a list, as arrays of floats."""
    if not isinstance(X, list | tuple) and np.ndim(X) != 3:
        raise ValueError(
            f"{who}: kernels='precomputed' needs one matrix per kernel, as an array of shape (M, n, n) or a list, got "
            f"{describe(X)}."
        )
    found = [np.asarray(as_numbers(who, K, name=f"X[{m}]")) for m, K in enumerate(X)]
    found = [K if K.dtype == np.float32 else K.astype(np.float64, copy=False) for K in found]
    if not found:
        raise ValueError(f"{who}: kernels='precomputed' needs at least one matrix, got none.")
    shape = found[0].shape
    for m, K in enumerate(found):
        if K.ndim != 2 or K.shape != shape or (n is not None and K.shape[1] != n):
            wanted = f"({'n' if n is None else 'm'}, {n or 'n'})"
            raise ValueError(
                f"{who}: the matrices of all kernels must have the same shape {wanted}, got {shape} and, for kernel "
                f"{m}, {K.shape}."
            )
        if not np.isfinite(K).all():
            i, j = np.argwhere(~np.isfinite(K))[0].tolist()
            raise ValueError(
                f"{who}: X[{m}] contains {K[i, j]} at samples {i} and {j}, expected finite kernel values; correct the "
                "matrix, or leave the kernel out."
            )
    return found
