"""MMD² against its definitions, and the permutation test of two samples."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer.data import Strings
from mercer.kernels import RBF, Columns, Linear, Overlap, user
from mercer.model_selection import mmd, two_sample_test
from mercer.operators import PrecomputedOperator, gram
from tests.reference.statistics import mmd_biased, mmd_unbiased


@pytest.fixture
def samples(rng):
    return rng.normal(size=(14, 2)), rng.normal(0.5, 1.5, size=(23, 2))


def gaussian(a, b):
    return np.exp(-0.7 * np.sum((a - b) ** 2))


# ---- values


@pytest.mark.parametrize(("unbiased", "twin"), [(False, mmd_biased), (True, mmd_unbiased)])
def test_the_definition(samples, unbiased, twin):
    expected = twin(gaussian, *samples)
    assert mmd(RBF(gamma=0.7), *samples, unbiased=unbiased) == pytest.approx(expected, rel=1e-11)
    assert mmd("rbf(gamma=0.7)", *samples, unbiased=unbiased) == pytest.approx(expected, rel=1e-11)
    K = RBF(gamma=0.7)(np.vstack(samples))
    assert mmd(K, range(14), range(14, 37), unbiased=unbiased) == pytest.approx(expected, rel=1e-11)
    assert mmd(PrecomputedOperator(K), slice(14), np.arange(37) >= 14, unbiased=unbiased) == pytest.approx(expected)
    streamed = gram(RBF(gamma=0.7), np.vstack(samples), memory_budget=500)
    assert mmd(streamed, slice(14), slice(14, None), unbiased=unbiased) == pytest.approx(expected, rel=1e-11)


def test_the_linear_kernel_compares_means(samples):
    X, Y = samples
    distance = float(np.sum((X.mean(axis=0) - Y.mean(axis=0)) ** 2))
    assert mmd("linear", X, Y, unbiased=False) == pytest.approx(distance, rel=1e-12)
    spread = X.var(axis=0, ddof=1).sum() / 14 + Y.var(axis=0, ddof=1).sum() / 23
    assert mmd("linear", X, Y) == pytest.approx(distance - spread, rel=1e-11)


def test_a_frame_and_an_array_of_its_numbers(samples):
    X, Y = samples
    assert (
        mmd(RBF(gamma=0.7), pd.DataFrame(X), Y) == mmd(RBF(gamma=0.7), X, Y) == mmd(RBF(gamma=0.7), X, pd.DataFrame(Y))
    )


def test_laws(samples):
    X, Y = samples
    for unbiased in (True, False):
        value = mmd(RBF(gamma=0.7), X, Y, unbiased=unbiased)
        assert mmd(RBF(gamma=0.7), Y, X, unbiased=unbiased) == pytest.approx(value, rel=1e-12)
        assert mmd(3 * RBF(gamma=0.7) + 1e6, X, Y, unbiased=unbiased) == pytest.approx(3 * value, rel=1e-6)
    assert mmd(RBF(gamma=0.7), X, X, unbiased=False) == pytest.approx(0, abs=1e-15)


def test_some_rows_of_a_matrix_in_any_order(samples):
    X, Y = samples
    K = RBF(gamma=0.7)(np.vstack(samples))
    assert mmd(K, [3, 1, 2], [20, 19]) == pytest.approx(mmd(RBF(gamma=0.7), X[[1, 2, 3]], Y[[5, 6]]), rel=1e-11)


def test_the_default_kernel_has_the_median_of_all_distances(samples):
    both = np.vstack(samples)
    distances = [np.linalg.norm(a - b) for i, a in enumerate(both) for b in both[:i]]
    assert mmd(None, *samples) == pytest.approx(mmd(RBF(gamma=1 / np.median(distances) ** 2), *samples), rel=1e-11)


# ---- the test


@pytest.mark.parametrize(("unbiased", "twin"), [(False, mmd_biased), (True, mmd_unbiased)])
def test_the_null_distribution_is_that_of_other_divisions(samples, unbiased, twin):
    found = two_sample_test(*samples, kernel=RBF(gamma=0.7), unbiased=unbiased, n_permutations=10, random_state=5)
    rng, both = np.random.default_rng(5), np.vstack(samples)
    orders = [rng.permutation(37) for _ in range(10)]
    expected = np.array([twin(gaussian, both[order[:14]], both[order[14:]]) for order in orders])
    np.testing.assert_allclose(found.null_distribution, expected, rtol=1e-9, atol=1e-14)
    assert found.statistic == pytest.approx(twin(gaussian, *samples), rel=1e-10)
    assert found.pvalue == (1 + np.sum(expected >= found.statistic)) / 11


def test_batches_of_permutations_change_nothing(samples, monkeypatch):
    whole = two_sample_test(*samples, n_permutations=150, random_state=0)
    monkeypatch.setattr("mercer._runtime.interrupt.PIECE", 1.0)  # 64 columns at a time
    parts = two_sample_test(*samples, n_permutations=150, random_state=0)
    np.testing.assert_allclose(parts.null_distribution, whole.null_distribution, rtol=1e-9, atol=1e-14)


def test_a_matrix_that_does_not_fit_is_not_held(samples, monkeypatch):
    whole = two_sample_test(*samples, kernel=RBF(gamma=0.7), n_permutations=30, random_state=0)
    K = gram(RBF(gamma=0.7), np.vstack(samples))
    monkeypatch.setattr(type(K), "hold", lambda self, limit=None: self)
    streamed = two_sample_test(slice(14), slice(14, None), kernel=K, n_permutations=30, random_state=0)
    np.testing.assert_allclose(streamed.null_distribution, whole.null_distribution, rtol=1e-9, atol=1e-14)


def test_one_gram_matrix_for_all_permutations():
    calls = []
    kernel = user(lambda a, b: calls.append(1) or float(a @ b))
    two_sample_test(np.eye(5), np.eye(5)[:4], kernel=kernel, n_permutations=50, random_state=0)
    assert len(calls) == 9 * 10 / 2


def test_a_difference_is_found_and_none_is_not(rng):
    X = rng.normal(size=(60, 1))
    assert two_sample_test(X, 2 * rng.normal(size=(60, 1)), n_permutations=200, random_state=0).pvalue < 0.05
    assert two_sample_test(X, rng.normal(size=(60, 1)), n_permutations=200, random_state=0).pvalue > 0.05


def test_ties_count_as_extreme():
    """Every division of equal observations has the same value, up to rounding."""
    X = np.full((5, 3), 0.1)
    found = two_sample_test(X, X, kernel="linear + 1", n_permutations=99, random_state=0)
    assert found.pvalue == 1.0
    few = two_sample_test([[0.1], [0.7]], [[0.1], [0.7]], kernel="linear", n_permutations=99, random_state=0)
    assert few.pvalue == 1.0  # the observed division is the least extreme one


def test_rounding_is_not_evidence():
    """A kernel that is constant on the samples: MMD² is zero up to rounding for every division."""
    X, Y = ["GATTACA" * 3, "ATGATCA" * 3, "TAGATCA" * 3] * 7, ["AAATTCG" * 3, "CGTTAAA" * 3, "GCATATA" * 3] * 7
    for unbiased in (True, False):
        found = two_sample_test(X, Y, kernel="spectrum(p=1)", unbiased=unbiased, n_permutations=99, random_state=0)
        assert found.pvalue == 1.0
    X, Y = np.full((21, 2), 0.1), np.full((20, 2), 0.1)
    assert two_sample_test(X, Y, kernel="rbf(gamma=0.3) + 1e6", n_permutations=99, random_state=0).pvalue == 1.0


@pytest.mark.parametrize("kind", ["strings", "packed strings", "graphs", "frames", "sparse"])
def test_data_of_any_kind(kind):
    words = ["GAT", "GCT", "GAT", "GTT"] * 5, ["GGT", "GGG", "GCG", "GGG"] * 5
    X, Y, kernel = {
        "strings": (*words, "spectrum(p=1)"),
        "packed strings": (*map(Strings, words), "spectrum(p=1)"),
        "graphs": (
            [nx.path_graph(n) for n in [3, 4] * 9],
            [nx.cycle_graph(n) for n in [3, 4] * 9],
            "shortest_path(labeled=False)",
        ),
        "frames": (*(pd.DataFrame({"c": w}) for w in words), Columns("c", Overlap())),
        "sparse": (sp.eye_array(20, 5, format="csr"), sp.csr_array(np.ones((20, 5))), Linear()),
    }[kind]
    assert two_sample_test(X, Y, kernel=kernel, n_permutations=99, random_state=0).pvalue == 0.01


def _share_of_small_pvalues(draws, m, n, unbiased):
    rng = np.random.default_rng(0)
    pvalues = [
        two_sample_test(
            rng.normal(size=(m, 2)), rng.normal(size=(n, 2)), unbiased=unbiased, n_permutations=99, random_state=rng
        ).pvalue
        for _ in range(draws)
    ]
    return np.mean(np.array(pvalues) <= 0.05)


def test_errors_of_the_first_kind_are_as_rare_as_promised():
    assert _share_of_small_pvalues(300, 8, 12, unbiased=True) == pytest.approx(0.05, abs=0.03)


@pytest.mark.exhaustive
@pytest.mark.parametrize("unbiased", [True, False])
def test_errors_of_the_first_kind_over_a_thousand_draws(unbiased):
    assert _share_of_small_pvalues(1000, 20, 30, unbiased) == pytest.approx(0.05, abs=0.015)


# ---- mistakes


def test_mistakes(samples):
    X, Y = samples
    with pytest.raises(ValueError, match="mmd: got samples of sizes 1 and 23, expected at least 2 each; the biased"):
        mmd("linear", X[:1], Y)
    with pytest.raises(ValueError, match="expected at least 1 each"):
        mmd("linear", X[:0], Y, unbiased=False)
    with pytest.raises(ValueError, match="two_sample_test: X and Y cannot be compared"):
        two_sample_test(X, Y[:, :1])
    with pytest.raises(TypeError, match="two_sample_test: X and Y cannot be compared"):
        two_sample_test(Strings(["a", "b"]), pd.DataFrame({"a": [1, 2]}), kernel="spectrum")
    with pytest.raises(ValueError, match="occurs twice"):
        mmd(np.eye(4), [0, 1], [1, 2])
    with pytest.raises(IndexError, match="mmd: Y 7 is out of range for 4 samples"):
        mmd(np.eye(4), [0, 1], [2, 7])
    with pytest.raises(ValueError, match="n_permutations must be an integer >= 1"):
        two_sample_test(X, Y, n_permutations=0)
    with pytest.raises(ValueError, match="two_sample_test: random_state must be"):
        two_sample_test(X, Y, random_state=-1)
