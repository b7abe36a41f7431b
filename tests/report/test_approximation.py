"""Reports of approximated models, and of evaluations of a part of the samples."""

import dataclasses

import numpy as np
import polars as pl
import pytest

from mercer.auto import AutoClassifier, AutoRegressor, evaluate
from mercer.datasets import Dataset
from mercer.kernel_approximation import RandomFourierFeatures
from mercer.report import render_report
from mercer.report.page import _subject
from tests.report.cases import CODE
from tests.report.pages import Page

N, SCORED = 240, 80


@pytest.fixture(scope="module")
def data():
    X = np.random.default_rng(0).normal(size=(N, 3))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    return frame, y, np.where(y > 0, "high", "low")


def report(model, X, y, **options):
    """Page of a model, its evaluation and the text with plain blanks."""
    target = pl.Series("target", y)
    dataset = Dataset("table", X.with_columns(target), target="target")
    evaluation = evaluate(model, X, y, cv=2, **options)
    text = render_report(model.fit(X, y), evaluation, dataset, X, y, code=CODE).replace("\u202f", " ")
    return Page(text), evaluation, text


def test_a_classifier_with_landmarks(data):
    X, _, y = data
    model = AutoClassifier("rbf", "ridge", cv=2, approximation=30)
    page, evaluation, text = report(model, X, y, max_samples=SCORED)
    rows = evaluation.rows
    table = page.tables["approximation"]
    assert table.row("method")[1] == "Nyström approximation"
    assert table.row("size")[1] == "30 landmarks"
    assert table.row("training samples")[1] == str(N)
    assert table.row("reason")[1] == "approximation=30"
    assert float(table.row("relative residual tr(K − K̂)/tr K")[1]) == pytest.approx(
        model.approximation_.residual_trace, rel=1e-3
    )
    assert "The optimum of the exact problem lies between" in text
    assert "The scores were computed on a random sample of" in text
    # The data section has all samples, tables of scores those that were scored.
    assert sum(int(count) for count in page.tables["balance"].column("samples")) == N
    assert sum(int(count) for count in page.tables["recall"].column("samples")) == len(rows)
    wrong = rows[evaluation.predictions != evaluation.truth]
    listed = [int(number) - 1 for number in page.tables["hardest"].column("sample")]
    assert set(listed) <= set(wrong.tolist())
    assert page.tables["hardest"].column("target") == y[listed].tolist()
    assert "influential" not in page.tables
    assert "do not measure the influence of single samples" in text


def test_a_regressor_with_random_features(data):
    X, y, _ = data
    model = AutoRegressor("rbf", "ridge", cv=2, approximation=RandomFourierFeatures(n_components=40, random_state=0))
    page, evaluation, text = report(model, X, y)
    assert evaluation.rows is None
    assert page.tables["approximation"].row("size")[1] == "40 random features"
    assert "No bound on the distance from the optimum of the exact problem is known." in text
    assert "The scores were computed on a random sample" not in text


def test_exact_models_have_no_section(data):
    X, _, y = data
    page, _, text = report(AutoClassifier("rbf", "ridge", cv=2), X, y)
    assert "approximation" not in page.tables
    assert "Approximation" not in text


def test_positions_of_a_part_of_the_labelled_samples(data):
    X, _, labels = data
    y = np.array(labels, dtype=object)
    y[::2] = None
    model = AutoClassifier("rbf", "transductive", cv=2)
    evaluation = evaluate(model, X, y, cv=2, max_samples=30)
    dataset = Dataset("table", X)
    subject = _subject(model.fit(X, y), evaluation, dataset, X, y, None, ())
    np.testing.assert_array_equal(subject.truth, labels[1::2])
    np.testing.assert_array_equal(subject.truth[subject.scored], evaluation.truth)
    np.testing.assert_array_equal(np.flatnonzero(subject.labeled)[subject.scored], evaluation.rows)


def test_an_evaluation_of_other_rows_is_refused(data):
    X, _, y = data
    model = AutoClassifier("rbf", "ridge", cv=2).fit(X, y)
    evaluation = evaluate(model, X, y, cv=2, max_samples=SCORED)
    dataset = Dataset("table", X)
    other = dataclasses.replace(evaluation, rows=evaluation.rows + N)
    with pytest.raises(ValueError, match="evaluate the model on the same X and y"):
        render_report(model, other, dataset, X, y, code=CODE)
