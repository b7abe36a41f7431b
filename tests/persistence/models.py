"""Every estimator of the library on every kind of data that it takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from sklearn.utils import check_random_state

from mercer.data import Graphs, Strings, Table, Trees, take
from mercer.kernels import RBF, Columns, Delta, Kernel, Linear
from mercer.kernels.graphs import ShortestPath, WeisfeilerLehman
from mercer.kernels.strings import Mismatch, Spectrum
from mercer.kernels.trees import PartialTree, SubsetTree
from tests.contracts.behaviour import has_kernel, target
from tests.contracts.estimators import ESTIMATORS, entry

__all__ = ["Case", "cases"]

N, NEW = 24, 6  # training samples and others
EXTRA: dict[str, dict[str, Any]] = {"KernelDiscriminantAnalysis": {"loo": True}}  # more attributes to keep
MAIN = ("vectors", "csr", "list of str", "Trees", "Graphs", "pandas", "precomputed")
EVERYWHERE = ("SVC", "KernelRows", "KernelPerceptron")


@dataclass(frozen=True)
class Data:
    """Samples of one kind, the last ones new, and a kernel that reads them."""

    X: Any
    kernel: Kernel | str


def _samples() -> dict[str, Data]:
    draw = check_random_state(0)
    n = N + NEW
    X = draw.normal(size=(n, 3)) + np.repeat([[0.0], [3.0], [6.0]], n // 3, axis=0)[draw.permutation(n)]
    words = ["".join(draw.choice(list("ACGT"), size=draw.randint(5, 12))) for _ in range(n)]
    trees = [f"(S (NP (DT {a}) (NN {b})) (VP {c} {d}))" for a, b, c, d in draw.choice(list("uvwxyz"), size=(n, 4))]
    sizes = draw.randint(3, 7, size=n)
    starts = np.cumsum([0, *sizes])
    pairs = [(s + i, s + j) for s, m in zip(starts[:-1], sizes, strict=True) for i in range(m) for j in range(i)]
    edges = [pair for pair in pairs if draw.rand() < 0.6]
    graphs = Graphs.from_edges(
        edges, np.repeat(np.arange(n), sizes), n_graphs=n, node_labels=list(draw.choice(list("CNO"), size=starts[-1]))
    )
    columns = {"age": X[:, 0], "count": draw.randint(0, 9, size=n), "member": X[:, 1] > 0, "read": words}
    columns["parse"] = trees
    table = (
        Columns(["age", "count", "member"], RBF(gamma=0.2))
        + Columns("read", Spectrum(2).normalized())
        + Columns("parse", SubsetTree().normalized())
        + Columns("member", Delta())
    )
    strings = 0.5 * Spectrum(3).normalized() + Mismatch(3, 1).normalized()
    tree_kernel = SubsetTree().normalized() + PartialTree().normalized()
    graph_kernel = WeisfeilerLehman(2).normalized() + 0.3 * ShortestPath().normalized()
    return {
        "vectors": Data(X, "rbf(gamma=0.1) + 0.1*linear"),
        "float32": Data(X.astype(np.float32), RBF()),
        "csr": Data(sp.csr_matrix(np.where(X > 1, X, 0.0)), "rbf"),
        "list of str": Data(words, strings),
        "array of str": Data(np.array(words), strings),
        "Strings": Data(Strings(words, names=[f"read {i}" for i in range(n)]), strings),
        "tokens": Data(Strings([list(word) for word in words]), strings),
        "trees in brackets": Data(trees, tree_kernel),
        "Trees": Data(Trees(trees), tree_kernel),
        "list of trees": Data(list(Trees(trees)), tree_kernel),
        "Graphs": Data(graphs, graph_kernel),
        "list of graphs": Data(list(graphs), graph_kernel),
        "networkx": Data([graph.to_networkx() for graph in graphs], graph_kernel),
        "Table": Data(Table.from_frame(columns, kinds={"read": "text"}), table),
        "pandas": Data(pd.DataFrame(columns), table),
        "polars": Data(pl.DataFrame(columns), table),
        "precomputed": Data(RBF(gamma=0.1)(X), "precomputed"),
    }


DATA = _samples()


@dataclass(frozen=True)
class Case:
    """An estimator, and data for it."""

    estimator: str
    data: str

    def __str__(self) -> str:
        return f"{self.estimator}-{self.data}"

    def fitted(self, **options: Any) -> Any:
        """The estimator, fitted."""
        cls, data = ESTIMATORS[self.estimator], DATA[self.data]
        options = entry(self.estimator).options | EXTRA.get(self.estimator, {}) | options
        if has_kernel(cls) and not self.estimator.startswith("Auto"):
            kernel = data.kernel
            if self.estimator == "FeatureMap":
                kernel = {"vectors": "poly(degree=2)", "csr": Linear()}.get(self.data, Spectrum(2))
            if self.estimator in ("KernelSpectralClustering", "RandomFourierFeatures") and self.data == "vectors":
                kernel = "rbf"  # values must not be negative, or functions of a difference
            options = {"kernel": kernel} | options
        X = data.X[:N, :N] if self.data == "precomputed" else take(data.X, range(N))
        return cls(**options).fit(X, target(cls, N))

    @property
    def new(self) -> Any:
        """Samples that were not in the fit."""
        X = DATA[self.data].X
        return X[N:, :N] if self.data == "precomputed" else take(X, range(N, N + NEW))


def cases() -> list[Case]:
    """Every estimator on data of the main kinds that it takes, some of them on data of all kinds."""
    return [Case(estimator, data) for estimator in ESTIMATORS for data in DATA if _goes(estimator, data)]


def _goes(estimator: str, data: str) -> bool:
    match estimator:
        case "LeaveOneOutWeights" | "Perceptron" | "PolynomialSketch" | "RandomFourierFeatures" | "Ridge":
            return data in ("vectors", "csr")
        case "RecursiveFeatureMachine":
            return data == "vectors"
        case "AutoClassifier" | "AutoRegressor" | "TablePreparer":
            return data in ("vectors", "csr", "Graphs", "pandas", "polars")
        case "KernelRepair":
            return data == "precomputed"
        case "FeatureMap":
            return data in ("vectors", "csr", "list of str", "Strings")
        case "KernelRows" | "SVDD" if data == "precomputed":
            return False
    return data in MAIN or estimator in EVERYWHERE
