"""Rendering of a report as an HTML page."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from mercer._runtime.files import write_whole
from mercer._validation import describe
from mercer.auto.columns import row_count, rows_of
from mercer.auto.task import known_labels, labeled_rows
from mercer.report import head
from mercer.report.blocks import Section
from mercer.report.data import data_section
from mercer.report.drawing import variables
from mercer.report.errors import errors_section
from mercer.report.geometry import geometry_section
from mercer.report.influential_samples import samples_section
from mercer.report.kernel import kernel_section
from mercer.report.looks import looks_section
from mercer.report.probabilities import probabilities_section
from mercer.report.reproduce import reproduce_section
from mercer.report.scores import scores_section
from mercer.report.solution import solution_section
from mercer.report.subject import Subject
from mercer.report.text import plain

__all__ = ["Page", "render_report", "write_report"]


@dataclass(frozen=True)
class Page:
    """Content of the page, as passed to the template."""

    title: str
    headline: str
    remarks: list[str]
    gauge: head.Gauge
    tiles: list[head.Tile]
    sections: list[Section]
    bright: str
    dark: str


def render_report(
    model: Any,
    evaluation: Any,
    dataset: Any,
    X: Any,
    y: Any,
    *,
    code: str,
    title: str | None = None,
    target: str | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Render a report on a fitted model as an HTML page.

    The report describes the data, the nested cross-validation scores beside those of other models, the errors,
    probabilities and thresholds, the selected kernel with its proof of definiteness, the importance of columns and
    features, influential samples, and the optimality of the solution.

    Parameters
    ----------
    model : AutoClassifier or AutoRegressor
        Model fitted to X and y.
    evaluation : Evaluation
        Result of `mercer.auto.evaluate` for the same X and y, of all samples or of a subsample. With
        ``evaluate(baselines=True)``, the report compares the model with well-known ones.
    dataset : Dataset
        Source of the samples, with name, target, notes and shape of images.
    X : frame, array, sparse matrix, Table, Graphs, Strings or Trees
        Samples, from ``dataset.split()``.
    y : array-like of shape (n_samples,)
        Targets, from ``dataset.split()``. None marks unlabelled samples.
    code : str
        Python code or command that reproduces the model.
    title : str, default=None
        Title of the page. None means the names of the data set and the target.
    target : str, default=None
        Name of the target. None means the name in the data set, or the only column of it that is not in X.
    notes : sequence of str, default=()
        Additional decisions to list, such as ``dataset.split().notes``.

    Returns
    -------
    str
        The page. Figures and styles are embedded, so that the page loads no other files. Equal arguments give equal
        pages.

    Raises
    ------
    TypeError
        If the model is not a fitted automatic model.
    ValueError
        If the evaluation has another number of samples than y.

    See Also
    --------
    write_report : Writes the page to a file.
    mercer.auto.evaluate : Nested cross-validation of a model.
    mercer.auto.code : Python code of the selected model.

    Notes
    -----
    Figures of samples and tables of features use at most 1000 samples, which takes O(1000³) time besides the
    predictions. The number of samples that Shapley values explain, at most 40, depends on the size of the model.

    Examples
    --------
    >>> from mercer.auto import AutoClassifier, code, evaluate
    >>> from mercer.datasets import read
    >>> from mercer.report import render_report
    >>> data = read("iris")
    >>> X, y, _ = data.split()
    >>> model = AutoClassifier("linear", "ridge").fit(X, y)
    >>> evaluation = evaluate(AutoClassifier("linear", "ridge"), X, y, cv=3)
    >>> page = render_report(model, evaluation, data, X, y, code=code(model, "iris"))
    >>> page[:15], page.count("<section")
    ('<!doctype html>', 10)
    """
    subject = _subject(model, evaluation, dataset, X, y, target, notes)
    sections = [
        data_section(subject),
        scores_section(subject),
        errors_section(subject),
        probabilities_section(subject),
        kernel_section(subject),
        geometry_section(subject),
        looks_section(subject),
        samples_section(subject),
        solution_section(subject),
        reproduce_section(code),
    ]
    bright, dark = ("; ".join(f"{name}: {value}" for name, value in shades.items()) for shades in variables())
    page = Page(
        title=plain(head.default_title(subject) if title is None else title),
        headline=head.headline(subject),
        remarks=head.remarks(subject),
        gauge=head.gauge(subject),
        tiles=head.tiles(subject),
        sections=[section for section in sections if section is not None],
        bright=bright,
        dark=dark,
    )
    return str(_template().render(page=page, version=metadata.version("mercer")))


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    evaluation: Any,
    dataset: Any,
    X: Any,
    y: Any,
    *,
    code: str,
    title: str | None = None,
    target: str | None = None,
    notes: Sequence[str] = (),
) -> Path:
    """Write a report on a fitted model to an HTML file.

    The file is written under a temporary name and then moved, so that an existing file is replaced completely or not
    at all.

    Parameters
    ----------
    path : str or path-like
        File to write.
    model : AutoClassifier or AutoRegressor
        Model fitted to X and y.
    evaluation : Evaluation
        Result of `mercer.auto.evaluate` for the same X and y.
    dataset : Dataset
        Source of the samples, with name, target, notes and shape of images.
    X : frame, array, sparse matrix, Table, Graphs, Strings or Trees
        Samples, from ``dataset.split()``.
    y : array-like of shape (n_samples,)
        Targets, from ``dataset.split()``. None marks unlabelled samples.
    code : str
        Python code or command that reproduces the model.
    title : str, default=None
        Title of the page. None means the names of the data set and the target.
    target : str, default=None
        Name of the target. None means the name in the data set, or the only column of it that is not in X.
    notes : sequence of str, default=()
        Additional decisions to list, such as ``dataset.split().notes``.

    Returns
    -------
    pathlib.Path
        Path of the file.

    See Also
    --------
    render_report : Returns the page as text.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from mercer.auto import AutoRegressor, code, evaluate
    >>> from mercer.datasets import read
    >>> from mercer.report import write_report
    >>> data = read("diabetes")
    >>> X, y, _ = data.split()
    >>> model = AutoRegressor("linear", "ridge").fit(X, y)
    >>> evaluation = evaluate(AutoRegressor("linear", "ridge"), X, y, cv=3)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "report.html"
    ...     write_report(path, model, evaluation, data, X, y, code=code(model, "diabetes")).name
    'report.html'
    """
    text = render_report(model, evaluation, dataset, X, y, code=code, title=title, target=target, notes=notes)
    write_whole(path, lambda file: file.write(text.encode("utf-8", errors="backslashreplace")))
    return Path(path)


def _subject(
    model: Any, evaluation: Any, dataset: Any, X: Any, y: Any, target: str | None, notes: Sequence[str]
) -> Subject:
    for name in ("preparer_", "kernel_", "model_"):
        if not hasattr(model, name):
            raise TypeError(
                f"render_report: model must be a fitted AutoClassifier or AutoRegressor, got {describe(model)} without "
                f"{name}; call fit first."
            )
    n, labeled = row_count("render_report", X), labeled_rows(y)
    expected = len(labeled) if evaluation.rows is None else np.isin(evaluation.rows, labeled).sum()
    if not (len(evaluation.truth) == expected and len(y) == n):
        raise ValueError(
            f"render_report: the evaluation has {len(evaluation.truth)} samples, but y has {len(labeled)} labels and X "
            f"has {n} samples; evaluate the model on the same X and y."
        )
    targets = None if evaluation.rows is None else known_labels("render_report", y)[1]
    mask = None if len(labeled) == n else np.isin(np.arange(n), labeled)
    X = X if mask is None else rows_of(X, labeled)
    return Subject(model, evaluation, dataset, X, target, tuple(notes), mask, targets)


def _template() -> Any:
    try:
        import jinja2
    except ImportError:
        raise ImportError("render_report needs jinja2: pip install 'mercer[app]'") from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mercer.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("report.html.j2")
