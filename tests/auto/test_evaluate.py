"""Honest scores: folds, metrics, baselines, intervals."""

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    log_loss,
    mean_absolute_error,
    median_absolute_error,
    r2_score,
    roc_auc_score,
)
from sklearn.svm import SVC as ReferenceSVC

from mercer.auto import AutoClassifier, AutoRegressor, Evaluation, evaluate
from mercer.auto.metrics import metric_range


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
    names = ["accuracy", "balanced accuracy", "ROC AUC", "average precision"]
    assert [name for name in found.metrics if name != "log-loss"] == names
    assert list(found.metrics) == list(found.baseline)
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
    assert [name for name in found.metrics if name != "log-loss"] == ["accuracy", "balanced accuracy"]
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
    assert (mean, low, high) == pytest.approx((scores.mean(), expected[0], min(expected[1], 1.0)))
    with pytest.raises(ValueError, match="unknown metric 'F1'; choose from 'accuracy'"):
        found.interval("F1")


def evaluation(name, scores):
    return Evaluation("regression", {name: np.array(scores)}, {}, None, None, np.zeros(0, dtype=int), [])


@pytest.mark.parametrize(
    ("name", "scores", "limits"),
    [
        ("accuracy", [0.5, 1.0, 1.0], (0, 1)),
        ("ROC AUC", [0.0, 0.0, 0.9], (0, 1)),
        ("average precision", [0.02, 0.3, 0.02], (0, 1)),
        ("R²", [-1.0, 0.9, 0.9], (-np.inf, 1)),
        ("RMSE", [0.1, 1.0, 2.0], (0, np.inf)),
        ("log-loss", [0.1, 1.0, 2.0], (0, np.inf)),
        ("neg_log_loss", [-0.1, -1.0, -2.0], (-np.inf, 0)),
        ("roc_auc", [0.5, 1.0, 1.0], (0, 1)),
        ("mine", [0.5, 1.0, 1.0], (-np.inf, np.inf)),  # no bounds are known
    ],
)
def test_intervals_stay_in_the_range_of_the_metric(name, scores, limits):
    mean, low, high = evaluation(name, scores).interval(name)
    assert mean == pytest.approx(np.mean(scores))
    free = stats.t.interval(0.95, 2, loc=np.mean(scores), scale=stats.sem(scores))
    assert (low, high) == pytest.approx(tuple(np.clip(free, *limits)))
    assert name == "mine" or (low, high) != pytest.approx(free)
    assert metric_range(name) == limits


def test_probabilities_and_rare_positives(rng):
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=200) > 1.3, "fraud", "ok")
    found = evaluate(LogisticRegression(), X, y, cv=4, scoring="f1")
    assert list(found.metrics) == list(found.baseline)
    assert list(found.metrics)[2:] == ["ROC AUC", "average precision", "log-loss", "f1"]
    for fold in range(4):
        test = found.folds == fold
        model = LogisticRegression().fit(X[~test], y[~test])
        rank, truth = model.decision_function(X[test]), y[test]
        np.testing.assert_allclose(found.decisions[test], rank)
        assert found.metrics["ROC AUC"][fold] == pytest.approx(roc_auc_score(truth == "fraud", -rank))
        expected = average_precision_score(truth == "fraud", -rank)  # of the rarer class, which is the first one
        assert found.metrics["average precision"][fold] == pytest.approx(expected)
        assert found.metrics["log-loss"][fold] == pytest.approx(log_loss(truth, model.predict_proba(X[test])))
        assert found.metrics["f1"][fold] == pytest.approx(f1_score(truth, model.predict(X[test]), pos_label="fraud"))
        share = np.mean(truth == "fraud")
        assert found.baseline["average precision"][fold] == pytest.approx(share)
        known = np.mean(y[~test] == "fraud")
        entropy = -share * np.log(known) - (1 - share) * np.log(1 - known)
        assert found.baseline["log-loss"][fold] == pytest.approx(entropy)
        assert found.baseline["f1"][fold] == 0.0


def test_scores_of_models_without_probabilities(two):
    data, y = two
    X = np.column_stack(list(data.values()))
    found = evaluate(ReferenceSVC(), X, y, cv=3, scoring="roc_auc")
    assert "log-loss" not in found.metrics
    np.testing.assert_allclose(found.metrics["roc_auc"], found.metrics["ROC AUC"])
    with pytest.raises(ValueError, match="'neg_brier_score' needs probabilities, but the model has no predict_proba"):
        evaluate(ReferenceSVC(), X, y, cv=3, scoring="neg_brier_score")
    with pytest.raises(ValueError, match="evaluate: scoring='r2' is a score for regression"):
        evaluate(ReferenceSVC(), X, y, cv=3, scoring="r2")


def test_other_scores_of_numbers(points):
    data, y = points
    found = evaluate(
        AutoRegressor(kernel="linear", model="ridge", cv=3), data, y, cv=3, scoring="neg_median_absolute_error"
    )
    for fold in range(3):
        test = found.folds == fold
        expected = -median_absolute_error(y[test], found.predictions[test])
        assert found.metrics["neg_median_absolute_error"][fold] == pytest.approx(expected)


def test_values_for_pairs_of_classes_are_not_scores_of_classes(rng):
    y = np.arange(80) % 4
    X = rng.normal(size=(80, 4)) + 4 * np.eye(4)[y]
    found = evaluate(ReferenceSVC(decision_function_shape="ovo"), X, y, cv=3)
    assert found.decisions is None
    assert evaluate(ReferenceSVC(), X, y, cv=3).decisions.shape == (80, 4)


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


def test_a_rare_class_among_others_does_not_reduce_the_folds(rng):
    X, y = rng.normal(size=(45, 2)), np.repeat(["a", "b", "c"], [22, 20, 3])
    found = evaluate(AutoClassifier(kernel="linear", model="svm"), X, y)
    assert len(found.metrics["accuracy"]) == 5
    assert all(np.isfinite(scores).all() for scores in found.metrics.values())
    assert found.notes == [
        "Evaluation: classes with fewer samples than 5 folds ('c': 3) are missing from some test parts."
    ]


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
