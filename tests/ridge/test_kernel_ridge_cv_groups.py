"""KernelRidgeCV with groups: exact leave-one-group-out against refits, and splitters that read groups."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, cross_val_predict

from mercer.ridge import KernelRidge, KernelRidgeCV

OPTIONS = {"kernel": "rbf", "gamma": 0.2, "fit_intercept": True}


@pytest.fixture
def data(rng):
    X, groups = rng.normal(size=(36, 4)), np.array(["north", "south", "east"])[rng.integers(0, 3, size=36)]
    shift = np.unique(groups, return_inverse=True)[1]
    return X, np.sin(X[:, 0]) + shift + 0.3 * rng.normal(size=36), groups


@pytest.mark.parametrize("alphas", [(0.1, 1.0, 10.0), np.logspace(-3, 2, 11)], ids=["factors", "eigenvalues"])
@pytest.mark.parametrize("targets", [1, 2])
def test_scores_are_those_of_refits_without_each_group(data, alphas, targets):
    X, y, groups = data
    Y = y if targets == 1 else np.column_stack([y, X[:, 1] ** 2])
    model = KernelRidgeCV(alphas, **OPTIONS).fit(X, Y, groups=groups)
    for alpha, score in zip(alphas, model.scores_, strict=True):
        refits = cross_val_predict(KernelRidge(alpha, **OPTIONS), X, Y, cv=LeaveOneGroupOut(), groups=groups)
        assert score == pytest.approx(-np.mean((Y - refits) ** 2), rel=1e-8)
        if alpha == model.alpha_:
            np.testing.assert_allclose(model.loo_predictions_, refits, rtol=1e-8)
    np.testing.assert_allclose(model.predict(X), KernelRidge(model.alpha_, **OPTIONS).fit(X, Y).predict(X), rtol=1e-8)


def test_groups_change_the_choice(data):
    """A shift of each group is noise for a new group, but not for a new sample of an old one."""
    X, y, groups = data
    alphas = np.logspace(-3, 3, 13)
    features = np.column_stack([X, 3 * np.unique(groups, return_inverse=True)[1]])
    together = KernelRidgeCV(alphas, **OPTIONS).fit(features, y, groups=groups)
    alone = KernelRidgeCV(alphas, **OPTIONS).fit(features, y)
    assert together.alpha_ > alone.alpha_
    assert together.best_score_ < alone.best_score_


def test_weights_and_groups(data, rng):
    X, y, groups = data
    s = rng.integers(0, 3, size=36).astype(float)
    model = KernelRidgeCV([0.5], **OPTIONS).fit(X, y, sample_weight=s, groups=groups)
    for group in np.unique(groups):
        inside = groups == group
        refit = KernelRidge(0.5, **OPTIONS).fit(X[~inside], y[~inside], sample_weight=s[~inside])
        np.testing.assert_allclose(model.loo_predictions_[inside], refit.predict(X[inside]), rtol=1e-8)


def test_splitters_read_groups(data):
    X, y, groups = data
    found = KernelRidgeCV([0.1, 1.0], **OPTIONS, cv=GroupKFold(3)).fit(X, y, groups=groups)
    folds = list(GroupKFold(3).split(X, y, groups))
    np.testing.assert_allclose(found.scores_, KernelRidgeCV([0.1, 1.0], **OPTIONS, cv=folds).fit(X, y).scores_)
    approximated = KernelRidgeCV([0.1, 1.0], **OPTIONS, cv=GroupKFold(3), approximation=36)
    np.testing.assert_allclose(approximated.fit(X, y, groups=groups).scores_, found.scores_, rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "change", "message"),
    [
        ({}, lambda g: g[:5], r"groups must have shape \(36,\), one group for each of 36 samples, got \(5,\)"),
        ({}, lambda g: g[:, None], r"groups must have shape \(36,\)"),
        ({}, lambda g: np.full(36, 7), "at least two different labels, got only .*7.*; use groups=None"),
        ({"criterion": "gcv"}, lambda g: g, "criterion='gcv' leaves no groups out"),
        ({"approximation": 10}, lambda g: g, "groups with an approximation need folds"),
    ],
)
def test_errors(data, options, change, message):
    X, y, groups = data
    with pytest.raises(ValueError, match=message):
        KernelRidgeCV(**options).fit(X, y, groups=change(groups))
