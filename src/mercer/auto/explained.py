"""What `mercer.explain` asks of automatic models: their score, and the columns of the raw table as players."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer._typing import Data, DoubleArray
from mercer.auto.columns import raw_columns, row_count
from mercer.auto.prepare import TablePreparer
from mercer.auto.shapes import as_samples
from mercer.data import n_samples
from mercer.data.names import column_names
from mercer.explain.weighted import ScorePart

__all__ = ["ExplainedScore"]


class ExplainedScore:
    """Mixin of automatic models: the score of a stack or of one machine, see `mercer.explain.weighted`."""

    preparer_: TablePreparer
    model_: Any
    columns_: list[str]

    def prepare(self, X: Data) -> Data:
        """Convert raw samples into the input of `model_`."""
        raise NotImplementedError

    def _score_samples(self, X: Data) -> Data:
        return self.prepare(X)

    def _score_parts(self, samples: Data) -> Iterator[ScorePart]:
        """Terms of the score: those of the members of a stack, or the machine itself for all rows."""
        if hasattr(self.model_, "score_parts"):
            yield from self.model_.score_parts(samples)
        else:
            yield ScorePart(np.arange(n_samples(samples)), self.model_)

    def _score_players(self, samples: Data) -> dict[str, list[int]]:
        """Columns of the prepared samples that belong to each column of the table, of those that `model_` reads."""
        if not self.columns_:  # a matrix of numbers, which has no prepared columns with other names
            names = getattr(self, "feature_names_in_", column_names(samples))
            return {str(name): [j] for j, name in enumerate(names)}
        at = {name: i for i, name in enumerate(self.columns_)}
        owned = {name: [at[one] for one in own if one in at] for name, own in self.preparer_.outputs_.items()}
        return {name: own for name, own in owned.items() if own}

    def _score_values(self, X: Data, names: list[str]) -> DoubleArray:
        """Numbers in the named columns of the table, NaN for others."""
        columns = raw_columns(type(self).__name__, as_samples(X, named=True)[1], only=names)
        numbers = (self.preparer_.kinds_.get(name, "number") == "number" for name in names)
        n = row_count(type(self).__name__, X)
        return np.column_stack(
            [
                self.preparer_._numbers(columns[name]) if number else np.full(n, np.nan)
                for name, number in zip(names, numbers, strict=True)
            ]
        )

    def _score_outputs(self) -> list[Any]:
        classes = getattr(self, "classes_", None)
        return [0] if classes is None else classes.tolist() if len(classes) > 2 else classes[1:].tolist()
