"""The answer of `top_features`: contributions to one decision value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray

__all__ = ["Explanation"]


@dataclass(frozen=True, eq=False)
class Explanation:
    """Contributions of features to a decision value: ``decision = Σ contributions + rest + intercept``.

    Iterates over pairs (name, contribution), the largest in size first; prints as a table.

    Attributes
    ----------
    names : list of str
        The features that are shown.
    values, weights, contributions : arrays, shape (number shown,)
        φ_u(x), w_u and their product.
    rest : float
        Sum of the contributions that are not shown.
    n_rest : int
        How many those are.
    intercept, decision : float
        b and f(x).
    output : object
        The class that the decision speaks for, or the number of the output.
    """

    names: list[str]
    values: DoubleArray
    weights: DoubleArray
    contributions: DoubleArray
    rest: float
    n_rest: int
    intercept: float
    decision: float
    output: Any

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(zip(self.names, self.contributions.tolist(), strict=True))

    def __str__(self) -> str:
        rows = [(name, f"{c:+.4g}", f"{v:.4g} x {w:+.4g}") for name, c, v, w in self._shown()]
        if self.n_rest:
            rows.append((f"{self.n_rest} more", f"{self.rest:+.4g}", ""))
        rows.append(("intercept", f"{self.intercept:+.4g}", ""))
        rows += [(f"decision for {self.output!r}", f"{self.decision:+.4g}", "")]
        left, middle = (max(len(row[i]) for row in rows) for i in (0, 1))
        lines = [f"{name:<{left}}  {c:>{middle}}  {how}".rstrip() for name, c, how in rows]
        return "\n".join([*lines[:-1], "-" * (left + middle + 2), lines[-1]])

    def _shown(self) -> Iterator[tuple[str, float, float, float]]:
        columns = (self.contributions.tolist(), self.values.tolist(), self.weights.tolist())
        return zip(self.names, *columns, strict=True)

    __repr__ = __str__


def explanation(
    names: list[str], values: DoubleArray, weights: DoubleArray, *, n: int, intercept: float, output: Any
) -> Explanation:
    """The n largest contributions of all, and the sum of the others."""
    contributions = values * weights
    size = np.abs(contributions)
    # What is equal up to rounding stays in the order of the features, whatever the machine rounds to.
    order = np.argsort(-np.round(size / max(size.max(initial=0.0), np.finfo(float).tiny), 9), kind="stable")
    order = order[contributions[order] != 0]
    top, others = order[:n], order[n:]
    return Explanation(
        [names[i] for i in top],
        values[top],
        weights[top],
        contributions[top],
        float(contributions[others].sum()),
        len(others),
        intercept,
        float(contributions.sum()) + intercept,
        output,
    )
