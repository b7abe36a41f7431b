"""The local alignment kernel against all alignments, in all forms, and far beyond the range of doubles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Strings
from mercer.kernels import Definiteness
from mercer.kernels.strings.local_alignment import LocalAlignment
from mercer.kernels.strings.substitution import BLOSUM62, RESIDUES
from mercer.testing import check_kernel
from tests.reference import local_alignment as reference

WORDS = st.lists(st.text("abé𝄞", max_size=5), min_size=1, max_size=5)
PROTEINS = st.lists(st.text("ARWX*", max_size=5), min_size=1, max_size=4)


def blosum(a, b):
    return BLOSUM62[RESIDUES.index(a), RESIDUES.index(b)]


def slow(kernel, A, B):
    def score(a, b):
        return blosum(a, b) if kernel.scores == "blosum62" else kernel.scores[int(a != b)]

    options = score, kernel.beta, kernel.gap_open, kernel.gap_extend
    return np.array([[reference.value(a, b, *options) for b in B] for a in A])


def logarithm(kernel, a, b):
    i, j = (np.array([RESIDUES.index(symbol) for symbol in string]) for string in (a, b))
    if kernel.scores == "blosum62":
        scores = BLOSUM62[np.ix_(i, j)]
    else:
        scores = np.where(i[:, None] == j, *kernel.scores)
    return reference.logarithm(scores, kernel.beta, kernel.gap_open, kernel.gap_extend)


@given(WORDS, WORDS, st.sampled_from([0.1, 0.5, 2.0]), st.sampled_from([0.0, 1.5]), st.sampled_from([0.0, 0.5, 3.0]))
def test_raw_values_are_sums_over_all_alignments(A, B, beta, gap_open, gap_extend):
    kernel = LocalAlignment(beta, gap_open=gap_open, gap_extend=gap_extend, scores=(2, -0.5), form="raw")
    np.testing.assert_allclose(kernel(A, B), slow(kernel, A, B), rtol=1e-13)
    np.testing.assert_allclose(kernel(A), slow(kernel, A, A), rtol=1e-13)
    np.testing.assert_allclose(kernel.diag(A), np.diagonal(slow(kernel, A, A)), rtol=1e-13)


@given(PROTEINS, PROTEINS, st.sampled_from([0.2, 0.5]))
def test_forms_of_blosum62(A, B, beta):
    K, a, b = (slow(LocalAlignment(beta), X, Y) for X, Y in [(A, B), (A, A), (B, B)])
    np.testing.assert_allclose(LocalAlignment(beta, form="raw")(A, B), K, rtol=1e-13)
    np.testing.assert_allclose(LocalAlignment(beta)(A, B), np.log(K) / beta, rtol=1e-12, atol=1e-15)
    cosine = K / np.sqrt(np.outer(np.diagonal(a), np.diagonal(b)))
    np.testing.assert_allclose(LocalAlignment(beta, form="cosine")(A, B), cosine, rtol=1e-12)
    np.testing.assert_array_equal(LocalAlignment(beta, form="cosine").diag(A), 1.0)


@pytest.mark.parametrize("scores", ["blosum62", (3.0, -1.0)])
def test_long_strings_keep_their_digits(rng, scores):
    letters = list("ARNDCQEGHILKMFPSTWYV")
    u, v, w = ("".join(rng.choice(letters, n)) for n in (400, 600, 1000))
    kernel = LocalAlignment(0.5, scores=scores)
    # in uv and vu the longer part begins where the shorter one has made everything else look like nothing
    pairs = [(w, w), (u + v, v + u), (u + v, u + w[:30] + v), (w, u + v), (w, w[:17]), (u + u, u)]
    A, B = map(list, zip(*pairs, strict=True))
    found = kernel(A, B)
    for i, (a, b) in enumerate(pairs):
        assert found[i, i] == pytest.approx(logarithm(kernel, a, b) / 0.5, rel=1e-11)
    assert found[0, 0] * 0.5 > 1000  # K itself is beyond the range of doubles
    assert LocalAlignment(0.5, scores=scores, form="cosine")([w], [w])[0, 0] == 1.0
    with pytest.raises(ValueError, match=r"K of records 0 and 0 is beyond .* use form='log'"):
        LocalAlignment(0.5, scores=scores, form="raw")([w])


@pytest.mark.parametrize("beta", [0.01, 0.1, 2.0, 5.0])
def test_every_width_of_block(rng, beta):
    kernel = LocalAlignment(beta, gap_open=6.0, gap_extend=0.5)
    words = ["".join(rng.choice(list("ARWC"), n)) for n in (150, 90, 33, 32)]
    words.append(words[0][60:] + words[0][:60])
    expected = np.array([[logarithm(kernel, a, b) for b in words] for a in words]) / beta
    np.testing.assert_allclose(kernel(words), expected, rtol=1e-10)


def test_values_near_one_keep_their_digits():
    kernel = LocalAlignment(1.0, scores=(-50.0, -60.0))
    np.testing.assert_allclose(kernel(["a"], ["a", "b"]), [[np.exp(-50.0), np.exp(-60.0)]], rtol=1e-14)


def test_the_empty_alignment():
    words = ["", "ARN"]
    np.testing.assert_array_equal(LocalAlignment(form="raw")(words)[0], 1.0)
    np.testing.assert_array_equal(LocalAlignment()(words)[0], 0.0)
    K = LocalAlignment().normalized()(words)
    np.testing.assert_allclose(K, np.diag([0.0, 1.0]), atol=1e-15)


def test_values_do_not_depend_on_the_batch(rng):
    words = ["".join(rng.choice(list("ARNDWX"), n)) for n in rng.integers(0, 90, 150)]
    words[5] = "W" * 400  # changes its units again and again, beside others that do not
    words[6] = "WC" * 190
    for options in ({}, {"form": "cosine"}, {"scores": (2, -1)}):
        kernel = LocalAlignment(0.5, **options)
        K = kernel(words, n_jobs=1)
        np.testing.assert_array_equal(kernel(words, n_jobs=2), K)
        np.testing.assert_array_equal(K, K.T)
        rows = np.append(rng.permutation(150)[:37], [5, 6])
        some = [words[i] for i in rows]
        np.testing.assert_array_equal(kernel(some), K[np.ix_(rows, rows)])
        np.testing.assert_array_equal(kernel(words, some), K[:, rows])
        np.testing.assert_array_equal(kernel(some, words), K[rows])
        np.testing.assert_array_equal(kernel.diag(some), np.diagonal(K)[rows])
        np.testing.assert_array_equal(kernel([words[5]], [words[77]])[0, 0], K[5, 77])


def test_the_matrix():
    assert BLOSUM62.shape == (24, 24)
    np.testing.assert_array_equal(BLOSUM62, BLOSUM62.T)
    # facts of the matrix as distributed by the NCBI
    assert "".join(RESIDUES[i] for i in np.diagonal(BLOSUM62).argsort()[::-1][:2]) == "WC"
    assert [blosum(a, a) for a in "WCHPX*"] == [11, 9, 8, 7, -1, 1]
    assert [blosum(a, b) for a, b in ("IV", "FY", "WD", "QZ", "DB", "AX", "CX")] == [3, 3, -4, 3, 4, 0, -2]
    assert set(BLOSUM62[23, :23]) == {-4.0}


def test_symbols_without_a_score():
    with pytest.raises(ValueError, match=r"record 1 has 'J' at position 2.*case='upper'.*alphabet='protein'"):
        LocalAlignment()(["ARN", "ARJ"])
    with pytest.raises(ValueError, match=r"record 0 has 'a'"):
        LocalAlignment()(["arn"])
    with pytest.raises(ValueError, match="record 0 has 'é'"):
        LocalAlignment()(["é𝄞"])
    with pytest.raises(TypeError, match="got tokens"):
        LocalAlignment()([["A", "R"]])
    np.testing.assert_array_equal(LocalAlignment(case="upper")(["arn"]), LocalAlignment()(["ARN"]))
    # a symbol outside the alphabet is skipped as in a gap, whatever it stands against
    kernel = LocalAlignment(alphabet="protein", form="raw", gap_open=1.0)
    expected = 1 + np.exp(2.0) + np.exp(2.5) + np.exp(4.5 - 1.0) + 2 * np.exp(-0.5)
    np.testing.assert_allclose(kernel(["AJR"], ["AéR"])[0, 0], expected, rtol=1e-14)
    np.testing.assert_allclose(kernel([b"AJR"], [b"AJR"])[0, 0], expected, rtol=1e-14)
    pair = LocalAlignment(1.0, scores=(1, 0), form="raw", alphabet="dna")
    np.testing.assert_allclose(pair(["N"], ["N", "A"]), [[1.0, 1.0]])


def test_certificates():
    assert LocalAlignment(form="raw").definiteness is Definiteness.PSD
    assert LocalAlignment(0.05, form="raw").definiteness is Definiteness.NOT_PSD  # because of X
    for beta in (0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 6.0):
        assert LocalAlignment(beta, form="raw").definiteness is Definiteness.PSD
    for beta in (0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 6.0):
        assert LocalAlignment(beta, form="cosine", alphabet="protein").definiteness is Definiteness.PSD
    assert LocalAlignment(form="raw", scores=(1, 1)).definiteness is Definiteness.PSD
    assert LocalAlignment(form="raw", scores=(0, 1)).definiteness is Definiteness.NOT_PSD
    assert LocalAlignment(scores=(0, 1), form="raw", alphabet="a").definiteness is Definiteness.PSD
    assert LocalAlignment(scores=(0, 1), alphabet="a").definiteness is Definiteness.UNKNOWN
    for kernel in (LocalAlignment(), LocalAlignment(scores=(2, -1))):
        assert kernel.definiteness is Definiteness.NOT_PSD


def test_what_is_not_psd_is_not():
    """The witnesses that the certificates name."""
    log = LocalAlignment()(["W", "AA", "WAA", "AAW"])
    assert np.linalg.eigvalsh(log)[0] < -1.5
    raw = LocalAlignment(0.05, form="raw")(["", *RESIDUES])
    assert np.linalg.eigvalsh(raw)[0] < -1e-3


@pytest.mark.parametrize(
    "kernel",
    [
        LocalAlignment(),
        LocalAlignment(0.3, form="raw", gap_open=2.0),
        LocalAlignment(form="cosine"),
        LocalAlignment(scores=[2, -1], form="cosine", gap_extend=0.0),
    ],
)
def test_laws(kernel, rng):
    sample = [*("".join(rng.choice(list("ARW"), n)) for n in rng.integers(0, 12, 12)), "ARW", "ARW"]
    check_kernel(kernel, Strings(sample))


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="LocalAlignment: parameter beta"):
        LocalAlignment(0.0)
    with pytest.raises(ValueError, match="LocalAlignment: parameter gap_open"):
        LocalAlignment(gap_open=-1)
    with pytest.raises(ValueError, match="parameter scores must be 'blosum62' or a pair"):
        LocalAlignment(scores="pam250")
    with pytest.raises(ValueError, match="parameter form must be one of"):
        LocalAlignment(form="exp")
    with pytest.raises(ValueError, match="lower beta"):
        LocalAlignment(10.0)
