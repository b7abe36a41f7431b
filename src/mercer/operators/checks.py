"""Checks of the arguments of operators and of the memory that their results need."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._typing import FloatArray, IndexArray
from mercer._validation import as_dense, check_rows, check_vectors, describe

if TYPE_CHECKING:
    from mercer.operators.base import GramOperator

__all__ = ["check_operand", "check_starts", "check_taken", "require_block"]


def check_operand(operator: "GramOperator", V: Any, n: int, what: str) -> tuple[FloatArray, bool]:
    """Return V as a float64 matrix of n rows, and whether it was a vector; `what` names the product in messages."""
    who = operator.who
    if hasattr(V, "as_linear_operator"):
        raise TypeError(
            f"{who}: {what} needs an array, got the operator {V!r}; "
            "K * L is the entrywise product, K @ L.dense() the matrix product."
        )
    try:
        shape = V.shape if hasattr(V, "shape") else np.shape(V)
    except ValueError as error:
        raise ValueError(f"{who}: V cannot be converted to an array ({error}).") from None
    if len(shape) not in (1, 2) or shape[0] != n:
        raise ValueError(
            f"{who}: {what} does not fit, the operator is {operator.shape[0]} x {operator.shape[1]} and V has shape "
            f"{tuple(shape)}; V must be a vector or a matrix with {n} rows."
        )
    if not isinstance(V, np.ndarray) and hasattr(V, "toarray"):
        raise TypeError(f"{who}: {what} needs a dense V, got {describe(V)}; call V.toarray().")
    V = as_dense(who, V, name="V")
    flat = V.ndim == 1
    if flat:
        V = V[:, None]
    if V.shape[1] == 0:
        return np.empty(V.shape), flat
    return np.asarray(check_vectors(who, V, name="V"), dtype=np.float64), flat


def check_starts(operator: "GramOperator", starts: Any) -> IndexArray:
    """Return the first column of each consecutive group, followed by the number of columns."""
    first = np.ascontiguousarray(starts, dtype=np.int64)
    n = operator.shape[1]
    if first.ndim != 1 or len(first) < 2 or first[0] != 0 or first[-1] != n or (np.diff(first) < 0).any():
        raise ValueError(
            f"{operator.who}: starts must ascend from 0 to the number of columns, {n}, got {describe(starts)}."
        )
    return first


def check_taken(operator: "GramOperator", rows: Any) -> IndexArray:
    """Return row indices of a square operator, at least one."""
    if operator.shape[0] != operator.shape[1]:
        raise ValueError(f"{operator.who}: take needs a square operator, this one is {operator._size()}; use block.")
    chosen = check_rows(operator.who, rows, operator.shape[0])
    if len(chosen) == 0:
        raise ValueError(f"{operator.who}: take needs at least one row, got none; check how the rows were selected.")
    return chosen


def require_block(operator: "GramOperator", shape: tuple[int, int], what: str) -> None:
    """Raise MemoryLimitError if a block of this shape does not fit in memory."""
    bits = 8 * operator.dtype.itemsize
    require_memory(
        operator._nbytes(shape),
        what=f"{type(operator).__name__}: {what} of {shape[0]} x {shape[1]} {bits}-bit numbers",
        instead="Use matmul or a few rows at a time, which never hold the matrix in memory, or a "
        "low-rank approximation (LowRankOperator)" + (", or float32 data." if bits == 64 else "."),
    )
