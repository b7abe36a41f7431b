"""Entry points that take a Gram matrix, and those that take a number for each sample."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor

from mercer import kernels as mk
from mercer.data import Graphs
from mercer.model_selection import (
    alignment,
    alignment_weights,
    centered_alignment,
    hsic,
    independence_test,
    mmd,
    rank_kernels,
    two_sample_test,
)
from mercer.operators import PrecomputedOperator, as_operator, center_gram, gram, row_source
from mercer.plots import KernelMatrixDisplay, KernelSpectrumDisplay, blank
from mercer.preprocessing import KernelRepair
from tests.border.matrices import Entry, resolved
from tests.contracts.behaviour import answers, has_kernel, target
from tests.contracts.estimators import ESTIMATORS, entry

__all__ = ["ENTRIES"]


def _report(K: Any) -> Any:
    found = mk.check_gram(K)
    if not found.is_finite:
        raise ValueError("check_gram: reports that K has NaN or infinity.")  # as good as a refusal
    return [found.is_psd, found.is_symmetric, found.min_eigenvalue, found.min_diagonal]


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "PrecomputedOperator(K)": lambda K, plain: PrecomputedOperator(K),
    "PrecomputedOperator(K) @ v": lambda K, plain: PrecomputedOperator(K) @ np.ones(len(plain)),
    "PrecomputedOperator(K, symmetric=False)": (
        lambda K, plain: PrecomputedOperator(K, symmetric=False).block([0, 1], [2, 3])
    ),
    "gram('precomputed', K)": lambda K, plain: gram("precomputed", K).diag(),
    "as_operator(K)": lambda K, plain: as_operator("as_operator", K).rows([1, 1]),
    "row_source(K)": lambda K, plain: row_source(K).n,
    "center_gram(K)": lambda K, plain: center_gram(K),
    "center_gram(K, training)": center_gram,
    "center_gram(training, K)": lambda K, plain: center_gram(plain, K),
    "check_gram(K)": lambda K, plain: _report(K),
    "repair(K)": lambda K, plain: mk.repair(K),
    "repair(K, 'flip')": lambda K, plain: mk.repair(K, "flip"),
    "repair(K, 'shift')": lambda K, plain: mk.repair(K, "shift"),
    "alignment(K, L)": alignment,
    "centered_alignment(K, None, y)": lambda K, plain: centered_alignment(K, None, np.arange(len(plain))),
    "alignment_weights([K, L], None, y)": lambda K, plain: alignment_weights([K, plain], None, np.arange(len(plain))),
    "hsic(K, L)": hsic,
    "hsic(K, L, unbiased=False)": lambda K, plain: hsic(K, plain, unbiased=False),
    "independence_test(K, L)": lambda K, plain: _tested(
        independence_test(K, plain, kernel_x="precomputed", kernel_y="precomputed", n_permutations=5, random_state=0)
    ),
    "mmd(gram('precomputed', K), rows, rows)": lambda K, plain: mmd(gram("precomputed", K), [0, 1, 2], [3, 4, 5]),
    "two_sample_test(rows, rows, kernel=gram('precomputed', K))": lambda K, plain: _tested(
        two_sample_test([0, 1, 2], slice(3, None), kernel=gram("precomputed", K), n_permutations=5, random_state=0)
    ),
    "rank_kernels([K, L], None, y)": lambda K, plain: [
        [row.alignment, row.loo_r2] for row in rank_kernels([K, plain], None, np.arange(len(plain)), by="loo")
    ],
    "KernelRepair.transform(K)": lambda K, plain: KernelRepair().fit(plain).transform(K),
    "KernelMatrixDisplay.from_matrix(K)": lambda K, plain: KernelMatrixDisplay.from_matrix(K, ax=blank()[1]).values,
    "KernelSpectrumDisplay.from_matrix(K)": (
        lambda K, plain: KernelSpectrumDisplay.from_matrix(K, ax=blank()[1]).eigenvalues
    ),
    "user(block)(X), block returns K": lambda K, plain: mk.user(block=lambda A, B: K, definiteness="psd")(plain),
    "Map(f, linear)(X), f returns K": lambda K, plain: mk.Map(lambda _: K, mk.Linear())(plain),
}


def _tested(result: Any) -> Any:
    return np.append(result.null_distribution, result.statistic)


def _precomputed(name: str) -> Any:
    options = dict(entry(name).options)
    if "n_neighbors" in options:
        options["n_neighbors"] = 13
    return ESTIMATORS[name](**options, kernel="precomputed")


def _fit(name: str, K: Any, plain: Any) -> Any:
    model = clone(_precomputed(name)).fit(K, target(ESTIMATORS[name], len(plain)))
    return model.embedding_ if hasattr(model, "embedding_") else answers(model, plain)


@cache
def _fitted(name: str, key: bytes, n: int) -> Any:
    return _precomputed(name).fit(np.frombuffer(key).reshape(n, n), target(ESTIMATORS[name], n))


def _answer(name: str, K: Any, plain: Any) -> Any:
    return answers(_fitted(name, plain.tobytes(), len(plain)), K)


TAKING = [
    name for name, cls in ESTIMATORS.items()
    if has_kernel(cls) and not name.startswith("Auto") and "precomputed" not in entry(name).refused
]  # fmt: skip


# ---- a number for each sample

POINTS = np.random.default_rng(7).random((16, 3))


def _with_y(name: str, y: Any) -> Any:
    return answers(_plain_model(name).fit(POINTS, y), POINTS)


def _with_weight(name: str, weight: Any) -> Any:
    model = _plain_model(name).fit(POINTS, target(ESTIMATORS[name], len(POINTS)), sample_weight=weight)
    return answers(model, POINTS)


def _plain_model(name: str) -> Any:
    cls = ESTIMATORS[name]
    return cls(**entry(name).options, **({"kernel": "rbf(gamma=0.5)"} if has_kernel(cls) else {}))


WEIGHTED = (
    "KernelRidge", "KernelRidgeCV", "KernelRidgeClassifier", "SVC", "SVR", "NuSVR", "OneClassSVM", "KernelKMeans",
    "Ridge", "KernelLogisticRegression",
)  # fmt: skip
REGRESSORS = [name for name, cls in ESTIMATORS.items() if is_regressor(cls()) and not name.startswith("Auto")]

ENTRIES: list[Entry] = [
    *(Entry(name, call, needs="square") for name, call in FUNCTIONS.items()),
    Entry("Graphs([K])", lambda K, plain: Graphs([K]), needs="square", reads="anything", narrow=True),
    Entry(
        "Graphs.from_adjacency([K])",
        lambda K, plain: Graphs.from_adjacency([K]),
        needs="square",
        narrow=True,
        empty=True,
    ),
    *(
        Entry(f"{name}(precomputed).fit(K, y)", lambda K, plain, name=name: _fit(name, K, plain), needs="square")
        for name in TAKING
    ),
    *(
        Entry(f"{name}(precomputed).predict(K)", lambda K, plain, name=name: _answer(name, K, plain), needs="square")
        for name in TAKING
        if hasattr(ESTIMATORS[name], "predict") or hasattr(ESTIMATORS[name], "transform")
    ),
    *(
        Entry(
            f"{name}.fit(X, y): y",
            lambda y, plain, name=name: _with_y(name, y),
            needs="vector",
            reads="anything" if name == "LaplacianRidge" else "numbers",  # NaN means unlabelled
        )
        for name in REGRESSORS
    ),
    *(
        Entry(f"{name}.fit: sample_weight", lambda w, plain, name=name: _with_weight(name, w), needs="vector")
        for name in WEIGHTED
    ),
    Entry(
        "k.resolve(sample_weight)", lambda w, plain: resolved(mk.RBF().resolve(POINTS, sample_weight=w)), needs="vector"
    ),
    Entry("gram(k, X) @ v", lambda v, plain: gram(mk.RBF(gamma=0.5), POINTS) @ v, needs="vector"),
    Entry("PrecomputedOperator(K) @ v", lambda v, plain: PrecomputedOperator(POINTS @ POINTS.T) @ v, needs="vector"),
    Entry(
        "centered_alignment: y",
        lambda y, plain: centered_alignment("rbf", POINTS, y, task="regression"),
        needs="vector",
    ),
    Entry(
        "Weighted(f), f returns a vector",
        lambda v, plain: mk.Weighted(lambda X: v, mk.RBF(gamma=0.5))(POINTS),
        needs="vector",
    ),
]
