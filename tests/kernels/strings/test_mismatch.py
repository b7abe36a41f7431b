"""The mismatch kernel against its definition, by every way there is to compute it."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Strings
from mercer.exceptions import MemoryLimitError
from mercer.kernels.strings.mismatch import Mismatch, common_neighbours
from mercer.kernels.strings.spectrum import Spectrum
from mercer.testing import check_kernel
from tests.reference import hamming as slow

WAYS = ["pairs", "features", "auto"]
KEBABS = ["GGAACGCCCGCTT", "CCGATACCTA", "GACCGAGTTATACTCT"]


@pytest.mark.parametrize("method", WAYS)
def test_kebabs(method):
    # kebabs (Bioconductor), example of its manual with mismatch(k=2, m=1) on the DNA alphabet, counts.
    expected = [[482, 341, 547], [341, 271, 426], [547, 426, 709]]
    kernel = Mismatch(2, 1, alphabet="dna", method=method)
    np.testing.assert_array_equal(kernel(KEBABS), expected)
    np.testing.assert_array_equal(Mismatch(2, 1, method=method)(KEBABS), expected)  # all four letters occur


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize(("p", "m"), [(1, 0), (2, 1), (3, 0), (3, 1), (3, 2), (4, 2), (4, 3)])
def test_common_neighbours(p, m, size):
    words = list(itertools.product(range(size), repeat=p))
    weights = common_neighbours(p, m, size)
    for d in range(p + 1):
        if size == 1 and d > 0:
            continue  # there are no two different words
        first, second = (0,) * p, (1,) * d + (0,) * (p - d)
        near = sum(slow.distance(w, first) <= m and slow.distance(w, second) <= m for w in words)
        assert (weights[d] if d < len(weights) else 0) == near


SHAPES = st.integers(1, 4).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, p - 1)))


@given(st.lists(st.text("ABCX", max_size=40), min_size=1, max_size=5), SHAPES)
def test_pairs_and_features_are_the_definition(strings, shape):
    expected = slow.gram(lambda s: slow.mismatch_features(s, *shape, "ABC"), strings)
    for method in WAYS:
        kernel = Mismatch(*shape, alphabet="ABC", method=method)
        np.testing.assert_array_equal(kernel(strings), expected)
        np.testing.assert_array_equal(kernel(strings[:2], strings), expected[:2])


TOKENS = st.lists(st.lists(st.sampled_from(["to", "be", "or"]), max_size=8), min_size=1, max_size=4)
UNICODE = st.lists(st.text(st.sampled_from("aé漢𝄞"), max_size=9), min_size=1, max_size=4)
BYTES = st.lists(st.binary(max_size=5).map(lambda b: bytes(x % 4 for x in b)), min_size=1, max_size=4)


@given(st.one_of(TOKENS, UNICODE, BYTES))
def test_the_alphabet_is_that_of_the_training_data(strings):
    strings = [*strings, strings[0] + strings[0]]
    symbols = sorted({symbol for string in strings for symbol in string})
    if not symbols:
        with pytest.raises(ValueError, match="no symbols to take the alphabet from"):
            Mismatch(2, 1)(strings)
        return
    expected = slow.gram(lambda s: slow.mismatch_features(s, 2, 1, symbols), strings)
    for method in WAYS:
        np.testing.assert_array_equal(Mismatch(2, 1, method=method)(strings), expected)


def test_resolution():
    kernel = Mismatch(2, 1, case="upper").resolve(["gat", "ca"])
    assert kernel.alphabet == "ACGT"
    assert kernel.is_resolved
    assert kernel.resolve(["XYZ"]) is kernel
    assert Mismatch(2, 1, method="pairs").resolve(["ba"]).alphabet == "ab"
    assert Mismatch(2).resolve([["to", "be"]]).alphabet == ("be", "to")
    assert not Mismatch(2, method="pairs").is_resolved
    # A symbol that the training data did not have breaks the window.
    np.testing.assert_array_equal(kernel(["gat", "ca"], ["GAX"])[:, 0], kernel(["gat", "ca"], ["GA"])[:, 0])


def test_without_mismatches_it_is_the_spectrum():
    np.testing.assert_array_equal(Mismatch(3, 0)(KEBABS), Spectrum(3)(KEBABS))


@given(st.lists(st.text("ACGTN", max_size=20), min_size=1, max_size=4))
def test_both_strands(strings):
    def features(string):
        return slow.mismatch_features(string, 3, 1, "ACGT")

    expected = slow.gram(features, strings) + slow.gram(features, strings, list(map(slow.opposite, strings)))
    for method in ("pairs", "features"):
        kernel = Mismatch(3, 1, alphabet="dna", reverse_complement=True, method=method)
        np.testing.assert_array_equal(kernel(strings), expected)


def test_large_alphabets(rng):
    letters = [chr(0x4E00 + i) for i in range(300)]
    strings = ["".join(rng.choice(letters, 30)) for _ in range(4)]
    strings += [strings[0][:20] + strings[1][:10]]
    K = Mismatch(3, 1, method="pairs")(strings)
    np.testing.assert_array_equal(K, Mismatch(3, 1, method="features")(strings))
    assert K[0, 4] > 0


@pytest.mark.parametrize("method", ["pairs", "features"])
def test_laws(method, rng):
    sample = ["".join(rng.choice(list("ACGT"), n)) for n in rng.integers(3, 50, 12)] + ["GATTACA", "GATTACA"]
    check_kernel(Mismatch(4, 1, method=method), sample)
    check_kernel(Mismatch(3, 1, method=method, alphabet="dna", reverse_complement=True), sample)


def test_normalised_is_zero_for_strings_without_windows():
    for method in WAYS:
        K = Mismatch(3, 1, alphabet="dna", method=method).normalized()(["", "AC", "GATTACA"])
        np.testing.assert_allclose(K, np.diag([0.0, 0.0, 1.0]), rtol=1e-15, atol=0)


def test_features_have_names():
    kernel = Mismatch(2, 1, alphabet="dna")
    assert kernel.feature_map(["AC", "TT"]).shape == (2, 12)
    A = kernel.pack(["AC"])
    assert kernel.names(A, kernel.rows(A).columns) == ["AA", "AC", "AG", "AT", "CC", "GC", "TC"]
    tokens = Mismatch(2, 1, alphabet=("to", "be"))
    T = tokens.pack([["to", "be"]])
    assert sorted(tokens.names(T, tokens.rows(T).columns)) == ["be be", "to be", "to to"]


def test_the_method_is_chosen_on_the_data(rng):
    strings = ["".join(rng.choice(list("ACGT"), 100)) for _ in range(500)]
    assert Mismatch(12, 4, alphabet="dna").resolve(strings).method == "pairs"
    assert Mismatch(40, 4, alphabet="dna").resolve(strings).method == "pairs"
    assert Mismatch(8, 0, alphabet="dna").resolve(strings).method == "features"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mismatch(3, 3), "Mismatch: parameter m must be an integer >= 0 and <= 2, got 3"),
        (lambda: Mismatch(3, 1, outside="keep"), "outside='keep' is not possible"),
        (lambda: Mismatch(3, 1, reverse_complement=True), "needs alphabet='dna'"),
        (lambda: Mismatch(255, 200, alphabet="protein"), "beyond the range of float64"),
        (lambda: Mismatch(40, 1, alphabet="dna", method="features")(["ACGT"]), "63 bits"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_features_that_do_not_fit_are_refused():
    strings = Strings(["ACDEFGHIKL" * 100] * 1000)
    with pytest.raises(MemoryLimitError, match="method='pairs'"):
        Mismatch(8, 5, alphabet="protein", method="features").feature_map(strings)


def test_text():
    assert str(Mismatch(4, 2, alphabet="dna")) == "mismatch(p=4, m=2, alphabet='dna')"
