"""The weighted degree kernel against its definition, and the inequality behind its shifts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Strings
from mercer.exceptions import NoFeatureMapError
from mercer.kernels.strings.weighted_degree import WeightedDegree
from mercer.preprocessing import FeatureMap
from mercer.testing import check_kernel
from tests.reference import weighted_degree as reference

WORDS = st.lists(st.text("abé𝄞", max_size=9), min_size=1, max_size=5)
WEIGHTS = st.none() | st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, 3.0])] * 9)


def slow(kernel, A, B):
    options = kernel.degree, kernel.shift, kernel.position_weights
    return np.array([[reference.value(a, b, *options) for b in B] for a in A])


@given(WORDS, WORDS, st.integers(1, 5), st.integers(0, 4), WEIGHTS)
def test_blocks_follow_the_definition(A, B, degree, shift, weights):
    kernel = WeightedDegree(degree, shift, position_weights=weights)
    np.testing.assert_allclose(kernel(A, B), slow(kernel, A, B), rtol=1e-13)
    np.testing.assert_allclose(kernel(A), slow(kernel, A, A), rtol=1e-13)
    np.testing.assert_allclose(kernel.diag(A), np.diagonal(slow(kernel, A, A)), rtol=1e-13)


@pytest.mark.parametrize("alphabet", ["ab", "".join(map(chr, range(0x4E00, 0x4E00 + 300)))])
def test_lengths_around_a_word(rng, alphabet):
    # 64 positions are compared at a time, 8 bytes in one go
    words = ["".join(rng.choice(list(alphabet), n)) for n in (0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 150)]
    words += [words[-1], words[-1][1:], "x" + words[-1], words[-1][:100] + "x" + words[-1][101:]]
    for kernel in (WeightedDegree(3), WeightedDegree(66), WeightedDegree(2, 300)):
        np.testing.assert_allclose(kernel(words, words[-4:]), slow(kernel, words, words[-4:]), rtol=1e-12)


def test_unit_weights_change_nothing(rng):
    words = ["".join(rng.choice(list("acgt"), 82)) for _ in range(30)]
    for shift in (0, 3):
        weighted = WeightedDegree(8, shift, position_weights=(1.0,) * 82)
        np.testing.assert_allclose(weighted(words), WeightedDegree(8, shift)(words), rtol=1e-13)


def test_a_string_with_itself():
    # a run of L symbols holds L − d + 1 blocks of d
    assert WeightedDegree(2)(["abcd"])[0, 0] == pytest.approx(4 * 2 / 3 + 3 * 1 / 3)
    # strkernels and Shogun: "AC" and "AG" share the one block "A" of weight 2/3
    assert WeightedDegree(2)(["AC"], ["AG"])[0, 0] == pytest.approx(2 / 3)


def test_values_do_not_depend_on_the_batch(rng):
    words = ["".join(rng.choice(list("ab"), n)) for n in rng.integers(0, 90, 150)]
    for kernel in (WeightedDegree(4, 3), WeightedDegree(4, 3, position_weights=rng.random(90))):
        K = kernel(words, n_jobs=1)
        np.testing.assert_array_equal(kernel(words, n_jobs=2), K)
        np.testing.assert_array_equal(K, K.T)
        rows = rng.permutation(150)[:37]
        some = [words[i] for i in rows]
        np.testing.assert_array_equal(kernel(some), K[np.ix_(rows, rows)])
        np.testing.assert_array_equal(kernel(some, words), K[rows])
        np.testing.assert_array_equal(kernel.diag(some), np.diagonal(K)[rows])


def test_the_inequality_of_rogosinski_and_szego():
    """1/2 + Σ_{r ≤ S} cos(rx)/(r + 1) ≥ 0 for every S, so that the matrix of shifts is positive definite."""
    x = np.linspace(0, np.pi, 4001)
    symbol = np.ones_like(x)
    for r in range(1, 201):
        symbol += np.cos(r * x) / (r + 1)
        assert symbol.min() >= 0.5 - 1e-12
    for shift in (1, 5, 200):
        apart = abs(np.subtract.outer(np.arange(220), np.arange(220)))
        matrix = np.where(apart > shift, 0.0, np.where(apart == 0, 1.0, 1 / (2 * (apart + 1.0))))
        assert np.linalg.eigvalsh(matrix)[0] > 0.49


def test_symbols_outside_and_short_strings():
    kernel = WeightedDegree(2, alphabet="dna")
    np.testing.assert_allclose(kernel(["ANNC"], ["ANNC"]), [[2 * 2 / 3]])
    K = kernel.normalized()(["", "NN", "ACGT"])
    np.testing.assert_array_equal(K[:2], 0.0)
    assert K[2, 2] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "kernel",
    [WeightedDegree(3), WeightedDegree(2, 3), WeightedDegree(4, 2, position_weights=range(12)), WeightedDegree(1, 50)],
)
def test_laws(kernel, rng):
    sample = [*("".join(rng.choice(list("abc"), n)) for n in rng.integers(0, 12, 12)), "abc", "abc"]
    check_kernel(kernel, Strings(sample))


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="WeightedDegree: parameter degree"):
        WeightedDegree(0)
    with pytest.raises(ValueError, match="WeightedDegree: parameter shift"):
        WeightedDegree(2, -1)
    with pytest.raises(ValueError, match=r"parameter position_weights\[1\]"):
        WeightedDegree(2, position_weights=(1, -1))
    with pytest.raises(TypeError, match=r"must be a sequence of numbers >= 0, got 2\.0"):
        WeightedDegree(2, position_weights=2.0)
    with pytest.raises(ValueError, match="position_weights has 2 numbers, but string 1 has 3 symbols"):
        WeightedDegree(2, position_weights=(1, 1))(["ab"], ["a", "abc"])


@given(A=st.lists(st.text("ab", max_size=7), min_size=1, max_size=4), degree=st.integers(1, 4))
def test_features_are_blocks_at_their_places(A, degree):
    for kernel in (WeightedDegree(degree), WeightedDegree(degree, position_weights=[1, 2, 0, 1, 3, 1, 1])):
        F = kernel.feature_map(A)
        np.testing.assert_allclose((F @ F.T).toarray(), kernel(A), rtol=1e-12, atol=1e-12)


def test_names_of_features():
    names = FeatureMap(WeightedDegree(2)).fit(["AAC", "GA"]).get_feature_names_out()
    assert set(names) == {"A@0", "A@1", "C@2", "AA@0", "AC@1", "G@0", "GA@0"}
    with pytest.raises(NoFeatureMapError):
        WeightedDegree(2, 1).feature_map(["AAC"])
