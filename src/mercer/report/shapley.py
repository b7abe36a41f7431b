"""Importances of columns by Shapley values, where the kernel allows them."""

from typing import Any

import numpy as np

from mercer._typing import IndexArray
from mercer.auto.columns import rows_of
from mercer.auto.stack.leaves import LARGEST
from mercer.exceptions import NotSeparableError
from mercer.explain import Importances, ShapleyValues, shapley_values
from mercer.plots import ImportancesDisplay, ShapleyDisplay
from mercer.report.blocks import Block, Figure, Gallery, PageTable, cell
from mercer.report.drawing import drawn, figure, scale
from mercer.report.subject import Subject
from mercer.report.text import count, cut, listed, number, percent, plain

__all__ = ["shapley_blocks", "shapley_of"]

WORK = 1e8  # bound on rows · background rows · points · columns² / 2 over all machines, a few seconds
ROWS, BACKGROUND = 40, 15  # largest numbers of explained rows and of background rows
FEWEST = 150  # product of both below which means say too little
TOL = 1e-5  # error of kernel values
PLAYERS = 12  # bars of the figure
TABLE = 40  # rows of the table


def shapley_of(subject: Subject) -> ShapleyValues | None:
    """Shapley values of evenly spaced samples; None if the kernel does not allow them, or they would take long."""
    model = subject.model
    if not hasattr(model.model_, "score_parts") and not hasattr(model.model_, "_expansion"):
        return None
    players = model.preparer_.outputs_ if model.preparer_.form_ == "table" else {}
    d = len(players) or int(getattr(subject.prepared, "shape", (0, 0))[1])
    if d < 2:
        return None
    try:
        pairs = WORK / (_points(model) * d * -(-d // 2))
        return _computed(subject, pairs) if pairs >= FEWEST else None
    except (NotSeparableError, TypeError):  # of kernels that are not products over columns, and of other models
        return None


def _computed(subject: Subject, pairs: float) -> ShapleyValues:
    """Shapley values of about as many pairs of explained rows and background rows."""
    n, explained = len(subject.drawn), int(min(ROWS, np.sqrt(3 * pairs)))
    some, others = _spaced(n, explained, 0.0), _spaced(n, int(min(BACKGROUND, pairs / explained)), 0.5)
    parts = (rows_of(subject.X, subject.drawn[rows]) for rows in (some, others))
    return shapley_values(subject.model, *parts, tol=TOL)


def shapley_blocks(subject: Subject, found: ShapleyValues) -> list[Block]:
    """Figures and table of importances."""
    values = found.values.reshape(len(found.values), len(found.names), -1)
    sizes = np.abs(values).mean(axis=0)
    order = np.argsort(-sizes.sum(axis=1), kind="stable")
    names = [plain(found.names[j]) for j in order]
    ranked = Importances(names, sizes[order], list(found.outputs), len(values), found.error, found.sampled)
    figures = [_bars(subject, ranked), _swarm(subject, found, sizes)]
    return [Gallery(figures), _table(subject, ranked)]


def _points(model: Any) -> int:
    """Number of points in the kernel expansions of the score of a row."""
    if not hasattr(model.model_, "score_parts"):
        return len(model.model_._expansion()[0])
    n = len(model.rows_)
    return sum(min(n, int(LARGEST * getattr(member.machine, "leaf", n))) for member in model.model_.members_)


def _spaced(n: int, most: int, shift: float) -> IndexArray:
    """At most `most` of n rows, evenly spaced; the shift keeps background and explained rows apart."""
    return np.unique(((np.arange(most) + shift) * n / most).astype(np.int64)) if n > most else np.arange(n)


def _unit(subject: Subject) -> str:
    if not subject.classifies:
        return f"units of {cut(subject.target, 40)}"
    stacked = hasattr(subject.model.model_, "score_parts")
    return "units of the score, logarithms of odds up to a constant" if stacked else "units of the decision value"


def _bars(subject: Subject, found: Importances) -> Figure:
    with drawn(4.6, max(1.6, 0.9 + 0.27 * min(len(found), PLAYERS + 1))) as (canvas, ax):
        one = Importances(found.names, found.totals, found.outputs[:1], found.n_rows, found.error, found.sampled)
        several = len(found.outputs) <= 3 and found.values.shape[1] > 1
        ImportancesDisplay.from_importances(found if several else one, max_players=PLAYERS, ax=ax)
        ax.set_xlabel("mean absolute Shapley value")
    total = float(found.totals.sum()) or 1.0
    first = [f"{cut(name, 30)} {percent(value / total, 0)}" for name, value in list(found)[:3]]
    alt = f"Importances of {count(len(found), 'column')}; the largest shares: {listed(first)}."
    caption = (
        f"Importance: mean absolute Shapley value over {count(found.n_rows, 'sample')}, in {_unit(subject)}. It is the "
        "amount by which a column moves the score of a sample away from the mean score."
    )
    return figure("importances", canvas, alt, caption)


def _swarm(subject: Subject, found: ShapleyValues, sizes: Any) -> Figure:
    output = found.outputs[int(sizes.sum(axis=0).argmax())]
    one = found.of_output(output)
    with drawn(4.6, max(1.6, 0.9 + 0.27 * min(len(found.names), PLAYERS + 1))) as (canvas, ax):
        ShapleyDisplay.from_values(one, max_players=PLAYERS, ax=ax, cmap=scale())
        ax.set_xlabel("Shapley value")
    toward = f" of “{cut(plain(output), 30)}”" if subject.classifies else ""
    best = int(np.abs(one.values).mean(axis=0).argmax())
    alt = (
        f"Shapley values of {count(len(one), 'sample')}; those of {cut(plain(one.names[best]), 30)} reach from "
        f"{number(float(one.values[:, best].min()), 2)} to {number(float(one.values[:, best].max()), 2)}."
    )
    caption = (
        f"Shapley values of single samples for the score{toward}: dots to the right raise it. The colour is the value "
        "of the column, from low (dark) to high (bright); grey: categories, or several forms of a column."
    )
    return figure("shapley", canvas, alt, caption)


def _table(subject: Subject, found: Importances) -> PageTable:
    totals = found.totals
    total, most = float(totals.sum()) or 1.0, float(totals.max(initial=0.0)) or 1.0
    rows = [
        [cell(name), cell(value, digits=3, bar=value / most), cell(value / total, share=True)]
        for name, value in list(found)[:TABLE]
    ]
    note = f"Importances add up over the outputs of the model, in {_unit(subject)}."
    if found.sampled:
        note += (
            " In part, the values of samples are means over random orders of the columns, with an error of up to about "
            f"{number(found.error, 2)}, which is smaller in the means over the samples."
        )
    elif found.error > 0:
        note += f" Error of the approximation of kernels: at most {number(found.error, 2)}."
    note += f" {count(len(totals) - TABLE, 'more column')} not shown." if len(totals) > TABLE else ""
    return PageTable("reliance", "Importance of columns", ["column", "importance", "share"], rows, note=note)
