"""Fragments with gaps in common: the fast recursion against a plain one and against a list of fragments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.exceptions import NoFeatureMapError
from mercer.kernels import Definiteness
from mercer.kernels.trees import PartialTree
from tests.reference.trees import forests, partial_tree, partial_tree_value

SETTINGS = st.tuples(st.sampled_from([1.0, 0.4]), st.sampled_from([1.0, 0.3]), st.sampled_from([1.0, 5.0]))


@given(forests(2), SETTINGS)
def test_against_fragments(trees, settings):
    decay, mu, terminal_factor = settings
    K = PartialTree(decay, mu, terminal_factor=terminal_factor)(trees)
    slow = [[partial_tree(x, z, decay, mu, terminal_factor) for z in trees] for x in trees]
    np.testing.assert_allclose(K, slow, rtol=1e-12, atol=0)


@given(forests(), SETTINGS, st.sampled_from([0.2, 1.0, 3.0]))
def test_against_the_recursion(trees, settings, terminal_factor):
    decay, mu, _ = settings
    K = PartialTree(decay, mu, terminal_factor=terminal_factor)(trees)
    slow = [[partial_tree_value(x, z, decay, mu, terminal_factor) for z in trees] for x in trees]
    np.testing.assert_allclose(K, slow, rtol=1e-12, atol=0)


def test_neighbours_are_not_penalised():
    leaf, decay, mu = 0.3 * 0.5**2, 0.5, 0.3
    near, far = ("a", ["b", "c"]), ("a", ["b", "x", "c"])
    shared = mu * (decay**2 + 2 * leaf + leaf**2)
    assert PartialTree(decay, mu)([near]).item() == pytest.approx(2 * leaf + shared)
    assert PartialTree(decay, mu)([near], [far]).item() == pytest.approx(
        2 * leaf + mu * (decay**2 + 2 * leaf + decay * leaf**2)
    )


def test_a_leaf_against_a_node_with_children():
    K = PartialTree(0.5, 0.3, terminal_factor=7.0)([("a", []), ("a", ["b"])])
    assert K[0, 0] == pytest.approx(7 * 0.3 * 0.25)
    assert K[0, 1] == pytest.approx(0.3 * 0.25)


def test_terminal_factor_below_one_is_not_psd():
    trees = [("a", []), *(("a", [f"b{i}"]) for i in range(40))]
    for factor, verdict in ((0.9, Definiteness.NOT_PSD), (1.0, Definiteness.PSD), (5.0, Definiteness.PSD)):
        kernel = PartialTree(terminal_factor=factor)
        assert kernel.definiteness is verdict
        lowest = np.linalg.eigvalsh(kernel(trees))[0]
        assert (lowest < -1e-4) == (verdict is Definiteness.NOT_PSD)


def chain(labels):
    return "(" + " (".join(labels) + " x" + ")" * len(labels)


def test_deep_chain_of_different_labels():
    # δ = μ(λ² + δ) tends to μλ²/(1 − μ)
    deep = chain([str(i) for i in range(100_000)])
    assert PartialTree(0.5, 0.5)([deep]).item() == pytest.approx(100_000 * 0.25, rel=1e-4)


def test_deep_chain_against_a_short_one():
    deep, short = chain(["a"] * 100_000), chain(["a"] * 3)
    # far from the leaves δ of heights i = 1, 2, 3 in the short chain: what its own fragments down to it are worth
    delta = np.cumsum([0.25 * 0.5**i for i in range(1, 4)])
    K = PartialTree(0.5, 0.5)([deep], [short])
    assert K.item() == pytest.approx(100_000 * delta.sum(), rel=1e-3)


@pytest.mark.parametrize("below", [[], ["x"]])
def test_wide_node(below):
    n = 2000 if below else 10_000
    wide = ("a", [("b", below) if below else "b"] * n)
    K = PartialTree(0.5, 0.01)([wide, ("a", [("b", below) if below else "b"])])
    child = 0.01 * 0.25 if not below else 0.01 * (0.25 + 0.01 * 0.25)
    leaves = 0.01 * 0.25 if below else 0.0
    assert K[0, 1] == pytest.approx(n * child + n * leaves + 0.01 * (0.25 + n * child))
    assert np.isfinite(K[0, 0])


def test_too_many_fragments():
    with pytest.raises(OverflowError, match=r"partial_tree\(decay=1, mu=1\): .* lower decay"):
        PartialTree(1.0, 1.0)([("a", ["b"] * 2000)])


@pytest.mark.parametrize("name", ["decay", "mu", "terminal_factor"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, "no", None])
def test_refused(name, value):
    with pytest.raises((ValueError, TypeError), match=f"PartialTree: parameter {name}"):
        PartialTree(**{name: value})


def test_no_features():
    with pytest.raises(NoFeatureMapError, match="partial_tree: has no explicit feature map"):
        PartialTree().feature_map(["(S (NP ox))"])


def test_says_what_it_is():
    assert str(PartialTree(0.5, terminal_factor=5)) == "partial_tree(decay=0.5, terminal_factor=5)"
