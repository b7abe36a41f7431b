"""Odd inputs: what an input is called, the plain input that means the same, and what an entry point must do with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

__all__ = ["Must", "Odd", "Way", "bases", "pick"]

Must: TypeAlias = Literal["answer", "refuse", "either"]


@dataclass(frozen=True)
class Odd:
    """An input that is malformed, or legal but unusual.

    Attributes
    ----------
    X : object
        The input.
    must : {"answer", "refuse", "either"}
        "answer": a legal input, which must give the result of `plain`. "refuse": no plain input means the same, so that
        any result is a fault. "either": a refusal is fine, and so is the result of `plain`.
    plain : array or sparse matrix, optional
        The ordinary input with the same meaning.
    rtol : float, default=1e-6
        Relative to the largest number of the result.
    """

    X: Any
    must: Must
    plain: Any = None
    rtol: float = 1e-6


Way: TypeAlias = Callable[[np.random.Generator, Any], Odd]  # from a plain dense matrix to an odd input


def pick(rng: np.random.Generator, options: Any) -> Any:
    """One of a sequence."""
    return options[int(rng.integers(len(options)))]


def _rows(seed: int, n: int, d: int) -> Any:
    """Nonnegative eighths, exact in every float type; every row and every column has a number other than 0."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 33, size=(n, d)) / 8 * (rng.random((n, d)) < 0.6)
    X[np.arange(n), np.arange(n) % d] = 1.0 + rng.integers(1, 9, size=n) / 8
    return X


def _square(seed: int, n: int) -> Any:
    X = _rows(seed, n, 3)
    return X @ X.T / 8 + np.eye(n)  # multiples of 1/512 below 64


ROWS = [_rows(0, 16, 4), _rows(1, 20, 3)]
SQUARES = [_square(2, 14)]
VECTORS = [_rows(3, 16, 1).ravel()]
PLANES = [_rows(4, 16, 2)]


def bases(needs: str) -> list[Any]:
    """Plain inputs of the shape that an entry point needs: "rows", "square", "vector" or "plane"."""
    return {"rows": ROWS, "square": SQUARES, "vector": VECTORS, "plane": PLANES}[needs]
