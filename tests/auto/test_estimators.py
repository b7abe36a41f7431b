"""AutoClassifier and AutoRegressor from raw tables to predictions: choices, notes and refusals."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from mercer.auto import AutoClassifier, AutoRegressor, Candidate, searching
from mercer.auto import base as base_module
from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import RBF, Columns, Linear, Overlap
from mercer.kernels.user import user
from mercer.svm import SVC


def mixed(n, seed=0):
    """A table whose numbers, categories and texts each tell a part of the class."""
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(size=n), rng.choice(["red", "blue", "green"], n)
    tone = rng.random(n)
    words = [["poor", "cold", "late"], ["nice", "warm", "early"]]
    review = [f"the tea was {' '.join(rng.choice(words[int(t > 0.5)], 2))} on day {i}" for i, t in enumerate(tone)]
    total = 1.5 * np.sin(2 * size) + 1.5 * (colour == "red") + 2 * (tone > 0.5)
    data = {"id": np.arange(n), "size": size, "weight": rng.normal(size=n), "colour": colour, "review": review}
    return data, np.where(total > np.median(total), "yes", "no"), total


@pytest.fixture(scope="module")
def fitted():
    data, y, _ = mixed(200)
    return AutoClassifier(cv=3).fit(data, y), data, y


def test_the_combination_beats_each_alone(fitted):
    model, _, _ = fitted
    alone = [candidate for candidate in model.candidates_ if candidate.weight is not None]
    sums = {candidate.name: candidate for candidate in model.candidates_ if candidate.weight is None}
    assert list(sums) == ["weighted sum", "uniform sum"]
    chosen = [candidate for candidate in model.candidates_ if candidate.chosen]
    assert len(chosen) == 1
    assert chosen[0] in sums.values()
    best = max(candidate.score for candidate in alone)
    assert all(total.score > best + 0.03 for total in sums.values())
    assert all(isinstance(candidate, Candidate) for candidate in alone)
    assert sum(candidate.weight for candidate in alone) == pytest.approx(1)
    test, y, _ = mixed(300, seed=1)
    assert model.score(test, y) > 0.8


def test_what_is_fitted(fitted):
    model, data, y = fitted
    assert model.preparer_.kinds_ == {
        "id": "drop",
        "size": "number",
        "weight": "number",
        "colour": "category",
        "review": "text",
    }
    chosen = next(candidate for candidate in model.candidates_ if candidate.chosen)
    assert model.kernel_ == chosen.kernel
    assert model.best_score_ == chosen.score
    assert model.best_params_ == {"model": chosen.model, **chosen.params}
    assert "review" in str(model.kernel_)
    assert set(model.preparer_.notes_) <= set(model.notes_)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.rows_.tolist() == list(range(200))
    np.testing.assert_array_equal(model.predict(data), model.model_.predict(model.prepare(data)))
    values = model.decision_function(data)
    np.testing.assert_array_equal(model.classes_[(values > 0).astype(int)], model.predict(data))
    assert model.score(data, y) > 0.85


def test_every_library_gives_the_same_model(fitted):
    model, data, y = fitted
    for make in (pd.DataFrame, pl.DataFrame, lambda d: pl.DataFrame(d).to_arrow()):
        frame = make(data)
        other = AutoClassifier(cv=3).fit(frame, y)
        assert other.candidates_ == model.candidates_
        np.testing.assert_array_equal(other.decision_function(frame), model.decision_function(data))


def test_it_pickles_and_saves(fitted, tmp_path):
    model, data, _ = fitted
    expected = model.decision_function(data)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(data), expected)
    persistence = pytest.importorskip("mercer.persistence")
    persistence.save(model, tmp_path / "model.mercer")
    again = persistence.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(again.decision_function(data), expected)
    assert again.candidates_ == model.candidates_
    assert again.notes_ == model.notes_


def test_the_seed_decides():
    data, y, _ = mixed(100)
    first, again = (AutoClassifier(model="ridge", cv=3, random_state=7).fit(data, y) for _ in range(2))
    assert first.candidates_ == again.candidates_
    other = AutoClassifier(model="ridge", cv=3, random_state=8).fit(data, y)
    assert [c.score for c in other.candidates_] != [c.score for c in first.candidates_]
    drawn = AutoClassifier(model="ridge", cv=3, random_state=np.random.RandomState(0)).fit(data, y)
    assert isinstance(drawn.seed_, int)


def test_regression():
    data, _, y = mixed(150)
    model = AutoRegressor(cv=3, model="ridge").fit(data, y)
    test, _, truth = mixed(150, seed=1)
    assert model.score(test, truth) > 0.5
    assert next(candidate for candidate in model.candidates_ if candidate.chosen).weight is None  # one of the sums
    assert not hasattr(model, "decision_function")


@pytest.mark.parametrize("model", ["svm", "ridge", "logistic", "lda", "knn", "perceptron"])
def test_every_classifier(model):
    X, y = load_wine(return_X_y=True, as_frame=True)
    found = AutoClassifier(kernel="rbf", model=model, cv=3).fit(X, y)
    assert found.best_params_["model"] == model
    assert found.score(X, y) > 0.95
    P = found.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert np.mean(P.argmax(axis=1) == y) > 0.95
    assert -np.log(P[np.arange(len(y)), y]).mean() < 0.25  # calibrated; 1.1 without columns
    assert hasattr(found, "decision_function") == (model != "knn")


@pytest.mark.parametrize("model", ["svm", "ridge", "knn"])
def test_every_regressor(model):
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(100, 2))
    assert AutoRegressor(kernel="rbf", model=model, cv=3).fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.8


def test_methods_are_there_before_the_fit_if_the_model_has_them():
    assert hasattr(AutoClassifier(), "decision_function")
    assert not hasattr(AutoClassifier(model="knn"), "decision_function")
    assert hasattr(AutoClassifier(model="logistic"), "predict_proba")
    with pytest.raises(NotFittedError):
        AutoClassifier().predict([[1.0]])


# ---- kernels that are given


@pytest.mark.parametrize(
    ("kernel", "form"),
    [
        ("rbf[size, weight] + overlap[colour]", "table"),
        ("rbf[weight, size]", "matrix"),
        ("rbf[size] + 0.5*linear[weight]", "matrix"),
        (Columns("size", RBF()) * Columns("colour", Overlap()), "table"),
        ("normalized(bag_of_words)[review]", "table"),
        ("linear[size]", "matrix"),
    ],
)
def test_named_columns(kernel, form):
    data, y, _ = mixed(80)
    model = AutoClassifier(kernel=kernel, cv=3).fit(data, y)
    assert model.form_ == form
    (candidate,) = model.candidates_
    assert candidate.chosen
    assert candidate.weight == 1
    table = model.preparer_.transform(data)
    expected = model.kernel_(table)
    view = model.prepare(data)
    np.testing.assert_allclose(model.model_.kernel_(view), expected, rtol=1e-12)
    assert str(model.kernel_).count("[") == str(kernel).count("[")


def test_given_kernels_are_used_as_they_are():
    X, y = load_wine(return_X_y=True)
    model = AutoClassifier(kernel=RBF(gamma=0.1) + Linear(), model="svm").fit(X, y)
    assert model.kernel_ == RBF(gamma=0.1) + Linear()
    twin = SVC(kernel=RBF(gamma=0.1) + Linear(), C=model.best_params_["C"]).fit(model.preparer_.transform(X), y)
    np.testing.assert_array_equal(model.predict(X), twin.predict(model.preparer_.transform(X)))
    product = AutoClassifier(kernel=lambda A, B: A @ B.T, model="ridge", cv=3).fit(X, y)
    assert product.score(X, y) > 0.95


def test_kernels_of_users_read_tables():
    data, y, _ = mixed(60)
    same = user(pair=lambda a, b: float(a[2] == b[2]))
    three = {"a": data["size"], "b": data["weight"], "c": data["colour"]}
    model = AutoClassifier(kernel=same, model="ridge", cv=3).fit(three, y)
    assert model.form_ == "whole"
    assert model.predict({"a": [0.0], "b": [0.0], "c": ["red"]}).shape == (1,)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("rbf[id]", r"reads column 'id', which was dropped. id: dropped \(row identifier\)"),
        ("rbf[siez]", "did you mean 'size'"),
        ("rbff[size]", "unknown name 'rbff'"),
        ("precomputed", "not supported here"),
    ],
)
def test_kernels_that_cannot_be_meant(kernel, message):
    data, y, _ = mixed(40)
    with pytest.raises(ValueError, match=message):
        AutoClassifier(kernel=kernel).fit(data, y)


def test_kernels_of_vectors_do_not_guess_numbers_for_texts():
    data, y, _ = mixed(40)
    with pytest.raises(TypeError, match="column 'colour'"):
        AutoClassifier(kernel="rbf").fit(data, y)


# ---- other forms of data


def test_graphs():
    rings = [[(i, (i + 1) % k) for i in range(k)] for k in range(3, 18)]
    paths = [[(i, i + 1) for i in range(k)] for k in range(3, 18)]
    graphs, y = Graphs([*rings, *paths]), np.repeat(["ring", "path"], 15)
    model = AutoClassifier(cv=3, model="svm").fit(graphs, y)
    assert model.score(graphs, y) > 0.8
    assert "Weisfeiler-Lehman of graphs" in [candidate.name for candidate in model.candidates_]


def test_graphs_with_attributes():
    rng = np.random.default_rng(0)
    n = 24
    indicator = np.repeat(np.arange(n), 3)
    edges = np.concatenate([np.array([[0, 1], [1, 2]]) + 3 * g for g in range(n)])
    y = np.arange(n) % 2
    attributes = rng.normal(size=(3 * n, 2)) + 4 * y[indicator][:, None]
    graphs = Graphs.from_edges(edges, indicator, node_attributes=attributes)
    model = AutoClassifier(cv=3, model="ridge").fit(graphs, y)
    assert model.score(graphs, y) == 1
    assert next(candidate.name for candidate in model.candidates_ if candidate.chosen) == "attributes of graphs"


def test_molecules():
    chains, rings = ["C" * k + "O" for k in range(2, 22)], ["C1" + "C" * k + "C1" for k in range(2, 22)]
    y = np.repeat([0, 1], 20)
    alone = AutoClassifier(cv=3, model="svm").fit({"smiles": [*chains, *rings]}, y)
    assert alone.form_ == "graphs"
    assert alone.predict({"smiles": ["CCCCCCCO", "C1CCCCC1"]}).tolist() == [0, 1]
    rng = np.random.default_rng(0)
    besides = AutoClassifier(cv=3, kernel="normalized(weisfeiler_lehman)[smiles] + rbf[mass]").fit(
        pl.DataFrame({"mass": rng.normal(size=40), "smiles": [*chains, *rings]}), y
    )
    assert besides.form_ == "whole"
    assert besides.predict(pl.DataFrame({"mass": [0.0], "smiles": ["CCCCCCCO"]})).tolist() == [0]


def test_strings_and_trees():
    rng = np.random.default_rng(0)
    reads = ["".join(rng.choice(list("ACGT"), 20)) for _ in range(40)]
    reads = [f"{read[:8]}GGGGG{read[8:]}" if i % 2 else read for i, read in enumerate(reads)]
    y = np.arange(40) % 2
    by_container = AutoClassifier(cv=3, model="svm").fit(Strings(reads), y)
    by_list = AutoClassifier(cv=3, model="svm").fit(reads, y)
    assert by_container.score(Strings(reads), y) == by_list.score(reads, y) > 0.9
    trees = [f"(S (NP {'a' if i % 2 else 'b'}) (VP {i % 5}))" for i in range(40)]
    assert AutoClassifier(cv=3, model="svm").fit(Trees(trees), y).score(Trees(trees), y) == 1
    assert AutoClassifier(cv=3, model="svm").fit({"tree": trees}, y).score({"tree": trees}, y) == 1
    words = [["to", "be"] if i % 2 else ["or", "not"] for i in range(40)]
    assert AutoClassifier(cv=3, model="svm").fit(Strings(words), y).score(Strings(words), y) == 1


def test_sparse_matrices_are_never_dense():
    rng = np.random.default_rng(0)
    X = sp.random_array((80, 50), density=0.1, rng=rng, format="csr")
    y = np.asarray(X[:, [0]].todense()).ravel() + np.asarray(X[:, [1]].todense()).ravel() > 0
    model = AutoClassifier(cv=3, model="svm", kernel="linear").fit(X, y)
    assert sp.issparse(model.model_.support_vectors_)
    assert model.score(X, y) > 0.8


def test_tables_of_mercer():
    data, y, _ = mixed(60)
    table = Table.from_frame(data, kinds={"review": "text"})
    model = AutoClassifier(kernel="rbf[size] + overlap[colour]", cv=3).fit(table, y)
    np.testing.assert_array_equal(model.predict(table), model.predict(data))


def test_missing_values_everywhere():
    data, y, _ = mixed(80)
    rng = np.random.default_rng(1)
    holes = {"id": data["id"]}
    for name in ("size", "weight", "colour", "review"):
        holes[name] = [None if rng.random() < 0.1 else value for value in data[name]]
    model = AutoClassifier(cv=3, model="ridge").fit(holes, y)
    assert model.predict({name: [None, None] for name in holes}).shape == (2,)
    assert "size missing" in model.preparer_.transform(holes).names


# ---- sizes


def test_large_tables_are_thinned_and_told(monkeypatch):
    data, y, _ = mixed(300)
    monkeypatch.setattr(searching, "SELECTION", 60)
    model = AutoClassifier("rbf[size] + overlap[colour]", "svm", cv=3, max_samples=200).fit(data, y)
    assert 195 <= len(model.rows_) <= 200
    told = " ".join(model.notes_)
    assert f"The model was trained on {len(model.rows_)} of 300 samples, drawn with random_state=0." in told
    assert f"Kernel and parameters were chosen on 60 of {len(model.rows_)} samples" in told
    assert model.model_.shape_fit_[0] == len(model.rows_)
    monkeypatch.setattr(base_module, "SEVERAL", 100)
    single = AutoClassifier(kernel="rbf[size] + overlap[colour]", cv=3).fit(data, y)
    assert single.best_params_["model"] == "svm"
    assert any(
        "Only the model 'svm' was tried, since there are more than 100 samples" in note for note in single.notes_
    )


def test_memory_bounds_matrices(monkeypatch):
    data, y, _ = mixed(300)
    monkeypatch.setattr(searching, "available_memory", lambda: 16 * 150**2 * 2)
    model = AutoClassifier("rbf[size] + overlap[colour]", "ridge", cv=3, approximation=None).fit(data, y)
    assert 145 <= len(model.rows_) <= 150
    assert any("'ridge' does not fit in memory; it was trained on" in note for note in model.notes_)
    svm = AutoClassifier(kernel="rbf[size] + overlap[colour]", cv=3, model="svm").fit(data, y)
    assert len(svm.rows_) == 300


# ---- leakage


def test_noise_is_at_chance():
    rng = np.random.default_rng(0)
    data = {f"x{i}": rng.normal(size=120) for i in range(6)} | {"c": rng.choice(list("abcdef"), 120)}
    y = np.arange(120) % 2
    model = AutoClassifier(cv=4, model="svm").fit(data, y)
    assert model.best_score_ < 0.65


def test_groups_are_kept_together():
    """Within a group all samples are alike, so that folds across groups would look perfect."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 5)
    X = rng.normal(size=(20, 5))[groups] + 0.01 * rng.normal(size=(100, 5))
    y = rng.permutation(np.arange(20) % 2)[groups]
    loose = AutoClassifier(kernel="rbf", model="svm").fit(X, y)
    kept = AutoClassifier(kernel="rbf", model="svm").fit(X, y, groups=groups)
    assert loose.best_score_ > 0.95
    assert kept.best_score_ < 0.8


def test_groups_that_hold_whole_classes():
    """A training part of one class, and a test part of one sample, are part of life with groups."""
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(12, 2)), np.repeat([0, 1, 2], 4)
    y = np.repeat(["a", "b", "b"], 4)
    assert 0 <= AutoClassifier(cv=3, model="svm").fit(X, y, groups=groups).best_score_ <= 1
    lonely = np.r_[np.zeros(6), np.ones(5), 2]
    assert AutoRegressor(cv=3, model="ridge").fit(X, X[:, 0], groups=lonely).best_score_ > 0.5


# ---- mistakes


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * 40, "constant"),
        (["a"] * 9 + [f"b{i}" for i in range(11)], "11 of 20 samples are the only one of their class"),
        ([None] + ["a", "b"] * 19 + ["a"], "missing in 1 of 40"),
        (np.linspace(0, 1, 40), "AutoRegressor"),
        (["a", "b"] * 10, "inconsistent numbers of samples"),
    ],
)
def test_targets_that_cannot_be_learned(y, message):
    data, _, _ = mixed(40)
    with pytest.raises(ValueError, match=message):
        AutoClassifier().fit(data, y)


@pytest.mark.parametrize("model", ["svm", "ridge", "logistic", "lda", "knn", "perceptron"])
def test_a_class_of_one_sample_stays_in_every_training_part(model):
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(20, 2)), rng.normal(8, 1, size=(20, 2)), [[30.0, -30.0]]]
    y = np.repeat(["a", "b", "c"], [20, 20, 1])
    found = AutoClassifier(kernel="rbf", model=model, cv=4).fit(X, y)
    assert found.best_score_ == 1.0  # of "a" and "b", which every fold knows besides "c"
    assert found.classes_.tolist() == found.model_.classes_.tolist() == ["a", "b", "c"]
    assert "classes with one sample ('c') stay in every training part" in " ".join(found.notes_)


def test_few_samples_of_a_class_are_told():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.repeat(["a", "b"], [27, 3])
    X[y == "b"] += 5
    model = AutoClassifier(kernel="linear", model="svm").fit(X, y)
    assert "Inner cross-validation: 3 folds instead of 5, since class 'b' has only 3 samples." in model.notes_


def test_one_row():
    with pytest.raises(ValueError, match="constant"):
        AutoClassifier().fit({"a": [1.0]}, ["x"])
    with pytest.raises(ValueError, match="n_samples=1"):
        AutoRegressor().fit({"a": [1.0]}, [1.5])


@pytest.mark.parametrize(
    "params",
    [{"model": "forest"}, {"cv": 1}, {"max_samples": 3}, {"kinds": ["a"]}, {"kernel": 3}, {"random_state": "x"}],
)
def test_parameters_that_are_none(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        AutoClassifier(**params).fit([[1.0], [2.0]] * 4, [0, 1] * 4)


def test_kinds_reach_the_preparer():
    data, y, _ = mixed(60)
    model = AutoClassifier(kernel="overlap[id]", kinds={"id": "category"}, cv=3, model="svm").fit(data, y)
    assert model.preparer_.kinds_["id"] == "category"


def test_nested_parameters():
    model = AutoClassifier(kernel=RBF(gamma=1.0)).set_params(kernel__gamma=0.5)
    assert model.kernel == RBF(gamma=0.5)


def test_numbers_written_as_texts_are_read():
    rows = np.random.default_rng(0).normal(size=(60, 2))
    texts = [[str(value) for value in row] for row in rows]
    labels = (rows[:, 0] > 0).astype(int)
    model = AutoClassifier("rbf", "ridge", cv=2).fit(texts, labels)
    np.testing.assert_array_equal(model.predict(texts), model.predict(rows))
