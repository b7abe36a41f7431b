"""Substitution scores of pairs of symbols."""

from typing import Any

import numpy as np
import numpy.typing as npt

from mercer.data.strings.alphabet import look_up

__all__ = ["BLOSUM62", "RESIDUES", "ranks"]

RESIDUES = "ARNDCQEGHILKMFPSTWYVBZX*"  # amino acids, N or D, Q or E, any, end

# Henikoff & Henikoff 1992, doi:10.1073/pnas.89.22.10915, in half bits, as distributed by the NCBI; B, Z, X and * with
# the scores of that file. The lower triangle, one row per residue.
_LOWER = """
4
-1 5
-2 0 6
-2 -2 1 6
0 -3 -3 -3 9
-1 1 0 0 -3 5
-1 0 0 2 -4 2 5
0 -2 0 -1 -3 -2 -2 6
-2 0 1 -1 -3 0 0 -2 8
-1 -3 -3 -3 -1 -3 -3 -4 -3 4
-1 -2 -3 -4 -1 -2 -3 -4 -3 2 4
-1 2 0 -1 -3 1 1 -2 -1 -3 -2 5
-1 -1 -2 -3 -1 0 -2 -3 -2 1 2 -1 5
-2 -3 -3 -3 -2 -3 -3 -3 -1 0 0 -3 0 6
-1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4 7
1 -1 1 0 -1 0 0 0 -1 -2 -2 0 -1 -2 -1 4
0 -1 0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1 1 5
-3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1 1 -4 -3 -2 11
-2 -2 -2 -3 -2 -1 -2 -3 2 -1 -1 -2 -1 3 -3 -2 -2 2 7
0 -3 -3 -3 -1 -2 -2 -3 -3 3 1 -2 1 -1 -2 -2 0 -3 -1 4
-2 -1 3 4 -3 0 1 -1 0 -3 -4 0 -3 -3 -2 0 -1 -4 -3 -3 4
-1 0 0 1 -3 3 4 -2 0 -3 -3 1 -1 -3 -1 0 -1 -3 -2 -2 1 4
0 -1 -1 -1 -2 -1 -1 -1 -1 -1 -1 -1 -1 -1 -2 0 0 -2 -1 -1 -1 -1 -1
-4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 -4 1
"""


def _symmetric(text: str) -> npt.NDArray[np.float64]:
    rows = [[float(score) for score in line.split()] for line in text.strip().splitlines()]
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        matrix[i, : i + 1] = matrix[: i + 1, i] = row
    matrix.setflags(write=False)
    return matrix


BLOSUM62 = _symmetric(_LOWER)


def ranks(codes: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Row of each symbol in the matrix; symbols that are not in it get the number after the last row.

    >>> ranks(np.frombuffer(b"RAJ", dtype=np.uint8))
    array([ 1,  0, 24], dtype=uint8)
    """
    table = np.full(257, len(RESIDUES), dtype=np.uint8)  # codes beyond its end are clipped to the last entry
    table[[ord(symbol) for symbol in RESIDUES]] = np.arange(len(RESIDUES))
    return look_up(table, codes)
