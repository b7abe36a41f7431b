"""Derivatives of kernels of inner products and Euclidean distances.

Their gradients are combinations of the samples, ∇k = P z + Q x with numbers P and Q for each pair, so that sums over z
are matrix products.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._runtime.products import product
from mercer._typing import DoubleArray
from mercer.kernels.dot import inverse_roots, squared_norms
from mercer.kernels.gradients.nodes import ByPanels, Node, Totals, contracted
from mercer.kernels.gradients.panels import Panel, Source
from mercer.kernels.gradients.sums import column_sums, weighted_slopes
from mercer.kernels.program import Builder

__all__ = ["BilinearForm", "CosineAngle", "Distance", "Exponent", "InnerProduct", "TanimotoRatio", "Width"]


def _dense(rows: Any) -> DoubleArray:
    """A panel of samples as a dense array."""
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows)


def _add_combination(
    P: DoubleArray, z: Any, Q: DoubleArray | None, x: Any, coef: DoubleArray | None, scale: Any, out: DoubleArray
) -> None:
    """Add scale·(Σ_j P_ij c_jt z_j + Q_ij c_jt x_i) to `out`, or the single terms without coefficients."""
    if coef is None:
        out += P[:, :, None] * (_dense(z) * scale)
    else:
        for t in range(coef.shape[1]):
            out[:, t, :] += ((P * coef[:, t]) @ z) * scale
    if Q is not None:
        out += contracted(Q, coef)[:, :, None] * (_dense(x) * scale)[:, None, :]


class InnerProduct(Node):
    """Kernels f(⟨x, z⟩): linear, polynomial and sigmoid kernels."""

    def setup(self) -> None:
        self.x, self.z = self.pairs.vectors(self.kernel)

    @cached_property
    def source(self) -> Source:
        """Blocks of ⟨x, z⟩."""
        return self.pairs.source(self.kernel, lambda program, array: program.dot(array))

    def whole(self, G: DoubleArray, by_panels: ByPanels, *, value: bool) -> Totals:
        if self.kernel.name != "linear" or sp.issparse(self.x) or sp.issparse(self.z):
            return super().whole(G, by_panels, value=value)
        constant = self.kernel.coef0 * float(np.sum(G)) if self.kernel.coef0 else 0.0
        dots = float(np.vdot(product(G, self.z), self.x)) if value else 0.0  # Σ G_ij ⟨x_i, z_j⟩ without a block of them
        return Totals(dots + constant, self._chosen({"coef0": constant}))

    def _linear(self, panel: Panel) -> tuple[DoubleArray, float, float]:
        """⟨x, z⟩, γ and c."""
        dots = panel.once(self, "dot", lambda: self.source.at(panel))
        return dots, getattr(self.kernel, "gamma", 1.0), self.kernel.coef0

    def _function(self, panel: Panel) -> tuple[DoubleArray, Any]:
        """Values and derivatives of f at u = γ⟨x, z⟩ + c."""
        dots, gamma, offset = self._linear(panel)
        u, kernel = gamma * dots + offset, self.kernel
        if kernel.name == "linear":
            return u, 1.0
        if kernel.name == "poly":
            return u**kernel.degree, kernel.degree * u ** (kernel.degree - 1)
        value = np.tanh(u)
        return value, 1 - value * value

    def block(self, panel: Panel) -> DoubleArray:
        return panel.once(self, "function", lambda: self._function(panel))[0]

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        dots, gamma, offset = self._linear(panel)
        weights = W * panel.once(self, "function", lambda: self._function(panel))[1]
        return {"gamma": gamma * np.vdot(weights, dots), "coef0": offset * np.sum(weights)}

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        gamma = self._linear(panel)[1]
        P = W * (gamma * panel.once(self, "function", lambda: self._function(panel))[1])
        _add_combination(P, self.z[panel.columns], None, None, coef, 1.0, out)


class BilinearForm(Node):
    """xᵀAz."""

    def setup(self) -> None:
        self.source = self.pairs.values(self.kernel)
        self.Az = self.pairs.vectors(self.kernel)[1] @ self.kernel.matrix

    def block(self, panel: Panel) -> DoubleArray:
        return self.source.at(panel)

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        _add_combination(W, self.Az[panel.columns], None, None, coef, 1.0, out)


class _Normed(Node):
    """Kernels of ⟨x, z⟩, ‖x‖² and ‖z‖²."""

    def setup(self) -> None:
        self.x, self.z = self.pairs.vectors(self.kernel)
        self.norms = squared_norms(self.x), squared_norms(self.z)
        self.source = self.pairs.source(self.kernel, lambda program, array: program.dot(array))

    def _factors(self, panel: Panel) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
        """Values, P and Q."""
        raise NotImplementedError

    def block(self, panel: Panel) -> DoubleArray:
        return panel.once(self, "factors", lambda: self._factors(panel))[0]

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        _, P, Q = panel.once(self, "factors", lambda: self._factors(panel))
        _add_combination(W * P, self.z[panel.columns], W * Q, self.x[panel.rows], coef, 1.0, out)


class CosineAngle(_Normed):
    """⟨x, z⟩/(‖x‖‖z‖), constant 0 at x = 0."""

    def _factors(self, panel: Panel) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
        a = inverse_roots(self.norms[0][panel.rows])[:, None]
        P = a * inverse_roots(self.norms[1][panel.columns])
        value = self.source.at(panel) * P
        return value, P, -value * a * a


class TanimotoRatio(_Normed):
    """⟨x, z⟩/(‖x‖² + ‖z‖² − ⟨x, z⟩), with 0/0 = 1."""

    def _factors(self, panel: Panel) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
        dots = self.source.at(panel)
        total = self.norms[0][panel.rows][:, None] + self.norms[1][panel.columns]
        below = total - dots
        inverse = np.divide(1.0, below, out=np.zeros_like(below), where=below > 0)
        return np.where(below > 0, dots * inverse, 1.0), total * inverse**2, -2 * dots * inverse**2


class Distance(Node):
    """Kernels F(v) of a weighted squared distance v = Σ_k w_k (x_k − z_k)²."""

    def setup(self) -> None:
        self.x, self.z = self.pairs.vectors(self.kernel)
        self.weights = self._weights()
        self.sparse = sp.issparse(self.x) or sp.issparse(self.z)

    @cached_property
    def source(self) -> Source:
        """Blocks of the squared distance."""
        return self.pairs.source(self.kernel, self._push)

    @cached_property
    def centre(self) -> Any:
        """Differences of centred samples lose fewer digits."""
        return 0.0 if self.sparse else self.z.mean(axis=0)

    def _weights(self) -> Any:
        """The weights w: a number or a vector."""
        return 1.0

    def _push(self, program: Builder, array: Any) -> None:
        scale = tuple(math.sqrt(w) for w in self.weights) if np.ndim(self.weights) else None
        program.sqdist(array, scale)

    def _function(self, panel: Panel) -> tuple[DoubleArray, DoubleArray, DoubleArray, Any]:
        """v, F(v), F'(v), and the derivative in the logarithm of a shape parameter."""
        v = self.source.at(panel) * (1.0 if np.ndim(self.weights) else self.weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            value, slope, shape = FUNCTIONS[self.kernel.name](self.kernel, v)
        return v, value, np.where(v > 0, slope, 0.0), shape  # a kink at v = 0 has mean slope 0

    def _at(self, panel: Panel) -> tuple[DoubleArray, DoubleArray, DoubleArray, Any]:
        return panel.once(self, "function", lambda: self._function(panel))

    def block(self, panel: Panel) -> DoubleArray:
        return self._at(panel)[1]

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        P = W * (-2 * self._at(panel)[2])
        x, z = self.x[panel.rows], self.z[panel.columns]
        if np.ndim(self.centre):
            x, z = x - self.centre, z - self.centre
        _add_combination(P, z, -P, x, coef, self.weights, out)


class Width(Distance):
    """Kernels with an inverse width γ: w = γ for kernels of the squared distance, w = γ² for those of the distance."""

    def _weights(self) -> Any:
        gamma = np.asarray(self.kernel.gamma) if isinstance(self.kernel.gamma, tuple) else self.kernel.gamma
        return gamma if self.kernel.squared else gamma**2

    def direct(self, rows: slice, columns: slice, W: DoubleArray, *, symmetric: bool) -> tuple[float, Any] | None:
        if self.kernel.name != "rbf" or not np.ndim(self.weights) or self.sparse:
            return None
        found = weighted_slopes(
            self.x[rows], self.z[columns], W, self.weights, 2.0, symmetric=symmetric, n_jobs=self.pairs.n_jobs
        )
        return found.value, {"gamma": found.columns}

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        v, _, slope, shape = self._at(panel)
        weights = W * slope
        if np.ndim(self.weights):
            sums = column_sums(weights, self.x[panel.rows], self.z[panel.columns], 2, self.pairs.n_jobs)
            gamma = self.weights * sums
        else:
            gamma = np.vdot(weights, v)
        exponent = 1 if self.kernel.squared else 2
        return {"gamma": exponent * gamma, "alpha": 0.0 if shape is None else np.vdot(W, shape)}


class Exponent(Distance):
    """Kernels of ‖x − z‖^d with the free parameter d."""

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        return {"degree": np.vdot(W, self._at(panel)[3])}


# ---- F(v), F'(v) and the derivative in the logarithm of α or d, for v ≥ 0


def _rbf(_kernel: Any, v: DoubleArray) -> tuple[DoubleArray, DoubleArray, Any]:
    value = np.exp(-v)
    return value, -value, None


def _exponential(_kernel: Any, v: DoubleArray) -> tuple[DoubleArray, DoubleArray, Any]:
    root = np.sqrt(v)
    value = np.exp(-root)
    return value, -0.5 * value / root, None


def _matern(kernel: Any, v: DoubleArray) -> tuple[DoubleArray, DoubleArray, Any]:
    if kernel.nu == 0.5:
        return _exponential(kernel, v)
    u = np.minimum(np.sqrt(2 * kernel.nu * v), 750.0)  # where exp(−u) is 0, so that no infinity meets it
    decay = np.exp(-u)
    if kernel.nu == 1.5:
        return (1 + u) * decay, -1.5 * decay, None
    return (1 + u + u * u / 3) * decay, -5 / 6 * (1 + u) * decay, None


def _rational_quadratic(kernel: Any, v: DoubleArray) -> tuple[DoubleArray, DoubleArray, Any]:
    share = v / kernel.alpha
    log = np.log1p(share)
    value = np.exp(-kernel.alpha * log)
    return value, -value / (1 + share), kernel.alpha * value * (share / (1 + share) - log)


def _powers(kernel: Any, v: DoubleArray) -> tuple[DoubleArray, DoubleArray, DoubleArray]:
    """v^(d/2), its derivative in v and that in log d."""
    half = kernel.degree / 2
    power = v**half
    return power, half * v ** (half - 1), np.where(v > 0, half * power * np.log(v), 0.0)


def _power(kernel: Any, v: DoubleArray) -> tuple[DoubleArray, DoubleArray, Any]:
    power, slope, shape = _powers(kernel, v)
    return -power, -slope, -shape


def _log(kernel: Any, v: DoubleArray) -> tuple[DoubleArray, DoubleArray, Any]:
    power, slope, shape = _powers(kernel, v)
    return -np.log1p(power), -slope / (1 + power), -shape / (1 + power)


FUNCTIONS = {
    "rbf": _rbf,
    "exponential": _exponential,
    "matern": _matern,
    "rq": _rational_quadratic,
    "power": _power,
    "log": _log,
}
