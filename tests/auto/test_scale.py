"""Large tables: the final model is fitted to all rows, with an approximated kernel where exact fits end."""

import dataclasses

import numpy as np
import pytest

from mercer.auto import AutoClassifier, AutoRegressor, code, evaluate, sample_rows, searching
from mercer.auto import base as base_module
from mercer.auto import models as models_module
from mercer.auto.models import MODELS, models_of
from mercer.data import Graphs, Strings, take
from mercer.kernel_approximation import Nystroem, RandomFourierFeatures
from mercer.persistence import load, save
from mercer.ridge import KernelRidge, KernelRidgeClassifier

N, SEARCHED, LIMIT = 600, 120, 300


@pytest.fixture(autouse=True)
def small_limits(monkeypatch):
    monkeypatch.setattr(searching, "SELECTION", SEARCHED)
    monkeypatch.setattr(base_module, "SEVERAL", SEARCHED)
    for module in (base_module, models_module):
        monkeypatch.setattr(module, "EXACT", LIMIT)
    monkeypatch.setattr(models_module, "MANY", LIMIT)
    for cls in (KernelRidge, KernelRidgeClassifier):
        monkeypatch.setattr(cls, "_exact_limit", 200)


@pytest.fixture(scope="module")
def numbers():
    X = np.random.default_rng(0).uniform(-2, 2, size=(N, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, y, np.where(y > 0, "high", "low")


def mixed(n):
    rng = np.random.default_rng(1)
    size, colour = rng.normal(size=n), rng.choice(["red", "blue"], n)
    note = [f"{word} tea of day {i % 90}" for i, word in enumerate(rng.choice(["good", "bad"], n))]
    y = np.where((size > 0) ^ (colour == "red"), "yes", "no")
    return {"size": size, "colour": colour, "note": note}, y


def strings(n):
    rng = np.random.default_rng(2)
    y = np.arange(n) % 2
    texts = ["".join(rng.choice(list("ACGT"), 20)) + ("GATTACA" if label else "CCGGCCG") for label in y]
    return Strings(texts), y


def graphs(n):
    rng = np.random.default_rng(3)
    y = np.arange(n) % 2
    made = []
    for label in y:
        m = int(rng.integers(4, 7))
        edges = [(i, i + 1) for i in range(m - 1)] + ([(m - 1, 0)] if label else [])
        made.append((set(edges), dict(enumerate(rng.choice(["a", "b"], m).tolist()))))
    return Graphs(made), y


def test_the_final_model_has_all_rows(numbers):
    X, y, _ = numbers
    model = AutoRegressor(cv=3, simple=True).fit(X, y)
    record = model.approximation_
    assert record is model.model_.approximation_
    assert (record.method, record.n_samples) == ("nystroem", N)
    assert "600 samples are more than 200" in record.reason
    np.testing.assert_array_equal(model.rows_, np.arange(N))
    assert model.draws_ == [0, 0]
    told = (
        f"The model was fitted to all {N} samples with {record.n_components} landmarks; relative residual "
        f"{record.residual_trace:.2g}; the search used {SEARCHED} samples."
    )
    assert model.notes_[-1] == told
    assert f"Kernel and parameters were chosen on {SEARCHED} of {N} samples" in " ".join(model.notes_)
    # The same as the estimator on its own.
    prepared = model.prepare(X)
    alone = KernelRidge(model.best_params_["alpha"], kernel=model.kernel_, fit_intercept=True, approximation="auto")
    np.testing.assert_allclose(model.predict(X), alone.fit(prepared, y).predict(prepared), rtol=1e-6, atol=1e-8)
    assert len(model.model_.X_fit_) == record.n_components
    # More rows than the exact limit help: the error on new samples is below that of the search sample alone.
    new = np.random.default_rng(9).uniform(-2, 2, size=(400, 3))
    truth = np.sin(2 * new[:, 0]) + new[:, 1] * new[:, 2]
    few = AutoRegressor(cv=3, simple=True, max_samples=SEARCHED).fit(X, y)
    assert few.approximation_ is None
    assert np.mean((model.predict(new) - truth) ** 2) < np.mean((few.predict(new) - truth) ** 2)


def test_exact_up_to_the_limit_of_the_family(numbers):
    X, y, _ = numbers
    model = AutoRegressor("rbf", cv=3).fit(X[:200], y[:200])
    assert model.approximation_ is None
    assert len(model.model_.X_fit_) == 200
    assert not any("landmarks" in note for note in model.notes_)


def test_none_never_approximates(numbers):
    X, y, labels = numbers
    model = AutoRegressor("rbf", cv=3, approximation=None).fit(X, y)
    assert model.approximation_ is None
    assert len(model.rows_) == len(model.model_.X_fit_) == LIMIT
    assert f"The model was trained on {LIMIT} of {N} samples, drawn with random_state=0." in model.notes_
    assert AutoClassifier("rbf", cv=3, approximation=None).fit(X, labels).best_params_["model"] == "svm"


def test_automatic_classification_of_many_rows_uses_ridge(numbers):
    X, _, labels = numbers
    model = AutoClassifier("rbf", cv=3).fit(X, labels)
    assert model.best_params_["model"] == "ridge"
    assert model.approximation_.n_samples == N
    assert model.score(X, labels) > 0.95
    assert AutoClassifier("rbf", cv=3).fit(X[:LIMIT], labels[:LIMIT]).best_params_["model"] == "svm"


def test_between_both_limits_the_first_model_that_scales_is_used(monkeypatch):
    scales = dataclasses.replace(MODELS["classification"]["svm"], estimator=KernelRidgeClassifier)
    monkeypatch.setattr(models_module, "MANY", 2 * N)
    assert scales.approximates
    for svm in (MODELS["classification"]["svm"], scales):
        monkeypatch.setitem(MODELS["classification"], "svm", svm)
        expected = "svm" if svm.approximates else "ridge"
        (model,), note = models_of("classification", "auto", N, several=SEARCHED, approximation="auto")
        assert model.name == expected
        assert note.startswith(f"Only the model {expected!r} was tried")
        (model,), _ = models_of("classification", "auto", 3 * N, several=SEARCHED, approximation="auto")
        assert model.name == "ridge"
        (model,), _ = models_of("classification", "auto", 3 * N, several=SEARCHED, approximation=None)
        assert model.name == "svm"


def test_coarse_approximations_are_told(numbers):
    X, y, _ = numbers
    coarse = AutoRegressor("rbf(gamma=5)", cv=3, approximation=10).fit(X, y)
    assert coarse.approximation_.residual_trace > 0.1
    assert "The residual is large: more landmarks or a wider kernel may be better" in coarse.notes_[-1]


@pytest.mark.parametrize("make", [mixed, strings, graphs])
def test_every_kind_of_data(make, tmp_path):
    X, y = make(N)
    model = AutoClassifier(cv=3, approximation=20).fit(X, y)
    assert model.approximation_.n_components == 20
    assert model.approximation_.n_samples == N
    assert model.score(X, y) > 0.8
    save(model, tmp_path / "model.mercer")
    again = load(tmp_path / "model.mercer")
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), rtol=1e-9, atol=1e-9)
    assert str(again.approximation_) == str(model.approximation_)
    np.testing.assert_array_equal(again.rows_, model.rows_)
    assert (tmp_path / "model.mercer").stat().st_size < 200_000


def test_numbers_and_transformers_are_passed_on(numbers):
    X, y, _ = numbers
    given = Nystroem(n_components=35, random_state=3)
    model = AutoRegressor("rbf", cv=3, approximation=given).fit(X, y)
    assert model.approximation_.n_components == 35
    assert model.model_.approximation is not given  # the parameters of the user stay as they are
    assert vars(given) == vars(Nystroem(n_components=35, random_state=3))
    drawn = AutoRegressor("rbf", cv=3, approximation=RandomFourierFeatures(n_components=80, random_state=0)).fit(X, y)
    assert "fitted to all 600 samples with 80 random Fourier features" in drawn.notes_[-1]
    assert AutoRegressor("rbf", cv=3, approximation=40).fit(X, y).approximation_.n_components == 40
    exact = AutoRegressor("rbf", cv=3, approximation=N).fit(X, y)  # all rows would be landmarks
    assert exact.approximation_ is None
    assert len(exact.model_.X_fit_) == N


def test_models_without_approximations(numbers):
    X, _, labels = numbers
    model = AutoClassifier("rbf", "knn", cv=3).fit(X, labels)
    assert model.approximation_ is None
    assert abs(len(model.rows_) - LIMIT) <= 1
    message = (
        r"AutoClassifier: the model 'knn' has no approximation, got approximation=30; use model= with one of 'ridge'"
    )
    with pytest.raises(ValueError, match=message.replace("of 'ridge'", "of .*'ridge'")):
        AutoClassifier("rbf", "knn", approximation=30).fit(X, labels)
    assert MODELS["classification"]["ridge"].approximates
    assert not MODELS["classification"]["knn"].approximates


def test_max_samples_limits_approximated_models_too(numbers):
    X, y, _ = numbers
    model = AutoRegressor("rbf", cv=3, max_samples=400).fit(X, y)
    assert (len(model.rows_), model.approximation_.n_samples) == (400, 400)
    assert "fitted to 400 of 600 samples with" in model.notes_[-1]


@pytest.mark.parametrize(
    "approximation", ["auto", 50, Nystroem(n_components=45, random_state=1, landmarks="uniform")], ids=str
)
def test_the_program_gives_the_same_model(numbers, tmp_path, approximation):
    import polars as pl

    X, y, _ = numbers
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})
    frame.write_csv(tmp_path / "t.csv")
    model = AutoRegressor("rbf", "ridge", cv=3, approximation=approximation).fit(frame.drop("y"), y)
    program = code(model, str(tmp_path / "t.csv"), "y")
    assert "approximation=" in program
    space = {}
    exec(compile(program, "program", "exec"), space)
    np.testing.assert_allclose(space["predict"](frame.drop("y")), model.predict(frame.drop("y")), rtol=1e-6, atol=1e-8)


def test_landmarks_have_no_program(numbers):
    X, y, _ = numbers
    model = AutoRegressor("rbf", "ridge", cv=3, approximation=Nystroem(landmarks=X[:30])).fit(X, y)
    with pytest.raises(ValueError, match="parameters of Nystroem are not all numbers and texts"):
        code(model, "t.csv", "y")


def test_predictions_in_parts(numbers, monkeypatch):
    X, _, labels = numbers
    model = AutoClassifier("rbf", "ridge", cv=3, approximation=50).fit(X, labels)
    whole, decided = model.predict(X), model.decision_function(X)
    monkeypatch.setattr(base_module, "PREDICTED", 37)
    np.testing.assert_array_equal(model.predict(X), whole)
    np.testing.assert_allclose(model.decision_function(X), decided, rtol=1e-9, atol=1e-12)


def test_scores_of_a_sample(numbers):
    X, _, labels = numbers
    model = AutoClassifier("rbf", "ridge", cv=3, random_state=4)
    found = evaluate(model, X, labels, cv=3, max_samples=150)
    rows = sample_rows(labels, 150, stratify=True, random_state=4)
    np.testing.assert_array_equal(found.rows, rows)
    assert found.notes[0] == f"Scores were computed on {len(rows)} of {N} samples, drawn with random_state=4."
    same = evaluate(model, take(X, rows), labels[rows], cv=3)
    np.testing.assert_array_equal(found.predictions, same.predictions)
    np.testing.assert_array_equal(found.truth, labels[rows])
    assert same.rows is None
    assert evaluate(model, X[:100], labels[:100], cv=2, max_samples=100).rows is None
    with pytest.raises(ValueError, match="max_samples"):
        evaluate(model, X, labels, max_samples=0)


def test_scores_of_a_sample_with_unlabelled_rows(numbers):
    X, _, labels = numbers
    y = np.array(labels[:200], dtype=object)
    y[60:] = None
    found = evaluate(AutoClassifier("rbf", "transductive", cv=2), X[:200], y, cv=2, max_samples=40)
    assert (found.rows < 60).all()
    np.testing.assert_array_equal(y[found.rows], found.truth)
