"""Validation of blocks: what the tasks rely on."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._validation import as_labels, as_numbers, describe
from mercer.data.blocks.block import Block
from mercer.data.convert import as_matrix
from mercer.data.frames import as_frame
from mercer.data.tables.table import Table

__all__ = ["checked_block", "require_finite"]


def checked_block(who: str, item: Any, index: int, start: int, first: Block | None) -> Block:
    """Block from rows, or from a tuple of rows, targets and weights; of the same form as the first block.

    >>> checked_block("blocks", ([[1, 2]], [3]), 0, 0, None).X
    array([[1., 2.]])
    """
    where = f"{who}: block {index}"
    if isinstance(item, Block):
        item = item.X, item.y, item.weight
    parts = item if isinstance(item, tuple) else (item,)
    if not 1 <= len(parts) <= 3:
        raise TypeError(f"{where} must be rows X, or a tuple (X, y) or (X, y, weight), got {describe(item)}.")
    X, y, weight = (*parts, None, None)[:3]
    if sp.issparse(X):
        raise TypeError(f"{where} is a sparse matrix; blocks must be dense: yield block.toarray(), or fit in memory.")
    X = as_numbers(where, as_matrix(X, where))
    if X.ndim != 2 or not X.shape[1]:
        raise ValueError(f"{where} must have rows and columns, got an array of shape {X.shape}.")
    y = None if y is None else _targets(where, y)
    if y is not None and (y.ndim not in (1, 2) or len(y) != len(X)):
        raise ValueError(f"{where} has {len(X)} rows, but targets of shape {y.shape}; every row needs its target.")
    if weight is not None:
        weight = np.asarray(as_numbers(where, weight, name="weight"), dtype=np.float64)
        if weight.shape != (len(X),):
            raise ValueError(f"{where} has {len(X)} rows, but weights of shape {weight.shape}; pass one for each row.")
    block = Block(X, y, weight, start, index)
    if first is not None:
        _check_form(where, block, first)
    return block


def column_names(item: Any) -> list[str] | None:
    """Names of the columns of a block, if its rows are a frame or a table."""
    X = item.X if isinstance(item, Block) else item[0] if isinstance(item, tuple) else item
    if isinstance(X, Table):
        return list(X.names)
    frame = as_frame(X)
    return None if frame is None else list(frame.columns)


def check_names(who: str, index: int, item: Any, known: list[str] | None) -> None:
    """Raise ValueError if the columns of a block have other names, or another order, than those of the first one."""
    names = column_names(item)
    if names != known and names is not None:
        expected = (
            "no names" if known is None else ", ".join(map(repr, known[:5])) + (", ..." if len(known) > 5 else "")
        )
        raise ValueError(
            f"{who}: the columns of block {index} are named {', '.join(map(repr, names[:5]))}, expected "
            f"{expected}; all blocks need the same columns in the same order."
        )


def _targets(where: str, y: Any) -> Any:
    """Numbers or labels. Missing values are found by `require_finite`, which knows the place in the data."""
    values = as_labels(where, y, missing=True)
    return as_numbers(where, values, name="y") if values.dtype.kind in "mM" else values  # dates raise the common error


def _check_form(where: str, block: Block, first: Block) -> None:
    """Raise ValueError unless a block has the columns, targets and weights of the first one."""
    if block.X.shape[1] != first.X.shape[1]:
        raise ValueError(
            f"{where} has {block.X.shape[1]} columns, but block {first.index} has {first.X.shape[1]}; all blocks need "
            "the same columns."
        )
    for name, own, other in (("targets", block.y, first.y), ("weights", block.weight, first.weight)):
        if (own is None) != (other is None):
            have, lack = (first, block) if own is None else (block, first)
            raise ValueError(
                f"{where}: block {have.index} has {name}, but block {lack.index} has none; give all of them or none."
            )
    if block.y is not None and block.y.shape[1:] != first.y.shape[1:]:
        raise ValueError(
            f"{where} has targets of shape {block.y.shape}, but block {first.index} has {first.y.shape}; all blocks "
            "need the same number of targets."
        )


def require_finite(who: str, block: Block) -> None:
    """Raise ValueError that names the block and the row if a block contains NaN or infinity."""
    for name, values in (("X", block.X), ("y", block.y), ("sample_weight", block.weight)):
        if values is None or values.dtype.kind not in "fO" or (values.dtype.kind == "f" and np.isfinite(values.sum())):
            continue
        bad = _not_finite(values)
        if bad.any():
            row = int(np.argwhere(bad.reshape(len(bad), -1).any(axis=1))[0, 0])
            raise ValueError(
                f"{who}: Input {name} contains NaN or infinity in block {block.index}, row {row} of the block, which "
                f"is row {block.start + row} of the data; remove or replace such values."
            )


def _not_finite(values: Any) -> Any:
    if values.dtype.kind == "f":
        return ~np.isfinite(values)
    missing = [value is None or (isinstance(value, float) and not np.isfinite(value)) for value in values.ravel()]
    return np.array(missing).reshape(values.shape)
