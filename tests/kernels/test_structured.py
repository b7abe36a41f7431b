"""Strings, trees and graphs given to kernels of vectors: the error names the kernels that read them."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import RBF, Chi2, Linear, Spectrum, SubsetTree, WeisfeilerLehman
from mercer.kernels.structured import kind_of
from mercer.preprocessing import KernelRows
from mercer.ridge import KernelRidge
from mercer.svm import SVC

WORDS = ["GATTACA", "CAT", "TACT", "GAT"]
GRAPHS = [nx.path_graph(3), nx.path_graph(4)] * 2
TREES = Trees(["(S (A a))", "(S (A a) (B b))"] * 2)
CASES = [
    *((X, "strings", "Spectrum(p=3)") for X in (WORDS, np.array(WORDS), np.array(WORDS, dtype=object), Strings(WORDS))),
    (np.array(WORDS, dtype=object)[:, None], "strings", "Spectrum(p=3)"),
    (pd.Series(WORDS), "strings", "Spectrum(p=3)"),
    (pd.DataFrame({"read": WORDS}), "strings", "Spectrum(p=3)"),
    (Table.from_frame({"read": WORDS}), "strings", "Spectrum(p=3)"),
    ([["a", "b"], ["c"], ["d"], ["e"]], "strings", "BagOfWords()"),
    ([b"GAT", b"CAT", b"T", b"A"], "strings", "Spectrum(p=3)"),
    (GRAPHS, "graphs", "WeisfeilerLehman()"),
    (Graphs(GRAPHS), "graphs", "WeisfeilerLehman()"),
    (TREES, "trees", "SubsetTree()"),
    (list(TREES), "trees", "SubsetTree()"),
]
IDS = [f"{type(X).__name__}-{kind}-{i}" for i, (X, kind, _) in enumerate(CASES)]


@pytest.mark.parametrize(("X", "kind", "kernel"), CASES, ids=IDS)
def test_errors_name_the_kernels_for_such_samples(X, kind, kernel):
    asks = [
        ("RBF", lambda: RBF()(X)),
        ("Linear", lambda: (Linear() + Chi2())(X)),
        ("SVC with the kernel rbf", lambda: SVC().fit(X, [0, 0, 1, 1])),
        ("KernelRidge with the kernel linear", lambda: KernelRidge().fit(X, [0.0, 0, 1, 1])),
        ("KernelRows with the kernel linear", lambda: KernelRows(Linear()).fit(X)),
    ]
    for who, ask in asks:
        with pytest.raises((TypeError, ValueError)) as raised:
            ask()
        message = str(raised.value)
        assert f"expected vectors of numbers, got 4 {kind}; use a " in message
        assert kernel in message
        assert message.startswith((who, who.rpartition(" ")[2].upper(), "Linear", "RBF"))


def test_predictions_name_them_too():
    model = SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    with pytest.raises(TypeError, match=r"SVC with the kernel rbf.*got 4 strings; use a string kernel"):
        model.predict(WORDS)


def test_the_kernels_that_are_named_read_them():
    for kernel, X in ((Spectrum(p=3), WORDS), (WeisfeilerLehman(), GRAPHS), (SubsetTree(), TREES)):
        assert SVC(kernel=kernel).fit(X, [0, 0, 1, 1]).predict(X).shape == (4,)


@pytest.mark.parametrize(
    "X",
    [[["red", "big"], ["blue", "big"]], [[1.0, "a"]], np.ones((2, 2)), [], np.ones(3), [[1.0], [2.0, 3.0]], [None, 1]],
    ids=repr,
)
def test_other_data_keep_their_errors(X):
    assert kind_of(X) is None


def test_errors_about_targets_are_not_blamed_on_strings():
    with pytest.raises(ValueError, match="y"):
        SVC(kernel=Spectrum()).fit(WORDS, None)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SVC(kernel=Spectrum()).fit(WORDS, [0, 1])
