"""Molecules in SMILES as graphs, through rdkit, which is imported when the first comes."""

from importlib import import_module
from typing import Any

import numpy as np

from mercer.data.graphs.unpacked import UnpackedGraph
from mercer.data.packed import record_error

__all__ = ["read_smiles"]


def read_smiles(who: str, smiles: list[Any], hydrogens: bool) -> list[UnpackedGraph]:
    """One undirected graph for each text: atoms with their symbols, bonds with their types."""
    try:
        chem, base = import_module("rdkit.Chem"), import_module("rdkit.rdBase")
    except ImportError:
        raise ImportError(f"{who}: needs rdkit; install it with: pip install mercer[chem]") from None
    sources = []
    with base.BlockLogs():  # what is wrong is said by the error
        for i, text in enumerate(smiles):
            if not isinstance(text, str):
                raise record_error(who, i, text, "a SMILES, of type str")
            molecule = chem.MolFromSmiles(text)
            if molecule is None:
                raise ValueError(f"{who}: record {i} is no valid SMILES: {text!r}; correct it or drop the sample.")
            sources.append(_source(chem.AddHs(molecule) if hydrogens else molecule))
    return sources


def _source(molecule: Any) -> UnpackedGraph:
    bonds = list(molecule.GetBonds())
    pairs = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds]
    return UnpackedGraph(
        molecule.GetNumAtoms(),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        False,
        node_labels=[atom.GetSymbol() for atom in molecule.GetAtoms()],
        edge_labels=[str(bond.GetBondType()) for bond in bonds],
    )
