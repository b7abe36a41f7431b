"""What targets mean, and what a model sees of raw data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler

from mercer.kernels import RBF
from mercer.plots.models import gram_of, last_step
from mercer.plots.targets import read_targets
from mercer.svm import SVC


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", "a", "b"], ["a", "b"]),
        ([True, False, True], ["False", "True"]),
        ([1.0, 0.0, 1.0], ["0", "1"]),
        (np.array([[2], [1], [2]]), ["1", "2"]),
        (np.array(["x", None, 3], dtype=object), ["3", "None", "x"]),
        (pd.Series(["b", "a", "b"], dtype="category"), ["a", "b"]),
        (pl.Series(["b", "a", "b"]), ["a", "b"]),
    ],
)
def test_labels_are_classes(y, classes):
    targets = read_targets("f", y, 3)
    assert targets.classes == classes
    names = [str(value) for value in np.asarray(y).ravel().tolist()]
    assert [targets.classes[i] for i in targets.values] == [name.removesuffix(".0") for name in names]


def test_numbers_and_what_decides():
    assert read_targets("f", [0.5, 1.0], 2).classes is None
    assert read_targets("f", np.arange(41), 41).classes is None
    assert read_targets("f", np.arange(41), 41, "classes").n_classes == 41
    assert read_targets("f", [1, 2], 2, "numbers").values.tolist() == [1.0, 2.0]
    assert read_targets("f", None, 2) is None
    known = read_targets("f", [0.5, 0.5], 2, classes=np.array([0.25, 0.5]))
    assert (known.classes, known.present) == (["0.25", "0.5"], [1])


def test_prepared_data_reach_the_model(moons):
    X, y = moons

    class Automatic(BaseEstimator):
        def fit(self, X, y):
            self.preparer_ = StandardScaler().fit(X)
            self.model_ = SVC(kernel=RBF(gamma=0.5)).fit(self.preparer_.transform(X), y)
            return self

    model = Automatic().fit(X, y)
    last, seen = last_step(model, X)
    assert last is model.model_
    assert np.array_equal(seen, model.preparer_.transform(X))
    K, kernel = gram_of("f", model, X)
    assert np.allclose(K.dense(), RBF(gamma=0.5)(seen))
    assert kernel == RBF(gamma=0.5)
