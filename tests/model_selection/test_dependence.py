"""HSIC against its definitions, and the permutation test of independence."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from mercer.exceptions import MemoryLimitError
from mercer.kernels import RBF, Linear, Overlap
from mercer.model_selection import alignment, hsic, independence_test, mmd
from mercer.operators import OperatorStack, PrecomputedOperator, gram
from tests.reference.statistics import hsic_biased, hsic_of_song, hsic_unbiased

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "hyppo.json").read_text())


@pytest.fixture
def pairs(rng):
    x = rng.normal(size=(40, 2))
    return x, np.sin(2 * x[:, :1]) + 0.5 * rng.normal(size=(40, 1))


@pytest.fixture
def grams(pairs):
    return RBF(gamma=0.7)(pairs[0]), RBF(gamma=0.4)(pairs[1])


# ---- values


@pytest.mark.parametrize(("unbiased", "twin"), [(False, hsic_biased), (True, hsic_of_song)])
def test_the_definition(pairs, grams, unbiased, twin):
    expected = twin(*grams)
    assert hsic(*grams, unbiased=unbiased) == pytest.approx(expected, rel=1e-11)
    assert hsic("rbf(gamma=0.7)", RBF(gamma=0.4), *pairs, unbiased=unbiased) == pytest.approx(expected, rel=1e-11)
    operators = gram(RBF(gamma=0.7), pairs[0]), PrecomputedOperator(grams[1])
    assert hsic(*operators, unbiased=unbiased) == pytest.approx(expected, rel=1e-11)


def test_songs_formula_is_the_mean_over_quadruples(grams):
    K, L = (G[:7, :7] for G in grams)
    assert hsic(K, L) == pytest.approx(hsic_unbiased(K, L), rel=1e-10)


def test_the_unbiased_estimate_averages_to_the_population(rng):
    """Over all subsets of five of a finite population without repetition, the mean is the value of the population."""
    from itertools import combinations

    K, L = (A @ A.T for A in rng.normal(size=(2, 8, 3)))
    parts = [np.ix_(rows, rows) for rows in map(list, combinations(range(8), 5))]
    assert np.mean([hsic(K[part], L[part]) for part in parts]) == pytest.approx(hsic(K, L), rel=1e-10)


def test_panels_change_nothing(grams, monkeypatch):
    whole = [hsic(*grams, unbiased=unbiased) for unbiased in (True, False)]
    monkeypatch.setattr("mercer.model_selection.dependence.MEMORY_BUDGET", 3 * 8 * 40 * 7)
    assert [hsic(*grams, unbiased=unbiased) for unbiased in (True, False)] == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("unbiased", [True, False])
def test_a_large_constant_costs_few_digits(grams, unbiased):
    K, L = grams
    assert hsic(K + 1e6, L, unbiased=unbiased) == pytest.approx(hsic(K, L, unbiased=unbiased), rel=1e-6)
    v = np.linspace(0, 1, 40)
    assert hsic(K + v[:, None] + v, L, unbiased=unbiased) == pytest.approx(hsic(K, L, unbiased=unbiased), rel=1e-10)


def test_alignment_is_normalised_hsic(pairs, grams):
    K, L = grams
    parts = [hsic(A, B, unbiased=False) for A, B in ((K, L), (K, K), (L, L))]
    assert alignment(K, L) == pytest.approx(parts[0] / np.sqrt(parts[1] * parts[2]), rel=1e-12)
    found = OperatorStack([PrecomputedOperator(K), PrecomputedOperator(L)]).agreement(np.zeros((40, 1)))
    assert parts[0] == pytest.approx(found.correlations[0, 1] * found.norms.prod() / 40**2, rel=1e-12)


def test_a_kernel_of_labels_gives_the_mean_discrepancy(rng):
    """With l = [same sample], HSIC_b = 2 (mn/(m + n)²)² MMD²_b."""
    X, Y = rng.normal(size=(12, 2)), rng.normal(1, size=(30, 2))
    label = np.r_[np.zeros(12), np.ones(30)][:, None]
    both = np.vstack([X, Y])
    found = hsic(RBF(gamma=0.5), Overlap(), both, label, unbiased=False)
    assert found == pytest.approx(2 * (12 * 30 / 42**2) ** 2 * mmd(RBF(gamma=0.5), X, Y, unbiased=False), rel=1e-11)


def test_values_of_hyppo():
    i = np.arange(12.0)
    x, y = np.column_stack([np.sin(i), np.cos(2 * i)]), (np.sin(i) ** 2 + 0.1 * i)[:, None]
    z = np.column_stack([np.cos(3 * i) + 0.3, np.sin(5 * i)])[:9]
    k, label = RBF(gamma=0.7), np.r_[np.zeros(12), np.ones(9)][:, None]

    def normalised(a, b, unbiased):
        return hsic(k, k, a, b, unbiased=unbiased) / np.sqrt(
            hsic(k, k, a, a, unbiased=unbiased) * hsic(k, k, b, b, unbiased=unbiased)
        )

    factor = 2 * 12**2 * 9**2 / 21**4
    both = np.vstack([x, z])
    assert normalised(x, y, True) == pytest.approx(GOLDEN["hsic"]["unbiased"], rel=1e-10)
    assert np.sqrt(normalised(x, y, False)) == pytest.approx(GOLDEN["hsic"]["biased"], rel=1e-10)
    assert factor * normalised(both, label, True) == pytest.approx(GOLDEN["mmd"]["unbiased"], rel=1e-10)
    assert factor * np.sqrt(normalised(both, label, False)) == pytest.approx(GOLDEN["mmd"]["biased"], rel=1e-10)


# ---- the test


@pytest.mark.parametrize(("unbiased", "twin"), [(False, hsic_biased), (True, hsic_of_song)])
def test_the_null_distribution_is_that_of_permuted_matrices(pairs, grams, unbiased, twin):
    found = independence_test(
        *pairs,
        kernel_x="rbf(gamma=0.7)",
        kernel_y="rbf(gamma=0.4)",
        unbiased=unbiased,
        n_permutations=20,
        random_state=3,
    )
    rng, (K, L) = np.random.default_rng(3), grams
    orders = [rng.permutation(40) for _ in range(20)]
    expected = [twin(K, L[np.ix_(order, order)]) for order in orders]
    np.testing.assert_allclose(found.null_distribution, expected, rtol=1e-9, atol=1e-14)
    assert found.statistic == pytest.approx(twin(K, L), rel=1e-10)
    assert found.pvalue == (1 + np.sum(np.array(expected) >= found.statistic)) / 21
    assert found.n_permutations == 20


def test_tiles_of_rows_change_nothing(grams, monkeypatch):
    def run():
        return independence_test(
            *grams, kernel_x="precomputed", kernel_y="precomputed", n_permutations=9, random_state=0
        )

    whole = run()
    monkeypatch.setattr("mercer.model_selection.dependence._TILE", 40 * 7)
    np.testing.assert_allclose(run().null_distribution, whole.null_distribution, rtol=1e-9, atol=1e-14)


def test_dependence_is_found_and_independence_is_not(rng):
    x = rng.normal(size=(100, 1))
    assert independence_test(x, x**2, n_permutations=200, random_state=0).pvalue == 1 / 201
    assert independence_test(x, rng.normal(size=(100, 1)), n_permutations=200, random_state=0).pvalue > 0.05


def test_rounding_is_not_evidence(rng):
    """Nothing depends on a constant: HSIC is zero up to rounding for every permutation."""
    x, constant = rng.normal(size=(50, 2)), np.full((50, 3), 0.1)
    for unbiased in (True, False):
        found = independence_test(
            x, constant, kernel_y="linear + 0.3", unbiased=unbiased, n_permutations=99, random_state=0
        )
        assert found.pvalue == 1.0


def test_every_form_of_input(pairs, grams):
    def run(*data, **kernels):
        return independence_test(*data, n_permutations=50, random_state=1, **kernels).null_distribution

    expected = run(*pairs, kernel_x=RBF(gamma=0.7), kernel_y="rbf(gamma=0.4)")
    np.testing.assert_allclose(
        run(*grams, kernel_x="precomputed", kernel_y="precomputed"), expected, rtol=1e-9, atol=1e-14
    )
    operators = [PrecomputedOperator(K) for K in grams]
    np.testing.assert_allclose(run(*operators), expected, rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(
        run(*pairs), run(*pairs, kernel_x="rbf(gamma='median')", kernel_y=RBF(gamma="median"))
    )


def test_strings_against_graphs():
    """Longer words go with longer paths."""
    lengths = np.tile([2, 3, 4, 5, 6], 6)
    words = ["ab" * int(n) for n in lengths]
    graphs = [nx.path_graph(int(n)) for n in lengths]
    found = independence_test(
        words,
        graphs,
        kernel_x="spectrum(p=2)",
        kernel_y="shortest_path(labeled=False)",
        n_permutations=99,
        random_state=0,
    )
    assert found.pvalue == 0.01


@pytest.mark.parametrize("random_state", [0, np.random.RandomState(0), np.random.default_rng(0), None])
def test_every_source_of_randomness(grams, random_state):
    found = independence_test(*map(PrecomputedOperator, grams), n_permutations=5, random_state=random_state)
    assert found.null_distribution.shape == (5,)
    assert not found.null_distribution.flags.writeable


def _share_of_small_pvalues(draws, n, unbiased):
    rng = np.random.default_rng(0)
    pvalues = [
        independence_test(
            rng.normal(size=(n, 1)), rng.uniform(size=(n, 1)), unbiased=unbiased, n_permutations=99, random_state=rng
        ).pvalue
        for _ in range(draws)
    ]
    return np.mean(np.array(pvalues) <= 0.05)


def test_errors_of_the_first_kind_are_as_rare_as_promised():
    assert _share_of_small_pvalues(200, 12, unbiased=True) == pytest.approx(0.05, abs=0.03)


@pytest.mark.exhaustive
@pytest.mark.parametrize("unbiased", [True, False])
def test_errors_of_the_first_kind_over_a_thousand_draws(unbiased):
    assert _share_of_small_pvalues(1000, 30, unbiased) == pytest.approx(0.05, abs=0.015)


# ---- mistakes


def test_mistakes(pairs, grams, rng):
    x, y = pairs
    with pytest.raises(ValueError, match="hsic: X has 40 samples but Y has 30"):
        hsic("linear", "linear", x, y[:30])
    with pytest.raises(ValueError, match="independence_test: X has 40 samples but Y has 30"):
        independence_test(x, y[:30])
    with pytest.raises(ValueError, match="got 3 samples, expected at least 4; the biased estimate"):
        hsic(Linear(), Linear(), x[:3], y[:3])
    assert hsic(Linear(), Linear(), x[:3], y[:3], unbiased=False) >= 0
    with pytest.raises(TypeError, match=r"hsic: the kernel linear needs the samples Y, got None"):
        hsic("linear", "linear", x)
    with pytest.raises(ValueError, match="symmetric"):
        hsic(rng.normal(size=(40, 40)), grams[1])
    with pytest.raises(ValueError, match="n_permutations must be an integer >= 1"):
        independence_test(x, y, n_permutations=0)
    with pytest.raises(TypeError, match="independence_test: random_state must be"):
        independence_test(x, y, random_state="zero")
    with pytest.raises(TypeError, match="unbiased must be True or False"):
        hsic(*grams, unbiased="yes")
    with pytest.raises(TypeError, match="called 'random_state'"):
        independence_test(x, y, seed=0)


def test_matrices_that_do_not_fit_are_refused_before_they_are_made(pairs, monkeypatch):
    monkeypatch.setattr("mercer._runtime.limits.available_memory", lambda: 10_000_000)
    monkeypatch.setattr("mercer._runtime.limits.NEGLIGIBLE", 0)
    x = np.zeros((1000, 1))
    with pytest.raises(MemoryLimitError, match="independence_test: 2 dense 1000 x 1000"):
        independence_test(gram(Linear(), x), gram(Linear(), x))
