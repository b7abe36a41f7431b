"""Results of the benchmark of automatic models: stored rows, ranks, page, picture."""

import json

import numpy as np
import pytest

from benchmarks.tables import page, plot, ranks
from benchmarks.tables.store import Store, key

# ---- stored results


def result(table, method, value, seed=0, **changes):
    task = changes.pop("task", "classification")
    score = {"classification": "error", "regression": "rmse_sd"}[task]
    row = {"mode": "tables", "table": table, "seed": seed, "method": method, "task": task, "size": "9 × 1"}
    row |= {"package": "scikit-learn", "version": "1", "params": {}, "scores": {score: value}}
    return row | {"fit_seconds": 1.0, "fit_cpu_seconds": 0.5, "predict_seconds": 0.25} | changes


def test_results_are_merged(tmp_path):
    path = tmp_path / "new" / "results.json"
    first, second = (Store(path, {"date": "2026-01-01", "machine": {"cpu": "x"}}) for _ in range(2))
    first.add(result("a", "hist", 0.2))
    second.add(result("a", "forest", 0.3))  # does not know of the first
    second.add(result("a", "forest", 0.25, version="2"))
    data = json.loads(path.read_text(encoding="utf-8"))
    assert [(row["method"], row["scores"]["error"]) for row in data["results"]] == [("forest", 0.25), ("hist", 0.2)]
    assert (data["date"], data["machine"]) == ("2026-01-01", {"cpu": "x"})
    assert [file.name for file in path.parent.iterdir()] == ["results.json"]
    again = Store(path, {})
    assert again.drop(lambda row: row["method"] == "hist") == 1
    assert again.drop(lambda row: row["method"] == "hist") == 0
    assert [row["method"] for row in json.loads(path.read_text(encoding="utf-8"))["results"]] == ["forest"]


def test_results_are_valid_for_a_version_and_parameters(tmp_path):
    store = Store(tmp_path / "results.json", {})
    row = result("a", "hist", 0.2, params={"depth": 3})
    store.add(row)
    assert store.valid(key(row), "1", {"depth": 3})
    assert not store.valid(key(row), "2", {"depth": 3})
    assert not store.valid(key(row), "1", {})
    assert not store.valid(("rare", *key(row)[1:]), "1", {"depth": 3})


# ---- ranks


def test_ties_share_their_ranks():
    found = {"t": {"a": 0.1, "b": 0.2, "c": 0.1, "d": 0.3}, "u": {"a": 0.4, "b": 0.1, "c": 0.2, "d": 0.3}}
    assert ranks.mean_ranks(found) == {"a": 2.75, "b": 2.0, "c": 1.75, "d": 3.5}
    assert ranks.mean_ranks({}) == {}


def test_errors_are_means_over_common_seeds():
    rows = [
        *(result("t", "hist", value, seed) for seed, value in enumerate([0.1, 0.3, 0.8])),
        *(result("t", "forest", value, seed) for seed, value in enumerate([0.3, 0.1])),
        result("u", "hist", 0.1),
        result("v", "hist", 0.5, task="regression"),
        result("v", "forest", 0, task="regression", scores={}, failed="ValueError: no"),
        result("t", "hist", 0.9, mode="rare"),
    ]
    found = ranks.errors(rows, ["hist", "forest"])
    assert found == {"t": {"hist": 0.2, "forest": 0.2}, "v": {"hist": 0.5, "forest": np.inf}}
    assert ranks.mean_ranks(found) == {"hist": 1.25, "forest": 1.75}
    assert list(ranks.errors(rows, ["hist"], "classification")) == ["t", "u"]
    assert ranks.errors(rows, ["hist", "forest"], score="log_loss") == {}  # hist has none


def test_wins_and_verdicts():
    found = {
        "t": {"mercer": 0.11, "a": 0.1, "b": 0.2},
        "u": {"mercer": 0.1, "a": 0.3, "b": 0.2},
        "v": {"mercer": 0.0, "a": 0.0, "b": 0.1},
        "w": {"mercer": 0.1, "a": 0.0, "b": 0.1},
    }
    assert ranks.wins(found, "mercer", "a") == (1, 1, 2)
    assert ranks.wins(found, "mercer", "b") == (3, 1, 0)
    verdicts = ranks.verdicts(found, "mercer", ["a", "b"])
    assert [(v.table, v.rival) for v in verdicts] == [("w", "a"), ("t", "a"), ("v", "a"), ("u", "b")]
    assert [v.ratio for v in verdicts] == [np.inf, pytest.approx(1.1), 1.0, 0.5]


def test_critical_difference_of_published_example():
    """Demšar 2006, section 3.2.2: four methods on 14 tables; q = 2.569."""
    assert ranks.critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(20 / 84), abs=1e-3)
    found = {str(i): {"a": 1.0, "b": 2.0, "c": 3.0} for i in range(10)}
    assert ranks.friedman(found) == pytest.approx(np.exp(-10))  # χ² with two degrees of freedom: 2 · 10
    assert np.isnan(ranks.friedman({"t": {"a": 1.0, "b": 2.0}}))


def test_cliques_are_the_largest_intervals():
    assert plot.cliques({"a": 1.0, "b": 1.5, "c": 2.2, "d": 4.0}, 1.0) == [(1.0, 1.5), (1.5, 2.2)]
    assert plot.cliques({"a": 1.0, "b": 1.5, "c": 1.9}, 1.0) == [(1.0, 1.9)]
    assert plot.cliques({"a": 1.0, "b": 3.0}, 1.0) == []


def test_rare_differences_are_paired():
    def areas(method, *values):
        return [result("t", method, 0, seed, mode="rare", scores={"auc": v}) for seed, v in enumerate(values)]

    rows = areas("mercer", 0.90, 0.80, 0.70) + areas("logistic", 0.92, 0.84)
    gap, error = ranks.rare_difference(rows, "t", "mercer", "logistic")
    assert (gap, error) == (pytest.approx(-0.03), pytest.approx(0.01))
    assert "-0.0300 ± 0.0100, not met" in page.rare_body({"results": rows})
    close = areas("mercer", 0.90, 0.80) + areas("logistic", 0.91, 0.79)
    assert "+0.0000 ± 0.0100 |" in page.rare_body({"results": close})
    assert np.isnan(ranks.rare_difference(rows, "u", "mercer", "logistic")).all()


# ---- page and picture


def test_page_names_losses_and_what_is_missing():
    rows = [result(t, m, e) for t, e in (("t", 0.1), ("u", 0.2)) for m, e in (("mercer", e), ("hist", 0.15))]
    rows += [result("t", "forest", 0.2), result("u", "forest", 0, scores={}, failed="ValueError: no")]
    rows += [result("w", "mercer", 0.3)]
    text = page.body({"results": rows})
    assert "| mercer | 1.50 | 1.50 | – | 1.00 | 0.50 | 0.25 | 2 |" in text
    assert "at most 1.1 times that of the best rival on 1 of 2 tables (50%)" in text
    assert "better, with the ratio of the errors: u (HistGradientBoosting, × 1.33)." in text
    assert "no result yet: w." in text
    assert "Failed: random forest on u, seed 0." in text
    assert "| u | 9 × 1 | error rate | 0.2000 | 0.1500 | failed | 1.33 |" in text
    assert "| random forest | 2 | 0 | 0 |" in text
    assert page.body({"results": []}) == "No table has results of all methods.\n"


def test_picture_holds_its_numbers(tmp_path):
    image = pytest.importorskip("PIL.Image")
    found = {"mercer": 1.4, "hist": 2.0, "forest": 2.6}
    plot.draw(found, 0.8, 12, tmp_path / "ranks.png")
    with image.open(tmp_path / "ranks.png") as picture:
        assert json.loads(picture.text["ranks"]) == {"ranks": found, "difference": 0.8, "tables": 12}
        assert picture.width > 1000
