"""Importances of columns: means of absolute Shapley values."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer.explain.shapley import shapley_values

__all__ = ["Importances", "importances"]

SHOWN = 20  # lines of the table


@dataclass(frozen=True, eq=False)
class Importances:
    """Importances of columns in units of the score, largest first.

    Iteration yields pairs (name, importance), where importances of several outputs are added up.

    Parameters
    ----------
    names : list of str
        Names of the players, usually columns.
    values : ndarray of shape (n_players,) or (n_players, n_outputs)
        Mean absolute Shapley values. The last axis is left out if the model has one output.
    outputs : list
        Classes or indices of the outputs.
    n_rows : int
        Number of rows over which the means were taken.
    error : float
        Bound on the absolute error of the values, apart from rounding; three standard errors if `sampled`.
    sampled : bool, default=False
        Whether Shapley values are means over random orders of the players, see `ShapleyValues`.

    See Also
    --------
    importances : Computes importances.
    mercer.plots.ImportancesDisplay : Bar chart of importances.

    Examples
    --------
    >>> from mercer.explain import KernelExpansion, importances
    >>> f = KernelExpansion("linear", [[1.0, 3.0]], [1.0])
    >>> found = importances(f, [[1.0, 1.0], [2.0, -1.0]], [[0.0, 0.0]])
    >>> print(found)
    x1    3  67 %
    x0  1.5  33 %
    >>> dict(found)
    {'x1': 3.0, 'x0': 1.5}
    """

    names: list[str]
    values: DoubleArray
    outputs: list[Any]
    n_rows: int
    error: float
    sampled: bool = False

    def __len__(self) -> int:
        return len(self.names)

    @property
    def totals(self) -> DoubleArray:
        """Importances added up over the outputs.

        Returns
        -------
        ndarray of shape (n_players,)
            Importances, largest first.
        """
        return self.values if self.values.ndim == 1 else np.asarray(self.values.sum(axis=1))

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(zip(self.names, self.totals.tolist(), strict=True))

    def __str__(self) -> str:
        totals = self.totals
        shares = totals / (totals.sum() or 1.0)
        rows = [(n, f"{v:.4g}", f"{100 * s:.0f} %") for n, v, s in zip(self.names, totals, shares, strict=True)]
        if len(rows) > SHOWN:
            rest = slice(SHOWN, None)
            last = (f"{len(rows) - SHOWN} more", f"{totals[rest].sum():.4g}", f"{100 * shares[rest].sum():.0f} %")
            rows = [*rows[:SHOWN], last]
        first, second, third = (max((len(row[j]) for row in rows), default=0) for j in range(3))
        return "\n".join(f"{name:<{first}}  {value:>{second}}  {share:>{third}}" for name, value, share in rows)

    __repr__ = __str__


def importances(
    model: Any,
    X: Data,
    background: Data,
    *,
    players: Any = None,
    tol: float = 1e-10,
    n_jobs: int | None = None,
) -> Importances:
    """Compute importances of columns: the means of the absolute Shapley values over some rows.

    An importance is the amount by which the column moves the score away from its mean, on average over the rows. It
    does not state whether the score is right: a column can be important for a model that overfits.

    Parameters
    ----------
    model : estimator or KernelExpansion
        Model that `shapley_values` explains.
    X : array-like, frame or Table of shape (n_rows, n_features)
        Rows over which the means are taken, for example 100 test rows.
    background : array-like, frame or Table of shape (n_background, n_features)
        Background rows, for example a random sample of 50 to 200 training rows.
    players : list of lists, or dict of str to list, default=None
        Groups of columns that join together, see `shapley_values`. None: every column is a player.
    tol : float, default=1e-10
        Largest absolute error of kernel values that are approximated by a mixture of products.
    n_jobs : int, default=None
        Number of threads. None and -1 use all available threads.

    Returns
    -------
    Importances
        Names and importances, largest first, in units of the score.

    See Also
    --------
    shapley_values : The values of every row.
    mercer.plots.ImportancesDisplay : Bar chart of importances.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.explain import importances
    >>> from mercer.ridge import KernelRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(200, 3))
    >>> model = KernelRidge(kernel="rbf", gamma=0.2, alpha=1e-3).fit(X, 3 * X[:, 0] + X[:, 1] * X[:, 2])
    >>> print(importances(model, X[:100], X[::4]))
    x0    1.53  85 %
    x1  0.1375   8 %
    x2  0.1327   7 %
    """
    found = shapley_values(model, X, background, players=players, tol=tol, n_jobs=n_jobs)
    values = found.importance
    order = np.argsort(-values.reshape(len(found.names), -1).sum(axis=1), kind="stable")
    names = [found.names[j] for j in order]
    return Importances(names, values[order], found.outputs, len(found), found.error, found.sampled)
