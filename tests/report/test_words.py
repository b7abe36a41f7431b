import dataclasses

import numpy as np
import pytest

from mercer.report import head
from mercer.report.blocks import Cell, PageTable, cell
from mercer.report.raw import raw_values
from mercer.report.solution import sentence
from mercer.report.subject import Subject
from mercer.report.text import count, cut, listed, number, percent, plain
from mercer.report.words import model_words
from mercer.solvers import Solution, Status
from tests.report.cases import case


def told(name, **changes):
    found = case(name)
    return Subject(found.model, dataclasses.replace(found.evaluation, **changes), found.dataset, found.X)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-3, "−3"),
        (12345.678, "12\u202f346"),
        (0.000012345, "1.234·10⁻⁵"),
        (1e-9, "10⁻⁹"),
        (-2e300, "−2·10³⁰⁰"),
        (1e12, "10¹²"),
        (np.float32(0.5), "0.5"),
        (float("inf"), "∞"),
        (float("-inf"), "−∞"),
        (float("nan"), "–"),
        (None, "–"),
    ],
)
def test_numbers_as_text(value, text):
    assert number(value) == text


def test_shares_counts_and_lists_as_text():
    assert percent(-0.05) == "−5.0\u202f%"
    assert percent(None) == "–"
    assert count(0, "class") == "0 classes"
    assert listed([]) == ""
    assert listed(iter("ab")) == "a and b"
    assert cut("x" * 60) == "x" * 60
    assert plain(b"\xff") == "b'\\xff'"


def test_cells_of_every_kind():
    assert cell(True) == Cell("True")
    assert cell(None) == Cell("–", number=True)
    assert cell(np.int64(5)) == Cell("5", number=True)
    assert cell(Cell("a")) == Cell("a")
    assert PageTable.of("id", "caption", ["a", "b"], [["x", 1], ["y", None]]).numeric == [False, True]


def test_dates_and_sequences_as_they_came():
    data = {"day": [np.datetime64("2024-02-29"), np.datetime64("NaT")], "read": ["ACGT", None]}
    data["day"] = np.array(data["day"])
    names, rows, left = raw_values(data, {"read": "sequence"})
    assert names == ["day", "read"]
    assert [[c.text for c in row] for row in rows] == [["2024-02-29", "ACGT"], ["–", "–"]]
    assert rows[0][1].code
    assert left == 0


def test_many_columns_are_cut_and_counted():
    names, rows, left = raw_values(np.zeros((2, 50)), {})
    assert len(names) == len(rows[0]) == 16
    assert left == 34


def test_a_model_without_a_name_is_called_by_its_class():
    assert model_words(object()) == "object"


def test_a_score_not_better_than_the_baseline_is_reported():
    worse = {"accuracy": np.array([0.3, 0.35])}
    baseline = {"accuracy": np.array([0.4, 0.4])}
    assert (
        "not better than the baseline"
        in head.remarks(told("wine", metrics=worse, baseline=baseline, baselines=None))[0]
    )
    unsure = {"accuracy": np.array([0.3, 0.6])}
    assert "may be due to chance" in head.remarks(told("wine", metrics=unsure, baseline=baseline, baselines=None))[0]


def test_probabilities_may_be_better_than_the_baseline_where_labels_are_not():
    metrics = {"accuracy": np.array([0.98, 0.99]), "log-loss": np.array([0.05, 0.06])}
    baseline = {"accuracy": np.array([0.99, 0.99]), "log-loss": np.array([0.07, 0.07])}
    (said,) = [
        text for text in head.remarks(told("one_column", metrics=metrics, baseline=baseline)) if "not better" in text
    ]
    assert "no usable relation" not in said
    assert "their log-loss is 0.055, that of the baseline 0.07." in said
    metrics["log-loss"] = np.array([0.07, 0.08])
    said = " ".join(head.remarks(told("one_column", metrics=metrics, baseline=baseline)))
    assert "no usable relation" in said


def test_folds_of_equal_scores_are_no_certainty():
    same = {"accuracy": np.array([1.0, 1.0])}
    baseline = {"accuracy": np.array([0.4, 0.4])}
    remarks = head.remarks(told("wine", metrics=same, baseline=baseline, baselines=None))
    assert "understates the uncertainty" in remarks[0]


def test_uneven_classes_point_to_the_balanced_accuracy():
    truth = np.array(["a"] * 36 + ["b"] * 4)
    metrics = {"accuracy": np.array([0.9, 0.95]), "balanced accuracy": np.array([0.5, 0.6])}
    baseline = {"accuracy": np.array([0.8, 0.8]), "balanced accuracy": np.array([0.5, 0.5])}
    said = head.remarks(told("one_column", truth=truth, metrics=metrics, baseline=baseline))
    assert "90\u202f% of the samples belong to one class" in said[-1]
    assert "55.0\u202f%" in said[-1]


def test_another_metric_and_no_baseline_are_shown_too():
    subject = told("one_column", metrics={"log loss": np.array([0.2, 0.3])}, baseline={})
    assert "reaches a log loss of 0.25" in head.headline(subject)
    found = head.gauge(subject)
    assert found.base is None
    assert found.last != found.first


def test_a_gauge_holds_a_negative_score():
    metrics = {"R²": np.array([-0.5, -0.1]), "RMSE": np.array([1.0, 2.0])}
    baseline = {"R²": np.array([0.0, -0.1]), "RMSE": np.array([1.0, 1.0])}
    found = head.gauge(told("diabetes", metrics=metrics, baseline=baseline))
    assert 0 <= found.low <= found.mean <= 100 - found.rest <= 100
    assert found.mean < found.base


@pytest.mark.parametrize(
    ("status", "gap", "start"),
    [
        (Status.CONVERGED, 0.0, "Optimal up to rounding:"),
        (Status.CONVERGED, 1e-12, "Optimal up to rounding:"),
        (Status.CONVERGED, 1e-3, "Optimal within the tolerance:"),
        (Status.CONVERGED, 24.0, "Optimal within the tolerance, but the gap is large"),
        (Status.CONVERGED, float("nan"), "Optimal within the tolerance:"),
        (
            Status.CONVERGED,
            float("inf"),
            "Not optimal within the tolerance: the solver stopped with the status “overflow”",
        ),
        (Status.NOT_PSD, 0.0, "Converged without a guarantee of optimality"),
        (Status.MAX_ITER, 0.0, "Not optimal within the tolerance: the solver stopped with the status “max_iter”"),
    ],
)
def test_certificates_in_words(status, gap, start):
    solution = Solution(objective=1.0, gap=gap, violation=1e-3, status=status, n_iter=5)
    assert sentence(solution).startswith(start)


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_the_verdict_does_not_depend_on_units(unit):
    solution = Solution(objective=-3000 * unit, gap=24 * unit, violation=1e-3, status=Status.CONVERGED, n_iter=5)
    assert sentence(solution).startswith("Optimal within the tolerance:")
    assert sentence(solution).endswith("(relative gap 0.0079).")
