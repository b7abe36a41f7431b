"""Cost of automatic models, and their errors by the number of rows: what the benchmarks measure and record."""

import json

import numpy as np
import pytest

from benchmarks import accuracy_growth, cost_tables
from benchmarks.tables.facts import Table
from benchmarks.tables_page import ROOT


@pytest.mark.parametrize("model", cost_tables.MODELS)
def test_generated_tables_hold_what_the_page_says(model):
    X, y = cost_tables.generated(400, model)
    kinds = X.dtypes.astype(str)
    assert ((kinds == "float64").sum(), (kinds == "category").sum()) == (16, 4)
    assert set(X.columns[X.isna().any()]) == {"x4", "x5"}
    again, same = cost_tables.generated(400, model)
    assert X.equals(again)
    assert np.array_equal(y, same)
    assert (y.dtype.kind == "f") == (model == "AutoRegressor")


def test_goals_compare_elapsed_time_memory_and_limits(monkeypatch):
    asked = []

    def run(code):
        asked.append(code)
        return {"seconds": 4.0, "cpu": 6.0, "megabytes": 100.0}

    monkeypatch.setattr(cost_tables, "in_fresh_process", run)
    time, memory, *_ = cost_tables.costs([500])
    assert (time.value, time.goal, time.verdict) == (4.0, 3.0, "MISSED")
    assert (memory.value, memory.unit, memory.verdict) == (100.0, "MB", "met")
    shares = cost_tables.limited([5000])
    assert [goal.value for goal in shares[::2]] == [4 / 3, 4 / 6, 4 / 12]
    assert [goal.verdict for goal in shares[::2]] == ["MISSED", "met", "met"]
    assert "AutoClassifier(time_limit=3.0)" in asked[2]


def test_methods_see_the_same_part_of_the_training_rows(monkeypatch):
    X, y = cost_tables.generated(200, "AutoClassifier")
    table = Table("generated", "classification", X, (y == "high").astype(int))
    seen = []

    class Constant:
        def fit(self, X, y):
            seen.append((len(X), list(X.index)))
            self.p = y.mean()
            return self

        def predict(self, X):
            return np.full(len(X), int(self.p > 0.5))

        def predict_proba(self, X):
            return np.tile([1 - self.p, self.p], (len(X), 1))

    method = accuracy_growth.METHODS["hist"]
    monkeypatch.setattr(
        accuracy_growth,
        "METHODS",
        {who: type(method)("numpy", "numpy", lambda *_, **__: Constant()) for who in accuracy_growth.WHO},
    )
    found = accuracy_growth.measured(table, 50, seed=1, threads=1)
    assert set(found) == set(accuracy_growth.WHO)
    assert {n for n, _ in seen} == {50}
    assert all(rows == seen[0][1] for _, rows in seen)


def test_the_picture_of_ranks_shows_the_recorded_ranks():
    image = pytest.importorskip("PIL.Image")
    from benchmarks.tables import ranks
    from benchmarks.tables.names import DEFAULT

    data = json.loads((ROOT / "benchmarks" / "results" / "accuracy_tables.json").read_text())
    with image.open(ROOT / "docs" / "images" / "tables-ranks.png") as picture:
        stored = json.loads(picture.text["ranks"])
    found = ranks.mean_ranks(
        ranks.errors(data["results"], [who for who in DEFAULT["tables"] if who in stored["ranks"]])
    )
    assert stored["ranks"] == pytest.approx(dict(found))
    assert stored["tables"] == len({row["table"] for row in data["results"]})
