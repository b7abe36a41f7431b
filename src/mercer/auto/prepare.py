"""Preparation of raw tables for kernels: kinds of columns, standardisation, missing values."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from mercer._estimator import Params, TransactionalFit, warn
from mercer._typing import Data, DoubleArray
from mercer._validation import describe
from mercer.auto.columns import RawColumn, has_columns, raw_columns, row_count
from mercer.auto.kinds import KINDS, Choice, infer_kind
from mercer.auto.ranks import Quantiles, normal_scores
from mercer.auto.shapes import as_samples, checked_matrix, fit_matrix, transform_matrix
from mercer.auto.values import floats, levels, molecules, texts, trees
from mercer.data import Table
from mercer.data.frames import unknown_column
from mercer.data.tables.column import Column, pack

__all__ = ["TablePreparer"]

MISSING = "(missing)"  # category of missing values
CLIP = 8.0  # largest absolute z-score beside ranks


class TablePreparer(TransformerMixin, TransactionalFit, Params, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc]
    """Prepare raw tables for kernels: infer kinds of columns, standardise numbers, replace missing values.

    Parameters
    ----------
    kinds : dict of str to str, default=None
        Kinds of some columns by name: "number", "category", "text", "sequence", "molecule" (SMILES), "tree" (bracket
        notation) or "drop". The kinds of other columns are inferred. Columns of an array are called x0, x1, …
    ranks : bool, default=False
        Whether a second column is added for every number, with the normal scores of its ranks among the training
        samples. Arrays then become tables, and z-scores are clipped at ±8.

    Attributes
    ----------
    kinds_ : dict of str to str
        Kind of every column; empty unless `form_` is "table".
    types_ : dict of str to str
        Type of the values of every column in `fit`: "number", "boolean", "date", "text", "mixed" or "empty".
    means_ : dict of str to float
        Mean of every numeric column, after replacement of missing values.
    scales_ : dict of str to float
        Standard deviation of every numeric column; 1 for constant columns.
    medians_ : dict of str to float
        Median of every numeric column, which replaces missing values.
    flags_ : dict of str to str
        Names of the columns of zeros and ones that mark missing values, by the name of the numeric column.
    ranks_ : dict of str to str
        Names of the columns of normal scores, by the name of the numeric column; empty unless `ranks`.
    quantiles_ : dict of str to pair of ndarray
        Values of every numeric column and their normal scores; empty unless `ranks`.
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
    are long or have many distinct values. Strings over a small alphabet are sequences. Dates are converted to days.
    Constant columns, empty columns and identifiers are dropped.

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

    def __init__(self, kinds: Mapping[str, str] | None = None, *, ranks: bool = False) -> None:
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
        self.means_: dict[str, float] = {}
        self.scales_: dict[str, float] = {}
        self.medians_: dict[str, float] = {}
        self.flags_: dict[str, str] = {}
        self.types_: dict[str, str] = {}
        self.ranks_: dict[str, str] = {}
        self.quantiles_: dict[str, Quantiles] = {}
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
        for name, kind in (self.kinds or {}).items():
            if name not in columns:
                raise unknown_column("TablePreparer", list(columns), str(name))
            if kind not in KINDS:
                options = ", ".join(map(repr, KINDS))
                raise ValueError(
                    f"TablePreparer: the kind of column {name!r} must be one of {options}, got {describe(kind)}."
                )
        for name, column in columns.items():
            given: Any = (self.kinds or {}).get(name)
            choice = infer_kind(column) if given is None else Choice(given, "requested" if given == "drop" else "")
            self.kinds_[name], self.types_[name] = choice.kind, column.type
            self._note(column, choice, given is None)
            if choice.kind == "number":
                self._fit_number(column, set(columns))
        numbers = [name for name, kind in self.kinds_.items() if kind == "number"]
        if numbers:
            self.notes_.append(f"{_listed(numbers)}: standardised to mean 0 and variance 1.")
        if all(kind == "drop" for kind in self.kinds_.values()):
            raise ValueError(
                f"TablePreparer: all columns were dropped. {' '.join(self.notes_)} Give kinds= for columns to keep."
            )

    def _note(self, column: RawColumn, choice: Choice, inferred: bool) -> None:
        """Record the decisions on a column."""
        name, missing = column.name, column.n_missing
        if choice.kind == "drop":
            hint = f"; kinds={{{name!r}: 'category'}} keeps it" if inferred and "different" in choice.why else ""
            self.notes_.append(f"{name}: dropped ({choice.why}){hint}.")
            return
        if choice.why:
            self.notes_.append(f"{name}: {choice.why}.")
        if column.type == "date" and choice.kind == "number":
            self.notes_.append(f"{name}: dates and times were converted to days.")
        if missing and choice.kind == "category":
            self.notes_.append(f"{name}: {_count(missing, 'missing value')}, treated as a category.")
        if missing and choice.kind in ("text", "sequence"):
            self.notes_.append(f"{name}: {_count(missing, 'missing value')}, treated as empty text.")

    def _fit_number(self, column: RawColumn, taken: set[str]) -> None:
        name, values = column.name, floats("TablePreparer", column)
        missing = np.isnan(values)
        if missing.all():
            raise ValueError(
                f"TablePreparer: column {name!r} has the kind 'number', but all its values are missing; drop it with "
                f"kinds={{{name!r}: 'drop'}}."
            )
        self.medians_[name] = float(np.median(values[~missing]))
        if missing.any():
            flag = self.flags_[name] = self._unused(f"{name} missing", taken)
            self.notes_.append(
                f"{name}: {_count(int(missing.sum()), 'missing value')} replaced by the median "
                f"{self.medians_[name]:.6g}, marked in the new column {flag!r}."
            )
        filled = np.where(missing, self.medians_[name], values)
        self.means_[name] = float(filled.mean())
        self.scales_[name] = float(filled.std()) or 1.0
        if self.ranks:
            self.ranks_[name] = self._unused(f"{name} rank", taken)
            self.quantiles_[name] = normal_scores(filled)

    def _unused(self, name: str, taken: set[str]) -> str:
        """A name for a new column that no other column has."""
        while name in taken or name in self.flags_.values() or name in self.ranks_.values():
            name += "_"
        return name

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
        for name, column in columns.items():
            if self.kinds_[name] == "number":
                filled = self._filled(column)
                packed[name] = Column("number", self._standardised(name, filled))
                if name in self.ranks_:
                    packed[self.ranks_[name]] = Column("number", np.interp(filled, *self.quantiles_[name]))
                if name in self.flags_:
                    packed[self.flags_[name]] = Column("number", np.isnan(floats("TablePreparer", column)) * 1.0)
            else:
                packed[name] = self._packed(column)
        return Table(tuple(packed), tuple(packed.values()))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns of a matrix. None means the names seen in `fit`, or else x0, x1, …

        Returns
        -------
        ndarray of str objects
            Names of the columns that are kept, and of the columns that mark missing values.

        Raises
        ------
        ValueError
            If the preparer was fitted to strings, trees or graphs, which have no columns.
        """
        check_is_fitted(self)
        if self.form_ == "table":
            kept = [name for name, kind in self.kinds_.items() if kind != "drop"]
            others = (self.ranks_, self.flags_)
            names = [out for name in kept for out in (name, *(o.get(name) for o in others)) if out is not None]
            return np.asarray(names, dtype=object)
        if self.form_ in ("matrix", "sparse"):
            given = _check_feature_names_in(self, input_features)
            flagged = [f"{given[j]} missing" for j in getattr(self, "flagged_", ())]
            return np.asarray([*given, *flagged], dtype=object)
        raise ValueError(f"TablePreparer: was fitted to {self.form_}, which have no columns and no names.")

    def _known(self, used: list[str], columns: dict[str, RawColumn]) -> dict[str, RawColumn]:
        """Columns in use, in the order of `fit`, checked to have the types seen there."""
        for name in used:
            if name not in columns:
                raise unknown_column("TablePreparer", list(columns), name)
            column, before = columns[name], self.types_[name]
            if column.type not in (before, "empty") and before not in ("mixed", "empty"):
                row = "" if column.type != "mixed" else " (values of one type are needed)"
                raise TypeError(
                    f"TablePreparer: column {name!r} held {RawColumn(name, before, []).what} in fit, "  # type: ignore[arg-type]
                    f"now it holds {column.what}{row}; convert it to the type it had in fit."
                )
        unknown = [name for name in columns if name not in self.kinds_]
        if unknown:
            warn(f"TablePreparer: ignored columns that were not seen in fit: {_listed(unknown)}.", UserWarning)
        return {name: columns[name] for name in used}

    def _filled(self, column: RawColumn) -> DoubleArray:
        """Numbers, with medians in the place of missing ones."""
        name, values = column.name, floats("TablePreparer", column)
        missing = np.isnan(values)
        if missing.any() and name not in self.flags_:
            warn(
                f"TablePreparer: column {name!r} has {_count(int(missing.sum()), 'missing value')} but had none in "
                f"fit; they are replaced by the median {self.medians_[name]:.6g}.",
                UserWarning,
            )
        return np.where(missing, self.medians_[name], values)

    def _standardised(self, name: str, filled: DoubleArray) -> DoubleArray:
        z = (filled - self.means_[name]) / self.scales_[name]
        return np.clip(z, -CLIP, CLIP) if self.ranks else z

    def _packed(self, column: RawColumn) -> Column:
        name, kind = column.name, self.kinds_[column.name]
        if kind == "category":
            values = levels(column, as_text=self.types_[name] == "mixed")
            return pack("TablePreparer", name, [MISSING if value is None else value for value in values], "category")
        if kind == "molecule":
            return pack("TablePreparer", name, molecules("TablePreparer", column), "object")
        if kind == "tree":
            return pack("TablePreparer", name, trees("TablePreparer", column), "text")
        return pack("TablePreparer", name, texts("TablePreparer", column, strip=kind == "sequence"), "text")

    def _upgrade(self) -> None:
        """Add attributes that files of earlier versions do not have."""
        if "form_" in self.__dict__:
            self.__dict__.setdefault("ranks_", {})
            self.__dict__.setdefault("quantiles_", {})
            self.__dict__.setdefault("_plain", False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        return tags


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"
