"""Shapley values, importances and weights of columns on the page, and what is said about columns and files."""

import dataclasses

import numpy as np
import polars as pl
import pytest

from mercer.auto import AutoRegressor, evaluate
from mercer.datasets import Dataset
from mercer.explain import importances
from mercer.kernels import Columns, WeightedColumns
from mercer.report import render_report
from mercer.report.column_weights import column_shares, weighted_parts
from mercer.report.shapley import shapley_of
from mercer.report.subject import Subject
from mercer.report.text import number
from tests.report.cases import CODE, case
from tests.report.pages import Page, parsed


def subject_of(name):
    found = case(name)
    return Subject(found.model, found.evaluation, found.dataset, found.X)


def test_importances_are_means_of_shapley_values():
    found = case("linear")
    values = shapley_of(subject_of("linear"))
    assert np.allclose(values.base + values.values.sum(axis=1), values.score)
    table = parsed("linear").tables["reliance"]
    order = np.argsort(-values.importance)
    assert table.column("column") == [values.names[j] for j in order]
    assert table.column("importance") == [number(float(values.importance[j]), 3) for j in order]
    assert len(values) == 40
    samples = found.model.prepare(found.X)
    again = importances(found.model.model_, samples[:40], samples[-15:])  # other rows, the same order
    assert list(dict(again)) == table.column("column")


def test_a_stack_is_explained_by_columns_of_the_table():
    page, model = parsed("wine"), case("wine").model
    assert set(page.tables["reliance"].column("column")) == set(model.preparer_.outputs_)
    assert {attrs["id"] for attrs in page.all("figure")} >= {"importances", "shapley"}
    shares = page.tables["column-weights"].column("share of the distance")
    total = sum(float(text.split("\u202f")[0]) for text in shares)
    assert total == pytest.approx(100, abs=1)


def test_kernels_that_are_not_products_have_permutation_importance():
    assert shapley_of(subject_of("trees")) is None
    assert shapley_of(subject_of("neighbours")) is None
    table = parsed("neighbours").tables["reliance"]
    assert table.header == ["column", "changed predictions"]


def test_shares_of_columns_follow_weights_and_differences(rng):
    X = rng.normal(size=(500, 2)) * [1.0, 3.0]
    assert column_shares(np.array([3.0, 1.0]), X, 1.0, [False, False]) == pytest.approx([0.5, 0.5], abs=0.06)
    assert column_shares(np.zeros(2), X, 1.0, [False, False]).tolist() == [0.5, 0.5]
    kernel = 2.0 * Columns(("b", "a"), WeightedColumns((1.0, 2.0))) + Columns(("a",), WeightedColumns((5.0,)))
    assert [(part.weights, names) for part, names in weighted_parts(kernel, ["a", "b"])] == [
        ((1.0, 2.0), ["b", "a"]),
        ((5.0,), ["a"]),
    ]


def test_unused_columns_have_reasons():
    table = parsed("hostile").tables["unused"]
    assert table.row("nothing")[1] == case("hostile").model.preparer_.unused_["nothing"]
    assert "unused" not in parsed("wine").tables


def test_columns_that_the_kernel_does_not_read_are_unused(rng):
    X = {"read": rng.normal(size=40), "left": rng.normal(size=40), "same": ["k"] * 40}
    model = AutoRegressor("rbf[read]", "ridge").fit(X, X["read"])
    evaluation = evaluate(model, X, X["read"], cv=2)
    frame = pl.DataFrame(X)
    table = Page(render_report(model, evaluation, Dataset("t", frame), frame, X["read"], code=CODE)).tables["unused"]
    assert table.rows == [["same", "all values are equal"], ["left", "not read by the selected kernel"]]


def test_files_of_images_are_named():
    found = case("images")
    names = tuple(f"{label}/scan {i}.png" for i, label in enumerate(found.y))
    dataset = dataclasses.replace(found.dataset, X=found.X, y=found.y, names=names)
    page = Page(render_report(found.model, found.evaluation, dataset, found.X, found.y, code=CODE))
    table = page.tables["influential"]
    assert table.header[:2] == ["sample", "file"]
    assert [names[int(i) - 1] for i in table.column("sample")] == table.column("file")
    assert "with the names of their files" in page.text
    with pytest.raises(ValueError, match=r"got 1 names for 90 samples"):
        Dataset("digits", found.X, found.y, names=("a.png",))


def test_files_of_a_folder_are_kept(tmp_path):
    image = pytest.importorskip("PIL.Image")
    from mercer.datasets import read

    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        image.new("L", (4, 4), 10).save(tmp_path / name / "1.png")
    assert read(tmp_path).names == ("a/1.png", "b/1.png")


def test_samples_are_counted_in_one_way():
    """With unlabelled samples the numbers are those of the data, not of its labelled part."""
    found = case("few_labels")
    page = parsed("few_labels")
    known = [i for i, label in enumerate(found.y) if label is not None]
    for id in ("influential", "hardest"):
        if id in page.tables:
            for row in page.tables[id].rows:
                assert int(row[0]) - 1 in known
                assert row[1] == found.y[int(row[0]) - 1]
    assert "Samples are numbered from 1 in the order of the data." in page.text
