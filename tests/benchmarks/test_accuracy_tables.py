"""Command of the benchmark of automatic models on small made-up tables, with methods of scikit-learn."""

import json

import numpy as np
import pytest

from benchmarks import accuracy_tables
from benchmarks.tables import rare
from benchmarks.tables.facts import FACTS, Fact
from benchmarks.tables.methods import METHODS, Method, prototype
from benchmarks.tables.names import DEFAULT, LABELS
from tests.benchmarks.files import written


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two small tables, as the command finds them."""
    rng = np.random.default_rng(0)
    x, kind = rng.normal(size=60), rng.choice(["red", "blue", "?"], 60)
    classes = np.where((x > 0) ^ (kind == "red"), "yes", "no")
    lines = [f"{a:.4f},{b},{c}" for a, b, c in zip(x, kind, classes, strict=True)]
    written(tmp_path, "colours", "c.csv.gz", "\n".join(["size,colour,class", *lines]))
    written(tmp_path, "line", "l.csv.gz", "\n".join(f"{a:.4f},{2 * a + 1:.4f}" for a in x))
    monkeypatch.setitem(FACTS, "colours", Fact("c.csv.gz", 60, "classification", "class"))
    monkeypatch.setitem(FACTS, "line", Fact("l.csv.gz", 60, "regression"))
    return tmp_path


def command(folder, *more):
    """Run the command on both tables; its rows by table, seed and method."""
    known = ["--data", folder, "--json", folder / "r.json", "--tables", "colours", "line", "--threads", 1]
    accuracy_tables.main([*map(str, known), *more])
    rows = json.loads((folder / "r.json").read_text(encoding="utf-8"))["results"]
    return {(row["table"], row["seed"], row["method"]): row for row in rows}


def test_command_fits_only_what_is_not_stored(folder, monkeypatch, capsys):
    found = command(folder, "--methods", "forest", "hist", "--seeds", "1", "--page", str(folder / "page.md"))
    assert set(found) == {(table, 0, method) for table in ("colours", "line") for method in ("forest", "hist")}
    assert set(found["colours", 0, "forest"]["scores"]) == {"error", "log_loss", "auc"}
    assert found["line", 0, "forest"]["scores"]["rmse_sd"] < 0.3
    assert "| mean rank (tables) | all (2) |" in (folder / "page.md").read_text(encoding="utf-8")
    fits = []
    first = accuracy_tables.fitted
    monkeypatch.setattr(accuracy_tables, "fitted", lambda *args: fits.append(args[1].name) or first(*args))
    assert command(folder, "--methods", "forest", "hist", "--seeds", "1") == found
    assert fits == []
    assert len(command(folder, "--methods", "forest", "--seeds", "2")) == 6
    assert fits == ["colours", "line"]
    command(folder, "--methods", "hist", "--seeds", "1", "--again", "hist")
    assert fits == ["colours", "line"] * 2
    assert "2 stored results are computed anew" in capsys.readouterr().out
    command(folder, "--stored", "--methods", "hist", "--plot", str(folder / "no.png"))
    assert len(fits) == 4


def test_command_goes_on_after_a_failure(folder, monkeypatch):
    class Broken:
        def fit(self, X, y):
            raise RuntimeError("out of order")

    monkeypatch.setitem(METHODS, "xgboost", Method("numpy", "numpy", lambda *args, **params: Broken()))
    found = command(folder, "--methods", "xgboost", "hist", "--seeds", "1")
    assert found["line", 0, "xgboost"]["failed"] == "RuntimeError: out of order"
    assert found["line", 0, "hist"]["scores"]


def test_methods_that_are_not_installed_are_named(folder, monkeypatch, capsys):
    monkeypatch.setitem(METHODS, "catboost", Method("no-such-package", "no_such_module", None))
    found = command(folder, "--methods", "catboost", "hist", "--seeds", "1")
    assert {method for _, _, method in found} == {"hist"}
    assert "CatBoost is not installed" in capsys.readouterr().out


def test_prototype_is_known_by_its_content(folder):
    path = folder / "mine.py"
    path.write_text(
        "class AutoKernel:\n"
        "    def __init__(self, reg): self.reg = reg\n"
        "    def fit(self, X, y): self.answer = y.mean() if self.reg else 0; return self\n"
        "    def predict(self, X): return [self.answer] * len(X)\n"
    )
    more = ["--methods", "prototype", "--seeds", "1", "--prototype", str(path)]
    found = command(folder, *more)
    assert found["line", 0, "prototype"]["scores"]["rmse_sd"] == pytest.approx(1, abs=0.1)
    before = prototype(path).version
    path.write_text(path.read_text() + "# changed\n")
    assert prototype(path).version != before
    assert command(folder, *more)["line", 0, "prototype"]["version"] == prototype(path).version
    with pytest.raises(FileNotFoundError, match="expects one that defines AutoKernel"):
        prototype(folder / "none.py")


def test_mercer_takes_the_same_tables(folder):
    found = command(folder, "--methods", "mercer", "--seeds", "1")
    assert not [row["failed"] for row in found.values() if "failed" in row]
    assert found["line", 0, "mercer"]["scores"]["rmse_sd"] < 0.1


def test_rare_mode_leaves_small_tables_out(folder, monkeypatch, capsys):
    known = ["--data", str(folder), "--json", str(folder / "r.json"), "--tables", "colours", "line", "--rare"]
    accuracy_tables.main([*known, "--methods", "logistic"])
    assert "colours: left out, 0 positive training samples at 1%, fewer than 5" in capsys.readouterr().out
    assert not (folder / "r.json").exists()
    monkeypatch.setattr(rare, "SHARE", 0.4)
    accuracy_tables.main([*known, "--methods", "logistic", "hist", "--seeds", "2"])
    rows = json.loads((folder / "r.json").read_text(encoding="utf-8"))["results"]
    assert {(row["mode"], row["table"]) for row in rows} == {("rare", "colours")}
    assert len(rows) == 4
    assert set(rows[0]["scores"]) == {"auc", "average_precision", "calibration_error"}


def test_every_method_has_a_label():
    assert {*METHODS, "prototype"} == set(LABELS)
    assert {method for methods in DEFAULT.values() for method in methods} <= set(METHODS)
    assert METHODS["hist"].version == METHODS["forest"].version
    with pytest.raises(SystemExit):
        accuracy_tables.arguments([])
