"""Result of `shapley_values`."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._typing import DoubleArray
from mercer._validation import check_integer

__all__ = ["ShapleyValues"]


@dataclass(frozen=True, eq=False)
class ShapleyValues:
    """Shapley values of the score of a model: ``score = base + Σ_j values_j`` for each row.

    The last axis of the arrays is left out if the model has one output.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_players) or (n_rows, n_players, n_outputs)
        Shapley values φ_j.
    base : float or ndarray of shape (n_outputs,)
        Base value: mean score of the background rows.
    score : ndarray of shape (n_rows,) or (n_rows, n_outputs)
        Score f(x) of the rows.
    names : list of str
        Names of the players.
    error : float
        Bound on the absolute error of the values, apart from rounding. It is 0 if the kernel is a sum of products, and
        positive if a part of it was replaced by a mixture of products. Three times the largest standard error if
        `sampled`.
    data : ndarray of shape (n_rows, n_players)
        Value of each player in each row, which plots show as colours. NaN for groups of columns and for categories
        that are not numbers.
    outputs : list
        Classes or indices of the outputs.
    interactions : ndarray of shape (n_rows, n_players, n_players[, n_outputs]), default=None
        Shapley interaction values: half the Shapley interaction index of each pair of players, and main effects on the
        diagonal. The matrix of a row is symmetric; its rows add up to the Shapley values, and all its entries to
        score − base. None if they were not computed.
    sampled : bool, default=False
        Whether values are means over random orders of the players, because the kernel combines columns of more than 8
        players.

    See Also
    --------
    shapley_values : Computes the values.
    mercer.plots.ShapleyDisplay : Plots of the values.

    Examples
    --------
    >>> from mercer.explain import KernelExpansion, shapley_values
    >>> f = KernelExpansion("linear", [[1.0, 2.0], [0.0, 1.0]], [1.0, -1.0], intercept=0.5)
    >>> found = shapley_values(f, [[2.0, 1.0]], [[0.0, 0.0], [1.0, 1.0]])
    >>> print(found)
    base value  +1.500
    x0          +1.500
    x1          +0.500
    ------------------
    score       +3.500
    """

    values: DoubleArray
    base: Any
    score: DoubleArray
    names: list[str]
    error: float
    data: DoubleArray
    outputs: list[Any]
    interactions: DoubleArray | None = None
    sampled: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def importance(self) -> DoubleArray:
        """Means of the absolute values over the rows, in units of the score.

        Returns
        -------
        ndarray of shape (n_players,) or (n_players, n_outputs)
            Importances of the players.
        """
        return np.asarray(np.abs(self.values).mean(axis=0))

    def of_output(self, output: Any = None) -> "ShapleyValues":
        """Select one output.

        Parameters
        ----------
        output : object, default=None
            Class label or index of the output. None means the only output.

        Returns
        -------
        ShapleyValues
            The values of this output, without the last axis.

        Raises
        ------
        ValueError
            If there is no such output, or if None is given and there are several.
        """
        if self.values.ndim == 2 and (output is None or output in self.outputs):
            return self
        if output not in self.outputs:
            raise ValueError(
                f"ShapleyValues: output must be one of {self.outputs}, got {output!r}; name the output to select."
            )
        at = self.outputs.index(output)
        pairs = None if self.interactions is None else self.interactions[..., at]
        return ShapleyValues(
            self.values[..., at],
            float(self.base[at]),
            self.score[..., at],
            self.names,
            self.error,
            self.data,
            [self.outputs[at]],
            pairs,
            self.sampled,
        )

    def row(self, index: int) -> "ShapleyValues":
        """Select one row.

        Parameters
        ----------
        index : int
            Number of the row.

        Returns
        -------
        ShapleyValues
            The values of this row, with n_rows = 1.
        """
        i = check_integer("ShapleyValues.row", "index", index, low=0, high=len(self) - 1)
        pairs = None if self.interactions is None else self.interactions[i : i + 1]
        return ShapleyValues(
            self.values[i : i + 1],
            self.base,
            self.score[i : i + 1],
            self.names,
            self.error,
            self.data[i : i + 1],
            self.outputs,
            pairs,
            self.sampled,
        )

    def __str__(self) -> str:
        if len(self) != 1 or self.values.ndim == 3:
            shape = " x ".join(map(str, self.values.shape))
            about = "about" if self.sampled else "at most"
            return f"Shapley values of {len(self)} rows ({shape}), error {about} {self.error:.2g}"
        order = np.argsort(-np.abs(self.values[0]), kind="stable")
        rows = [("base value", float(self.base))]
        rows += [(self.names[j], float(self.values[0, j])) for j in order]
        rows.append(("score", float(self.score[0])))
        digits = _digits([value for _, value in rows])
        texts = [(name, f"{value:+z{digits}}") for name, value in rows]
        left, right = (max(len(text[i]) for text in texts) for i in (0, 1))
        lines = [f"{name:<{left}}  {value:>{right}}" for name, value in texts]
        return "\n".join([*lines[:-1], "-" * (left + right + 2), lines[-1]])

    __repr__ = __str__


def _digits(values: list[float]) -> str:
    """Format with four digits of the largest value, so that the values add up in print.

    >>> _digits([1.209, 1.05e-5]), _digits([3.2e9, 1.0])
    ('.3f', '.4g')
    """
    largest = max(map(abs, values))
    return f".{3 - math.floor(math.log10(largest))}f" if 1e-4 <= largest < 1e4 else ".4g"
