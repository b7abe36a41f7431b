"""Cutting planes: piecewise linear lower bound of a convex function on the simplex."""

import numpy as np
from scipy.optimize import linprog

from mercer._typing import DoubleArray

__all__ = ["CuttingPlanes"]


class CuttingPlanes:
    """Lower bound max_i (a_i − g_iᵀd) ≤ J(d) for d ≥ 0, Σd = 1, with g_i ≥ 0, whose minimum is at most that of J.

    Examples
    --------
    >>> import numpy as np
    >>> planes = CuttingPlanes(2)
    >>> planes.add(3.0, np.array([2.0, 0.0]))
    >>> planes.add(3.0, np.array([0.0, 2.0]))
    >>> d, bound = planes.minimum(np.array([1.0, 0.0]), 1.0)
    >>> d, bound, planes.lower
    (array([0.5, 0.5]), 2.0, 2.0)
    """

    def __init__(self, m: int) -> None:
        self.m = m
        self.lower = -np.inf  # lower bound on the minimum of J
        self._offsets: list[float] = []
        self._slopes: list[DoubleArray] = []

    def add(self, offset: float, slopes: DoubleArray) -> None:
        """Add the plane a − gᵀd."""
        self._offsets.append(offset)
        self._slopes.append(slopes)
        self.lower = max(self.lower, offset - float(slopes.max()))

    def minimum(self, center: DoubleArray, radius: float) -> tuple[DoubleArray, float] | None:
        """Minimise the model subject to |d − center| ≤ radius in every coordinate.

        Parameters
        ----------
        center : ndarray of shape (m,)
            Centre of the trust region.
        radius : float
            Radius of the trust region.

        Returns
        -------
        (d, value) or None
            Minimiser and minimum; None if the linear programme has no solution to working precision.

        Notes
        -----
        With multipliers λ of the planes, Σλ = 1, min_d Σλ_i(a_i − g_iᵀd) = Σλ_i a_i − max_m Σλ_i g_im is a lower bound
        on J even for inexact λ. It updates `lower`.
        """
        offsets, slopes = np.array(self._offsets), np.array(self._slopes)
        size = float(np.abs(slopes).max()) or 1.0
        base = float(offsets.max())
        # Variables d and z ≥ (a_i − base − g_iᵀd)/size.
        rows = np.column_stack([-slopes / size, -np.ones(len(offsets))])
        box = [(max(0.0, c - radius), min(1.0, c + radius)) for c in center.tolist()]
        found = linprog(
            np.append(np.zeros(self.m), 1.0),
            A_ub=rows,
            b_ub=(base - offsets) / size,
            A_eq=np.append(np.ones(self.m), 0.0)[None],
            b_eq=[1.0],
            bounds=[*box, (None, None)],
            method="highs",
        )
        if found.status != 0:
            return None
        multipliers = np.maximum(-found.ineqlin.marginals, 0.0)
        if multipliers.sum() > 0:
            multipliers /= multipliers.sum()
            self.lower = max(self.lower, float(multipliers @ offsets - (multipliers @ slopes).max()))
        d = np.maximum(found.x[:-1], 0.0)
        return d / d.sum(), base + size * float(found.x[-1])
