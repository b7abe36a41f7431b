import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from mercer import Definiteness
from mercer.report.confusion import confusion
from mercer.report.influential_samples import influence, margins
from mercer.report.metrics import shown
from mercer.report.subject import Subject
from mercer.report.text import number, percent
from tests.report.cases import CODE, NAMES, case
from tests.report.pages import parsed


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_the_evaluation(name):
    evaluation, tables = case(name).evaluation, parsed(name).tables
    for metric, scores in evaluation.metrics.items():
        row = tables["summary"].row(metric)
        assert row[1] == shown(metric, scores.mean())
        assert row[3] == shown(metric, evaluation.baseline[metric].mean())
        assert tables["folds"].column(metric) == [shown(metric, score) for score in scores]
    sizes = np.bincount(evaluation.folds)
    assert tables["folds"].column("samples") == [number(int(n)) for n in sizes]


def test_the_headline_names_score_interval_and_baseline():
    page, evaluation = parsed("wine"), case("wine").evaluation
    headline = next(text for text in page.texts["p"] if text.startswith("The model classifies"))
    mean, low, _ = evaluation.interval("accuracy")
    assert f"classifies {percent(mean)} of unseen samples correctly" in headline
    assert f"{percent(low)} to" in headline
    assert "The majority-class baseline, “class_1”, reaches 39.9\u202f%" in headline


def test_the_interval_stays_inside_what_a_score_can_be():
    evaluation = case("wine").evaluation
    assert evaluation.interval("accuracy")[2] == 1
    assert parsed("wine").tables["summary"].row("accuracy")[2].endswith("to 100.0\u202f%")


def test_the_headline_of_a_regression_speaks_of_variation_and_error():
    text, evaluation = parsed("diabetes").text, case("diabetes").evaluation
    assert f"explains {percent(evaluation.interval('R²')[0], 0)} of the variance of progression" in text
    assert f"Its root mean squared error is {number(evaluation.metrics['RMSE'].mean(), 3)}" in text


def test_the_confusion_matrix_is_that_of_the_predictions_out_of_fold():
    found = case("wine")
    subject = Subject(found.model, found.evaluation, found.dataset, found.X)
    expected = confusion_matrix(found.evaluation.truth, found.evaluation.predictions)
    assert (confusion(subject) == expected).all()
    table = parsed("wine").tables["recall"]
    assert table.column("correct") == [str(n) for n in np.diagonal(expected)]
    assert table.column("recall") == [percent(r) for r in np.diagonal(expected) / expected.sum(axis=1)]
    alt = next(x["aria-label"] for x in parsed("wine").all("svg") if x["aria-label"].startswith("Confusion"))
    assert f"{np.trace(expected)} of 178 correct" in alt


def test_columns_are_listed_with_kind_and_missing_share():
    table = parsed("mixed").tables["columns"]
    assert table.column("column") == ["price", "days", "product", "shop", "review"]
    assert table.column("kind") == ["number", "number", "category", "category", "text"]
    missing = case("mixed").X["price"].null_count()
    assert missing
    assert table.row("price")[2] == f"{missing} ({percent(missing / 100)})"
    total = sum(case("mixed").X[name].null_count() for name in case("mixed").X.columns)
    assert f"{total} values of 500 are missing" in parsed("mixed").text
    assert table.row("shop")[2] == "none"
    assert "4 distinct values" in table.row("product")[3]


def test_decisions_are_told_once():
    items = parsed("mixed").texts["li"]
    for note in case("mixed").model.notes_:
        assert items.count(note) == 1


def test_the_kernel_is_there_as_text_with_proof_and_candidates():
    page, model = parsed("mixed"), case("mixed").model
    kernel = model.kernel_
    assert str(kernel) in page.texts["pre"]
    assert str(kernel.certificate()) in page.texts["pre"]
    assert kernel.definiteness is Definiteness.PSD
    assert "proved positive semidefinite" in page.text
    assert len(page.tables["formulas"].rows) == 3
    table = page.tables["candidates"]
    assert table.column("kernel") == [c.name for c in model.candidates_]
    assert table.column("selected").count("yes") == 1


def test_the_machines_of_a_stack_are_listed_by_weight():
    model, table = case("wine").model, parsed("wine").tables["machines"]
    assert model.best_params_ == {"model": "stack"}
    assert table.column("kernel") == [c.name for c in model.candidates_]
    assert table.column("machine") == [c.model for c in model.candidates_]


def test_the_most_influential_samples_come_first_with_their_raw_values():
    model, table = case("strings").model, parsed("strings").tables["influential"]
    size = np.zeros(100)
    size[model.model_.support_] = np.abs(model.model_.dual_coef_).sum(axis=0)
    assert size[[int(i) - 1 for i in table.column("sample")]].tolist() == np.sort(size)[::-1][:10].tolist()
    sequences = case("strings").X["sequence"].to_list()
    assert table.column("sequence") == [sequences[int(i) - 1] for i in table.column("sample")]
    assert f"{len(model.model_.support_)} of 100 training samples are support vectors" in parsed("strings").text


def test_influence_sums_over_the_outputs():
    model = case("mixed").model.model_
    rows, size = influence(model)
    assert len(rows) == 100
    assert np.allclose(size, np.abs(model.dual_coef_))


def test_margins_are_negative_exactly_where_the_class_is_wrong():
    evaluation = case("wine").evaluation
    margin = margins(evaluation.decisions, evaluation.classes, evaluation.truth)
    assert ((margin < 0) == (evaluation.predictions != evaluation.truth)).all()


def test_the_hardest_samples_are_wrong_and_the_worst_come_first():
    evaluation, table = case("graphs").evaluation, parsed("graphs").tables["hardest"]
    rows = [int(i) - 1 for i in table.column("sample")]
    assert (evaluation.predictions[rows] != evaluation.truth[rows]).all()
    assert table.column("predicted") == evaluation.predictions[rows].tolist()
    worst = margins(evaluation.decisions, evaluation.classes, evaluation.truth)
    assert worst[rows].tolist() == np.sort(worst)[: len(rows)].tolist()


def test_the_largest_residuals_come_first():
    evaluation, table = case("diabetes").evaluation, parsed("diabetes").tables["hardest"]
    error = np.abs(evaluation.truth - evaluation.predictions)
    assert error[[int(i) - 1 for i in table.column("sample")]].tolist() == np.sort(error)[::-1][:10].tolist()


def test_features_of_graphs_tell_what_the_classes_differ_in():
    names = {
        feature
        for i in (0, 1)
        if (t := parsed("graphs").tables.get(f"features-{i}"))
        for feature in t.column("feature")
    }
    assert "1: C(C,N)" in names


def test_features_of_a_linear_kernel_have_the_names_of_columns():
    page = parsed("linear")
    assert page.tables["features-0"].column("feature")[:2] == ["a", "b"]
    terms = page.tables["terms"]
    assert terms.rows[-1][0] == "sum"
    first = case("linear").model.predict(case("linear").X[:1])[0]
    assert terms.rows[-1][-1] == number(first, 3)


def test_columns_that_matter_come_first():
    assert parsed("linear").tables["reliance"].column("column")[0] == "a"


def test_the_certificate_of_the_fit_is_there():
    solution = case("strings").model.model_.solution_
    row = parsed("strings").tables["certificate"].row("total")
    assert row[1:4] == ["converged", number(solution.objective), number(solution.gap)]
    assert "Optimal up to rounding" in parsed("strings").text
    assert "certificate" not in parsed("neighbours").tables


def test_code_and_versions_are_there_as_they_are():
    page = parsed("wine")
    assert page.texts["pre"][-1] == CODE
    assert page.tables["versions"].row("mercer")[1] == "0.1.0"


def test_images_are_shown():
    page = parsed("images")
    ids = {attrs["id"] for attrs in page.all("figure")}
    assert "influential-images" in ids
    assert "90 images of 8 by 8 pixels" in page.text


def test_many_classes_are_cut_and_the_cut_is_told():
    page = parsed("many_classes")
    assert len(page.tables["recall"].rows) == 40
    assert "40 classes with the lowest recall of 45" in page.text
    assert "15 smaller classes not shown" in page.text
    assert "The 8 largest of 45 classes are shown" in page.text


def test_containers_of_strings_are_shown_by_their_lengths_and_letters():
    page = parsed("packed")
    assert page.tables["columns"].rows[0][0] == "symbols"
    strings = case("packed").X.to_list()
    table = page.tables["influential"]
    assert table.column("string") == [strings[int(i) - 1] for i in table.column("sample")]


def test_dates_and_empty_columns_are_told_as_such():
    table = parsed("hostile").tables["columns"]
    assert table.row("day")[1] == "number"
    assert table.row("day")[3].startswith("2024-01-")
    assert table.row("nothing")[1:] == ["dropped", "60 (100.0\u202f%)", "none"]
