"""The cache of Gram matrices: how often values are computed, the same bits, bounds, threads, changed samples."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from joblib import parallel_backend
from sklearn.model_selection import GridSearchCV

from mercer.data import n_samples, take
from mercer.kernels import RBF, user
from mercer.kernels.evaluate import block
from mercer.kernels.strings import Subsequence
from mercer.model_selection import GramCache
from mercer.operators import gram
from mercer.operators.reuse import content, current_store, pair_by_pair
from mercer.ridge import KernelRidge
from mercer.svm import SVC, SVR
from tests.contracts.behaviour import answers, has_kernel, named, same, target
from tests.contracts.cases import CASES
from tests.contracts.estimators import ESTIMATORS, entry

_LETTERS = np.random.default_rng(0).choice(list("GATC"), size=(36, 8), p=[0.1, 0.5, 0.3, 0.1])
_LETTERS[18:, ::2] = "G"
WORDS = ["".join(word) for word in _LETTERS]
CLASSES = np.repeat([0, 1], 18)
C = np.logspace(-3, 4, 8)


class Counted:
    """A function of two samples that counts its calls; as an attribute of a class it is not copied by clone."""

    def __init__(self):
        self.calls = 0

        def overlap(a, b):
            self.calls += 1
            return float(len(set(a) & set(b)))

        self.kernel = user(overlap)


def searched(estimator, grid, X, y, **options):
    return GridSearchCV(estimator, grid, cv=3, **options).fit(X, y)


def equal(first, second):
    """Whether two searches have found the same, to the last bit."""
    for name in ("mean_test_score", "split0_test_score", "split1_test_score", "split2_test_score"):
        np.testing.assert_array_equal(first.cv_results_[name], second.cv_results_[name])
    assert first.best_params_ == second.best_params_
    np.testing.assert_array_equal(first.best_estimator_.dual_coef_, second.best_estimator_.dual_coef_)


# ---- how often values are computed


def test_one_gram_matrix_for_each_fold_and_kernel_of_a_machine():
    """24 in the folds of 36 samples: 24·25/2 values of training, 12·24 of prediction; and 36·37/2 for the refit."""
    counted, twin = Counted(), Counted()
    with GramCache() as cache:
        found = searched(SVC(kernel=counted.kernel), {"C": C}, WORDS, CLASSES)
    assert counted.calls == 3 * (24 * 25 // 2 + 12 * 24) + 36 * 37 // 2
    assert (cache.misses, cache.hits) == (7, 3 * 8 * 2 - 6)
    plain = searched(SVC(kernel=twin.kernel), {"C": C}, WORDS, CLASSES)
    assert twin.calls > 5 * counted.calls
    equal(found, plain)


def test_one_gram_matrix_for_each_fold_and_kernel_of_a_ridge_regression():
    first, second, y = Counted(), Counted(), np.linspace(0, 1, 36)
    grid = {"alpha": [0.1, 1.0, 10.0, 100.0], "kernel": [first.kernel, second.kernel]}
    with GramCache() as cache:
        found = searched(KernelRidge(), grid, WORDS, y)
    # the diagonal, the matrix and the predictions of every fold; the same for all samples by one of the kernels
    folds = 3 * (24 + 24 * 25 // 2 + 12 * 24)
    assert sorted([first.calls, second.calls]) == [folds, folds + 36 + 36 * 37 // 2]
    assert cache.misses == 2 * 3 * 3 + 2
    equal(found, searched(KernelRidge(), grid, WORDS, y))


def test_gram_matrices_of_vectors_are_computed_once(rng, monkeypatch):
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    made = []

    def counting(left, right, **options):
        made.append((left.n, right.n))
        return block(left, right, **options)

    monkeypatch.setattr("mercer.operators.blocked.evaluation.block", counting)
    with GramCache() as cache:
        found = searched(KernelRidge(kernel="rbf", gamma=0.5), {"alpha": [0.1, 1.0, 10.0]}, X, y)
    assert made == [(40, 40)] * 3 + [(60, 60)]
    assert (cache.hits, cache.misses) == (6, 4)
    equal(found, searched(KernelRidge(kernel="rbf", gamma=0.5), {"alpha": [0.1, 1.0, 10.0]}, X, y))


# ---- the same bits


KERNELS = {
    "vectors": RBF(gamma=0.3),
    "of pairs": user(lambda a, b: float(np.exp(-np.sum((a - b) ** 2)))),
    "of blocks": user(block=RBF(gamma=0.3)),
}


@pytest.mark.parametrize("kind", ["vectors", "of pairs", pytest.param("of blocks", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    "name", named(name for name, cls in ESTIMATORS.items() if has_kernel(cls) and hasattr(cls, "_fit_training"))
)
def test_every_estimator_answers_with_the_same_bits(name, kind, rng):
    known, cls = entry(name), ESTIMATORS[name]
    X, Z, y = rng.normal(size=(24, 3)), rng.normal(size=(7, 3)), target(cls, 24)
    options = {**known.options, "kernel": KERNELS[kind]}

    def answered():
        model = cls(**options)
        model.fit(X) if y is None else model.fit(X, y)
        return answers(model, Z)

    plain = answered()
    with GramCache():
        first, again = answered(), answered()
    for found in (first, again):
        assert found.keys() == plain.keys()
        assert all(same(found[key], plain[key]) for key in plain)


@pytest.mark.parametrize(("kernel", "X"), CASES)
def test_content_is_that_of_the_samples(kernel, X):
    """The same before and after values were computed, and for samples packed again; that of others differs."""
    packed = kernel.prepare(X)
    before = content(packed)
    block(packed, packed)
    assert content(packed) == before == content(kernel.prepare(X))
    assert content(packed.take(np.arange(n_samples(X))[::-1])) != before
    fewer = packed.kernel.prepare(take(X, np.arange(n_samples(X) - 1)))
    assert content(fewer) != before


@pytest.mark.parametrize(("kernel", "X"), [case for case in CASES if pair_by_pair(case[0].prepare(case[1]))])
def test_columns_of_wider_blocks_have_the_same_bits(kernel, X):
    right = kernel.prepare(X)
    left, chosen = right.kernel.prepare(take(X, np.arange(3))), np.array([3, 1])
    np.testing.assert_array_equal(block(left, right)[:, chosen], block(left, right.take(chosen).compact()))


def test_which_values_depend_on_their_two_samples_alone(rng):
    X = rng.normal(size=(5, 2))
    words = user(lambda a, b: float(a == b))
    assert pair_by_pair((2 * words.normalized() + 1).prepare(WORDS))
    assert pair_by_pair(Subsequence(p=2).prepare(WORDS))
    assert not pair_by_pair(RBF().prepare(X))
    assert not pair_by_pair((RBF() + user(lambda a, b: float(a @ b))).prepare(X))
    assert not pair_by_pair(user(block=RBF()).prepare(X))


def test_blocks_of_an_operator_are_the_tiles_that_it_would_compute(rng):
    X = rng.normal(size=(40, 2))
    kernel = user(block=RBF(gamma=0.5))
    plain = gram(kernel, X, X[:30], memory_budget=4000)
    with GramCache():
        for _ in range(2):
            K = gram(kernel, X, X[:30], memory_budget=4000)
            V = rng.normal(size=(30, 2))
            np.testing.assert_array_equal(K @ V, plain @ V)
            np.testing.assert_array_equal(K.block([3, 1], slice(5)), plain.block([3, 1], slice(5)))
            np.testing.assert_array_equal(K.rows(7), plain.rows(7))


# ---- samples and matrices that change


@pytest.mark.parametrize("kernel", [RBF(gamma=0.5), user(block=RBF(gamma=0.5)), user(lambda a, b: float(a @ b))])
def test_samples_that_were_changed_in_place_are_other_samples(kernel, rng):
    X = rng.normal(size=(12, 2))
    with GramCache() as cache:
        gram(kernel, X).dense()
        X[3, 1] += 1.0
        np.testing.assert_array_equal(gram(kernel, X).dense(), kernel(X))
        assert (cache.hits, cache.misses) == (0, 2)


def test_training_samples_that_were_changed_after_the_fit(rng):
    """The model has copies of its support vectors; the cache has the samples, and finds that they are others now."""
    X, y = rng.normal(size=(30, 2)), np.repeat([0, 1], 15)
    Z, kernel = rng.normal(size=(5, 2)), user(lambda a, b: float(np.exp(-np.sum((a - b) ** 2))))
    with GramCache():
        model = SVC(kernel=kernel).fit(X, y)
        before = model.decision_function(Z)
        X += 1.0
        np.testing.assert_array_equal(model.decision_function(Z), before)


def test_lists_of_objects_that_were_changed():
    bags = [{"a": 1}, {"b": 2}, {"a": 3}]
    kernel = user(lambda a, b: float(sum(a[k] * b.get(k, 0) for k in a)))
    with GramCache():
        gram(kernel, bags).dense()
        bags[1]["a"] = 5
        assert gram(kernel, bags).dense()[0, 1] == 5.0


def test_a_matrix_in_the_cache_cannot_be_changed(rng):
    X = rng.normal(size=(12, 2))
    expected = RBF(gamma=0.5)(X)
    with GramCache() as cache:
        for _ in range(2):
            gram(RBF(gamma=0.5), X).array()[...] = 0.0
            gram(RBF(gamma=0.5), X).dense()[...] = 0.0
        np.testing.assert_array_equal(gram(RBF(gamma=0.5), X).dense(), expected)
        (entry,) = cache._entries.values()
        with pytest.raises(ValueError, match="read-only"):
            entry.value[0, 0] = 1.0


def test_a_kernel_with_other_parameters_is_another_kernel(rng):
    X = rng.normal(size=(12, 2))
    with GramCache() as cache:
        for gamma in (0.5, 0.7, "scale", "auto"):
            np.testing.assert_array_equal(gram(RBF(gamma=gamma), X).dense(), RBF(gamma=gamma)(X))
        assert (cache.hits, cache.misses) == (1, 3)  # auto is 1/2


# ---- bounds


def test_the_least_recently_used_matrices_are_dropped(rng):
    A, B, D = rng.normal(size=(3, 10, 2))
    with GramCache(1600) as cache:
        for X in (A, B, A, D, A, B):
            gram(RBF(gamma=0.5), X).dense()
            assert cache.nbytes <= 1600
        assert (cache.misses, cache.hits, cache.evictions, len(cache)) == (4, 2, 2, 2)
    assert (cache.nbytes, len(cache)) == (0, 0)


def test_what_cannot_be_kept_is_computed(rng, monkeypatch):
    X = rng.normal(size=(20, 2))
    with GramCache("1kB") as cache:
        np.testing.assert_array_equal(gram(RBF(gamma=0.5), X).dense(), RBF(gamma=0.5)(X))
    assert (cache.misses, cache.skipped) == (0, 1)
    items = [lambda: 1.0, lambda: 2.0]  # functions without a name cannot be pickled
    with GramCache() as cache:
        np.testing.assert_array_equal(gram(user(lambda a, b: a() * b()), items).dense(), [[1.0, 2.0], [2.0, 4.0]])
    assert (cache.misses, cache.skipped) == (0, 1)
    monkeypatch.setattr("mercer.model_selection.gram_cache.available_memory", lambda: 1000)
    with GramCache() as cache:
        gram(RBF(gamma=0.5), X).dense()
    assert (cache.misses, cache.skipped) == (0, 1)


def test_an_error_leaves_nothing_behind(rng):
    X, fail = rng.normal(size=(6, 2)), [True]

    def function(A, B):
        if fail:
            raise RuntimeError("no")
        return A @ B.T

    kernel = user(block=function)
    with GramCache() as cache:
        with pytest.raises(ValueError, match="no"):
            gram(kernel, X).dense()
        fail.clear()
        np.testing.assert_array_equal(gram(kernel, X).dense(), kernel(X))
        assert (cache.misses, cache.hits) == (1, 0)


# ---- blocks, threads, processes


def test_a_cache_is_open_in_its_block_only(rng):
    X, outer, inner = rng.normal(size=(8, 2)), GramCache(), GramCache()
    assert current_store() is None
    with outer:
        gram(RBF(gamma=0.5), X).dense()
        with inner:
            gram(RBF(gamma=0.5), X).dense()
            with outer:
                gram(RBF(gamma=0.5), X).dense()
        assert current_store() is outer
        gram(RBF(gamma=0.5), X).dense()
    gram(RBF(gamma=0.5), X).dense()
    assert current_store() is None
    assert (outer.misses, outer.hits, inner.misses, inner.hits) == (1, 2, 1, 0)
    with outer:  # a second time, empty again
        gram(RBF(gamma=0.5), X).dense()
    assert outer.misses == 2


def test_threads_wait_for_the_first_of_them():
    started, calls = threading.Barrier(4), []

    def slow(A, B):
        calls.append(1)
        return np.asarray(A) @ np.asarray(B).T

    X, kernel = np.eye(50), user(block=slow)

    def work(_):
        started.wait()
        return gram(kernel, X).dense()

    with GramCache() as cache, ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(4)))
    assert len(calls) == 1
    assert (cache.misses, cache.hits) == (1, 3)
    assert all(np.array_equal(K, np.eye(50)) for K in results)


def test_a_search_in_threads():
    counted = Counted()
    with GramCache(), parallel_backend("threading", n_jobs=2):
        found = searched(SVC(kernel=counted.kernel), {"C": C}, WORDS, CLASSES, n_jobs=2)
    assert counted.calls == 3 * (24 * 25 // 2 + 12 * 24) + 36 * 37 // 2
    equal(found, searched(SVC(kernel=Counted().kernel), {"C": C}, WORDS, CLASSES))


def test_a_forked_process_has_no_cache(monkeypatch):
    with GramCache():
        monkeypatch.setattr("os.getpid", lambda: -1)
        assert current_store() is None


# ---- not exact


@pytest.mark.parametrize("model", [SVC(kernel="rbf", gamma=0.2, tol=1e-6), SVR(kernel="rbf", gamma=0.2, tol=1e-6)])
def test_machines_on_vectors_share_matrices_if_rounding_may_differ(model, rng):
    X = rng.normal(size=(90, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=90)
    y = y > 0 if isinstance(model, SVC) else y
    with GramCache(exact=False) as cache:
        found = searched(model, {"C": [0.1, 1.0, 10.0]}, X, y)
    plain = searched(model, {"C": [0.1, 1.0, 10.0]}, X, y)
    assert cache.misses == 2 * 3 + 1
    assert cache.hits == 2 * 3 * 2
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], atol=1e-4)


def test_predictions_of_ridge_regression_if_rounding_may_differ(rng):
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    with GramCache(exact=False) as cache:
        found = searched(KernelRidge(kernel="rbf", gamma=0.5), {"alpha": [0.1, 1.0, 10.0]}, X, y)
    assert (cache.misses, cache.hits) == (7, 12)
    plain = searched(KernelRidge(kernel="rbf", gamma=0.5), {"alpha": [0.1, 1.0, 10.0]}, X, y)
    np.testing.assert_allclose(found.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-10)


# ---- parameters


@pytest.mark.parametrize(("given", "expected"), [("2GB", 2 * 10**9), ("1.5 MB", 1_500_000), ("800", 800), (800, 800)])
def test_sizes(given, expected):
    assert GramCache(given).max_bytes == expected


@pytest.mark.parametrize("given", ["2 gigabytes", "", "GB", "-1GB", "0", "nan", "inf GB", 0, -5])
def test_sizes_that_are_not(given):
    with pytest.raises(ValueError, match="GramCache: parameter max_bytes must be"):
        GramCache(given)


def test_mistakes():
    with pytest.raises(TypeError, match="max_bytes must be an integer"):
        GramCache(None)
    with pytest.raises(TypeError, match="exact must be True or False"):
        GramCache(exact="no")
    assert repr(GramCache("2GB")) == "GramCache: 0 bytes of 2.0 GB; 0 hits, 0 misses, 0 skipped, 0 evictions"
