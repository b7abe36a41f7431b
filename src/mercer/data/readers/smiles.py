"""Molecules in SMILES as graphs; rdkit is imported on first use."""

from importlib import import_module
from typing import Any

import numpy as np

from mercer.data.graphs.unpacked import UnpackedGraph
from mercer.data.packed import record_error

__all__ = ["read_smiles"]


def read_smiles(who: str, smiles: list[Any], hydrogens: bool) -> list[UnpackedGraph]:
    """Read each SMILES as an undirected graph of atoms, labelled by symbol, and bonds, labelled by type."""
    try:
        chem, base = import_module("rdkit.Chem"), import_module("rdkit.rdBase")
    except ImportError:
        raise ImportError(f"{who}: needs rdkit; install it with: pip install mercer[chem]") from None
    graphs = []
    with base.BlockLogs():  # the error below replaces what rdkit would log
        for i, text in enumerate(smiles):
            if not isinstance(text, str):
                raise record_error(who, i, text, "a SMILES, of type str")
            molecule = chem.MolFromSmiles(text)
            if molecule is None:
                raise ValueError(f"{who}: record {i} is no valid SMILES: {text!r}; correct it or drop the sample.")
            graphs.append(_unpacked(chem.AddHs(molecule) if hydrogens else molecule))
    return graphs


def _unpacked(molecule: Any) -> UnpackedGraph:
    bonds = list(molecule.GetBonds())
    pairs = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds]
    return UnpackedGraph(
        molecule.GetNumAtoms(),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        False,
        node_labels=[atom.GetSymbol() for atom in molecule.GetAtoms()],
        edge_labels=[str(bond.GetBondType()) for bond in bonds],
    )
