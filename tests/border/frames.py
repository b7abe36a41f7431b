"""Frames of pandas and polars with columns that hold no real numbers, and with real numbers in unusual types."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from tests.border.odd import Must, Odd, Way, pick

__all__ = ["WAYS"]


def _columns(base: Any) -> dict[str, Any]:
    return {f"x{j}": base[:, j] for j in range(base.shape[1])}


def with_column(make: Any, must: Must = "refuse", *, library: str = "any", plain: Any = None) -> Way:
    """A frame whose first column is `make(values)`; `plain(values)` are the numbers that it means."""

    def way(rng: np.random.Generator, base: Any) -> Odd:
        frame = {"pandas": pd, "polars": pl}.get(library) or pick(rng, [pd, pl])
        columns = _columns(base)
        columns["x0"] = make(columns["x0"])
        meant = base.copy()
        if plain is not None:
            meant[:, 0] = plain(base[:, 0])
        return Odd(frame.DataFrame(columns), must, None if must == "refuse" else meant)

    return way


def _nullable(values: Any) -> Any:
    return pd.array(np.rint(values), dtype="Int64")


def _missing(values: Any) -> Any:
    return pd.array([None, *np.rint(values[1:])], dtype="Int64")


def _twice(rng: np.random.Generator, base: Any) -> Odd:
    return Odd(pd.DataFrame(base, columns=["x"] * base.shape[1]), "either", base)


def _levels(rng: np.random.Generator, base: Any) -> Odd:
    columns = pd.MultiIndex.from_tuples([("x", j) for j in range(base.shape[1])])
    return Odd(pd.DataFrame(base, columns=columns), "either", base)


def _mixed(rng: np.random.Generator, base: Any) -> Odd:
    return Odd(pd.DataFrame(base, columns=["x", *range(1, base.shape[1])]), "either", base)


def _empty(rng: np.random.Generator, base: Any) -> Odd:
    frame = pick(rng, [pd, pl]).DataFrame(_columns(base))
    return Odd(pick(rng, [frame[:0], type(frame)()]), "refuse")


def _lazy(rng: np.random.Generator, base: Any) -> Odd:
    return Odd(pl.DataFrame(_columns(base)).lazy(), "refuse")


WAYS: dict[str, Way] = {
    "dates": with_column(lambda values: values.astype(np.int64).astype("M8[ns]")),
    "durations": with_column(lambda values: values.astype(np.int64).astype("m8[ns]")),
    "complex": with_column(lambda values: values + 1j, library="pandas"),
    "periods": with_column(lambda values: pd.period_range("2024", periods=len(values), freq="D"), library="pandas"),
    "lists": with_column(lambda values: [[v, v] for v in values.tolist()]),
    "dicts": with_column(lambda values: [{"v": v} for v in values.tolist()]),
    "bytes": with_column(lambda values: [b"ox"] * len(values)),
    "NaN": with_column(lambda values: np.where(np.arange(len(values)) == 1, np.nan, values)),
    "missing integers": with_column(_missing, library="pandas"),
    "missing numbers": with_column(lambda values: [None, *values[1:].tolist()]),
    "nothing but missing": with_column(lambda values: [None] * len(values)),
    "nullable integers": with_column(_nullable, "answer", library="pandas", plain=np.rint),
    "truth values": with_column(lambda values: values > 2, "either", plain=lambda values: values > 2),
    "objects: numbers": with_column(lambda values: values.astype(object), "either", library="pandas"),
    "objects: a text": with_column(lambda values: ["ox", *values[1:].tolist()], library="pandas"),
    "decimals": with_column(lambda v: pl.Series(v).cast(pl.Decimal(10, 3)), "either", library="polars"),
    "sparse column": with_column(pd.arrays.SparseArray, "either", library="pandas"),
    "float32": with_column(lambda values: values.astype(np.float32), "answer"),
    "small integers": with_column(lambda v: np.rint(v).astype(np.int8), "answer", plain=np.rint),
    "one name twice": _twice,
    "names of two levels": _levels,
    "names and numbers as names": _mixed,
    "nothing in it": _empty,
    "not collected": _lazy,
}
