"""Molecules in SMILES as graphs; rdkit is imported on first use."""

from importlib import import_module
from typing import Any

import numpy as np

from mercer._validation import shortened
from mercer.data.graphs.unpacked import UnpackedGraph, numbered_errors
from mercer.data.packed import record_error

__all__ = ["read_molecule", "read_smiles"]


def read_smiles(who: str, smiles: list[Any], hydrogens: bool) -> list[UnpackedGraph]:
    """Read each SMILES as an undirected graph of atoms, labelled by symbol, and bonds, labelled by type."""
    graphs = []
    for i, text in enumerate(smiles):
        if not isinstance(text, str):
            raise record_error(who, i, text, "a SMILES, of type str")
        with numbered_errors(who, i, what="record"):
            graphs.append(read_molecule(text, hydrogens=hydrogens))
    return graphs


def read_molecule(text: str, *, hydrogens: bool = False) -> UnpackedGraph:
    """One molecule; error messages are completed by the caller."""
    try:
        chem, base = import_module("rdkit.Chem"), import_module("rdkit.rdBase")
    except ImportError:
        raise ImportError(
            f"is the text {shortened(text)!r}; texts are read as SMILES, which needs rdkit: pip install 'mercer[chem]'"
        ) from None
    with base.BlockLogs():  # the error below replaces what rdkit would log
        molecule = chem.MolFromSmiles(text)
    if molecule is None:
        raise ValueError(f"is not a valid SMILES: {shortened(text)!r}; correct it or drop the sample")
    return _unpacked(chem.AddHs(molecule) if hydrogens else molecule)


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
