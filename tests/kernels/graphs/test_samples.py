"""Samples that the pages promise: lists, arrays and columns of networkx graphs and of SMILES."""

import sys

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

from mercer import cli
from mercer.auto import AutoClassifier
from mercer.data import Graphs
from mercer.decomposition import KernelPCA
from mercer.explain import top_features
from mercer.kernels import Columns, Graphlet, RandomWalk, ShortestPath, Spectrum, WeisfeilerLehman, kernel
from mercer.operators import gram
from mercer.perceptron import KernelPerceptron
from mercer.persistence import load, save
from mercer.preprocessing import FeatureMap, KernelRows
from mercer.ridge import KernelRidge
from mercer.svm import SVC

SMILES = ["CCO", "CCCO", "c1ccccc1", "Cc1ccccc1", "CC(=O)O", "C1CCCCC1"]
TARGET = np.array([0, 0, 1, 1, 0, 1])
SUM = WeisfeilerLehman(1).normalized() + Graphlet(3)
KERNELS = [WeisfeilerLehman(2), ShortestPath(), Graphlet(3), RandomWalk(), SUM]


def networks():
    """The same molecules as graphs of networkx."""
    return [graph.to_networkx() for graph in Graphs.from_smiles(SMILES)]


def dense(F):
    return np.asarray(F.toarray() if hasattr(F, "toarray") else F)


def objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


FORMS = {
    "list": list,
    "tuple": tuple,
    "array": objects,
    "pandas column": pd.Series,
    "pandas frame": lambda values: pd.DataFrame({"molecule": values}),
}
TEXTS = {
    **FORMS,
    "text array": np.array,
    "polars column": pl.Series,
    "polars frame": lambda values: pl.DataFrame({"molecule": values}),
}
SAMPLES = {
    **{f"SMILES, {name}": form(SMILES) for name, form in TEXTS.items()},
    **{f"networkx, {name}": form(networks()) for name, form in FORMS.items()},
}
every_form = pytest.mark.parametrize("X", SAMPLES.values(), ids=SAMPLES)


@every_form
@pytest.mark.parametrize("k", KERNELS, ids=str)
def test_kernels(X, k):
    packed = Graphs.from_smiles(SMILES)
    np.testing.assert_allclose(k(X), k(packed), rtol=1e-12)
    np.testing.assert_allclose(gram(k, X).dense(), k(packed), rtol=1e-12)


@every_form
@pytest.mark.parametrize(
    "model",
    [SVC(), KernelRidge(alpha=0.1), KernelPCA(2), FeatureMap(), KernelRows(), KernelPerceptron()],
    ids=lambda model: type(model).__name__,
)
def test_estimators(X, model, tmp_path):
    packed = Graphs.from_smiles(SMILES)
    ask = "transform" if hasattr(model, "transform") else "predict"
    for k in (WeisfeilerLehman(1), "normalized(weisfeiler_lehman(n_iter=1))"):
        ours, theirs = (type(model)().set_params(kernel=k).fit(data, TARGET) for data in (X, packed))
        expected = dense(getattr(theirs, ask)(packed))
        np.testing.assert_allclose(dense(getattr(ours, ask)(X)), expected, atol=1e-8)
        save(ours, tmp_path / "model.mercer")
        again = load(tmp_path / "model.mercer")
        np.testing.assert_allclose(dense(getattr(again, ask)(SMILES)), expected, atol=1e-8)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_a_table(frame):
    X = frame({"smiles": SMILES, "name": list("abcdef")})
    k = Columns("smiles", WeisfeilerLehman(1)) + Columns("name", Spectrum(1))
    np.testing.assert_allclose(k(X), WeisfeilerLehman(1)(SMILES) + np.eye(6))
    assert SVC(kernel="weisfeiler_lehman(n_iter=1)[smiles]").fit(X, TARGET).score(X, TARGET) == 1.0


@pytest.mark.parametrize("X", [SMILES * 4, networks() * 4], ids=["SMILES", "networkx"])
def test_chosen_kernels(X):
    model = AutoClassifier(cv=2, random_state=0).fit(X, np.tile(TARGET, 4))
    assert model.score(X, np.tile(TARGET, 4)) == 1.0


def test_one_molecule_is_explained():
    model = SVC(kernel=WeisfeilerLehman(1)).fit(SMILES, TARGET)
    told = top_features(model, "CCO", n=3)
    assert told.decision == pytest.approx(abs(model.decision_function(["CCO"])[0]))
    assert len(told.names) == 3


def test_the_command(tmp_path, capsys):
    path = tmp_path / "molecules.smi"
    path.write_text("".join(f"{text} m{i}\n" for i, text in enumerate(SMILES)))
    out = tmp_path / "K.npy"
    assert cli.main(["gram", str(path), "weisfeiler_lehman(n_iter=1)[smiles]", "--output", str(out)]) == 0
    np.testing.assert_allclose(np.load(out), kernel("weisfeiler_lehman(n_iter=1)")(SMILES))
    capsys.readouterr()


# ---- what cannot be read


def test_texts_that_are_not_molecules():
    message = r"WeisfeilerLehman: Graphs: graph 1 is not a valid SMILES: 'C\(C'; correct it or drop the sample\.$"
    with pytest.raises(ValueError, match=message):
        WeisfeilerLehman(1)(["CCO", "C(C"])


def test_rdkit_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    message = r"Graphs: graph 0 is the text 'CCO'; .* SMILES, which needs rdkit: pip install 'mercer\[chem\]'"
    with pytest.raises(ImportError, match=message):
        SVC(kernel=WeisfeilerLehman(1)).fit(["CCO", "CC"], [0, 1])
    assert WeisfeilerLehman(1)([nx.path_graph(3)]).shape == (1, 1)
