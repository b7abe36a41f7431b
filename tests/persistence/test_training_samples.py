"""Training samples as users have them: frames, columns, trees and graphs of other makers."""

import datetime as dt
from dataclasses import dataclass
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

from mercer.data import Graph, Table, Tree
from mercer.kernels import RBF, Columns, Delta, Kernel, Linear, Overlap, register, registry
from mercer.kernels.graphs import ShortestPath, WeisfeilerLehman
from mercer.kernels.strings import Spectrum
from mercer.kernels.trees import SubsetTree
from mercer.persistence import load, save
from mercer.preprocessing import KernelRows
from mercer.ridge import KernelRidge

WORDS = ["GATTA", "TAT", "CCG", "GCCG"]
Y = np.array([0.0, 1.0, 2.0, 3.0])


@dataclass(frozen=True)
class RowType(Kernel):
    """Tells whole numbers, as pandas has them, from floats, as tables do."""

    name: ClassVar[str] = "row_type_of_a_test"

    def pair(self, a, b):
        return float(isinstance(a[1], int))


@pytest.fixture(autouse=True)
def registered_here(monkeypatch):
    """Other tests count the kernels that there are."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    register(RowType)


def loaded(kernel, X, folder):
    """A model on X from its file, after its answers were compared."""
    model = KernelRidge(kernel=kernel).fit(X, Y)
    save(model, folder / "model.mercer")
    again = load(folder / "model.mercer")
    assert np.array_equal(again.predict(X), model.predict(X))
    return again


FRAME = {
    "number": [1, 2, 3, 4],
    "missing": [0.5, None, 1.5, 2.5],
    "truth": [True, False, True, True],
    "word": WORDS,
    "mixed": ["a", 1, 2.5, "a"],
}
KERNEL = (
    Columns(["number", "truth"], RBF(gamma=0.5))
    + Columns("word", Spectrum(2))
    + Columns(["word", "truth", "mixed"], Overlap())
)


def test_a_frame_becomes_a_table(tmp_path):
    for X in (pd.DataFrame(FRAME), pd.DataFrame(FRAME).astype({"word": "category"}), Table.from_frame(FRAME)):
        assert isinstance(loaded(KERNEL, X, tmp_path).X_fit_, Table)
    polars = {name: values for name, values in FRAME.items() if name != "mixed"}
    kernel = KERNEL.terms[0] + KERNEL.terms[1] + Columns(["word", "truth"], Delta())
    for X in (pl.DataFrame(polars), pl.DataFrame(polars, schema_overrides={"word": pl.Categorical})):
        again = loaded(kernel, X, tmp_path)
        assert isinstance(again.X_fit_, Table)
        assert again.feature_names_in_.tolist() == list(polars)


def test_a_frame_of_numbers_is_an_array_as_ever(tmp_path):
    again = loaded(RBF(gamma=0.5), pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [0, 1, 0, 1]}), tmp_path)
    assert isinstance(again.X_fit_, np.ndarray)
    assert again.feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("column", "message"),
    [([dt.date(2020, 1, day) for day in range(1, 5)], "dates or times"), ([2**60 + i for i in range(4)], "2\\^53")],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_that_is_no_table_is_refused_with_advice(column, message, make, tmp_path):
    X = make({"word": WORDS, "odd": column})
    model = KernelRidge(kernel=Columns("word", Spectrum(2))).fit(X, Y)
    with pytest.raises(
        TypeError, match=rf"save: KernelRidge\.X_fit_: a frame.*'odd'.*{message}.*fit the model to mercer"
    ):
        save(model, tmp_path / "model.mercer")
    assert not list(tmp_path.iterdir())


def test_a_kernel_that_reads_the_table_otherwise(tmp_path):
    X = pd.DataFrame({"word": WORDS, "size": [1, 2, 3, 4]})
    model = KernelRidge(kernel=RowType()).fit(X, Y)
    with pytest.raises(TypeError, match="has other values on the table"):
        save(model, tmp_path / "model.mercer")


@pytest.mark.parametrize("make", [pd.Series, pl.Series, tuple, np.array, lambda v: np.array(v, dtype=object)])
def test_columns_of_strings(make, tmp_path):
    loaded(Spectrum(2), make(WORDS), tmp_path)


def test_landmarks_that_are_a_frame(tmp_path):
    X = pl.DataFrame({"age": [1.0, 2.0, 3.0], "word": WORDS[:3]})
    kernel = Columns("age", Linear()) + Columns("word", Delta())
    rows = KernelRows(kernel, landmarks=X[:2]).fit(X)
    save(rows, tmp_path / "rows.mercer")
    assert np.array_equal(load(tmp_path / "rows.mercer").transform(X), rows.transform(X))


EDGES = [[(0, 1), (1, 2)], [(0, 1)], [(0, 1), (1, 2), (2, 0)], [(0, 3)]]
LABELLED = [({(0, 1), (1, 0)}, {0: "C", 1: "O"}) for _ in range(4)]
GRAPHS = {
    "edges": EDGES,
    "counted": [(5, edges) for edges in EDGES],
    "matrices": [np.ones((n, n)) - np.eye(n) for n in range(1, 5)],
    "networkx": [nx.path_graph(n) for n in range(1, 5)],
    "networkx in an array": np.array([*(nx.path_graph(n) for n in range(1, 5)), None], dtype=object)[:4],
    "triples": LABELLED,
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_other_makers(name, tmp_path):
    again = loaded(WeisfeilerLehman(2) + 0.5 * ShortestPath(labeled=False).normalized() + 1, GRAPHS[name], tmp_path)
    assert all(isinstance(graph, Graph) for graph in again.X_fit_)


class Node:
    """A tree as nltk has it."""

    def __init__(self, label, *children):
        self._label, self.children = label, children

    def label(self):
        return self._label

    def __iter__(self):
        return iter(self.children)


def test_trees_of_other_makers(tmp_path):
    given = [Node("S", Node("NP", Node(word)), Node("VP", Node("eats"))) for word in WORDS]
    pairs = [("S", [("NP", [word]), ("VP", ["eats"])]) for word in WORDS]
    for X in (given, pairs, tuple(pairs)):
        again = loaded(SubsetTree(leaves=True).normalized(), X, tmp_path)
        assert all(isinstance(tree, Tree) for tree in again.X_fit_)
    texts = ["(S (NP ox) (VP eats))", "(S (NP x))", "(S (VP eats))", "(S)"]
    assert loaded(SubsetTree(leaves=True), texts, tmp_path).X_fit_ == texts
