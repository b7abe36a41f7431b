"""Distances that a kernel induces, from kernel values."""

import numpy as np

from mercer._typing import FloatArray

__all__ = ["distances_in_place"]


def distances_in_place(who: str, K: FloatArray, a: FloatArray, b: FloatArray) -> None:
    """Replace k(x_i, z_j) by √(k(x_i, x_i) + k(z_j, z_j) − 2k(x_i, z_j)).

    Parameters
    ----------
    who : str
        Kernel, for error messages.
    K : ndarray of shape (m, n)
        Kernel values, which are overwritten. An exactly symmetric matrix stays so.
    a : ndarray of shape (m,)
        Values k(x_i, x_i).
    b : ndarray of shape (n,)
        Values k(z_j, z_j).

    Raises
    ------
    ValueError
        If a squared distance is negative by more than rounding.
    """
    size = np.abs(a).max() + np.abs(b).max()
    tolerance = 32 * np.finfo(K.dtype).eps * max(float(size), float(np.abs(K).max()))
    K *= -2
    for i in range(len(K)):  # a_i + b_j first, so that the result is exactly symmetric
        K[i] += a[i] + b
    if K.min() < -tolerance:
        i, j = (int(v) for v in np.unravel_index(K.argmin(), K.shape))
        raise ValueError(
            f"{who}: samples {i} and {j} have the negative squared distance {K[i, j]:g}, so the kernel is not "
            "conditionally positive semidefinite on these data and does not induce a metric; see "
            "mercer.kernels.check_gram and mercer.kernels.repair."
        )
    np.maximum(K, 0, out=K)
    np.sqrt(K, out=K)
