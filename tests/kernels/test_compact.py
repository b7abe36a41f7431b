"""A compact selection of prepared samples equals the samples prepared anew, and keeps nothing of the others."""

import gc
import pickle
import weakref
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer.data import Graphs, Strings, Table, Trees, take
from mercer.kernels import (
    RBF,
    Bilinear,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Delta,
    Intersection,
    Laplacian,
    Linear,
    Matern,
    Overlap,
    Periodic,
    Polynomial,
    TanimotoOf,
    Weighted,
    user,
)
from mercer.kernels.evaluate import matmul, paired
from mercer.kernels.graphs import (
    AttributedShortestPath,
    GraphHopper,
    Graphlet,
    NeighborhoodHash,
    RandomWalk,
    ShortestPath,
    VertexHistogram,
    WeisfeilerLehman,
)
from mercer.kernels.strings import BagOfWords, Gapped, LocalAlignment, Mismatch, Spectrum, Subsequence, WeightedDegree
from mercer.kernels.trees import PartialTree, SubsetTree, Subtree

ROWS = [7, 2, 11, 2, 0]
DNA = {"alphabet": "dna"}
LEFT = (np.arange(9.0).reshape(3, 3) + 5 * np.eye(3)) @ (np.arange(9.0).reshape(3, 3) + 5 * np.eye(3)).T


def first_column(X):
    return np.asarray(X)[:, 0]


def shared_letters(a, b):
    return len(set(a) & set(b))


def same_city(a, b):
    return float(a[2] == b[2])


def products(A, B):
    return A @ B.T


RNG = np.random.default_rng(0)
VECTORS = 3.0 + RNG.standard_normal((12, 3))
COUNTS = RNG.integers(0, 5, (12, 3)).astype(float)
READS = ["".join(RNG.choice(list("ACGTN"), RNG.integers(4, 9), p=[0.24] * 4 + [0.04])) for _ in range(12)]
EVEN = ["".join(RNG.choice(list("ACGT"), 6)) for _ in range(12)]
NOTES = [" ".join(RNG.choice(["to", "be", "or", "not", f"word{i}"], 5)) for i in range(12)]
PARSES = [f"(S (NP (DT the) (NN n{i % 4})) (VP (V v{i % 3}) (NP n{i})))" for i in range(12)]


def graph_list():
    graphs = []
    for i in range(12):
        n = 3 + i % 4
        edges = [(v, (v + 1) % n) for v in range(n - i % 2)]
        labels, attributes = [f"l{(i * v) % 5}" for v in range(n)], RNG.standard_normal((n, 2))
        graphs.append(Graphs.from_edges(edges, node_labels=labels, node_attributes=attributes)[0])
    return graphs


GRAPHS = graph_list()
TABLE = Table.from_frame(
    {"age": VECTORS[:, 0], "height": VECTORS[:, 1], "city": list("abcabcabcabd"), "read": READS, "note": NOTES},
    kinds={"read": "text", "note": "text"},
)
FRAME = pd.DataFrame({"age": VECTORS[:, 0], "height": VECTORS[:, 1], "city": list("abcabcabcabd"), "read": READS})


def columns(kernel, *names):
    return Columns(names, kernel)


MIXED = columns(RBF(0.3), "age", "height") * columns(Spectrum(2), "read").normalized() + columns(Overlap(), "city")
EXACT = {
    "rbf": (RBF(0.5), VECTORS),
    "rbf, resolved": (RBF(), VECTORS),
    "vector gamma": (RBF((0.1, 1.0, 2.0)), VECTORS),
    "matern": (Matern(nu=1.5, gamma=0.2), VECTORS),
    "distance and product": (RBF(0.5) + 2 * Linear() * Laplacian(0.1), VECTORS),
    "nearly centred": (RBF(0.5) + Polynomial(2), VECTORS - VECTORS.mean(axis=0)),
    "columns in memory": (RBF(0.5) + Linear(), np.asfortranarray(VECTORS)),
    "every other column": (RBF(0.5) + Linear(), np.repeat(VECTORS, 2, axis=1)[:, ::2]),
    "float32": (RBF(0.5) + Linear(), VECTORS.astype(np.float32)),
    "integers": (RBF(0.5) + Intersection(), COUNTS.astype(int)),
    "csr": (RBF(0.5) * Linear() + Intersection(), sp.csr_matrix(COUNTS)),
    "csr, float32": (RBF(0.5), sp.csr_array(COUNTS.astype(np.float32))),
    "coordinates": (Laplacian(0.5) * Chi2(0.1), COUNTS),
    "circle": (Periodic(period=2.0), VECTORS),
    "cosine": (Cosine() + 1, VECTORS),
    "normalised": (Polynomial(2).normalized() + Linear(), VECTORS),
    "tanimoto": (TanimotoOf(Linear()), VECTORS),
    "weighted": (Weighted(first_column, RBF(1.0)), VECTORS),
    "categories": (Delta() + Overlap(), [[city] for city in "abcabcabcabd"]),
    "constant": (Constant(2.0), VECTORS),
    "spectrum": (Spectrum(2) + Spectrum(3, mode="min").normalized(), READS),
    "pairs of strings": (Subsequence(2, **DNA) * WeightedDegree(3, **DNA), READS),
    "equal lengths": (Subsequence(2) + Gapped(4, 1, method="pairs"), EVEN),
    "strands": (Gapped(3, 1, method="pairs", reverse_complement=True, **DNA).normalized(), READS),
    "mismatches": (Mismatch(3, 1, method="features", **DNA) + Mismatch(2, 1, method="pairs", **DNA), READS),
    "alignments": (LocalAlignment(scores=(1, -1), form="cosine") + LocalAlignment(outside="break", **DNA), READS),
    "words": (BagOfWords() + BagOfWords("min", n=2), NOTES),
    "tokens": (Subsequence(2), [note.split() for note in NOTES]),
    "packed strings": (Spectrum(2) + Subsequence(2), Strings(READS, names=[str(i) for i in range(12)])),
    "trees": (SubsetTree() + PartialTree().normalized() + Subtree(), PARSES),
    "packed trees": (SubsetTree() * PartialTree(), Trees(PARSES)),
    "graph features": (WeisfeilerLehman(2) + ShortestPath() * VertexHistogram() + Graphlet(3), GRAPHS),
    "ratios of graphs": (NeighborhoodHash(2), GRAPHS),
    "walks": (RandomWalk(0.01) + RandomWalk(0.01, labeled=False).normalized(), GRAPHS),
    "attributes": (AttributedShortestPath(RBF(0.5)) + GraphHopper(RBF(0.5)).normalized(), GRAPHS),
    "packed graphs": (RandomWalk(0.01) + GraphHopper(Linear()), Graphs(GRAPHS)),
    "table": (MIXED + columns(Subsequence(2), "read") + columns(BagOfWords(), "note"), TABLE),
    "user, by pairs": (user(shared_letters).normalized() + Spectrum(2), READS),
    "user, by blocks": (user(block=products) + RBF(0.5), VECTORS),
    "user, by blocks of a sparse matrix": (user(block=products), sp.csr_matrix(COUNTS)),
    "user, on a table": (user(same_city), TABLE),
}


def arrays(thing, seen=None):
    """All arrays that a prepared data set refers to, through fields, lists and caches."""
    seen = {} if seen is None else seen
    if id(thing) in seen or isinstance(thing, (str, bytes, int, float, type)) or thing is None:
        return
    seen[id(thing)] = thing
    if isinstance(thing, np.ndarray):
        yield thing
        return
    if isinstance(thing, (list, tuple, dict)):
        parts = thing.values() if isinstance(thing, dict) else thing
    else:
        parts = getattr(thing, "__dict__", {}).values()
    for part in list(parts):
        yield from arrays(part, seen)


def selected(kernel, X, rows=ROWS):
    """All samples, the compact selection, and the selected samples prepared anew, after every cache was filled."""
    whole = kernel.prepare(X)
    part = whole.take(rows)
    part.kernel.block(part, whole)
    part.kernel.block(whole, part)
    return SimpleNamespace(whole=whole, kept=part.compact(), anew=whole.kernel.prepare(take(X, rows)))


@pytest.mark.parametrize(("kernel", "X"), EXACT.values(), ids=EXACT)
def test_values_are_those_of_samples_prepared_anew(kernel, X):
    found = selected(kernel, X)
    kernel, kept, anew = found.whole.kernel, found.kept, found.anew
    assert kept.rows is None
    assert len(kept) == kept.n_data == len(ROWS)
    assert kept.dtype == anew.dtype
    np.testing.assert_array_equal(kernel.block(kept, kept), kernel.block(anew, anew))
    np.testing.assert_array_equal(kernel.diag(kept), kernel.diag(anew))
    others = kernel.prepare(take(X, [1, 3, 7]))
    np.testing.assert_array_equal(kernel.block(others, kept), kernel.block(others, anew))
    np.testing.assert_array_equal(kernel.block(kept, others), kernel.block(anew, others))
    first = [others.take([0, 1, 2, 0, 1]), kept], [others.take([0, 1, 2, 0, 1]), anew]
    np.testing.assert_array_equal(paired(*first[0]), paired(*first[1]))
    if not kept.foreign:
        V = np.arange(10.0).reshape(5, 2)
        np.testing.assert_array_equal(matmul(others, kept, V), matmul(others, anew, V))
        np.testing.assert_array_equal(matmul(kept, kept, V), matmul(anew, anew, V))
    copied = pickle.loads(pickle.dumps(kept))
    np.testing.assert_array_equal(kernel.block(copied, kept), kernel.block(anew, anew))


@pytest.mark.parametrize(("kernel", "X"), EXACT.values(), ids=EXACT)
def test_no_memory_is_shared_with_all_samples(kernel, X):
    found = selected(kernel, X)
    found.kept.kernel.block(found.kept, found.kept)
    before, after = list(arrays(found.whole)), list(arrays(found.kept))
    assert not any(np.shares_memory(a, b) for a in before for b in after if a.dtype != object)


@pytest.mark.parametrize(("kernel", "X"), EXACT.values(), ids=EXACT)
def test_all_samples_can_be_released(kernel, X):
    whole = kernel.prepare(take(X, slice(None)))  # a copy of X, which nothing else refers to
    kept = whole.take(ROWS).compact()
    kept.kernel.block(kept, kept)
    alive = [weakref.ref(whole), *map(weakref.ref, whole.operands), *map(weakref.ref, arrays(whole))]
    alive += [weakref.ref(pack) for _, pack in whole.foreign if not isinstance(pack, list)]
    del whole
    gc.collect()
    assert not any(ref() is not None for ref in alive)
    assert kept.kernel.block(kept, kept).shape == (5, 5)


def test_samples_of_users_can_be_released():
    class Word:
        def __init__(self, text):
            self.text = text

    words = [Word(read) for read in READS]
    kept = user(lambda a, b: shared_letters(a.text, b.text)).prepare(words).take(ROWS).compact()
    refs = list(map(weakref.ref, words))
    del words
    gc.collect()
    assert {i for i, ref in enumerate(refs) if ref() is not None} == set(ROWS)
    assert len(kept) == 5


def test_texts_that_do_not_occur_are_released():
    tokens = [[f"only{i}", "common"] for i in range(50)]
    labels = [Graphs.from_edges([[0, 1]], node_labels=["C", f"only{i}"])[0] for i in range(50)]
    parses = [f"(S (NP only{i}) (VP common))" for i in range(50)]
    (_, sequences), (_, strands) = (
        (Subsequence(1) + Gapped(1, 0, method="pairs")).prepare(tokens).take([3]).compact().foreign
    )
    assert set(sequences.texts.values()) == set(strands.forward.texts.values()) == {"only3", "common"}
    ((_, walks),) = RandomWalk(0.1).prepare(labels).take([3]).compact().foreign
    assert set(walks.graphs.node_values.values()) == {"C", "only3"}
    ((_, forest),) = PartialTree().prepare(parses).take([3]).compact().foreign
    assert set(forest.trees.texts.values()) == {"S", "NP", "only3", "VP", "common"}


# ---- storage


def indicators(n, dtype=np.float64):
    rng = np.random.default_rng(1)
    return ((rng.random((n, 40)) < 0.1) * rng.integers(1, 4, (n, 40))).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rows", [np.arange(0, 3600, 3), np.arange(3400)[::-1]], ids=["few", "many"])
@pytest.mark.parametrize(
    "kernel", [Linear(), RBF(0.1), RBF(0.1) + Linear() * Laplacian(0.1), Linear().normalized()], ids=str
)
def test_mostly_zeros_are_stored_as_if_there_had_been_no_other_rows(kernel, rows, dtype):
    X = indicators(3600, dtype)
    found = selected(kernel, X, rows)
    assert any(operand.compressed for operand in found.whole.operands)
    for kept, anew in zip(found.kept.operands, found.anew.operands, strict=True):
        assert (kept.sparse, kept.compressed, kept.array.dtype) == (anew.sparse, anew.compressed, anew.array.dtype)
    assert found.anew.operands[0].sparse == (len(rows) > 2000)
    np.testing.assert_array_equal(kernel.block(found.kept, found.kept), kernel.block(found.anew, found.anew))
    assert not any(np.shares_memory(a, b) for a in arrays(found.whole.operands) for b in arrays(found.kept.operands))


def test_rows_of_mostly_zeros_among_others_become_sparse():
    X = np.vstack([indicators(2000), np.random.default_rng(2).standard_normal((2000, 40))])
    kernel, rows = RBF(0.1) + Linear(), np.arange(1900)
    found = selected(kernel, X, rows)
    assert [o.sparse for o in found.whole.operands] == [False, False]
    assert [o.sparse for o in found.kept.operands] == [o.sparse for o in found.anew.operands] == [True, True]
    np.testing.assert_array_equal(kernel.block(found.kept, found.kept), kernel.block(found.anew, found.anew))


def test_operands_of_one_array_stay_one():
    kept = (RBF(0.5) + Linear() + RBF((1.0, 2.0, 3.0))).prepare(VECTORS).take(ROWS).compact()
    assert len({id(operand.array) for operand in kept.operands}) == 1
    packs = (Subsequence(2) + Subsequence(3)).prepare(READS).take(ROWS).compact().foreign
    assert packs[0][1] is packs[1][1]


@pytest.mark.parametrize(
    ("kernel", "X"),
    [(Bilinear(LEFT) + RBF(0.5), VECTORS), (MIXED + columns(Subsequence(2), "read"), FRAME)],
    ids=["products with a matrix", "frames, stored by columns"],
)
def test_values_that_depend_on_the_order_of_sums_differ_by_rounding_only(kernel, X):
    found = selected(kernel, X)
    expected = found.anew.kernel.block(found.anew, found.anew)
    np.testing.assert_allclose(found.kept.kernel.block(found.kept, found.kept), expected, rtol=1e-14)
    assert not any(np.shares_memory(a, b) for a in arrays(found.whole) for b in arrays(found.kept))


# ---- selections


def test_all_rows_need_no_copy():
    prepared = RBF(0.5).prepare(VECTORS)
    assert prepared.compact() is prepared
    kept = prepared.take(slice(None)).compact()
    assert kept is not prepared
    assert kept.compact() is kept


@pytest.mark.parametrize("name", ["rbf", "spectrum", "pairs of strings", "trees", "attributes", "table"])
def test_selections_of_selections(name):
    kernel, X = EXACT[name]
    whole = kernel.prepare(X)
    twice = whole.take(ROWS).take([4, 1]).compact()
    late = whole.take(ROWS).compact().take([4, 1]).compact()
    expected = kernel(take(X, [0, 2])) if name != "rbf" else whole.kernel(take(X, [0, 2]))
    for kept in (twice, late):
        np.testing.assert_array_equal(kernel.block(kept, kept), expected)


@pytest.mark.parametrize(("kernel", "X"), EXACT.values(), ids=EXACT)
def test_no_rows(kernel, X):
    whole = kernel.prepare(X)
    kept = whole.take([]).compact()
    assert kept.n_data == 0
    assert whole.kernel.block(kept, kept).shape == (0, 0)
    assert whole.kernel.block(whole, kept).shape == (12, 0)
