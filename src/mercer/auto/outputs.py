"""Prepared columns of each column of a table: numbers, their scores and cycles, categories and their frequencies."""

from typing import Any

import numpy as np

from mercer._estimator import warn
from mercer._typing import DoubleArray
from mercer.auto.columns import RawColumn
from mercer.auto.dates import cycles_of, cyclic
from mercer.auto.frequencies import MISSING, NEW, Counts, frequencies, is_sparse, known_levels, level_counts
from mercer.auto.notes import counted, listed
from mercer.auto.ranks import Quantiles, normal_scores
from mercer.auto.readings import Reading, numbers_of
from mercer.auto.values import levels, molecules, texts, trees
from mercer.data.tables.column import Column, pack

__all__ = ["PreparedColumns"]

CLIP = 8.0  # largest absolute z-score beside ranks
CIRCLE = float(np.sqrt(0.5))  # standard deviation of sines and cosines of uniform angles


class PreparedColumns:
    """Mixin of `TablePreparer`: learns and computes the prepared columns of one column at a time.

    `outputs_` has the names of all of them. A prepared number has an entry in `means_`, `scales_` and `medians_`.
    """

    ranks: bool
    kinds_: dict[str, str]
    types_: dict[str, str]
    notes_: list[str]

    def _forget(self) -> None:
        """Start with no columns."""
        self.readings_: dict[str, Reading] = {}
        self.outputs_: dict[str, list[str]] = {}
        self.means_: dict[str, float] = {}
        self.scales_: dict[str, float] = {}
        self.medians_: dict[str, float] = {}
        self.flags_: dict[str, str] = {}
        self.cycles_: dict[str, dict[str, tuple[str, str]]] = {}
        self.levels_: dict[str, Counts] = {}
        self.seen_: dict[str, list[Any]] = {}
        self.frequencies_: dict[str, str] = {}
        self.ranks_: dict[str, str] = {}
        self.quantiles_: dict[str, Quantiles] = {}

    # ---- fit

    def _fit_number(self, column: RawColumn, taken: set[str], *, cycles: bool) -> None:
        name, reading = column.name, self.readings_.get(column.name, ())
        values = numbers_of("TablePreparer", column, reading, strict=True)
        missing = np.isnan(values)
        if missing.all():
            raise ValueError(
                f"TablePreparer: column {name!r} has the kind 'number', but all its values are missing; drop it with "
                f"kinds={{{name!r}: 'drop'}}."
            )
        self._standardise(name, name, values, taken)
        found = cycles_of(values, reading[0]) if cycles and reading else []
        for cycle in found:
            pair = (self._new(name, f"{name} {cycle} sin", taken), self._new(name, f"{name} {cycle} cos", taken))
            self.cycles_.setdefault(name, {})[cycle] = pair
            for out in pair:  # a common scale keeps the circle
                self.means_[out], self.scales_[out], self.medians_[out] = 0.0, CIRCLE, 0.0
                self.ranks_ |= {out: out} if self.ranks else {}
        if found:
            self.notes_.append(f"{name}: cyclic numbers of the {listed(found)} were added.")
        if missing.any():
            flag = self.flags_[name] = self._new(name, f"{name} missing", taken)
            self.notes_.append(
                f"{name}: {counted(int(missing.sum()), 'missing value')} replaced by the median "
                f"{self.medians_[name]:.6g}, marked in the new column {flag!r}."
            )

    def _fit_category(self, column: RawColumn, taken: set[str]) -> None:
        name, values = column.name, self._levels(column)
        counts = level_counts(values)
        if counts is None:
            self.seen_[name] = list(dict.fromkeys(values))
            return
        self.levels_[name] = counts
        if is_sparse(counts):
            out = self.frequencies_[name] = self._new(name, f"{name} frequency", taken)
            self._standardise(name, out, frequencies(values, counts), taken)
            self.notes_.append(f"{name}: frequencies of its {len(counts[0])} categories were added as {out!r}.")

    def _standardise(self, name: str, out: str, values: DoubleArray, taken: set[str]) -> None:
        """Learn the scale of a prepared number that belongs to the column `name`."""
        missing = np.isnan(values)
        self.medians_[out] = float(np.median(values[~missing]))
        filled = np.where(missing, self.medians_[out], values)
        self.means_[out] = float(filled.mean())
        self.scales_[out] = float(filled.std()) or 1.0
        if self.ranks:
            self.ranks_[out] = self._new(name, f"{out} rank", taken)
            self.quantiles_[out] = normal_scores(filled)

    def _new(self, name: str, out: str, taken: set[str]) -> str:
        """Add a prepared column to those of the column `name`, under a name that is not taken."""
        while out in taken:
            out += "_"
        taken.add(out)
        self.outputs_[name].append(out)
        return out

    # ---- transform

    def _prepared(self, column: RawColumn) -> dict[str, Column]:
        """Prepared columns of a column, by name."""
        name = column.name
        if self.kinds_[name] != "number":
            packed = {name: self._packed(column)}
            if name in self.frequencies_:
                values = frequencies(self._levels(column), self.levels_[name])
                packed |= self._scaled(self.frequencies_[name], values)
            return packed
        values = self._numbers(column)
        packed = self._scaled(name, values)
        for cycle, pair in self.cycles_.get(name, {}).items():
            for out, numbers in zip(pair, cyclic(values, cycle), strict=True):
                packed |= self._scaled(out, numbers)
        missing = np.isnan(values)
        if name in self.flags_:
            packed[self.flags_[name]] = Column("number", missing * 1.0)
        elif missing.any():
            warn(
                f"TablePreparer: column {name!r} has {counted(int(missing.sum()), 'missing value')} but had none in "
                f"fit; they are replaced by the median {self.medians_[name]:.6g}.",
                UserWarning,
            )
        return packed

    def _numbers(self, column: RawColumn) -> DoubleArray:
        """Values of a numeric column before standardisation, with NaN for missing ones."""
        return numbers_of("TablePreparer", column, self.readings_.get(column.name, ()))

    def _scaled(self, out: str, values: DoubleArray) -> dict[str, Column]:
        """A prepared number, and its normal scores."""
        filled = np.where(np.isnan(values), self.medians_[out], values)
        z = (filled - self.means_[out]) / self.scales_[out]
        packed = {out: Column("number", np.clip(z, -CLIP, CLIP) if self.ranks else z)}
        if out in self.quantiles_:
            packed[self.ranks_[out]] = Column("number", np.interp(filled, *self.quantiles_[out]))
        return packed

    def _packed(self, column: RawColumn) -> Column:
        name, kind = column.name, self.kinds_[column.name]
        if kind == "category":
            return pack("TablePreparer", name, self._known_levels(column), "category")
        if kind == "molecule":
            return pack("TablePreparer", name, molecules("TablePreparer", column), "object")
        if kind == "tree":
            return pack("TablePreparer", name, trees("TablePreparer", column), "text")
        return pack("TablePreparer", name, texts("TablePreparer", column, strip=kind == "sequence"), "text")

    def _known_levels(self, column: RawColumn) -> list[Any]:
        """Values of a category; new levels of columns with many levels are one level."""
        values = self._levels(column)
        if column.name not in self.levels_:
            return values
        values, new = known_levels(values, self.levels_[column.name])
        if new:
            warn(
                f"TablePreparer: column {column.name!r} has {counted(new, 'row')} {NEW}; they are treated as the "
                "category '(other)'.",
                UserWarning,
            )
        return values

    def _levels(self, column: RawColumn) -> list[Any]:
        """Values of a category, with `MISSING` for missing ones."""
        values = levels(column, as_text=self.types_[column.name] == "mixed")
        return [MISSING if value is None else value for value in values]
