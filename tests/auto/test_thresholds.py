"""Thresholds: chosen by rules on out-of-fold probabilities, followed by predictions, saved with models."""

import numpy as np
import pytest
from sklearn.metrics import precision_score, recall_score

from mercer.auto import AutoClassifier, Evaluation, Threshold, choose_threshold
from mercer.persistence import load, save


@pytest.fixture
def found(rng):
    truth = rng.random(160) < 0.2
    p = 1 / (1 + np.exp(-(3 * truth - 2.2 + rng.normal(size=160))))
    classes = np.array(["no", "yes"])
    return Evaluation(
        "classification",
        {},
        {},
        classes[(p > 0.5).astype(int)],
        classes[truth.astype(int)],
        np.arange(160) % 4,
        [],
        classes=classes,
        probabilities=np.column_stack([1 - p, p]),
    )


def brute_force(found, accept):
    p = found.probabilities[:, 1]
    return [value for value in np.append(np.unique(p), 1.1) if accept(p >= value, found.truth == "yes")]


def test_recall_is_reached_by_the_largest_threshold(found):
    chosen = choose_threshold(found, "recall:0.9")
    assert chosen.positive == "yes"
    assert chosen.value == max(brute_force(found, lambda alarm, truth: recall_score(truth, alarm) >= 0.9))


def test_precision_is_reached_by_the_smallest_threshold(found):
    chosen = choose_threshold(found, "precision:0.8")
    enough = brute_force(
        found, lambda alarm, truth: alarm.any() and precision_score(truth, alarm, zero_division=0) >= 0.8
    )
    assert chosen.value == min(enough)


@pytest.mark.parametrize(("fp", "fn"), [(1, 1), (1, 10), (7, 1)])
def test_cost_is_smallest(found, fp, fn):
    chosen = choose_threshold(found, f"cost:{fp}:{fn}")
    p, truth = found.probabilities[:, 1], found.truth == "yes"

    def cost(value):
        return fp * (~truth & (p >= value)).sum() + fn * (truth & (p < value)).sum()

    assert cost(chosen.value) == min(cost(value) for value in np.append(np.unique(p), 1.0 + 1e-9))


def test_precision_and_recall_come_from_thresholds_of_other_folds(found):
    chosen = choose_threshold(found, "recall:0.9")
    p, truth, alarm = found.probabilities[:, 1], found.truth == "yes", np.zeros(160, dtype=bool)
    for fold in range(4):
        test = found.folds == fold
        values = np.unique(p[~test])
        best = max(v for v in values if recall_score(truth[~test], p[~test] >= v) >= 0.9)
        alarm[test] = p[test] >= best
    assert chosen.recall == pytest.approx(recall_score(truth, alarm))
    assert chosen.precision == pytest.approx(precision_score(truth, alarm))
    assert chosen.alarms == pytest.approx(alarm.mean())


def test_a_number_is_itself_and_the_other_class_may_be_positive(found):
    chosen = choose_threshold(found, 0.3, positive="no")
    assert (chosen.positive, chosen.value, chosen.rule) == ("no", 0.3, "given")


@pytest.mark.parametrize("rule", ["cost:1", "recall:2", "recall", "often", "cost:-1:2", "cost:0:inf", "nan"])
def test_rules_that_cannot_be_read(found, rule):
    with pytest.raises(ValueError, match="rule must be a number between 0 and 1, 'cost:FP:FN'"):
        choose_threshold(found, rule)


def test_what_cannot_be_chosen(found):
    with pytest.raises(ValueError, match="positive='perhaps' is not a class of the target; choose from 'no', 'yes'"):
        choose_threshold(found, 0.5, positive="perhaps")
    with pytest.raises(ValueError, match="no threshold reaches precision 1"):
        choose_threshold(worst(found), "precision:1")


def worst(found):
    """The same evaluation with probabilities that put a negative first."""
    P = found.probabilities.copy()
    P[np.flatnonzero(found.truth == "no")[0]] = 0, 1
    return Evaluation(
        "classification", {}, {}, None, found.truth, found.folds, [], classes=found.classes, probabilities=P
    )


def test_predictions_follow_the_threshold_also_from_a_file(rng, tmp_path):
    X = rng.normal(size=(120, 2))
    y = rng.permutation(np.repeat(["a", "b", "c"], 40))
    X[np.arange(120), (y == "b").astype(int)] += 2.0 * (y != "c")
    model = AutoClassifier("rbf", "ridge").fit(X, y)
    assert model.threshold_ is None
    plain, P = model.predict(X), model.predict_proba(X)
    model.use_threshold(Threshold("b", 0.2, "given", 0.5, 0.9, 0.4))
    shown = model.predict(X)
    others = np.array(["a", "c"])[P[:, [0, 2]].argmax(axis=1)]
    assert shown.tolist() == np.where(P[:, 1] >= 0.2, "b", others).tolist()
    assert (shown == "b").sum() > (plain == "b").sum()
    save(model, tmp_path / "m.mercer")
    again = load(tmp_path / "m.mercer")
    assert again.threshold_ == model.threshold_
    assert again.predict(X).tolist() == shown.tolist()
    assert model.use_threshold(None).predict(X).tolist() == plain.tolist()
    with pytest.raises(ValueError, match="positive class 'd' of the threshold is unknown"):
        model.use_threshold(Threshold("d", 0.2, "given", 0.5, 0.9, 0.4))
