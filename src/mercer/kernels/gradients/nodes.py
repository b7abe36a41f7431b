"""Interface of a differentiated kernel.

A node computes blocks of values, and contracts derivatives with weights: with W, the derivative of some function in the
values k(x_i, z_j), it returns that of the function in the free parameters, or in the entries of x_i. Composite kernels
pass modified weights to their parts (reverse accumulation), so that no array has an axis for the parameters.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mercer._typing import DoubleArray
from mercer.exceptions import NoGradientError
from mercer.kernels.base import Kernel
from mercer.kernels.discrete import Constant
from mercer.kernels.gradients.panels import Pairs, Panel
from mercer.kernels.gradients.theta import own_parameters

__all__ = ["ByPanels", "Flat", "Node", "Opaque", "Totals", "contracted", "no_gradient"]


class Totals(NamedTuple):
    """Sums over all pairs: weighted values of a kernel, and weighted derivatives in theta.

    `value` is 0 if it was not asked for.
    """

    value: float
    theta: list[float]


ByPanels = Callable[["Node", DoubleArray, bool], Totals]


def contracted(M: DoubleArray, coef: DoubleArray | None) -> DoubleArray:
    """M times the coefficients, of shape (rows, n_outputs); M itself without coefficients."""
    return M if coef is None else M @ coef


def no_gradient(kernel: Kernel) -> NoGradientError:
    """Error for a kernel without a gradient in its first argument."""
    from mercer.kernels.gradients.table import with_gradient

    names = ", ".join(cls.__name__ for cls in with_gradient())
    return NoGradientError(
        f"{kernel}: {type(kernel).__name__} has no gradient in its first argument; kernels that have one are {names}, "
        "and sums, products and other combinations of them."
    )


class Node:
    """A kernel, differentiated between two sets of samples."""

    def __init__(self, kernel: Any, pairs: Pairs, make: "Callable[[Kernel, Pairs], Node]") -> None:
        self.kernel, self.pairs = kernel, pairs
        self.own = own_parameters(kernel)
        self.children = self.make_children(make)
        self.setup()

    def make_children(self, make: "Callable[[Kernel, Pairs], Node]") -> "list[Node]":
        """Nodes of the parts."""
        inner = self.pairs.restricted(self.kernel) if self.kernel.parts() else self.pairs
        return [make(part, inner) for part in self.kernel.parts().values()]

    def setup(self) -> None:
        """Convert the data."""

    def size(self) -> int:
        """Number of blocks that are in memory at the same time, about."""
        return 4 + sum(child.size() for child in self.children)

    # ---- a subclass defines these

    def block(self, panel: Panel) -> DoubleArray:
        """Kernel values of a panel."""
        raise NotImplementedError

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        """Derivatives in the logarithms of the own parameters by field: a number, or an entry for each of a vector."""
        return {}

    def child_weights(self, panel: Panel, W: DoubleArray) -> list[DoubleArray]:
        """Weights of the values of each part."""
        return []

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        """Add the gradients in x_i, weighted by W, to `out`.

        `out` has the shape (rows, columns, n_features), or (rows, n_outputs, n_features) for sums over the columns with
        the coefficients `coef` of shape (columns, n_outputs).
        """
        for child, weights in zip(self.children, self.child_weights(panel, W), strict=True):
            child.inputs(panel, weights, coef, out)

    def direct(self, rows: slice, columns: slice, W: DoubleArray, *, symmetric: bool) -> tuple[float, Any] | None:
        """Weighted values and slopes of some pairs in one pass of the core; None if there is no such pass.

        With `symmetric`, rows and columns are the same samples.
        """
        return None

    def whole(self, G: DoubleArray, by_panels: ByPanels, *, value: bool) -> Totals:
        """Sums over all pairs with the weights G; weighted values only if `value`.

        A function that is linear in the values of its parts passes G on to them. The others use `by_panels`.
        """
        found = self.direct(slice(None), slice(None), G, symmetric=self.pairs.symmetric)
        return by_panels(self, G, value) if found is None else Totals(found[0], self._chosen(found[1]))

    # ---- the rest follows

    def values(self, panel: Panel) -> DoubleArray:
        """Kernel values of a panel, computed once."""
        return panel.once(self, "values", lambda: self.block(panel))

    def parameters(self, panel: Panel, W: DoubleArray) -> list[float]:
        """Derivatives in theta, contracted with the weights of a panel."""
        direct = self.direct(panel.rows, panel.columns, W, symmetric=False) if self.own else (0.0, {})
        found = self._chosen(self.slopes(panel, W) if direct is None else direct[1])
        for child, weights in zip(self.children, self._needed(panel, W), strict=True):
            found += child.parameters(panel, weights) if weights is not None else []
        return found

    def _chosen(self, slopes: dict[str, Any]) -> list[float]:
        """Derivatives in the own parameters, in order."""
        return [float(slopes[f.field] if f.index is None else slopes[f.field][f.index]) for f in self.own]

    def _needed(self, panel: Panel, W: DoubleArray) -> "list[DoubleArray | None]":
        """Weights of the parts; None for all if no part has a free parameter."""
        if not any(child.has_parameters for child in self.children):
            return [None] * len(self.children)
        return [*self.child_weights(panel, W)]

    @property
    def has_parameters(self) -> bool:
        """Whether theta is not empty."""
        return bool(self.own) or any(child.has_parameters for child in self.children)

    def remainder(self) -> list[float]:
        """Derivatives in theta that were put off until all panels were seen."""
        found = [0.0] * len(self.own)
        for child in self.children:
            found += child.remainder()
        return found


class Opaque(Node):
    """A kernel whose values are constant in all free parameters and which has no gradient."""

    def make_children(self, make: Callable[[Kernel, Pairs], Node]) -> list[Node]:
        return []

    def setup(self) -> None:
        self.source = self.pairs.values(self.kernel)

    def block(self, panel: Panel) -> DoubleArray:
        return self.source.at(panel)

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        raise no_gradient(self.kernel)


class Flat(Opaque):
    """A kernel that is constant in x but for jumps: categories and constants."""

    def direct(self, rows: slice, columns: slice, W: DoubleArray, *, symmetric: bool) -> tuple[float, Any] | None:
        if not isinstance(self.kernel, Constant):
            return None
        total = self.kernel.value * float(np.sum(W))
        return total, {"value": total}

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        pass
