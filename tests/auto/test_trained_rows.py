"""Training rows are recognised among other rows, without values in the model."""

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.auto import AutoClassifier, AutoRegressor, trained_rows
from mercer.auto.trained_rows import sample_hashes
from mercer.data import Graphs, Strings, Table, Trees
from mercer.persistence import load, save

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(40, 3))
SEQUENCES = ["".join(RNG.choice(list("ACGT"), 12)) for _ in range(40)]
EDGES = [[(int(a), int(b)) for a, b in RNG.integers(0, 8, (9, 2)) if a < b] + [(0, i % 7 + 1)] for i in range(40)]
SAMPLES = {
    "matrix": NUMBERS,
    "sparse": sp.random_array((40, 9), density=0.5, rng=RNG, format="csr"),
    "table": Table.from_frame({"a": NUMBERS[:, 0], "b": list("uvwxy") * 8, "c": SEQUENCES}),
    "strings": Strings(SEQUENCES),
    "tokens": Strings([list(text) for text in SEQUENCES]),
    "trees": Trees([f"(S (NP {a}) (VP {a[::-1]}))" for a in SEQUENCES]),
    "graphs": Graphs(EDGES),
}

HASHES = [15010090219252861541, 16965494097514110161]


@pytest.mark.parametrize("form", SAMPLES)
def test_hashes_are_those_of_the_samples_wherever_they_stand(form):
    """Slow twin: samples one by one."""
    samples = SAMPLES[form]
    rows = [np.array([i]) for i in range(40)]
    together = sample_hashes(samples)
    assert together.tolist() == [int(sample_hashes(samples[row])[0]) for row in rows]
    expected = 40 if form != "graphs" else len(np.unique(together))
    assert len(np.unique(together)) == expected > 20


def test_hashes_do_not_depend_on_the_process():
    """A model file is read elsewhere: known values."""
    assert sample_hashes(np.array([[1.0, -2.5], [0.0, -0.0]])).tolist() == HASHES
    assert sample_hashes(np.array([[0.0, 0.0]])).tolist() == HASHES[1:]


def test_order_counts():
    (swapped, plain), (tree, other) = (
        sample_hashes(np.array([[2.0, 1.0], [1.0, 2.0]])),
        sample_hashes(Trees(["(S (A x) (B y))", "(S (B y) (A x))"])),
    )
    assert swapped != plain
    assert tree != other


@pytest.mark.parametrize("named", [False, True])
def test_models_recognise_their_rows_also_from_a_file(named, tmp_path):
    X = {"a": NUMBERS[:, 0], "b": list("uvwxy") * 8, "id": [f"n{i}" for i in range(40)]} if named else NUMBERS
    part = (lambda rows: {name: np.asarray(v)[rows] for name, v in X.items()}) if named else (lambda rows: X[rows])
    model = AutoRegressor(simple=True).fit(part(slice(30)), NUMBERS[:30, 1])
    save(model, tmp_path / "m.mercer")
    for found in (model, load(tmp_path / "m.mercer")):
        assert found.count_training_rows(part(slice(20, 40))) == (10, 20)
        assert found.count_training_rows(part(slice(30, 40))) == (0, 10)


def test_only_rows_of_the_fit_are_recognised():
    """Rows of weight 0 are left out of a fit."""
    weight = np.r_[np.ones(30), np.zeros(10)]
    model = AutoClassifier("rbf", "svm").fit(NUMBERS, NUMBERS[:, 0] > 0, sample_weight=weight)
    assert model.count_training_rows(NUMBERS) == (30, 40)


def test_stacks_and_sequences_recognise_their_rows():
    X = RNG.normal(size=(90, 2))
    assert AutoClassifier().fit(X[:60], X[:60, 0] > 0).count_training_rows(X) == (60, 90)
    labels = [text.count("A") > 2 for text in SEQUENCES]
    model = AutoClassifier(simple=True).fit({"s": SEQUENCES[:30]}, labels[:30])
    assert model.count_training_rows({"s": SEQUENCES}) == (30, 40)


def test_rows_without_a_label_are_not_training_rows():
    """Scores on them are what a transductive fit is made for."""
    y = np.where(NUMBERS[:, 0] > 0, "a", "b").astype(object)
    y[10:] = None
    model = AutoClassifier("rbf", "transductive").fit(NUMBERS, y)
    assert model.count_training_rows(NUMBERS) == (10, 40)


def test_large_fits_keep_a_share(monkeypatch):
    """The share among the compared rows estimates that among all."""
    monkeypatch.setattr(trained_rows, "MOST", 200)
    X = RNG.normal(size=(2000, 1))
    model = AutoRegressor("linear", "ridge").fit(X[:1000], X[:1000, 0])
    assert len(model._row_hashes) == 200
    equal, compared = model.count_training_rows(X)
    assert equal == 200
    assert 300 < compared < 500
    assert model.count_training_rows(X[:1000]) == (200, 200)


def test_files_of_earlier_versions_count_nothing():
    model = AutoRegressor("linear", "ridge").fit(NUMBERS, NUMBERS[:, 0])
    del model._row_hashes, model._all_hashes
    assert model.count_training_rows(NUMBERS) == (0, 0)
