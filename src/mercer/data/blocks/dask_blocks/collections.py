"""Dask collections: the chunks of rows that become blocks."""

from typing import Any

import numpy as np

from mercer._validation import describe

__all__ = ["aligned", "delayed_parts", "is_collection", "rows_only"]


def is_collection(values: Any) -> bool:
    """Whether values are a Dask collection."""
    return hasattr(type(values), "__dask_graph__")


def rows_only(X: Any) -> Any:
    """X, if it is an array or a data frame whose rows are divided into chunks of known sizes, each with all columns."""
    if hasattr(X, "chunks"):
        if X.ndim != 2:
            raise ValueError(f"DaskBlocks: X must have rows and columns, got a Dask array of {X.ndim} dimensions.")
        if any(np.isnan(n) for sizes in X.chunks for n in sizes):
            raise ValueError(
                "DaskBlocks: the chunk sizes of X are unknown, so that its rows have no numbers; call "
                "X.compute_chunk_sizes(), or pass the data frame that X was made of."
            )
        return X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
    if hasattr(X, "columns") and hasattr(X, "map_partitions"):
        from pandas.api.types import is_bool_dtype, is_numeric_dtype, is_object_dtype

        for name, dtype in X.dtypes.items():  # objects may be numbers, which every block is checked for
            if not (is_numeric_dtype(dtype) or is_bool_dtype(dtype) or is_object_dtype(dtype)):
                raise TypeError(
                    f"DaskBlocks: column {name!r} of X has dtype {dtype}, expected numbers; encode categories, dates "
                    "and text before, or leave the column out."
                )
        return X
    raise TypeError(f"DaskBlocks: expected a Dask array or data frame, got {describe(X)}.")


def aligned(name: str, values: Any, X: Any, n_blocks: int) -> list[Any]:
    """Delayed parts of targets or weights, one for each block of X."""
    if hasattr(values, "chunks"):
        known = not any(np.isnan(n) for n in values.chunks[0])
        if hasattr(X, "chunks") and known:
            if values.shape[0] != X.shape[0]:
                raise ValueError(
                    f"DaskBlocks: X has {X.shape[0]} rows in chunks {_short(X.chunks[0])}, but {name} has "
                    f"{values.shape[0]} in chunks {_short(values.chunks[0])}; every row needs one."
                )
            values = values.rechunk({0: X.chunks[0]})
        values = values.rechunk({1: -1}) if values.ndim == 2 else values
    parts = delayed_parts(values)
    if len(parts) != n_blocks:
        raise ValueError(
            f"DaskBlocks: X has {n_blocks} partitions, but {name} has {len(parts)}; divide both alike, or pass {name} "
            "as an array in memory."
        )
    return parts


def delayed_parts(values: Any) -> list[Any]:
    """Delayed chunks of rows of an array, or partitions of a data frame."""
    if hasattr(values, "chunks"):
        return list(values.to_delayed().ravel())
    return list(values.to_delayed(optimize_graph=False))  # the optimizer may merge partitions of X, but not those of y


def _short(sizes: tuple[int, ...]) -> str:
    return str(sizes) if len(sizes) <= 4 else f"({sizes[0]}, {sizes[1]}, …, {sizes[-1]})"
