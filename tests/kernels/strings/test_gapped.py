"""The gapped kernel against its definition, by every way there is to compute it."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mercer
import mercer._core as _core
from mercer.data import Strings
from mercer.exceptions import MemoryLimitError
from mercer.kernels.strings.gapped import Gapped, kept_positions
from mercer.kernels.strings.spectrum import Spectrum
from mercer.operators import gram as operator
from mercer.svm import SVC
from mercer.testing import check_kernel
from tests.reference import hamming as slow

DNA = ["GATTACA", "GATTTACAGG", "CATGATTACA", "TTTT", "AC", "", "ACGTACGTACGTACGT", "GATTACA"]
WAYS = ["pairs", "features", "auto"]


def dna(rng, n, low, high, alphabet="ACGT"):
    return ["".join(rng.choice(list(alphabet), int(length))) for length in rng.integers(low, high, n)]


# ---- against the definition


@pytest.mark.parametrize("method", WAYS)
@pytest.mark.parametrize(("g", "m"), [(1, 0), (2, 0), (2, 1), (3, 1), (4, 2), (5, 4), (7, 3)])
def test_counts_of_words_with_open_positions(g, m, method):
    kernel = Gapped(g, m, method=method)
    expected = slow.gram(lambda s: slow.gapped_features(s, g, m), DNA)
    np.testing.assert_array_equal(kernel(DNA), expected)
    np.testing.assert_array_equal(kernel(DNA, DNA[2:5]), expected[:, 2:5])
    np.testing.assert_array_equal(kernel.diag(DNA), np.diagonal(expected))


STRINGS = st.lists(st.text("ABC", max_size=40), min_size=1, max_size=6)
SHAPES = st.integers(1, 8).flatmap(lambda g: st.tuples(st.just(g), st.integers(0, g - 1)))


@given(STRINGS, STRINGS, SHAPES)
def test_pairs_and_features_are_the_definition(A, B, shape):
    expected = slow.gram(lambda s: slow.gapped_features(s, *shape), A, B)
    np.testing.assert_array_equal(Gapped(*shape, method="pairs")(A, B), expected)
    np.testing.assert_array_equal(Gapped(*shape, method="features")(A, B), expected)


TOKENS = st.lists(st.lists(st.sampled_from(["to", "be", "or"]), max_size=8), min_size=1, max_size=4)
UNICODE = st.lists(st.text(st.sampled_from("aé漢𝄞z"), max_size=9), min_size=1, max_size=4)
BYTES = st.lists(st.binary(max_size=9), min_size=1, max_size=4)


@given(st.one_of(TOKENS, UNICODE, BYTES), st.integers(0, 2))
def test_every_kind_of_symbol(strings, m):
    expected = slow.gram(lambda s: slow.gapped_features(s, 3, m), strings)
    for method in WAYS:
        np.testing.assert_array_equal(Gapped(3, m, method=method)(strings), expected)


@given(st.lists(st.text("ACGTN-", max_size=30), min_size=1, max_size=5), st.integers(0, 2))
def test_windows_with_a_symbol_outside_are_left_out(strings, m):
    expected = slow.gram(lambda s: slow.gapped_features(s, 3, m, "ACGT".__contains__), strings)
    kept = slow.gram(lambda s: slow.gapped_features(s, 3, m), strings)
    for method in ("pairs", "features"):
        np.testing.assert_array_equal(Gapped(3, m, alphabet="dna", method=method)(strings), expected)
        np.testing.assert_array_equal(Gapped(3, m, alphabet="dna", outside="keep", method=method)(strings), kept)


@given(st.lists(st.text("ACGTN", max_size=20), min_size=1, max_size=5), st.integers(0, 2))
def test_both_strands(strings, m):
    def features(string):
        return slow.gapped_features(string, 3, m, "ACGT".__contains__)

    expected = slow.gram(features, strings) + slow.gram(features, strings, list(map(slow.opposite, strings)))
    for method in ("pairs", "features"):
        kernel = Gapped(3, m, alphabet="dna", reverse_complement=True, method=method)
        np.testing.assert_array_equal(kernel(strings), expected)
        np.testing.assert_array_equal(kernel.diag(strings), np.diagonal(expected))


def test_the_identity_of_fastsk():
    # Blakely et al. 2020: the exact (g, m) kernel is the cosine-normalised sum over pairs of g-mers at distance d ≤ m
    # of C(g − d, g − m).
    strings = dna(np.random.default_rng(0), 6, 12, 60)
    for g, m in [(10, 4), (8, 2), (6, 5)]:
        raw = np.array([[slow.gapped_by_distance(s, t, g, m) for t in strings] for s in strings], dtype=float)
        np.testing.assert_array_equal(Gapped(g, m, method="pairs")(strings), raw)
        norms = np.sqrt(np.diagonal(raw))
        np.testing.assert_allclose(Gapped(g, m).normalized()(strings), raw / np.outer(norms, norms), rtol=1e-14)


def test_without_open_positions_it_is_the_spectrum(rng):
    strings = dna(rng, 20, 0, 80)
    np.testing.assert_array_equal(Gapped(5, 0, method="pairs")(strings), Spectrum(5)(strings))


# ---- the layout of the fast loop: lengths around its registers, wide windows, large weights


@pytest.mark.parametrize(("g", "m"), [(1, 0), (3, 2), (10, 4), (13, 7), (24, 15), (25, 16), (63, 3), (64, 3)])
def test_lengths_around_registers(rng, g, m):
    lengths = [g, g + 1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 200, 300]
    strings = ["".join(rng.choice(list("ACGT"), n)) for n in lengths]
    some = Gapped(g, m, method="pairs")
    K = some(strings)
    for i in range(0, len(strings), 5):
        for j in range(i, len(strings), 4):
            pairs = [slow.distance(a, b) for a in slow.windows(strings[i], g) for b in slow.windows(strings[j], g)]
            assert K[i, j] == sum(math.comb(g - d, g - m) for d in pairs if d <= m)
    np.testing.assert_array_equal(K, K.T)


def test_long_strings_are_cut_into_pieces(rng):
    long, short = dna(rng, 1, 5000, 5001)[0], dna(rng, 1, 90, 91)[0]
    K = Gapped(6, 2, method="pairs")([long, short])
    np.testing.assert_array_equal(K, Gapped(6, 2, method="features")([long, short]))


def test_sums_beyond_exact_integers_are_rounded_once():
    g, m, length = 40, 20, 400
    value = math.comb(g, m) * (length - g + 1) ** 2
    assert value > 2**53
    K = Gapped(g, m, method="pairs")(["A" * length, "A" * length])
    np.testing.assert_allclose(K, value, rtol=1e-15)


def test_many_symbols(rng):
    letters = [chr(0x4E00 + i) for i in range(300)]
    strings = ["".join(rng.choice(letters, 50)) for _ in range(5)]
    strings += [strings[0][:20] + strings[1][:30]]
    expected = slow.gram(lambda s: slow.gapped_features(s, 4, 2), strings)
    for method in WAYS:
        np.testing.assert_array_equal(Gapped(4, 2, method=method)(strings), expected)


@pytest.mark.parametrize("level", _core.simd_levels())
def test_every_instruction_set(level):
    program = (
        "import json, numpy as np; from mercer.kernels.strings.gapped import Gapped; "
        "rng = np.random.default_rng(1); "
        "S = [''.join(rng.choice(list('ACGTN'), n)) for n in (5, 40, 100, 129, 260)]; "
        "P = [''.join(rng.choice(list('ACDEFGHIKLMNPQRSTVWY'), n)) for n in (5, 40, 100, 129, 600)]; "
        "dna = dict(alphabet='dna', reverse_complement=True, method='pairs'); "
        "print(json.dumps([Gapped(6, 2, **dna)(S).tolist(), Gapped(15, 10, method='pairs')(P).tolist(), "
        "Gapped(20, 12, method='pairs')(P).tolist()]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "MERCER_SIMD": level},
        capture_output=True,
        text=True,
        check=True,
    )
    rng = np.random.default_rng(1)
    S = ["".join(rng.choice(list("ACGTN"), n)) for n in (5, 40, 100, 129, 260)]
    P = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), n)) for n in (5, 40, 100, 129, 600)]
    found = [np.array(K) for K in json.loads(done.stdout)]
    both = {"alphabet": "dna", "reverse_complement": True}
    np.testing.assert_array_equal(found[0], Gapped(6, 2, method="features", **both)(S))
    for K, (g, m) in zip(found[1:], [(15, 10), (20, 12)], strict=True):
        pairs = [slow.distance(a, b) for a in slow.windows(P[2], g) for b in slow.windows(P[3], g)]
        assert K[2, 3] == sum(math.comb(g - d, g - m) for d in pairs if d <= m)


# ---- laws


@pytest.mark.parametrize("method", ["pairs", "features"])
def test_laws(method, rng):
    sample = [*dna(rng, 12, 3, 60), "GATTACA", "GATTACA"]
    for kernel in (
        Gapped(5, 2, method=method),
        Gapped(4, 2, method=method, alphabet="dna", reverse_complement=True),
        Gapped(4, 1, method=method).normalized(),
    ):
        check_kernel(kernel, sample)


def test_laws_of_the_estimate(rng):
    check_kernel(Gapped(6, 3, n_samples=7), [*dna(rng, 12, 6, 60), "GATTACA", "GATTACA"])


def test_normalised_is_zero_for_strings_without_windows():
    for method in WAYS:
        K = Gapped(5, 2, method=method).normalized()(["", "ACGT", "GATTACA"])
        np.testing.assert_allclose(K, np.diag([0.0, 0.0, 1.0]), rtol=1e-15, atol=0)


def test_case_and_threads(rng):
    strings = dna(rng, 60, 10, 90)
    K = Gapped(6, 2, method="pairs")(strings)
    np.testing.assert_array_equal(Gapped(6, 2, case="upper", method="pairs")([s.lower() for s in strings]), K)
    np.testing.assert_array_equal(Gapped(6, 2, method="pairs")(strings, n_jobs=1), K)
    np.testing.assert_array_equal(operator(Gapped(6, 2, method="pairs"), strings).rows([3, 50]), K[[3, 50]])


def test_features_have_names():
    kernel = Gapped(3, 1)
    F = kernel.feature_map(["GATTA", "GACTA"])
    np.testing.assert_array_equal((F @ F.T).toarray(), kernel(["GATTA", "GACTA"]))
    A = kernel.pack(["GATTA"])
    names = kernel.names(A, kernel.rows(A).columns)
    assert sorted(names) == [".AT", ".TA", ".TT", "A.T", "AT.", "G.T", "GA.", "T.A", "TT."]


def test_in_a_machine(rng):
    motif = "TGACGTCA"
    strings = dna(rng, 80, 40, 50)
    labels = np.arange(80) % 2
    strings = [s[:12] + motif + s[12:] if y else s for s, y in zip(strings, labels, strict=True)]
    model = SVC(kernel=Gapped(8, 3).normalized(), C=10.0).fit(strings[:50], labels[:50])
    assert model.score(strings[50:], labels[50:]) > 0.9


# ---- Monte-Carlo


def test_all_sets_give_the_kernel_itself(rng):
    strings = dna(rng, 10, 5, 50)
    kernel = Gapped(6, 2, n_samples=math.comb(6, 2))
    np.testing.assert_array_equal(kernel(strings), Gapped(6, 2)(strings))
    assert not kernel.standard_error(strings).any()


def test_the_sample_depends_on_the_parameters_only():
    assert kept_positions(7, 3, 10, 4) == kept_positions(7, 3, 10, 4)
    assert kept_positions(7, 3, 10, 4) != kept_positions(7, 3, 10, 5)
    assert len(set(kept_positions(7, 3, 34, 0))) == 34
    large = kept_positions(40, 20, 30, 1)
    assert len(set(large)) == 30
    assert all(len(kept) == 20 and list(kept) == sorted(set(kept)) for kept in large)
    # A stored model must find the same sets again.
    assert kept_positions(5, 3, 3, 0) == ((0, 2), (0, 3), (0, 4))
    assert kept_positions(40, 38, 3, 1) == ((9, 18), (14, 18), (21, 35))


def test_the_estimate_is_unbiased_and_its_error_is_told(rng):
    strings = dna(rng, 8, 30, 60)
    truth = Gapped(8, 4)(strings)
    seeds, draws = range(200), 20
    kernels = [Gapped(8, 4, n_samples=draws, random_state=seed) for seed in seeds]
    estimates = np.array([kernel(strings) for kernel in kernels])
    errors = np.array([kernel.standard_error(strings) for kernel in kernels[:100]])
    spread = estimates.std(axis=0)
    assert (abs(estimates.mean(axis=0) - truth) < 5 * spread / math.sqrt(len(seeds))).all()
    np.testing.assert_allclose(np.sqrt((errors**2).mean()), np.sqrt((spread**2).mean()), rtol=0.1)
    covered = abs(estimates[:100] - truth) <= 2 * errors
    assert 0.85 < covered.mean() < 0.99


def test_the_standard_error_by_its_definition():
    strings = ["GATTACAGATTACA", "GATCACAGGTT", "ACGT"]
    kernel = Gapped(5, 2, n_samples=4, random_state=3)
    sets = kept_positions(5, 2, 4, 3)
    parts = np.array(
        [slow.gram(lambda s, kept=kept: slow.gapped_features(s, 5, 2, sets=[kept]), strings) for kept in sets]
    )
    np.testing.assert_allclose(kernel(strings), 10 * parts.mean(axis=0), rtol=1e-14)
    expected = 10 * np.sqrt((1 - 4 / 10) / 4) * parts.std(axis=0, ddof=1)
    np.testing.assert_allclose(kernel.standard_error(strings), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel.standard_error(strings, strings[1:]), expected[:, 1:], rtol=1e-12)


# ---- choice and refusal


def test_the_method_is_chosen_on_the_data(rng):
    proteins = dna(rng, 500, 150, 250, "ACDEFGHIKLMNPQRSTVWY")
    assert Gapped(3, 0).resolve(proteins).method == "features"
    assert Gapped(12, 6).resolve(proteins).method == "pairs"
    assert Gapped(12, 6, n_samples=2).resolve(proteins).method == "features"
    resolved = Gapped(3, 0).resolve(proteins)
    assert resolved.resolve(["A"]) is resolved


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gapped(3, 3), "Gapped: parameter m must be an integer >= 0 and <= 2, got 3"),
        (lambda: Gapped(0, 0), "parameter g"),
        (lambda: Gapped(4, 2, n_samples=7), "n_samples must be an integer >= 1 and <= 6"),
        (lambda: Gapped(4, 2, n_samples=2, method="pairs"), "use method='features'"),
        (lambda: Gapped(4, 2, method="fast"), "parameter method must be one of"),
        (lambda: Gapped(4, 2, reverse_complement=True), "needs alphabet='dna'"),
        (lambda: Gapped(4, 2, alphabet="protein", reverse_complement=True), "needs alphabet='dna'"),
        (lambda: Gapped(5000, 2500), "beyond the range of float64"),
        (lambda: Gapped(6, 3, n_samples=1).standard_error(["GATTACA"]), "needs n_samples >= 2"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_features_that_do_not_fit_are_refused():
    strings = Strings(["ACGT" * 250] * 1000)
    with pytest.raises(MemoryLimitError, match="method='pairs'"):
        Gapped(30, 15, method="features").feature_map(strings)


def test_text():
    kernel = Gapped(6, 2, alphabet="dna")
    assert str(kernel) == "gapped(g=6, m=2, alphabet='dna')"
    assert mercer.kernel(str(kernel)) == kernel


def test_symbols_without_a_complement_break_windows_on_both_strands():
    kernel = Gapped(3, 1, alphabet="dna", reverse_complement=True)
    broken, whole = ["GATT-ACAG"], [["GATT", "ACAG"]]
    expected = sum(kernel([a], [b])[0, 0] for a in whole[0] for b in whole[0])
    for method in ("pairs", "features"):
        assert kernel.with_params(method=method)(broken)[0, 0] == expected
