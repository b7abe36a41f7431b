"""Section on the data: columns, decisions and distribution of the target."""

from collections import Counter
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.auto.columns import RawColumn
from mercer.auto.notes import unused_columns
from mercer.data import Graphs, Strings, Trees
from mercer.report.blocks import Block, Cell, Heading, Items, PageTable, Paragraph, Section, cell
from mercer.report.subject import Subject
from mercer.report.text import count, cut, day, listed, number, percent, plain

__all__ = ["data_section"]

COLUMNS = 40  # largest number of columns in the table
CLASSES = 30  # largest number of classes in the table
LEVELS = 3  # number of most frequent categories that are listed


def data_section(subject: Subject) -> Section:
    """Create the section: columns, target, decisions."""
    blocks: list[Block] = [*_columns(subject), Heading(f"Target: {subject.target}"), *_target(subject)]
    if subject.notes:
        blocks += [Heading("Decisions"), Paragraph("Decisions taken automatically while reading and fitting:")]
        blocks.append(Items(subject.notes))
    return Section("data", "Data", _lead(subject), blocks)


def _lead(subject: Subject) -> str:
    if subject.labeled is None:
        return _size(subject)
    more = count(int((~subject.labeled).sum()), "unlabelled sample")
    return (
        f"{_size(subject)} In addition, {more} took part in the fit. The rest of this report covers the labelled "
        "samples only."
    )


def _size(subject: Subject) -> str:
    X, name = subject.X, cut(plain(subject.dataset.name))
    if isinstance(X, (Graphs, Strings, Trees)):
        return f"{name} has {count(subject.n, type(X).__name__.lower()[:-1])}."
    if sp.issparse(X):
        return f"{name} has {count(subject.n, 'sample')} and {count(X.shape[1], 'column')}, in a sparse matrix."
    if subject.dataset.shape is not None:
        height, width = subject.dataset.shape
        return f"{name} has {count(subject.n, 'image')} of {width} by {height} pixels."
    return f"{name} has {count(subject.n, 'sample')} and {count(len(subject.columns), 'column')}, excluding the target."


def _columns(subject: Subject) -> list[Block]:
    X, kinds = subject.X, subject.model.preparer_.kinds_
    if isinstance(X, Graphs):
        return [_sizes("Graphs", {"nodes": X.n_nodes, "edges": X.n_edges}), *_labels(X)]
    if isinstance(X, (Strings, Trees)):
        return [_sizes(type(X).__name__, {"symbols" if isinstance(X, Strings) else "nodes": X.lengths})]
    if sp.issparse(X):
        return [PageTable.of("columns", "Entries", ["property", "value"], _sparse(X))]
    if subject.dataset.shape is not None:
        return [Paragraph(f"Pixel values range from {number(float(X.min()))} to {number(float(X.max()))}.")]
    columns = list(subject.columns.values())
    rows = [_column(column, kinds.get(column.name, "number")) for column in columns[:COLUMNS]]
    note = "" if len(columns) <= COLUMNS else f"{count(len(columns) - COLUMNS, 'more column')} not shown."
    table = PageTable("columns", "Columns", ["column", "kind", "missing", "values"], rows, note=note)
    return [Paragraph(_missing(columns)), table, *_unused(subject)]


def _missing(columns: list[RawColumn]) -> str:
    """Sentence on the number of missing values."""
    gone = [column.n_missing for column in columns]
    if not any(gone):
        return "No value is missing."
    cells = sum(len(column.values) for column in columns)
    return (
        f"{count(sum(gone), 'value')} of {number(cells)} are missing ({percent(sum(gone) / cells)}), in "
        f"{count(sum(n > 0 for n in gone), 'column')}."
    )


def _unused(subject: Subject) -> list[Block]:
    """Columns that the model does not read, with the reasons."""
    unused = unused_columns(subject.model)
    if not unused:
        return []
    rows = [[cell(name), Cell(plain(why))] for name, why in list(unused.items())[:COLUMNS]]
    note = "" if len(unused) <= COLUMNS else f"{count(len(unused) - COLUMNS, 'more column')} not shown."
    return [PageTable("unused", "Columns that the model does not use", ["column", "reason"], rows, note=note)]


def _column(column: RawColumn, kind: str) -> list[Cell]:
    """Name, kind, number and fraction of missing values, and range or categories of a column."""
    share = column.n_missing / max(1, len(column.values))
    missing = Cell(f"{number(column.n_missing)} ({percent(share)})" if share else "none", number=True)
    return [cell(column.name), cell("dropped" if kind == "drop" else kind), missing, Cell(_values(column, kind))]


def _values(column: RawColumn, kind: str) -> str:
    known = column.present
    if len(known) == 0:
        return "none"
    if column.type == "number" and kind != "category":
        low, middle, high = (float(v) for v in np.quantile(known, [0, 0.5, 1]))
        return f"{number(low)} to {number(high)}, median {number(middle)}"
    if column.type == "date":
        return f"{day(float(known.min()))} to {day(float(known.max()))}"
    if kind in ("text", "sequence", "molecule", "tree"):
        lengths = [len(str(value)) for value in known]
        return f"{number(min(lengths))} to {number(max(lengths))} characters, such as “{cut(plain(known[0]), 24)}”"
    counts: Counter[str] = Counter()
    for value, n in Counter(known.tolist() if isinstance(known, np.ndarray) else known).items():
        counts[plain(value)] += n
    levels = counts.most_common()
    named = [f"{cut(level, 20)} {percent(n / len(known), 0)}" for level, n in levels[:LEVELS]]
    more = [f"{number(len(levels) - LEVELS)} more"] if len(levels) > LEVELS else []
    return f"{count(len(levels), 'distinct value')}: {listed(named + more)}"


def _sizes(caption: str, counts: dict[str, Any]) -> PageTable:
    rows = [[what, int(n.min()), float(np.median(n)), int(n.max())] for what, n in counts.items()]
    return PageTable.of("columns", caption, ["property", "smallest", "median", "largest"], rows)


def _labels(X: Graphs) -> list[Block]:
    said = [f"The graphs are {'directed' if X.directed else 'undirected'}."]
    for what, labels, texts in (("node", X.node_labels, X.node_values), ("edge", X.edge_labels, X.edge_values)):
        if labels is None:
            said.append(f"{what.capitalize()}s have no labels.")
        else:
            frequent = Counter(labels.tolist()).most_common(2 * LEVELS)
            names = [f"{cut(plain(texts[key]), 20)} {percent(n / len(labels), 0)}" for key, n in frequent]
            said.append(f"{count(len(set(labels.tolist())), what + ' label')}; most frequent: {listed(names)}.")
    return [Paragraph(" ".join(said))]


def _sparse(X: Any) -> list[list[Any]]:
    stored = X.nnz / max(1, X.shape[0] * X.shape[1])
    values = X.data if X.nnz else np.zeros(1)
    return [
        ["nonzero entries", cell(stored, share=True)],
        ["mean number of nonzero entries per row", X.nnz / max(1, X.shape[0])],
        ["smallest value", float(values.min())],
        ["largest value", float(values.max())],
    ]


def _target(subject: Subject) -> list[Block]:
    if not subject.classifies:
        y = subject.truth.astype(float)
        row = [[float(v) for v in (y.min(), np.median(y), y.max(), y.mean(), y.std())]]
        columns = ["smallest", "median", "largest", "mean", "standard deviation"]
        return [PageTable.of("target", f"Values of {subject.target}", ["", *columns], [[subject.target, *row[0]]])]
    names, codes = subject.classes
    counts = np.bincount(codes, minlength=len(names))
    order = np.argsort(-counts, kind="stable")
    shares = counts / counts.sum()
    rows = [
        [cell(names[c]), cell(int(counts[c])), cell(float(shares[c]), share=True, bar=float(shares[c]))]
        for c in order[:CLASSES]
    ]
    note = "" if len(order) <= CLASSES else f"{count(len(order) - CLASSES, 'smaller class')} not shown."
    return [PageTable("balance", f"Classes of {subject.target}", [subject.target, "samples", "share"], rows, note=note)]
