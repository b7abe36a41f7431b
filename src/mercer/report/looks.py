"""Section on feature importance: Shapley values or permutation importance of columns, weights of explicit features."""

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.auto.columns import rows_of
from mercer.auto.view import View
from mercer.data import Table
from mercer.report.blocks import Block, Heading, PageTable, Section, cell
from mercer.report.column_weights import column_weight_blocks
from mercer.report.features import feature_blocks
from mercer.report.shapley import shapley_blocks, shapley_of
from mercer.report.subject import Subject
from mercer.report.text import count

__all__ = ["looks_section", "reliance"]

COLUMNS = 40  # largest number of columns for which importance is computed
ROWS = 200  # largest number of samples used for it
REPEATS = 2  # permutations of each column
LEAD = "Columns and features that influence the predictions. Importance describes the model, not causal effects."


def looks_section(subject: Subject) -> Section | None:
    """Create the section; None for data without columns and kernels without explicit features."""
    blocks = [*_columns(subject), *feature_blocks(subject)]
    return Section("looks", "Feature importance", LEAD, blocks) if blocks else None


def _columns(subject: Subject) -> list[Block]:
    names = _used(subject)
    if len(names) < 2 or subject.dataset.shape is not None:
        return []
    found = shapley_of(subject)
    if found is not None:
        return [Heading("Columns"), *shapley_blocks(subject, found), *column_weight_blocks(subject)]
    if len(names) > COLUMNS:
        return column_weight_blocks(subject)
    effect = reliance(subject, names)
    order = np.argsort(-effect, kind="stable")
    most = float(effect.max()) or 1.0
    rows = [
        [cell(names[j]), cell(float(effect[j]), share=subject.classifies, bar=float(effect[j]) / most, digits=2)]
        for j in order
    ]
    what = "changed predictions" if subject.classifies else "mean change"
    unit = (
        "The number is the fraction of predicted classes that changed."
        if subject.classifies
        else "The number is the mean absolute change, in standard deviations of the predictions."
    )
    note = (
        f"Each column was permuted among {count(min(len(subject.drawn), ROWS), 'sample')}, {REPEATS} times, and the "
        f"predictions were compared with the original ones. {unit} Columns that are correlated with others may appear "
        "less important than they are."
    )
    table = PageTable("reliance", "Permutation importance", ["column", what], rows, note=note)
    return [Heading("Columns"), table, *column_weight_blocks(subject)]


def _used(subject: Subject) -> list[str]:
    """Raw names of the columns that the model reads."""
    preparer, model = subject.model.preparer_, subject.model
    if preparer.form_ == "matrix":
        return list(subject.columns)
    if preparer.form_ != "table":
        return []
    read = set(model.columns_) or set(preparer.kinds_)
    return [name for name, prepared in preparer.outputs_.items() if read.intersection(prepared)]


def reliance(subject: Subject, names: list[str]) -> DoubleArray:
    """Permutation importance: fraction of changed predictions, or mean change in standard deviations."""
    model = subject.model
    some = np.unique(np.linspace(0, len(subject.drawn) - 1, ROWS).astype(int))
    prepared = model.preparer_.transform(rows_of(subject.X, subject.drawn[some]))
    view = View(model.form_, tuple(model.columns_), model.kernel_)
    before = model.model_.predict(view.apply(prepared))
    spread = 1.0 if subject.classifies else float(np.std(before)) or 1.0
    rng, effect = np.random.default_rng(0), np.zeros(len(names))
    for order in [rng.permutation(len(before)) for _ in range(REPEATS)]:
        for j, name in enumerate(names):
            columns = set(model.preparer_.outputs_.get(name, [name]))
            after = model.model_.predict(view.apply(_shuffled(prepared, columns, j, order)))
            change = after != before if subject.classifies else np.abs(after - before) / spread
            effect[j] += float(np.mean(change)) / REPEATS
    return effect


def _shuffled(prepared: Data, columns: set[str], j: int, order: IndexArray) -> Data:
    """Prepared samples with one raw column permuted; `j` is its position in a matrix."""
    if isinstance(prepared, Table):
        pairs = zip(prepared.names, prepared.columns, strict=True)
        return Table(prepared.names, tuple(c.take(order) if name in columns else c for name, c in pairs))
    changed = prepared.copy()
    changed[:, j] = prepared[order, j]
    return changed
