"""Probabilities, thresholds, comparisons and intervals: their tables against direct computations."""

import dataclasses

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_score, recall_score, roc_auc_score

from mercer.auto import Baseline, Choice, Duplicates, Threshold
from mercer.report import head
from mercer.report.comparison import better_baseline, comparison_blocks
from mercer.report.curves import reliability
from mercer.report.errors import errors_section
from mercer.report.learning import learning_blocks, learning_curve, trend
from mercer.report.metrics import shown
from mercer.report.probabilities import probabilities_section
from mercer.report.residuals import coverage, residual_blocks
from mercer.report.scores import scores_section
from mercer.report.subject import Subject
from mercer.report.text import number, percent
from mercer.report.thresholds import RATIOS, confidence_table, decide, threshold_table
from tests.report.cases import case, page
from tests.report.pages import parsed


def subject_of(name, **changes):
    found = case(name)
    return Subject(found.model, dataclasses.replace(found.evaluation, **changes), found.dataset, found.X)


def table_of(blocks, id):
    (found,) = [block for block in blocks if getattr(block, "id", None) == id]
    return found


@pytest.fixture
def claims(rng):
    claimed = rng.random(400)
    return claimed, rng.random(400) < claimed


def test_thresholds_are_those_of_scikit_learn(claims):
    claimed, own = claims
    table = threshold_table(claimed, own, "spam", used=0.25)
    assert table.rows[table.marked][0].text == "0.25"
    for row in table.rows:
        flags = claimed >= float(row[0].text)
        texts = [c.text for c in row]
        assert texts[1] == percent(flags.mean())
        assert texts[2] == percent(precision_score(own, flags))
        assert texts[3] == percent(recall_score(own, flags))
        wrong, missed = (flags & ~own).sum(), (~flags & own).sum()
        assert texts[4:] == [number(100 * (wrong + ratio * missed) / 400, 3) for ratio in RATIOS]


def test_predictions_without_a_threshold_are_not_called_a_threshold(claims):
    claimed, own = claims
    plain = threshold_table(claimed, own, "spam", flags=claimed >= 0.5)
    assert plain.rows[plain.marked][0].text == "0.50"
    assert len(plain.rows) == len(threshold_table(claimed, own, "spam").rows)
    flags = claimed >= 0.35  # decision values have another sign than calibrated probabilities minus 0.5
    table = threshold_table(claimed, own, "spam", flags=flags)
    row = [cell.text for cell in table.rows[table.marked]]
    assert row[:4] == [
        "none",
        percent(flags.mean()),
        percent(precision_score(own, flags)),
        percent(recall_score(own, flags)),
    ]
    assert "which follow its decision values and no threshold" in table.note


def test_the_threshold_table_and_the_confusion_matrix_agree():
    subject = subject_of("strings")
    other = subject.evaluation.classes[subject.evaluation.classes != subject.evaluation.positive][0]
    predicted = subject.evaluation.predictions.copy()
    predicted[np.flatnonzero(predicted == subject.evaluation.positive)[:3]] = other
    subject = subject_of("strings", predictions=predicted)
    table = table_of(probabilities_section(subject).blocks, "thresholds")
    recall = table_of(errors_section(subject).blocks, "recall")
    (own,) = [row for row in recall.rows if row[0].text == str(subject.evaluation.positive)]
    assert table.rows[table.marked][3].text == own[3].text


def test_confidence_is_that_of_the_predicted_class():
    predicted = np.roll(case("wine").evaluation.predictions, 60)
    subject = subject_of("wine", predictions=predicted)
    table = table_of(probabilities_section(subject).blocks, "confidence")
    assert table.rows[0][2].text == percent(np.mean(predicted == subject.evaluation.truth))


def test_the_cheapest_threshold_falls_with_the_cost_of_a_miss(claims):
    costs = [[decide(*claims, t).cost(ratio, 400) for t in (0.05, 0.2, 0.5)] for ratio in RATIOS]
    assert np.argmin(costs, axis=1).tolist() == [2, 1, 0]


def test_accepted_predictions_are_counted(claims):
    claimed, right = claims
    for row in confidence_table(claimed, right).rows:
        kept = claimed >= float(row[0].text)
        assert row[1].text == percent(kept.mean())
        assert row[2].text == percent(right[kept].mean())
        assert row[3].text == number(int((kept & ~right).sum()))


def test_reliability_of_calibrated_and_of_exaggerated_probabilities(rng):
    claimed = rng.random(20_000)
    right = rng.random(20_000) < claimed
    counts, mean, frequency, error = reliability(claimed, right)
    assert counts.sum() == 20_000
    assert np.abs(mean - frequency).max() < 0.05
    assert error < 0.02
    assert reliability(np.where(claimed > 0.5, 1.0, 0.0), right)[3] > 0.2


def test_curves_name_their_areas():
    evaluation = case("strings").evaluation
    (roc,) = [x["aria-label"] for x in parsed("strings").all("svg") if x["aria-label"].startswith("ROC")]
    (ranks,) = [x["aria-label"] for x in parsed("strings").all("svg") if x["aria-label"].startswith("Precision-recall")]
    own = evaluation.truth == evaluation.positive
    column = evaluation.probabilities[:, list(evaluation.classes).index(evaluation.positive)]
    assert percent(roc_auc_score(own, column)) in roc
    assert percent(average_precision_score(own, column)) in ranks
    assert parsed("strings").tables["thresholds"].header[:4] == ["threshold", "flagged", "precision", "recall"]


def test_several_classes_are_accepted_by_confidence():
    table = parsed("wine").tables["confidence"]
    assert table.row("0.00")[1:3] == ["100.0\u202f%", percent(case("wine").evaluation.metrics["accuracy"].mean())]


def test_a_threshold_in_use_is_named():
    subject = subject_of("strings")
    positive = subject.evaluation.positive
    subject.model.threshold_ = Threshold(positive, 0.123, "recall:0.9", 0.8, 0.9, 0.5)
    try:
        section = probabilities_section(subject)
    finally:
        subject.model.threshold_ = None
    table = table_of(section.blocks, "thresholds")
    assert table.rows[table.marked][0].text == "0.123"
    assert any("at least 0.123 (recall:0.9)" in getattr(block, "text", "") for block in section.blocks)


def test_models_without_probabilities_have_curves_only():
    section = probabilities_section(subject_of("strings", probabilities=None))
    assert [block.kind for block in section.blocks] == ["gallery", "paragraph"]
    assert probabilities_section(subject_of("strings", probabilities=None, decisions=None)) is None
    assert probabilities_section(subject_of("diabetes")) is None


def test_known_models_are_compared_on_the_same_folds():
    evaluation, table = case("wine").evaluation, parsed("wine").tables["comparison"]
    assert table.column("model")[1:] == ["linear model", "gradient boosting", "majority class"]
    for row, metrics in zip(
        table.rows,
        [evaluation.metrics, *(b.metrics for b in evaluation.baselines.values()), evaluation.baseline],
        strict=True,
    ):
        assert row[1] == percent(metrics["accuracy"].mean())
        assert row[3] == shown("log-loss", metrics["log-loss"].mean())
    seconds = evaluation.baselines["linear model"].seconds
    assert table.row("linear model")[-1] == f"{number(seconds, 2)} s"
    assert "Linear model: LogisticRegression of scikit-learn on standardised numbers" in parsed("wine").text
    assert comparison_blocks(subject_of("wine", baselines=None)) == []


def test_a_better_baseline_is_named_at_the_head():
    evaluation = case("wine").evaluation
    ones = {name: np.ones_like(scores) for name, scores in evaluation.metrics.items()}
    halves = {name: scores / 2 for name, scores in evaluation.metrics.items()}
    worse = subject_of("wine", baselines={"linear model": Baseline(halves, 0.1, "LogisticRegression")})
    assert better_baseline(worse) == ""
    better = subject_of(
        "wine", metrics=halves, baselines={"linear model": Baseline(ones, 0.1, "LogisticRegression", "x on numbers")}
    )
    assert "linear model (100.0\u202f%) has a better accuracy" in better_baseline(better)
    assert better_baseline(better) in head.remarks(better)
    assert better_baseline(better).endswith("Consider using it instead.")
    mixed = {**halves, "accuracy": halves["accuracy"] + [0.3, -0.2, 0.0]}
    unsure = dataclasses.replace(
        better.evaluation, baselines={"linear model": Baseline(mixed, 0.1, "LogisticRegression")}
    )
    assert better_baseline(dataclasses.replace(better, evaluation=unsure)).endswith("may be due to chance.")
    smaller = {"RMSE": np.full(2, 3.0), "R²": np.full(2, 0.5)}
    error = subject_of(
        "diabetes", metrics={"RMSE": np.full(2, 4.0)}, baselines={"linear model": Baseline(smaller, 0.1, "Ridge")}
    )
    assert "linear model (3) has a better RMSE than this model (4)" in better_baseline(error)


def test_folds_that_chose_differently_are_named_where_the_score_stands():
    choices = [Choice("ridge", "words of review", "bag_of_words"), Choice("ridge", "words of review", "bag_of_words")]
    subject = subject_of("strings", choices=choices)
    said = [text for text in head.remarks(subject) if "chose differently" in text]
    assert len(said) == 1
    section = scores_section(subject)
    assert said[0] in [getattr(block, "text", "") for block in section.blocks]
    assert "All 2 folds chose as the final model did: svm" in parsed("strings").text


def test_duplicates_are_named_where_the_score_stands():
    truth = case("one_column").evaluation.truth
    crossing = np.arange(len(truth)) < 10
    found = Duplicates("rows", np.zeros(len(truth), dtype=int), 10, 10, 0, crossing, {"accuracy": 0.5})
    said = head.remarks(subject_of("one_column", duplicates=found))[0]
    assert "Duplicates: 10 samples of 40 have equal rows" in said
    assert "Accuracy is 0.5 without these 10" in said
    apart = dataclasses.replace(found, crossing=np.zeros(len(truth), dtype=bool), scores=None)
    assert not [text for text in head.remarks(subject_of("one_column", duplicates=apart)) if "Duplicates" in text]
    blocks = scores_section(subject_of("one_column", duplicates=apart)).blocks
    assert any("none of them in another fold" in getattr(block, "text", "") for block in blocks)


def test_coverage_of_intervals_is_counted():
    evaluation = case("diabetes").evaluation
    n = len(evaluation.truth)
    intervals = np.column_stack([evaluation.predictions - 130, evaluation.predictions + 130])
    table = table_of(residual_blocks(subject_of("diabetes", intervals=intervals)), "coverage")
    inside = np.abs(evaluation.truth - evaluation.predictions) <= 130
    assert [c.text for c in table.rows[0]] == ["all", str(n), percent(inside.mean()), "260"]
    assert sum(int(row[1].text) for row in table.rows[1:]) == n
    assert coverage(evaluation.truth.astype(float), intervals) == inside.mean()
    narrow = np.column_stack([evaluation.predictions - 1, evaluation.predictions + 1])
    assert "clearly too small" in table_of(residual_blocks(subject_of("diabetes", intervals=narrow)), "coverage").note
    assert "clearly too small" not in table.note


def test_a_learning_curve_rises_to_the_score_of_all_samples(rng):
    X = rng.normal(size=(200, 2))
    K, y = X @ X.T, X @ [2.0, -1.0]
    sizes, scores = learning_curve(K, y + 0.3 * rng.normal(size=200), classes=False)
    assert sizes == [20, 40, 70, 110, 160]
    assert scores.shape == (5, 5)
    assert scores[-1].mean() > max(0.9, scores[0].mean())
    assert learning_curve(K, y > 0, classes=True)[1][-1].mean() > 0.9


def test_uneven_classes_have_a_curve_of_balanced_accuracy(rng):
    X = rng.normal(size=(300, 2))
    y = X[:, 0] > 1.5
    K = X @ X.T
    plain, balanced = (learning_curve(K, y, classes=True, balanced=b)[1][-1].mean() for b in (False, True))
    assert plain > 0.9 > balanced
    subject = subject_of("two_classes")
    truth = np.where(np.arange(len(subject.truth)) % 10 == 0, *subject.evaluation.classes)
    (picture,) = [b for b in learning_blocks(subject_of("two_classes", truth=truth)) if hasattr(b, "caption")]
    assert picture.caption.startswith("Balanced accuracy on new samples")


def test_a_curve_is_called_flat_only_if_it_is_known_to_be():
    steady = np.tile(np.linspace(0.7, 0.9, 5)[:, None], 5)
    assert trend(steady).startswith("The curve still rises")
    assert trend(np.full((5, 5), 0.9)).startswith("The curve is nearly flat")
    assert "differ too much" in trend(
        steady * 0 + np.array([0.8, 0.6, 0.9, 0.7, 0.5]) * np.arange(1, 6)[:, None] % 0.37
    )
    few = np.tile([1.0, 0.5, 0.5, 1.0, 0.5], (5, 1))  # one positive sample in each test part
    assert "differ too much" in trend(few)


def test_large_and_small_fits_have_a_reason_instead_of_a_curve(monkeypatch):
    monkeypatch.setattr("mercer.report.learning.LARGE", 20)
    assert "many more than a quick curve could use" in learning_blocks(subject_of("one_column"))[1].text
    monkeypatch.undo()
    monkeypatch.setattr("mercer.report.learning.LEAST", 50)
    assert "there are only 40 samples" in learning_blocks(subject_of("one_column"))[1].text


def test_rare_classes_leave_the_page_as_it_is():
    found = case("rare_classes")
    assert found.evaluation.rows is not None  # the class of one sample is not scored
    subject = Subject(found.model, found.evaluation, found.dataset, found.X, targets=found.y)
    assert subject.scored_words == "1 sample of classes with one sample is not scored."
    assert subject.drawn_words == "All 64 scored samples are shown."
    table = table_of(errors_section(subject).blocks, "recall")
    assert [row[3].text for row in table.rows if row[0].text == "single"] == ["–"]
    assert "which is in every training part" in table.note
    (picture,) = [block for block in learning_blocks(subject) if hasattr(block, "caption")]
    assert "Left out: 1 class with fewer than 5 samples." in picture.caption
    assert "random sample" not in parsed("rare_classes").text
    assert "Samples are numbered from 1" in page("rare_classes")
    assert subject.numbers(np.array([0, 64])) == [1, 65]
