"""Slow twins of derivatives: central differences of kernel values in 50 digits, and sums over pairs in NumPy.

The steps are so small that the truncation error is below 1e-12 of the derivative, and nothing cancels. No code is
shared with the library.
"""

import re
from typing import Any

import numpy as np
from mpmath import mp, mpf

from mercer import kernels as mk
from tests.reference.vectors import value

__all__ = ["column_sums", "input_gradients", "parameter_gradients", "weighted_slopes"]

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


def column_sums(M: Any, x: Any, z: Any, p: float) -> np.ndarray[Any, Any]:
    """Sums over all pairs of M_ij times abs(x_ik − z_jk)^p, one for each column k."""
    return np.array([np.vdot(M, np.abs(np.subtract.outer(x[:, k], z[:, k])) ** p) for k in range(x.shape[1])])


def weighted_slopes(kernel: mk.WeightedColumns, x: Any, z: Any, W: Any) -> tuple[float, np.ndarray[Any, Any], float]:
    """Σ W k, Σ W ∂k/∂log w for each column, and Σ W ∂k/∂log g, from whole matrices of terms."""
    weights = np.broadcast_to(np.asarray(kernel.weights, dtype=float), (x.shape[1],))
    terms = [
        np.not_equal.outer(x[:, k], z[:, k]).astype(float)
        if k in kernel.categorical
        else np.abs(np.subtract.outer(x[:, k], z[:, k])) ** kernel.p
        for k in range(x.shape[1])
    ]
    S = sum(w * t for w, t in zip(weights, terms, strict=True))
    positive = np.where(S > 0, S, 1.0)
    power = np.where(S > 0, positive**kernel.g, 0.0)
    value = np.exp(-power)
    slope = -kernel.g * W * power * value
    columns = [w * np.vdot(slope / positive, t) for w, t in zip(weights, terms, strict=True)]
    return float(np.vdot(W, value)), np.array(columns), float(np.vdot(slope, np.log(positive)))
