"""``mercer fit``: qualified scores, baselines, decisions, rare classes, time."""

import csv
import json
import re
import signal
import time

import numpy as np
import polars as pl
import pytest

from mercer.cli import main
from mercer.cli.shared import progress_bar
from mercer.persistence import load
from tests.cli.people import QUICK, without_progress
from tests.cli.processes import started


def fitted(capsys, *argv):
    assert main(["fit", *argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *argv):
    assert main([*argv]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    return " ".join(without_progress(err).split())


@pytest.fixture
def rare(folder):
    """1 % of the rows are positive."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 3))
    y = np.where(x[:, 0] + 0.3 * rng.normal(size=400) > 2.3, "fraud", "ok")
    pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "id": range(400), "same": ["k"] * 400, "y": y}).write_csv("rare.csv")
    return "rare.csv"


def test_rare_positives(capsys, rare):
    argv = [
        "fit",
        rare,
        "-t",
        "y",
        "--model",
        "svm",
        "--kernel",
        "rbf[a, b]",
        "--folds",
        "3",
        "--threshold",
        "recall:0.8",
    ]
    assert main(argv) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in ("ROC AUC", "average precision", "log-loss", "linear", "boosting", "majority", "time of a fit"):
        assert words in shown
    assert "positive class fraud" in shown
    assert "threshold fraud if its probability is at least" in shown
    assert "unused columns id (row identifier); same (all values are equal)" in shown


def test_the_threshold_is_saved_and_predict_follows_it(capsys, rare, folder):
    argv = (rare, "-t", "y", *QUICK[:4], "--kernel", "rbf[a, b]", "--threshold", "0.02")
    found = fitted(capsys, *argv, "--positive", "fraud")
    assert found["positive"] == "fraud"
    assert (found["threshold"]["value"], found["threshold"]["positive"]) == (0.02, "fraud")
    assert main(["predict", "rare.mercer", rare, "-t", "y", "--id", "id"]) == 0
    out, err = capsys.readouterr()
    rows = list(csv.DictReader(out.splitlines()))
    assert list(rows[0]) == ["id", "prediction", "probability fraud", "probability ok"]
    for row in rows:
        assert row["prediction"] == ("fraud" if float(row["probability fraud"]) >= 0.02 else "ok")
    assert "Positive class: fraud if its probability is at least 0.02" in " ".join(err.split())
    assert main(["fit", *argv, "--code"]) == 0
    (folder / "rare.mercer").unlink()
    exec(compile(capsys.readouterr().out, "<fit>", "exec"), {})
    assert load("rare.mercer").threshold_.value == 0.02


def test_scoring_weights_time_and_seed_reach_the_model(capsys, rare, monkeypatch):
    from mercer.auto import AutoClassifier

    seen, fit = [], AutoClassifier.fit

    def record(self, *parts, **options):
        seen.append(self.get_params())
        return fit(self, *parts, **options)

    monkeypatch.setattr(AutoClassifier, "fit", record)
    argv = [rare, "-t", "y", *QUICK[:4], "--kernel", "rbf[a, b]", "--scoring", "roc_auc", "--seed", "7"]
    found = fitted(capsys, *argv, "--class-weight", "fraud=5", "ok=1", "--time-limit", "30", "--no-baselines")
    assert "roc_auc" in found["scores"]
    assert found["baselines"] == {}
    for params in seen:
        assert params["class_weight"] == {"fraud": 5.0, "ok": 1.0}
        assert (params["scoring"], params["random_state"], params["time_limit"]) == ("roc_auc", 7, 10.0)


def test_options_that_cannot_be_used(capsys, rare):
    quick = ("fit", rare, "-t", "y", *QUICK[:4], "--kernel", "rbf[a, b]")
    assert "names 'spam', which is not a class; the classes are 'ok', 'fraud'" in refused(
        capsys, *quick, "--class-weight", "spam=2"
    )
    assert "expects balanced, or LABEL=WEIGHT" in refused(capsys, *quick, "--class-weight", "spam")
    assert "unknown --scoring 'roc_acu'; did you mean 'roc_auc'?" in refused(capsys, *quick, "--scoring", "roc_acu")
    assert "rule must be" in refused(capsys, *quick, "--threshold", "often")
    assert "'no' is not a class of the target" in refused(capsys, *quick, "--positive", "no")
    said = refused(capsys, *quick, "--kinds", "sane=number")
    assert said == "mercer: there is no column 'sane'; did you mean 'same'?"
    assert "mercer: fit: --max-memory must be" in refused(capsys, "fit", rare, "--max-memory", "lots")
    assert "there is no column 'zzzz'; the columns are 'a', 'b'" in refused(capsys, "fit", rare, "-t", "zzzz")
    needs = refused(capsys, "fit", rare, "-t", "a", "--kernel", "rbf[b]", "--threshold", "0.5")
    assert "--threshold needs classes, but the task is regression" in needs


def test_a_threshold_for_several_classes_is_refused_before_anything_is_fitted(capsys, monkeypatch):
    monkeypatch.setattr("mercer.auto.evaluate", None)  # a call would end in an error of another kind
    said = refused(capsys, "fit", "wine", "--threshold", "0.5")
    assert said == "mercer: with 3 classes the positive one must be named; give --positive."


def test_many_columns_of_one_kind_are_one_line(capsys, folder):
    n = 300
    constant = ",".join(f"c{j}" for j in range(n))
    ones = ",".join(["1"] * n)
    (folder / "wide.csv").write_text(f"{constant},y\n" + "".join(f"{ones},{i % 2}\n" for i in range(20)))
    said = refused(capsys, "fit", "wide.csv", "-t", "y")
    assert said.startswith("mercer: all columns were dropped. c0, c1, ")
    assert "c7 and 292 more: dropped (all values are equal)." in said
    assert len(said) < 300
    rows = "".join(f"{ones},{i % 7},{i % 2}\n" for i in range(20))
    (folder / "used.csv").write_text(f"{constant},x,y\n{rows}")
    argv = ("used.csv", "-t", "y", "--model", "ridge", "--kernel", "rbf", "--folds", "2", "--no-baselines")
    assert main(["fit", *argv]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "c7 and 292 more: dropped (all values are equal)." in shown
    assert "unused columns c0, c1, c2, c3, c4, c5, c6, c7 and 292 more (all values are equal)" in shown


@pytest.mark.parametrize("kernel", ["auto", "rbf[number]"])
def test_no_kind_of_column_disappears_without_a_line(capsys, folder, kernel):
    """With 1 % positives: each column is read by the model, or shown among the unused ones with a reason."""
    rng = np.random.default_rng(0)
    n = 300
    number = rng.normal(size=n)
    letters = rng.choice(list("abcdefg"), size=(n, 12))
    table = {
        "number": number,
        "whole": rng.integers(0, 50, n),
        "flag": rng.random(n) < 0.5,
        "city": rng.choice(["Rome", "Oslo", "Bern"], n),
        "day": np.datetime64("2024-01-01") + rng.integers(0, 700, n),
        "words": [" ".join(rng.choice(["good", "bad", "late", "kind", "slow"], 7)) for _ in range(n)],
        "dna": ["".join(rng.choice(list("ACGT"), 30)) for _ in range(n)],
        "code": ["".join(row) for row in letters],
        "mixed": np.where(rng.random(n) < 0.5, "x", rng.integers(0, 9, n).astype(str)),
        "row": np.arange(n),
        "same": ["k"] * n,
        "empty": [""] * n,
        "rarely": np.where(rng.random(n) < 0.02, "1.5", ""),
        "y": np.where(np.argsort(np.argsort(-number)) < 3, "fraud", "ok"),
    }
    pl.DataFrame(table).write_csv("kinds.csv")
    options = ("--model", "ridge", "--kernel", kernel, "--folds", "2", "--no-baselines", "-o", "m.mercer")
    assert main(["fit", "kinds.csv", "-t", "y", *options]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    model = load("m.mercer")
    read = {name for name, own in model.preparer_.outputs_.items() if set(own) & set(model.columns_)}
    unused = shown.partition("unused columns")[2]
    missing = [name for name in table if name not in read and name != "y" and not re.search(rf"\b{name}\b", unused)]
    assert "number" in read
    assert {"row", "same", "empty"}.isdisjoint(read)
    assert not missing, shown


def test_rare_classes_do_not_stop_a_fit(capsys, folder):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=60), ["a"] * 30 + ["b"] * 26 + ["c"] * 2 + ["d", "e"]
    pl.DataFrame({"x": x, "z": rng.normal(size=60), "y": y}).write_csv("t.csv")
    argv = ("t.csv", "-t", "y", "--folds", "2", "--model", "ridge", "--kernel", "rbf")
    kept = fitted(capsys, *argv)
    assert kept["classes"] == ["a", "b", "c", "d", "e"]
    assert any("('d', 'e') were kept" in note for note in kept["notes"])
    assert kept["scored"] == 58
    merged = fitted(capsys, *argv, "--min-class", "3")
    assert merged["classes"] == ["(other)", "a", "b"]
    dropped = fitted(capsys, *argv, "--rare", "drop", "--min-class", "3")
    assert dropped["classes"] == ["a", "b"]
    assert dropped["seen"] == {"rows": 56, "of": 60}
    assert main(["fit", *argv, "--rare", "drop", "--min-class", "3"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "The model has seen 56 of 60 rows (93%)."
    (folder / "t.mercer").unlink()
    assert main(["fit", *argv, "--rare", "drop", "--min-class", "3", "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<fit>", "exec"), {})
    assert load("t.mercer").classes_.tolist() == ["a", "b"]


def write_families(path, count=20, size=5):
    rng, rows = np.random.default_rng(0), []
    for i in range(count):
        ancestor = rng.choice(list("ACGT"), 100)
        for _ in range(size):
            own = ancestor.copy()
            places = rng.random(100) < 0.05
            own[places] = rng.choice(list("ACGT"), places.sum())
            rows.append(("".join(own), ["a", "b"][i % 2]))
    pl.DataFrame(rows, schema=["dna", "y"], orient="row").write_csv(path)


def test_relatives_across_folds_are_flagged_where_the_score_stands(capsys, folder):
    write_families("dna.csv")
    argv = ["dna.csv", "-t", "y", "--folds", "3", "--model", "ridge", "--kernel", "spectrum(4)[dna]"]
    assert main(["fit", *argv]) == 0
    out = capsys.readouterr().out
    flagged = next(line for line in out.splitlines() if line.startswith("accuracy"))
    assert re.match(r"accuracy +0\.9\d+ !|accuracy +1\.000 !", flagged)
    assert "! 100 samples of 100 have equal or related sequences" in " ".join(out.split())
    assert "--groups auto keeps duplicates together" in " ".join(out.split())
    plain, grouped = fitted(capsys, *argv), fitted(capsys, *argv, "--groups", "auto")
    assert plain["duplicates"]["flagged"]
    assert plain["warnings"]
    assert not grouped["duplicates"]["flagged"]
    assert grouped["scores"]["accuracy"]["mean"] < plain["scores"]["accuracy"]["mean"] - 0.2
    assert any("20 groups are kept together" in note for note in grouped["notes"])
    assert main(["fit", *argv, "--groups", "auto", "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<fit>", "exec"), {})
    assert f"accuracy: {grouped['scores']['accuracy']['mean']:.4f}" in capsys.readouterr().out


def test_regression_gets_intervals(capsys, folder):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x[:, 0] + 0.1 * rng.normal(size=80)}).write_csv("t.csv")
    fitted(capsys, "t.csv", "-t", "y", "--folds", "2", "--model", "ridge", "--kernel", "rbf")
    assert main(["predict", "t.mercer", "t.csv", "-o", "p.csv"]) == 0
    table = pl.read_csv("p.csv")
    assert table.columns == ["row", "prediction", "lower", "upper"]
    assert (table["lower"] < table["prediction"]).all()
    assert (table["prediction"] < table["upper"]).all()


def test_messages_speak_of_the_file(capsys, people, folder):
    (folder / "gap.csv").write_text("a,b,y\n1,2,u\n2,3,\n4,5,v\n")
    said = refused(capsys, "fit", "gap.csv", "-t", "y")
    assert "1 of 3 samples of 'gap' have no target 'y' (the first is in line 3 of the file)" in said
    assert "Dataset.split" not in said
    (folder / "one.csv").write_text("a,y\n" + "".join(f"{i},u\n" for i in range(20)))
    said = refused(capsys, "fit", "one.csv", "-t", "y")
    assert said.startswith("mercer: the target is constant")
    assert main(["fit", people, "-t", "bought", *QUICK]) == 0
    capsys.readouterr()
    (folder / "bad.csv").write_text("id,age,income,city,note\n1,30,20.5,Rome,nice\n2,old,20.5,Paris,nice\n")
    said = refused(capsys, "predict", "people.mercer", "bad.csv")
    assert "column 'age' held numbers in fit" in said
    assert "first in line 3 of the file: 'old'" in said
    assert "TablePreparer" not in said
    (folder / "new.csv").write_text("id,age,income,city,note\n1,30,20.5,Rome,nice\n2,31,20.5,Paris,nice\n")
    assert main(["predict", "people.mercer", "new.csv", "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert "city: 1 of 2 rows have a category not seen in fit." in notes
    near = refused(capsys, "fit", people, "-t", "bougth")
    assert "did you mean 'bought'?" in near
    assert "did you mean" not in refused(capsys, "fit", people, "-t", "target")


def test_smiles_that_are_read_as_text_are_the_first_note(capsys, folder, monkeypatch):
    monkeypatch.setattr("mercer.auto.kinds._chemistry", lambda: None)
    rng = np.random.default_rng(0)
    smiles = ["C" * int(n) + "O" for n in rng.integers(1, 9, 40)]
    pl.DataFrame({"size": rng.normal(size=40), "smiles": smiles, "y": [len(s) % 2 for s in smiles]}).write_csv("m.csv")
    argv = ("m.csv", "-t", "y", "--folds", "2", "--model", "ridge", "--kernel", "spectrum(2)[smiles]")
    assert fitted(capsys, *argv)["notes"][0].startswith("smiles: SMILES are compared as text, since rdkit")


def test_progress_is_written_when_nothing_was_for_a_while(capsys, monkeypatch):
    monkeypatch.setattr(progress_bar, "SILENT", 0.05)
    monkeypatch.setattr(progress_bar, "PAUSE", 0.01)
    from mercer.auto.clock import Clock

    with progress_bar.progress("reading") as step:
        step(1, 4, "fold 2 of 3")
        clock = Clock()
        time.sleep(1.0)
        clock.reach(0.5, "rbf of numbers")
        time.sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert re.fullmatch(r"mercer: 38% after 1 s, about \d+ s left: fold 2 of 3, rbf of numbers", lines[-1])


@pytest.mark.exhaustive
@pytest.mark.parametrize("wait", [1.5, 3.0, 5.0])
def test_interrupts_end_fit_with_130(folder, wait):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 12))
    pl.DataFrame({**{f"x{i}": x[:, i] for i in range(12)}, "y": x[:, 0] * x[:, 1] > 0}).write_csv(folder / "t.csv")
    process = started(folder, ("fit", "t.csv", "-t", "y", "--report", "t.html"))
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "mercer: interrupted."
    assert sorted(path.name for path in folder.iterdir()) == ["t.csv"]


@pytest.mark.exhaustive
def test_killed_fits_leave_old_files_intact(folder, people):
    argv = ("fit", people, "-t", "bought", *QUICK, "--no-baselines", "--report", "people.html")
    process = started(folder, argv)
    process.communicate(timeout=300)
    before = {name: (folder / name).read_bytes() for name in ("people.mercer", "people.html")}
    for wait in np.random.default_rng(0).uniform(0.5, 6.0, 10):
        process = started(folder, argv)
        time.sleep(wait)
        process.kill()
        process.communicate()
        load(folder / "people.mercer")
        assert (folder / "people.html").read_bytes().rstrip().endswith(b"</html>")
    process = started(folder, argv)
    process.communicate(timeout=300)
    assert process.returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "people.html", "people.mercer"]
    assert set(before) <= {path.name for path in folder.iterdir()}
