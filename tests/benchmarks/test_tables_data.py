"""Tables of the benchmark of automatic models: readers, splits, thinning, scores."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks.tables import rare, scores
from benchmarks.tables.facts import FACTS, Fact, Table, read, split
from tests.benchmarks.files import written

# ---- tables


def test_facts_name_every_table_but_two():
    assert len(FACTS) == 19
    assert not {"mnist", "a9a"} & set(FACTS)
    assert [fact.rows for fact in FACTS.values()] == sorted(fact.rows for fact in FACTS.values())
    assert {name for name, fact in FACTS.items() if fact.task == "regression"} == {
        *("abalone", "airfoil", "california_housing", "concrete", "elevators"),
        *("housing", "keggdirected", "kin40k", "protein"),
    }
    assert (FACTS["satimage"].seeds, FACTS["pendigits"].seeds) == (5, 2)


def test_text_becomes_categories(tmp_path):
    written(tmp_path, "t", "t.csv.gz", '"AGE:","job","class:"\n3, Clerk ,b\n 4,?,a\n5,\'none\',b\n')
    table = read(tmp_path, "t", Fact("t.csv.gz", 3, "classification", "class:"))
    assert list(table.X.columns) == ["AGE", "job"]
    assert table.X["AGE"].tolist() == [3, 4, 5]
    assert isinstance(table.X["job"].dtype, pd.CategoricalDtype)
    assert table.X["job"].astype(object).where(table.X["job"].notna(), None).tolist() == ["Clerk", None, "none"]
    assert table.y.tolist() == [1, 0, 1]
    assert (table.classes, table.size) == (2, "3 × 2, 2 classes")


def test_files_without_names(tmp_path):
    written(tmp_path, "bare", "data.csv.gz", "1.5,2,-0.5\n3,4,0.5\n")
    table = read(tmp_path, "bare", Fact("data.csv.gz", 2, "regression"))
    assert (table.X.to_numpy().tolist(), table.y.tolist()) == ([[1.5, 2.0], [3.0, 4.0]], [-0.5, 0.5])
    assert (list(table.X.columns), table.size) == (["x0", "x1"], "2 × 2")


def test_keel_and_svmlight(tmp_path):
    written(tmp_path, "keel", "k.gz", "@relation k\n@attribute a real[0,1]\n@data\n1.14,-0.1,-1.0\n0.5,2,1.0\n")
    table = read(tmp_path, "keel", replace(FACTS["banana"], file="k.gz", rows=2))
    assert (table.X.to_numpy().tolist(), table.y.tolist()) == ([[1.14, -0.1], [0.5, 2.0]], [0, 1])
    written(tmp_path, "sparse", "s.gz", "+1 1:0.5 3:2\n-1 2:1\n")
    table = read(tmp_path, "sparse", replace(FACTS["heart"], file="s.gz", rows=2))
    assert (table.X.to_numpy().tolist(), table.y.tolist()) == ([[0.5, 0, 2], [0, 1, 0]], [1, 0])


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"has to hold tables/heart/heart_scale\.gz"):
        read(tmp_path, "heart")
    written(tmp_path, "t", "t.csv.gz", "a,b\n1,2\n")
    with pytest.raises(ValueError, match="1 rows, expected 2"):
        read(tmp_path, "t", Fact("t.csv.gz", 2, "regression", "b"))
    with pytest.raises(ValueError, match="last column is 'b', expected the target 'c'"):
        read(tmp_path, "t", Fact("t.csv.gz", 1, "regression", "c"))


def classes(*counts):
    """A table with the given numbers of samples by class."""
    y = np.repeat(np.arange(len(counts)), counts)
    return Table("made", "classification", pd.DataFrame({"row": np.arange(len(y))}), y)


def test_splits_are_stratified_and_fixed():
    table = classes(200, 100)
    train, test = split(table, 3)
    assert sorted([*train, *test]) == list(range(300))
    assert np.bincount(table.y[train]).tolist() == [140, 70]
    np.testing.assert_array_equal(train, split(table, 3)[0])
    assert set(train) != set(split(table, 4)[0])


# ---- rare classes


def test_thinning_keeps_one_in_a_hundred():
    table = classes(2000, 9900)  # class 0 is the rare one
    thin = rare.thinned(table, 0)
    assert np.bincount(thin.y).tolist() == [9900, 100]
    rows = thin.X["row"].to_numpy()
    assert set(rows[thin.y == 0]) == set(range(2000, 11_900))
    assert set(rows[thin.y == 1]) < set(range(2000))
    np.testing.assert_array_equal(rows, rare.thinned(table, 0).X["row"])
    assert set(rows) != set(rare.thinned(table, 1).X["row"])
    assert thin.y[split(thin, 0)[0]].sum() == 70


def test_tables_that_cannot_be_thinned():
    assert rare.refused(classes(2788, 1813)) == ""
    assert rare.refused(classes(700, 300)) == ""
    assert rare.refused(classes(500, 300)) == "4 positive training samples at 1%, fewer than 5"
    assert rare.refused(classes(9900, 9900, 9900)) == "not a table of two classes"
    with pytest.raises(ValueError, match="made: 4 positive training samples"):
        rare.thinned(classes(500, 300), 0)


# ---- scores


def test_scores_of_classes():
    y, p = np.array([0, 0, 1, 1]), np.array([0.1, 0.6, 0.5, 0.9])
    both = np.column_stack([1 - p, p])
    found = scores.of_classes(y, (p > 0.55).astype(int), p, both)
    assert found["error"] == 0.5
    assert found["auc"] == 0.75
    assert found["log_loss"] == pytest.approx(-np.log([0.9, 0.4, 0.5, 0.9]).mean())
    assert scores.of_classes(y, y, None, None) == {"error": 0.0}


def test_calibration_error_is_a_mean_over_bins():
    y, p = np.array([0, 1, 1, 1]), np.array([0.3, 0.2, 0.7, 0.9])
    assert scores.calibration_error(y, p, bins=2) == pytest.approx((abs(0.5 - 0.25) + abs(1 - 0.8)) / 2)
    assert scores.calibration_error(y, p, bins=1) == pytest.approx(0.75 - 0.525)
    assert scores.calibration_error(np.array([0, 1]), np.array([0.0, 1.0])) == 0


def test_scores_of_numbers_and_intervals():
    y = np.array([1.0, 2.0, 3.0, 6.0])
    assert scores.of_numbers(y, np.full(4, 3.0)) == pytest.approx({"rmse_sd": 1.0, "r2": 0.0})
    low, high = y - 1, np.array([0.5, 3.0, 4.0, 7.0])
    expected = {"coverage": 0.75, "width_sd": np.mean(high - low) / y.std()}
    assert scores.of_intervals(y, (low, high)) == pytest.approx(expected)
    assert scores.of_intervals(y, np.column_stack([low, high])) == pytest.approx(expected)


class Halves:
    """Predicts the mean; its intervals have the coverage that is asked for as their half width."""

    def fit(self, X, y):
        self.mean = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean)

    def predict_interval(self, X, coverage):
        return self.predict(X) - coverage, self.predict(X) + coverage


def test_intervals_are_scored_where_a_model_has_them():
    X, y = np.zeros((4, 1)), np.array([-2.0, -0.5, 0.5, 2.0])
    model = Halves().fit(X, y)
    found = scores.scored(model, X, y, model.predict(X), "tables", 0)
    assert found["coverage"] == 0.5
    assert found["width_sd"] == pytest.approx(1.8 / y.std())
