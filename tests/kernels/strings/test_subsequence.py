"""The subsequence kernel against its definition, its NumPy twin and published values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Strings
from mercer.kernels.strings.subsequence import Subsequence
from mercer.testing import check_kernel
from tests.reference import subsequence as reference

WORDS = st.lists(st.text("abé𝄞", max_size=7), min_size=1, max_size=5)


def slow(kernel, A, B):
    lengths = range(1 if kernel.blended else kernel.p, kernel.p + 1)
    return np.array([[sum(reference.value(a, b, q, kernel.decay) for q in lengths) for b in B] for a in A])


@given(WORDS, WORDS, st.integers(1, 4), st.sampled_from([0.3, 0.5, 1.0]), st.booleans())
def test_blocks_follow_the_definition(A, B, p, decay, blended):
    kernel = Subsequence(p, decay, blended=blended)
    np.testing.assert_allclose(kernel(A, B), slow(kernel, A, B), rtol=1e-13)
    np.testing.assert_allclose(kernel(A), slow(kernel, A, A), rtol=1e-13)
    np.testing.assert_allclose(kernel.diag(A), np.diagonal(slow(kernel, A, A)), rtol=1e-13)


@pytest.mark.parametrize("strings", [[b"\x00\xff\x00", b"", b"\xff\x00"], [["to", "be"], [], ["be", "to", "be"]]])
def test_bytes_and_tokens(strings):
    kernel = Subsequence(2, 0.7)
    np.testing.assert_allclose(kernel(strings), slow(kernel, strings, strings), rtol=1e-14)


@pytest.mark.parametrize("p", [1, 2, 3, 5, 6, 7, 9, 12])
def test_every_number_of_levels_against_the_vectorised_twin(rng, p):
    words = ["".join(rng.choice(list("abcd"), n)) for n in rng.integers(0, 60, 20)]
    expected = reference.gram(words, None, p, 0.6)
    np.testing.assert_allclose(Subsequence(p, 0.6)(words), expected, rtol=1e-12)
    blended = sum(reference.gram(words, words[:3], q, 0.6) for q in range(1, p + 1))
    np.testing.assert_allclose(Subsequence(p, 0.6, blended=True)(words, words[:3]), blended, rtol=1e-12)


def test_many_symbols(rng):
    words = ["".join(map(chr, rng.integers(0x4E00, 0x4E00 + 400, n))) for n in (300, 200, 0, 250)]
    expected = reference.gram(words, None, 2, 0.9)
    assert expected[0, 1] > 0
    np.testing.assert_allclose(Subsequence(2, 0.9)(words), expected, rtol=1e-12)


def test_published_values():
    # normalised K_p, decay 0.5, p = 1, ..., 6, of the pair in Lodhi et al. 2002
    pair = ["science is organized knowledge", "wisdom is organized life"]
    found = [Subsequence(p, 0.5).normalized()(pair)[0, 1] for p in range(1, 7)]
    np.testing.assert_allclose(found, [0.849, 0.580, 0.478, 0.439, 0.406, 0.369], atol=5e-4)
    decay = 0.3
    kernel = Subsequence(2, decay)
    np.testing.assert_allclose(kernel(["cat"], ["car", "cat"]), [[decay**4, 2 * decay**4 + decay**6]], rtol=1e-15)
    # Shogun's unit test of its subsequence kernel: lengths 1 and 2, decay 1
    blended = Subsequence(2, 1.0, blended=True).normalized()(["ABCDEFG", "EFGHIJK"])
    np.testing.assert_allclose(blended[0, 1], 0.214285714285714246, rtol=1e-14)


def test_values_do_not_depend_on_the_batch(rng):
    words = ["".join(rng.choice(list("abc"), n)) for n in rng.integers(0, 90, 150)]
    kernel = Subsequence(4, 0.8)
    K = kernel(words, n_jobs=1)
    np.testing.assert_array_equal(kernel(words, n_jobs=2), K)
    np.testing.assert_array_equal(K, K.T)
    rows = rng.permutation(150)[:37]
    some = [words[i] for i in rows]
    np.testing.assert_array_equal(kernel(some), K[np.ix_(rows, rows)])
    np.testing.assert_array_equal(kernel(words, some), K[:, rows])
    np.testing.assert_array_equal(kernel(some, words), K[rows])
    np.testing.assert_array_equal(kernel.diag(some), np.diagonal(K)[rows])
    np.testing.assert_array_equal(kernel([words[3]], [words[77]])[0, 0], K[3, 77])


def test_symbols_outside_match_nothing_but_take_room():
    kernel = Subsequence(2, 0.5, alphabet="dna", case="upper")
    np.testing.assert_allclose(kernel(["aNc", "ANNC", "NN"], ["AC"]), [[0.5**5], [0.5**6], [0.0]])
    np.testing.assert_allclose(kernel(["NN"], ["NN"]), [[0.0]])


def test_strings_without_features_are_normalised_to_zero():
    K = Subsequence(3).normalized()(["ab", "", "abc", "abcd"])
    np.testing.assert_array_equal(K[:2], 0.0)
    np.testing.assert_allclose(np.diagonal(K)[2:], 1.0)


def test_long_strings_underflow_to_nothing_and_overflow_with_an_error(rng):
    words = ["".join(rng.choice(list("ab"), 1000)) for _ in range(2)]
    assert np.isfinite(Subsequence(3, 1e-3)(words)).all()
    far = Subsequence(2, 0.01)(["a" + "x" * 400 + "b"], ["ab"])  # 0.01^404 is below the range of float64
    np.testing.assert_array_equal(far, 0.0)
    with pytest.raises(ValueError, match=r"Subsequence: the value of records 0 and [01] is beyond .* lower decay"):
        Subsequence(200, 1.0)(words)


@pytest.mark.parametrize("kernel", [Subsequence(2), Subsequence(3, 0.9, blended=True), Subsequence(1, alphabet="ab")])
def test_laws(kernel, rng):
    sample = [*("".join(rng.choice(list("abc"), n)) for n in rng.integers(0, 12, 12)), "abc", "abc"]
    check_kernel(kernel, Strings(sample))


def test_parameters_are_checked():
    for bad in (0, 2.5, "3"):
        with pytest.raises((ValueError, TypeError), match="Subsequence: parameter p"):
            Subsequence(bad)
    for bad in (0.0, 1.1, -1):
        with pytest.raises(ValueError, match="Subsequence: parameter decay"):
            Subsequence(2, bad)
    with pytest.raises(TypeError, match="blended must be True or False"):
        Subsequence(2, blended=1)
