"""``mercer fit --unlabeled``: rows without target."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import make_moons

from mercer.cli import main
from mercer.persistence import load
from tests.cli.people import without_progress

QUICK = ("--kernel", "rbf(gamma=4)", "--folds", "2")


@pytest.fixture
def moons(folder):
    """Two moons, with labels for 10 rows of 120; all labels in another file."""
    X, truth = make_moons(120, noise=0.05, random_state=0)
    rng = np.random.default_rng(0)
    known = np.concatenate([rng.choice(np.flatnonzero(truth == c), 5, replace=False) for c in (0, 1)])
    names = np.array(["upper", "lower"])[truth].tolist()
    frame = pl.DataFrame({"east": X[:, 0], "north": X[:, 1], "family": np.arange(120) % 12})
    frame.with_columns(moon=pl.Series(names)).write_csv("truth.csv")
    few = [name if i in known else None for i, name in enumerate(names)]
    frame.with_columns(moon=pl.Series(few)).write_csv("moons.csv")
    return ["fit", "moons.csv", "-t", "moon", "--unlabeled", "--kinds", "family=drop"]


def test_rows_without_target_are_used(capsys, folder, moons):
    assert main([*moons, *QUICK, "--report", "moons.html"]) == 0
    out, err = capsys.readouterr()
    assert without_progress(err) == ""
    assert max(map(len, out.splitlines())) <= 80
    shown = " ".join(out.split())
    assert (
        "110 of 120 samples of 'moons' have no target 'moon' (the first is in line 2 of the file); kept as unlabelled."
        in shown
    )
    assert "learns from 10 labelled and 110 unlabelled samples" in shown
    assert "score mean 95 % interval only linear boosting majority" in shown
    assert "TransductiveSVC(C=" in shown
    assert "given the assigned labels" in shown
    page = (folder / "moons.html").read_text()
    assert "110 unlabelled samples took part in the fit" in page
    assert "transductive support vector machine" in page
    assert "These labels are a local optimum" in page

    assert main(["predict", "moons.mercer", "truth.csv", "-t", "moon", "-o", "answers.csv"]) == 0
    assert "accuracy  1" in capsys.readouterr().out
    assert main(["predict", "moons.mercer", "moons.csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "row,prediction,probability lower,probability upper"
    told = " ".join(err.split())
    assert "No score was computed: 110 of 120 rows have no 'moon'." in told
    assert "--" not in told  # no advice on options of fit


def test_json_and_the_program_give_the_same_numbers(capsys, folder, moons):
    argv = [*moons, *QUICK, "--rows", "60", "--groups", "family", "--seed", "2"]
    argv = [word for word in argv if word not in ("--kinds", "family=drop")]
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["data"] == {"name": "moons", "rows": 70, "of": 120, "columns": 2}  # 10 with a label, 60 without
    assert found["model"] == "TransductiveSVC"
    assert found["unlabeled"]["rows"] == 60
    assert set(found["unlabeled"]["scores_without"]) == set(found["scores"])
    score, without = found["scores"]["accuracy"]["mean"], found["unlabeled"]["scores_without"]["accuracy"]["mean"]
    compared = f"accuracy {score:.3f} with them, {without:.3f} without"
    assert any(compared in note and ("did not improve" in note) == (score <= without) for note in found["notes"])
    first = load("moons.mercer")
    (folder / "moons.mercer").unlink()
    assert main([*argv, "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<fit>", "exec"), {})
    shown = capsys.readouterr().out
    assert f"accuracy: {score:.4f} (" in shown
    assert f"accuracy without unlabelled: {without:.4f}" in shown
    X = pl.read_csv("moons.csv").drop("moon", "family")
    np.testing.assert_array_equal(load("moons.mercer").decision_function(X), first.decision_function(X))


def test_the_program_of_the_report(folder, moons, monkeypatch):
    seen = []

    def write_report(path, *parts, code):
        path.touch()
        seen.append(code)

    monkeypatch.setattr("mercer.report.write_report", write_report)
    assert main([*moons, *QUICK, "--rows", "60", "--report", "r.html"]) == 0
    names = {}
    exec(compile(seen[0], "<report>", "exec"), names)
    X = pl.read_csv("moons.csv").drop("moon")
    assert names["predict"](X).tolist() == load("moons.mercer").predict(X).tolist()
    assert len(names["y"]) == 70


def test_rows_that_do_not_help_are_told(capsys, folder):
    """Where plain rows are right already, nothing can be better."""
    x = np.r_[np.linspace(-2, -1, 20), np.linspace(1, 2, 20)]
    labels = [("left" if v < 0 else "right") if i % 4 == 0 else None for i, v in enumerate(x)]
    pl.DataFrame({"x": x, "side": labels}).write_csv("line.csv")
    argv = ["fit", "line.csv", "-t", "side", "--model", "transductive", "--kernel", "linear", "--folds", "2"]
    assert main(argv) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "The unlabelled rows did not improve the score: accuracy 1.000 with them, 1.000 without; --drop-missing"
        in shown
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--drop-missing"], "--unlabeled and --drop-missing cannot be combined"),
        (["--task", "regression"], "--unlabeled needs a classification target, got --task regression"),
        (["--model", "ridge"], "--unlabeled needs the model transductive, got --model ridge"),
    ],
)
def test_options_that_exclude_each_other(capsys, moons, options, message):
    assert main([*moons, *options]) == 1
    assert message in capsys.readouterr().err


def test_targets_that_do_not_fit(capsys, moons):
    assert main(["fit", "truth.csv", "-t", "moon", "--unlabeled"]) == 1
    assert "--unlabeled needs rows without a target, but all 120 rows of 'truth' have a value in 'moon'" in (
        capsys.readouterr().err
    )
    assert main(["fit", "moons.csv", "-t", "moon"]) == 1
    assert "use --drop-missing to leave them out, or --unlabeled to learn from them too" in capsys.readouterr().err
    pl.read_csv("truth.csv").with_columns(
        size=pl.when(pl.col("family") > 3).then(None).otherwise(pl.col("east"))
    ).write_csv("sizes.csv")
    assert main(["fit", "sizes.csv", "-t", "size", "--unlabeled"]) == 1
    err = capsys.readouterr().err
    assert "--unlabeled needs a classification target. Regression, since the target holds 40 distinct numbers." in err
    assert "--task classification" in err
