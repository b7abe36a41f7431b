"""``mercer fit`` and ``mercer predict`` of tables that are larger than the limit of exact fits."""

import json

import numpy as np
import polars as pl
import pytest

from mercer.auto import base as base_module
from mercer.auto import models as models_module
from mercer.auto import searching
from mercer.cli import main
from mercer.cli.fit import plan
from mercer.explain import top_features
from mercer.persistence import load
from mercer.ridge import KernelRidge, KernelRidgeClassifier
from tests.cli.people import without_progress

N, SCORED, SEARCHED, LIMIT = 900, 150, 100, 300
QUICK = ("--folds", "2", "--kernel", "rbf")


@pytest.fixture(autouse=True)
def small_limits(monkeypatch):
    monkeypatch.setattr(plan, "SAMPLED", SCORED)
    monkeypatch.setattr(searching, "SELECTION", SEARCHED)
    monkeypatch.setattr(base_module, "SEVERAL", SEARCHED)
    for module in (base_module, models_module):
        monkeypatch.setattr(module, "EXACT", LIMIT)
    monkeypatch.setattr(models_module, "MANY", LIMIT)
    for cls in (KernelRidge, KernelRidgeClassifier):
        monkeypatch.setattr(cls, "_exact_limit", LIMIT)


@pytest.fixture
def large(folder):
    X = np.random.default_rng(0).normal(size=(N, 3)).round(6)
    y = X[:, 0] * X[:, 1] + X[:, 2]
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    frame.with_columns(level=pl.Series(np.where(y > 0, "high", "low"))).write_csv("levels.csv")
    frame.with_columns(price=pl.Series(y)).write_csv("prices.csv")
    return frame


def test_all_rows_are_used_and_that_is_told(capsys, folder, large):
    assert main(["fit", "levels.csv", "-t", "level", *QUICK, "--report", "levels.html"]) == 0
    out, err = capsys.readouterr()
    assert without_progress(err) == ""
    shown, model = " ".join(out.split()), load("levels.mercer")
    landmarks = model.approximation_.n_components
    assert "levels 900 rows, 3 columns → classification of level" in shown
    assert f"The model was fitted to all 900 samples with {landmarks} landmarks; relative residual" in shown
    assert f"the search used {SEARCHED} samples" in shown
    assert "Scores were computed on 150 of 900 samples, drawn with random_state=0." in shown
    assert "out-of-fold score (150 rows)" in shown
    assert f"approximation {landmarks} landmarks for 900 rows, relative residual" in shown
    assert len(model.rows_) == N
    assert len(model.model_.X_fit_) == landmarks

    page = (folder / "levels.html").read_text().replace("\u202f", " ")
    assert "levels has 900 samples and 3 columns" in page
    assert "The scores were computed on a random sample of 150 of 900 samples." in page
    assert f"{landmarks} landmarks" in page
    assert "Nyström approximation" in page
    assert "The optimum of the exact problem lies between" in page
    assert "of 150 samples were classified correctly" in page
    assert "do not measure the influence of single samples" in page

    assert main(["predict", "levels.mercer", "levels.csv", "-o", "answers.csv"]) == 0
    assert "900 rows" in capsys.readouterr().out
    answers = pl.read_csv("answers.csv")
    assert answers["prediction"].to_list() == model.predict(large).tolist()
    assert (answers["prediction"] == pl.read_csv("levels.csv")["level"]).mean() > 0.9


def test_json_and_the_program_give_the_same_numbers(capsys, folder, large):
    argv = ["fit", "prices.csv", "-t", "price", *QUICK, "--approximation", "60"]
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    record = found["approximation"]
    assert {name: record[name] for name in ("method", "components", "rows", "reason")} == {
        "method": "nystroem",
        "components": 60,
        "rows": N,
        "reason": "approximation=60",
    }
    assert 0 < record["residual"] < 1
    low, high = found["solution"]["exact_interval"]
    assert low <= high
    assert found["scored"] == SCORED
    assert found["data"]["rows"] == N
    first = load("prices.mercer").predict(large)
    (folder / "prices.mercer").unlink()
    assert main([*argv, "--code"]) == 0
    program = capsys.readouterr().out
    assert "AutoClassifier if task" in program
    assert "approximation=60" in program
    assert "max_samples=150" in program
    assert "sample_rows" not in program
    exec(compile(program, "<fit>", "exec"), {})
    assert f"R²: {found['scores']['R²']['mean']:.4f}" in capsys.readouterr().out
    np.testing.assert_allclose(load("prices.mercer").predict(large), first, rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "rows", "scored", "approximated"),
    [
        (["--approximation", "none"], SCORED, SCORED, False),
        (["--model", "knn"], SCORED, SCORED, False),
        (["--rows", "400"], 400, 400, True),
        (["--rows", "0", "--model", "ridge"], N, N, True),
    ],
)
def test_other_numbers_of_rows(capsys, folder, large, options, rows, scored, approximated):
    assert main(["fit", "prices.csv", "-t", "price", *QUICK, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["data"]["rows"], found["data"]["of"], found["scored"]) == (rows, N, scored)
    assert (found["approximation"] is not None) == approximated


def test_the_report_carries_the_approximated_model(capsys, folder, large, monkeypatch):
    seen = []

    def write_report(path, *parts, code):
        path.touch()
        seen.append(code)

    monkeypatch.setattr("mercer.report.write_report", write_report)
    assert main(["fit", "prices.csv", "-t", "price", *QUICK, "--report", "r.html"]) == 0
    assert 'approximation="auto"' in seen[0]
    names = {}
    exec(compile(seen[0], "<report>", "exec"), names)
    np.testing.assert_allclose(names["predict"](large), load("prices.mercer").predict(large), rtol=1e-6, atol=1e-8)


def test_features_of_approximated_models_are_explained(capsys, folder):
    """A linear kernel has explicit features, which the report lists from the landmarks."""
    rng = np.random.default_rng(0)
    words = [rng.choice(["good", "warm"] if i % 2 else ["bad", "cold"], 3) for i in range(N)]
    texts = [f"the tea was {' '.join(some)} on day {i % 211}" for i, some in enumerate(words)]
    pl.DataFrame({"review": texts, "liked": ["no", "yes"] * (N // 2)}).write_csv("tea.csv")
    kernel = "normalized(bag_of_words)[review]"
    argv = ["fit", "tea.csv", "-t", "liked", "--folds", "2", "--kernel", kernel, "--approximation", "40"]
    assert main([*argv, "--kinds", "review=text", "--report", "tea.html"]) == 0
    model = load("tea.mercer")
    assert model.approximation_.n_components == 40
    assert type(model.model_).__name__ == "KernelRidgeClassifier"
    sample = model.prepare({"review": ["a good warm tea"]})
    found = top_features(model.model_, sample, n=3)
    assert {"review: good", "review: warm"} <= set(found.names)
    assert found.decision == pytest.approx(float(model.decision_function({"review": ["a good warm tea"]})[0]))
    page = (folder / "tea.html").read_text()
    assert "Evidence for" in page
    assert "Explanation of one prediction" in page


def test_options_are_checked(capsys, folder, large):
    assert main(["fit", "prices.csv", "-t", "price", "--approximation", "0"]) == 2
    assert "Must be >= 1" in capsys.readouterr().err
    assert main(["fit", "prices.csv", "-t", "price", "--approximation", "some"]) == 2
    assert main(["fit", "prices.csv", "-t", "price", "--model", "knn", "--approximation", "30"]) == 1
    err = capsys.readouterr().err
    assert "the model 'knn' has no approximation, got --approximation 30; use --model with one of" in err
    assert "or --approximation auto to approximate where possible" in err
