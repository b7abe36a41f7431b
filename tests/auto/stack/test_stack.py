"""Stacks: what members are, honest weights, determinism, groups, sample weights, files."""

import pickle

import numpy as np
import pytest

from mercer.auto import AutoClassifier, AutoRegressor, TablePreparer, code
from mercer.auto.stack import Layout, LeafRidge, StackedClassifier, StackedRegressor
from mercer.persistence import load, save


def table(n, seed=0):
    """Numbers, one of which is skewed and one has gaps; categories; a class and a value that depend on them."""
    rng = np.random.default_rng(seed)
    size, income = rng.normal(size=n), np.exp(2 * rng.normal(size=n))
    colour = rng.choice(["red", "blue", "green"], n)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
    value = np.sin(2 * size) + 0.5 * np.log(income) + (colour == "red") + np.nan_to_num(age, nan=1.0)
    return {"size": size, "income": income, "colour": colour, "age": age, "same": np.ones(n)}, value


@pytest.fixture(scope="module")
def regressor():
    X, y = table(240)
    return AutoRegressor().fit(X, y), X, y


@pytest.fixture(scope="module")
def classifier():
    X, y = table(240)
    return AutoClassifier().fit(X, np.where(y > np.median(y), "high", "low")), X, y


def test_tables_get_a_stack_and_its_notes(regressor):
    model, _, _ = regressor
    assert isinstance(model.model_, StackedRegressor)
    assert model.best_params_ == {"model": "stack"}
    assert "fitted to all 240 samples; weights of columns were learned on 160" in model.notes_[-1]
    assert any("same: dropped" in note for note in model.notes_)
    assert [c.chosen for c in model.candidates_] == [True] + [False] * (len(model.candidates_) - 1)
    weights = [c.weight for c in model.candidates_]
    assert weights == sorted(weights, reverse=True)
    assert model.kernel_ == model.candidates_[0].kernel


def test_predictions_of_new_samples(regressor, classifier):
    X, y = table(400, seed=1)
    assert regressor[0].score(X, y) > 0.9
    model = classifier[0]
    labels = np.where(y > np.median(classifier[2]), "high", "low")
    assert model.score(X, labels) > 0.85
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    np.testing.assert_allclose(1 / (1 + np.exp(-model.decision_function(X))), p[:, 1])
    # Probabilities are calibrated: the mean of the larger one is near the accuracy.
    assert abs(p.max(axis=1).mean() - model.score(X, labels)) < 0.1


def test_the_kernel_reads_prepared_tables(regressor):
    model, X, _ = regressor
    prepared = model.preparer_.transform(X)
    by_name = model.kernel_(prepared)
    by_position = model.model_.kernel_(model.prepare(X))
    np.testing.assert_allclose(by_name, by_position)
    assert model.kernel_.definiteness.value == "psd"


def test_the_layout_has_both_forms_of_numbers_and_codes(regressor):
    model, _, _ = regressor
    layout, names = model.model_.layout, model.preparer_.get_feature_names_out()
    assert [names[j] for j in layout.z] == ["size", "income", "age"]
    assert [names[j] for j in layout.rank] == ["size rank", "income rank", "age rank"]
    assert [names[j] for j in layout.codes] == ["colour", "age missing"]
    assert layout.columns("rank") == [*layout.rank, *layout.codes]
    assert layout.categorical == [3, 4]


def test_constant_columns_are_not_in_the_layout():
    X = {"a": [1.0, 2.0, 3.0], "b": [1.0, 1.0, 1.0]}
    preparer = TablePreparer({"b": "number"}, ranks=True).fit(X)
    assert Layout.of(preparer.transform(X), preparer.ranks_) == Layout((0,), (1,), ())


def test_the_same_seed_gives_the_same_model_for_any_number_of_threads():
    X, y = table(90)
    one, two, again = (AutoRegressor(n_jobs=n).fit(X, y).predict(X) for n in (1, 2, 2))
    assert np.array_equal(two, again)
    np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6)


def test_groups_are_left_out_together(monkeypatch):
    X, y = table(120)
    groups = np.arange(120) // 4
    seen = []
    fit = LeafRidge.fit

    def followed(self, X, Y, alphas, judged, weight=None, groups=None, *more):
        seen.append((judged, groups))
        return fit(self, X, Y, alphas, judged, weight, groups, *more)

    monkeypatch.setattr(LeafRidge, "fit", followed)
    AutoRegressor(n_jobs=1).fit(X, y, groups=groups)
    judged, given = seen[0]
    assert np.array_equal(given, groups)
    assert all(len(set(judged[groups == g].tolist())) == 1 for g in np.unique(groups))


def test_more_rows_than_all_kernels_are_kept_for(small_limits):
    small_limits(ALL=100, DIRECT=150, LEAF=60, AGAIN=50, LEARNED=80, RANKED=60)
    X, y = table(300)
    model = AutoClassifier().fit(X, y > np.median(y))
    ridges = [m.machine for m in model.model_.members_ if m.model == "ridge"]
    assert all(len(ridge.children_) > 1 for ridge in ridges)
    assert len(ridges) <= 4
    new, truth = table(200, seed=3)
    assert model.score(new, truth > np.median(y)) > 0.8


def test_many_classes_with_few_samples():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c", "d"], [40, 30, 3, 1])
    X = rng.normal(size=(74, 2)) + 3 * np.searchsorted(np.unique(y), y)[:, None]
    model = AutoClassifier().fit(X, y)
    assert isinstance(model.model_, StackedClassifier)
    assert model.predict_proba(X).shape == (74, 4)
    assert model.score(X, y) > 0.85


def test_only_categories_are_learned_once():
    rng = np.random.default_rng(0)
    X = {"a": rng.choice(["x", "y"], 80), "b": rng.choice(["u", "v", "w"], 80)}
    y = np.where((X["a"] == "x") ^ (X["b"] == "u"), "yes", "no")
    model = AutoClassifier().fit(X, y)
    assert {c.name.rpartition(" of ")[2] for c in model.candidates_} <= {
        "z-scores, p = 1",
        "up to 2 columns",
        "all columns",
    }
    assert model.score(X, y) > 0.95


def test_files_and_pickles_give_the_same_predictions(tmp_path, classifier, regressor):
    for model, X, _ in (classifier, regressor):
        save(model, tmp_path / "model.mercer")
        loaded = load(tmp_path / "model.mercer")
        assert np.array_equal(loaded.predict(X), model.predict(X))
        assert loaded.kernel_ == model.kernel_
        assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_the_program_of_a_stack_fits_the_same_model():
    from mercer.datasets import read

    X, y, _ = read("iris").split("species")
    model = AutoClassifier(random_state=3).fit(X, y)
    text = code(model, "iris", "species")
    assert "AutoClassifier(random_state=3).fit(X, y)" in text
    names: dict[str, object] = {}
    exec(text, names)
    assert np.array_equal(names["predict"](X), model.predict(X))


@pytest.mark.parametrize("options", [{"simple": True}, {"kernel": "rbf"}, {"model": "ridge"}, {"approximation": 50}])
def test_one_machine_on_request(options):
    X, y = table(80)
    model = AutoRegressor(**options).fit({"size": X["size"], "income": X["income"]}, y)
    assert not isinstance(model.model_, StackedRegressor)


def test_few_rows_and_other_data_get_one_machine():
    X, y = table(20)
    assert not isinstance(AutoRegressor().fit(X, y).model_, StackedRegressor)
    texts = {"note": [f"good tea {i} today" if i % 2 else f"bad tea {i} again" for i in range(60)]}
    assert not isinstance(AutoClassifier().fit(texts, np.arange(60) % 2).model_, StackedClassifier)
    with pytest.raises(ValueError, match="model='stack' needs a table of at most 300 numbers and categories"):
        AutoClassifier(model="stack").fit(texts, np.arange(60) % 2)


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.95])
def test_intervals_cover_new_samples(regressor, coverage):
    model, _, _ = regressor
    X, y = table(2000, seed=5)
    low, high = model.predict_interval(X, coverage).T
    assert np.mean((low <= y) & (y <= high)) == pytest.approx(coverage, abs=0.12)  # 80 residuals
    np.testing.assert_allclose((low + high) / 2, model.predict(X))


def test_intervals_need_a_share(regressor):
    with pytest.raises(ValueError, match="coverage must be between 0 and 1, got 90"):
        regressor[0].predict_interval(regressor[1], 90)
    X, y = table(60)
    simple = AutoRegressor(simple=True).fit({"size": X["size"]}, y)  # residuals of its search, without a stack
    low, high = simple.predict_interval({"size": X["size"]}).T
    predicted = simple.predict({"size": X["size"]})
    assert ((low < predicted) & (predicted < high)).all()
