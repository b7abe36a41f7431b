"""Machines on strings, frames, tables and callables: any kernel, and no value of it in vain."""

import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from mercer.kernels import RBF, Columns, Kernel, Linear, Overlap, user
from mercer.solvers import Status
from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from tests.svm import oracles

_rng = np.random.default_rng(0)
CLASSES = np.arange(60) % 2
WORDS = [
    "".join(_rng.choice(list("abcxyz"), p=p, size=6))
    for p in np.array([[4, 4, 4, 1, 1, 1], [1, 1, 1, 4, 4, 4]])[CLASSES] / 15
]
SHARE = np.array([sum(c in "abc" for c in word) / len(word) for word in WORDS])


@dataclass(frozen=True)
class Letters(Kernel):
    """Letters that two words share, and a bonus for equal beginnings."""

    weight: float = 1.0

    def pair(self, a, b):
        shared = sum(a.count(c) * b.count(c) for c in set(a) & set(b))
        return float(shared) + self.weight * (a[:1] == b[:1])


@dataclass(frozen=True)
class Counted(Kernel):
    """⟨x, z⟩ on blocks; `calls` and `values` of the class say what it has cost."""

    calls: ClassVar[int] = 0
    values: ClassVar[int] = 0

    def evaluate(self, A, B):
        Counted.calls += 1
        Counted.values += len(A) * len(B)
        return np.asarray(A) @ np.asarray(B).T

    def evaluate_pairs(self, A, B):
        return np.einsum("ij,ij->i", np.asarray(A), np.asarray(B))


@pytest.fixture
def counted():
    Counted.calls = Counted.values = 0
    return Counted()


def letters_gram(words, weight=1.0):
    counts = np.array([[word.count(c) for c in "abcxyz"] for word in words], dtype=float)
    first = np.array([word[0] for word in words])
    return counts @ counts.T + weight * (first[:, None] == first[None, :])


# ---- strings


def test_a_list_of_strings():
    model = SVC(kernel=Letters()).fit(WORDS, CLASSES)
    K = letters_gram(WORDS)
    problem = oracles.svc(K, np.where(CLASSES, 1.0, -1.0), 1.0)
    beta = oracles.coefficients(model, len(WORDS))
    assert model.solution_.status is Status.CONVERGED
    assert problem.violation(beta) <= model.tol
    np.testing.assert_allclose(model.decision_function(WORDS), K @ beta + model.intercept_, atol=1e-9)
    np.testing.assert_allclose(model.solution_.objective, problem.objective(beta), rtol=1e-12)


@pytest.mark.parametrize(
    "words", [WORDS, np.array(WORDS), np.array(WORDS, dtype=object)], ids=["list", "str", "object"]
)
def test_containers_of_strings(words):
    assert cross_val_score(SVC(kernel=Letters()), words, CLASSES, cv=3).mean() > 0.8
    plain = SVC(kernel=Letters()).fit(WORDS, CLASSES).decision_function(WORDS)
    np.testing.assert_allclose(SVC(kernel=Letters()).fit(words, CLASSES).decision_function(words), plain, atol=1e-9)


def test_a_grid_over_parameters_of_the_kernel():
    grid = {"kernel__weight": [0.0, 1.0, 5.0], "C": [0.1, 1.0]}
    search = GridSearchCV(SVC(kernel=Letters()), grid, cv=3, error_score="raise").fit(WORDS, CLASSES)
    assert search.best_score_ > 0.8
    for C, weight in [(0.1, 0.0), (1.0, 5.0)]:
        (row,) = [i for i, p in enumerate(search.cv_results_["params"]) if p == {"C": C, "kernel__weight": weight}]
        alone = cross_val_score(SVC(C=C, kernel=Letters(weight)), WORDS, CLASSES, cv=3)
        assert search.cv_results_["mean_test_score"][row] == pytest.approx(alone.mean())


def test_a_grid_over_kernels():
    kernels = [Letters(), Letters().normalized(), Letters() + 1, user(lambda a, b: float(a[0] == b[0]))]
    search = GridSearchCV(SVC(), {"kernel": kernels}, cv=3, error_score="raise").fit(WORDS, CLASSES)
    assert search.best_score_ > 0.8
    assert search.best_estimator_.kernel_ == search.best_params_["kernel"]


def test_strings_equal_their_gram_matrix():
    K = letters_gram(WORDS)
    for model, target in [
        (SVC(), CLASSES),
        (NuSVC(nu=0.3), CLASSES),
        (SVR(epsilon=0.05), SHARE),
        (NuSVR(), SHARE),
        (OneClassSVM(nu=0.2), None),
    ]:
        words = clone(model).set_params(kernel=Letters()).fit(WORDS, target)
        gram = clone(model).set_params(kernel="precomputed").fit(K, target)
        assert words.solution_.objective == pytest.approx(gram.solution_.objective, rel=1e-6, abs=1e-6)
        values = "decision_function" if hasattr(model, "decision_function") else "predict"
        np.testing.assert_allclose(getattr(words, values)(WORDS), getattr(gram, values)(K), atol=1e-2)


def test_the_ball_around_strings():
    model = SVDD(kernel=Letters(), nu=0.2).fit(WORDS)
    problem = oracles.svdd(letters_gram(WORDS), 0.2)
    assert problem.violation(oracles.coefficients(model, len(WORDS))) <= model.tol
    assert model.predict(["zzzzzzzzzzzzzzzz"]).tolist() == [-1]


def test_three_classes_of_strings():
    labels = np.array([word.count("a") for word in WORDS]).clip(0, 2)
    for multi_class in ("ovo", "ovr"):
        model = SVC(kernel=Letters(), multi_class=multi_class).fit(WORDS, labels)
        gram = SVC(kernel="precomputed", multi_class=multi_class).fit(letters_gram(WORDS), labels)
        np.testing.assert_allclose(
            model.solution_.objective, gram.solution_.objective, rtol=1e-9, err_msg="sum over the machines"
        )
        for machine in oracles.machines(model, labels):
            part = letters_gram([WORDS[i] for i in machine.members])
            assert oracles.svc(part, machine.sign, 1.0).violation(machine.coef) <= model.tol


def test_weights_of_strings_equal_repetitions():
    weight = np.arange(len(WORDS)) % 3
    repeated = [word for word, times in zip(WORDS, weight, strict=True) for _ in range(times)]
    a = SVC(kernel=Letters()).fit(WORDS, CLASSES, sample_weight=weight)
    b = SVC(kernel=Letters()).fit(repeated, np.repeat(CLASSES, weight))
    np.testing.assert_allclose(a.solution_.objective, b.solution_.objective, rtol=1e-9)
    np.testing.assert_allclose(a.decision_function(WORDS), b.decision_function(WORDS), atol=1e-7)


@pytest.mark.parametrize("make", [SVC, SVR, OneClassSVM, SVDD])
def test_pickles_predict_the_same(make):
    target = SHARE if make is SVR else CLASSES
    model = make(kernel=0.5 * Letters(2.0) + 1).fit(WORDS, target)
    before = model.predict(WORDS)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.support_vectors_ == model.support_vectors_
    assert copy.kernel_ == model.kernel_
    np.testing.assert_array_equal(copy.predict(WORDS), before)


def test_samples_a_kernel_cannot_read_are_named():
    model = SVC(kernel=Letters()).fit(WORDS, CLASSES)
    with pytest.raises((TypeError, AttributeError, ValueError)):
        model.predict([3, 4])
    assert model.predict(WORDS[:2]).shape == (2,)


# ---- frames


@pytest.fixture(params=[pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def people(request):
    rng = np.random.default_rng(0)
    city = rng.choice(["Bern", "Oslo", "Rome"], 90)
    age = rng.normal(40, 10, 90)
    columns = {"age": age, "city": city.tolist(), "income": rng.normal(5, 1, 90) + (city == "Oslo")}
    return request.param(columns), ((city == "Oslo") ^ (age > 45)).astype(int)


MIXED = Columns(["age", "income"], RBF(gamma=0.01)) * Columns(["city"], Overlap())


def mixed_gram(frame):
    numbers = np.column_stack([frame["age"], frame["income"]])
    city = np.array(frame["city"])
    near = np.exp(-0.01 * ((numbers[:, None] - numbers[None]) ** 2).sum(-1))
    return near * (city[:, None] == city[None, :])


def test_frames_with_mixed_columns(people):
    frame, labels = people
    model = SVC(kernel=MIXED, C=10.0).fit(frame, labels)
    problem = oracles.svc(mixed_gram(frame), np.where(labels, 1.0, -1.0), 10.0)
    assert problem.violation(oracles.coefficients(model, len(labels))) <= model.tol
    assert model.feature_names_in_.tolist() == ["age", "city", "income"]
    assert type(model.support_vectors_) is type(frame)
    assert list(model.support_vectors_.columns) == ["age", "city", "income"]
    assert len(model.support_vectors_) == len(model.support_)
    np.testing.assert_array_equal(np.array(model.support_vectors_["age"]), np.array(frame["age"])[model.support_])
    assert cross_val_score(SVC(kernel=MIXED, C=10.0), frame, labels, cv=3).mean() > 0.85


def test_a_grid_reaches_into_columns(people):
    frame, labels = people
    grid = {"kernel__0__kernel__gamma": [1e-6, 0.01], "C": [10.0]}
    search = GridSearchCV(SVC(kernel=MIXED), grid, cv=3, error_score="raise").fit(frame, labels)
    assert search.best_params_["kernel__0__kernel__gamma"] == 0.01


def test_a_python_kernel_beside_a_native_one(people):
    frame, labels = people
    words = Columns(["city"], user(lambda a, b: float(a[0] == b[0])))
    model = SVC(kernel=Columns(["age"], RBF(gamma=0.01)) + words).fit(frame, labels)
    age, city = np.array(frame["age"]), np.array(frame["city"])
    K = np.exp(-0.01 * (age[:, None] - age[None]) ** 2) + (city[:, None] == city[None, :])
    assert (
        oracles.svc(K, np.where(labels, 1.0, -1.0), 1.0).violation(oracles.coefficients(model, len(labels)))
        <= model.tol
    )


# ---- vectors


@pytest.mark.parametrize("make", [SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD])
def test_support_vectors_of_dense_and_sparse_input(make, rng):
    X = rng.standard_normal((80, 6)) * (rng.random((80, 6)) < 0.4)
    y = (X[:, 0] + 0.3 * rng.standard_normal(80) > 0).astype(int)
    nu = {"nu": 0.3} if "nu" in make().get_params() else {}
    dense, sparse = make(gamma=0.5, **nu).fit(X, y), make(gamma=0.5, **nu).fit(sp.csr_array(X), y)
    assert isinstance(dense.support_vectors_, np.ndarray)
    assert sp.issparse(sparse.support_vectors_)
    np.testing.assert_array_equal(dense.support_vectors_, X[dense.support_])
    np.testing.assert_array_equal(sparse.support_vectors_.toarray(), X[sparse.support_])
    np.testing.assert_allclose(dense.solution_.objective, sparse.solution_.objective, rtol=1e-6)
    values = "decision_function" if hasattr(dense, "decision_function") else "predict"
    for model in (dense, sparse, pickle.loads(pickle.dumps(sparse))):
        here = getattr(model, values)
        np.testing.assert_allclose(here(X), here(sp.csr_array(X)), rtol=0, atol=1e-11)


def test_a_callable_is_called_once_to_train_and_on_support_vectors_to_predict(rng):
    X, calls = rng.standard_normal((300, 4)), []
    y = (X[:, 0] + 0.2 * rng.standard_normal(300) > 0).astype(int)

    def block(A, B):
        calls.append((len(A), len(B)))
        return A @ B.T

    model = SVC(kernel=block).fit(X, y)
    assert calls == [(300, 300)]
    calls.clear()
    values = model.decision_function(X[:50])
    assert calls == [(50, len(model.support_))]
    assert len(model.support_) < 150
    reference = SVC(kernel="linear").fit(X, y)
    np.testing.assert_allclose(values, reference.decision_function(X[:50]), atol=1e-6)


def test_many_machines_share_the_values_of_a_callable(rng):
    X, calls = rng.standard_normal((200, 4)), []

    def block(A, B):
        calls.append((len(A), len(B)))
        return A @ B.T

    labels = np.digitize(X[:, 0], [-1, -0.3, 0.3, 1])
    model = SVC(kernel=block).fit(X, labels)
    assert calls == [(200, 200)]
    calls.clear()
    model.predict(X[:10])
    assert sum(a * b for a, b in calls) == 10 * len(model.support_)  # once each, however many machines there are


def test_a_dear_kernel_with_a_small_cache(rng, counted):
    """Rows come in batches: far fewer calls than samples, and not many more values than the matrix has."""
    n = 1500
    X = rng.standard_normal((n, 5))
    y = (X[:, 0] + 0.3 * rng.standard_normal(n) > 0).astype(int)
    model = SVC(kernel=counted, cache_size=4.0).fit(X, y)  # the matrix takes 18
    assert Counted.calls < n / 10
    assert Counted.values < 6 * n * n
    beta = oracles.coefficients(model, n)
    assert oracles.svc(X @ X.T, np.where(y, 1.0, -1.0), 1.0).violation(beta) <= model.tol
    np.testing.assert_allclose(model.solution_.objective, SVC(kernel="linear").fit(X, y).solution_.objective, rtol=1e-6)


def test_a_dear_kernel_with_a_small_cache_in_regression(rng, counted):
    n = 600
    X = rng.standard_normal((n, 5))
    y = X[:, 0] + 0.3 * rng.standard_normal(n)
    model = SVR(kernel=counted, cache_size=1.0).fit(X, y)  # the matrix takes 2.9
    assert Counted.calls < n / 2
    assert Counted.values < 3 * n * n
    beta = oracles.coefficients(model, n)
    assert oracles.svr(X @ X.T, y, 1.0, 0.1).violation(beta) <= model.tol


def test_an_error_of_the_kernel_reaches_the_user(rng):
    def broken(a, b):
        raise RuntimeError("no such word")

    with pytest.raises(ValueError, match="no such word"):
        SVC(kernel=user(broken)).fit(WORDS, CLASSES)
    n = 0

    def late(A, B):  # in the middle of the fit, called by the solver
        nonlocal n
        n += 1
        if n > 3:
            raise RuntimeError("no such block")
        return A @ B.T

    X = rng.standard_normal((400, 3))
    y = (X[:, 0] > 0).astype(int)
    with pytest.raises((ValueError, RuntimeError), match="no such block"):
        SVC(kernel=late, cache_size=0.1, C=1e4).fit(X, y)


def test_values_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="finite"):
        SVC(kernel=user(lambda a, b: np.nan)).fit(WORDS, CLASSES)
    with pytest.raises(ValueError, match="shape"):
        SVC(kernel=lambda A, B: np.ones((2, 2))).fit(WORDS, CLASSES)


def test_a_composite_of_a_python_kernel_and_a_native_one(rng, counted):
    X = rng.standard_normal((150, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    mixed = SVC(kernel=0.5 * counted + RBF(gamma=0.3)).fit(X, y)
    native = SVC(kernel=0.5 * Linear() + RBF(gamma=0.3)).fit(X, y)
    assert Counted.calls == 1
    np.testing.assert_allclose(mixed.solution_.objective, native.solution_.objective, rtol=1e-7)
    np.testing.assert_allclose(mixed.decision_function(X), native.decision_function(X), atol=1e-3)
