import dataclasses
import os
import sys

import numpy as np
import pytest

from mercer.datasets import Dataset
from mercer.report import render_report, write_report
from mercer.report.subject import DRAWN, Subject
from tests.report.cases import CODE, case, page
from tests.report.pages import Page


def test_the_file_is_the_page(tmp_path):
    path = write_report(tmp_path / "report.html", *case("one_column").parts, code=CODE)
    assert path == tmp_path / "report.html"
    assert path.read_text(encoding="utf-8") == page("one_column")
    assert os.listdir(tmp_path) == ["report.html"]


def test_equal_arguments_give_equal_pages():
    assert render_report(*case("graphs").parts, code=CODE) == page("graphs")


def test_a_file_that_is_there_is_replaced_only_by_a_whole_page(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("before")

    def fail(*names):
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        write_report(path, *case("one_column").parts, code=CODE)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_folder_that_is_missing_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_report(tmp_path / "no" / "report.html", *case("one_column").parts, code=CODE)


def test_text_that_is_no_unicode_is_written_as_escapes(tmp_path):
    path = write_report(tmp_path / "report.html", *case("one_column").parts, code="x = '\ud800'")
    assert "x = &#39;\\ud800&#39;" in path.read_text(encoding="utf-8")


def test_title_target_and_notes_may_be_given():
    text = render_report(
        *case("one_column").parts, code=CODE, title="A & B", target="which side", notes=["Two rows were dropped."]
    )
    found = Page(text)
    assert found.texts["h1"] == ["A & B"]
    assert "Two rows were dropped." in found.texts["li"]
    assert found.tables["recall"].header[0] == "which side"


@pytest.mark.parametrize(
    ("told", "name"),
    [("side", "side"), (None, "side"), ("elsewhere", "side")],
)
def test_the_target_is_the_column_that_was_taken_out(told, name):
    found = case("one_column")
    dataset = Dataset("single", found.dataset.X, target=told)
    assert Subject(found.model, found.evaluation, dataset, found.X).target == name


def test_a_model_that_is_not_fitted_is_refused():
    model, *rest = case("one_column").parts
    from sklearn.base import clone

    with pytest.raises(TypeError, match=r"must be a fitted AutoClassifier or AutoRegressor.*call fit first"):
        render_report(clone(model), *rest, code=CODE)


def test_an_evaluation_of_other_samples_is_refused():
    found = case("one_column")
    with pytest.raises(ValueError, match="evaluation has 40 samples, but y has 30 labels and X has 40 samples"):
        render_report(found.model, found.evaluation, found.dataset, found.X, found.y[:30], code=CODE)


def test_without_jinja2_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"render_report needs jinja2: pip install 'mercer\[app\]'"):
        render_report(*case("one_column").parts, code=CODE)


def test_of_many_samples_some_are_drawn_and_that_is_told():
    found = case("one_column")
    many = found.X[np.arange(2500) % 40]
    subject = Subject(found.model, found.evaluation, found.dataset, many)
    assert len(subject.drawn) == DRAWN
    assert (np.diff(subject.drawn) > 0).all()
    assert subject.drawn_words == "A random sample of 1\u202f000 of 2\u202f500 samples is shown."
    assert subject.gram.shape == (DRAWN, DRAWN)


def test_a_large_report_stays_small(rng):
    found = case("one_column")
    rows = rng.integers(40, size=5000)
    evaluation = dataclasses.replace(
        found.evaluation,
        predictions=found.evaluation.predictions[rows],
        truth=found.evaluation.truth[rows],
        folds=found.evaluation.folds[rows],
        decisions=found.evaluation.decisions[rows],
        probabilities=found.evaluation.probabilities[rows],
        duplicates=None,
    )
    text = render_report(found.model, evaluation, found.dataset, found.X[rows], found.y[rows], code=CODE)
    assert len(text) < 3_000_000
    assert "A random sample of 1\u202f000 of 5\u202f000 samples is shown." in text
