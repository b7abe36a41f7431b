"""Derivatives of the kernel of weighted columns."""

from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer.kernels.gradients.coordinates import ByCoordinates
from mercer.kernels.gradients.panels import Panel
from mercer.kernels.gradients.sums import weighted_slopes
from mercer.kernels.program import Builder

__all__ = ["WeightedSum"]


class WeightedSum(ByCoordinates):
    """exp(−S^g) of a weighted sum over numerical and categorical columns."""

    def setup(self) -> None:
        super().setup()
        self.weights = self.kernel._column_weights(self.x.shape[1])
        self.numerical, _ = self.kernel._active(self.x.shape[1])

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

    def direct(self, rows: slice, columns: slice, W: DoubleArray, *, symmetric: bool) -> tuple[float, Any] | None:
        found = weighted_slopes(
            self.x[rows],
            self.z[columns],
            W,
            self.weights,
            self.kernel.p,
            self.kernel.g,
            categorical=self.kernel.categorical,
            symmetric=symmetric,
            by_column=isinstance(self.kernel.weights, tuple),
            n_jobs=self.pairs.n_jobs,
        )
        weights = found.scale if found.columns is None else found.columns
        return found.value, {"weights": weights, "g": found.exponent}
