"""Malformed sparse matrices of the formats that mercer converts: coordinates, lists, keys, diagonals, one dimension."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from tests.border.odd import Odd, Way, pick

__all__ = ["VALUES", "WAYS"]

FAR = (-1, -100, 50, 10**6, 2**31 - 1)


def _coo(rng: np.random.Generator, base: Any) -> Any:
    return pick(rng, [sp.coo_matrix, sp.coo_array])(base)


def _far_coordinate(rng: np.random.Generator, base: Any) -> Odd:
    X = _coo(rng, base)
    coords = [np.array(axis) for axis in X.coords]
    axis = pick(rng, coords)
    axis[int(rng.integers(len(axis)))] = pick(rng, FAR)
    X.coords = tuple(coords)
    return Odd(X, "refuse")


def _short_coordinates(rng: np.random.Generator, base: Any) -> Odd:
    X = _coo(rng, base)
    row, column = X.coords
    X.coords = pick(rng, [(row[:-2], column), (row, column[:-2]), (row, column, row), (row,), ()])
    return Odd(X, "refuse")


def _odd_coordinates(rng: np.random.Generator, base: Any) -> Odd:
    X = _coo(rng, base)
    X.coords = tuple(axis.astype(pick(rng, [np.float64, np.uint64, object, np.int8, ">i4"])) for axis in X.coords)
    return Odd(X, "either", sp.csr_matrix(base))


def _short_data(rng: np.random.Generator, base: Any) -> Odd:
    X = _coo(rng, base)
    X.data = X.data[: len(X.data) // 2]
    return Odd(X, "refuse")


def _repeated_coordinates(rng: np.random.Generator, base: Any) -> Odd:
    X = _coo(rng, base)
    X.data, X.coords = np.repeat(X.data / 2, 2), tuple(np.repeat(axis, 2) for axis in X.coords)
    X.has_canonical_format = False
    return Odd(X, "answer", sp.csr_matrix(base))


def _not_finite(rng: np.random.Generator, base: Any) -> Odd:
    X = pick(rng, [sp.coo_matrix, sp.lil_array, sp.dok_matrix, sp.dia_array])(
        np.where(base == base.max(), np.nan, base)
    )
    return Odd(X, "refuse")


def _lists(rng: np.random.Generator, base: Any) -> Odd:
    X = pick(rng, [sp.lil_matrix, sp.lil_array])(base)
    row = int(rng.integers(len(base)))
    match int(rng.integers(5)):
        case 0:
            X.rows[row][0] = pick(rng, FAR)
        case 1:
            X.data[row].pop()
        case 2:
            X.rows[row] = None
        case 3:
            X.rows = X.rows[:-1]
        case 4:
            X.rows[row] = [0.5] * len(X.rows[row])
    return Odd(X, "refuse")


def _no_numbers(rng: np.random.Generator, base: Any) -> Odd:
    X = pick(rng, [sp.lil_matrix, sp.lil_array])(base)
    X.data[int(rng.integers(len(base)))][0] = pick(rng, [None, "ox", 1j])
    return Odd(X, "refuse")


def _keys(rng: np.random.Generator, base: Any) -> Odd:
    X = pick(rng, [sp.dok_matrix, sp.dok_array])(base)
    match int(rng.integers(4)):
        case 0:
            X._dict[(pick(rng, FAR), 0)] = 1.0
        case 1:
            X._dict[(0, pick(rng, FAR))] = 1.0
        case 2:
            X._dict[(0, 0)] = pick(rng, [1j, "ox", None])
        case 3:
            X._dict[(0,)] = 1.0
    return Odd(X, "refuse")


def _diagonals(rng: np.random.Generator, base: Any) -> Odd:
    X = pick(rng, [sp.dia_matrix, sp.dia_array])(base)
    match int(rng.integers(3)):
        case 0:
            X.offsets = X.offsets[:-1]
        case 1:
            X.data = X.data[:-1]
        case 2:
            X.data = X.data.ravel()
    return Odd(X, "refuse")


def _far_diagonal(rng: np.random.Generator, base: Any) -> Odd:
    """A diagonal outside the matrix holds no entry of it."""
    X = pick(rng, [sp.dia_matrix, sp.dia_array])(base)
    X.offsets = np.append(X.offsets, pick(rng, [10**6, -(10**6), 2**31 - 1])).astype(X.offsets.dtype)
    X.data = np.vstack([X.data, X.data[:1]])
    return Odd(X, "either", sp.csr_matrix(base))


def _one_dimension(rng: np.random.Generator, base: Any) -> Odd:
    return Odd(pick(rng, [sp.coo_array, sp.csr_array, sp.dok_array])(base[0]), "refuse")


def _empty(rng: np.random.Generator, base: Any) -> Odd:
    cls = pick(rng, [sp.csr_matrix, sp.csr_array, sp.coo_array, sp.csc_matrix])
    return Odd(cls(pick(rng, [(0, base.shape[1]), (base.shape[0], 0)])), "refuse")


WAYS: dict[str, Way] = {
    "coo: a coordinate is out of range": _far_coordinate,
    "coo: coordinates of different lengths": _short_coordinates,
    "coo: coordinates of another type": _odd_coordinates,
    "coo: data are short": _short_data,
    "coo: repeated coordinates": _repeated_coordinates,
    "coo, lil, dok, dia: NaN": _not_finite,
    "lil: malformed lists": _lists,
    "lil: entries that are not numbers": _no_numbers,
    "dok: malformed keys": _keys,
    "dia: malformed diagonals": _diagonals,
    "dia: a diagonal outside the matrix": _far_diagonal,
    "one dimension": _one_dimension,
    "no rows or no columns": _empty,
}
# Functions that choose or join samples need not look at values, and may choose none.
VALUES = {"coo, lil, dok, dia: NaN", "lil: entries that are not numbers", "no rows or no columns"}
