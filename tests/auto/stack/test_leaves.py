"""Ridge regression in leaves: exact in one leaf, leave-one-out predictions of refits, routing by splits."""

import numpy as np
import pytest

from mercer.auto.stack import LeafRidge
from mercer.kernels import WeightedColumns

KERNEL = WeightedColumns(weights=(1.0, 0.5, 2.0), categorical=(2,))


def samples(rng, n):
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 3, n)])
    return X, np.column_stack([np.sin(X[:, 0]) + (X[:, 2] == 1), X[:, 1]])


def test_one_leaf_is_ridge_regression(rng):
    X, Y = samples(rng, 60)
    ridge = LeafRidge(KERNEL, 1.0, [2], leaf=60)
    loo = ridge.fit(X, Y, [0.1], np.ones(60, dtype=bool))
    coef = np.linalg.solve(KERNEL(X) + 0.1 * np.eye(60), Y)
    new, _ = samples(rng, 20)
    np.testing.assert_allclose(ridge.predict(new), KERNEL(new, X) @ coef, atol=1e-10)
    rest = np.arange(1, 60)
    refit = np.linalg.solve(KERNEL(X[rest]) + 0.1 * np.eye(59), Y[rest])
    np.testing.assert_allclose(loo[0], (KERNEL(X[:1], X[rest]) @ refit)[0], atol=1e-10)


def test_the_penalty_has_the_smallest_error_of_judged_samples(rng):
    X, Y = samples(rng, 50)
    Y = Y + rng.normal(size=Y.shape)
    judged = np.arange(50) % 2 == 0
    alphas = [1e-3, 0.1, 10.0]
    errors = [np.square(Y - LeafRidge(KERNEL, 1.0, [2], 50).fit(X, Y, [a], judged))[judged].sum() for a in alphas]
    ridge = LeafRidge(KERNEL, 1.0, [2], 50)
    ridge.fit(X, Y, alphas, judged)
    assert ridge.alpha_ == alphas[int(np.argmin(errors))]


def test_leaves_cover_all_samples_and_predict_well(rng):
    X, Y = samples(rng, 900)
    ridge = LeafRidge(KERNEL, 1.0, [2], leaf=150)
    loo = ridge.fit(X, Y, [0.1, 1.0], np.ones(900, dtype=bool))
    leaves = [i for i, (first, _) in enumerate(ridge.children_) if first < 0]
    assert len(leaves) > 4
    assert all(len(ridge.points_[i]) <= 2.5 * 150 for i in leaves)
    assert all(len(points) == len(coef) for points, coef in zip(ridge.points_, ridge.coefs_, strict=True))
    new, truth = samples(rng, 300)
    assert np.square(ridge.predict(new) - truth).mean() < 0.02 * truth.var()
    assert np.square(loo - Y).mean() < 0.03 * Y.var()


def test_samples_of_one_place_are_not_split(rng):
    X = np.repeat([[0.0, 1.0, 2.0]], 80, axis=0)
    Y = rng.normal(size=(80, 1))
    ridge = LeafRidge(KERNEL, 1.0, [2], leaf=20)
    assert np.isfinite(ridge.fit(X, Y, [1e-12], np.ones(80, dtype=bool))).all()
    assert len(ridge.children_) == 1


def test_a_damaged_tree_is_refused(rng):
    X, Y = samples(rng, 90)
    ridge = LeafRidge(KERNEL, 1.0, [2], leaf=30)
    ridge.fit(X, Y, [0.1], np.ones(90, dtype=bool))
    ridge._upgrade()
    ridge.children_[0] = 0, 0  # a cycle
    with pytest.raises(ValueError, match="tree of the model is damaged"):
        ridge._upgrade()


def test_weights_and_groups_reach_the_leaves(rng):
    X, Y = samples(rng, 40)
    weight, groups = rng.uniform(0.5, 2, 40), np.arange(40) // 2
    ridge = LeafRidge(KERNEL, 1.0, [2], leaf=40)
    loo = ridge.fit(X, Y, [0.1], np.ones(40, dtype=bool), weight, groups)
    rest = np.arange(2, 40)
    coef = np.linalg.solve(KERNEL(X[rest]) + np.diag(0.1 / weight[rest]), Y[rest])
    np.testing.assert_allclose(loo[:2], KERNEL(X[:2], X[rest]) @ coef, atol=1e-10)


def test_a_direction_in_which_most_samples_coincide_is_passed_over(rng):
    X = np.column_stack([1e4 * (np.arange(400) % 40 == 0), rng.normal(size=400), np.zeros(400)])
    ridge = LeafRidge(KERNEL, 1.0, [2], leaf=100)
    ridge.fit(X, np.sin(X[:, 1:2]), [0.1], np.ones(400, dtype=bool))
    assert sum(first < 0 for first, _ in ridge.children_) >= 4
    assert max(map(len, ridge.points_)) <= 250


def test_samples_of_one_place_teach_a_leaf_of_limited_size(rng):
    X, Y = np.repeat([[0.0, 1.0, 2.0]], 300, axis=0), rng.normal(size=(300, 1)) + 3
    ridge = LeafRidge(KERNEL, 1.0, [2], leaf=40)
    loo = ridge.fit(X, Y, [1.0], np.ones(300, dtype=bool))
    assert [len(points) for points in ridge.points_] == [100]
    taught = ridge.predict(X[:1])[0, 0]  # all targets but those of the leaf are predicted by the leaf
    assert np.isclose(loo[:, 0], taught, rtol=0, atol=1e-10).sum() == 200
