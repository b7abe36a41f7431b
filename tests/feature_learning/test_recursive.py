"""Recursive feature machines: the metric, the choice of the iterate, kernels, rotations."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

from mercer.feature_learning import LeaveOneOutWeights, RecursiveFeatureMachine, agop, rotation
from mercer.kernels import RBF, Exponential, Laplacian, Linear, Matern, WeightedColumns
from mercer.ridge import KernelRidge, KernelRidgeCV

KERNELS = [None, RBF("median"), Laplacian("median"), WeightedColumns(p=1.5, g=0.6)]


@pytest.fixture(scope="module")
def oblique():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, np.sin(X[:, 0] - X[:, 1]) + 0.05 * rng.normal(size=300)


def test_iterate_zero_is_kernel_ridge_regression(oblique):
    X, y = oblique
    model = RecursiveFeatureMachine(bandwidths=[1.0], alphas=[0.01, 0.1]).fit(X, y)
    kernel = Exponential("median").resolve(X)
    ridge = KernelRidgeCV([0.01, 0.1], kernel=kernel).fit(X, y - y.mean())
    assert model.loo_scores_[0] == pytest.approx(1 + ridge.best_score_ / y.var(), rel=1e-9)


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_the_iterate_with_the_best_score_is_chosen(oblique, metric):
    model = RecursiveFeatureMachine(metric=metric).fit(*oblique)
    assert model.loo_score_ == model.loo_scores_.max() == model.loo_scores_[model.best_iter_]
    assert model.loo_score_ > model.loo_scores_[0]
    assert len(model.loo_scores_) == model.n_iter_ + 1 <= 6
    assert model.metric_.max() == 1
    assert model.weights_.shape == (4,)


def test_a_full_metric_finds_the_direction(oblique):
    X, y = oblique
    full = RecursiveFeatureMachine(metric="full").fit(X, y)
    values, vectors = np.linalg.eigh(full.metric_)
    assert abs(vectors[:, -1] @ [np.sqrt(0.5), -np.sqrt(0.5), 0, 0]) > 0.99
    assert values[-1] > 20 * values[-2]
    assert full.loo_score_ > RecursiveFeatureMachine().fit(X, y).loo_score_
    np.testing.assert_allclose(full.input_kernel_(X), full.kernel_(full.transform(X)), rtol=1e-9, atol=1e-12)
    assert full.get_feature_names_out()[0] == "recursivefeaturemachine0"


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_kernel_of_the_samples_equals_that_of_the_transformed_samples(oblique, kernel):
    X, y = oblique
    model = RecursiveFeatureMachine(kernel, max_iter=2).fit(X, y)
    assert model.weights_[:2].min() > 5 * model.weights_[2:].max()
    np.testing.assert_allclose(model.input_kernel_(X), model.kernel_(model.transform(X)), rtol=1e-9, atol=1e-12)


def test_one_step_is_the_average_gradient_outer_product(oblique):
    X, y = oblique
    model = RecursiveFeatureMachine(RBF("median"), metric="full", max_iter=1, bandwidths=[1.0], alphas=[0.1]).fit(X, y)
    kernel = RBF("median").resolve(X)
    coef = np.linalg.solve(kernel(X) + 0.1 * np.eye(len(X)), y - y.mean())
    gradient = -2 * kernel.gamma * np.einsum("ij,ijk,j->ik", kernel(X), X[:, None] - X[None], coef)
    M = gradient.T @ gradient
    assert model.best_iter_ == 1
    np.testing.assert_allclose(model.metric_, M / M.max(), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(agop(kernel, X, coef), M / len(X), rtol=1e-8)
    np.testing.assert_allclose(model.transformation_ @ model.transformation_, model.metric_, atol=1e-9)


def test_pipelines_with_any_metric(oblique):
    X, y = oblique
    for kernel, metric in [(None, "full"), (Matern(nu=1.5, gamma="median"), "diagonal")]:
        model = make_pipeline(
            RecursiveFeatureMachine(kernel, metric=metric), KernelRidge(alpha=0.01, kernel=RBF("median"))
        )
        assert model.fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.9


def test_gradients_at_a_subsample_give_nearly_the_same_metric(oblique):
    X, y = oblique
    few = RecursiveFeatureMachine(max_gradients=80, max_iter=1).fit(X, y)
    every = RecursiveFeatureMachine(max_gradients=None, max_iter=1).fit(X, y)
    assert not np.array_equal(few.metric_, every.metric_)
    np.testing.assert_allclose(few.metric_, every.metric_, atol=0.15)


def test_a_rotation_gives_columns_in_which_weights_are_learned_again(oblique):
    X, y = oblique
    plain = LeaveOneOutWeights(p=2.0).fit(X, y)
    ridge = KernelRidge(alpha=plain.alpha_, kernel=plain.kernel_).fit(X, y - y.mean())
    T = rotation(plain.kernel_, X, ridge.dual_coef_)
    lengths = np.linalg.norm(T, axis=0)
    assert lengths[0] == pytest.approx(1)
    assert (np.diff(lengths) <= 0).all()
    np.testing.assert_allclose(T.T @ T, np.diag(lengths**2), atol=1e-12)
    assert abs(T[:, 0] @ [np.sqrt(0.5), -np.sqrt(0.5), 0, 0]) > 0.99
    again = LeaveOneOutWeights(p=2.0).fit(X @ T, y)
    assert 1 - again.loo_score_ < 0.85 * (1 - plain.loo_score_)
    part = rotation(plain.kernel_, X, ridge.dual_coef_, columns=[0, 1])
    assert part.shape == (2, 2)


def test_errors():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    with pytest.raises(ValueError, match="alphas must be positive numbers, got"):
        RecursiveFeatureMachine(alphas=[0.0]).fit(X, y)
    with pytest.raises(ValueError, match="bandwidths must be positive numbers, got"):
        RecursiveFeatureMachine(bandwidths=[]).fit(X, y)
    with pytest.raises(ValueError, match="the metric gives the columns their weights"):
        RecursiveFeatureMachine(WeightedColumns(weights=(1.0, 2.0, 3.0))).fit(X, y)
    with pytest.raises(ValueError, match="got a sparse matrix, but dense data is required"):
        RecursiveFeatureMachine().fit(sp.csr_array(X), y)
    with pytest.raises(ValueError, match="rotation: the gradient of the expansion is zero"):
        rotation(Linear(), X, np.zeros(20))
