"""Contracted derivatives, computed in panels of rows within a memory budget."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer._runtime.limits import require_memory
from mercer._typing import Data, DoubleArray
from mercer._validation import as_csr, as_numbers, check_finite
from mercer.data import n_samples
from mercer.data.names import column_names
from mercer.kernels.base import Kernel
from mercer.kernels.evaluate import PANEL_BYTES
from mercer.kernels.gradients.nodes import Node, Totals
from mercer.kernels.gradients.panels import Pairs, Panel
from mercer.kernels.gradients.table import node_of
from mercer.kernels.gradients.theta import require_resolved
from mercer.kernels.sharing import sharing

__all__ = ["gradient", "parameter_gradient"]

LEAST = 64  # rows of a panel of a symmetric matrix
PARTS = 8  # least number of panels for a symmetric matrix: about 1/16 of the pairs are then computed twice


def _pairs(kernel: Kernel, X: Data, Z: Data, n_jobs: int | None) -> Pairs:
    """Both sets of samples, after a check that they are not empty."""
    import scipy.sparse as sp

    who = type(kernel).__name__
    for name, data in (("X", X), ("Z", Z)):
        if data is not None and n_samples(data) == 0:
            raise ValueError(f"{who}: {name} has 0 samples, expected at least 1; check how it was selected.")
    X = as_csr(who, X) if sp.issparse(X) else X
    if Z is None:
        return Pairs(X, X, n_jobs)
    return Pairs(X, as_csr(who, Z, name="Z") if sp.issparse(Z) else Z, n_jobs)


def _starts(node: Node, n: int, m: int, most: int | None = None) -> Iterator[slice]:
    """Consecutive rows whose blocks fit in the budget."""
    step = max(1, PANEL_BYTES // (8 * m * node.size()))
    step = step if most is None else min(step, max(LEAST, most))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def _matrix(who: str, name: str, values: Any, rows: int, columns: int | None) -> DoubleArray:
    """A checked dense matrix of float64."""
    array = as_numbers(who, values, name=name)
    if hasattr(array, "toarray"):
        raise TypeError(f"{who}: {name} must be a dense array, got a sparse matrix; call {name}.toarray().")
    if array.ndim != 2 or array.shape[0] != rows or columns not in (None, array.shape[1]):
        wanted = f"({rows}, {'n_outputs' if columns is None else columns})"
        raise ValueError(f"{who}: {name} must have shape {wanted}, got {array.shape}.")
    check_finite(who, name, array)
    return array.astype(np.float64, copy=False)  # type: ignore[no-any-return]


def _require_finite(kernel: Kernel, found: DoubleArray, what: str) -> DoubleArray:
    """Derivatives, or a ValueError if they overflow."""
    if not np.isfinite(found).all():
        raise ValueError(
            f"{type(kernel).__name__}: {what} of the kernel {kernel} are not finite for these samples; rescale the "
            "features, or lower the parameters of the kernel."
        )
    return found


def parameter_gradient(kernel: Kernel, X: Data, Z: Data, G: Any, n_jobs: int | None) -> DoubleArray:
    """Σ_ij G_ij ∂k(x_i, z_j)/∂theta."""
    who = type(kernel).__name__
    require_resolved(kernel, "parameter_gradient")
    with sharing():
        pairs = _pairs(kernel, X, Z, n_jobs)
        n, m = n_samples(pairs.X), n_samples(pairs.Z)
        weights = _matrix(who, "G", G, n, m)
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.array(node_of(kernel, pairs).whole(weights, _by_panels, value=False).theta)
        return _require_finite(kernel, found, "derivatives in parameters")


def _by_panels(node: Node, weights: DoubleArray, value: bool) -> Totals:
    """Sums over all pairs, panel by panel; weighted kernel values only if `value`."""
    (n, m), symmetric = weights.shape, node.pairs.symmetric
    total, found = 0.0, np.zeros(len(node.remainder()))
    if not node.has_parameters and not value:
        return Totals(total, found.tolist())
    for rows in _starts(node, n, m, -(-n // PARTS) if symmetric else None):
        columns = slice(rows.start if symmetric else 0, m)
        W = np.array(weights[rows, columns])
        if symmetric:  # k(x, z) = k(z, x): the pairs below the diagonal block are added to those above it
            W[:, rows.stop - rows.start :] += weights[rows.stop :, rows].T
        panel = Panel(rows, columns)
        if node.has_parameters:
            found += node.parameters(panel, W)
        if value:
            total += float(np.vdot(W, node.values(panel)))
    return Totals(total, (found + node.remainder()).tolist())


def gradient(kernel: Kernel, X: Data, Z: Data, coef: Any, n_jobs: int | None) -> DoubleArray:
    """∇_x k(x_i, z_j), or its sums over j with coefficients."""
    who = type(kernel).__name__
    require_resolved(kernel, "gradient")
    with sharing():
        pairs = _pairs(kernel, X, Z, n_jobs)
        n, m = n_samples(pairs.X), n_samples(pairs.Z)
        node = node_of(kernel, pairs)
        width = len(column_names(pairs.X))
        weights = None if coef is None else _matrix(who, "coef", coef, m, None)
        between = m if weights is None else weights.shape[1]
        require_memory(
            8 * n * between * width,
            what=f"{who}: the gradients of {n} x {between} values in {width} features",
            instead="Pass coef to sum over the samples of Z, or fewer rows of X at a time.",
        )
        out = np.zeros((n, between, width))
        for rows in _starts(node, n, m):
            W = np.ones((rows.stop - rows.start, m))
            with np.errstate(over="ignore", invalid="ignore"):
                node.inputs(Panel(rows, slice(0, m)), W, weights, out[rows])
        _require_finite(kernel, out, "gradients")
        return out if weights is None else np.ascontiguousarray(np.swapaxes(out, 1, 2))
