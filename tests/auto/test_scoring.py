"""Scores of known predictions."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, get_scorer, log_loss, make_scorer, r2_score

from mercer.auto.scoring import Judge, rarer_class


@pytest.fixture(scope="module")
def classified():
    X, y = make_classification(200, weights=[0.8], flip_y=0.1, random_state=0)
    model = LogisticRegression().fit(X[:100], y[:100])
    return model, X[100:], y[100:], np.random.default_rng(0).uniform(0.5, 2, 100)


@pytest.fixture(scope="module")
def regressed():
    X, y = make_regression(60, 3, noise=30, random_state=0)
    y = np.exp(y / y.std())
    model = LinearRegression().fit(X[:30], y[:30])
    return model, X[30:], y[30:], np.random.default_rng(0).uniform(0.5, 2, 30)


@pytest.mark.parametrize("weighted", [False, True])
def test_default_is_log_loss(classified, weighted):
    model, X, y, weight = classified
    P, weight = model.predict_proba(X), weight if weighted else None
    judge = Judge("classification", None, model.classes_)
    assert judge.name == "log-loss"
    assert judge.probabilities(P, y, weight) == pytest.approx(-log_loss(y, P, sample_weight=weight))


@pytest.mark.parametrize("weighted", [False, True])
def test_default_is_r2(regressed, weighted):
    model, X, y, weight = regressed
    weight = weight if weighted else None
    judge = Judge("regression", None, None)
    assert judge.name == "R²"
    assert judge.values(model.predict(X), y, weight) == pytest.approx(
        r2_score(y, model.predict(X), sample_weight=weight)
    )


NAMES = "accuracy roc_auc average_precision f1 neg_brier_score neg_log_loss roc_auc_ovr adjusted_rand_score"


@pytest.mark.parametrize("name", NAMES.split())
def test_scorers_of_classifiers_see_the_same_as_the_model(classified, name):
    model, X, y, weight = classified
    judge = Judge("classification", name, model.classes_)
    assert judge.name == name
    assert judge.probabilities(model.predict_proba(X), y) == pytest.approx(get_scorer(name)(model, X, y))
    if name != "adjusted_rand_score":  # it takes no weights: they are not passed
        expected = get_scorer(name)(model, X, y, sample_weight=weight)
        assert judge.probabilities(model.predict_proba(X), y, weight) == pytest.approx(expected)
    else:
        assert judge.probabilities(model.predict_proba(X), y, weight) == pytest.approx(get_scorer(name)(model, X, y))


@pytest.mark.parametrize("name", ["r2", "neg_mean_absolute_error", "neg_median_absolute_error", "explained_variance"])
def test_scorers_of_regressors_see_the_same_as_the_model(regressed, name):
    model, X, y, weight = regressed
    judge = Judge("regression", name, None)
    expected = get_scorer(name)(model, X, y, sample_weight=weight)
    assert judge.values(model.predict(X), y, weight) == pytest.approx(expected)


def test_callables():
    def share(estimator, X, y):
        return accuracy_score(y, estimator.predict(X)) + 10 * (estimator.classes_.tolist() == ["a", "b"])

    P, y = np.array([[0.9, 0.1], [0.8, 0.2]]), np.array(["a", "b"])
    judge = Judge("classification", share, ["a", "b"])
    assert (judge.name, judge.probabilities(P, y, np.array([3.0, 1.0]))) == ("share", 10.5)
    made = Judge("classification", make_scorer(f1_score, pos_label="b"), ["a", "b"])
    assert (made.name, made.probabilities(P, y)) == ("f1_score", 0.0)


def test_positive_class_of_labels_that_have_no_one():
    P, y = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), np.array(["fraud", "ok", "ok"])
    assert rarer_class(y) == "fraud"
    second, rarer = (
        Judge("classification", "f1", ["fraud", "ok"]),
        Judge("classification", "f1", ["fraud", "ok"], positive="fraud"),
    )
    assert second.probabilities(P, y) == pytest.approx(f1_score(y, ["fraud", "ok", "fraud"], pos_label="ok"))
    assert rarer.probabilities(P, y) == pytest.approx(f1_score(y, ["fraud", "ok", "fraud"], pos_label="fraud"))
    own = Judge("classification", "f1", [1, 2], positive=2)  # the scorer's own positive label takes precedence
    assert own.probabilities(P, [1, 2, 2]) == rarer.probabilities(P, y)


@pytest.mark.parametrize(
    "name", ["neg_brier_score", "average_precision", "precision", "jaccard", "roc_auc", "accuracy"]
)
def test_labels_do_not_matter(classified, name):
    model, X, y, weight = classified
    P, expected = model.predict_proba(X), get_scorer(name)(model, X, y, sample_weight=weight)
    for labels in (["no", "yes"], [-1, 1], [2, 3], [False, True]):
        judge = Judge("classification", name, labels)
        assert judge.probabilities(P, np.array(labels)[y], weight) == pytest.approx(expected)


def test_undefined_scores_are_nan():
    assert np.isnan(Judge("classification", "roc_auc", [0, 1]).probabilities([[0.5, 0.5]] * 2, [0, 0]))
    judge = Judge("regression", None, None)
    assert np.isnan(judge.values([1.0, 2.0], [3.0, 3.0]))
    assert judge.values([1.0, 2.0], [3.0, 3.0], center=1.0) == pytest.approx(1 - 5 / 8)


def test_sure_and_wrong_is_finite():
    assert Judge("classification", None, [0, 1]).probabilities([[1.0, 0.0]], [1]) == pytest.approx(
        np.log(np.finfo(float).eps)
    )


@pytest.mark.parametrize(
    ("task", "scoring", "expected"),
    [
        ("classification", "auc", "AutoClassifier: unknown scoring='auc'; choose None .log-loss.*roc_auc"),
        ("classification", "r2", "scoring='r2' is a score for regression; .*neg_brier_score"),
        ("regression", "roc_auc", "AutoRegressor: scoring='roc_auc' is a score for classification; .*neg_mean_squared"),
        ("regression", make_scorer(f1_score), "scoring='f1_score' is a score for classification"),
        ("classification", 3, "must be None, a name or a callable, got int"),
        ("classification", "roc_auc", "'roc_auc' cannot score probabilities of 3 classes: .*multi_class.*roc_auc_ovr"),
        ("classification", lambda e, X, y: X["age"].mean(), "is called with predictions in place of X"),
        ("regression", lambda e, X, y: e.predict_proba(X)[0, 0], "cannot score predicted numbers"),
        ("regression", lambda e, X, y: e.predict(X), "cannot score predicted numbers"),
    ],
)
def test_what_cannot_score(task, scoring, expected):
    with pytest.raises(ValueError, match=expected):
        Judge(task, scoring, None if task == "regression" else [0, 1, 2])


def test_caller_is_named():
    with pytest.raises(ValueError, match=r"^evaluate: unknown scoring='x'"):
        Judge("regression", "x", None, who="evaluate")
