"""Fragments of whole productions in common: the fast recursion against a plain one and against a list of fragments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Trees
from mercer.exceptions import NoFeatureMapError
from mercer.kernels import Definiteness
from mercer.kernels.trees import SubsetTree
from tests.reference.trees import forests, subset_tree, subset_tree_value

DECAYS = st.sampled_from([1.0, 0.4])


@given(forests(), DECAYS, st.booleans())
def test_against_both_definitions(trees, decay, leaves):
    K = SubsetTree(decay, leaves=leaves)(trees)
    for value in (subset_tree, subset_tree_value):
        slow = [[value(x, z, decay, leaves) for z in trees] for x in trees]
        np.testing.assert_allclose(K, slow, rtol=1e-12, atol=0)


def test_known_values():
    # Collins & Duffy 2001, figure 2: the noun phrase "the apple" has six fragments
    assert SubsetTree(1.0)(["(NP (D the) (N apple))"]).item() == 6.0
    assert SubsetTree(0.5)(["(NP (D the) (N apple))"]).item() == 0.5 * 1.5**2 + 2 * 0.5
    assert SubsetTree(1.0, leaves=True)(["(NP (D the) (N apple))"]).item() == 8.0


def test_leaves_beside_children_have_the_factor_one():
    assert SubsetTree(0.5)([("a", ["b", ("c", ["d"])])]).item() == 0.5 * (1 + 0.5) + 0.5


def test_a_leaf_under_an_equal_production_is_where_a_fragment_may_end():
    # a → b in both, whether or not the second tree goes on below b
    assert SubsetTree(0.5)([("a", ["b"])], [("a", [("b", ["c"])])]).item() == 0.5


def test_one_node():
    assert SubsetTree()([("a", []), ("b", [])]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert SubsetTree().normalized()([("a", []), ("b", [])]).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert SubsetTree(leaves=True)([("a", []), ("b", [])]).tolist() == [[0.4, 0.0], [0.0, 0.4]]


def chain(labels):
    return "(" + " (".join(labels) + " x" + ")" * len(labels)


def test_deep_chain_against_a_short_one():
    # far from the leaves every node of the deep chain adds δ = λ and λ(1 + λ): fragments of one and of two productions
    few, short = SubsetTree(0.5)([chain(["a"] * 5)], [chain(["a"] * 3)]).item(), chain(["a"] * 3)
    K = SubsetTree(0.5)([short], [chain(["a"] * 100_000), chain(["b"] * 100_000)])
    np.testing.assert_allclose(K, [[few + (100_000 - 5) * (0.5 + 0.5 * 1.5), 0.0]], rtol=1e-12)


def test_deep_chain_of_different_labels():
    deep = chain([str(i) for i in range(100_000)])
    assert SubsetTree(0.5)([deep]).item() == pytest.approx(100_000, rel=1e-4)  # δ = λ(1 + δ) tends to 1


def test_wide_node():
    wide, narrow = ("a", [("b", ["c"])] * 2000 + ["c"] * 8000), ("a", [("b", ["c"])] * 3)
    K = SubsetTree(1e-3)([wide, narrow])
    assert K[0, 0] == pytest.approx(1e-3 * 1.001**2000 + 1e-3 * 2000**2)
    assert K[0, 1] == pytest.approx(1e-3 * 2000 * 3)


def test_too_many_fragments():
    tree = ("a", [("b", ["c"])] * 2000)
    with pytest.raises(OverflowError, match=r"subset_tree\(decay=1\): .*; .* lower decay"):
        SubsetTree(1.0)([tree])
    with pytest.raises(OverflowError, match="subset_tree"):
        SubsetTree(1.0).diag([tree])


@pytest.mark.parametrize("decay", [0.0, 1.01, np.nan, "no", None, True])
def test_refused_decay(decay):
    with pytest.raises((ValueError, TypeError), match="SubsetTree: parameter decay"):
        SubsetTree(decay)


def test_refused_leaves():
    with pytest.raises(TypeError, match="SubsetTree: parameter leaves must be True or False, got 1"):
        SubsetTree(leaves=1)


def test_no_features():
    with pytest.raises(NoFeatureMapError, match="subset_tree: has no explicit feature map"):
        SubsetTree().feature_map(Trees(["(S (NP ox))"]))


def test_says_what_it_is():
    assert SubsetTree().definiteness is Definiteness.PSD
    assert str(SubsetTree()) == "subset_tree"
    assert str(SubsetTree(0.5, leaves=True)) == "subset_tree(decay=0.5, leaves=True)"
