"""Samples in parts, as one set, whatever they are."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer.data import Strings, Table, joined

A, B = np.arange(6.0).reshape(3, 2), np.ones((1, 2))


def test_matrices_lists_and_containers():
    both = np.vstack([A, B])
    np.testing.assert_array_equal(joined(A, B), both)
    np.testing.assert_array_equal(joined(sp.csr_matrix(A), B).toarray(), both)
    assert joined(["ox"], ("cow", "owl")) == ["ox", "cow", "owl"]
    assert joined(Strings(["ox"]), Strings(["cow"])) == Strings(["ox", "cow"])
    frame = pd.DataFrame(A, columns=["a", "b"])
    np.testing.assert_array_equal(joined(frame, frame[:1]).to_numpy(), np.vstack([A, A[:1]]))
    table = Table.from_frame({"a": [1, 2], "b": ["x", "y"]})
    assert joined(table, table[:1]) == table[[0, 1, 0]]


def test_other_kinds_do_not_meet():
    with pytest.raises(TypeError, match="joined: expected more samples of the kind of the first"):
        joined(Table.from_frame({"a": [1]}), 3)
