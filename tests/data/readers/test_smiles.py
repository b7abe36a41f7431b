"""Graphs of SMILES."""

import sys

import pandas as pd
import pytest

from mercer.data import Graphs


def test_smiles():
    pytest.importorskip("rdkit")
    graphs = Graphs.from_smiles(pd.Series(["CCO", "c1ccccc1", "", "[Na+].[Cl-]", "C=O"]))
    assert graphs.n_nodes.tolist() == [3, 6, 0, 2, 2]
    assert graphs.n_edges.tolist() == [2, 6, 0, 0, 1]
    assert graphs[0].node_labels == ["C", "C", "O"]
    assert set(graphs[1].edge_labels) == {"AROMATIC"}
    assert graphs[4].edge_labels == ["DOUBLE"]
    assert Graphs.from_smiles(["C"], hydrogens=True)[0].node_labels == ["C", "H", "H", "H", "H"]


def test_wrong_smiles_are_named(capfd):
    pytest.importorskip("rdkit")
    with pytest.raises(ValueError, match=r"record 1 is not a valid SMILES: 'C\(C'"):
        Graphs.from_smiles(["C", "C(C"])
    with pytest.raises(ValueError, match="record 1 is missing"):
        Graphs.from_smiles(["C", None])
    assert capfd.readouterr() == ("", "")


def test_rdkit_that_is_missing_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(
        ImportError, match=r"Graphs.from_smiles: record 0 is the text .*which needs rdkit: pip install 'mercer\[chem\]'"
    ):
        Graphs.from_smiles(["C"])
