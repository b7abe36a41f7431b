"""What all kernels of trees have in common: inputs, laws, and their place in the rest of the library."""

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from sklearn.model_selection import cross_val_score

from mercer.data import Trees
from mercer.kernels import Columns
from mercer.kernels.trees import PartialTree, SubsetTree, Subtree
from mercer.operators import gram
from mercer.svm import SVC
from mercer.testing import check_kernel
from tests.reference.trees import Node, forests

KERNELS = [
    Subtree(),
    Subtree(0.5),
    SubsetTree(),
    SubsetTree(1.0, leaves=True),
    PartialTree(),
    PartialTree(0.7, 0.9, terminal_factor=5),
]
EACH = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def random_trees(rng, n):
    """Trees of 1 to 40 nodes over four labels, and a repeated one."""

    def grown(size):
        label, sizes = str(rng.choice(list("abcd"))), []
        while (left := size - 1 - sum(sizes)) > 0:
            sizes.append(int(rng.integers(1, left + 1)))
        return label, [grown(s) for s in sizes]

    trees = [grown(int(rng.integers(1, 41))) for _ in range(n - 1)]
    return Trees([*trees, trees[0]])


@pytest.fixture
def trees(rng):
    return random_trees(rng, 90)


@EACH
def test_all_laws(kernel, trees):
    check_kernel(kernel, trees[:15])
    check_kernel(kernel.normalized(), trees[:15])


@EACH
def test_threads_batches_and_order(kernel, trees):
    K = kernel(trees, n_jobs=1)
    assert np.array_equal(kernel(trees, n_jobs=2), K)
    assert np.array_equal(K, K.T)
    assert np.array_equal(kernel(trees, trees, n_jobs=2), K)  # all pairs computed, those below the diagonal too
    np.testing.assert_allclose(kernel.diag(trees), np.diagonal(K), rtol=1e-14)
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(90)[:20], rng.permutation(90)[:33]
    np.testing.assert_allclose(kernel(trees[50:53], trees[7:31]), K[50:53, 7:31], rtol=1e-14)
    part = kernel(trees[rows], trees[columns])
    if isinstance(kernel, Subtree):  # a sparse product, whose sums are taken in one order or the other
        np.testing.assert_allclose(part, K[np.ix_(rows, columns)], rtol=1e-14)
    else:
        assert np.array_equal(part, K[np.ix_(rows, columns)])


@EACH
def test_rows_of_the_operator(kernel, trees):
    K = gram(kernel, trees)
    assert np.array_equal(K.rows([3, 88, 3]), kernel(trees)[[3, 88, 3]])
    normalized = gram(kernel.normalized(), trees)
    np.testing.assert_allclose(normalized.rows([5, 0]), kernel.normalized()(trees)[[5, 0]], rtol=1e-14)


@EACH
@given(forests(6))
def test_normalised_is_finite(kernel, trees):
    K = kernel.normalized()(trees)
    assert np.isfinite(K).all()
    assert set(np.diagonal(K).round(12)) <= {0.0, 1.0}


@EACH
def test_inputs(kernel):
    texts = ["(S (NP (DT the) (NN ox)) (VP eats))", "(S (NP (NN ox)) (VP eats))"]
    K = kernel(Trees(texts))
    ox = Node("NN", ["ox"])
    objects = [
        Node("S", [Node("NP", [Node("DT", ["the"]), ox]), Node("VP", ["eats"])]),
        Node("S", [Node("NP", [ox]), Node("VP", ["eats"])]),
    ]
    frame = pl.DataFrame({"tree": texts})
    for X in (
        texts,
        objects,
        np.array(texts),
        np.array(texts, dtype=object)[:, None],
        frame,
        frame["tree"],
        frame.to_pandas(),
    ):
        assert np.array_equal(kernel(X), K)
    assert np.array_equal(Columns("tree", kernel)(frame.with_columns(age=pl.Series([1, 2]))), K)


@EACH
def test_refused_inputs(kernel):
    who = type(kernel).__name__
    with pytest.raises(ValueError, match=rf"{who}: Trees: record 1 is not a tree in bracket notation"):
        kernel(["(S a)", "(S a"])
    with pytest.raises(ValueError, match=rf"{who}: Trees: record 0 is missing"):
        kernel([None])
    with pytest.raises(TypeError, match=rf"{who}: Trees: record 0 is not a tree"):
        kernel([3])
    with pytest.raises(
        ValueError, match=rf"{who}: expected one tree per sample, got 2 columns; choose one with Columns"
    ):
        kernel(np.array([["(S a)", "(S b)"]]))


@EACH
def test_prepared_data_pickle(kernel, trees):
    prepared = kernel.prepare(trees[:12]).take([3, 1, 7])
    again = pickle.loads(pickle.dumps(prepared))
    assert np.array_equal(kernel.block(again, again), kernel(trees[[3, 1, 7]]))


@pytest.fixture
def sentences(rng):
    """Trees of two classes, told apart by a production."""
    words = list("abcdef")
    texts, y = [], []
    for _ in range(60):
        subject, verb, other = rng.choice(words, 3)
        active = bool(rng.integers(2))
        low = f"(VP (V {verb}) (NP {other}))" if active else f"(VP (AUX is) (V {verb}))"
        texts.append(f"(S (NP {subject}) {low})")
        y.append("active" if active else "passive")
    return texts, np.array(y)


@pytest.mark.parametrize(
    "kernel", [SubsetTree(), PartialTree(), SubsetTree() + PartialTree(terminal_factor=2)], ids=str
)
def test_under_cross_validation(kernel, sentences):
    texts, y = sentences
    machine = SVC(kernel=kernel.normalized(), C=10.0)
    frame = pl.DataFrame({"tree": texts, "length": [len(t) for t in texts]})
    columns = SVC(kernel=Columns("tree", kernel.normalized()), C=10.0)
    scores = [
        cross_val_score(machine, Trees(texts), y, cv=3),
        cross_val_score(machine, texts, y, cv=3),
        cross_val_score(columns, frame, y, cv=3),
    ]
    assert min(map(min, scores)) > 0.9
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])
