"""Duplicates and near-duplicates: found in every kind of data, and their effect on scores."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from mercer.auto import AutoClassifier, evaluate
from mercer.auto.evaluation.duplicates import find_duplicates
from mercer.auto.evaluation.identical import graph_ids, identical
from mercer.auto.evaluation.kmers import related
from mercer.data import Graphs, Strings, Trees

LETTERS = np.array(list("ACGT"))


def mutated(rng, text, share):
    symbols = np.array(list(text))
    places = rng.random(len(symbols)) < share
    symbols[places] = rng.choice(LETTERS, int(places.sum()))
    return "".join(symbols)


def families(rng, count, size, length=120, share=0.06):
    """Sequences that descend from random ancestors; all of a family have the same random label."""
    labels, texts = [], []
    for i in range(count):
        ancestor = "".join(rng.choice(LETTERS, length))
        texts += [mutated(rng, ancestor, share) for _ in range(size)]
        labels += [["a", "b"][i % 2]] * size
    return texts, np.array(labels), np.repeat(np.arange(count), size)


@pytest.mark.parametrize(
    ("X", "what"),
    [
        ([[1.0, 0.0], [2.0, 1.0], [1.0, -0.0]], "rows"),
        (sp.csr_array([[1.0, 0.0], [2.0, 1.0], [1.0, 0.0]]), "rows"),
        ({"id": ["u", "v", "w"], "x": [1.0, 2.0, 1.0], "c": ["a", "b", "a"]}, "rows"),
        (Strings([["to", "be"], ["or"], ["to", "be"]]), "strings"),
        (Trees(["(S (A a))", "(S (B a))", "(S (A a))"]), "trees"),
        (Graphs([[(0, 1), (1, 2)], [(0, 1), (0, 2), (0, 3)], [(0, 2), (2, 1)]]), "graphs"),
    ],
)
def test_equal_samples_of_every_kind(X, what):
    found = find_duplicates(X, np.array([0, 1, 1]), np.array([0, 1, 2]))
    assert found.what == what
    assert found.clusters[0] == found.clusters[2] != found.clusters[1]
    assert (found.exact, found.related, found.conflicts) == (2, 2, 2)
    assert found.crossing.tolist() == [True, False, True]


def test_missing_values_are_equal_and_identifiers_are_not_compared():
    X = {"id": [1, 2, 3], "x": [1.5, None, None], "city": ["Oslo", "Rome", "Rome"]}
    assert identical(X)[1].tolist() == [0, 1, 1]
    assert identical(X, {"id": "number"})[1].tolist() == [0, 1, 2]


def test_all_samples_are_different(rng):
    assert find_duplicates(rng.normal(size=(50, 3))) is None


def test_graphs_are_identical_up_to_the_order_of_their_nodes(rng):
    """Refinement agrees with isomorphism on random labelled graphs, and sees labels, weights and attributes."""
    graphs = []
    for n in (6, 9, 12):
        A = np.triu(rng.random((n, n)) < 0.4, 1).astype(float)
        A += A.T
        order = rng.permutation(n)
        graphs += [A, A[np.ix_(order, order)]]
    ids = graph_ids(Graphs(graphs))
    assert ids[0::2].tolist() == ids[1::2].tolist()
    assert len(set(ids.tolist())) == 3
    heavy = [graphs[0], 2 * graphs[0]]
    assert len(set(graph_ids(Graphs(heavy)).tolist())) == 2


def test_related_sequences_are_the_families(rng):
    texts, _, family = families(rng, 30, 6)
    order = rng.permutation(len(texts))
    found = related([texts[i] for i in order])
    pairs = found[:, None] == found
    same = family[order][:, None] == family[order]
    assert not (pairs & ~same).any()
    assert (pairs & same).sum() > 0.9 * same.sum()


def test_common_k_mers_relate_nothing(rng):
    """A primer in front of all sequences does not make one cluster of them."""
    primer = "".join(rng.choice(LETTERS, 40))
    texts = [primer + "".join(rng.choice(LETTERS, 100)) for _ in range(100)]
    assert len(set(related(texts).tolist())) == 100


def test_every_pair_is_compared_in_the_slow_way(rng):
    """Clusters of neighbours in the lists of k-mers equal those of all pairs."""
    texts, *_ = families(rng, 8, 4, length=90, share=0.03)
    k = 12
    sets = [{text[i : i + k] for i in range(len(text) - k + 1)} for text in texts]
    parent = list(range(len(texts)))

    def root(i):
        return i if parent[i] == i else root(parent[i])

    for i, a in enumerate(sets):
        for j, b in enumerate(sets[:i]):
            if len(a & b) >= max(5, 0.1 * min(len(a), len(b))):
                parent[root(i)] = root(j)
    slow = np.array([root(i) for i in range(len(texts))])
    found = related(texts)
    assert ((found[:, None] == found) == (slow[:, None] == slow)).all()


def test_a_score_of_relatives_is_flagged_and_groups_correct_it(rng):
    """Random folds promise what new families do not keep."""
    texts, y, _ = families(rng, 24, 5)
    X = {"dna": texts}
    model = AutoClassifier("auto", "ridge", kinds={"dna": "sequence"}, cv=2)
    plain = evaluate(model, X, y, cv=3)
    assert plain.duplicates.flagged
    assert plain.duplicates.what == "sequences"
    score = plain.metrics["accuracy"].mean()
    assert score > 0.85
    sentence = plain.duplicates.sentence("accuracy", score)
    assert "in another fold" in sentence
    assert "groups='auto'" in sentence
    grouped = evaluate(model, X, y, "auto", cv=3)
    assert not grouped.duplicates.crossing.any()
    assert grouped.metrics["accuracy"].mean() < score - 0.2


def test_the_score_without_copies_is_that_of_new_samples(rng):
    X = rng.normal(size=(80, 3))
    y = rng.integers(0, 2, 80)
    found = evaluate(KNeighborsClassifier(1), np.vstack([X, X[:40]]), np.concatenate([y, y[:40]]), cv=4)
    copies = found.duplicates
    assert copies.crossing.sum() > 40
    kept = ~copies.crossing
    by_fold = [np.mean((found.predictions == found.truth)[kept & (found.folds == f)]) for f in range(4)]
    assert copies.scores["accuracy"] == pytest.approx(np.mean(by_fold))
    assert copies.scores["accuracy"] < found.metrics["accuracy"].mean() - 0.1


def test_groups_of_another_name_are_refused():
    with pytest.raises(ValueError, match="groups must be 'auto', None or one group for each sample, got 'patient'"):
        evaluate(KNeighborsClassifier(1), np.eye(4), [0, 1, 0, 1], "patient")


def test_samples_that_cannot_be_compared_do_not_stop_an_evaluation():
    class Constant(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    X = np.array([[object(), {}] for _ in range(8)], dtype=object)
    found = evaluate(Constant(), X, [0, 1] * 4, cv=2)
    assert found.duplicates is None
    assert any("duplicates were not looked for" in note for note in found.notes)
