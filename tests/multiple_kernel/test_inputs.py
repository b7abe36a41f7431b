"""What multiple-kernel estimators read: kernels, Gram matrices, mixed frames; and how they refuse the rest."""

from unittest.mock import patch

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import RBF, Columns, Linear, Overlap, Power, Spectrum, WeisfeilerLehman, user
from mercer.multiple_kernel import MKLClassifier, MKLRegressor
from mercer.operators import DenseOperator, GramOperator

N = 60
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
SIZE, NOISE = RNG.normal(size=N) + Y, RNG.normal(size=N)
COLOUR = np.where(RNG.random(N) < 0.8, np.array(["red", "blue"])[Y], "green")
DNA = ["".join(RNG.choice(list("ACGT"), 20, p=[0.4, 0.1, 0.1, 0.4] if t else [0.25] * 4)) for t in Y]
GRAPHS = [nx.gnp_random_graph(8, 0.2 + 0.2 * t, seed=i) for i, t in enumerate(Y)]
FRAME = pd.DataFrame({"size": SIZE, "noise": NOISE, "colour": COLOUR, "dna": DNA}).assign(
    graph=pd.Series(GRAPHS, dtype=object)
)
BY_COLUMN = [
    Columns("size", RBF()),
    Columns("colour", Overlap()),
    Columns("dna", Spectrum(3)),
    Columns("graph", WeisfeilerLehman()),
]
X = np.column_stack([SIZE, NOISE])
GRAMS = np.stack([RBF(gamma=0.5)(X), Linear()(X)])


# ---- one frame, columns of many kinds


def test_numbers_categories_strings_and_graphs_in_one_frame():
    model = MKLClassifier(BY_COLUMN, tol=1e-6).fit(FRAME, Y)
    parts = [Columns([0], RBF())(SIZE[:, None]), Overlap()(COLOUR[:, None]), Spectrum(3)(DNA)]
    parts.append(WeisfeilerLehman()(GRAPHS))
    matrices = MKLClassifier("precomputed", tol=1e-6).fit(parts, Y)
    np.testing.assert_allclose(model.weights_, matrices.weights_, atol=1e-4)
    np.testing.assert_allclose(model.decision_function(FRAME), matrices.decision_function(parts), atol=1e-4)
    assert model.feature_names_in_.tolist() == ["size", "noise", "colour", "dna", "graph"]
    assert model.score(FRAME, Y) > 0.9


@pytest.mark.parametrize("make", [lambda: FRAME, lambda: pl.from_pandas(FRAME.drop(columns="graph"))])
def test_automatic_kernels_of_a_frame_follow_the_kinds_of_its_columns(make):
    frame = make()
    model = MKLClassifier().fit(frame, Y)
    names = model.kernel_names_
    assert sum(name.endswith("[size, noise]") for name in names) == 6  # five widths and the linear kernel
    assert sum(name.endswith(("[size]", "[noise]")) for name in names) == 2
    assert [name for name in names if name.endswith("[colour]")] == ["overlap[colour]"]
    assert sum(name.endswith("[dna]") for name in names) == 3
    assert sum(name.endswith("[graph]") for name in names) == 3 * ("graph" in frame.columns)
    assert len(names) == len(model.weights_)
    assert model.solution_.relative_gap < 1e-3
    widths = sorted(float(name[10:].split(")")[0]) for name in names if name.startswith("rbf") and "size, n" in name)
    np.testing.assert_allclose(np.diff(np.log(widths)), np.log(4))


def test_automatic_kernels_are_normalised_by_their_trace():
    model = MKLClassifier().fit(FRAME, Y)
    scaled = FRAME.assign(size=1000 * SIZE, noise=1000 * NOISE)
    np.testing.assert_allclose(MKLClassifier().fit(scaled, Y).weights_, model.weights_, atol=1e-6)
    K = model.kernel_(FRAME)
    assert np.trace(K) / N == pytest.approx(model.weights_.sum())


@pytest.mark.parametrize(
    ("samples", "start", "count"),
    [(DNA, "spectrum", 3), (Strings(DNA), "spectrum", 3), (Graphs(GRAPHS), "weisfeiler_lehman", 3)],
    ids=["list of strings", "Strings", "Graphs"],
)
def test_automatic_kernels_of_structured_samples(samples, start, count):
    model = MKLClassifier().fit(samples, Y)
    assert len(model.kernel_names_) == count
    assert all(name.startswith(start) for name in model.kernel_names_)


def test_automatic_kernels_of_trees_and_of_short_strings():
    trees = Trees(["(S (A a) (B b))", "(S (A a) (B c))", "(T (A b) (C b))", "(T (A c) (C b))"])
    assert MKLClassifier().fit(trees, [0, 0, 1, 1]).kernel_names_ == ["subset_tree"]
    assert MKLClassifier().fit(["ab", "ba", "cd", "dd"], [0, 0, 1, 1]).kernel_names_ == ["spectrum(p=2)"]


def test_a_column_without_a_kernel_is_named():
    frame = FRAME.assign(tags=[{1, 2}] * N)
    with pytest.raises(ValueError, match=r"MKLClassifier: kernels='auto' has no kernel for column 'tags', .* set"):
        MKLClassifier().fit(frame, Y)
    texts = Table.from_frame(FRAME[["size", "dna"]], kinds={"dna": "text"})
    assert len(MKLClassifier().fit(texts, Y).weights_) == 6 + 3


# ---- Gram matrices


@pytest.mark.parametrize("given", [GRAMS, list(GRAMS), [K.tolist() for K in GRAMS]], ids=["array", "list", "lists"])
def test_gram_matrices_as_kernels_are_sent_to_fit(given):
    with pytest.raises(TypeError, match=r"got Gram matrices; pass kernels='precomputed' and pass the matrices to fit"):
        MKLClassifier(given).fit(X, Y)
    model = MKLClassifier("precomputed").fit(given, Y)
    assert model.weights_.shape == (2,)
    assert model.predict([K[:3] for K in GRAMS]).shape == (3,)


def test_gram_matrices_that_cannot_be():
    fit = MKLClassifier("precomputed").fit
    with pytest.raises(ValueError, match=r"the same shape \(n, n\), got \(60, 60\) and, for kernel 1, \(59, 59\)"):
        fit([GRAMS[0], GRAMS[1][1:, 1:]], Y)
    wrong = GRAMS.copy()
    wrong[1, 3, 4] = np.nan
    with pytest.raises(ValueError, match=r"MKLClassifier: X\[1\] contains nan at samples 3 and 4"):
        fit(wrong, Y)
    with pytest.raises(ValueError, match=r"X\[1\] must be a symmetric \(n, n\) matrix"):
        fit([GRAMS[0], np.triu(GRAMS[1])], Y)
    with pytest.raises(ValueError, match=r"one matrix per kernel, as an array of shape \(M, n, n\) or a list"):
        fit(GRAMS[0], Y)
    with pytest.raises(ValueError, match="at least one matrix"):
        fit([], Y)
    with pytest.raises(ValueError, match=r"normalize='cosine' needs k\(x, x\) of new samples"):
        MKLClassifier("precomputed", normalize="cosine").fit(GRAMS, Y)
    with pytest.raises(ValueError, match="the mean diagonal of kernel 0 on these samples is 0"):
        fit([0 * GRAMS[0]], Y)


# ---- indefinite kernels


def test_indefinite_kernels_are_refused():
    message = r"is not positive semidefinite on these samples: its eigenvalues range from -\S+ to \S+, so a weighted"
    with pytest.raises(ValueError, match=r"MKLClassifier: X\[1\] " + message):
        MKLClassifier("precomputed").fit([GRAMS[0], GRAMS[0] - 0.5 * np.eye(N)], Y)
    with pytest.raises(ValueError, match=r"MKLRegressor: the kernel power " + message):
        MKLRegressor([RBF(), Power()]).fit(X, SIZE)
    with pytest.raises(ValueError, match=r"MKLClassifier: the kernel user\(.* " + message):
        MKLClassifier([user(lambda a, b: 1 - abs(a[0] - b[0]))]).fit(X, Y)


def test_singular_kernels_and_those_in_single_precision_are_not():
    rounded = GRAMS.astype(np.float32)
    assert MKLClassifier("precomputed").fit(rounded, Y).solution_.converged
    ones = [np.ones((N, N)), np.outer(SIZE, SIZE)]
    assert MKLClassifier("precomputed").fit(ones, Y).solution_.converged
    product = user(lambda a, b: float(a @ b))  # nothing is proved about it
    np.testing.assert_allclose(
        MKLClassifier([RBF(), product]).fit(X, Y).weights_, MKLClassifier([RBF(), Linear()]).fit(X, Y).weights_
    )


# ---- targets and weights


@pytest.mark.parametrize("method", ["lp", "easymkl", "alignf", "align", "uniform"])
def test_one_class_is_refused(method):
    model = MKLClassifier(["rbf", "linear"], method=method)
    with pytest.raises(ValueError, match="1 class"):
        model.fit(X, np.zeros(N))
    with pytest.raises(ValueError, match=r"1 class|the same class"):
        model.fit(X, Y, sample_weight=Y)


@pytest.mark.parametrize("method", ["lp", "alignf", "align", "uniform"])
@pytest.mark.parametrize("model", [MKLClassifier, MKLRegressor])
def test_no_weight_at_all_is_refused(model, method):
    with pytest.raises(ValueError, match="weight"):
        model(["rbf", "linear"], method=method).fit(X, Y, sample_weight=np.zeros(N))
    with pytest.raises(ValueError, match="weight"):
        model("precomputed", method=method).fit(GRAMS, Y, sample_weight=np.zeros(N))


# ---- memory


def matrices_held(n_kernels, available):
    """How many Gram matrices of one fit were in memory, the weights, and what was the answer."""
    X = np.random.default_rng(1).normal(size=(400, 3))
    kernels = [RBF(gamma=float(g)) for g in np.geomspace(0.01, 10, n_kernels)]
    kept: list[GramOperator] = []
    made = DenseOperator.__init__

    def count(self, operator):
        kept.append(operator)
        made(self, operator)

    with (
        patch("mercer._runtime.limits.available_memory", lambda: available),
        patch.object(DenseOperator, "__init__", count),
    ):
        model = MKLClassifier(kernels).fit(X, X[:, 0] * X[:, 1] > 0)
    return sum(K._label().startswith("rbf") for K in kept), model


def test_gram_matrices_are_held_only_if_they_fit():
    size = 8 * 400**2
    everything, model = matrices_held(8, None)
    assert everything == 8
    some, part = matrices_held(8, int(7.1 * size / 0.8))  # three, and four for the machine
    assert some == 3
    none, streamed = matrices_held(8, int(3 * size / 0.8))
    assert none == 0
    for other in (part, streamed):
        np.testing.assert_allclose(other.weights_, model.weights_, atol=1e-9)
        assert other.solution_.relative_gap < 1e-3


def test_a_frame_of_numbers_is_a_matrix_with_names():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=40), "count": rng.integers(0, 9, 40).astype(np.int8)})
    model = MKLClassifier().fit(frame, frame["size"] > 0)
    assert model.kernel_names_[-1].endswith("[count]")
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert model.predict(frame.to_numpy()).tolist() == model.predict(frame).tolist()
