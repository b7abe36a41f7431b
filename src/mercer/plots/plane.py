"""Grids in the plane around samples with two coordinates."""

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer._validation import check_real, check_vectors, describe
from mercer.data import as_matrix
from mercer.data.frames import as_frame

__all__ = ["box", "like", "names", "points"]


def points(who: str, X: Data) -> DoubleArray:
    """Coordinates of samples, of shape (n, 2)."""
    message = f"{who}: got {describe(X)}, expected two columns of finite numbers; use EmbeddingDisplay for other data."
    try:
        matrix = check_vectors(who, as_matrix(X, who))
    except (TypeError, ValueError) as error:
        raise ValueError(message) from error
    if matrix.shape[1] != 2:
        raise ValueError(message)
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)


def names(X: Data) -> tuple[str, str]:
    """Names of the two columns."""
    frame = as_frame(X)
    return ("x₁", "x₂") if frame is None else (str(frame.columns[0]), str(frame.columns[1]))


def box(who: str, X: DoubleArray, margin: float) -> DoubleArray:
    """Corners of the bounding box of points, extended on each side by a fraction of its width; shape (2, 2)."""
    low, high = X.min(axis=0), X.max(axis=0)
    wide = high - low
    wide[wide == 0] = wide.max() or 1.0
    return np.stack([low, high]) + check_real(who, "margin", margin, low=0.0) * np.outer([-1.0, 1.0], wide)


def like(X: Data, grid: DoubleArray) -> Data:
    """Convert points to the type of X: a frame with the same columns if X is a frame."""
    frame = as_frame(X)
    if frame is None:
        return grid
    import narwhals.stable.v2 as nw

    columns = {name: grid[:, j] for j, name in enumerate(frame.columns)}
    return nw.from_dict(columns, backend=frame.implementation).to_native()
