"""The function that learned kernels minimise: log of the leave-one-out error, plus penalties on the parameters."""

from collections.abc import Mapping, Sequence

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.kernels import Kernel
from mercer.solvers.leave_one_out import LeaveOneOut

__all__ = ["Objective", "vectors_of"]

WEAK = 4.0  # standard deviation of the logarithm of a single parameter: e⁴ = 55
SPREADS: Mapping[str, float] = {"g": 0.5, "p": 0.5}  # the same for exponents
WORST = 1e10  # value where K + αI is not positive definite, or the error is not finite
RANGE = np.log([1e-7, 1e3])  # of the penalty
FAR = np.log(1e6)  # an entry of a vector may differ from its start by this factor, whatever the scale of its column


class Objective:
    r"""½ n log(J/n) + penalties, as a function of the kernel parameters and the ridge penalty α.

    J is the squared leave-one-out error of kernel ridge regression, and n the sum of the sample weights.

    Parameters
    ----------
    kernel : Kernel
        Kernel with free parameters; its present values are the centres of the penalties on single parameters.
    X : array of shape (n, n_features)
        Samples.
    loss : LeaveOneOut
        Error as a function of the Gram matrix.
    alpha : float
        Centre of the penalty on log α.
    tau : float
        Standard deviation τ of the logarithms of the entries of one vector, such as the weights of columns, around
        their mean.
    n_jobs : int, default=None
        Number of threads.
    relative : bool, default=False
        Whether the penalty of a vector applies to the ratios of its entries to those of `kernel`, so that it does not
        depend on the units of the columns.
    within : float, default=0.0
        Constant that is added to J: the squared differences of the targets of identical samples from their mean, if
        identical samples were replaced by one with the mean target.

    Notes
    -----
    The penalty of a vector is Σ_j (log w_j − mean)²/2τ², that of a single parameter (log θ − log θ₀)²/2σ² with σ = 4,
    and σ = ½ for exponents. Both are negative logarithms of normal densities, up to constants. With `relative`, log w_j
    is replaced by log w_j − log w_j⁰.
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Data,
        loss: LeaveOneOut,
        *,
        alpha: float,
        tau: float,
        n_jobs: int | None = None,
        relative: bool = False,
        within: float = 0.0,
    ) -> None:
        self.kernel, self.X, self.loss, self.tau, self.n_jobs = kernel, X, loss, tau, n_jobs
        self.within, self.mass = within, float(loss.weight.sum())
        self.start = np.append(kernel.theta, np.log(alpha))
        self.center = self.start if relative else np.zeros_like(self.start)
        self.vectors = vectors_of(kernel)
        self.bounds = _bounds(kernel, self.start, self.vectors)
        self.single = np.setdiff1d(np.arange(len(self.start)), np.concatenate([*self.vectors, []]).astype(np.intp))
        names = [*kernel.theta_names, "alpha"]
        self.spread = np.array([SPREADS.get(names[i].rpartition("__")[2], WEAK) for i in self.single])
        self.calls = 0

    def at(self, x: DoubleArray) -> tuple[Kernel, float]:
        """Kernel and α of a point."""
        return self.kernel.with_theta(x[:-1]), float(np.exp(x[-1]))

    def __call__(self, x: DoubleArray) -> tuple[float, DoubleArray]:
        """Value and gradient."""
        self.calls += 1
        kernel, alpha = self.at(x)
        fit = self.loss.fit(kernel(self.X, n_jobs=self.n_jobs), alpha)
        error = 0.0 if fit is None else fit.error + self.within
        if fit is None or error <= 0:
            return WORST, np.zeros_like(x)
        G, slope = self.loss.slopes(fit)
        gradient = np.append(kernel.parameter_gradient(self.X, None, G, n_jobs=self.n_jobs), alpha * slope)
        gradient *= 0.5 * self.mass / error
        value = 0.5 * self.mass * np.log(error / self.mass) + self.spread_penalty(x)
        for vector in self.vectors:
            gradient[vector] += self._away(x, vector) / self.tau**2
        off = (x[self.single] - self.start[self.single]) / self.spread
        gradient[self.single] += off / self.spread
        return float(value + 0.5 * off @ off), gradient

    def spread_penalty(self, x: DoubleArray) -> float:
        """Penalty Σ_j (log w_j − mean)²/2τ² of all vectors, which equal factors of a vector do not change."""
        away = [self._away(x, vector) for vector in self.vectors]
        return float(sum(a @ a for a in away)) / (2 * self.tau**2)

    def _away(self, x: DoubleArray, vector: IndexArray) -> DoubleArray:
        logarithms = x[vector] - self.center[vector]
        return np.asarray(logarithms - logarithms.mean())


def _bounds(kernel: Kernel, start: DoubleArray, vectors: Sequence[IndexArray]) -> DoubleArray:
    """Bounds of all parameters, which contain the starting point."""
    bounds = np.vstack([kernel.theta_bounds, RANGE])
    for vector in vectors:
        bounds[vector, 0] = np.minimum(bounds[vector, 0], start[vector] - FAR)
        bounds[vector, 1] = np.maximum(bounds[vector, 1], start[vector] + FAR)
    bounds[-1] = min(bounds[-1, 0], start[-1]), max(bounds[-1, 1], start[-1])
    return bounds


def vectors_of(kernel: Kernel) -> list[IndexArray]:
    """Indices in theta of each vector parameter of two entries or more.

    >>> from mercer.kernels import RBF, WeightedColumns
    >>> [v.tolist() for v in vectors_of(2.0 * WeightedColumns(weights=(1.0, 2.0, 3.0)) + RBF(gamma=1.0))]
    [[1, 2, 3]]
    """
    found: dict[str, list[int]] = {}
    for i, name in enumerate(kernel.theta_names):
        if name.endswith("]"):
            found.setdefault(name.rpartition("[")[0], []).append(i)
    return [np.array(indices) for indices in found.values() if len(indices) > 1]
