"""The section on what the model looks at: columns, and features of kernels that have them."""

import numpy as np

from mercer._typing import Data, DoubleArray, IndexArray
from mercer.auto.columns import rows_of
from mercer.auto.view import View
from mercer.data import Table
from mercer.report.blocks import Block, Heading, PageTable, Section, cell
from mercer.report.features import feature_blocks
from mercer.report.subject import Subject
from mercer.report.text import count

__all__ = ["looks_section", "reliance"]

COLUMNS = 40  # columns up to which it is asked which of them matter
ROWS = 400  # samples that are asked
REPEATS = 3
LEAD = "What of a sample moves the answer? This is about the model as it is: what it uses, not what causes what."


def looks_section(subject: Subject) -> Section | None:
    """Columns and features that move predictions; None for data that have neither."""
    blocks = [*_columns(subject), *feature_blocks(subject)]
    return Section("looks", "What does it look at?", LEAD, blocks) if blocks else None


def _columns(subject: Subject) -> list[Block]:
    names = _used(subject)
    if not 2 <= len(names) <= COLUMNS or subject.dataset.shape is not None:
        return []
    effect = reliance(subject, names)
    order = np.argsort(-effect, kind="stable")
    most = float(effect.max()) or 1.0
    rows = [
        [cell(names[j]), cell(float(effect[j]), share=subject.classifies, bar=float(effect[j]) / most, digits=2)]
        for j in order
    ]
    what = "predictions that change" if subject.classifies else "change in standard deviations"
    note = (
        f"Each column in turn was shuffled among {count(min(subject.n, ROWS), 'sample')}, {REPEATS} times, and the "
        "predictions were compared with those before. A column that another one repeats may look less important than "
        "it is."
    )
    return [Heading("Columns"), PageTable("reliance", "If a column is shuffled", ["column", what], rows, note=note)]


def _used(subject: Subject) -> list[str]:
    """Columns that the model reads, by their raw names."""
    preparer, model = subject.model.preparer_, subject.model
    if preparer.form_ == "matrix":
        return list(subject.columns)
    if preparer.form_ != "table":
        return []
    read = set(model.columns_) or set(preparer.kinds_)
    flags = preparer.flags_
    return [name for name, kind in preparer.kinds_.items() if kind != "drop" and {name, flags.get(name, name)} & read]


def reliance(subject: Subject, names: list[str]) -> DoubleArray:
    """How much predictions change if a column is shuffled: the share that does, or by how many standard deviations."""
    model = subject.model
    some = np.unique(np.linspace(0, len(subject.drawn) - 1, ROWS).astype(int))
    prepared = model.preparer_.transform(rows_of(subject.X, subject.drawn[some]))
    view = View(model.form_, tuple(model.columns_), model.kernel_)
    before = model.model_.predict(view.apply(prepared))
    spread = 1.0 if subject.classifies else float(np.std(before)) or 1.0
    rng, effect = np.random.default_rng(0), np.zeros(len(names))
    for order in [rng.permutation(len(before)) for _ in range(REPEATS)]:
        for j, name in enumerate(names):
            columns = {name, model.preparer_.flags_.get(name, name)}
            after = model.model_.predict(view.apply(_shuffled(prepared, columns, j, order)))
            change = after != before if subject.classifies else np.abs(after - before) / spread
            effect[j] += float(np.mean(change)) / REPEATS
    return effect


def _shuffled(prepared: Data, columns: set[str], j: int, order: IndexArray) -> Data:
    """Prepared samples with one raw column in another order; `j` is its place in a matrix."""
    if isinstance(prepared, Table):
        pairs = zip(prepared.names, prepared.columns, strict=True)
        return Table(prepared.names, tuple(c.take(order) if name in columns else c for name, c in pairs))
    changed = prepared.copy()
    changed[:, j] = prepared[order, j]
    return changed
