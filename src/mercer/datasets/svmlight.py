"""LIBSVM format: a label, then pairs of feature number and value; zeros are omitted."""

import io
import pathlib
from typing import Any

import numpy as np

from mercer.data.readers.lines import file_error, whole_file
from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import refuse, stem

__all__ = ["read_svmlight"]


def read_svmlight(path: pathlib.Path) -> Dataset:
    """Read a sparse matrix and its labels, plain or gzip.

    Features may be numbered from 0 or from 1. The matrix is CSR, with as many columns as the highest feature number
    requires. Labels are integers if all of them are.
    """
    data = whole_file(path)
    try:
        X, y, queries = _load(data)
    except (ValueError, OverflowError):
        lines = data.split(b"\n")
        at = _first_bad(lines)
        shown = lines[at][:40].decode("ascii", "backslashreplace")
        what = f"expected 'label feature:value …' with ascending features, got {shown!r}"
        raise file_error(path, at + 1, None, what) from None
    if not X.shape[0]:
        raise refuse(path, "is empty, expected 'label feature:value …' on each line")
    whole = bool((np.abs(y) <= 2.0**53).all() and (y == np.floor(y)).all())  # False for NaN
    notes = [f"The highest feature number implies {X.shape[1]} features."]
    if len(queries):
        notes.append("Query ids (qid) are ignored.")
    return Dataset(stem(path), X, y.astype(np.int64) if whole else y, "label", tuple(notes))


def _load(data: bytes) -> Any:
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(io.BytesIO(data), query_id=True, zero_based="auto")


def _first_bad(lines: list[bytes]) -> int:
    """Number of the first invalid line, by bisection, since lines are independent."""
    low, high = 0, len(lines)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            _load(b"\n".join(lines[low:middle]))
            low = middle
        except (ValueError, OverflowError):
            high = middle
    return low
