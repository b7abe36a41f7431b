"""``mercer fit`` as a program, on what people have: an error in one line, or a note on the decision."""

import json

import numpy as np
import polars as pl
import pytest

from mercer.cli import main
from tests.cli.people import without_progress

QUICK = ("--folds", "2", "--model", "svm", "--json")


def refused(program, folder, *argv, **environment):
    """The one line that says what is wrong; nothing is written."""
    before = sorted(folder.iterdir())
    done = program("fit", *argv, **environment)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("mercer: ")
    assert done.stderr.count("\n") == 1
    assert sorted(folder.iterdir()) == before
    return done.stderr


@pytest.fixture
def table(folder):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=40).round(3), "b": ["u", "v"] * 20, "y": ["no"] * 20 + ["yes"] * 20})
    frame.write_csv(folder / "t.csv")
    return frame


def test_names(program, folder, table):
    assert "there is no column 'yy'" in refused(program, folder, "t.csv", "--target", "yy")
    assert "there is no file or folder 'absent.csv'" in refused(program, folder, "absent.csv")
    assert "does not exist; create it first" in refused(program, folder, "t.csv", "-t", "y", "-o", "absent/m.mercer")


def test_contents(program, folder, table):
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 20)
    assert "binary.csv" in refused(program, folder, "binary.csv", "-t", "y")
    (folder / "row.csv").write_text("a,b,y\n1,2,yes\n")
    assert "mercer: " in refused(program, folder, "row.csv", "-t", "y")
    (folder / "empty.csv").write_text("")
    assert "empty.csv" in refused(program, folder, "empty.csv", "-t", "y")


def test_targets(program, folder, table):
    table.with_columns(y=pl.lit("same")).write_csv(folder / "constant.csv")
    assert "class" in refused(program, folder, "constant.csv", "-t", "y")
    table.with_columns(y=pl.when(pl.col("a") > 0.5).then(None).otherwise("y")).write_csv(folder / "some.csv")
    missing = int((table["a"] > 0.5).sum())
    message = refused(program, folder, "some.csv", "-t", "y")
    assert f"{missing} of 40 samples" in message
    assert "use --drop-missing" in message


def test_mixed_types_are_told(program, folder, table):
    table.with_columns(c=pl.Series(["1", "2", "x", "4.5"] * 10)).write_csv(folder / "mixed.csv")
    done = program("fit", "mixed.csv", "-t", "y", *QUICK)
    assert (done.returncode, without_progress(done.stderr)) == (0, "")
    found = json.loads(done.stdout)
    assert found["kinds"] == {"a": "number", "b": "category", "c": "category"}
    assert any("'c'" in note or "c:" in note for note in found["notes"])


@pytest.mark.exhaustive
def test_a_million_rows(program, folder):
    n, rng = 1_000_000, np.random.default_rng(0)
    x = rng.normal(size=(n, 2)).round(2)
    pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": x.sum(axis=1) > 0}).write_csv(folder / "big.csv")
    done = program("fit", "big.csv", "-t", "y", "--rows", "200", "--kernel", "linear", *QUICK)
    assert (done.returncode, without_progress(done.stderr)) == (0, "")
    found = json.loads(done.stdout)
    assert found["data"]["of"] == n
    assert 198 <= found["data"]["rows"] <= 200
    assert any(f"of {n} rows were sampled at random" in note for note in found["notes"])
    assert found["scores"]["accuracy"]["mean"] > 0.9


def test_terminals(program, folder, table, capsys, monkeypatch):
    """Widths, no colours, no locale, a name and a folder with blanks."""
    (folder / "my data").mkdir()
    table.write_csv(folder / "my data" / "a table.csv")
    argv = ("fit", "my data/a table.csv", "-t", "y", "--kernel", "rbf[a] + overlap[b]", *QUICK[:-1])
    done = program(*argv, COLUMNS="40", NO_COLOR="1", LANG="C", LC_ALL="C")
    assert (done.returncode, without_progress(done.stderr)) == (0, "")
    assert "\x1b[" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 40
    assert (folder / "a table.mercer").exists()
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(list(argv)) == 0
    out, err = capsys.readouterr()
    assert "\x1b[" in out
    assert without_progress(err) == ""  # colours are asked for, a progress bar is not
