"""Files of the data sets of the documentation; skipped where they are not there."""

import os
import pathlib

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.datasets import read


@pytest.fixture
def folder():
    """Folder of the data sets, named by the environment variable MERCER_DATA."""
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return pathlib.Path(path)


@pytest.mark.parametrize(
    ("path", "shape", "target", "classes"),
    [
        ("tables/adult/adult.csv.gz", (32561, 15), "ABOVE50K", 2),
        ("tables/letter/letter.csv.gz", (20000, 17), "class", 26),
        ("tables/magic/magic.csv.gz", (19020, 11), "class:", 2),
        ("tables/abalone/abalone.csv.gz", (4177, 9), "Class_number_of_rings", 28),
        ("tables/credit-g/credit-g.csv.gz", (1000, 21), "class", 2),
        ("strings/uci_splice/splice.csv.gz", (3190, 3), "label", 3),
        ("tables/california_housing/california_housing.csv.gz", (20640, 9), "target", None),
    ],
)
def test_tables(folder, path, shape, target, classes):
    data = read(folder / path)
    assert data.X.shape == shape
    X, y, _ = data.split(target)
    assert X.shape == (shape[0], shape[1] - 1)
    assert classes is None or len(np.unique(y)) == classes
    assert sum(data.X.null_count().row(0)) == 0


def test_adult_in_detail(folder):
    data = read(folder / "tables/adult/adult.csv.gz")
    assert "1836 in 'WORKCLASS' ('?')" in data.notes[0]
    assert data.X["WORKCLASS"].n_unique() == 9
    assert "State-gov" in data.X["WORKCLASS"]
    assert data.X["AGE"].dtype.is_integer()


def test_tables_without_names(folder):
    data = read(folder / "tables/kin40k/data.csv.gz")
    assert data.X.shape == (40000, 9)
    assert data.X.columns[-1] == "x8"
    promoters = read(folder / "strings/uci_promoters/promoters.data.gz", format="csv")
    assert promoters.X.shape == (105, 3)
    assert promoters.notes[-1].startswith("The first line is used as column names although '+' also occurs below it")


def test_messages(folder):
    path = folder / "strings/sms_spam/SMSSpamCollection.gz"
    with pytest.raises(ValueError, match=r"SMSSpamCollection\.gz, line \d+: expected 2 fields between tabs"):
        read(path, format="tsv")  # a message has a line end in it


def test_sparse(folder):
    heart = read(folder / "tables/heart/heart_scale.gz", format="svm")
    assert heart.X.shape == (270, 13)
    assert dict(zip(*np.unique(heart.y, return_counts=True), strict=True)) == {-1: 150, 1: 120}
    a9a = read(folder / "tables/a9a/a9a.gz", format="libsvm")
    assert sp.issparse(a9a.X)
    assert a9a.X.shape == (32560, 122)


def test_sequences(folder):
    ep300 = read(folder / "strings/EP300/train.fasta.gz")
    assert ep300.X.columns == ["class", "sequence"]
    assert ep300.X["class"].value_counts(sort=True)["count"].to_list() == [1000, 1000]
    worm = read(folder / "strings/celegans_splice/C_elegans_acc_seq.fa.gz")
    assert worm.X.columns == ["id", "sequence", "label"]
    assert (worm.split().y == 1).sum() == 200


@pytest.mark.parametrize(("name", "n", "classes"), [("MUTAG", 188, 2), ("PTC_MR", 344, 2), ("ENZYMES", 600, 6)])
def test_graphs(folder, name, n, classes):
    data = read(folder / "graphs" / name)
    assert len(data) == n
    assert data.name == name
    assert data.target == "class"
    assert len(np.unique(data.y)) == classes


def test_faces(folder):
    data = read(folder / "faces/orl")
    assert data.X.shape == (400, 10304)
    assert data.shape == (112, 92)
    assert len(np.unique(data.y)) == 40
