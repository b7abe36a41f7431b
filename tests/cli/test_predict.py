"""The command ``mercer predict``."""

import csv
import json
import re

import numpy as np
import polars as pl
import pytest
from sklearn import metrics

from mercer.auto import trained_rows
from mercer.cli import main
from mercer.cli.predict import forecast
from mercer.cli.shared import progress_bar
from mercer.kernels import RBF
from mercer.persistence import load, save
from tests.cli.people import QUICK, write_people


def test_predictions(capsys, folder, people):
    assert main(["fit", people, "-t", "bought", *QUICK, "-o", "m.mercer"]) == 0
    capsys.readouterr()
    model, table = load("m.mercer"), pl.read_csv(people)
    exact = model.predict(table.drop("bought")).tolist()
    accuracy = np.mean(np.array(exact) == table["bought"].to_numpy())

    assert main(["predict", "m.mercer", people]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["prediction"] for row in rows] == exact
    assert [row["row"] for row in rows] == [str(i) for i in range(1, 61)]
    assert re.search(rf"^accuracy +{accuracy:.4g}\b", err, re.MULTILINE)
    assert "'bought' is used as the target" in err
    assert "60 of 60 rows equal rows of the training data: scores on them are optimistic." in " ".join(err.split())

    write_people(folder / "new.csv", target=False)
    for name, read in (("p.csv", pl.read_csv), ("p.jsonl", pl.read_ndjson), ("p.parquet", pl.read_parquet)):
        argv = ["predict", "m.mercer", "new.csv", "--id", "id", "-o", name]
        assert main([*argv, "--json"]) == 0
        out, err = capsys.readouterr()
        found = json.loads(out)
        assert (found["rows"], found["scores"], found["output"], err) == (60, None, name, "")
        written = read(name)
        assert written.columns == ["id", "prediction", "probability no", "probability yes"]
        assert written["prediction"].to_list() == exact
        (folder / name).unlink()
        assert main([*argv, "--code"]) == 0
        exec(compile(capsys.readouterr().out, "<predict>", "exec"), {})
        assert read(name).equals(written)

    assert main(["predict", "m.mercer", people, "-t", "bought", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scores"]["accuracy"] == accuracy
    P = np.array([[entry["probability no"], entry["probability yes"]] for entry in found["predictions"]])
    truth = table["bought"].to_numpy()
    positive = model.positive_
    chance = P[:, ["no", "yes"].index(positive)]
    assert found["scores"]["ROC AUC"] == pytest.approx(metrics.roc_auc_score(truth == positive, chance))
    assert found["scores"]["average precision"] == pytest.approx(
        metrics.average_precision_score(truth == positive, chance)
    )
    assert found["scores"]["log-loss"] == pytest.approx(metrics.log_loss(truth, P))
    assert [entry["prediction"] for entry in found["predictions"]] == exact
    assert main(["predict", "m.mercer", people, "-t", "bought", "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<predict>", "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1] == str(accuracy)


def test_what_cannot_be_predicted(capsys, folder, people):
    assert main(["fit", people, "-t", "bought", *QUICK, "--kinds", "note=drop", "id=drop"]) == 0
    capsys.readouterr()

    def error(*argv):
        assert main(["predict", *argv]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        return err.splitlines()[-1]

    assert "absent.mercer: no such model file" in error("absent.mercer", people)
    assert "people.csv" in error(people, people)
    assert "expected one of .csv, .jsonl, .parquet" in error("people.mercer", people, "-o", "p.txt")
    (folder / "other.csv").write_text("age,income\n31,2\n")
    what = "mercer: other.csv: has no column 'city', which the model reads; its columns are 'age', 'income'."
    assert error("people.mercer", "other.csv") == what
    (folder / "foreign.csv").write_text("amount,hour\n31,2\n")
    what = "mercer: foreign.csv: has no column 'age', 'income', 'city', which the model reads; its columns are 'amount'"
    assert error("people.mercer", "foreign.csv").startswith(what)
    (folder / "near.csv").write_text("age,incme,city\n31,2,Rome\n")
    assert error("people.mercer", "near.csv").endswith("'income', which the model reads; did you mean 'incme'?")
    (folder / "words.csv").write_text("age,income,city\nold,2,Rome\n")
    assert "column 'age' held numbers in fit" in error("people.mercer", "words.csv")
    assert "'ident'" in error("people.mercer", people, "--id", "ident")
    table = pl.read_csv(people)
    table.with_columns(prediction=pl.lit(1)).write_csv("named.csv")
    assert "--id cannot be 'prediction'" in error("people.mercer", "named.csv", "--id", "prediction")
    save(RBF(gamma=1.0), "kernel.mercer")
    assert "holds a RBF, which has no predict method" in error("kernel.mercer", people)
    table.drop("bought").with_columns(remark=pl.lit("x")).write_csv("remark.csv")
    assert main(["predict", "people.mercer", "remark.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scores"] is None
    assert "Ignored columns that are unknown to the model: remark." in found["notes"]
    (folder / "some.csv").write_text("age,income,city,bought\n31,2,Rome,\n40,3,Oslo,yes\n")
    assert main(["predict", "people.mercer", "some.csv"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 3
    assert "No score was computed: 1 of 2 rows have no 'bought'." in " ".join(err.split())
    assert "fill in the values, or remove --target" in error("people.mercer", "some.csv", "--target", "bought")
    (folder / "none.csv").write_text("age,income,city,bought\n31,2,Rome,\n40,3,Oslo,\n")
    assert "2 of 2 rows have no 'bought'" in error("people.mercer", "none.csv", "--target", "bought")


def test_classes_whose_order_as_text_differs_are_scored_alike(capsys, folder, rng):
    x = rng.normal(size=80)
    y = np.where(x + rng.normal(size=80) > 0, 2, 10)  # as text, 10 comes first
    pl.DataFrame({"x": x, "y": y}).write_csv("t.csv")
    assert (
        main(["fit", "t.csv", "-t", "y", "--model", "ridge", "--kernel", "rbf", "--folds", "2", "-o", "m.mercer"]) == 0
    )
    capsys.readouterr()
    assert main(["predict", "m.mercer", "t.csv", "-t", "y", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    chance = [entry["probability 10"] for entry in found["predictions"]]
    assert found["scores"]["ROC AUC"] == pytest.approx(metrics.roc_auc_score(y == 10, chance))
    assert found["scores"]["log-loss"] < 0.69
    pl.DataFrame({"x": x, "y": np.where(x > 1, 7, y)}).write_csv("unknown.csv")
    assert main(["predict", "m.mercer", "unknown.csv", "-t", "y", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["scores"]) == ["accuracy", "balanced accuracy"]


def test_large_files_are_predicted_in_parts_with_progress(capsys, people, monkeypatch):
    assert main(["fit", people, "-t", "bought", *QUICK, "-o", "m.mercer"]) == 0
    capsys.readouterr()
    assert main(["predict", "m.mercer", people]) == 0
    whole = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    monkeypatch.setattr(forecast, "BLOCK", 7)
    monkeypatch.setattr(progress_bar, "SILENT", 0.0)
    monkeypatch.setattr(progress_bar, "PAUSE", 0.001)
    assert main(["predict", "m.mercer", people]) == 0
    out, err = capsys.readouterr()
    parts = list(csv.DictReader(out.splitlines()))
    assert [row["prediction"] for row in parts] == [row["prediction"] for row in whole]
    for name in ("probability no", "probability yes"):
        np.testing.assert_allclose(*([float(row[name]) for row in rows] for rows in (parts, whole)), rtol=1e-12)
    assert re.search(r"mercer: \d+% after 0 s.*: prediction of row \d+ of 60", err)


def test_scores_on_training_rows_are_called_optimistic(capsys, folder, people, monkeypatch):
    """The model file was trained on the first 40 of 60 rows, and scored on all, on the new ones, and on none."""
    table = pl.read_csv(people)
    table.head(40).write_csv("first.csv")
    table.tail(20).write_csv("last.csv")
    assert main(["fit", "first.csv", "-t", "bought", *QUICK, "-o", "m.mercer"]) == 0
    capsys.readouterr()

    def notes(data, *options):
        assert main(["predict", "m.mercer", str(data), "--json", *options]) == 0
        return [note for note in json.loads(capsys.readouterr().out)["notes"] if "optimistic" in note]

    assert notes(people) == ["40 of 60 rows equal rows of the training data: scores on them are optimistic."]
    assert notes("last.csv") == []
    table.drop("bought").write_csv("unknown.csv")
    assert notes("unknown.csv") == []  # no score
    monkeypatch.setattr(trained_rows, "MOST", 20)
    assert main(["fit", "first.csv", "-t", "bought", *QUICK, "-o", "m.mercer"]) == 0
    capsys.readouterr()
    (note,) = notes(people)
    assert re.fullmatch(r"20 of \d+ rows, a sample of 60, equal rows of .*", note)
