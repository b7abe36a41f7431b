"""Scores on real data, by the whole procedure in outer folds; needs the folder that MERCER_DATA names."""

import gzip
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_svmlight_file, load_wine

from mercer.auto import AutoClassifier, AutoRegressor, evaluate
from mercer.data import Graphs


@pytest.fixture(scope="module")
def folder() -> Path:
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return Path(path)


def test_wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    assert evaluate(AutoClassifier(), X, y).metrics["accuracy"].mean() >= 0.95


def test_heart(folder):
    with gzip.open(folder / "tables/heart/heart_scale.gz") as file:
        X, y = load_svmlight_file(file)
    assert evaluate(AutoClassifier(), X, y).metrics["accuracy"].mean() > 0.81


def test_concrete(folder):
    rows = np.loadtxt(folder / "tables/concrete/data.csv.gz", delimiter=",")
    rows = np.random.default_rng(0).permutation(rows)[:500]
    assert evaluate(AutoRegressor(model="ridge"), rows[:, :-1], rows[:, -1]).metrics["R²"].mean() > 0.8


def test_promoters(folder):
    with gzip.open(folder / "strings/uci_promoters/promoters.data.gz") as file:
        frame = pl.read_csv(file.read(), has_header=False, new_columns=["class", "name", "sequence"])
    found = evaluate(AutoClassifier(), frame.drop("class"), frame["class"])
    assert found.metrics["accuracy"].mean() > 0.93


def test_mutag(folder):
    graphs, y = Graphs.read_tu(folder / "graphs/MUTAG")
    assert evaluate(AutoClassifier(), graphs, y).metrics["accuracy"].mean() > 0.84
