"""The program that `code` writes gives the predictions of the model."""

import numpy as np
import polars as pl
import pytest

from mercer.auto import AutoClassifier, AutoRegressor, code, searching
from mercer.kernels.user import user
from mercer.svm import SVC

pytest.importorskip("mercer.datasets")
from mercer.datasets import read


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    n = 60
    frame = pl.DataFrame(
        {
            "id": np.arange(n),
            "size of it": rng.normal(size=n),
            "age": [None if i % 7 == 0 else float(value) for i, value in enumerate(rng.normal(size=n))],
            "colour": rng.choice(["red", "blue"], n),
            "review": [f"{word} tea number {i}" for i, word in enumerate(rng.choice(["good", "bad"], n))],
            "smiles": [f"{'C' * (1 + i % 5)}{'O' if i % 2 else 'N'}" for i in range(n)],
            "family": [f"f{i % 9}" for i in range(n)],
        }
    )
    good = np.array([text.startswith("good") for text in frame["review"]])
    frame = frame.with_columns(pl.Series("class", np.where(good ^ (frame["colour"].to_numpy() == "red"), "yes", "no")))
    frame = frame.with_columns(pl.Series("value", frame["size of it"] * 3 + good))
    path = tmp_path / "people.csv"
    frame.write_csv(path)
    return str(path)


def check(model, source, target, **options):
    data = read(source)
    X, y, groups = data.split(target, **options)
    model.fit(X, y, groups)
    program = code(model, source, target, **options)
    space = {}
    exec(compile(program, "program", "exec"), space)
    predicted = space["predict"](X)
    if predicted.dtype.kind == "f":
        np.testing.assert_allclose(predicted, model.predict(X), rtol=1e-7, atol=1e-9)
    else:
        np.testing.assert_array_equal(predicted, model.predict(X))
    ask = "decision_function" if hasattr(model, "decision_function") else "predict"
    # Up to rounding, which depends on the number of threads: small fits of the search have one.
    mine, its = getattr(model, ask)(X), getattr(space["model"], ask)(model.prepare(X))
    if mine.dtype.kind == "f":
        np.testing.assert_allclose(its, mine, rtol=1e-7, atol=1e-9)
    return program


@pytest.mark.parametrize("model", ["svm", "ridge", "perceptron", "knn"])
@pytest.mark.filterwarnings("ignore:KernelPerceptron")  # as many passes as were found best
def test_classifiers(table, model):
    program = check(AutoClassifier(cv=3, model=model), table, "class")
    assert "auto" not in program.replace("mercer.auto", "")


def test_regressors(table):
    for model in ("ridge", "svm"):
        check(AutoRegressor(cv=3, model=model), table, "value")


@pytest.mark.parametrize(
    "kernel",
    [
        "rbf['size of it', age] + overlap[colour]",
        "linear[age]",
        "rbf[age] + linear['size of it']",
        "normalized(weisfeiler_lehman)[smiles]",
        "normalized(weisfeiler_lehman)[smiles] + normalized(spectrum(p=4))[review]",
    ],
)
def test_given_kernels(table, kernel):
    check(AutoClassifier(kernel, "svm", cv=3), table, "class")


def test_bundled_data_and_matrices(tmp_path):
    assert 'read("wine").split()' in check(AutoClassifier(cv=3, model="ridge"), "wine", None)
    lines = [f"{i % 2} 1:{0.1 * i} 3:{5 + i % 3}" for i in range(20)]
    (tmp_path / "data.svm").write_text("\n".join(lines))
    check(AutoClassifier(cv=3, model="svm"), str(tmp_path / "data.svm"), None)


def test_draws(table, monkeypatch):
    program = check(AutoClassifier("overlap[colour]", "svm", cv=3, max_samples=40), table, "class")
    assert "sample_rows(y, 40, stratify=True, random_state=0)" in program
    monkeypatch.setattr(searching, "available_memory", lambda: 16 * 2 * 30**2)
    monkeypatch.setattr(searching, "SELECTION", 30)
    monkeypatch.setattr(searching, "_affordable", lambda matrices, most: min(most, 30))
    check(AutoClassifier("overlap[colour]", "ridge", cv=3), table, "class")


def test_groups(table):
    program = check(AutoClassifier("overlap[colour]", "svm", cv=3), table, "class", groups="family")
    assert 'split("class", groups="family")' in program


def test_what_cannot_be_written(table):
    X, y, _ = read(table).split("class")
    model = AutoClassifier(user(pair=lambda a, b: 1.0 + float(a[-1] == b[-1])), "svm", cv=3).fit(X, y)
    with pytest.raises(ValueError, match="no text form"):
        code(model, table, "class")
    with pytest.raises(TypeError, match="expected a fitted AutoClassifier"):
        code(SVC().fit([[0.0], [1.0]], [0, 1]), table, "class")
