"""Errors name lines of the user's file, whatever part of it a fit or a prediction has read."""

import numpy as np
import polars as pl
import pytest

from mercer.cli import main
from mercer.cli.predict import forecast


@pytest.fixture
def table(tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    x = rng.normal(size=(60, 2))
    frame = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": np.where(x[:, 0] > 0, "up", "down")})
    frame.write_csv("good.csv")
    return frame


FIT = ("-t", "y", "--model", "ridge", "--kernel", "rbf", "--folds", "2")


def error(capsys, *argv):
    assert main([*argv]) == 1
    return capsys.readouterr().err.splitlines()[-1]


def broken(table, row, value):
    return table.with_columns(b=pl.when(pl.int_range(60) == row).then(value).otherwise(pl.col("b")))


def test_a_fold_names_the_line_of_the_file(capsys, table):
    broken(table, 40, np.inf).write_csv("bad.csv")
    assert "column 'b' holds infinity in line 42 of the file" in error(capsys, "fit", "bad.csv", *FIT)
    assert "in line 42 of the file" in error(capsys, "embed", "bad.csv", "-t", "y")
    broken(table, 40, np.inf).write_parquet("bad.parquet")
    assert "column 'b' holds infinity in row 41 of the file" in error(capsys, "fit", "bad.parquet", *FIT)


@pytest.mark.parametrize("block", [7, 1000])
def test_parts_of_a_prediction_name_the_line_of_the_file(capsys, table, monkeypatch, block):
    monkeypatch.setattr(forecast, "BLOCK", block)
    assert main(["fit", "good.csv", *FIT]) == 0
    broken(table, 50, np.inf).write_csv("bad.csv")
    assert "column 'b' holds infinity in line 52 of the file" in error(capsys, "predict", "good.mercer", "bad.csv")
    broken(table.with_columns(pl.col("b").cast(pl.String)), 50, pl.lit("x")).write_csv("text.csv")
    assert "first in line 52 of the file: 'x'" in error(capsys, "predict", "good.mercer", "text.csv")


def test_molecules_and_sequences_have_lines(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{'C' * (1 + i % 7)}O\t{'xy'[i % 2]}" for i in range(30)]
    (tmp_path / "bad.smi").write_text("\n".join(["# molecules", *lines[:20], "C1CC\tx", *lines[20:]]))
    pytest.importorskip("rdkit")
    told = error(capsys, "fit", "bad.smi", "-t", "name", "--folds", "2")
    assert "column 'smiles': line 22 of the file is not a valid SMILES" in told
    (tmp_path / "some.fasta").write_text(">a class=x\nACGT\nAC\n>b\nACG\n>c class=y\nACC\n")
    assert "the first is in line 4 of the file" in error(capsys, "fit", "some.fasta", "-t", "class")


def test_lines_stand_alone(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.jsonl").write_text('{"a": 1, "y": 0}\n{"a": 2, "y":}\n')
    assert "bad.jsonl, line 2: is not JSON" in error(capsys, "fit", "bad.jsonl", "-t", "y")
    (tmp_path / "gap.csv").write_text("a,y\n1,0\n,1\n")
    assert "gap.csv: row 2, column 'a'" in error(capsys, "fit", "gap.csv", "-t", "y", "--blocks")
