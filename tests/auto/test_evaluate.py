"""Honest scores: folds, metrics, baselines, intervals."""

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score, roc_auc_score

from mercer.auto import AutoClassifier, AutoRegressor, evaluate


@pytest.fixture
def points(rng):
    X = rng.normal(size=(60, 2))
    return {"a": X[:, 0], "b": X[:, 1]}, X[:, 0] + X[:, 1]


@pytest.fixture
def two(points):
    data, value = points
    return data, np.where(value + 0.3 > 0, "yes", "no")


MODEL = AutoClassifier(kernel="linear", model="svm", cv=3)


def test_classification(two):
    data, y = two
    found = evaluate(MODEL, data, y, cv=4)
    assert found.task == "classification"
    assert list(found.metrics) == list(found.baseline) == ["accuracy", "balanced accuracy", "ROC AUC"]
    assert sorted(np.unique(found.folds)) == [0, 1, 2, 3]
    for fold in range(4):
        test = found.folds == fold
        truth, guess = y[test], found.predictions[test]
        assert found.metrics["accuracy"][fold] == accuracy_score(truth, guess)
        assert found.metrics["balanced accuracy"][fold] == pytest.approx(balanced_accuracy_score(truth, guess))
        assert found.metrics["ROC AUC"][fold] == pytest.approx(roc_auc_score(truth == "yes", found.decisions[test]))
        assert found.baseline["accuracy"][fold] == np.mean(truth == "yes")
        assert found.baseline["balanced accuracy"][fold] == found.baseline["ROC AUC"][fold] == 0.5
    assert found.classes.tolist() == ["no", "yes"]
    assert found.kernels == ["linear"] * 4
    np.testing.assert_array_equal(found.truth, y)
    assert found.metrics["accuracy"].mean() > 0.9


def test_predictions_come_from_models_that_have_not_seen_the_sample(two):
    data, y = two
    found = evaluate(MODEL, data, y, cv=4)
    for fold in range(4):
        test = found.folds == fold
        rest, own = ({name: values[rows] for name, values in data.items()} for rows in (~test, test))
        model = AutoClassifier(kernel="linear", model="svm", cv=3).fit(rest, y[~test])
        np.testing.assert_array_equal(model.predict(own), found.predictions[test])


def test_regression(points):
    data, y = points
    found = evaluate(AutoRegressor(kernel="linear", model="ridge", cv=3), data, y, cv=3)
    assert list(found.metrics) == ["R²", "RMSE", "MAE"]
    assert found.decisions is None
    assert found.classes is None
    for fold in range(3):
        test = found.folds == fold
        assert found.metrics["R²"][fold] == pytest.approx(r2_score(y[test], found.predictions[test]))
        assert found.metrics["MAE"][fold] == pytest.approx(mean_absolute_error(y[test], found.predictions[test]))
        mean = y[~test].mean()
        assert found.baseline["RMSE"][fold] == pytest.approx(np.sqrt(np.mean((y[test] - mean) ** 2)))
    assert found.metrics["R²"].min() > 0.99 > 0 >= found.baseline["R²"].max()


def test_several_classes(rng):
    X = rng.normal(size=(60, 2))
    y = np.arange(60) % 3
    X[np.arange(60), np.minimum(y, 1)] += 4 * y
    found = evaluate(AutoClassifier(kernel="rbf", model="svm", cv=3), X, y, cv=3)
    assert list(found.metrics) == ["accuracy", "balanced accuracy"]
    assert found.decisions.shape == (60, 3)
    np.testing.assert_array_equal(found.classes[found.decisions.argmax(axis=1)], found.predictions)


def test_models_with_probabilities_only(two):
    data, y = two
    found = evaluate(AutoClassifier(kernel="linear", model="knn", cv=3), data, y, cv=3)
    assert np.abs(found.decisions).max() <= 1
    assert found.metrics["ROC AUC"].mean() > 0.9


def test_interval(two):
    data, y = two
    found = evaluate(MODEL, data, y, cv=4)
    scores = found.metrics["accuracy"]
    mean, low, high = found.interval("accuracy")
    expected = stats.t.interval(0.95, 3, loc=scores.mean(), scale=stats.sem(scores))
    assert (mean, low, high) == pytest.approx((scores.mean(), *expected))
    with pytest.raises(ValueError, match="unknown metric 'F1'; choose from 'accuracy'"):
        found.interval("F1")


def test_progress_is_told(two):
    data, y = two
    told = []
    evaluate(MODEL, data, y, cv=2, progress=lambda *step: told.append(step))
    assert told == [(0, 2, "fold 1 of 2"), (1, 2, "fold 2 of 2"), (2, 2, "done")]


def test_it_is_deterministic(two):
    data, y = two
    first, again = (evaluate(MODEL, data, y, cv=3) for _ in range(2))
    np.testing.assert_array_equal(first.predictions, again.predictions)
    np.testing.assert_array_equal(first.folds, again.folds)
    other = evaluate(AutoClassifier(kernel="linear", model="svm", cv=3, random_state=1), data, y, cv=3)
    assert not np.array_equal(first.folds, other.folds)


def test_groups(two):
    data, y = two
    groups = np.repeat(np.arange(12), 5).astype(str)
    found = evaluate(MODEL, data, y, groups, cv=3)
    for group in np.unique(groups):
        assert len(np.unique(found.folds[groups == group])) == 1


def test_noise_is_at_chance(rng):
    data = {f"x{i}": rng.normal(size=90) for i in range(5)} | {"c": rng.choice(list("abcd"), 90)}
    y = np.arange(90) % 2
    found = evaluate(AutoClassifier(model="ridge", cv=3), data, y, cv=3)
    assert 0.3 < found.metrics["accuracy"].mean() < 0.7


def test_preparation_happens_inside_the_folds(rng):
    """The one sample with a huge number must not move the scales of the models that predict it."""
    data = {"a": np.r_[1e6, rng.normal(size=39)]}
    y = np.r_[0.0, data["a"][1:]]
    found = evaluate(AutoRegressor(kernel="rbf", model="ridge", cv=3), data, y, cv=4)
    others = found.folds != found.folds[0]
    own = ~others
    own[0] = False
    assert np.abs(found.predictions[own] - y[own]).mean() < 0.2  # trained without it
    assert np.abs(found.predictions[others] - y[others]).mean() > 0.5  # trained with it, where all others look alike


def test_fewer_folds_are_told(rng):
    X, y = rng.normal(size=(20, 2)), np.repeat(["a", "b"], [17, 3])
    found = evaluate(AutoClassifier(kernel="linear", model="svm"), X, y)
    assert found.notes == ["Evaluation: 3 folds instead of 5, since class 'b' has only 3 samples."]


def test_any_classifier_of_scikit_learn(two):
    _, y = two
    found = evaluate(DummyClassifier(), np.zeros((60, 1)), y, cv=3)
    np.testing.assert_array_equal(found.metrics["accuracy"], found.baseline["accuracy"])


def test_groups_that_leave_no_sample_of_a_class(rng):
    y = np.r_[np.repeat("a", 8), np.repeat("b", 4)]
    groups = np.r_[np.arange(8) % 4, 0, 0, 0, 0]
    with pytest.raises(ValueError, match=r"evaluate: fitting without fold \d failed: .* the target is constant"):
        evaluate(MODEL, rng.normal(size=(12, 2)), y, groups, cv=4)


@pytest.mark.parametrize(
    ("y", "folds", "message"),
    [
        (["a"] * 19 + ["b"], 5, "class 'b' has 1 sample, expected at least 2"),
        (["a"] * 20, 5, "constant"),
        (["a", "b"] * 10, 1, "cv must be an integer >= 2"),
        (["a", "b"] * 4, 5, "X has 20 samples, but y has 8"),
    ],
)
def test_mistakes(y, folds, message):
    with pytest.raises(ValueError, match=message):
        evaluate(MODEL, np.zeros((20, 2)), y, cv=folds)
