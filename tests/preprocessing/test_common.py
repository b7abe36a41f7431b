"""scikit-learn's own checks, and what every transformer must survive."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer.preprocessing
from mercer.kernels import RBF, Chi2, Linear, Periodic, Polynomial
from mercer.preprocessing import FeatureMap, KernelRepair, KernelRows

TRANSFORMERS = [
    KernelRepair(),
    KernelRepair(method="flip"),
    KernelRepair(method="shift"),
    FeatureMap(),
    FeatureMap(RBF(), degree=2),
    KernelRows(),
    KernelRows(Chi2() + Linear(), landmarks=1, random_state=0),
    KernelRows(Periodic()),
    KernelRows("brownian"),
]


def test_every_transformer_is_listed():
    assert {type(t).__name__ for t in TRANSFORMERS} == set(mercer.preprocessing.__all__)


@parametrize_with_checks(TRANSFORMERS)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=repr)
def test_clone_and_pickle(transformer, rng):
    X = np.abs(rng.normal(size=(12, 3)))
    X = Linear()(X) if isinstance(transformer, KernelRepair) else X
    fitted = clone(transformer).fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.transform(X[:4]), fitted.transform(X[:4]))


@pytest.mark.parametrize("transformer", [FeatureMap(Polynomial(degree=2)), KernelRows()], ids=repr)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_and_out(transformer, library, rng):
    X = rng.normal(size=(6, 2))
    module = pytest.importorskip(library)
    frame = module.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    fitted = clone(transformer).set_output(transform=library).fit(frame)
    out = fitted.transform(frame)
    assert isinstance(out, module.DataFrame)
    assert list(out.columns) == list(fitted.get_feature_names_out())
    assert list(fitted.feature_names_in_) == ["a", "b"]
    assert out.to_numpy() == pytest.approx(clone(transformer).fit_transform(X))
