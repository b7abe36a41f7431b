"""The metric that a kernel induces, from kernel values."""

import numpy as np

from mercer._typing import FloatArray

__all__ = ["distances_in_place"]


def distances_in_place(who: str, K: FloatArray, a: FloatArray, b: FloatArray) -> None:
    """Replace k(x_i, z_j) by √(k(x_i, x_i) + k(z_j, z_j) − 2k(x_i, z_j)).

    Parameters
    ----------
    who : str
        The kernel, for messages.
    K : ndarray of shape (m, n)
        Kernel values, which are overwritten; symmetric to the bit stays so.
    a, b : ndarray of shape (m,), (n,)
        k(x, x) and k(z, z).

    Raises
    ------
    ValueError
        If a squared distance is negative by more than rounding.
    """
    size = np.abs(a).max() + np.abs(b).max()
    tolerance = 32 * np.finfo(K.dtype).eps * max(float(size), float(np.abs(K).max()))
    K *= -2
    for i in range(len(K)):  # a_i + b_j first, so that the result is symmetric to the bit
        K[i] += a[i] + b
    if K.min() < -tolerance:
        i, j = (int(v) for v in np.unravel_index(K.argmin(), K.shape))
        raise ValueError(
            f"{who}: samples {i} and {j} have the negative squared distance {K[i, j]:g}, so the kernel is not "
            "conditionally positive semidefinite on this data and induces no metric; see check_gram and repair in "
            "mercer.kernels."
        )
    np.maximum(K, 0, out=K)
    np.sqrt(K, out=K)
