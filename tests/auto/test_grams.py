"""Gram matrices of texts, sequences and graphs are shared by all folds, and scores stay the same."""

import numpy as np
import pytest

from mercer.auto import AutoClassifier, evaluate, grams
from mercer.data import Graphs
from mercer.operators import gram


@pytest.fixture
def rings_and_paths(rng):
    graphs = []
    for i in range(36):
        n = int(rng.integers(5, 9))
        edges = [(j, j + 1) for j in range(n - 1)] + ([(0, n - 1)] if i % 2 else [])
        graphs.append((n, edges + [(0, int(rng.integers(2, n - 1)))] * (i % 3 == 0)))
    return Graphs(graphs), np.arange(36) % 2


def counted(monkeypatch):
    calls = []

    def count(kernel, X, *parts, **options):
        calls.append((str(kernel), len(X)))
        return gram(kernel, X, *parts, **options)

    monkeypatch.setattr(grams, "gram", count)
    monkeypatch.setattr("mercer.auto.search.gram", count)
    return calls


def test_each_kernel_is_computed_once(rings_and_paths, monkeypatch):
    X, y = rings_and_paths
    calls = counted(monkeypatch)
    model = AutoClassifier(cv=2)
    shared = evaluate(model, X, y, cv=3)
    assert calls
    assert len(set(calls)) == len(calls)
    assert {n for _, n in calls} == {36}
    monkeypatch.setattr(grams, "LARGEST", 10)
    calls.clear()
    alone = evaluate(model, X, y, cv=3)
    assert {n for _, n in calls} == {24}
    assert shared.kernels == alone.kernels
    np.testing.assert_allclose(shared.probabilities, alone.probabilities, atol=1e-9)


def test_columns_of_texts_are_shared_and_numbers_are_not(rng, monkeypatch):
    n = 40
    texts = [" ".join(rng.choice(["good", "bad", "fair", "cold", "warm"], 6)) for _ in range(n)]
    size = rng.normal(size=n)
    y = np.where([("good" in text) ^ (s > 0) for text, s in zip(texts, size, strict=True)], "yes", "no")
    calls = counted(monkeypatch)
    evaluate(AutoClassifier(cv=2, simple=True, kinds={"text": "text"}), {"text": texts, "size": size}, y, cv=2)
    assert {size for name, size in calls if "text" in name and "size" not in name} == {n}
    assert {size for name, size in calls if "size" in name} == {n // 2}


def test_another_estimator_around_the_model_does_not_share(rings_and_paths, monkeypatch):
    from sklearn.model_selection import GridSearchCV

    X, y = rings_and_paths
    calls = counted(monkeypatch)
    evaluate(GridSearchCV(AutoClassifier(cv=2), {"cv": [2]}, cv=2), list(X), y, cv=2)
    assert 36 not in {n for _, n in calls}
