"""Derivatives of the nodes of the algebra: chain rules that pass weights on to the parts."""

from functools import reduce
from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.data.frames import locate_all
from mercer.data.names import column_names
from mercer.kernels.base import Kernel
from mercer.kernels.dot import inverse_roots
from mercer.kernels.gradients.nodes import ByPanels, Node, Totals, no_gradient
from mercer.kernels.gradients.panels import Pairs, Panel

__all__ = [
    "Chain",
    "ColumnChoice",
    "Image",
    "LinearImage",
    "Normed",
    "ProductRule",
    "SumRule",
    "Times",
    "WeightedBySample",
]

CHUNK = 64  # rows of a block whose diagonal is used


class SumRule(Node):
    """Sums."""

    def block(self, panel: Panel) -> DoubleArray:
        return sum(child.values(panel) for child in self.children)  # type: ignore[return-value]

    def child_weights(self, panel: Panel, W: DoubleArray) -> list[DoubleArray]:
        return [W] * len(self.children)

    def whole(self, G: DoubleArray, by_panels: ByPanels, *, value: bool) -> Totals:
        parts = [child.whole(G, by_panels, value=value) for child in self.children]
        return Totals(sum(part.value for part in parts), [slope for part in parts for slope in part.theta])


class ProductRule(Node):
    """Products. The product of the other factors is not a quotient, because factors may be 0."""

    def block(self, panel: Panel) -> DoubleArray:
        return reduce(np.multiply, [child.values(panel) for child in self.children])

    def child_weights(self, panel: Panel, W: DoubleArray) -> list[DoubleArray]:
        values = [child.values(panel) for child in self.children]
        return [reduce(np.multiply, values[:i] + values[i + 1 :], W) for i in range(len(values))]


class Times(Node):
    """Multiples c·k."""

    def block(self, panel: Panel) -> DoubleArray:
        return self.kernel.scale * self.children[0].values(panel)  # type: ignore[no-any-return]

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        return {"scale": self.kernel.scale * np.vdot(W, self.children[0].values(panel))}

    def child_weights(self, panel: Panel, W: DoubleArray) -> list[DoubleArray]:
        return [self.kernel.scale * W]

    def whole(self, G: DoubleArray, by_panels: ByPanels, *, value: bool) -> Totals:
        scale, part = self.kernel.scale, self.children[0].whole(G, by_panels, value=value or bool(self.own))
        total = scale * part.value
        return Totals(total, [*self._chosen({"scale": total}), *(scale * slope for slope in part.theta)])


class Chain(Node):
    """Functions of one kernel: powers, polynomials and the exponential."""

    def block(self, panel: Panel) -> DoubleArray:
        inner = self.children[0].values(panel)
        if self.kernel.name == "**":
            return inner**self.kernel.exponent  # type: ignore[no-any-return]
        return np.exp(inner) if self.kernel.name == "exp" else np.polyval(self.kernel.coefficients[::-1], inner)

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        inner, term, found = self.children[0].values(panel), W, []
        for c in self.kernel.coefficients:
            found.append(c * np.sum(term))
            term = term * inner
        return {"coefficients": found}

    def child_weights(self, panel: Panel, W: DoubleArray) -> list[DoubleArray]:
        inner, kernel = self.children[0].values(panel), self.kernel
        if kernel.name == "**":
            return [W * (kernel.exponent * inner ** (kernel.exponent - 1))]
        if kernel.name == "exp":
            return [W * self.values(panel)]
        derivative = np.polyder(np.asarray(kernel.coefficients[::-1]))
        return [W * np.polyval(derivative, inner)]


class ColumnChoice(Node):
    """A kernel on some columns."""

    def block(self, panel: Panel) -> DoubleArray:
        return self.children[0].values(panel)

    def child_weights(self, panel: Panel, W: DoubleArray) -> list[DoubleArray]:
        return [W]

    def whole(self, G: DoubleArray, by_panels: ByPanels, *, value: bool) -> Totals:
        return self.children[0].whole(G, by_panels, value=value)

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        chosen = locate_all("Columns", column_names(self.pairs.X), self.kernel.columns)
        inner = np.zeros((*out.shape[:2], len(chosen)))
        self.children[0].inputs(panel, W, coef, inner)
        for k, column in enumerate(chosen):  # a column may be chosen twice
            out[:, :, column] += inner[:, :, k]


class WeightedBySample(Node):
    """f(x) k(x, z) f(z), with a function f whose derivative is unknown."""

    def setup(self) -> None:
        self.factors = self.pairs.each(self.kernel._weights)

    def _outer(self, panel: Panel) -> DoubleArray:
        return np.multiply.outer(self.factors[0][panel.rows], self.factors[1][panel.columns])  # type: ignore[no-any-return]

    def block(self, panel: Panel) -> DoubleArray:
        return self._outer(panel) * self.children[0].values(panel)

    def child_weights(self, panel: Panel, W: DoubleArray) -> list[DoubleArray]:
        return [W * self._outer(panel)]

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        raise no_gradient(self.kernel)


class Image(ColumnChoice):
    """A kernel of mapped samples, with a map whose derivative is unknown."""

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        raise no_gradient(self.kernel)


class LinearImage(ColumnChoice):
    """A kernel of linear combinations of the first columns."""

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        A = self.kernel.array
        m, r = A.shape
        inner = np.zeros((*out.shape[:2], out.shape[2] - m + r))
        self.children[0].inputs(panel, W, coef, inner)
        out[:, :, :m] += inner[:, :, :r] @ A.T
        out[:, :, m:] += inner[:, :, r:]


class Normed(Node):
    """Functions of k(x, z), k(x, x) and k(z, z): `Normalized` and `TanimotoOf`.

    Derivatives through k(x, x) need diagonals of blocks within one data set. For parameters they are put off until all
    panels were seen, so that every diagonal entry is differentiated once.
    """

    def make_children(self, make: Any) -> list[Node]:
        inner: Kernel = self.kernel.kernel
        pairs = self.pairs
        left = make(inner, Pairs(pairs.X, pairs.X, pairs.n_jobs))
        self.diagonals = [left, left if pairs.Z is pairs.X else make(inner, Pairs(pairs.Z, pairs.Z, pairs.n_jobs))]
        return [make(inner, pairs)]

    def setup(self) -> None:
        self.norms = self.pairs.each(self.kernel.squared_norms)
        self.pending = [np.zeros(len(norms)) for norms in self.norms]

    def _derivatives(self, panel: Panel) -> tuple[DoubleArray, DoubleArray, DoubleArray, DoubleArray]:
        """Values, and derivatives in k(x, z), k(x, x) and k(z, z)."""
        v = self.children[0].values(panel)
        a, b = self.norms[0][panel.rows][:, None], self.norms[1][panel.columns]
        if self.kernel.name == "normalized":
            p, q = inverse_roots(a), inverse_roots(b)
            value = v * (p * q)
            return value, p * q * np.ones_like(v), -0.5 * value * p * p, -0.5 * value * q * q
        total = np.where((a > 0) & (b > 0), a + b - v, np.inf)
        slope = -v / total**2
        return v / total, (a + b) / total**2, slope, slope

    def _at(self, panel: Panel) -> tuple[DoubleArray, DoubleArray, DoubleArray, DoubleArray]:
        return panel.once(self, "derivatives", lambda: self._derivatives(panel))

    def block(self, panel: Panel) -> DoubleArray:
        return self._at(panel)[0]

    def child_weights(self, panel: Panel, W: DoubleArray) -> list[DoubleArray]:
        return [W * self._at(panel)[1]]

    def parameters(self, panel: Panel, W: DoubleArray) -> list[float]:
        _, _, left, right = self._at(panel)
        self.pending[0][panel.rows] += (W * left).sum(axis=1)
        self.pending[1][panel.columns] += (W * right).sum(axis=0)
        return super().parameters(panel, W)

    def remainder(self) -> list[float]:
        found = np.array(super().remainder())
        for node, weights in zip(self.diagonals, self.pending, strict=True):
            for start in range(0, len(weights), CHUNK):
                chunk = slice(start, start + CHUNK)
                found += node.parameters(Panel(chunk, chunk), np.diag(weights[chunk]))
        for node in {id(node): node for node in self.diagonals}.values():
            found += node.remainder()
        return found.tolist()  # type: ignore[no-any-return]

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        super().inputs(panel, W, coef, out)
        weights = W * self._at(panel)[2]
        total = weights if coef is None else weights @ coef
        out += total[:, :, None] * self._diagonal_gradients(panel.rows, out.shape[2])[:, None, :]

    def _diagonal_gradients(self, rows: slice, width: int) -> DoubleArray:
        """Gradients of k(x, x), twice those in the first argument by symmetry."""
        first, last, _ = rows.indices(len(self.norms[0]))
        found = np.zeros((last - first, 1, width))
        for start in range(first, last, CHUNK):
            stop = min(start + CHUNK, last)
            panel = Panel(slice(start, stop), slice(start, stop))
            out = found[start - first : stop - first]
            self.diagonals[0].inputs(panel, np.eye(stop - start), np.ones((stop - start, 1)), out)
        return 2 * found[:, 0, :]
