"""Every kernel of the library with data it takes: who joins this list is held to all laws."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp

from mercer import kernels as mk
from mercer.data import Graphs, Strings, Table, Trees
from mercer.kernels import graphs as mg
from mercer.kernels import strings as ms
from mercer.kernels import trees as mt
from tests.reference.bounds import LEAVES, counts, points

__all__ = ["CASES"]

X, POSITIVE = points(13, 3), counts(13, 3)
SPARSE = sp.csr_matrix(np.where(abs(X) > 0.5, X, 0.0))
SPARSE_POSITIVE = sp.csr_matrix(POSITIVE)
CATEGORIES = np.random.default_rng(3).choice(np.array(["red", "green", "blue"], dtype=object), size=(13, 2))
# The functions of nodes below stay importable by name, so that the kernels pickle.


def first_column(X: Any) -> Any:
    return X[:, 0]


def doubled(X: Any) -> Any:
    return np.hstack([X, X**2])


def shared(a: str, b: str) -> int:
    return len(set(a) & set(b))


def inner(A: Any, B: Any) -> Any:
    return np.asarray(A) @ np.asarray(B).T


WORDS = ["ox", "cow", "crow", "owl", "wolf", "cow", "fox"]
COLUMNS = {
    "age": [1.0, 2.5, 4.0, 4.0, 0.5, 2.5, 3.0],
    "weight": [3.0, 1.0, 2.0, 2.0, 5.0, 1.0, 0.0],
    "word": WORDS,
}
FRAMES = [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), Table.from_frame(COLUMNS)]
MIXED = mk.Columns(["age", "weight"], mk.RBF(gamma=0.5)) * mk.Columns("word", mk.Delta()) + mk.Columns(
    "age", mk.Linear()
)

RULES = [
    *[
        kind(gamma=rule)
        for kind in (mk.RBF, mk.Exponential, mk.Laplacian, mk.Matern, mk.RationalQuadratic)
        for rule in ("scale", "auto", "median")
    ],
    *[kind(gamma=rule) for kind in (mk.Polynomial, mk.Sigmoid) for rule in ("scale", "auto")],
]
NODES = [
    mk.RBF(gamma=0.5) + mk.Linear(),
    mk.RBF(gamma=0.5) + mk.Power(degree=1.5) + 2,
    mk.RBF(gamma=0.5) * mk.Polynomial(degree=2) * mk.Linear(coef0=1.0),
    0.25 * mk.Matern(gamma=0.5),
    -1 * mk.Linear(),
    0 * mk.Linear(),
    3 * mk.Log() + mk.RBF(),
    mk.ExpOf(0.5 * mk.Linear()),
    mk.ExpOf(0.5 * mk.Power(degree=2.0)),
    mk.Linear() ** 3,
    mk.PolynomialOf(mk.RBF(gamma=0.3), (1.0, 0.0, 2.0)),
    mk.PolynomialOf(mk.Power(), (1.0, 2.0)),
    mk.PolynomialOf(mk.Linear(), (0.0, -1.0, 0.5)),
    mk.Polynomial(degree=2).normalized(),
    (mk.RBF(gamma=0.3) + mk.Linear()).normalized(),
    mk.Linear().normalized(),
    mk.TanimotoOf(mk.Polynomial(degree=2)),
    mk.Columns([0, 2], mk.RBF(gamma=2.0)) * mk.Columns(-1, mk.Linear()),
    mk.Columns(1, mk.RBF()) + 0.5 * mk.Columns([0, 1], mk.Sigmoid(gamma=0.1)),
    mk.Weighted(first_column, mk.RBF(gamma=1.0)),
    mk.Weighted(first_column, mk.RBF()) + mk.Map(doubled, mk.Linear()),
    mk.Map(doubled, mk.Power()),
    mk.LinearMap(mk.RBF(gamma=0.5), ((1.0,), (0.5,))),
    mk.LinearMap(mk.Linear(), ((1.0, 0.5), (2.0, -1.0))) + mk.Linear(),
    mk.RBF(gamma=0.5) * mk.Delta() + mk.Overlap(),
    ((mk.RBF(gamma=(0.1, 1.0, 3.0)) + 1) ** 2 * mk.Laplacian()).normalized(),
]
SPARSE_KERNELS = [
    mk.Linear(), mk.Polynomial(), mk.Sigmoid(gamma=0.2), mk.Cosine(), mk.RBF(), mk.Power(),
    mk.RBF(gamma=(0.2, 1.0, 3.0)), mk.Exponential(gamma="median"), mk.Matern(nu=2.5), mk.Log(),
    mk.Laplacian(gamma=(0.2, 1.0, 3.0)), mk.RationalQuadratic(), mk.Linear().normalized(),
    (mk.RBF() + mk.Linear()) * mk.Cosine(), mk.Columns([0, 2], mk.RBF(gamma=1.0)),
]  # fmt: skip
SPARSE_POSITIVE_KERNELS = [
    mk.Chi2(),
    mk.NegativeChi2(),
    mk.AdditiveChi2(),
    mk.Intersection(),
    mk.Tanimoto(),
    mk.MinMax(),
]
GENES = ["GATTACA", "TTATTA", "CCGC", "", "AC", "GGCCGATA", "TTATTA", "GATTTACA"]
STRING_KERNELS = [
    ms.Spectrum(2), ms.Spectrum(3, "min", blended=True), ms.Spectrum(2, alphabet="dna", reverse_complement=True),
    ms.BagOfWords(), ms.Mismatch(3, 1), ms.Mismatch(3, 1, alphabet="dna", method="pairs", reverse_complement=True),
    ms.Gapped(4, 2), ms.Gapped(4, 2, method="pairs"), ms.Gapped(4, 2, method="features"), ms.Gapped(5, 2, n_samples=4),
    ms.Subsequence(2), ms.Subsequence(3, 0.8, blended=True), ms.WeightedDegree(3), ms.WeightedDegree(3, 2),
    ms.WeightedDegree(2, position_weights=[1.0, 2.0, 0.5, 1.0, 1.0, 0.0, 2.0, 1.0]), ms.LocalAlignment(),
    ms.LocalAlignment(form="cosine", scores=(1.0, -1.0)), ms.LocalAlignment(0.1, form="raw", alphabet="protein"),
    0.5 * ms.Subsequence(2).normalized() + ms.Gapped(3, 1, method="pairs").normalized() * ms.Spectrum(1) + 1,
    (ms.WeightedDegree(2) + ms.Mismatch(2, 1)) ** 2,
]  # fmt: skip
PARSES = ["(S (NP (DT the) (NN ox)) (VP eats))", "(S (NP (DT an) (NN ox)) (VP eats))", "(S (NP oxen) (VP eat))", "(S)"]
TREE_KERNELS = [
    mt.Subtree(0.5), mt.SubsetTree(), mt.SubsetTree(0.7, leaves=True), mt.PartialTree(),
    mt.PartialTree(0.5, 0.6, terminal_factor=3.0), mt.PartialTree().normalized() + 0.5 * mt.Subtree() * mt.SubsetTree(),
]  # fmt: skip
MOLECULES = Graphs.from_edges(
    [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (5, 7), (8, 9), (9, 10), (10, 8), (11, 12)],
    np.repeat(np.arange(6), [4, 4, 3, 2, 1, 2]),
    node_labels=list("CCOCNCCOCCCCOCCO"),
    node_attributes=np.random.default_rng(5).normal(size=(16, 2)),
    edge_labels=list("ssddsdsssdd"),
)
GRAPH_KERNELS = [
    mg.VertexHistogram(), mg.EdgeHistogram(), mg.WeisfeilerLehman(2), mg.WeisfeilerLehman(2, edge_labels=True),
    mg.WeisfeilerLehman(1, mg.ShortestPath()), mg.WLOptimalAssignment(2), mg.NeighborhoodHash(2), mg.ShortestPath(),
    mg.ShortestPath(labeled=False), mg.AttributedShortestPath(mk.RBF(gamma=0.5)), mg.GraphHopper(mk.RBF(gamma=0.5)),
    mg.Propagation(2), mg.Propagation(2, 0.5, spread="attributes"), mg.RandomWalk(0.05),
    mg.RandomWalk(0.1, form="exponential", labeled=False), mg.RandomWalk(form="steps", n_steps=3), mg.Graphlet(3),
    mg.Graphlet(4, connected=False, mode="frequency"), mg.Graphlet(3, labeled=True, mode="min"),
    mg.Graphlet(4, n_samples=50), mk.TanimotoOf(mg.WLOptimalAssignment(1)), mk.TanimotoOf(mg.WeisfeilerLehman(1)) + 1,
    0.5 * mg.WeisfeilerLehman(2).normalized() + mg.RandomWalk(0.05).normalized() * mg.ShortestPath(),
]  # fmt: skip
READS = {"read": GENES[:7], "parse": [*PARSES, *PARSES[:3]], "age": COLUMNS["age"]}
STRUCTURED = (
    mk.Columns("read", ms.Spectrum(2).normalized())
    + 0.5 * mk.Columns("parse", mt.SubsetTree().normalized())
    + mk.Columns("age", mk.RBF(gamma=0.5)) * mk.Columns("read", ms.Subsequence(2))
)

CASES: list[tuple[mk.Kernel, Any]] = [
    *LEAVES,
    *[(kernel, X) for kernel in RULES + NODES],
    *[(kernel, SPARSE) for kernel in SPARSE_KERNELS],
    *[(kernel, SPARSE_POSITIVE) for kernel in SPARSE_POSITIVE_KERNELS],
    *[(kernel, X.astype(np.float32)) for kernel in (mk.RBF(), mk.Polynomial(degree=2), mk.RBF() + mk.Linear())],
    *[(kernel, CATEGORIES) for kernel in (mk.Overlap(), mk.Delta(), 0.5 * mk.Overlap() + mk.Columns(0, mk.Delta()))],
    (mk.Constant(2.0), WORDS),
    *[
        (kernel, WORDS)
        for kernel in (
            mk.user(shared, definiteness="psd"),
            0.5 * mk.user(shared, name="letters").normalized() + 1,
        )
    ],
    (mk.user(block=inner, definiteness="psd") * mk.RBF(gamma=0.5), X),
    *[(kernel, GENES) for kernel in STRING_KERNELS],
    *[(kernel, Strings(GENES)) for kernel in STRING_KERNELS[::3]],
    *[(kernel, PARSES) for kernel in TREE_KERNELS],
    *[(kernel, Trees(PARSES)) for kernel in TREE_KERNELS[::2]],
    *[(kernel, MOLECULES) for kernel in GRAPH_KERNELS],
    *[(STRUCTURED, make(READS)) for make in (pd.DataFrame, pl.DataFrame, Table.from_frame)],
    *[(MIXED, frame) for frame in FRAMES],
    *[
        (
            mk.Columns("word", mk.user(shared, definiteness="psd")) + mk.Columns(0, mk.Linear()),
            frame,
        )
        for frame in FRAMES
    ],
]
