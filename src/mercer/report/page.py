"""The page: sections in their order, through the template, into a file."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from mercer._runtime.files import write_whole
from mercer._validation import describe
from mercer.report import head
from mercer.report.blocks import Section
from mercer.report.data import data_section
from mercer.report.errors import errors_section
from mercer.report.geometry import geometry_section
from mercer.report.influential_samples import samples_section
from mercer.report.kernel import kernel_section
from mercer.report.looks import looks_section
from mercer.report.reproduce import reproduce_section
from mercer.report.scores import scores_section
from mercer.report.solution import solution_section
from mercer.report.subject import Subject
from mercer.report.text import plain

__all__ = ["Page", "render_report", "write_report"]


@dataclass(frozen=True)
class Page:
    """What the template shows."""

    title: str
    headline: str
    remarks: list[str]
    gauge: head.Gauge
    tiles: list[head.Tile]
    sections: list[Section]


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
    """A report on a fitted model as the text of one HTML page.

    Parameters
    ----------
    model : AutoClassifier or AutoRegressor
        Fitted to X and y.
    evaluation : Evaluation
        What `mercer.auto.evaluate` says about it, on the same X and y.
    dataset : Dataset
        Where the samples come from: its name, target, notes and shape of images.
    X, y : data of n samples and array of shape (n,)
        From ``dataset.split()``.
    code : str
        Python, or a command, that makes the model again.
    title : str, optional
        By default the name of the data and of the target.
    target : str, optional
        What y is called. By default what the data set says, or the one column of it that is not in X.
    notes : sequence of str
        Decisions to be told besides those of the data set, the model and the evaluation, such as
        ``dataset.split().notes``.

    Returns
    -------
    str
        The page, which loads nothing: pictures and style are part of it. Equal arguments give equal pages.

    Notes
    -----
    Pictures of samples and tables of features use at most 1000 samples, and say so: O(1000³) at most, besides what
    predictions cost.
    """
    subject = _subject(model, evaluation, dataset, X, y, target, notes)
    sections = [
        data_section(subject),
        scores_section(subject),
        errors_section(subject),
        kernel_section(subject),
        geometry_section(subject),
        looks_section(subject),
        samples_section(subject),
        solution_section(subject),
        reproduce_section(code),
    ]
    page = Page(
        title=plain(head.default_title(subject) if title is None else title),
        headline=head.headline(subject),
        remarks=head.remarks(subject),
        gauge=head.gauge(subject),
        tiles=head.tiles(subject),
        sections=[section for section in sections if section is not None],
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
    """Write a report on a fitted model into one HTML file, and return its path.

    The file is complete or not there: it is written under another name and then moved. Parameters are those of
    `render_report`.
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
    subject = Subject(model, evaluation, dataset, X, target, tuple(notes))
    if not len(evaluation.truth) == len(y) == subject.n:
        raise ValueError(
            f"render_report: the evaluation is of {len(evaluation.truth)} samples, y has {len(y)} and X {subject.n}; "
            "evaluate on the same X and y."
        )
    return subject


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
