"""What `mercer.explain.shapley_values` asks of automatic models."""

from typing import Any

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer.auto.columns import raw_columns, row_count
from mercer.auto.prepare import TablePreparer
from mercer.auto.shapes import as_samples
from mercer.auto.values import floats

__all__ = ["ExplainedStack"]


class ExplainedStack:
    """Mixin of automatic models: the score of a stack as kernel expansions, see `mercer.explain.weighted`."""

    preparer_: TablePreparer
    model_: Any
    columns_: list[str]

    def prepare(self, X: Data) -> Data:
        """Convert raw samples into the input of `model_`."""
        raise NotImplementedError

    @property
    def _score_parts(self) -> Any:
        """Function that returns the kernel expansions of the score; only stacks have it."""
        return self.model_.score_parts

    def _score_samples(self, X: Data) -> Any:
        return self.prepare(X)

    def _score_players(self) -> dict[str, list[int]]:
        """Columns of the prepared matrix that belong to each column of the table."""
        preparer, at = self.preparer_, {name: i for i, name in enumerate(self.columns_)}
        found = {}
        for name, kind in preparer.kinds_.items():
            if kind != "drop":
                own = (name, preparer.ranks_.get(name), preparer.flags_.get(name))
                found[name] = [at[one] for one in own if one is not None]
        return found

    def _score_values(self, X: Data, names: list[str]) -> DoubleArray:
        """Numbers in the named columns of the table, NaN for categories."""
        columns = raw_columns(type(self).__name__, as_samples(X, named=True)[1], only=names)
        numbers = (self.preparer_.kinds_[name] == "number" for name in names)
        n = row_count(type(self).__name__, X)
        return np.column_stack(
            [
                floats(type(self).__name__, columns[name]) if number else np.full(n, np.nan)
                for name, number in zip(names, numbers, strict=True)
            ]
        )

    def _score_outputs(self) -> list[Any]:
        classes = getattr(self, "classes_", None)
        return [0] if classes is None else classes.tolist() if len(classes) > 2 else classes[1:].tolist()
