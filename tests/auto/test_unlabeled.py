"""Tables in which few rows have a label: model="transductive"."""

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_moons

from mercer.auto import AutoClassifier, AutoRegressor, code, evaluate, sample_rows, searching
from mercer.datasets import read
from mercer.persistence import load, save
from mercer.semi_supervised import TransductiveSVC


def moons(n=120, labels=5, seed=0, names=("upper", "lower")):
    """Samples, their classes, and classes of which all but a few for each moon are None."""
    X, truth = make_moons(n, noise=0.05, random_state=seed)
    rng = np.random.default_rng(seed)
    known = np.concatenate([rng.choice(np.flatnonzero(truth == c), labels, replace=False) for c in (0, 1)])
    y = np.full(n, None, dtype=object)
    y[known] = [names[c] for c in truth[known]]
    return X, np.array(names)[truth], y


MODEL = AutoClassifier("rbf(gamma=4)", "transductive", cv=3)


def test_unlabelled_samples_help():
    X, truth, y = moons()
    known = y != None  # noqa: E711
    model = AutoClassifier(model="transductive").fit(X, y)
    plain = AutoClassifier(model="svm").fit(X[known], truth[known])
    assert model.score(X, truth) == 1.0 > 0.95 > plain.score(X, truth)
    assert isinstance(model.model_, TransductiveSVC)
    assert model.best_params_["model"] == "transductive"
    assert model.classes_.tolist() == model.model_.classes_.tolist() == ["lower", "upper"]
    assert model.model_.transduction_.tolist() == truth.tolist()  # in the order of X
    assert "learns from 10 labelled and 110 unlabelled samples" in " ".join(model.notes_)
    assert hasattr(model, "decision_function")
    assert model.predict_proba(X).shape == (120, 2)


def test_it_is_the_machine_of_the_chosen_kernel_on_all_prepared_samples():
    X, _, y = moons()
    model = MODEL.fit(X, y)
    twin = TransductiveSVC(kernel=model.kernel_, C=model.best_params_["C"], unlabeled=None)
    twin.fit(model.preparer_.transform(X), y)
    np.testing.assert_allclose(model.decision_function(X), twin.decision_function(model.prepare(X)), rtol=1e-7)
    np.testing.assert_allclose(model.prepare(X).mean(axis=0), 0, atol=1e-12)  # scales come from all samples


@pytest.mark.parametrize(
    "mark",
    [
        lambda y: y,
        lambda y: [float("nan") if label is None else label for label in y],
        lambda y: pl.Series(y.tolist()),
    ],
)
def test_forms_of_missing_labels(mark):
    X, _, y = moons()
    np.testing.assert_array_equal(MODEL.fit(X, mark(y)).predict(X), MODEL.fit(X, y).predict(X))


@pytest.mark.parametrize("names", [(-1, 1), (False, True), (0.0, 1.0)])
def test_numbers_as_labels(names):
    """Also -1, which means unlabelled elsewhere."""
    X, truth, y = moons(names=names)
    model = MODEL.fit(X, y)
    assert model.score(X, truth) == 1.0
    assert model.classes_.dtype == model.predict(X).dtype == truth.dtype


def test_several_classes_and_columns_of_all_kinds(rng):
    size, colour = np.repeat([-4.0, 0.0, 4.0], 30) + 0.3 * rng.normal(size=90), rng.choice(["red", "blue"], 90)
    truth = np.repeat(["a", "b", "c"], 30)
    y = [label if i % 30 < 3 else None for i, label in enumerate(truth)]
    table = {"size": [None if i % 11 == 5 else float(v) for i, v in enumerate(size)], "colour": colour}
    model = AutoClassifier("rbf[size] + 0.1*overlap[colour]", "transductive", cv=2).fit(table, y)
    assert model.score(table, truth) > 0.85
    assert model.preparer_.kinds_ == {"size": "number", "colour": "category"}  # missing in unlabelled rows only


def test_sparse_matrices():
    X, truth, y = moons()
    model = AutoClassifier("rbf(gamma=8)", "transductive", cv=3).fit(sp.csr_array(X), y)
    assert model.score(sp.csr_array(X), truth) == 1.0
    assert sp.issparse(model.model_.support_vectors_)


def test_evaluation_never_sees_the_fold():
    X, truth, y = moons()
    labeled = np.flatnonzero(y != None)  # noqa: E711
    found = evaluate(MODEL, X, y, cv=5)
    np.testing.assert_array_equal(found.truth, truth[labeled])
    assert len(found.predictions) == len(found.folds) == len(found.decisions) == 10
    for fold in range(5):
        test = labeled[found.folds == fold]
        rest = np.setdiff1d(np.arange(len(y)), test)
        model = AutoClassifier("rbf(gamma=4)", "transductive", cv=3).fit(X[rest], y[rest])
        np.testing.assert_allclose(model.decision_function(X[test]), found.decisions[found.folds == fold], rtol=1e-7)


def test_unlabelled_samples_of_a_tested_group_are_left_out(monkeypatch):
    X, _, y = moons()
    groups = np.arange(120) % 10
    seen = []
    fit = AutoClassifier.fit

    def spy(self, X, y, groups):
        seen.append((np.unique(groups), sum(label is None for label in y)))
        return fit(self, X, y, groups)

    monkeypatch.setattr(AutoClassifier, "fit", spy)
    found = evaluate(AutoClassifier("rbf(gamma=4)", "transductive", cv=2), X, y, groups, cv=2)
    own = groups[y != None]  # noqa: E711
    for fold, (kept, unlabeled) in enumerate(seen):
        tested = np.unique(own[found.folds == fold])
        assert not np.isin(kept, tested).any()
        assert unlabeled == np.sum((y == None) & ~np.isin(groups, tested))  # noqa: E711


def test_limits_hold_for_labelled_and_unlabelled_samples_apart(monkeypatch):
    X, truth, y = moons(300, labels=40)
    monkeypatch.setattr(searching, "TRANSDUCTION", 30)
    model = AutoClassifier("rbf(gamma=4)", "transductive", cv=2, max_samples=60).fit(X, y)
    drawn = y[model.rows_]
    assert sum(label is not None for label in drawn) == sum(label is None for label in drawn) == 60
    told = " ".join(model.notes_)
    assert "trained on 120 of 300 samples" in told
    assert "chosen on 60 of 120 samples" in told
    assert model.score(X, truth) > 0.95
    np.testing.assert_array_equal(sample_rows(y, 60, stratify=True, random_state=0), model.rows_)


def test_the_program_and_the_file_predict_the_same(tmp_path):
    X, _, y = moons()
    path = tmp_path / "moons.csv"
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "moon": y.tolist()}).write_csv(path)
    X, y, _ = read(path).split("moon", unlabeled=True)
    model = AutoClassifier("rbf(gamma=4)", "transductive", cv=2, max_samples=100).fit(X, y)
    program = code(model, str(path), "moon", unlabeled=True)
    assert 'split("moon", unlabeled=True)' in program
    assert "TransductiveSVC(kernel=kernel, unlabeled=None, C=" in program
    names = {}
    exec(compile(program, "program", "exec"), names)
    np.testing.assert_array_equal(names["predict"](X), model.predict(X))
    save(model, tmp_path / "m.mercer")
    np.testing.assert_array_equal(load(tmp_path / "m.mercer").decision_function(X), model.decision_function(X))


def test_no_unlabelled_sample_is_told():
    X, truth, _ = moons(40)
    with pytest.warns(UserWarning, match="no sample is unlabelled"):
        MODEL.fit(X, truth)


def test_mistakes():
    X, _, y = moons()
    with pytest.raises(ValueError, match="none of the 120 samples has a label"):
        MODEL.fit(X, [None] * 120)
    with pytest.raises(ValueError, match="the target is constant: all 5 samples"):
        MODEL.fit(X, [label if label == "upper" else None for label in y])
    with pytest.raises(ValueError, match="target is missing in 110 of 120 rows"):
        AutoClassifier(model="svm").fit(X, y)
    with pytest.raises(ValueError, match="target is missing in 110 of 120 rows"):
        evaluate(AutoClassifier(model="svm"), X, y)
    with pytest.raises(ValueError, match="model"):
        AutoRegressor(model="transductive").fit(X, X[:, 0])
