"""The leaves of an expression share one conversion of the samples that they read."""

import threading
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import RBF, Columns, Constant, Delta, ExpOf, Linear, Map, TanimotoOf, Weighted, user
from mercer.kernels.graphs import (
    AttributedShortestPath,
    GraphHopper,
    NeighborhoodHash,
    RandomWalk,
    ShortestPath,
    WeisfeilerLehman,
    WLOptimalAssignment,
)
from mercer.kernels.graphs.colors import Colors
from mercer.kernels.graphs.walks import Walks
from mercer.kernels.sharing import once, sharing
from mercer.kernels.strings import BagOfWords, Gapped, LocalAlignment, Mismatch, Spectrum, Subsequence, WeightedDegree
from mercer.kernels.strings.sequences import Sequences
from mercer.kernels.strings.windows import Windows
from mercer.kernels.trees import PartialTree, SubsetTree, Subtree
from mercer.kernels.trees.base import Forest

WORDS = ["GATTACA", "CATTAG", "TAGACAT", "ACGTACGT"]
TREES = ["(S (NP ox) (VP eats))", "(S (NP cow) (VP (V eats) (NP ox)))", "(S (NP ox) (VP sleeps))", "(NP ox)"]
DNA = {"alphabet": "dna", "case": "upper"}

STRING_KERNELS = [
    Spectrum(3) + Spectrum(5) + Gapped(6, 2),
    Spectrum(2) * Subsequence(2) + WeightedDegree(3, position_weights=[1.0] * 8),
    0.5 * Spectrum(2, **DNA).normalized() + ExpOf(0.01 * Mismatch(3, 1)) + TanimotoOf(Spectrum(2, mode="min")),
    (Gapped(4, 1).normalized() + LocalAlignment(scores=(1, -1))).normalized() ** 2,
    Gapped(4, 1, reverse_complement=True, **DNA) + Mismatch(3, 1, reverse_complement=True, **DNA) + 1,
]
TREE_KERNELS = [SubsetTree(0.3) + SubsetTree(0.5) * PartialTree(), TanimotoOf(Subtree() + PartialTree().normalized())]
GRAPH_KERNELS = [
    WeisfeilerLehman(2) + ShortestPath() * NeighborhoodHash(),
    (WLOptimalAssignment(2).normalized() + RandomWalk(0.01)).normalized(),
    AttributedShortestPath(RBF()) + GraphHopper(RBF("median")) + WeisfeilerLehman(1, ShortestPath()),
]


def graph_list():
    edges = [[(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)], [(0, 1), (1, 2), (2, 3), (3, 0)]]
    graphs = []
    for pairs in edges:
        n = 1 + max(map(max, pairs))
        attributes = [[float(v), v * 0.5] for v in range(n)]
        graphs.append(Graphs.from_edges(pairs, node_labels=list("CNOC"[:n]), node_attributes=attributes)[0])
    return graphs


@pytest.fixture
def counted(monkeypatch):
    """Number of calls of some methods, by name; containers that are made from others of their kind do not count."""
    counts = Counter()

    def count(owner, method="__init__", *, name=None):
        make, name = getattr(owner, method), name or owner.__name__

        def counting(self, *args, **options):
            counts[name] += not (args and isinstance(args[0], type(self)))
            return make(self, *args, **options)

        monkeypatch.setattr(owner, method, counting)

    for container in (Strings, Trees, Graphs):
        count(container)
    counts.also = count
    return counts


def cases():
    graphs = graph_list()
    for family, X, kernels in (
        ("Strings", WORDS, STRING_KERNELS),
        ("Trees", TREES, TREE_KERNELS),
        ("Graphs", graphs, GRAPH_KERNELS),
    ):
        for kernel in kernels:
            yield pytest.param(family, X, kernel, id=str(kernel))


@pytest.mark.parametrize("call", ["prepare", "resolve", "__call__", "diag"])
@pytest.mark.parametrize(("family", "X", "kernel"), list(cases()))
def test_samples_are_converted_once(family, X, kernel, call, counted):
    getattr(kernel, call)(X)
    assert counted == {family: 1} or (call == "resolve" and not counted)


@pytest.mark.parametrize(("family", "X", "kernel"), list(cases()))
def test_values_are_those_of_samples_that_were_packed_before(family, X, kernel):
    packed = {"Strings": Strings, "Trees": Trees, "Graphs": Graphs}[family](X)
    np.testing.assert_array_equal(kernel(X), kernel(packed))
    np.testing.assert_array_equal(kernel(X[:2], X), kernel(packed[:2], packed))


def test_a_sum_has_the_values_of_its_terms():
    terms = Spectrum(3, **DNA), Gapped(4, 1, **DNA), Spectrum(2).normalized(), BagOfWords("count", pattern="[AG]+")
    total = terms[0] + terms[1] + terms[2] + terms[3]
    mixed = [word.title() for word in WORDS]
    np.testing.assert_array_equal(total(mixed), sum(term(mixed) for term in terms))


# ---- features


@pytest.mark.parametrize(
    ("family", "X", "kernel"),
    [
        ("Strings", WORDS, Spectrum(2) + Gapped(4, 1).normalized() + Spectrum(3) * Mismatch(2, 1)),
        ("Trees", TREES, Subtree() + Subtree(0.5).normalized()),
        ("Graphs", graph_list(), ShortestPath() + WeisfeilerLehman(2).normalized()),
    ],
    ids=["strings", "trees", "graphs"],
)
def test_features_convert_samples_once(family, X, kernel, counted):
    features = kernel.feature_map(X)
    assert counted == {family: 1}
    resolved = kernel.resolve(X)
    counted.clear()
    options = {"degree": None, "maximum": None, "vocabularies": None}
    np.testing.assert_array_equal(resolved.features(X, options).toarray(), features.toarray())  # as transformers call
    assert counted == {family: 1}


def test_features_of_columns_convert_each_column_once(counted):
    X = Table.from_frame({"read": WORDS, "other": WORDS[::-1]}, kinds={"read": "text", "other": "text"})
    kernel = Columns("read", Spectrum(2)) + Columns("other", Spectrum(2)) * Columns("read", Spectrum(3))
    kernel.feature_map(X)
    assert counted == {"Strings": 2}


# ---- what leaves derive


def test_case_is_folded_once(counted):
    counted.also(Strings, "_fold", name="folds")
    kernel = Spectrum(2, case="upper") + Gapped(4, 1, case="upper").normalized() + Subsequence(2, case="lower")
    kernel.prepare(WORDS)
    assert counted == {"Strings": 1, "folds": 2}


def test_texts_are_split_once_for_each_pattern(counted):
    kernel = BagOfWords() + BagOfWords(n=2).normalized() + BagOfWords("min", case="keep") + BagOfWords(pattern=r"\S+")
    kernel.prepare(["To be or not to be", "let it be"])
    assert counted == {"Strings": 1 + 2}  # the tokens of a pattern are strings, too


def test_codes_are_made_once_for_each_policy(counted):
    counted.also(Sequences)
    kernel = Spectrum(2, **DNA) + Subsequence(2, **DNA) + Gapped(4, 1, **DNA) + Mismatch(3, 1, **DNA).normalized()
    prepared = (kernel + Spectrum(2, alphabet="AC", case="upper")).prepare(WORDS)
    assert counted == {"Strings": 1, "Sequences": 2}
    packs = [pack for leaf, pack in prepared.foreign if isinstance(leaf, (Gapped, Mismatch))]
    assert all(pack is packs[0] for pack in packs)


def test_reverse_complements_are_made_once(counted):
    counted.also(Strings, "reverse_complement", name="complements")
    STRING_KERNELS[-1].prepare(WORDS)
    assert counted["complements"] == 1


def test_features_of_a_normalised_leaf_are_counted_once(counted):
    counted.also(Windows, "rows", name="rows")
    (Spectrum(2).normalized() + TanimotoOf(Spectrum(2)) + Spectrum(3)).prepare(WORDS)
    assert counted == {"Strings": 1, "rows": 2}


def test_nodes_are_sorted_once_for_each_key(counted):
    counted.also(Forest)
    (SubsetTree(0.1) + SubsetTree(0.2).normalized() + PartialTree() + PartialTree(mu=0.5)).prepare(TREES)
    assert counted == {"Trees": 1, "Forest": 2}


def test_graphs_share_walks_and_colours(counted):
    counted.also(Walks)
    counted.also(Colors)
    graphs = graph_list()
    (RandomWalk(0.01) + RandomWalk(0.02).normalized() + RandomWalk(0.01, labeled=False)).prepare(graphs)
    assert counted == {"Graphs": 1, "Walks": 2}
    counted.clear()
    (WeisfeilerLehman(2) + WLOptimalAssignment(2) + WeisfeilerLehman(1)).prepare(graphs)
    assert counted == {"Graphs": 1, "Colors": 2}


def test_kernels_of_nodes_share_prepared_attributes():
    kernel = AttributedShortestPath(RBF(0.5)) + GraphHopper(RBF(0.5))
    (_, paths), (_, hopper) = kernel.prepare(graph_list()).foreign
    assert paths.prepared is hopper.prepared


# ---- columns and maps


def tables():
    texts, numbers = {"read": WORDS, "note": ["be", "to be", "not", "or"]}, [1.0, 2.0, 3.0, 4.0]
    frame = {**texts, "length": numbers}
    kinds = {"read": "text", "note": "text"}
    yield "table", Table.from_frame(frame, kinds=kinds), ("read", "note", "length")
    yield "categories", Table.from_frame(frame), ("read", "note", "length")
    yield "pandas", pd.DataFrame(frame), ("read", "note", "length")
    rows = [list(row) for row in zip(*frame.values(), strict=True)]
    yield "rows", rows, (0, 1, 2)
    yield "array", np.array(rows, dtype=object), (0, 1, 2)


@pytest.mark.parametrize(("X", "names"), [case[1:] for case in tables()], ids=[case[0] for case in tables()])
def test_columns_are_converted_once_each(X, names, counted):
    read, note, length = names
    kernel = (
        Columns(read, Spectrum(2) + Gapped(4, 1))
        + Columns(note, Spectrum(1)) * Columns(read, Subsequence(2)).normalized()
        + TanimotoOf(Columns(note, Spectrum(2))) * Columns(length, Delta())
        + Columns(read, Mismatch(2, 1))
    )
    K = kernel(X)
    assert counted == {"Strings": 2}
    np.testing.assert_array_equal(K, sum(term(X) for term in kernel.terms))


def test_a_column_may_be_chosen_by_name_and_by_place(counted):
    X = Table.from_frame({"read": WORDS, "length": [1.0, 2.0, 3.0, 4.0]}, kinds={"read": "text"})
    kernel = Columns("read", Spectrum(2)) + Columns(0, Spectrum(3)) + Columns(-2, Subsequence(2))
    (kernel + Columns(["read", "length"], Columns("read", Spectrum(1)))).prepare(X)
    assert counted == {"Strings": 1}


def test_maps_are_applied_once(counted):
    calls = []

    def backwards(X):
        calls.append(len(X))
        return [word[::-1] for word in X]

    kernel = Map(backwards, Spectrum(2) + Gapped(4, 1)) + Map(backwards, Subsequence(2)).normalized() + Spectrum(3)
    kernel.prepare(WORDS)
    assert calls == [4]
    assert counted == {"Strings": 2}  # the words and their images


def test_frames_of_numbers_are_read_once(monkeypatch):
    calls = []
    as_matrix = mercer.kernels.sharing.as_matrix
    monkeypatch.setattr(mercer.kernels.sharing, "as_matrix", lambda X, who: calls.append(who) or as_matrix(X, who))
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [0, 1]})
    (RBF() + Linear().normalized() * RBF("median")).prepare(X)
    assert len(calls) == 1


# ---- blocks


def test_nothing_is_kept_between_calls():
    words = list(WORDS)
    kernel = Spectrum(2) + Spectrum(3)
    before = kernel(words)
    words[0] = "CCCC"
    np.testing.assert_array_equal(kernel(words), kernel(list(words)))
    assert not np.array_equal(kernel(words), before)


def test_functions_of_users_may_change_what_they_give_to_other_kernels():
    inner = Spectrum(2) + Spectrum(1)

    def own_value(X):
        word = [""]
        values = []
        for word[0] in X:  # one list, with other contents each time
            values.append(float(inner(word)[0, 0]))
        return values

    expected = np.outer(inner.diag(WORDS), inner.diag(WORDS))
    np.testing.assert_array_equal(Weighted(own_value, Constant())(WORDS), expected)
    pairs = user(lambda a, b: float(inner([a], [b])[0, 0]))
    np.testing.assert_array_equal((pairs.normalized() + Spectrum(2))(WORDS), (inner.normalized() + Spectrum(2))(WORDS))


def test_a_block_ends_with_an_error():
    with pytest.raises(ValueError, match="missing"):
        (Spectrum(2) + Spectrum(3)).prepare(["CAT", None])
    made = [once("thing", WORDS, list) for _ in range(2)]
    assert made[0] is not made[1]


def test_blocks_are_apart_unless_they_join():
    with sharing():
        made = once("thing", WORDS, list)
        assert once("thing", WORDS, list) is made
        assert once("thing", list(WORDS), list) is not made
        assert once("other", WORDS, list) is not made
        with sharing(join=True):
            assert once("thing", WORDS, list) is made
        with sharing():
            assert once("thing", WORDS, list) is not made
        assert once("thing", WORDS, list) is made
        found = []
        thread = threading.Thread(target=lambda: found.append(once("thing", WORDS, list)))
        thread.start()
        thread.join()
        assert found[0] is not made
