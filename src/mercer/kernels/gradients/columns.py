"""Derivatives of the kernel of weighted columns."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.kernels.gradients.coordinates import ByCoordinates
from mercer.kernels.gradients.panels import Panel, column_sums
from mercer.kernels.program import Builder

__all__ = ["WeightedSum"]


class WeightedSum(ByCoordinates):
    """exp(−S^g) of a weighted sum over numerical and categorical columns."""

    def setup(self) -> None:
        super().setup()
        self.weights = self.kernel._column_weights(self.x.shape[1])
        self.numerical, self.categorical = self.kernel._active(self.x.shape[1])

    def push(self, program: Builder, array: Any) -> None:
        self.kernel._push_sum(program, array)

    def _powers(self, panel: Panel) -> tuple[DoubleArray, DoubleArray]:
        """S^g and exp(−S^g)."""

        def make() -> tuple[DoubleArray, DoubleArray]:
            power = self.statistic(panel) ** self.kernel.g
            return power, np.exp(-power)

        return panel.once(self, "powers", make)

    def block(self, panel: Panel) -> DoubleArray:
        return self._powers(panel)[1]

    def outer(self, panel: Panel) -> DoubleArray:
        S, (power, value) = self.statistic(panel), self._powers(panel)
        share = np.divide(power, S, out=np.zeros_like(S), where=S > 0)
        return -self.kernel.g * share * value  # type: ignore[no-any-return]

    def term(self, k: int, x: DoubleArray, z: DoubleArray) -> DoubleArray | None:
        if k not in self.numerical:
            return None
        p, difference = self.kernel.p, x - z
        if p == 1:
            return self.weights[k] * np.sign(difference)  # type: ignore[no-any-return]
        with np.errstate(divide="ignore"):
            slope = p * np.abs(difference) ** (p - 1)
        return self.weights[k] * np.where(difference == 0, 0.0, np.copysign(slope, difference))  # type: ignore[no-any-return]

    def slopes(self, panel: Panel, W: DoubleArray) -> dict[str, Any]:
        S, (power, value) = self.statistic(panel), self._powers(panel)
        weights = W * self.outer(panel)
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.where(S > 0, np.log(S), 0.0)
        slopes: dict[str, Any] = {"g": -self.kernel.g * np.vdot(W * power * value, log)}
        if not isinstance(self.kernel.weights, tuple):
            return {**slopes, "weights": np.vdot(weights, S)}
        x, z = self.x[panel.rows], self.z[panel.columns]
        sums = np.zeros(x.shape[1])
        sums[self.numerical] = column_sums(weights, x[:, self.numerical], z[:, self.numerical], self.kernel.p)
        for k in self.categorical:
            sums[k] = np.vdot(weights, np.not_equal.outer(x[:, k], z[:, k]))
        return {**slopes, "weights": self.weights * sums}
