"""Result of `top_features`: contributions to one decision value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray

__all__ = ["Explanation"]


@dataclass(frozen=True, eq=False)
class Explanation:
    """Contributions of features to a decision value: ``decision = Σ contributions + rest + intercept``.

    Iteration yields pairs (name, contribution), ordered by absolute value. ``print`` shows a table.

    Parameters
    ----------
    names : list of str
        Names of the n features with the largest contributions.
    values : ndarray of shape (n,)
        Values φ_u(x) of these features.
    weights : ndarray of shape (n,)
        Weights w_u of these features.
    contributions : ndarray of shape (n,)
        Contributions w_u φ_u(x).
    rest : float
        Sum of the contributions of all other features.
    n_rest : int
        Number of other features with a nonzero contribution.
    intercept : float
        Intercept b.
    decision : float
        Decision value f(x).
    output : object
        Class label of the decision value, or index of the output.

    See Also
    --------
    top_features : Computes the explanation of a prediction.
    mercer.plots.ContributionsDisplay : Bar chart of an explanation.

    Examples
    --------
    >>> from mercer.explain import top_features
    >>> from mercer.kernels import Spectrum
    >>> from mercer.svm import SVC
    >>> model = SVC(kernel=Spectrum(2)).fit(["GATTACA", "TTATTA", "CCGC", "GGCC"], [1, 1, 0, 0])
    >>> print(top_features(model, "ATTAC", n=2))
    TA              +0.2892  1 x +0.2892
    TT              +0.2892  1 x +0.2892
    2 more          +0.4337
    intercept       -0.3976
    -----------------------
    decision for 1  +0.6145
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
    """Explanation with the n largest contributions and the sum of the others."""
    contributions = values * weights
    size = np.abs(contributions)
    # Sizes that are equal up to rounding keep the order of the features, so that it does not depend on the machine.
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
