"""Derivatives of kernels that run over the coordinates."""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import DoubleArray
from mercer.kernels.gradients.nodes import Node, contracted
from mercer.kernels.gradients.panels import Panel, Source, columns_of
from mercer.kernels.gradients.sums import column_sums, weighted_slopes
from mercer.kernels.operations import Op
from mercer.kernels.program import Builder

__all__ = ["Anova", "Brownian", "ByCoordinates", "Chi2Sum", "Manhattan", "Minima", "MinimaRatio", "Sines"]


class ByCoordinates(Node):
    """Kernels whose gradient in x_k is a function of the pair times a function of x_k and z_k."""

    def setup(self) -> None:
        self.x, self.z = self.pairs.vectors(self.kernel)

    @cached_property
    def source(self) -> Source:
        """Blocks of the statistic."""
        return self.pairs.source(self.kernel, self.push)

    def push(self, program: Builder, array: Any) -> None:
        """Write the program of the statistic that the pair enters through."""
        raise NotImplementedError

    def statistic(self, panel: Panel) -> DoubleArray:
        """Block of the statistic."""
        return panel.once(self, "statistic", lambda: self.source.at(panel))

    def outer(self, panel: Panel) -> DoubleArray | float:
        """Derivative of the kernel in the statistic."""
        return 1.0

    def term(self, k: int, x: DoubleArray, z: DoubleArray) -> DoubleArray | None:
        """Derivative of the statistic in x_k, for columns x (rows, 1) and z; None for 0."""
        raise NotImplementedError

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        weights = W * self.outer(panel)
        left, right = columns_of(self.x[panel.rows]), columns_of(self.z[panel.columns])
        for k in range(out.shape[2]):
            term = self.term(k, left(k)[:, None], right(k))
            if term is not None:
                out[:, :, k] += contracted(weights * term, coef)


class Manhattan(ByCoordinates):
    """exp(−Σ γ_k abs(x_k − z_k))."""

    def push(self, program: Builder, array: Any) -> None:
        gamma = self.kernel.gamma
        program.coordinates(Op.l1, array, gamma if isinstance(gamma, tuple) else None)

    def statistic(self, panel: Panel) -> DoubleArray:
        factor = 1.0 if isinstance(self.kernel.gamma, tuple) else self.kernel.gamma
        return panel.once(self, "statistic", lambda: factor * self.source.at(panel))

    def block(self, panel: Panel) -> DoubleArray:
        return np.exp(-self.statistic(panel))

    def outer(self, panel: Panel) -> DoubleArray:
        return -self.values(panel)

    def term(self, k: int, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        gamma = self.kernel.gamma
        weight: float = gamma[k] if isinstance(gamma, tuple) else gamma
        return weight * np.sign(x - z)

    def direct(self, rows: slice, columns: slice, W: DoubleArray, *, symmetric: bool) -> tuple[float, Any] | None:
        if not isinstance(self.kernel.gamma, tuple) or sp.issparse(self.x) or sp.issparse(self.z):
            return None
        gamma = np.asarray(self.kernel.gamma)
        found = weighted_slopes(
            self.x[rows], self.z[columns], W, gamma, 1.0, symmetric=symmetric, n_jobs=self.pairs.n_jobs
        )
        return found.value, {"gamma": found.columns}

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        weights = W * self.outer(panel)
        if not isinstance(self.kernel.gamma, tuple):
            return {"gamma": np.vdot(weights, self.statistic(panel))}
        sums = column_sums(weights, self.x[panel.rows], self.z[panel.columns], 1, self.pairs.n_jobs)
        return {"gamma": np.asarray(self.kernel.gamma) * sums}


class Chi2Sum(ByCoordinates):
    """Kernels of Σ (x_k − z_k)²/(x_k + z_k): the χ² kernel, the negative distance and the additive kernel."""

    def push(self, program: Builder, array: Any) -> None:
        program.coordinates(Op.additive_chi2 if self.kernel.name == "additive_chi2" else Op.chi2, array)

    def block(self, panel: Panel) -> DoubleArray:
        sums = self.statistic(panel)
        if self.kernel.name == "chi2":
            return np.exp(-self.kernel.gamma * sums)  # type: ignore[no-any-return]
        return sums if self.kernel.name == "additive_chi2" else -sums

    def outer(self, panel: Panel) -> DoubleArray | float:
        if self.kernel.name == "chi2":
            return -self.kernel.gamma * self.values(panel)  # type: ignore[no-any-return]
        return 1.0 if self.kernel.name == "additive_chi2" else -1.0

    def term(self, k: int, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        total = x + z
        total = np.where(total > 0, total, np.inf)  # 0/0 is constant 0
        if self.kernel.name == "additive_chi2":
            return 2 * (z / total) ** 2
        return (x - z) / total * ((x + 3 * z) / total)

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        return {"gamma": np.vdot(W * self.outer(panel), self.statistic(panel))}


class Minima(ByCoordinates):
    """Σ min(x_k, z_k)."""

    def push(self, program: Builder, array: Any) -> None:
        program.coordinates(Op.min_sum, array)

    def block(self, panel: Panel) -> DoubleArray:
        return self.statistic(panel)

    def term(self, k: int, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        return np.heaviside(z - x, 0.5)  # the mean of both sides at a kink


class MinimaRatio(Minima):
    """Σ min(x_k, z_k)/Σ max(x_k, z_k), with 0/0 = 1."""

    def _ratio(self, panel: Panel) -> tuple[DoubleArray, DoubleArray]:
        """Σ min, and 1/Σ max, 0 where that sum is 0."""
        sums = [np.asarray(side.sum(axis=1)).ravel() for side in (self.x[panel.rows], self.z[panel.columns])]
        low = self.statistic(panel)
        high = sums[0][:, None] + sums[1] - low
        return low, np.divide(1.0, high, out=np.zeros_like(high), where=high > 0)

    def block(self, panel: Panel) -> DoubleArray:
        low, inverse = self._ratio(panel)
        return np.where(inverse > 0, low * inverse, 1.0)

    def outer(self, panel: Panel) -> DoubleArray:
        low, inverse = self._ratio(panel)
        return inverse + low * inverse**2

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        super().inputs(panel, W, coef, out)
        low, inverse = self._ratio(panel)
        out -= contracted(W * low * inverse**2, coef)[:, :, None]


class Brownian(ByCoordinates):
    """Π min(x_k, z_k)."""

    def push(self, program: Builder, array: Any) -> None:
        program.coordinates(Op.min_product, array)

    def block(self, panel: Panel) -> DoubleArray:
        return self.statistic(panel)

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        x, z = self.x[panel.rows], self.z[panel.columns]
        factors = [np.minimum.outer(x[:, k], z[:, k]) for k in range(x.shape[1])]
        below = np.ones_like(W)
        after = [below]  # products of the factors behind k, so that a factor 0 is not divided by
        for factor in factors[:0:-1]:
            after.append(after[-1] * factor)
        for k, rest in enumerate(reversed(after)):
            slope = np.heaviside(np.subtract.outer(z[:, k], x[:, k]).T, 0.5)
            out[:, :, k] += contracted(W * below * rest * slope, coef)
            below = below * factors[k]

    def size(self) -> int:
        return 4 + 2 * int(self.x.shape[1])


class Sines(ByCoordinates):
    """exp(−γ Σ sin²(π(x_k − z_k)/p_k))."""

    def setup(self) -> None:
        self.x, self.z = self.pairs.vectors(self.kernel)
        self.period = np.broadcast_to(np.asarray(self.kernel.period, dtype=np.float64), (self.x.shape[1],))

    @cached_property
    def source(self) -> Source:
        return self.pairs.values(self.kernel)

    def block(self, panel: Panel) -> DoubleArray:
        return self.statistic(panel)

    def outer(self, panel: Panel) -> DoubleArray:
        return -self.kernel.gamma * self.values(panel)  # type: ignore[no-any-return]

    def term(self, k: int, x: DoubleArray, z: DoubleArray) -> DoubleArray:
        period = self.period[k]
        # Remainders first: the sine of a large angle would have few correct digits.
        return np.pi / period * np.sin(2 * np.pi / period * (np.fmod(x, period) - np.fmod(z, period)))  # type: ignore[no-any-return]

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        weights, values = W * self.outer(panel), self.values(panel)
        x, z = self.x[panel.rows], self.z[panel.columns]
        period = np.empty(x.shape[1])
        for k in range(x.shape[1]):
            left, right = x[:, k, None], z[:, k]
            period[k] = -np.vdot(weights * self.term(k, left, right), left - right)
        with np.errstate(divide="ignore", invalid="ignore"):
            gamma = np.where(values > 0, values * np.log(values), 0.0)
        scalar = not isinstance(self.kernel.period, tuple)
        return {"gamma": np.vdot(W, gamma), "period": period.sum() if scalar else period}


class Anova(ByCoordinates):
    """Elementary symmetric polynomials of exp(−γ(x_k − z_k)²) or x_k z_k."""

    @cached_property
    def source(self) -> Source:
        return self.pairs.values(self.kernel)

    def block(self, panel: Panel) -> DoubleArray:
        return self.statistic(panel)

    def size(self) -> int:
        return 4 + int(self.x.shape[1] * (self.kernel.degree + 2))

    def _others(self, panel: Panel) -> list[tuple[DoubleArray, DoubleArray]]:
        """For each k: its factor, and the derivative of the kernel in it.

        The recurrence e_q ← e_q + b_k e_{q−1} is run backwards with the derivatives d_q of the result in e_q.
        """
        x, z, kernel = self.x[panel.rows], self.z[panel.columns], self.kernel
        factors = []
        for k in range(x.shape[1]):
            if kernel.base == "linear":
                factors.append(np.multiply.outer(x[:, k], z[:, k]))
            else:
                factors.append(np.exp(-kernel.gamma * np.subtract.outer(x[:, k], z[:, k]) ** 2))
        shape = factors[0].shape
        e = [np.ones(shape), *(np.zeros(shape) for _ in range(kernel.degree))]
        before = []
        for factor in factors:
            before.append(list(e))
            e = [e[0], *(e[q] + factor * e[q - 1] for q in range(1, kernel.degree + 1))]
        d = [*(np.zeros(shape) for _ in range(kernel.degree)), np.ones(shape)]
        found = []
        for factor, e in zip(reversed(factors), reversed(before), strict=True):
            found.append((factor, sum(d[q] * e[q - 1] for q in range(1, kernel.degree + 1))))
            d = [*(d[q] + factor * d[q + 1] for q in range(kernel.degree)), d[-1]]
        return found[::-1]

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        x, z, gamma = self.x[panel.rows], self.z[panel.columns], self.kernel.gamma
        total = 0.0
        for k, (factor, slope) in enumerate(self._others(panel)):
            total -= gamma * np.vdot(W * factor * slope, np.subtract.outer(x[:, k], z[:, k]) ** 2)
        return {"gamma": total}

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        x, z, kernel = self.x[panel.rows], self.z[panel.columns], self.kernel
        for k, (factor, slope) in enumerate(self._others(panel)):
            if kernel.base == "linear":
                term = np.broadcast_to(z[:, k], W.shape)
            else:
                term = -2 * kernel.gamma * factor * np.subtract.outer(x[:, k], z[:, k])
            out[:, :, k] += contracted(W * slope * term, coef)
