"""Trees: packing from every notation, walking the arrays, productions, indexing."""

import pickle
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, train_test_split
from sklearn.utils import _safe_indexing

from mercer.data import Tree, Trees, as_items, n_samples, take
from mercer.kernels import user
from tests.reference.trees import Node

TEXTS = ["(S (NP (DT the) (NN ox)) (VP eats))", "(S)", "(S (NP ox) (VP (VBZ eats) (NP grass)))", "(A A)"]
LABELS = st.text("abS#:-'\u03b1", min_size=1, max_size=3)


def pairs(labels):
    """Trees of pairs (label, children), leaves below the root as labels."""
    below = st.recursive(
        labels, lambda child: st.tuples(labels, st.lists(child, min_size=1, max_size=4)), max_leaves=12
    )
    return below.map(lambda tree: (tree, []) if isinstance(tree, str) else tree)


FORESTS = st.lists(pairs(LABELS), max_size=6)


def as_nodes(tree):
    return tree if isinstance(tree, str) else Node(tree[0], map(as_nodes, tree[1]))


def walk(trees, node):
    """Pairs below a node, by the rules the arrays promise."""
    children, child = [], node + 1
    for _ in range(trees.n_children[node]):
        children.append(walk(trees, child))
        child += trees.sizes[child]
    assert child == node + trees.sizes[node]
    return (trees.texts[int(trees.labels[node])], children)


def full(tree):
    return (tree, []) if isinstance(tree, str) else (tree[0], list(map(full, tree[1])))


# ---- packing


@given(FORESTS)
def test_packing_loses_nothing(forest):
    trees = Trees(forest)
    assert [tree.to_tuple() for tree in trees] == forest
    assert [walk(trees, int(start)) for start in trees.offsets[:-1]] == list(map(full, forest))
    assert Trees([tree.to_text() for tree in trees]) == trees
    assert Trees(list(trees)) == trees
    assert Trees(list(map(as_nodes, forest))) == trees
    assert Trees(trees) == trees


@given(st.lists(pairs(st.text(max_size=3)), max_size=4))
def test_any_text_may_be_a_label(forest):
    trees = Trees(forest)
    assert [tree.to_tuple() for tree in trees] == forest
    assert Trees(list(map(as_nodes, forest))) == trees


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("(S (NP ox) (VP eats))", ("S", [("NP", ["ox"]), ("VP", ["eats"])])),
        ("(S(NP(ox))(VP(eats)))", ("S", [("NP", ["ox"]), ("VP", ["eats"])])),
        (" ( S\n\t( NP ox )( VP eats ) ) ", ("S", [("NP", ["ox"]), ("VP", ["eats"])])),
        ("( (S (NP ox)) )", ("S", [("NP", ["ox"])])),
        ("(S a b (C d) e)", ("S", ["a", "b", ("C", ["d"]), "e"])),
        ("(SYNT##root(POS##WRB(LEX##how::w)))", ("SYNT##root", [("POS##WRB", ["LEX##how::w"])])),
        ("(S)", ("S", [])),
    ],
)
def test_brackets_are_read(text, tree):
    assert Trees([text])[0].to_tuple() == tree
    assert Trees([text]) == Trees([tree]) == Trees([list(tree)])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(TEXTS),
        pl.Series(TEXTS),
        pa.array(TEXTS),
        pa.chunked_array([TEXTS]),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        pl.DataFrame({"tree": TEXTS}),
        tuple(TEXTS),
    ],
)
def test_every_column_packs_to_the_same_trees(column):
    assert Trees.from_column(column) == Trees(TEXTS)
    assert Trees(column) == Trees(TEXTS)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("(S (NP ox)", "a bracket is not closed"),
        ("(S", "a bracket is not closed"),
        ("((S a)", "a bracket is not closed"),
        ("(S))", "')' without a matching '('"),
        ("(S) (S)", "holds 2 trees, expected one"),
        ("", "holds 0 trees, expected one"),
        ("ox", "'ox' is outside of brackets"),
        ("(S) ox", "'ox' is outside of brackets"),
        ("(S ())", "a node has no label: '()'"),
        ("(S ((NP a)))", "a node has no label: '(('"),
        ("(((S a)))", "a node has no label: '(('"),
        ("((A) (B))", "an outer bracket without a label holds two trees"),
    ],
)
def test_wrong_brackets_are_named(text, what):
    with pytest.raises(ValueError, match=re.escape(f"Trees: record 1 is not a tree in bracket notation: {what}")):
        Trees(["(S)", text])


@pytest.mark.parametrize("value", [None, float("nan"), pd.NA])
def test_missing_trees_are_named(value):
    with pytest.raises(ValueError, match="Trees: record 1 is missing, expected a tree"):
        Trees(["(S)", value])


@pytest.mark.parametrize(
    "value",
    [
        3,
        b"(S)",
        ("S",),
        ("S", "a"),
        ("S", ["a"], ["b"]),
        (3, []),
        ("S", [3]),
        ("S", [("A", 3)]),
        ("S", None),
        {"S": []},
    ],
)
def test_what_is_no_tree_is_named(value):
    with pytest.raises(TypeError, match=r"Trees: record 1 is not a tree: expected a label, a pair"):
        Trees(["(S)", value])


def test_one_tree_is_not_a_list_of_trees():
    with pytest.raises(TypeError, match="Trees: expected a list, a 1-D array or a column"):
        Trees("(S)")


@pytest.mark.parametrize("n", [100_000])
def test_deep_and_wide_trees_are_fine(n):
    chain = "(a " * n + "b" + ")" * n
    deep = Trees([chain])
    assert deep.sizes[0] == n + 1
    assert deep[0].to_text() == chain
    assert Trees([deep[0].to_tuple()]) == deep
    assert pickle.loads(pickle.dumps(deep[0])) == deep[0]
    assert len(np.unique(deep.productions)) == 3  # a → a, a → b, b
    wide = Trees([("a", ["b"] * 5_000)])
    assert wide.n_children[0] == 5_000
    assert wide.is_preterminal[0]


# ---- nodes


def test_arrays_are_as_documented():
    trees = Trees(TEXTS[:2])
    names = [trees.texts[number] for number in trees.labels.tolist()]
    assert names == ["S", "NP", "DT", "the", "NN", "ox", "VP", "eats", "S"]
    assert trees.sizes.tolist() == [8, 5, 2, 1, 2, 1, 2, 1, 1]
    assert trees.n_children.tolist() == [2, 2, 1, 0, 1, 0, 1, 0, 0]
    assert trees.offsets.tolist() == [0, 8, 9]
    assert trees.is_leaf.tolist() == [name in ("the", "ox", "eats") for name in names[:-1]] + [True]
    assert trees.is_preterminal.tolist() == [name in ("DT", "NN", "VP") for name in names]
    assert (trees.labels.dtype, trees.productions.dtype) == (np.uint64, np.uint64)


@given(FORESTS)
def test_productions_are_equal_where_labels_and_those_of_the_children_are(forest):
    trees = Trees(forest)

    def production(node):
        label, children = walk(trees, node)
        return label, tuple(child[0] for child in children)

    nodes = range(len(trees.labels))
    named = {production(node): trees.productions[node] for node in nodes}
    assert all(named[production(node)] == trees.productions[node] for node in nodes)
    assert len(set(named.values())) == len(named)


def test_productions_agree_between_containers():
    one, two = Trees([TEXTS[0]]), Trees([TEXTS[1], TEXTS[0]])
    assert np.array_equal(one.productions, two.productions[1:])
    assert len(np.unique(Trees(["(a a)", "(a (a a))", "(a a a)", "(a b)", "(b a)"]).productions)) == 6


# ---- indexing


@given(FORESTS, st.data())
def test_rows_are_chosen_as_from_an_array(forest, data):
    trees, n = Trees(forest), len(forest)
    rows = data.draw(st.lists(st.integers(-n, n - 1), max_size=6) if n else st.just([]))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    part = data.draw(st.slices(n))
    assert trees[rows] == trees[np.array(rows, dtype=int), ...] == Trees([forest[i] for i in rows])
    assert np.array_equal(trees[rows].productions, Trees([forest[i] for i in rows]).productions)
    assert trees[mask] == Trees([forest[i] for i in np.flatnonzero(mask)])
    assert trees[part] == Trees(forest[part])
    assert trees[part] + trees == Trees(forest[part] + forest)


def test_trees_pickle_small_and_stay_immutable():
    trees = Trees([f"(S{i})" for i in range(100)])
    other = pickle.loads(pickle.dumps(trees[[3, 5]]))
    assert other == trees[[3, 5]]
    assert sorted(other.texts.values()) == ["S3", "S5"]
    with pytest.raises(ValueError, match="read-only"):
        other.labels[0] = 0
    with pytest.raises(AttributeError, match="immutable"):
        other.labels = None
    with pytest.raises(TypeError, match="unhashable"):
        hash(other)


def test_trees_are_equal_if_structure_and_labels_are():
    assert Trees(["(a (b c))"]) != Trees(["(a b c)"])
    assert Trees(["(a b)"]) != Trees(["(a c)"])
    assert Trees(["(a)", "(b)"]) != Trees(["(a b)"])
    assert Trees(TEXTS) != TEXTS


@pytest.mark.parametrize("key", [4, [0, 4], 1.0, "S", (0, 1)])
def test_wrong_rows_raise_index_errors(key):
    with pytest.raises(IndexError, match="Trees"):
        Trees(TEXTS)[key]


def test_repr_is_short():
    assert repr(Trees(TEXTS)) == "Trees(4 of 1 to 8 nodes, 11 labels)"
    assert repr(Trees(["(S)"])) == "Trees(1 of 1 nodes, 1 label)"
    assert repr(Trees([])) == "Trees(0 of 0 nodes, 0 labels)"
    assert repr(Trees(TEXTS)[1]) == "Tree(S, 1 node)"


def test_scikit_learn_splits_trees():
    trees = Trees(TEXTS * 5)
    train, test, y, _ = train_test_split(trees, trees.lengths, random_state=0)
    assert isinstance(train, Trees)
    assert np.array_equal(train.lengths, y)
    assert len(train) + len(test) == 20
    for rows, _ in KFold(4).split(trees):
        assert _safe_indexing(trees, rows) == trees[rows]


def test_conversions_and_kernels_written_in_python_know_trees():
    trees = Trees(TEXTS)
    assert n_samples(trees) == 4
    assert take(trees, [-1, 0]) == trees[[3, 0]]
    assert as_items(trees) == list(trees)
    kernel = user(pair=lambda a, b: float(a.label() == b.label()))
    assert kernel(trees)[:, 3].tolist() == [0.0, 0.0, 0.0, 1.0]


# ---- one tree


def test_a_tree_speaks_as_those_of_nltk_do():
    tree = Trees(TEXTS)[0]
    assert isinstance(tree, Tree)
    assert (tree.label(), tree.size) == ("S", 8)
    assert [child.to_text() for child in tree] == ["(NP (DT the) (NN ox))", "(VP eats)"]
    assert [leaf.label() for leaf in next(iter(next(iter(tree))))] == ["the"]
    assert {tree, Trees([TEXTS[0]])[0]} == {tree}
    assert tree != Trees(TEXTS)[2]
    assert tree != TEXTS[0]


@pytest.mark.parametrize("label", ["", "New York", "(", "a)", "a\u00a0b"])
def test_labels_that_brackets_cannot_hold_are_named(label):
    tree = Trees([("S", [label])])[0]
    with pytest.raises(
        ValueError, match=re.escape(f"the label {label!r} cannot be written in bracket notation; use to_tuple()")
    ):
        tree.to_text()


def test_a_signalling_nan_is_missing():
    with pytest.raises(ValueError, match="record 0 is missing"):
        Trees([Decimal("sNaN")])
