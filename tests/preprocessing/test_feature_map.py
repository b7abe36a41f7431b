"""FeatureMap: the features of the kernel, in pipelines and grids."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from mercer.exceptions import NoFeatureMapError
from mercer.kernels import RBF, Intersection, Linear, Overlap, Polynomial
from mercer.preprocessing import FeatureMap


@pytest.mark.parametrize("kernel", [Linear(coef0=1.0), Polynomial(degree=3), "poly(degree=2) + linear"])
def test_inner_products_are_the_kernel(kernel, rng):
    X, Z = rng.normal(size=(8, 3)), rng.normal(size=(5, 3))
    fitted = FeatureMap(kernel).fit(X)
    F, G = fitted.transform(X), fitted.transform(Z)
    assert pytest.approx(fitted.kernel_(Z, X)) == G @ F.T
    assert len(fitted.get_feature_names_out()) == F.shape[1]
    assert len(set(fitted.get_feature_names_out())) == F.shape[1]


def test_parameters_are_resolved_on_the_training_data(rng):
    X = rng.normal(size=(20, 2))
    fitted = FeatureMap(Polynomial(degree=2, gamma="scale")).fit(X)
    assert fitted.kernel_ == Polynomial(degree=2, gamma="scale").resolve(X)
    assert fitted.kernel.gamma == "scale"
    row = fitted.transform(10 * X[:1])
    assert row @ row.T == pytest.approx(fitted.kernel_(10 * X[:1]))


def test_taylor_degree(rng):
    X = 0.3 * rng.normal(size=(6, 2))
    F = FeatureMap(RBF(gamma=1.0), degree=8).fit_transform(X)
    assert pytest.approx(RBF(gamma=1.0)(X), abs=1e-6) == F @ F.T
    with pytest.raises(NoFeatureMapError):
        FeatureMap(RBF()).fit(X)


def test_counts_with_maximum(rng):
    X = rng.integers(0, 4, size=(7, 3)).astype(float)
    F = FeatureMap(Intersection(), maximum=3).fit_transform(X)
    product = F @ F.T
    product = product.toarray() if sp.issparse(product) else product
    assert product == pytest.approx(Intersection()(X))


def test_sparse_in_sparse_out():
    X = sp.random(9, 5, density=0.4, random_state=0, format="csr")
    F = FeatureMap(Polynomial(degree=2, coef0=0.0)).fit_transform(X)
    assert sp.issparse(F)
    assert (F @ F.T).toarray() == pytest.approx(Polynomial(degree=2, coef0=0.0)(X))


def test_overlap_of_integers(rng):
    X = rng.integers(0, 3, size=(6, 2))
    F = FeatureMap(Overlap(), maximum=2).fit_transform(X)
    assert (F @ F.T).toarray() == pytest.approx(Overlap()(X))


def test_grid_over_the_degree(rng):
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    pipeline = make_pipeline(FeatureMap(Polynomial(degree=1)), LogisticRegression(C=100.0))
    grid = GridSearchCV(pipeline, {"featuremap__kernel__degree": [1, 2]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"featuremap__kernel__degree": 2}
    assert grid.best_score_ > 0.9


def test_primal_ridge_is_dual_ridge(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    kernel = Polynomial(degree=2)
    primal = make_pipeline(FeatureMap(kernel), Ridge(alpha=0.1, fit_intercept=False)).fit(X, y)
    dual = kernel(X) @ np.linalg.solve(kernel(X) + 0.1 * np.eye(30), y)
    assert primal.predict(X) == pytest.approx(dual)
