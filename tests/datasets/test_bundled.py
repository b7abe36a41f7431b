"""Data sets that come with the package: the same every time, learnable, not trivial."""

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

from mercer.data import Graphs, Trees
from mercer.datasets import load, names, read
from mercer.kernels import RBF, Columns, Overlap
from mercer.kernels.graphs import VertexHistogram, WeisfeilerLehman
from mercer.kernels.strings import BagOfWords, Gapped, Spectrum
from mercer.kernels.trees import PartialTree, SubsetTree
from mercer.svm import SVC

FRAMES = {
    "wine": (178, 14, "class", {"class_0": 59, "class_1": 71, "class_2": 48}),
    "iris": (150, 5, "species", {"setosa": 50, "versicolor": 50, "virginica": 50}),
    "breast_cancer": (569, 31, "diagnosis", {"benign": 357, "malignant": 212}),
    "motifs": (300, 2, "class", {"bound": 150, "free": 150}),
    "reviews": (300, 6, "class", {"kept": 150, "returned": 150}),
}


def accuracy(kernel, X, y, C=10.0):
    """Mean over five folds, as the documentation tells it."""
    return cross_val_score(SVC(kernel=kernel, C=C), X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)).mean()


@pytest.mark.parametrize("name", names())
def test_each_is_whole_and_the_same_every_time(name):
    data, again = load(name), read(name)
    assert data.name == name
    assert data.notes == ()
    assert len(names()[name]) > 20
    assert names()[name].startswith(f"{len(data)} ")
    if isinstance(data.X, Graphs):
        assert data.X == again.X
        assert data.y.tolist() == again.y.tolist()
    else:
        assert data.X.equals(again.X)
        assert data.target in data.X.columns
    parts = data.split()
    assert parts.target == data.target
    assert len(parts.y) == len(data)


@pytest.mark.parametrize("name", FRAMES)
def test_frames_and_their_classes(name):
    n, width, target, counts = FRAMES[name]
    data = load(name)
    assert data.X.shape == (n, width)
    assert data.target == target
    assert dict(zip(*np.unique(data.split().y, return_counts=True), strict=True)) == counts


def test_digits_and_diabetes():
    digits = load("digits")
    assert digits.X.columns[0] == "pixel_0_0"
    assert digits.split().y.dtype == np.int64
    assert digits.X["pixel_3_3"].max() == 16
    diabetes = load("diabetes")
    assert diabetes.target == "progression"
    assert diabetes.X["age"].min() == 19  # years, as they were measured
    assert diabetes.split().y.dtype == np.float64


@pytest.mark.parametrize("name", ["wien", "Motifs", "ring", 3, None])
def test_wrong_names(name):
    hint = {"wien": "did you mean 'wine'", "Motifs": "did you mean 'motifs'", "ring": "did you mean 'rings'"}
    with pytest.raises(ValueError, match=f"there is no bundled data set .*; {hint.get(name, 'available: wine, iris')}"):
        load(name)


def test_motifs():
    X, y, _ = load("motifs").split()
    assert X["sequence"][0] == "GGCCAAAATGTGGTGACGTCCGTCAGATGTAATAGACCCCAAAAGGG"
    assert set("".join(X["sequence"])) == set("ACGT")
    assert X["sequence"].str.len_chars().min() == 30
    weak, good = accuracy(Spectrum(3).normalized(), X, y), accuracy(Gapped(10, 4).normalized(), X, y)
    assert 0.6 < weak < 0.75 < 0.83 < good < 0.95


def test_expressions():
    X, y, _ = load("expressions").split()
    trees = Trees(X["tree"].to_list())
    assert trees[0].label() == "sin"
    sizes = np.diff(trees.offsets)
    assert (sizes.min(), sizes.max()) == (12, 20)
    weak, good = accuracy(SubsetTree().normalized(), trees, y), accuracy(PartialTree().normalized(), trees, y)
    assert 0.65 < weak < 0.85 < 0.9 < good < 0.99


def test_rings():
    X, y, _ = load("rings").split()
    assert repr(X) == "Graphs(240 of 10 to 16 nodes, 3 node labels)"
    assert (X.n_edges == X.n_nodes).all()  # a ring with trees attached
    assert 110 < (y == "heterocycle").sum() < 130
    assert accuracy(VertexHistogram().normalized(), X, y) < 0.6
    assert 0.8 < accuracy(WeisfeilerLehman().normalized(), X, y) < 0.93


def test_reviews():
    X, y, _ = load("reviews").split()
    assert X.dtypes == [pl.Float64, pl.Int64, pl.String, pl.String, pl.String]
    assert 20 < X["price"].null_count() < 45
    assert X["review"].n_unique() > 250
    scaled = X.with_columns(
        price=((pl.col("price").log() - 3.4) / 0.6).fill_null(0.0), days=((pl.col("days") - 4) / 2).fill_null(0.0)
    )
    numbers = Columns(["price", "days"], RBF(gamma=0.3))
    categories = Columns(["product", "shop"], Overlap())
    text = Columns("review", BagOfWords().normalized())
    alone = [accuracy(kernel, scaled, y, C=1.0) for kernel in (numbers, categories, text)]
    assert all(0.6 < score < 0.8 for score in alone)
    assert max(alone) + 0.05 < accuracy(numbers + categories + text, scaled, y, C=1.0) < 0.92
