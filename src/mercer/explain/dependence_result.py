"""Result of `partial_dependence`."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer._typing import DoubleArray

__all__ = ["PartialDependence"]

SHOWN = 12  # lines of the table


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """Average score as a function of one column, and a curve for each row.

    The last axis of the arrays is left out if the model has one output.

    Parameters
    ----------
    name : str
        Name of the column.
    values : ndarray of shape (n_values,)
        Values of the column at which the curves are known, in order.
    average : ndarray of shape (n_values,) or (n_values, n_outputs)
        Partial dependence: the average of the curves.
    individual : ndarray of shape (n_rows, n_values) or (n_rows, n_values, n_outputs), or None
        Score of each row with each value in the column. None if the curves were not computed.
    data : ndarray of shape (n_rows,)
        Values of the column in the rows.
    outputs : list
        Classes or indices of the outputs.
    error : float
        Bound on the absolute error of the curves, apart from rounding. It is 0 unless a part of the kernel was replaced
        by a mixture of products.
    method : {"expansion", "predict"}
        Method that was used.
    n_distinct : int
        Number of distinct values of the column. It exceeds n_values if some of them were left out.

    See Also
    --------
    partial_dependence : Computes the curves.
    mercer.plots.PartialDependenceDisplay : Plot of the curves.

    Examples
    --------
    >>> from mercer.explain import KernelExpansion, partial_dependence
    >>> f = KernelExpansion("linear", [[1.0, 2.0]], [3.0])
    >>> print(partial_dependence(f, [[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], column=1))
    x1  score
     0     +3
     1     +9
     2    +15
    """

    name: str
    values: Any
    average: DoubleArray
    individual: DoubleArray | None
    data: Any
    outputs: list[Any]
    error: float
    method: str
    n_distinct: int

    def of_output(self, output: Any = None) -> "PartialDependence":
        """Select one output.

        Parameters
        ----------
        output : object, default=None
            Class label or index of the output. None means the only output.

        Returns
        -------
        PartialDependence
            The curves of this output, without the last axis.

        Raises
        ------
        ValueError
            If there is no such output, or if None is given and there are several.
        """
        if self.average.ndim == 1 and (output is None or output in self.outputs):
            return self
        if output not in self.outputs:
            raise ValueError(
                f"PartialDependence: output must be one of {self.outputs}, got {output!r}; name the output to select."
            )
        at = self.outputs.index(output)
        curves = None if self.individual is None else self.individual[..., at]
        return replace(self, average=self.average[..., at], individual=curves, outputs=[self.outputs[at]])

    def __str__(self) -> str:
        several = self.average.ndim == 2
        head = [self.name, *(map(str, self.outputs) if several else ["score"])]
        chosen = np.unique(np.round(np.linspace(0, len(self.values) - 1, SHOWN)).astype(int))
        averages = self.average.reshape(len(self.values), -1)
        places = _texts(self.values[chosen])
        body = [[place, *(f"{value:+.4g}" for value in averages[i])] for place, i in zip(places, chosen, strict=True)]
        widths = [max(len(row[j]) for row in [head, *body]) for j in range(len(head))]
        lines = [
            "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in [head, *body]
        ]
        left = len(self.values) - len(chosen)
        return "\n".join([*lines, f"and {left} more values"] if left else lines)

    __repr__ = __str__


def _texts(values: Any) -> list[str]:
    """Numbers with four digits, dates without the time of day at midnight, others as they are."""
    if values.dtype.kind == "M":
        return [str(text) for text in np.datetime_as_string(values, unit="auto")]
    numbers = (int, float, np.integer, np.floating)
    return [f"{value:.4g}" if isinstance(value, numbers) else str(value) for value in values]
