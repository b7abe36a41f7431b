"""The transformers RandomFourierFeatures and PolynomialSketch."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer.approximation import random_fourier, tensor_sketch
from mercer.kernel_approximation import PolynomialSketch, RandomFourierFeatures
from mercer.kernels import RBF, Laplacian, Matern, Polynomial

X = np.random.default_rng(0).normal(size=(30, 3))


@pytest.mark.parametrize(
    ("options", "kernel"),
    [
        ({}, RBF(gamma=1 / 3)),
        ({"gamma": 0.2}, RBF(gamma=0.2)),
        ({"gamma": "scale"}, RBF(gamma="scale").resolve(X)),
        ({"kernel": "laplacian"}, Laplacian(gamma=1 / 3)),
        ({"kernel": "matern(gamma=0.5) + rbf(gamma=0.1)"}, Matern(gamma=0.5) + RBF(gamma=0.1)),
        ({"kernel": RBF(gamma=(0.1, 0.2, 0.3))}, RBF(gamma=(0.1, 0.2, 0.3))),
    ],
    ids=str,
)
def test_fourier_features_approximate_the_kernel(options, kernel):
    model = RandomFourierFeatures(n_components=4000, random_state=0, **options)
    F = model.fit_transform(X)
    assert model.kernel_ == kernel
    assert F.shape == (30, 4000)
    np.testing.assert_allclose(F @ F.T, kernel(X), atol=0.12)
    assert model.frequencies_.shape == (3, 2000)


def test_the_transformers_are_the_functions():
    fourier = RandomFourierFeatures(gamma=0.2, n_components=11, orthogonal=False, random_state=3).fit(X)
    state = np.random.RandomState(3)
    expected = random_fourier(RBF(gamma=0.2), 3, 11, orthogonal=False, random_state=state)
    np.testing.assert_array_equal(fourier.transform(X), expected.features(X))
    sketch = PolynomialSketch(gamma=0.5, degree=3, coef0=1.0, n_components=11, random_state=3).fit(X)
    expected = tensor_sketch(Polynomial(3, 0.5, 1.0), 3, 11, random_state=np.random.RandomState(3))
    np.testing.assert_array_equal(sketch.transform(sp.csr_matrix(X)), expected.features(sp.csr_matrix(X)))
    assert sketch.kernel_ == Polynomial(3, 0.5, 1.0)


def test_names_and_parameters_after_the_fit():
    model = RandomFourierFeatures(n_components=6, random_state=0).fit(X)
    model.n_components = 8
    assert model.transform(X).shape == (30, 6)
    assert model.get_feature_names_out().tolist() == [f"randomfourierfeatures{i}" for i in range(6)]


def test_errors():
    with pytest.raises(ValueError, match="use a Nyström approximation"):
        RandomFourierFeatures("poly").fit(X)
    with pytest.raises(ValueError, match="kernel='precomputed' is not supported here"):
        RandomFourierFeatures("precomputed").fit(X @ X.T)
    with pytest.raises(ValueError, match="coef0"):
        PolynomialSketch(coef0=-1.0).fit(X)
    with pytest.raises(ValueError, match="degree"):
        PolynomialSketch(degree=0).fit(X)
    with pytest.raises(ValueError, match="n_components"):
        PolynomialSketch(n_components=0).fit(X)


@pytest.mark.parametrize("model", [RandomFourierFeatures(), PolynomialSketch()])
def test_columns_that_are_not_numbers_are_refused(model):
    frame = pd.DataFrame({"a": [1.0, 2.0], "day": pd.to_datetime(["2024-01-01", "2024-01-02"])})
    with pytest.raises((TypeError, ValueError), match="day"):
        model.fit(frame)
