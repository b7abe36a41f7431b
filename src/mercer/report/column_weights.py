"""Weights of columns inside learned kernels, as shares of the distance between samples."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._typing import DoubleArray
from mercer.data import Table
from mercer.kernels import Columns, Kernel, LinearMap, WeightedColumns
from mercer.report.blocks import Block, Heading, PageTable, Paragraph, cell
from mercer.report.subject import Subject
from mercer.report.text import count, listed, percent

__all__ = ["column_shares", "column_weight_blocks", "weighted_parts"]

COLUMNS = 30  # rows of the table


def weighted_parts(kernel: Kernel, names: Sequence[Any]) -> Iterator[tuple[WeightedColumns, list[Any]]]:
    """Kernels with one weight per column inside a kernel, with the names of their columns.

    >>> kernel = Columns(("a", "c"), WeightedColumns((1.0, 2.0)))
    >>> [(part.weights, names) for part, names in weighted_parts(kernel, ["a", "b", "c"])]
    [((1.0, 2.0), ['a', 'c'])]
    """
    if isinstance(kernel, WeightedColumns):
        yield kernel, list(names)
        return
    if isinstance(kernel, LinearMap):
        if isinstance(kernel.kernel, WeightedColumns) and isinstance(kernel.kernel.weights, tuple):
            yield _of_single_columns(kernel, kernel.kernel), list(names)
        return
    inner = [names[c] if isinstance(c, int) else c for c in kernel.columns] if isinstance(kernel, Columns) else names
    for part in kernel.parts().values():
        yield from weighted_parts(part, inner)


def _of_single_columns(kernel: LinearMap, inner: WeightedColumns) -> WeightedColumns:
    """Weights of the distance between samples that differ in one column, if the kernel weighs combinations of columns.

    >>> one = WeightedColumns((1.0, 4.0, 7.0), (2,), 2.0)
    >>> _of_single_columns(LinearMap(one, [[1.0, 0.0], [1.0, 1.0]]), one).weights
    (1.0, 5.0, 7.0)
    """
    m, r = kernel.array.shape
    weights = np.array(inner.weights, dtype=np.float64)
    numbers = np.abs(kernel.array) ** inner.p @ weights[:r]
    codes = tuple(c - r + m for c in inner.categorical)
    return WeightedColumns((*numbers.tolist(), *weights[r:].tolist()), codes, inner.p, inner.g)


def column_shares(weights: DoubleArray, X: DoubleArray, p: float, categorical: Sequence[bool]) -> DoubleArray:
    """Share of each column in the mean weighted distance of two samples, w_j E abs(x_j − z_j)^p.

    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]])
    >>> column_shares(np.array([1.0, 2.0]), X, 1.0, [False, True]).round(3).tolist()
    [0.5, 0.5]
    """
    moved = np.zeros(len(weights))
    for shift in range(1, min(len(X), 8)):
        others = np.roll(X, shift, axis=0)
        apart = np.where(np.asarray(categorical), others != X, np.abs(X - others) ** p)
        moved += weights * apart.mean(axis=0)
    total = float(moved.sum())
    return moved / total if total > 0 else np.full(len(moved), 1 / len(moved))


def column_weight_blocks(subject: Subject) -> list[Block]:
    """Heading and table; empty if the kernel has no weights of columns."""
    found = _shares(subject)
    if not found:
        return []
    names = list(dict.fromkeys(name for _, shares in found for name in shares))
    heavy = np.array([weight for weight, _ in found]) / sum(weight for weight, _ in found)
    parts = np.array([[shares.get(name, 0.0) for name in names] for _, shares in found])
    mean = heavy @ parts
    order = np.argsort(-mean, kind="stable")
    rows = [
        [
            cell(names[j]),
            cell(float(mean[j]), share=True, bar=float(mean[j])),
            *(
                [cell(float(parts[:, j].min()), share=True), cell(float(parts[:, j].max()), share=True)]
                * (len(found) > 1)
            ),
        ]
        for j in order[:COLUMNS]
    ]
    several = len(found) > 1
    first = listed(f"{names[j]} ({percent(mean[j], 0)})" for j in order[:3])
    text = f"The kernels with learned weights compare samples mainly by {first}."
    note = (
        "Share of the distance: weight of the column times its mean difference between two samples, as a fraction of "
        "the sum over the columns. It describes what the kernel looks at, not the direction of an effect."
    )
    note += (
        f" Mean, smallest and largest share over {count(len(found), 'machine')}, weighted as in the stack." * several
    )
    note += f" {count(len(names) - COLUMNS, 'more column')} not shown." if len(names) > COLUMNS else ""
    columns = ["column", "share of the distance", *(["smallest", "largest"] if several else [])]
    listing = PageTable("column-weights", "Learned weights of columns", columns, rows, note=note)
    return [Heading("Weights of columns"), Paragraph(text), listing]


def _shares(subject: Subject) -> list[tuple[float, dict[str, float]]]:
    """Weight of each kernel with weights of columns, and the share of each column of the data."""
    model, samples = subject.model, subject.prepared
    if sp.issparse(samples) or not isinstance(samples, (np.ndarray, Table)):
        return []
    stacked = hasattr(model.model_, "members_")
    members = [(c.weight, c.kernel) for c in model.candidates_] if stacked else [(1.0, model.kernel_)]
    own = {out: name for name, outs in model.preparer_.outputs_.items() for out in outs}
    X = samples.codes() if isinstance(samples, Table) else samples
    names = list(samples.names) if isinstance(samples, Table) else list(model.columns_) or list(range(X.shape[1]))
    if len(names) != X.shape[1]:
        return []
    at = {name: j for j, name in enumerate(names)}
    raw = list(subject.columns) if not own else []
    found = []
    for weight, kernel in members:
        for part, read in weighted_parts(kernel, names):
            if not isinstance(part.weights, tuple) or not all(name in at for name in read):
                continue
            categorical = [j in set(part.categorical) for j in range(len(read))]
            shares = column_shares(
                np.asarray(part.weights, dtype=np.float64),
                np.asarray(X, dtype=np.float64)[:, [at[n] for n in read]],
                part.p,
                categorical,
            )
            total: dict[str, float] = {}
            for name, share in zip(read, shares.tolist(), strict=True):
                whole = str(own.get(name, raw[name] if isinstance(name, int) and raw else name))
                total[whole] = total.get(whole, 0.0) + share
            found.append((float(weight), total))
    return found
