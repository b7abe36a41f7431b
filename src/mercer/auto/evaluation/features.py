"""Plain features of raw samples for baselines: numbers, one-hot categories, and counts of words, k-mers and labels."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from mercer._typing import Data, DoubleArray
from mercer.auto.kinds import sequence_alphabet
from mercer.auto.prepare import TablePreparer
from mercer.data import Graphs, Strings, Table, Trees

__all__ = ["Features", "Plain"]

LEVELS = 250  # categories of a column for gradient boosting, which takes at most 255
LABELS = 100  # frequent labels of nodes that are counted
DENSE = 2000  # columns of a sparse matrix that gradient boosting reads


class Plain(NamedTuple):
    """Samples as numbers, codes of categories and texts; None where there are none."""

    numbers: Any
    codes: DoubleArray | None
    texts: list[tuple[str, list[str]]]


class Features:
    """Features of samples that are learned from the training part of a fold.

    Parameters
    ----------
    kinds : dict of str to str or None
        Kinds of columns, as the model has them.
    """

    def __init__(self, kinds: Any) -> None:
        self.preparer = TablePreparer(kinds)

    def fit(self, X: Data) -> "Features":
        """Learn the kinds of columns, frequent labels and vocabularies."""
        self.preparer.fit(X)
        self.labels: dict[str, Any] = {}
        plain = self._plain(self.preparer.transform(X), learn=True)
        self.scaler = None if plain.numbers is None else StandardScaler(with_mean=not sp.issparse(plain.numbers))
        if self.scaler is not None:
            self.scaler.fit(plain.numbers)
        self.one_hot = self.ordinal = None
        if plain.codes is not None:
            self.one_hot = OneHotEncoder(handle_unknown="ignore").fit(plain.codes)
            self.ordinal = OrdinalEncoder(
                handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=LEVELS
            ).fit(plain.codes)
        self.vectorizers = [_vectorizer(texts).fit(texts) for _, texts in plain.texts if any(map(str.strip, texts))]
        return self

    def transform(self, X: Data) -> Plain:
        """Samples with the columns of `fit`."""
        return self._plain(self.preparer.transform(X), learn=False)

    def linear(self, plain: Plain) -> Any:
        """Standardised numbers, one-hot categories and weighted counts in one matrix; None if there are none."""
        parts = [] if self.scaler is None else [self.scaler.transform(plain.numbers)]
        if self.one_hot is not None:
            parts.append(self.one_hot.transform(plain.codes))
        pairs = zip(self.vectorizers, (texts for _, texts in plain.texts), strict=False)
        parts += [vectorizer.transform(texts) for vectorizer, texts in pairs]
        if not parts:
            return None
        if len(parts) == 1:
            return parts[0]
        return sp.hstack(parts, format="csr")

    def trees(self, plain: Plain) -> tuple[DoubleArray | None, Any]:
        """Numbers and codes of categories in one matrix, with a mask of the categories; None if there are none."""
        numbers = plain.numbers
        if sp.issparse(numbers):
            numbers = numbers.toarray() if numbers.shape[1] <= DENSE else None
        parts = [] if numbers is None else [numbers]
        if self.ordinal is not None:
            parts.append(self.ordinal.transform(plain.codes))
        if not parts:
            return None, None
        width = 0 if numbers is None else numbers.shape[1]
        X = np.column_stack(parts)
        return X, np.arange(X.shape[1]) >= width

    # ---- plain samples

    def _plain(self, prepared: Data, *, learn: bool) -> Plain:
        if isinstance(prepared, Graphs):
            return Plain(self._counts("", prepared, learn=learn), None, [])
        if isinstance(prepared, Strings):
            return Plain(None, None, [("", [_text(value) for value in prepared.to_list()])])
        if isinstance(prepared, Trees):
            return Plain(self._tree_counts("", prepared, learn=learn), None, [])
        if not isinstance(prepared, Table):
            return Plain(prepared, None, [])
        return self._of_columns(prepared, learn=learn)

    def _of_columns(self, table: Table, *, learn: bool) -> Plain:
        numbers, codes, texts = [], [], []
        for name, column in zip(table.names, table.columns, strict=True):
            kind = self.preparer.kinds_.get(name, column.kind)
            if column.kind == "number":
                numbers.append(column.values)
            elif column.kind == "category":
                codes.append(column.values)
            elif kind in ("text", "sequence"):
                texts.append((name, [_text(value) for value in column.tolist()]))
            elif kind == "molecule":
                numbers.append(self._counts(name, Graphs(column.tolist()), learn=learn))
            elif kind == "tree":
                numbers.append(self._tree_counts(name, Trees(column.tolist()), learn=learn))
        return Plain(np.column_stack(numbers) if numbers else None, np.column_stack(codes) if codes else None, texts)

    def _counts(self, name: str, graphs: Graphs, *, learn: bool) -> DoubleArray:
        """Number of nodes, of edges and of frequent labels of nodes."""
        labels = self._label_counts(name, graphs.node_labels, graphs.offsets, learn=learn)
        return np.column_stack([graphs.n_nodes, graphs.n_edges, *labels]).astype(np.float64)

    def _tree_counts(self, name: str, trees: Trees, *, learn: bool) -> DoubleArray:
        """Number of nodes and of frequent labels."""
        labels = self._label_counts(name, trees.labels, trees.offsets, learn=learn)
        return np.column_stack([np.diff(trees.offsets), *labels]).astype(np.float64)

    def _label_counts(self, name: str, labels: Any, offsets: Any, *, learn: bool) -> list[Any]:
        """Number of nodes of each sample with each frequent label."""
        if labels is None:
            return []
        if learn:
            values, sizes = np.unique(labels, return_counts=True)
            self.labels[name] = values[np.argsort(-sizes, kind="stable")[:LABELS]]
        totals = [np.concatenate([[0], np.cumsum(labels == label)]) for label in self.labels.get(name, ())]
        return [total[offsets[1:]] - total[offsets[:-1]] for total in totals]


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else " ".join(map(str, value))


def _vectorizer(texts: list[str]) -> TfidfVectorizer:
    """Counts of words, or of k-mers for sequences: three symbols of proteins, four of DNA."""
    alphabet = sequence_alphabet(texts)
    if alphabet is None and any(" " in text.strip() for text in texts):
        return TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b|[^\w\s]")
    k = 4 if alphabet in ("dna", "rna") else 3
    return TfidfVectorizer(analyzer="char", ngram_range=(1, k), sublinear_tf=True)
