"""Private copies of arrays for containers."""

from typing import Any

import numpy as np

from mercer._validation.arrays import check_finite
from mercer._validation.describe import describe

__all__ = ["check_array"]


def check_array(
    who: str, name: str, values: Any, dtype: Any, shape: tuple[int | None, ...], *, finite: bool = True
) -> Any:
    """Return a private, contiguous copy of an array of the given type (in any byte order) and shape.

    Parameters
    ----------
    who : str
        Name of the class in messages.
    name : str
        Name of the field in messages.
    values : object
        Array of the expected type. Nothing is converted.
    dtype : dtype
        Expected type.
    shape : tuple of int or None
        Expected lengths; None stands for any length of at least 1.
    finite : bool, default=True
        Whether NaN and infinity raise ValueError.

    Returns
    -------
    ndarray
        Copy of `values`.

    Notes
    -----
    Cost: O(size). The copy is made before it is checked, so that another thread cannot change it in between.

    Examples
    --------
    >>> check_array("Graphs", "weights", np.array([1.0, 2.0]), np.float64, (2,))
    array([1., 2.])
    """
    dtype = np.dtype(dtype)
    fits = (
        isinstance(values, np.ndarray)
        and values.dtype.newbyteorder("=") == dtype
        and values.ndim == len(shape)
        and all(n == m if m is not None else n >= 1 for n, m in zip(values.shape, shape, strict=True))
    )
    if not fits:
        lengths = ", ".join("any" if n is None else str(n) for n in shape) + ("," if len(shape) == 1 else "")
        raise ValueError(f"{who}: {name} must be an array of {dtype} of shape ({lengths}), got {describe(values)}.")
    own = np.array(values, dtype=dtype, order="C", subok=False)
    if finite and dtype.kind == "f":
        check_finite(who, name, own)
    return own
