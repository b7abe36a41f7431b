"""Complete subtrees in common, by their keys and by their definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Trees
from mercer.kernels import Definiteness
from mercer.kernels.trees import Subtree
from tests.reference.trees import forests, subtree, subtree_value


@given(forests(), st.sampled_from([1.0, 0.4]))
def test_against_both_definitions(trees, decay):
    K = Subtree(decay)(trees)
    for value in (subtree, subtree_value):
        np.testing.assert_allclose(K, [[value(x, z, decay) for z in trees] for x in trees], rtol=1e-12, atol=0)


@given(forests())
def test_features_are_the_kernel(trees):
    F = Subtree(0.3).feature_map(trees)
    np.testing.assert_allclose((F @ F.T).toarray(), Subtree(0.3)(trees), rtol=1e-12, atol=1e-15)


def test_names_are_brackets():
    kernel, trees = Subtree(), Trees(["(S (NP (DT the) (NN ox)) (VP eats))", "(NP (DT the) (NN ox))"])
    names = kernel.names(trees, kernel.rows(trees).columns)
    assert sorted(names) == sorted(
        ["(S (NP (DT the) (NN ox)) (VP eats))", "(NP (DT the) (NN ox))", "(DT the)", "(NN ox)", "(VP eats)"]
    )
    column = names.index("(NP (DT the) (NN ox))")
    assert kernel.feature_map(trees).toarray()[:, column].tolist() == [1.0, 1.0]


def test_names_of_what_has_no_brackets():
    kernel, trees = Subtree(), Trees([("NP", ["the ox"])])
    assert kernel.names(trees, kernel.rows(trees).columns) == ["('NP', ['the ox'])"]


def test_a_leaf_is_not_a_node_with_children():
    # a above b twice, once with c below b: the productions of the tops agree, the subtrees do not
    assert Subtree()([("a", ["b"])], [("a", [("b", ["c"])])]).item() == 0.0


def test_decay_counts_nodes_with_children():
    assert Subtree(0.5)(["(S (NP (DT the) (NN ox)) (VP eats))"]).item() == pytest.approx(3 * 0.5 + 0.5**3 + 0.5**5)


def test_chains():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, size=100_000).astype(str)
    chain = "(" + " (".join(labels) + " x" + ")" * len(labels)
    trees = Trees([chain, chain, "(0 x)"])
    K = Subtree()(trees)
    assert K[0, 0] == K[0, 1] == 100_000
    assert K[0, 2] == (labels[-1] == "0")
    names = Subtree().names(trees, Subtree().rows(trees).columns)
    assert len(set(names)) == len(names)
    assert max(map(len, names)) < 1000


@pytest.mark.parametrize("decay", [0.0, 1.5, -1, "no", None, True])
def test_refused(decay):
    with pytest.raises((ValueError, TypeError), match="Subtree: parameter decay"):
        Subtree(decay)


def test_says_what_it_is():
    assert Subtree().definiteness is Definiteness.PSD
    assert str(Subtree(0.5)) == "subtree(decay=0.5)"
