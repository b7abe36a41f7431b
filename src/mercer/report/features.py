"""Weights of explicit features: words, k-mers, subgraphs, coordinates."""

import numpy as np
import scipy.sparse as sp

from mercer._typing import IndexArray
from mercer.data import take
from mercer.exceptions import NoFeatureMapError
from mercer.explain import Explanation, top_features
from mercer.report.blocks import Block, Cell, Gallery, Heading, PageTable, Paragraph, cell
from mercer.report.linear_form import LinearForm, Terms, mean, spread
from mercer.report.subject import Subject
from mercer.report.text import count, cut, number, plain

__all__ = ["feature_blocks"]

TOP = 10  # number of features in a table
CLASSES = 8  # largest number of classes with a table of their own
AVERAGED = 50  # number of samples of a class over which contributions are averaged
NAME = 30  # largest number of characters of a feature name
DENSE = 2e7  # largest number of entries of a dense feature matrix


def feature_blocks(subject: Subject) -> list[Block]:
    """Most important features on average and for one sample; empty if the kernel has no finite feature map."""
    model, record = subject.model.model_, subject.model.approximation_
    if not (hasattr(model, "dual_coef_") and hasattr(model, "intercept_")):
        return []
    try:
        one = model.kernel_.feature_map(take(subject.prepared, [0]))
    except NoFeatureMapError:
        return []
    heading, n = Heading("Features"), len(subject.model.rows_) if record is None else record.n_components
    if not sp.issparse(one) and one.shape[1] * n > DENSE:
        return [heading, Paragraph(f"The kernel has {count(one.shape[1], 'feature')}, too many to list here.")]
    text = (
        "The kernel has an explicit feature map, so the model is linear in these features. The features with the "
        "largest contributions are:"
    )
    linear = LinearForm(model)
    groups = _of_classes(subject, linear) if subject.classifies else [_of_numbers(subject, linear)]
    return [heading, Paragraph(text), *groups, *_example(subject)]


def _of_numbers(subject: Subject, linear: LinearForm) -> PageTable:
    """Features by the standard deviation of their contributions."""
    phi, weights = linear.features(take(subject.prepared, _some(np.arange(len(subject.drawn))))), linear.toward(0)
    note = (
        "Effect, in units of the target: weight times the standard deviation of the feature in "
        f"{count(phi.shape[0], 'sample')}."
    )
    terms = Terms(phi, weights, weights * spread(phi))
    return _table(subject, linear, terms, "features-0", f"Effects on {cut(subject.target, 40)}", "effect", note)


def _of_classes(subject: Subject, linear: LinearForm) -> list[Block]:
    """Features of each class whose contributions differ most from the mean of all samples; one table for two."""
    names, codes = subject.classes
    largest = np.argsort(-np.bincount(codes), kind="stable")[:CLASSES].tolist()
    members = {c: _some(np.flatnonzero(codes[subject.drawn] == c)) for c in largest}
    parts = {c: linear.features(take(subject.prepared, rows)) for c, rows in members.items() if len(rows)}
    shares = np.bincount(codes)[list(parts)] / np.isin(codes, list(parts)).sum()
    average = np.sum([share * mean(phi) for share, phi in zip(shares, parts.values(), strict=True)], axis=0)
    tables = []
    for c, phi in list(parts.items())[: 1 if len(names) == 2 else None]:
        weights = linear.toward(subject.model.classes_[c])
        note = (
            f"Contribution, in units of the decision value: mean over {count(phi.shape[0], 'sample')} of the class, "
            "minus the mean over all samples."
        )
        if len(names) == 2:
            note += f" Evidence for “{cut(names[c], 40)}” is evidence against “{cut(names[1 - c], 40)}”."
        terms = Terms(phi, weights, weights * (mean(phi) - average))
        caption = f"Evidence for “{cut(names[c], 40)}”"
        tables.append(_table(subject, linear, terms, f"features-{c}", caption, "contribution", note))
    blocks: list[Block] = [Gallery(tables)] if len(tables) > 1 else [*tables]
    if len(names) > CLASSES:
        blocks.append(Paragraph(f"The {CLASSES} largest of {count(len(names), 'class')} are shown.", remark=True))
    return blocks


def _some(rows: IndexArray) -> IndexArray:
    """At most `AVERAGED` rows, evenly spaced."""
    return rows[np.unique(np.linspace(0, len(rows) - 1, AVERAGED).astype(int))] if len(rows) else rows


def _table(
    subject: Subject, linear: LinearForm, terms: Terms, id: str, caption: str, what: str, note: str
) -> PageTable:
    """Table of the largest contributions, with weights and the number of samples with the feature."""
    found, most = terms.found, float(np.abs(terms.sizes).max(initial=0.0)) or 1.0
    rows = [
        [
            _name(subject, linear.names[u]),
            cell(float(terms.sizes[u]), digits=3, bar=float(terms.sizes[u]) / most),
            cell(float(terms.weights[u]), digits=3),
            cell(int(found[u])),
        ]
        for u in terms.largest(TOP).tolist()
    ]
    columns = ["feature", what, "weight", "samples"]
    if (found == terms.phi.shape[0]).all():  # coordinates occur in all samples
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return PageTable(id, caption, columns, rows, note=f"{note} There are {count(len(found), 'feature')}.")


def _name(subject: Subject, name: str) -> Cell:
    """Name of a feature as a cell; columns of the table are not set as code."""
    return cell(name, code=name not in subject.model.columns_, longest=NAME)


def _example(subject: Subject) -> list[Block]:
    """Explanation of one prediction."""
    found = top_features(subject.model.model_, take(subject.prepared, [0]), n=TOP)
    sample = number(subject.numbers(subject.drawn[:1])[0])
    what = f"decision value of “{cut(plain(found.output), 40)}”" if subject.classifies else "prediction"
    text = f"Contributions of the features to the {what} of sample {sample}:"
    return [Heading("Explanation of one prediction"), Paragraph(text), _terms(subject, found, sample)]


def _terms(subject: Subject, found: Explanation, sample: str) -> PageTable:
    most = float(np.abs(found.contributions).max(initial=0.0)) or 1.0
    none = cell(None)
    terms = zip(found.names, found.values.tolist(), found.weights.tolist(), found.contributions.tolist(), strict=True)
    rows = [
        [_name(subject, name), cell(v, digits=3), cell(w, digits=3), cell(c, digits=3, bar=c / most)]
        for name, v, w, c in terms
    ]
    if found.n_rest:
        rows.append([cell(f"{number(found.n_rest)} more"), none, none, cell(found.rest, digits=3)])
    rows.append([cell("intercept"), none, none, cell(found.intercept, digits=3)])
    rows.append([cell("sum"), none, none, cell(found.decision, digits=3)])
    columns = ["feature", "value", "weight", "contribution"]
    return PageTable("terms", f"Sample {sample}", columns, rows, marked=len(rows) - 1)
