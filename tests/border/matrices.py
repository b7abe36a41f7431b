"""Entry points that take a matrix of samples: kernels, operators, estimators, data functions, plots."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from mercer import data
from mercer import kernels as mk
from mercer.kernels.registry import families
from mercer.model_selection import (
    alignment_weights,
    centered_alignment,
    hsic,
    independence_test,
    mmd,
    two_sample_test,
)
from mercer.operators import gram
from tests.contracts.behaviour import answers, has_kernel, target
from tests.contracts.estimators import ESTIMATORS, entry

__all__ = ["ENTRIES", "Entry"]


@dataclass(frozen=True)
class Entry:
    """An entry point.

    Attributes
    ----------
    name : str
    call : callable
        Called with the input and with the plain dense matrix that it was made of.
    needs : {"rows", "square", "vector", "plane"}, default="rows"
        Shape of the input: samples by features, a Gram matrix, a number for each sample, points of the plane.
    reads : {"numbers", "anything", "items"}, default="numbers"
        What is taken: numbers only; also samples that are categories, texts or any object; or whatever has a length,
        because values are not looked at.
    dense : bool, default=False
        Whether a sparse input is compared with the dense one: results must not depend on the format.
    narrow : bool, default=False
        Whether legal inputs in unusual types may be refused.
    empty : bool, default=False
        Whether a matrix of shape (0, 0) may be taken: of a graph without nodes.
    """

    name: str
    call: Callable[[Any, Any], Any]
    needs: str = "rows"
    reads: str = "numbers"
    dense: bool = False
    narrow: bool = False
    empty: bool = False


# ---- kernels


def resolved(kernel: Any) -> Any:
    """The numbers of a resolved kernel."""
    return [value for value in kernel.get_params().values() if isinstance(value, float)]


def _first(X: Any) -> Any:
    return np.ones(data.n_samples(X))


# Columns do not look at the columns that they do not read, a constant looks at nothing.
READS = {mk.Delta: "anything", mk.Overlap: "anything", mk.Columns: "items", mk.Constant: "items"}
LEAVES = [
    mk.Bilinear(np.eye(4) + 1) if kind is mk.Bilinear else kind()
    for name in ("inner product", "distance", "histograms", "categories", "other")
    for kind in families()[name]
]
NODES = [
    mk.RBF(gamma="median"),
    mk.RBF(gamma=0.5) + mk.Linear(),
    0.5 * mk.Laplacian(gamma=0.5) * mk.Polynomial(degree=2),
    mk.ExpOf(0.1 * mk.Linear()),
    mk.Linear() ** 2,
    mk.Polynomial(degree=2).normalized(),
    mk.TanimotoOf(mk.Linear()),
    mk.Columns([0, 2], mk.RBF(gamma=2.0)),
    mk.Columns(-1, mk.Linear()),
    mk.Weighted(_first, mk.RBF(gamma=1.0)),
    mk.LinearMap(mk.RBF(gamma=1.0), ((1.0,), (0.5,))),
]
OPERATED = [mk.RBF(), mk.Linear(), mk.Laplacian(gamma=0.3), mk.Chi2(), mk.Cosine(), mk.Polynomial(degree=2) + mk.RBF()]
OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "k(X, Y)": lambda k, X, plain: k(X, plain[:5]),
    "k(Y, X)": lambda k, X, plain: k(plain[:5], X),
    "k.diag(X)": lambda k, X, plain: k.diag(X),
    "k.distance(X)": lambda k, X, plain: k.distance(X),
    "k.prepare(X)": lambda k, X, plain: k.prepare(X),
    "k.prepare(X).take": lambda k, X, plain: k.prepare(X).take([3, 0, 3]).compact(),
    "k.resolve(X)": lambda k, X, plain: resolved(k.resolve(X)),
    "k.feature_map(X)": lambda k, X, plain: k.feature_map(X, maximum=40, degree=2),
    "gram(k, X) @ v": lambda k, X, plain: gram(k, X) @ np.ones((len(plain), 2)),
    "gram(k, X, Y) @ v": lambda k, X, plain: gram(k, X, plain[:5]) @ np.ones(5),
    "gram(k, X).block": lambda k, X, plain: gram(k, X).block([0, 3], [1, 2, 2]),
    "gram(k, X).rows": lambda k, X, plain: gram(k, X).rows([2, 0]),
    "gram(k, X, materialize=True)": lambda k, X, plain: gram(k, X, materialize=True),
}


def _kernels() -> list[Entry]:
    called = [
        Entry(
            f"{k}(X)",
            lambda X, plain, k=k: k(X),
            reads=READS.get(type(k), "numbers"),
            dense=k.takes_sparse,
        )
        for k in LEAVES + NODES
    ]
    operated = [
        Entry(f"{name}, k={k}", lambda X, plain, k=k, call=call: call(k, X, plain), dense=True)
        for k in OPERATED
        for name, call in OPERATIONS.items()
        if "resolve" not in name or not k.is_resolved
    ]
    mapped = [
        Entry("Map(f)(X), f returns X", lambda X, plain: mk.Map(lambda _: X, mk.RBF(gamma=0.5))(plain), dense=True),
        Entry(
            "k.resolve(X, sample_weight)",
            lambda X, plain: resolved(mk.RBF().resolve(X, sample_weight=np.ones(len(plain)))),
        ),
        Entry("find_counterexample(k, X)", lambda X, plain: mk.find_counterexample(mk.Linear(), X, tries=20) is None),
        Entry("centered_alignment(k, X, y)", lambda X, plain: centered_alignment("rbf", X, np.arange(len(plain)))),
        Entry(
            "alignment_weights(kernels, X, y)",
            lambda X, plain: alignment_weights(["rbf", "linear"], X, np.arange(len(plain))),
        ),
        Entry("hsic(k, k, X, Y)", lambda X, plain: hsic("rbf", "linear", X, plain)),
        Entry("mmd(k, X, Y)", lambda X, plain: mmd("rbf", X, plain, unbiased=False)),
        Entry(
            "independence_test(X, Y)",
            lambda X, plain: independence_test(X, plain, n_permutations=5, random_state=0).null_distribution,
        ),
        Entry(
            "two_sample_test(X, Y)",
            lambda X, plain: two_sample_test(X, plain, n_permutations=5, random_state=0).null_distribution,
        ),
    ]
    return called + operated + mapped


# ---- estimators


def _unfitted(name: str) -> Any:
    cls, known = ESTIMATORS[name], entry(name)
    options = dict(known.options)
    if name.startswith("Auto"):
        options |= {"kernel": "rbf", "model": "ridge"}
    elif has_kernel(cls):
        options["kernel"] = known.kernel
    if name in ("Isomap", "LaplacianEigenmaps", "LocallyLinearEmbedding"):
        options["n_neighbors"] = 13
    return cls(**options)


@cache
def _fitted(name: str, key: bytes, d: int) -> Any:
    X = np.frombuffer(key).reshape(-1, d)
    return _unfitted(name).fit(X, target(ESTIMATORS[name], len(X)))


def _fit(name: str, X: Any, plain: Any) -> Any:
    model = clone(_unfitted(name)).fit(X, target(ESTIMATORS[name], len(plain)))
    return answers(model, plain) or model.embedding_ if hasattr(model, "embedding_") else answers(model, plain)


def _answer(name: str, X: Any, plain: Any) -> Any:
    return answers(_fitted(name, plain.tobytes(), plain.shape[1]), X)


def _partial(X: Any, plain: Any) -> Any:
    model = ESTIMATORS["KernelPerceptron"](kernel="rbf(gamma=0.5)", budget=10)
    model.partial_fit(plain, np.arange(len(plain)) % 2, classes=[0, 1])
    return model.partial_fit(X, np.arange(len(plain)) % 2).predict(plain)


def _estimators() -> list[Entry]:
    names = [name for name in ESTIMATORS if name not in ("KernelRepair", "TablePreparer")]
    fits = [
        Entry(
            f"{name}.fit(X, y)",
            lambda X, plain, name=name: _fit(name, X, plain),
            reads="anything" if name.startswith("Auto") else "numbers",
        )
        for name in names
    ]
    predicting = [name for name in names if any(hasattr(ESTIMATORS[name], m) for m in ("predict", "transform"))]
    predictions = [
        Entry(
            f"{name}.predict(X) and others",
            lambda X, plain, name=name: _answer(name, X, plain),
            reads="anything" if name.startswith("Auto") else "numbers",
            narrow=name.startswith("Auto"),  # fitted to an array, they take arrays
        )
        for name in predicting
    ]
    return fits + predictions + [Entry("KernelPerceptron.partial_fit(X, y)", _partial)]


# ---- data functions and plots


def _pattern(codes: Any) -> Any:
    """Where codes are equal: each as the place of the first like it. Their values mean nothing."""
    if sp.issparse(codes):
        return codes
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    return first[which].reshape(codes.shape)


def _functions() -> list[Entry]:
    anything: dict[str, Callable[[Any, Any], Any]] = {
        "take(X, rows)": lambda X, plain: data.take(X, [3, 0, 3]),
        "joined(X, Y)": data.joined,
        "joined(Y, X)": lambda X, plain: data.joined(plain, X),
        "select_columns(X)": lambda X, plain: data.select_columns(X, [2, 0], "select_columns"),
        "as_codes(X)": lambda X, plain: _pattern(data.as_codes(X, "as_codes")),
    }
    items: dict[str, Callable[[Any, Any], Any]] = {
        "as_items(X)": lambda X, plain: len(data.as_items(X)),
        "user(pair)(X)": lambda X, plain: mk.user(lambda a, b: 1.0)(X),
    }
    return [
        *(
            Entry(name, call, reads="anything", narrow="joined" in name) for name, call in anything.items()
        ),  # of one kind
        *(Entry(name, call, reads="items") for name, call in items.items()),
    ]


def _plots() -> list[Entry]:
    from mercer.plots import EmbeddingDisplay, KernelMatrixDisplay, KernelSpectrumDisplay, blank

    return [
        Entry(
            "KernelMatrixDisplay.from_kernel",
            lambda X, plain: KernelMatrixDisplay.from_kernel("rbf(gamma=0.5)", X, ax=blank()[1]).values,
        ),
        Entry(
            "KernelSpectrumDisplay.from_kernel",
            lambda X, plain: KernelSpectrumDisplay.from_kernel("rbf(gamma=0.5)", X, ax=blank()[1]).eigenvalues,
        ),
        Entry(
            "EmbeddingDisplay.from_embedding",
            lambda X, plain: EmbeddingDisplay.from_embedding(X, ax=blank()[1]).Z,
            needs="plane",
        ),
    ]


ENTRIES: list[Entry] = [*_kernels(), *_estimators(), *_functions(), *_plots()]
