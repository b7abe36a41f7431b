"""Weights, scores, time limits and progress of automatic models."""

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, roc_auc_score

from mercer.auto import AutoClassifier, AutoRegressor
from mercer.auto.clock import Clock, TimeUp, followed
from mercer.auto.stack import StackedClassifier
from mercer.auto.stack.draft import selected


def samples(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * rng.normal(size=n)


def test_samples_of_weight_zero_do_not_matter():
    X, y = samples(120)
    weight = np.ones(150)
    weight[120:] = 0
    more, wild = np.vstack([X, X[:30]]), np.append(y, np.full(30, 1e6))
    model = AutoRegressor().fit(more, wild, sample_weight=weight)
    assert np.array_equal(model.rows_, np.arange(120))
    assert any("30 of 150 samples have weight 0" in note for note in model.notes_)
    np.testing.assert_allclose(model.predict(X), AutoRegressor().fit(X, y).predict(X))


def test_weights_move_predictions():
    X, y = samples(100)
    X, y = np.vstack([X, X]), np.append(y, y + 2)
    groups = np.tile(np.arange(100), 2)
    low, high = (
        AutoRegressor().fit(X, y, groups, sample_weight=np.repeat(w, 100)).predict(X[:100]).mean()
        for w in ([1.0, 0.05], [0.05, 1.0])
    )
    assert high - low > 1.2


@pytest.mark.parametrize("classes", [pytest.param(2, marks=pytest.mark.exhaustive), 3])
def test_class_weights_are_sample_weights(classes):
    X, y = samples(150)
    y = np.digitize(y, [1.0, 2.0][: classes - 1])
    balanced = AutoClassifier(class_weight="balanced").fit(X, y)
    share = np.bincount(y) / len(y)
    by_hand = AutoClassifier().fit(X, y, sample_weight=1 / (classes * share[y]))
    np.testing.assert_allclose(balanced.predict_proba(X), by_hand.predict_proba(X), atol=1e-8)
    plain = AutoClassifier().fit(X, y)
    rare = int(share.argmin())
    assert balanced.predict_proba(X)[:, rare].mean() > plain.predict_proba(X)[:, rare].mean()


def test_bad_weights_are_refused():
    X, y = samples(60)
    with pytest.raises(ValueError, match="sample_weight must not be negative, got a minimum of -1"):
        AutoRegressor().fit(X, y, sample_weight=np.full(60, -1.0))
    with pytest.raises(ValueError, match="incompatible shapes"):
        AutoRegressor().fit(X, y, sample_weight=np.ones(59))


def test_scores_weigh_the_members():
    X, y = samples(300)
    model = AutoRegressor(scoring="neg_mean_absolute_error").fit(X, y)
    new, truth = samples(500, seed=1)
    assert -model.best_score_ == pytest.approx(mean_absolute_error(truth, model.predict(new)), rel=0.3)
    weights = np.array([member.weight for member in model.model_.members_])
    assert weights.sum() == pytest.approx(1, abs=0.1)
    model = AutoClassifier(scoring="roc_auc").fit(X, y > 1)
    assert model.best_score_ == pytest.approx(roc_auc_score(truth > 1, model.predict_proba(new)[:, 1]), abs=0.06)


def test_unknown_scores_are_refused_before_the_work():
    X, y = samples(60)
    with pytest.raises(ValueError, match="'rocauc'"):
        AutoClassifier(scoring="rocauc").fit(X, y > 0)


def test_selection_beats_every_member():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    members = [truth + rng.normal(size=200) for _ in range(4)]

    def judge(values):
        return -np.abs(values - truth).mean()

    weights = selected(members, judge)
    assert weights.sum() == pytest.approx(1)
    assert judge(np.tensordot(weights, members, 1)) > max(map(judge, members))


@pytest.mark.parametrize("cls", [AutoClassifier, AutoRegressor])
def test_a_limit_that_is_over_leaves_one_machine(cls):
    X, y = samples(400)
    model = cls(time_limit=1e-9).fit(X, y > 0 if cls is AutoClassifier else y)
    assert len(model.model_.members_) == 1
    assert model.score(X, y > 0 if cls is AutoClassifier else y) > 0.7
    late = [note for note in model.notes_ if note.startswith("Time limit:")]
    assert len(late) >= 3
    assert "ways to learn weights" in late[0]


def test_a_long_limit_changes_nothing():
    X, y = samples(120)
    assert np.array_equal(AutoRegressor(time_limit=1e6).fit(X, y).predict(X), AutoRegressor().fit(X, y).predict(X))


@pytest.mark.parametrize("limit", [0, -1.0, "1"])
def test_bad_limits_are_refused(limit):
    with pytest.raises(ValueError, match="time_limit"):
        AutoRegressor(time_limit=limit).fit(*samples(60))


def test_time_up_is_raised_only_at_the_limit():
    Clock().check()
    Clock(limit=1e6).check()
    with pytest.raises(TimeUp):
        Clock(limit=1e-9).check()


def test_progress_grows_to_one(capsys):
    X, y = samples(80)
    told = []
    with followed(lambda share, text: told.append((share, text))):
        model = AutoClassifier(verbose=True).fit(X, y > 0)
    assert isinstance(model.model_, StackedClassifier)
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert all(0 < share < 1 for share in shares[:2])
    assert any("ridge regression with" in text for _, text in told)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith("AutoClassifier: 100% after")


def test_silence_by_default(capsys):
    AutoRegressor().fit(*samples(60))
    assert capsys.readouterr() == ("", "")
