"""The command ``mercer fit``."""

import json

import numpy as np
import polars as pl
import pytest

from mercer.cli import main
from mercer.persistence import load
from tests.cli.people import QUICK, without_progress


def test_a_table_becomes_a_model(capsys, folder, people):
    """Everything by default: kinds, kernel, model, scores, files and notes."""
    argv = ["fit", people, "--target", "bought", "--folds", "3", "--report", "people.html"]
    assert main(argv) == 0
    out, err = capsys.readouterr()
    assert without_progress(err) == ""  # no bar where nobody looks
    assert max(map(len, out.splitlines())) <= 80
    shown = " ".join(out.split())
    assert "people 60 rows, 5 columns → classification of bought (2 classes)" in shown
    for told in (
        "id: dropped",
        "age: 7 missing values replaced by the median",
        "standardised",
        "Classification, since",
    ):
        assert told in shown
    for word in (
        "accuracy",
        "ROC AUC",
        "95 % interval",
        "linear",
        "boosting",
        "majority",
        "time of a fit",
        "kernel",
        "✓ PSD",
        "converged",
        "people.mercer",
    ):
        assert word in shown
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "people.html", "people.mercer"]
    page = (folder / "people.html").read_text()
    assert "bought" in page

    model = load("people.mercer")
    assert model.classes_.tolist() == ["no", "yes"]
    assert str(model.kernel_) in shown.replace("- ", "-")
    assert model.preparer_.kinds_ == {
        "id": "drop",
        "age": "number",
        "income": "number",
        "city": "category",
        "note": "text",
    }


def test_json_and_the_program_give_the_same_numbers(capsys, folder, people):
    argv = ["fit", people, "-t", "bought", *QUICK, "--rows", "50", "--seed", "3", "--kinds", "note=drop", "id=drop"]
    assert main([*argv, "--json"]) == 0
    out, err = capsys.readouterr()
    assert without_progress(err) == ""
    found = json.loads(out)
    drawn = found["data"]["rows"]
    assert 48 <= drawn <= 50
    assert found["data"] == {"name": "people", "rows": drawn, "of": 60, "columns": 5}
    assert (found["task"], found["target"], found["classes"]) == ("classification", "bought", ["no", "yes"])
    assert f"{drawn} of 60 rows were sampled at random (seed 3); change with --rows." in found["notes"]
    score = found["scores"]["accuracy"]
    assert score["mean"] == pytest.approx(np.mean(score["folds"]))
    assert score["low"] <= score["mean"] <= score["high"]
    assert found["certificate"]["definiteness"] == "psd"
    assert found["solution"]["status"] == "converged"
    assert [candidate["chosen"] for candidate in found["candidates"]] == [True]
    first = load("people.mercer")
    (folder / "people.mercer").unlink()

    assert main([*argv, "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<fit>", "exec"), {})
    shown = capsys.readouterr().out
    assert f"accuracy: {score['mean']:.4f} ({score['low']:.4f} to {score['high']:.4f})" in shown
    assert found["kernel"] in shown
    X = pl.read_csv(people).drop("bought")
    np.testing.assert_array_equal(load("people.mercer").decision_function(X), first.decision_function(X))


@pytest.mark.filterwarnings("ignore:TablePreparer")  # a fold may have no missing values to learn from
@pytest.mark.parametrize("rows", ["50", "0"])
def test_the_report_carries_the_chosen_model(folder, people, monkeypatch, rows):
    """Also where rows were drawn: its program gives the same predictions."""
    seen = []

    def write_report(path, *parts, code):
        path.touch()
        seen.append(code)

    monkeypatch.setattr("mercer.report.write_report", write_report)
    argv = ["fit", people, "-t", "bought", *QUICK, "--rows", rows, "--seed", "1", "--report", "r.html"]
    assert main(argv) == 0
    names = {}
    exec(compile(seen[0], "<report>", "exec"), names)
    X = pl.read_csv(people).drop("bought")
    assert names["predict"](X).tolist() == load("people.mercer").predict(X).tolist()
    assert 48 <= len(names["y"]) <= 50 or rows == "0"


def test_regression_and_groups(capsys, folder):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    frame = pl.DataFrame(
        {"a": x[:, 0], "b": x[:, 1], "who": np.repeat(np.arange(12), 5), "y": np.sin(x[:, 0]) + x[:, 1]}
    )
    frame.write_parquet("t.parquet")
    argv = ["fit", "t.parquet", "-t", "y", "--groups", "who", "--folds", "3", "--kernel", "rbf", "--model", "ridge"]
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["task"], found["classes"], found["model"]) == ("regression", None, "KernelRidge")
    assert set(found["scores"]) == {"R²", "RMSE", "MAE"}
    assert found["scores"]["R²"]["mean"] > 0.8
    assert main(["predict", "t.mercer", "t.parquet", "-t", "y", "-o", "p.csv"]) == 0
    shown = capsys.readouterr().out
    assert "RMSE" in shown
    assert "unknown to the model: who" in shown
    assert main([*argv, "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<fit>", "exec"), {})
    assert f"R²: {found['scores']['R²']['mean']:.4f}" in capsys.readouterr().out


def test_data_without_columns(capsys, folder):
    (folder / "d.svm").write_text("".join(f"{i % 2} 1:{i % 2 + 0.1 * (i % 5)} 3:{i % 3}\n" for i in range(24)))
    assert main(["fit", "d.svm", "--folds", "2", "--kernel", "linear", "--model", "svm"]) == 0
    assert "24 rows, 3 columns" in capsys.readouterr().out
    assert main(["predict", "d.mercer", "d.svm", "-o", "p.csv"]) == 0
    assert "accuracy  1" in capsys.readouterr().out
    assert main(["predict", "d.mercer", "d.svm", "--id", "a"]) == 1
    assert "has no columns, but column 'a' was requested" in capsys.readouterr().err


def test_choices_are_those_of_the_estimators():
    from typing import get_args, get_type_hints

    from mercer.auto.models import MODELS
    from mercer.cli.fit import fit

    choices = get_args(get_type_hints(fit)["model"])
    assert set(choices) == {"auto", *(name for models in MODELS.values() for name in models)}
