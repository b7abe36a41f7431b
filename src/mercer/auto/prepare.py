"""Preparation of raw tables for kernels: kinds of columns, standardisation, missing values."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from mercer._estimator import Params, TransactionalFit, warn
from mercer._typing import Data
from mercer._validation import describe
from mercer.auto.columns import RawColumn, has_columns, raw_columns, row_count
from mercer.auto.frequencies import MISSING
from mercer.auto.kinds import KINDS, infer_kind, request_kind
from mercer.auto.notes import column_notes, dropped_notes, listed
from mercer.auto.outputs import PreparedColumns
from mercer.auto.readings import accepted
from mercer.auto.shapes import as_samples, checked_matrix, fit_matrix, transform_matrix
from mercer.data import Table
from mercer.data.frames import unknown_column
from mercer.data.tables.column import Column

__all__ = ["TablePreparer"]


class TablePreparer(
    PreparedColumns,
    TransformerMixin,  # type: ignore[misc]
    TransactionalFit,
    Params,
    BaseEstimator,  # type: ignore[misc]
    auto_wrap_output_keys=None,
):
    """Prepare raw tables for kernels: infer kinds of columns, standardise numbers, replace missing values.

    Parameters
    ----------
    kinds : dict of str to str or list, default=None
        Kinds of some columns by name: "number", "date", "ordered", "category", "text", "sequence", "molecule"
        (SMILES), "tree" (bracket notation) or "drop". A list has the levels of an ordered column, the smallest first.
        The kinds of other columns are inferred. Columns of an array are called x0, x1, …
    ranks : bool, default=False
        Whether a second column is added for every number, with the normal scores of its ranks among the training
        samples. Arrays then become tables, and z-scores are clipped at ±8.

    Attributes
    ----------
    kinds_ : dict of str to str
        Kind of every column as kernels see it; empty unless `form_` is "table". Dates and ordered columns are of the
        kind "number", see `readings_`.
    types_ : dict of str to str
        Type of the values of every column in `fit`: "number", "boolean", "date", "text", "mixed" or "empty".
    readings_ : dict of str to tuple
        How values of numeric columns are converted, if they are not plain numbers: ("date", form), ("time", form),
        ("duration",), ("amount", decimal sign, unit) for numbers stored as text, or ("ordered", level, level, …).
    unused_ : dict of str to str
        Columns that are not used, and why.
    outputs_ : dict of str to list of str
        Names of the prepared columns of every column in use, in the order of `transform`.
    means_ : dict of str to float
        Mean of every prepared number, after replacement of missing values; 0 for cyclic numbers.
    scales_ : dict of str to float
        Standard deviation of every prepared number; 1 for constant columns, √½ for cyclic numbers.
    medians_ : dict of str to float
        Median of every prepared number, which replaces missing values; 0, the centre of the circle, for cyclic ones.
    flags_ : dict of str to str
        Names of the columns of zeros and ones that mark missing values, by the name of the numeric column.
    cycles_ : dict of str to dict of str to pair of str
        Names of the sines and cosines of "day", "week" and "year", by the name of the column of dates.
    levels_ : dict of str to pair of list and ndarray
        Levels and their numbers of rows, of categories with more than 20 levels.
    seen_ : dict of str to list
        Levels of the other categories.
    frequencies_ : dict of str to str
        Names of the numbers with logarithms of frequencies, by the name of the category.
    ranks_ : dict of str to str
        Names of the columns of normal scores, by the name of the prepared number; empty unless `ranks`. Cyclic numbers
        are their own scores.
    quantiles_ : dict of str to pair of ndarray
        Values of prepared numbers and their normal scores; empty unless `ranks`.
    mean_ : ndarray of shape (n_features,)
        Means of the columns of a dense matrix.
    median_ : ndarray of shape (n_features,)
        Medians of the columns of a dense matrix.
    scale_ : ndarray of shape (n_features,)
        Standard deviations of the columns of a dense matrix; divisors of the columns of a sparse one.
    flagged_ : ndarray of int
        Columns of a dense matrix with missing values, each of which gets an indicator column.
    form_ : {"table", "matrix", "sparse", "graphs", "strings", "trees"}
        Form of the samples that `transform` returns.
    notes_ : list of str
        Decisions taken in `fit`, one sentence each.
    n_features_in_ : int
        Number of columns seen in `fit`. Only defined for tables and matrices.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns seen in `fit`. Only defined if X has column names.

    See Also
    --------
    AutoClassifier : Classifier that prepares its table in this way.
    AutoRegressor : Regressor that prepares its table in this way.
    mercer.data.Table : Container of the prepared columns.

    Notes
    -----
    Numbers are standardised to z = (x − mean)/scale. Missing numbers are replaced by the median, and an additional
    column of zeros and ones marks them. Booleans and texts with few distinct values are categories. Missing values are
    a category of their own, and categories that were not seen in `fit` are allowed. Texts with blanks are texts if they
    are long or have many distinct values. Strings over a small alphabet are sequences. Constant columns, empty columns
    and identifiers are dropped.

    Dates become days since 1970 in UTC. Dates without a time zone are taken as UTC. If dates extend over two days,
    weeks or years, and repeat, the time of the day, the day of the week or the time of the year is added as a pair of
    cyclic numbers, √2 sin 2πt and √2 cos 2πt. Texts are read as dates, as ordered levels or as numbers only if all of
    them have one unambiguous form; "NA", "n/a", "?" and "-" are then missing values. Ordered levels become their
    positions 0, 1, 2, …

    In categories of more than 20 levels, levels that were not seen in `fit` are one level, "(other)", and are counted
    in a warning. More than 50 levels with less than 20 rows on average add a number, the logarithm of the number of
    training rows with the same level. Rare levels are not merged, because their rows inform about new rows with the
    same level.

    A matrix keeps all its columns, so that kernels can refer to them by position. A sparse matrix stays sparse; if it
    has absolute values above 1, each column is divided by its largest absolute value. Graphs, strings and trees are
    not changed.

    References
    ----------
    * Little and Rubin, Statistical Analysis with Missing Data, Wiley, 2002.
    * Jones, Indicator and stratification methods for missing explanatory variables in multiple linear regression,
      Journal of the American Statistical Association 91, 1996.

    Examples
    --------
    >>> from mercer.auto import TablePreparer
    >>> people = {"id": [1, 2, 3, 4], "age": [31, None, 27, 50], "city": ["Rome", "Oslo", None, "Rome"]}
    >>> preparer = TablePreparer().fit(people)
    >>> preparer.kinds_
    {'id': 'drop', 'age': 'number', 'city': 'category'}
    >>> table = preparer.transform(people)
    >>> table
    Table(4 rows: age number, age missing number, city category[3])
    >>> float(table["age"].mean().round(12)), table["age missing"].tolist(), table["city"][2]
    (0.0, [0.0, 1.0, 0.0, 0.0], '(missing)')
    """

    def __init__(self, kinds: Mapping[str, str | Sequence[Any]] | None = None, *, ranks: bool = False) -> None:
        self.kinds = kinds
        self.ranks = ranks

    # ---- fit

    def fit(self, X: Data, y: Any = None) -> Self:  # noqa: ARG002
        """Infer the kinds of columns and learn their means, scales and medians.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Training samples.
        y : object, default=None
            Ignored; present for compatibility with pipelines.

        Returns
        -------
        self
            Fitted preparer.

        Raises
        ------
        ValueError
            If all columns would be dropped, or if `kinds` names a column that does not exist.
        """
        self.notes_: list[str] = []
        self.kinds_: dict[str, str] = {}
        self.types_: dict[str, str] = {}
        self.unused_: dict[str, str] = {}
        self._forget()
        self.form_, X = as_samples(X, named=bool(self.kinds))
        self._plain = self.ranks and self.form_ == "matrix"
        if self._plain:
            self.form_, X = "table", checked_matrix(self, X, reset=True)
        if self.kinds and self.form_ != "table":
            raise ValueError(f"TablePreparer: kinds= needs columns, but X is {describe(X)}; remove kinds=.")
        if row_count("TablePreparer", X) == 0:
            raise ValueError("TablePreparer: Found array with 0 sample(s), expected at least one row.")
        if self.form_ == "table":
            dropped = [name for name, kind in (self.kinds or {}).items() if kind == "drop"]
            columns = raw_columns("TablePreparer", X, skip=dropped)
            self.n_features_in_ = len(columns)
            if has_columns(X):
                self.feature_names_in_ = np.array(list(columns), dtype=object)
            self._fit_columns(columns)
        elif self.form_ in ("matrix", "sparse"):
            fit_matrix(self, X)
        return self

    def _fit_columns(self, columns: dict[str, RawColumn]) -> None:
        self._check_kinds(list(columns))
        taken = set(columns)
        for name, column in columns.items():
            given: Any = (self.kinds or {}).get(name)
            choice = infer_kind(column) if given is None else request_kind("TablePreparer", column, given)
            self.kinds_[name] = "number" if choice.kind in ("date", "ordered") else choice.kind
            self.types_[name] = column.type
            if choice.reading:
                self.readings_[name] = choice.reading
            if choice.kind == "drop":
                self.unused_[name] = choice.why
                continue
            self.notes_ += column_notes(column, choice, inferred=given is None)
            self.outputs_[name] = [name]
            if self.kinds_[name] == "number":
                self._fit_number(column, taken, cycles=choice.kind == "date")
            elif choice.kind == "category":
                self._fit_category(column, taken)
        self.notes_ += dropped_notes(self.unused_, self.kinds or {})
        numbers = [name for name, kind in self.kinds_.items() if kind == "number"]
        if numbers:
            self.notes_.append(f"{listed(numbers)}: standardised to mean 0 and variance 1.")
        if not self.outputs_:
            raise ValueError(
                f"TablePreparer: all columns were dropped. {' '.join(self.notes_)} Give kinds= for columns to keep."
            )

    def _check_kinds(self, names: list[str]) -> None:
        for name, kind in (self.kinds or {}).items():
            if name not in names:
                raise unknown_column("TablePreparer", names, str(name))
            order = isinstance(kind, (list, tuple)) and len(set(kind)) == len(kind) > 1
            if not order and kind not in KINDS:
                options = ", ".join(map(repr, KINDS))
                raise ValueError(
                    f"TablePreparer: the kind of column {name!r} must be one of {options}, or a list of different "
                    f"levels, got {describe(kind)}."
                )

    # ---- transform

    def transform(self, X: Data) -> Any:
        """Prepare samples with the kinds, scales and medians learned in `fit`.

        Parameters
        ----------
        X : frame, dict of columns, Table, array, list of rows, sparse matrix, Graphs, Strings or Trees
            Samples of the same form as in `fit`. Columns of a table are matched by name, in any order. Columns that
            were not seen in `fit` are ignored with a warning.

        Returns
        -------
        Table, ndarray, sparse matrix, Graphs, Strings or Trees
            Prepared samples, see `form_`.

        Raises
        ------
        TypeError
            If the form of the samples or the type of a column differs from `fit`.
        """
        check_is_fitted(self)
        form, X = as_samples(X, named=self.form_ == "table" and not self._plain)
        if self._plain and form == "matrix":
            form, X = "table", checked_matrix(self, X, reset=False)
        if form != self.form_:
            raise TypeError(
                f"TablePreparer: got {describe(X)}, but fit was called with data of the form {self.form_!r}; give data "
                "of the same form."
            )
        if self.form_ != "table":
            return transform_matrix(self, X) if self.form_ in ("matrix", "sparse") else X
        used = [name for name, kind in self.kinds_.items() if kind != "drop"]
        columns = self._known(used, raw_columns("TablePreparer", X, only=used))
        packed: dict[str, Column] = {}
        for column in columns.values():
            packed |= self._prepared(column)
        names = [out for name in used for out in self.outputs_[name]]
        return Table(tuple(names), tuple(packed[name] for name in names))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of a matrix. None means the names seen in `fit`, or else x0, x1, …

        Returns
        -------
        ndarray of str objects
            Names of the columns that are kept, and of those that are added to them, see `outputs_`.

        Raises
        ------
        ValueError
            If the preparer was fitted to strings, trees or graphs, which have no columns.
        """
        check_is_fitted(self)
        if self.form_ == "table":
            return np.asarray([out for outs in self.outputs_.values() for out in outs], dtype=object)
        if self.form_ in ("matrix", "sparse"):
            given = _check_feature_names_in(self, input_features)
            flagged = [f"{given[j]} missing" for j in getattr(self, "flagged_", ())]
            return np.asarray([*given, *flagged], dtype=object)
        raise ValueError(f"TablePreparer: was fitted to {self.form_}, which have no columns and no names.")

    def new_categories(self, X: Data) -> dict[str, int]:
        """Count rows with categories that were not seen in `fit`.

        Parameters
        ----------
        X : frame, dict of columns, Table, array or list of rows
            Samples.

        Returns
        -------
        dict of str to int
            Number of rows by the name of the column, without columns in which there are none.
        """
        check_is_fitted(self)
        known = {**self.seen_, **{name: levels for name, (levels, _) in self.levels_.items()}}
        if not known:
            return {}
        columns = raw_columns("TablePreparer", as_samples(X, named=True)[1], only=known)
        counts = {}
        for name, levels in known.items():
            if name in columns:
                allowed = {*levels, MISSING}
                counts[name] = sum(value not in allowed for value in self._levels(columns[name]))
        return {name: n for name, n in counts.items() if n}

    def _known(self, used: list[str], columns: dict[str, RawColumn]) -> dict[str, RawColumn]:
        """Columns in use, in the order of `fit`, checked to have the types seen there."""
        for name in used:
            if name not in columns:
                raise unknown_column("TablePreparer", list(columns), name)
            column, before = columns[name], self.types_[name]
            fits = accepted(self.readings_.get(name, ()), before)  # type: ignore[arg-type]
            if column.type not in (*fits, "empty") and before not in ("mixed", "empty"):
                row = "" if column.type != "mixed" else " (values of one type are needed)"
                if before == "number":
                    row += _first_text(column)
                raise TypeError(
                    f"TablePreparer: column {name!r} held {RawColumn(name, before, []).what} in fit, "  # type: ignore[arg-type]
                    f"now it holds {column.what}{row}; convert it to the type it had in fit."
                )
        unknown = [name for name in columns if name not in self.kinds_]
        if unknown:
            warn(f"TablePreparer: ignored columns that were not seen in fit: {listed(unknown)}.", UserWarning)
        return {name: columns[name] for name in used}

    def _upgrade(self) -> None:
        """Add attributes that files of earlier versions do not have."""
        if "form_" in self.__dict__:
            for name in ("ranks_", "quantiles_", "readings_", "cycles_", "levels_", "frequencies_", "seen_"):
                self.__dict__.setdefault(name, {})
            self.__dict__.setdefault("_plain", False)
            used = [name for name, kind in self.kinds_.items() if kind != "drop"]
            own = {name: [name, self.ranks_.get(name), self.flags_.get(name)] for name in used}
            outputs = {name: [out for out in outs if out is not None] for name, outs in own.items()}
            self.__dict__.setdefault("outputs_", outputs)
            notes = {name: [n for n in self.notes_ if n.startswith(f"{name}: dropped (")] for name in self.kinds_}
            unused = {name: note[0].partition(" (")[2].rpartition(")")[0] for name, note in notes.items() if note}
            self.__dict__.setdefault("unused_", unused)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def _first_text(column: RawColumn) -> str:
    """Place and value of the first text in a column that should hold numbers."""
    for row, value in enumerate(column.values):
        if value is not None and str(value).strip():
            try:
                float(value)
            except (TypeError, ValueError):
                return f", first in row {row}, from 0: {value!r}"
    return ""
