"""What an evaluation records beside scores: probabilities, intervals, choices, baselines."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss

from mercer.auto import AutoClassifier, AutoRegressor, Candidate, Choice, evaluate
from mercer.auto.evaluation.choices import choice_of, differences
from mercer.kernels import RBF, Linear, WeightedColumns
from mercer.svm import SVC


@pytest.fixture
def points(rng):
    X = rng.normal(size=(90, 3))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=90) > 0.4, "yes", "no")


def test_probabilities_are_out_of_fold(points):
    X, y = points
    found = evaluate(AutoClassifier("rbf", "svm"), X, y, cv=3)
    assert found.probabilities.shape == (90, 2)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    for fold in range(3):
        test = found.folds == fold
        expected = log_loss(y[test], found.probabilities[test], labels=found.classes)
        assert found.metrics["log-loss"][fold] == pytest.approx(expected)
        model = AutoClassifier("rbf", "svm").fit(X[~test], y[~test])
        np.testing.assert_allclose(model.predict_proba(X[test]), found.probabilities[test], rtol=1e-9)
    assert found.seconds.shape == (3,)
    assert found.positive == "yes"
    assert evaluate(SVC(), X, y, cv=3).probabilities is None


@pytest.mark.parametrize("kernel", ["auto", "rbf"])
def test_intervals_are_out_of_fold_and_hold(rng, kernel):
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200)
    found = evaluate(AutoRegressor(kernel, "ridge" if kernel == "rbf" else "stack"), X, y, cv=3)
    low, high = found.intervals.T
    assert (low < high).all()
    assert 0.8 < np.mean((low <= found.truth) & (found.truth <= high)) < 0.97
    assert found.probabilities is None


def test_baselines_use_the_folds_of_the_model(points):
    X, y = points
    found = evaluate(AutoClassifier("rbf", "svm"), X, y, cv=3, baselines=True)
    assert list(found.baselines) == ["linear model", "gradient boosting"]
    linear = found.baselines["linear model"]
    assert linear.estimator == "LogisticRegression"
    assert linear.seconds > 0
    for fold in range(3):
        test = found.folds == fold
        center, scale = X[~test].mean(axis=0), X[~test].std(axis=0)
        model = LogisticRegression(max_iter=500).fit((X[~test] - center) / scale, y[~test])
        expected = accuracy_score(y[test], model.predict((X[test] - center) / scale))
        assert linear.metrics["accuracy"][fold] == pytest.approx(expected)
    assert evaluate(SVC(), X, y, cv=3).baselines is None


def test_baselines_read_categories_texts_and_molecules_or_say_that_they_do_not(rng):
    n = 60
    colour = rng.choice(["red", "blue", "green"], n)
    words = [" ".join(rng.choice(["good", "bad", "fair", "cold"], 5)) for _ in range(n)]
    y = np.where((colour == "red") | np.array(["good" in text for text in words]), 1.0, 0.0) + 0.1 * rng.normal(size=n)
    model = AutoRegressor("overlap[colour]", "ridge", kinds={"words": "text"})
    found = evaluate(model, {"colour": colour, "words": words}, y, cv=3, baselines=True)
    assert found.baselines["linear model"].metrics["R²"].mean() > found.metrics["R²"].mean()
    assert "gradient boosting" in found.baselines
    only = evaluate(AutoRegressor("auto", "ridge", kinds={"words": "text"}), {"words": words}, y, cv=2, baselines=True)
    assert list(only.baselines) == ["linear model"]
    assert any("'gradient boosting' was left out, since it needs numbers" in note for note in only.notes)


def test_a_weakened_baseline_says_so(points, monkeypatch):
    X, y = points
    usual = evaluate(AutoClassifier("rbf", "ridge"), X, y, cv=2, baselines=True).baselines["gradient boosting"]
    monkeypatch.setattr("mercer.auto.evaluation.baselines.WORK", 30 * (len(y) // 2 + 1) * X.shape[1])
    fewer = evaluate(AutoClassifier("rbf", "ridge"), X, y, cv=2, baselines=True).baselines["gradient boosting"]
    assert "rounds" not in usual.description
    assert fewer.description.endswith("; 30 rounds instead of 100, to save time")


def test_choices_of_folds_are_compared_with_the_model(points):
    X, y = points
    found = evaluate(AutoClassifier("rbf", "svm"), X, y, cv=3)
    assert [choice.model for choice in found.choices] == ["svm"] * 3
    assert found.differences(AutoClassifier("rbf", "svm").fit(X, y)) == ""
    other = found.differences(AutoClassifier("rbf", "ridge").fit(X, y))
    assert other.startswith("Fits in 3 of 3 folds chose differently (3 × svm")
    assert "saved model (ridge on" in other


def test_widths_are_no_different_choice():
    class Fitted:
        def __init__(self, name, kernel, model="svm"):
            self.kernel_, self.best_params_ = kernel, {"model": model}
            self.candidates_ = [Candidate(name, kernel, 0.1, 1.0, 0.9, 0.1, model, {}, chosen=True)]

    narrow, wide = (choice_of(Fitted("rbf", RBF(gamma=g))) for g in (0.5, 2.0))
    linear = choice_of(Fitted("linear", Linear()))
    assert differences([narrow, narrow], wide) == ""
    assert "1 of 2 folds" in differences([narrow, linear], wide)
    assert "a stack" in differences([Choice("stack", "", "k")], linear)


def test_learned_weights_are_no_different_choice_and_long_kernels_are_cut():
    def choice(weights, p=2.0, **options):
        kernel = WeightedColumns(weights=weights, p=p, **options)
        candidate = Candidate("column weights", kernel, 0.1, 1.0, 0.9, 0.1, "svm", {}, chosen=True)
        return choice_of(SimpleNamespace(kernel_=kernel, best_params_={"model": "svm"}, candidates_=[candidate]))

    final = choice([0.5] * 40)
    assert differences([choice([0.25] * 40)] * 2, final) == ""
    other = choice([0.123456789] * 40, categorical=[3])
    shown = differences([other], final)
    assert "1 of 1 folds" in shown
    assert "svm on weighted_columns(weights=[0.123456789, " in shown
    assert len(shown) < 400


def test_a_class_with_one_sample_does_not_stop_an_evaluation(rng):
    X = rng.normal(size=(40, 2))
    y = np.array(["a"] * 20 + ["b"] * 19 + ["c"])
    found = evaluate(AutoClassifier("rbf", "svm"), X, y, cv=3)
    assert found.classes.tolist() == ["a", "b", "c"]
    assert found.rows.tolist() == list(range(39))
    assert len(found.truth) == len(found.predictions) == len(found.folds) == 39
    assert found.probabilities.shape == (39, 3)
    assert "Evaluation: classes with one sample ('c') stay in every training part and are not scored." in found.notes
