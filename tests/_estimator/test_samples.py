"""Which data scikit-learn validates, and which only the kernel understands."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from mercer._estimator import check_samples, kernel_tags
from mercer.data import Table
from mercer.kernels import RBF, Brownian, Chi2, Columns, Linear, Map, Overlap, Periodic, user
from mercer.svm import SVC

WORDS = ["ox", "cow", "hen"]
LETTERS = user(lambda a, b: len(set(a) & set(b)))


def test_vectors_are_validated():
    model = BaseEstimator()
    X = check_samples(model, RBF(), [[1, 2], [3, 4]], reset=True)
    assert X.dtype == np.float64
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="3 features"):
        check_samples(model, RBF(), np.ones((1, 3)), reset=False)
    with pytest.raises(ValueError, match="NaN"):
        check_samples(model, RBF(), [[np.nan, 1.0]], reset=False)
    assert sp.issparse(check_samples(model, RBF(), sp.coo_matrix(np.eye(2)), reset=False))


def test_float32_and_exact_integers_are_kept():
    single = np.ones((2, 2), dtype=np.float32)
    assert check_samples(BaseEstimator(), RBF(), single, reset=True).dtype == np.float32
    numbers = np.array([[2**60], [2**60 + 1]])
    assert check_samples(BaseEstimator(), Overlap(), numbers, reset=True).dtype == np.int64


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames(frame):
    numbers = frame({"a": [1.0, 2.0], "b": [3, 4]})
    model = BaseEstimator()
    assert isinstance(check_samples(model, RBF(), numbers, reset=True), np.ndarray)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert check_samples(model, Columns("a", RBF()), numbers, reset=False) is numbers
    mixed = frame({"a": [1.0, 2.0], "word": ["ox", "cow"]})
    kernel = Columns("a", RBF()) + Columns("word", Overlap())
    assert check_samples(model, kernel, mixed, reset=True) is mixed
    assert list(model.feature_names_in_) == ["a", "word"]
    with pytest.raises(ValueError, match="feature names"):
        check_samples(model, kernel, numbers, reset=False)


def test_objects_pass():
    model = BaseEstimator()
    assert check_samples(model, LETTERS, WORDS, reset=True) is WORDS
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(TypeError, match=r"BaseEstimator with the kernel rbf: expected vectors .* got . strings"):
        check_samples(model, RBF(), WORDS, reset=True)


def test_nonnegative_data():
    X = np.array([[-1.0, 1.0]])
    with pytest.raises(ValueError, match="Negative values in data passed to BaseEstimator with"):
        check_samples(BaseEstimator(), RBF() + Chi2(), X, reset=True)
    kernel = RBF() + Columns([1], Chi2())  # the negative column is not its business
    assert check_samples(BaseEstimator(), kernel, X, reset=True).shape == (1, 2)


@pytest.mark.parametrize(
    ("kernel", "sparse", "positive"),
    [
        (RBF(), True, False),
        (None, True, False),
        ("rbf + chi2", True, True),
        ("linear*brownian", False, True),
        (Linear() + Columns([0], Brownian()), False, False),
        (Map(len, Periodic()), True, False),
        (LETTERS, True, False),
        (lambda A, B: A @ B.T, True, False),
    ],
)
def test_tags_follow_the_kernel(kernel, sparse, positive):
    tags = kernel_tags(get_tags(BaseEstimator()), kernel)
    assert (tags.input_tags.sparse, tags.input_tags.positive_only) == (sparse, positive)


@pytest.mark.parametrize("kernel", ["rbff", "precomputed", 3])
def test_tags_of_what_is_no_kernel_are_left_alone(kernel):
    assert kernel_tags(get_tags(BaseEstimator()), kernel) == get_tags(BaseEstimator())


@pytest.mark.parametrize("other", [["x", "y", "x", "y"], [1.0, 0.0, 1.0, 0.0]])
def test_tables_are_read_by_name_as_frames_are(other):
    table = Table.from_frame({"a": [1.0, 2.0, 3.0, 4.0], "b": other})
    y = [0, 0, 1, 1]
    by_name = SVC(kernel=Columns(["a"], RBF())).fit(table, y)
    by_place = SVC(kernel=RBF()).fit(table.select(["a"]).matrix(), y)
    np.testing.assert_array_equal(
        by_name.decision_function(table), by_place.decision_function(table.select("a").matrix())
    )


def test_a_table_of_numbers_is_a_matrix():
    table = Table.from_frame({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 0.0, 1.0, 0.0]})
    model = SVC().fit(table, [0, 0, 1, 1])
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.decision_function(table), model.decision_function(table.matrix()))
    with pytest.raises(TypeError, match="column 'b' has kind 'category'"):
        SVC().fit(Table.from_frame({"a": [1.0, 2.0], "b": ["x", "y"]}), [0, 1])
