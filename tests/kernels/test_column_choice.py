"""Columns of a kernel by slices: values, equality, hashing, printing, errors."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer import kernels
from mercer.kernels import RBF, Columns, Definiteness, Linear, Sigmoid, kernel
from mercer.svm import SVC

X = np.arange(20.0).reshape(4, 5) / 7

SLICES = [
    (slice(0, 3), [0, 1, 2]),
    (slice(3, None), [3, 4]),
    (slice(None, -3), [0, 1]),
    (slice(None, None, -2), [4, 2, 0]),
    (slice(2, 99), [2, 3, 4]),
    ([slice(3, 5), 0], [3, 4, 0]),
]


@pytest.mark.parametrize(("columns", "meant"), SLICES)
def test_slices_choose_what_they_choose_in_arrays(columns, meant):
    k, by_index = Columns(columns, RBF(gamma=0.5)), Columns(meant, RBF(gamma=0.5))
    expected = by_index(X)
    for data in (X, sp.csr_matrix(X), pd.DataFrame(X, columns=list("abcde")), X.tolist()):
        assert k(data) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("columns", [columns for columns, _ in SLICES])
def test_kernels_with_slices_are_values(columns):
    k = Columns(columns, RBF(gamma=0.5))
    again = eval(repr(k), vars(kernels))
    assert k == again == kernel(str(k)) == pickle.loads(pickle.dumps(k))
    assert hash(k) == hash(again)
    assert k != Columns(slice(1, 2), RBF(gamma=0.5))


def test_names_of_features_and_certificates():
    k = Columns(slice(0, 2), Linear())
    assert k.feature_names(X, {}) == ["x0", "x1"]
    assert Columns(slice(0, 2), Sigmoid()).definiteness is Definiteness.NOT_PSD
    assert Columns([slice(0, 2), 0], Sigmoid()).definiteness is Definiteness.UNKNOWN  # column 0 may be there twice


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        (slice("a", "b"), TypeError, "a slice of columns must consist of integers, got slice('a', 'b', None)"),
        (slice(0, 3, 0), ValueError, "the step of a slice of columns must not be 0"),
        (slice(0.5, 3), ValueError, "start of a slice"),
        (3.5, TypeError, "columns must be indices, names or slices of indices"),
    ],
)
def test_wrong_slices(columns, error, message):
    with pytest.raises(error) as raised:
        Columns(columns, Linear())
    assert message in str(raised.value)
    assert str(raised.value).startswith("Columns: ")


def test_a_slice_of_no_columns_is_refused():
    with pytest.raises(ValueError, match="Columns: 7: selects none of the 5 columns of X"):
        Columns(slice(7, None), Linear())(X)


def test_slices_in_an_estimator():
    y = [0, 0, 1, 1]
    by_text = SVC(kernel="rbf(gamma=1)[1:3]").fit(X, y)
    assert np.array_equal(
        by_text.decision_function(X), SVC(kernel=Columns([1, 2], RBF(1.0))).fit(X, y).decision_function(X)
    )
