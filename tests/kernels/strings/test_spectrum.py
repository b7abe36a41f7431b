"""The spectrum kernel: words in common, against dictionaries and the numbers of other packages."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score

import mercer
from mercer.data import Strings, Table
from mercer.kernels import RBF, Columns
from mercer.kernels.strings import Spectrum
from mercer.operators import gram
from mercer.preprocessing import FeatureMap
from mercer.svm import SVC
from mercer.testing import check_kernel
from tests.reference.spectrum import block, words

MODES = ["count", "presence", "min"]
DNA = ["GGAACGCCCGCTT", "CCGATACCTA", "GACCGAGTTATACTCT"]
STRINGS = st.lists(st.text("abc", max_size=12), min_size=1, max_size=6)


def test_goldens_of_kebabs():
    # kebabs, Bioconductor: unit tests of the spectrum kernel, k = 2, counts and presence.
    assert Spectrum(2)(DNA).tolist() == [[18, 9, 11], [9, 13, 14], [11, 14, 23]]
    assert Spectrum(2, "presence")(DNA).tolist() == [[9, 5, 6], [5, 7, 7], [6, 7, 11]]


def test_goldens_of_mlpack():
    # mlpack, kernel_test.cpp, PSpectrumStringKernel: p = 3, windows with a blank are skipped.
    kernel = Spectrum(3, alphabet="abcdefghijklmnopqrstuvwxyz")
    K = kernel(["hello", "jello", "mellow", "mellow jello"])
    assert K[np.triu_indices(4)].tolist() == [3, 2, 2, 4, 3, 2, 5, 4, 6, 11]


@pytest.mark.parametrize("mode", MODES)
@given(A=STRINGS, B=STRINGS, p=st.integers(1, 10))
def test_words_in_common(A, B, p, mode):
    expected = block(A, B, p, mode)
    np.testing.assert_array_equal(Spectrum(p, mode)(A, B), expected)
    np.testing.assert_array_equal(Spectrum(p, mode, alphabet="abc")(A, B), expected)
    np.testing.assert_array_equal(Spectrum(p, mode).diag(A), np.diagonal(block(A, A, p, mode)))


@given(A=st.lists(st.text(max_size=9), min_size=1, max_size=4), p=st.integers(1, 4))
def test_unicode(A, p):
    np.testing.assert_array_equal(Spectrum(p)(A, A[::-1]), block(A, A[::-1], p))


@given(A=st.lists(st.binary(max_size=9), min_size=1, max_size=4), p=st.integers(1, 9))
def test_bytes(A, p):
    np.testing.assert_array_equal(Spectrum(p)(A), block(A, A, p))


@given(A=st.lists(st.lists(st.sampled_from(["to", "be", "or", "not"]), min_size=1, max_size=9), min_size=1, max_size=4))
def test_tokens(A):
    for p in (1, 2, 3):
        np.testing.assert_array_equal(Spectrum(p)(A), block(A, A, p))


def test_containers_of_different_width_agree():
    # One string with a wide character makes all codes of its container four bytes wide.
    narrow, wide = ["GATTACA", "TACAGAT"], ["GATTACA", "日GATTA"]
    for p in (3, 5, 8):
        np.testing.assert_array_equal(Spectrum(p)(narrow, wide), block(narrow, wide, p))


@pytest.mark.parametrize("mode", MODES)
@given(A=STRINGS, p=st.integers(1, 4))
def test_blended_adds_all_lengths(A, p, mode):
    expected = sum(block(A, A, q, mode) for q in range(1, p + 1))
    np.testing.assert_array_equal(Spectrum(p, mode, blended=True)(A), expected)


def test_weights_of_lengths():
    weights = [0.5, 0.0, 2.0]
    expected = sum(w * block(DNA, DNA, q) for q, w in zip((1, 2, 3), weights, strict=True))
    np.testing.assert_allclose(Spectrum(3, blended=weights)(DNA), expected, rtol=1e-14)


def test_symbols_outside_the_alphabet():
    strings = ["ACNGT", "ACGTN", "nacgt"]
    broken = Spectrum(2, alphabet="dna")(strings)
    np.testing.assert_array_equal(broken, block(strings, strings, 2, alphabet="ACGT"))
    np.testing.assert_array_equal(Spectrum(2, alphabet="dna", outside="keep")(strings), block(strings, strings, 2))
    with pytest.raises(ValueError, match=r"record 0 has 'N' at position 2.*dna alphabet ACGT"):
        Spectrum(2, alphabet="dna", outside="error")(strings)
    folded = [s.upper() for s in strings]
    np.testing.assert_array_equal(
        Spectrum(2, case="upper", alphabet="dna")(strings), Spectrum(2, alphabet="dna")(folded)
    )


def test_tokens_outside_a_vocabulary():
    texts = [["to", "be", "or"], ["be", "or", "not"]]
    kernel = Spectrum(1, alphabet=("be", "or"))
    assert kernel(texts).tolist() == [[2, 2], [2, 2]]
    assert mercer.kernel(str(kernel)) == kernel


@pytest.mark.parametrize("mode", MODES)
@given(A=st.lists(st.text("ACGT", max_size=12), min_size=1, max_size=5), p=st.integers(1, 4))
def test_both_strands(A, p, mode):
    kernel = Spectrum(p, mode, alphabet="dna", reverse_complement=True)
    np.testing.assert_array_equal(kernel(A), block(A, A, p, mode, both_strands=True))
    other = Strings(A).reverse_complement()
    np.testing.assert_array_equal(kernel(A, other), kernel(A))


def test_position_weights():
    weights = np.linspace(0.5, 2.0, 16)
    kernel = Spectrum(2, position_weights=weights)
    np.testing.assert_allclose(kernel(DNA), block(DNA, DNA, 2, weights=weights), rtol=1e-14)
    with pytest.raises(ValueError, match=r"position_weights has 3 numbers, but string 0 has 5 symbols"):
        Spectrum(2, position_weights=[1, 2, 3])(["GATTA"])


def test_strings_without_words_have_no_similarity():
    strings = ["", "A", "GATTA"]
    assert Spectrum(2).normalized()(strings).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert Spectrum(3)(["", "A"]).tolist() == [[0, 0], [0, 0]]
    assert Spectrum(3).feature_map(["", "A"]).shape == (2, 1)


@pytest.mark.parametrize(
    "kernel",
    [
        Spectrum(2),
        Spectrum(9),
        Spectrum(2, "min"),
        Spectrum(3, "presence", blended=True),
        Spectrum(2, alphabet="dna", reverse_complement=True, case="upper"),
        0.5 * Spectrum(2).normalized() + 1,
        Spectrum(1) * Spectrum(2) + Spectrum(2) ** 2,
    ],
    ids=str,
)
def test_all_laws(kernel):
    check_kernel(kernel, ["GATTACA", "TTATTA", "CCGC", "", "AC", "GGCCgATA", "TTATTA"])


def test_names_of_features():
    F = Spectrum(2).feature_map(["GATTA"])
    assert F.toarray().tolist() == [[1, 1, 1, 1]]

    def names(kernel, X):
        return FeatureMap(kernel).fit(X).get_feature_names_out().tolist()

    assert names(Spectrum(2), ["GATTA", "日本"]) == ["AT", "GA", "TA", "TT", "日本"]
    assert names(Spectrum(2, blended=True), ["aba"]) == ["a", "b", "ab", "ba"]
    assert set(names(Spectrum(1, "min"), ["aab"])) == {"a #1", "a #2", "b #1"}
    assert set(names(Spectrum(2), [["to", "be", "or"]])) == {"to be", "be or"}
    assert names(Spectrum(2), [b"ab"]) == ["ab"]
    both = Spectrum(2, alphabet="dna", reverse_complement=True)
    assert names(both, ["TT", "AA", "GG"]) == ["AA", "CC"]
    kernel = 0.5 * Columns("s", Spectrum(1)) + Columns("t", Spectrum(1))
    assert names(kernel, Table.from_frame({"s": ["ab"], "t": ["b"]})) == ["s: a", "s: b", "t: b"]
    assert names(Spectrum(1) * Spectrum(1), ["ab"]) == ["a^2", "a*b", "b*a", "b^2"]


@given(A=STRINGS, p=st.integers(1, 3))
def test_names_are_the_words(A, p):
    features = FeatureMap(Spectrum(p)).fit(A)
    F = features.transform(A).toarray()
    for row, string in zip(F, A, strict=True):
        found = {name: value for name, value in zip(features.get_feature_names_out(), row, strict=True) if value}
        assert found == words(string, p)


def test_rows_and_blocks_of_the_operator(rng):
    strings = ["".join(rng.choice(list("ACGT"), rng.integers(0, 30))) for _ in range(80)]
    K = block(strings, strings, 3)
    operator = gram(Spectrum(3), Strings(strings))
    np.testing.assert_array_equal(operator.rows([5, 70]), K[[5, 70]])
    np.testing.assert_array_equal(operator.block([5, 70], [0, 5]), K[np.ix_([5, 70], [0, 5])])
    np.testing.assert_allclose(operator @ np.ones(80), K.sum(axis=1))


def test_estimators_take_strings(rng):
    strings = ["".join(rng.choice(list("ACGT" if i % 2 else "AACG"), 30)) for i in range(40)]
    y = np.arange(40) % 2
    kernel = Spectrum(2).normalized()
    scores = cross_val_score(SVC(kernel=kernel, C=10.0), strings, y, cv=4)
    assert scores.mean() > 0.8
    np.testing.assert_array_equal(cross_val_score(SVC(kernel=kernel, C=10.0), Strings(strings), y, cv=4), scores)
    np.testing.assert_array_equal(cross_val_score(SVC(kernel=str(kernel), C=10.0), Strings(strings), y, cv=4), scores)
    frame = pl.DataFrame({"length": np.arange(40.0), "read": strings})
    mixed = 0.5 * Columns("read", kernel) + Columns("length", RBF(gamma=0.01))
    assert cross_val_score(SVC(kernel=mixed, C=10.0), frame, y, cv=4).mean() > 0.8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"p": 0}, "parameter p must be an integer >= 1"),
        ({"mode": "all"}, "parameter mode must be one of 'count', 'presence', 'min', got 'all'"),
        ({"case": "fold"}, "parameter case must be one of 'keep', 'upper', 'lower'"),
        ({"outside": "skip"}, "parameter outside must be one of"),
        ({"reverse_complement": True}, "needs alphabet='dna' or 'rna'"),
        ({"blended": [1.0, 2.0]}, "has 2 weights; one for each length 1 to 3"),
        ({"blended": [1.0, 2.0, -1.0]}, r"blended\[2\] must be a finite number >= 0"),
        ({"mode": "min", "position_weights": [1.0]}, "position_weights are for mode 'count'"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        Spectrum(**options)


def test_wrong_data_are_named():
    with pytest.raises(TypeError, match=r"Spectrum: Strings: expected a str .* as record 1, got 3"):
        Spectrum()(["abc", 3])
    with pytest.raises(ValueError, match="Spectrum: expected one string per sample, got 2 columns"):
        Spectrum()(np.array([["a", "b"]], dtype=object))
    with pytest.raises(TypeError, match="parameter alphabet must be"):
        Spectrum(alphabet=4)
