"""Slow twins of derivatives: central differences of kernel values in 50 digits.

The steps are so small that the truncation error is below 1e-12 of the derivative, and nothing cancels. No code is
shared with the library.
"""

import re
from typing import Any

import numpy as np
from mpmath import mp, mpf

from mercer import kernels as mk
from tests.reference.vectors import value

__all__ = ["input_gradients", "parameter_gradients"]

STEP = 2.0**-24


def parameter(kernel: mk.Kernel, name: str) -> Any:
    """The parameter with a nested name such as ``0__gamma[2]``."""
    field, _, index = re.match(r"([^\[]*)(\[(\d+)\])?$", name).groups()  # type: ignore[union-attr]
    found = kernel.get_params()[field]
    return mpf(found if index is None else found[int(index)])


def parameter_gradients(kernel: mk.Kernel, X: Any, Z: Any) -> np.ndarray[Any, Any]:
    """∂k(x_i, z_j)/∂theta, of shape (n, m, n_parameters)."""
    found = np.empty((len(X), len(Z), len(kernel.theta)))
    for t, name in enumerate(kernel.theta_names):
        step = np.zeros(len(kernel.theta))
        step[t] = STEP
        up, down = kernel.with_theta(kernel.theta + step), kernel.with_theta(kernel.theta - step)
        distance = mp.log(parameter(up, name)) - mp.log(parameter(down, name))
        for i, x in enumerate(X):
            found[i, :, t] = [float((value(up, x, z) - value(down, x, z)) / distance) for z in Z]
    return found


def input_gradients(kernel: mk.Kernel, X: Any, Z: Any) -> np.ndarray[Any, Any]:
    """∂k(x_i, z_j)/∂x_i, of shape (n, m, n_features)."""
    found = np.empty((len(X), len(Z), X.shape[1]))
    for i, x in enumerate(X):
        for k in range(X.shape[1]):
            up, down = x.copy(), x.copy()
            up[k], down[k] = x[k] + STEP, x[k] - STEP
            distance = mpf(float(up[k])) - mpf(float(down[k]))
            found[i, :, k] = [float((value(kernel, up, z) - value(kernel, down, z)) / distance) for z in Z]
    return found
