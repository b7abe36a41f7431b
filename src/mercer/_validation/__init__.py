"""The one place where numbers from outside are checked and converted.

Everything behind this package may trust its input: two dimensions, float32 or float64, finite, at least one row and one
column; CSR matrices whose every index lies within them; offsets that start at 0, never descend and end where the
entries do. Messages name who asked, what was expected, what came and what to do.
"""

from mercer._validation.arrays import as_numbers, check_dense, check_finite, check_size, check_vector, check_vectors
from mercer._validation.describe import describe
from mercer._validation.held import check_array
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
from mercer._validation.rebuilt import Pending, Rebuilt, refusals
from mercer._validation.rows import check_output, check_rows
from mercer._validation.sparse import as_csr, as_dense, check_unmasked, sound_compressed

__all__ = [
    "Pending",
    "Rebuilt",
    "as_csr",
    "as_dense",
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
    "is_number",
    "is_vector",
    "nonnegative_vector",
    "positive_vector",
    "refusals",
    "sound_compressed",
]
