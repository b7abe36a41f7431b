"""Every operator with its dense truth: a class joins `CASES` and gets every law."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from mercer.kernels import RBF, Bilinear, Kernel, Linear, Polynomial
from mercer.operators import (
    CenteredOperator,
    DenseOperator,
    GramOperator,
    LowRankOperator,
    PrecomputedOperator,
    gram,
)

N, M, D = 23, 17, 3
BUDGET = 2000  # bytes, so that every product takes many tiles

COMPOSITE = 0.5 * RBF(gamma=0.3) + Linear() * Polynomial(degree=2, gamma=0.2, coef0=1.0)
BILINEAR = Bilinear([[1.0, 2.0, 0.5], [2.0, 1.0, 0.0], [0.5, 0.0, 1.0]])


@dataclass(frozen=True)
class Overlap(Kernel):
    """A kernel as users write them: one pair at a time."""

    def pair(self, a, b):
        return float(np.minimum(np.abs(a), np.abs(b)).sum(dtype=np.float64))


def data(dtype):
    rng = np.random.default_rng(0)
    return rng.standard_normal((N, D)).astype(dtype), rng.standard_normal((M, D)).astype(dtype)


def truth(kernel, X, Y=None):
    """Entry by entry, in float64."""
    X = X.astype(np.float64)
    return kernel(X, X.copy() if Y is None else Y.astype(np.float64))


def centred(K, Kt=None):
    n = len(K)
    ones = np.full((n, n), 1 / n)
    if Kt is None:
        return K - ones @ K - K @ ones + ones @ K @ ones
    prime = np.full((len(Kt), n), 1 / n)
    return Kt - prime @ K - Kt @ ones + prime @ K @ ones


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[type], tuple[GramOperator, np.ndarray]]
    symmetric: bool
    label: str

    def __str__(self):
        return self.name


def _kernel(kernel, rectangular, **options):
    def make(dtype):
        X, Y = data(dtype)
        if rectangular:
            return gram(kernel, X, Y, memory_budget=BUDGET, **options), truth(kernel, X, Y)
        return gram(kernel, X, memory_budget=BUDGET, **options), truth(kernel, X)

    return make


def _square(dtype):  # as many columns as rows, but not symmetric
    X, _ = data(dtype)
    return gram(RBF(gamma=0.3), X, X[::-1], memory_budget=BUDGET), truth(RBF(gamma=0.3), X, X[::-1])


def _sparse(dtype):
    X, Y = data(dtype)
    X[np.abs(X) < 0.7] = 0
    K = gram(RBF(gamma=0.3), sp.csr_array(X), sp.csr_matrix(Y), memory_budget=BUDGET)
    return K, truth(RBF(gamma=0.3), X, Y)


def _precomputed(rectangular):
    def make(dtype):
        X, Y = data(dtype)
        if rectangular:
            K = (X @ Y.T).astype(dtype)
            return PrecomputedOperator(K, symmetric=False, memory_budget=BUDGET), K
        K = RBF(gamma=0.3)(X)
        return PrecomputedOperator(np.asfortranarray(K), memory_budget=BUDGET), K

    return make


def _centered(dtype):
    X, _ = data(dtype)
    return gram(COMPOSITE, X, memory_budget=BUDGET).centered(), centred(truth(COMPOSITE, X))


def _centered_square(dtype):
    K, exact = _square(dtype)
    return CenteredOperator(K), centred(exact)


def _centered_test(dtype):
    X, Y = data(dtype)
    training = gram(COMPOSITE, X, memory_budget=BUDGET).centered()
    test = training.test(gram(COMPOSITE, Y, X, memory_budget=BUDGET))
    return test, centred(truth(COMPOSITE, X), truth(COMPOSITE, Y, X))


def _lowrank(dtype):
    X, _ = data(dtype)
    diagonal = np.arange(1.0, N + 1)
    operator = LowRankOperator(X, diagonal=diagonal, memory_budget=BUDGET)
    return operator, X.astype(float) @ X.T.astype(float) + np.diag(diagonal)


def _lowrank_two(dtype):
    X, Y = data(dtype)
    return LowRankOperator(X, Y, memory_budget=BUDGET), X.astype(float) @ Y.T.astype(float)


def _joined(join):
    """Two kinds of operators together, rectangular and of mixed precision where possible."""

    def make(dtype):
        (K, exact), (L, other) = _kernel(COMPOSITE, True)(dtype), _precomputed(True)(np.float32)
        return join(K, L), join(exact, other.astype(float))

    return make


def _joined_symmetric(join):
    def make(dtype):
        (K, exact), (L, other) = _kernel(RBF(gamma=0.3), False)(dtype), _lowrank(dtype)
        return join(K, L), join(exact, other)

    return make


CASES = [
    Case("blocked", _kernel(RBF(gamma=0.3), False), True, "rbf(gamma=0.3)"),
    Case("blocked-rectangular", _kernel(RBF(gamma=0.3), True), False, "rbf(gamma=0.3)"),
    Case("blocked-square", _square, False, "rbf(gamma=0.3)"),
    Case("blocked-composite", _kernel(COMPOSITE, False), True, str(COMPOSITE)),
    Case("blocked-user", _kernel(Overlap(), False), True, "Overlap"),
    Case("blocked-user-rectangular", _kernel(Overlap() + RBF(gamma=1.0), True), False, "Overlap"),
    Case("blocked-bilinear", _kernel(BILINEAR, True), False, "bilinear"),
    Case("blocked-csr", _sparse, False, "rbf(gamma=0.3)"),
    Case("dense", _kernel(COMPOSITE, False, materialize=True), True, str(COMPOSITE)),
    Case("dense-rectangular", _kernel(Linear(), True, materialize=True), False, "linear"),
    Case("dense-of-centered", lambda t: _held(_centered(t)), True, "centered("),
    Case("precomputed", _precomputed(False), True, "precomputed"),
    Case("precomputed-rectangular", _precomputed(True), False, "precomputed"),
    Case("centered", _centered, True, f"centered({COMPOSITE})"),
    Case("centered-square", _centered_square, False, "centered(rbf(gamma=0.3))"),
    Case("centered-test", _centered_test, False, "centered("),
    Case("lowrank", _lowrank, True, f"rank {D} + diagonal"),
    Case("lowrank-rectangular", _lowrank_two, False, f"rank {D}"),
    Case("sum", _joined_symmetric(lambda a, b: a + b), True, f"rbf(gamma=0.3) + rank {D}"),
    Case("sum-rectangular", _joined(lambda a, b: b + a), False, "precomputed + 0.5*rbf"),
    Case("difference", _joined(lambda a, b: a - b), False, "-1*precomputed"),
    Case("product", _joined_symmetric(lambda a, b: a * b), True, f"rbf(gamma=0.3)*(rank {D}"),
    Case("product-rectangular", _joined(lambda a, b: a * b), False, "*precomputed"),
    Case("scaled", _joined_symmetric(lambda a, b: 2.5 * a), True, "2.5*rbf(gamma=0.3)"),
    Case("scaled-rectangular", _joined(lambda a, b: a * np.float64(-2)), False, "-2*("),
]


def _held(made):
    operator, exact = made
    return DenseOperator(operator), exact
