"""Validation and conversion of numbers given by users.

Code behind this package can rely on its input: arrays have two dimensions, are float32 or float64, finite, and have at
least one row and one column; all indices of CSR matrices are in range; offsets start at 0, never decrease and end at
the number of entries. Messages name the caller, what was expected, what was given and what to do.
"""

from mercer._validation.arrays import (
    as_doubles,
    as_numbers,
    check_dense,
    check_finite,
    check_size,
    check_vector,
    check_vectors,
)
from mercer._validation.describe import describe, shortened
from mercer._validation.held import check_array
from mercer._validation.labels import as_labels, group_codes
from mercer._validation.offsets import check_indices, check_offsets
from mercer._validation.parameters import (
    check_choice,
    check_flag,
    check_integer,
    check_real,
    is_number,
    is_vector,
    nonnegative_vector,
    positive_vector,
)
from mercer._validation.randomness import generator
from mercer._validation.rebuilt import Pending, Rebuilt, refusals
from mercer._validation.rows import check_output, check_rows
from mercer._validation.sparse import as_csr, as_dense, check_unmasked, sound_compressed

__all__ = [
    "Pending",
    "Rebuilt",
    "as_csr",
    "as_dense",
    "as_doubles",
    "as_labels",
    "as_numbers",
    "check_array",
    "check_choice",
    "check_dense",
    "check_finite",
    "check_flag",
    "check_indices",
    "check_integer",
    "check_offsets",
    "check_output",
    "check_real",
    "check_rows",
    "check_size",
    "check_unmasked",
    "check_vector",
    "check_vectors",
    "describe",
    "generator",
    "group_codes",
    "is_number",
    "is_vector",
    "nonnegative_vector",
    "positive_vector",
    "refusals",
    "shortened",
    "sound_compressed",
]
