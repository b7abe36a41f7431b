"""``mercer fit --blocks``, ``--parquet`` and ``--dask``."""

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from distributed import LocalCluster

from mercer._estimator.blocks.tasks import SumMoments
from mercer.cli import main
from mercer.cli.shared import progress_bar
from mercer.persistence import load
from mercer.ridge import KernelRidgeCV
from tests.cli.people import without_progress


@pytest.fixture
def table(tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    X = rng.normal(size=(400, 2)) * [1, 100]
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": np.sin(X[:, 0]) + X[:, 1] / 100})
    (tmp_path / "parts").mkdir()
    for i, start in enumerate((0, 150)):
        frame[start : [150, 400][i]].write_parquet(tmp_path / "parts" / f"{i}.parquet")
    return frame


def test_a_folder_becomes_a_model(capsys, table):
    assert main(["fit", "parts", "-t", "y", "--blocks", "--approximation", "60"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for told in (
        "parts 400 rows, 2 columns, read in blocks → regression of y",
        "score of 40 rows that the scored fit did not see",
        "RMSE",
    ):
        assert told in shown
    model = load("parts.mercer")
    assert model.score(table[["a", "b"]], table["y"]) > 0.99
    table.write_parquet("new.parquet")
    assert main(["predict", "parts.mercer", "new.parquet", "-o", "out.csv"]) == 0
    np.testing.assert_allclose(pl.read_csv("out.csv")["prediction"], model.predict(table[["a", "b"]]))


def test_parquet_names_the_folder(capsys, table):
    options = ["-t", "y", "--approximation", "60", "--json"]
    found = []
    for argv in (["parts", "--blocks"], ["--parquet", "parts"]):
        assert main(["fit", *argv, *options]) == 0
        found.append(json.loads(capsys.readouterr().out))
        del found[-1]["seconds"]
    assert found[0] == found[1]
    assert found[0]["data"] == {"name": "parts", "rows": 400, "columns": 2}


@pytest.mark.parametrize("fails", [1, 2, None])
def test_a_checkpoint_is_resumed_by_the_same_command(capsys, table, monkeypatch, fails):
    argv = ["fit", "parts", "-t", "y", "--blocks", "--approximation", "60", "--json"]
    assert main([*argv, "-o", "whole.mercer"]) == 0
    whole = json.loads(capsys.readouterr().out)
    argv += ["--checkpoint", "sums", "-o", "resumed.mercer"]
    computed, calls = [0], [0]
    compute, take = SumMoments.__call__, KernelRidgeCV.fit

    def counted(self, *args):
        computed[0] += 1
        return compute(self, *args)

    def stopped(self, *args, **options):
        calls[0] += 1
        model = take(self, *args, **options)
        if calls[0] == fails:
            raise OSError("the disk is full")
        return model

    monkeypatch.setattr(SumMoments, "__call__", counted)
    if fails is not None:
        monkeypatch.setattr(KernelRidgeCV, "fit", stopped)
        assert main(argv) != 0
        assert sorted(path.name for path in Path("sums").iterdir()) == (
            ["scores"] if fails == 1 else ["model", "scores"]
        )
        capsys.readouterr()
        monkeypatch.setattr(KernelRidgeCV, "fit", take)
    first, computed[0] = computed[0], 0
    assert main(argv) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert resumed["scores"] == whole["scores"]
    assert np.array_equal(load("resumed.mercer").dual_coef_, load("whole.mercer").dual_coef_)
    assert not Path("sums").exists()
    if fails == 2:  # only the first block of each sum, to learn its shape
        assert computed[0] < first


def test_damaged_files_are_found_by_a_child_before_the_fit(capsys, table, monkeypatch):
    file = Path("parts/1.parquet")
    data = bytearray(file.read_bytes())
    data[50:400] = bytes(350)
    file.write_bytes(data)
    monkeypatch.setattr("mercer.datasets.read_blocks", None)  # a call would end in an error of another kind
    assert main(["fit", "--parquet", "parts", "-t", "y"]) == 1
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert line.startswith("mercer: parts/1.parquet: is a corrupt Parquet file (")


def test_progress_counts_passes_over_the_rows(capsys, table, monkeypatch):
    monkeypatch.setattr(progress_bar, "SILENT", 0.0)
    monkeypatch.setattr(progress_bar, "PAUSE", 0.001)
    assert main(["fit", "parts", "-t", "y", "--blocks", "--approximation", "60"]) == 0
    lines = re.findall(r"mercer: (?:(\d+)% )?after \d+ s(.*): (.*)", capsys.readouterr().err)
    shares = [int(share) for share, _, _ in lines if share]
    assert shares == sorted(shares)
    assert {"fit for the scores", "fit on all rows"} <= {text for _, _, text in lines}
    assert any("s left" in left for _, left, _ in lines)


def test_classes_are_scored_against_the_most_frequent(capsys, table):
    labelled = table.with_columns(y=pl.when(pl.col("a") > 0.5).then(pl.lit("high")).otherwise(pl.lit("low")))
    labelled.write_csv("labels.csv")
    assert main(["fit", "labels.csv", "-t", "y", "--blocks", "--approximation", "40", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["task"] == "classification"
    accuracy, area = found["scores"]["accuracy"], found["scores"]["ROC AUC"]
    assert accuracy["value"] > 0.85 > accuracy["baseline"]
    assert area["value"] > 0.9 > area["baseline"] == 0.5
    assert list(found["scores"]) == ["accuracy", "balanced accuracy", "ROC AUC", "average precision"]
    assert load("labels.mercer").classes_.tolist() == ["high", "low"]


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # Dask's reader, with pandas 3
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_cluster_reads_the_files(capsys, table, kind):
    if kind == "csv":  # a blank in a name, integers, truth values
        shutil.rmtree("parts")
        Path("parts").mkdir()
        table = table.with_columns(pl.col("b").round().cast(pl.Int64), c=pl.col("a") > 0)
        table.rename({"b": " b"}).write_csv("parts/0.csv", separator=";")
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        argv = ["fit", "parts", "-t", "y", "--dask", cluster.scheduler_address, "--approximation", "60", "--json"]
        assert main(argv) == 0
    there = json.loads(capsys.readouterr().out)
    assert main(["fit", "parts", "-t", "y", "--blocks", "--approximation", "60", "--json", "-o", "here.mercer"]) == 0
    here = json.loads(capsys.readouterr().out)
    assert there["scores"]["R²"]["value"] == pytest.approx(here["scores"]["R²"]["value"], abs=1e-6)
    X = table.drop("y")
    np.testing.assert_allclose(load("parts.mercer").predict(X), load("here.mercer").predict(X), atol=1e-6)


def test_the_missing_extra_is_named(capsys, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["fit", "parts", "-t", "y", "--dask", "tcp://nowhere:8786"]) != 0
    assert capsys.readouterr().err == "mercer: fit: clusters need Dask; install it with: pip install 'mercer[dask]'\n"


def test_a_cluster_without_workers_is_refused_before_the_files_are_read(capsys, table, monkeypatch):
    monkeypatch.setattr("mercer.data.blocks.dask_blocks.cluster._PATIENCE", 0.1)
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster:
        assert main(["fit", "--parquet", "parts", "-t", "y", "--dask", cluster.scheduler_address]) != 0
    assert "mercer: fit: the cluster" in (error := capsys.readouterr().err)
    assert "has had no workers for 0.1 s; start workers" in error


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["parts", "--blocks"], "need --target"),
        (["parts", "--blocks", "-t", "y", "--approximation", "none"], "need landmarks"),
        (["parts", "--blocks", "-t", "z"], "no column 'z'"),
        (["parts", "-t", "y", "--dask", "nowhere"], "no Dask scheduler answers"),
        (["-t", "y"], "expected either DATA or --parquet FOLDER, got neither"),
        (["parts", "--parquet", "parts", "-t", "y"], "expected either DATA or --parquet FOLDER, got both"),
        (["--parquet", "absent", "-t", "y"], "there is no file or folder 'absent'"),
        (["--parquet", "empty", "-t", "y"], "got an empty folder"),
        (["--parquet", "text", "-t", "y"], "--parquet expects Parquet files, got CSV files"),
        (["--parquet", "false.parquet", "-t", "y"], "false.parquet: is not a Parquet file"),
        (["--parquet", "mixed", "-t", "y"], "b.parquet: its columns differ from those of a.parquet (['a', 'b', 'x'])"),
        (["--parquet", "one.parquet", "-t", "y"], "one.parquet has 1 row, expected at least 2"),
        (["mixed", "-t", "y", "--dask", "nowhere"], "its columns differ"),  # before the cluster is asked
        (["parts", "--blocks", "-t", "y", "--report", "r.html"], "--report cannot be combined with --blocks"),
        (["parts", "-t", "y", "--checkpoint", "c"], "--checkpoint needs --blocks or --parquet"),
        (["parts", "-t", "y", "--dask", "nowhere", "--checkpoint", "c"], "--checkpoint cannot be combined with --dask"),
        (["parts", "--blocks", "-t", "y", "--code"], "--code cannot be combined with --blocks"),
    ],
)
def test_bad_options_are_one_line(capsys, table, tmp_path, monkeypatch, options, told):
    monkeypatch.setattr("mercer.data.blocks.dask_blocks.cluster._CONNECT", 1)
    for folder in ("empty", "text", "mixed"):
        (tmp_path / folder).mkdir()
    table.write_csv("text/table.csv")
    table.write_csv("false.parquet")
    table.write_parquet("mixed/a.parquet")
    table[["b", "y"]].rename({"b": "x"}).write_parquet("mixed/b.parquet")
    table[:1].write_parquet("one.parquet")
    assert main(["fit", *options]) != 0
    error = without_progress(capsys.readouterr().err)
    assert told in error
    assert error.count("\n") == 1
