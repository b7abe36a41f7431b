"""Derivatives of the kernel of interactions of columns."""

from functools import cached_property
from typing import Any

import numpy as np

import mercer._core as _core
from mercer._runtime.engine import ready, thread_count
from mercer._typing import DoubleArray
from mercer.kernels.gradients.nodes import Node, contracted
from mercer.kernels.gradients.panels import Panel, Source

__all__ = ["Means"]


class Means(Node):
    """Weighted mean over orders q of weighted means E_q of products of columns."""

    def setup(self) -> None:
        self.x, self.z = self.pairs.vectors(self.kernel)
        self.orders = self.kernel._order_shares()
        self.columns, self.rates, self.shares = self.kernel._terms(self.x.shape[1])

    @cached_property
    def source(self) -> Source:
        """Blocks of kernel values."""
        return self.pairs.values(self.kernel)

    def block(self, panel: Panel) -> DoubleArray:
        return self.source.at(panel)

    def size(self) -> int:
        return 4 + len(self.columns) * (len(self.kernel.orders) + 1)

    def direct(self, rows: slice, columns: slice, W: DoubleArray, *, symmetric: bool) -> tuple[float, Any] | None:
        kernel, d, numerical, degree = self.kernel, len(self.columns), len(self.rates), len(self.kernel.orders) - 1
        sums = np.empty(degree + 1 + d + numerical)
        ready()
        _core.interaction_slopes(
            self.x[rows],
            self.z[columns],
            W,
            symmetric,
            np.array(self.columns, dtype=np.int64),
            numerical,
            kernel.p,
            self.orders,
            np.array(self.rates),
            self.shares.ravel(),
            sums,
            thread_count(self.pairs.n_jobs),
        )
        orders, of_columns, of_rates = np.split(sums, [degree + 1, degree + 1 + d])
        orders *= self.orders
        value = float(orders.sum())
        weights, gamma = np.zeros(self.x.shape[1]), np.zeros(self.x.shape[1])
        weights[self.columns] = of_columns - orders[1:] @ self.kernel._slopes(self.x.shape[1])[2]
        gamma[self.columns[:numerical]] = of_rates
        by_column = np.delete(gamma, list(kernel.categorical)) if isinstance(kernel.gamma, tuple) else gamma.sum()
        return value, {"orders": orders - self.orders * value, "weights": weights, "gamma": by_column}

    def inputs(self, panel: Panel, W: DoubleArray, coef: DoubleArray | None, out: DoubleArray) -> None:
        """The recurrence of the means is run backwards with the derivatives of the kernel in them."""
        x, z, kernel, degree = self.x[panel.rows], self.z[panel.columns], self.kernel, len(self.kernel.orders) - 1
        E = [np.ones(W.shape), *(np.zeros(W.shape) for _ in range(degree))]
        kept = []
        for k, column in enumerate(self.columns):
            left, right = x[:, column, None], z[:, column]
            with np.errstate(over="ignore"):
                power = np.abs(left - right) ** kernel.p if k < len(self.rates) else None
                factor = (left == right) * 1.0 if power is None else np.exp(-self.rates[k] * power)
            kept.append((factor, E))
            E = [E[0], *(E[q] + r * (factor * E[q - 1] - E[q]) for q, r in enumerate(self.shares[k], 1))]
        slopes = [weight * W for weight in self.orders]
        for k in range(len(self.columns) - 1, -1, -1):
            (factor, E), r = kept[k], self.shares[k]
            if k < len(self.rates):
                column = self.columns[k]
                own = sum(slopes[q] * r[q - 1] * E[q - 1] for q in range(1, degree + 1))
                slope = own * factor * _power_slope(x[:, column, None] - z[:, column], kernel.p)
                out[:, :, column] -= contracted(self.rates[k] * slope, coef)
            above = [slopes[q + 1] * r[q] * factor for q in range(1, degree)]
            slopes = [slopes[0], *(slopes[q] * (1 - r[q - 1]) for q in range(1, degree + 1))]
            for q, more in enumerate(above, 1):
                slopes[q] = slopes[q] + more


def _power_slope(difference: DoubleArray, p: float) -> DoubleArray:
    """Derivative of abs(x − z)^p in x, 0 at x = z."""
    if p == 1:
        return np.sign(difference)
    with np.errstate(divide="ignore"):
        slope = p * np.abs(difference) ** (p - 1)
    return np.where(difference == 0, 0.0, np.copysign(slope, difference))
