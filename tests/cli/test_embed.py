"""The command ``mercer embed``."""

import json

import numpy as np
import polars as pl
import pytest

from mercer.cli import main


@pytest.mark.parametrize(
    "options",
    [
        ["--components", "3"],
        ["--kernel", "rbf(gamma=0.1)", "--rows", "100", "--seed", "1"],
        ["--target", "species", "--method", "klda", "--rows", "60"],
        ["--target", "petal width (cm)", "--rows", "60"],
    ],
)
def test_maps_and_the_program(capsys, folder, options):
    argv = ["embed", "iris", *options, "-o", "map.png", "--table", "map.csv"]
    assert main([*argv, "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == ""
    assert found["definiteness"] == "psd"
    assert (folder / "map.png").read_bytes()[1:4] == b"PNG"
    written = pl.read_csv("map.csv")
    assert written.height == found["data"]["rows"]
    assert written.columns[: found["components"]] == [f"coordinate {j + 1}" for j in range(found["components"])]
    assert written.columns[-1] == found["target"]
    for name in ("map.png", "map.csv"):
        (folder / name).unlink()
    assert main([*argv, "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<embed>", "exec"), {})
    again = pl.read_csv("map.csv")
    assert again.columns == written.columns
    np.testing.assert_allclose(again[:, 0].to_numpy(), written[:, 0].to_numpy(), atol=1e-12)
    assert (folder / "map.png").exists()


def test_what_is_shown(capsys, folder):
    (folder / "t.csv").write_text("size,colour\n" + "".join(f"{i},{'red' if i % 2 else 'blue'}\n" for i in range(20)))
    assert main(["embed", "t.csv", "-o", "map.svg"]) == 0
    shown = capsys.readouterr().out
    assert "KernelPCA" in shown
    assert "rbf" in shown
    assert "overlap" in shown  # the usual kernel of every kind of column
    assert "explained variance" in shown
    assert "<svg" in (folder / "map.svg").read_text()
    assert not (folder / "t-map.png").exists()


def test_what_cannot_be(capsys, folder):
    def error(*argv):
        assert main(["embed", *argv]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert len(err.splitlines()) == 1
        assert list(folder.iterdir()) == []
        return err

    assert "expected one of .png, .svg" in error("iris", "-o", "map.txt")
    assert "expected one of .csv" in error("iris", "--table", "map.txt")
    assert "'speciess'" in error("iris", "--target", "speciess")


@pytest.mark.parametrize("name", ["class", "Target", "label"])
def test_the_target_is_left_out(capsys, folder, name):
    """A target in the samples would make the classes appear apart although nothing separates them."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    pl.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40), name: 100 * y}).write_csv("t.csv")
    assert main(["embed", "t.csv", "--table", "map.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["target"] == name
    assert any(f"The target '{name}' is left out of the samples" in note for note in found["notes"])
    pl.read_csv("t.csv").drop(name).write_csv("without.csv")
    assert main(["embed", "without.csv", "--table", "without-map.csv"]) == 0
    left, plain = pl.read_csv("map.csv"), pl.read_csv("without-map.csv")
    np.testing.assert_allclose(left[:, :2].to_numpy(), plain[:, :2].to_numpy())
    capsys.readouterr()
    assert main(["embed", "t.csv", "--table", "again.csv", "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<embed>", "exec"), {})
    np.testing.assert_allclose(pl.read_csv("again.csv")[:, 0].to_numpy(), left[:, 0].to_numpy())
