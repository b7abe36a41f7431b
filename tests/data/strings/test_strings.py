"""Strings: packing, indexing as scikit-learn does it, symbols and case."""

import copy
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.utils import _safe_indexing

import mercer.data.hashing.texts
from mercer.data import Strings, as_items, n_samples, take
from mercer.data.hashing.categories import code, text_codes
from mercer.kernels import user
from mercer.svm import SVC

ANY = st.characters()  # surrogates too
TEXTS = st.lists(st.text(ANY, max_size=12), max_size=8)
BYTES = st.lists(st.binary(max_size=12), max_size=8)
TOKENS = st.lists(st.lists(st.text(ANY, max_size=4), max_size=6), max_size=8)
LISTS = [["GATTACA", "CAT", "", "CAT"], [b"\x00\xff", b"", b"abc", b"c"], [["to", "be"], [], ["be"], ["", "x y"]]]
GRANULARITIES = ["character", "byte", "token"]


def plain(value):
    return tuple(value) if isinstance(value, list) else value


# ---- packing


@given(TEXTS | BYTES | TOKENS)
def test_packing_loses_nothing(values):
    packed = Strings(values)
    expected = [plain(value) for value in values]
    assert packed.to_list() == expected
    assert list(packed) == expected
    assert [packed[i] for i in range(len(packed))] == expected
    assert packed.lengths.tolist() == [len(value) for value in values]
    assert Strings(packed.to_list(), packed.granularity) == packed


@pytest.mark.parametrize(("values", "granularity"), list(zip(LISTS, GRANULARITIES, strict=True)))
def test_the_kind_of_values_decides_the_granularity(values, granularity):
    assert Strings(values).granularity == granularity
    assert Strings(values) == Strings(values, granularity)
    assert Strings(np.array([*map(plain, values), None], dtype=object)[:-1]) == Strings(values)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (["ACGT"], np.uint8),
        (["na\xefve\xff"], np.uint8),
        (["na\u0100"], np.uint32),
        (["\U0001f600"], np.uint32),
        ([b"\xff"], np.uint8),
        ([["a"]], np.uint64),
    ],
)
def test_codes_are_as_narrow_as_the_symbols_allow(values, dtype):
    packed = Strings(values)
    assert packed.codes.dtype == dtype
    assert packed.offsets.dtype == np.int64
    if packed.granularity == "character":
        assert packed.codes.tolist() == [ord(c) for c in values[0]]


def test_text_at_byte_granularity_is_utf8():
    assert Strings(["é", "a", b"\xff"], "byte").to_list() == ["é".encode(), b"a", b"\xff"]
    assert Strings(Strings(["é"]), "byte")[0] == "é".encode()


def test_nothing_is_fine():
    packed = Strings([])
    assert (len(packed), packed.shape, packed.to_list(), packed.alphabet) == (0, (0,), [], "")
    assert Strings(["", ""]).to_list() == ["", ""]
    assert Strings([[], []])[1] == ()


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["ACGT", "GG"]),
        pd.Series(["ACGT", "GG"], dtype=object),
        pd.Series(["ACGT", "GG"], dtype="category"),
        pd.Index(["ACGT", "GG"]),
        pd.array(["ACGT", "GG"], dtype="string"),
        pd.DataFrame({"dna": ["ACGT", "GG"]}),
        pl.Series(["ACGT", "GG"]),
        pl.DataFrame({"dna": ["ACGT", "GG"]}),
        pa.array(["ACGT", "GG"]),
        pa.chunked_array([["ACGT"], ["GG"]]),
        np.array(["ACGT", "GG"]),
        ("ACGT", "GG"),
    ],
)
def test_every_column_packs_to_the_same_strings(column):
    assert Strings.from_column(column) == Strings(["ACGT", "GG"])
    assert Strings(column) == Strings(["ACGT", "GG"])


@pytest.mark.parametrize("make", [pd.Series, pl.Series, pa.array])
def test_columns_of_lists_are_tokens(make):
    assert Strings.from_column(make([["to", "be"], ["or"]])) == Strings([["to", "be"], ["or"]])


@pytest.mark.parametrize(
    "column",
    [
        ["a", None],
        ["a", float("nan")],
        pd.Series(["a", None]),
        pd.Series(["a", pd.NA], dtype="string"),
        pl.Series(["a", None]),
        pa.chunked_array([["a", None]]),
    ],
)
def test_missing_strings_are_named(column):
    with pytest.raises(ValueError, match=r"Strings: record 1 is missing, expected a str"):
        Strings.from_column(column)


@pytest.mark.parametrize(
    ("values", "granularity", "message"),
    [
        (["a", 3], None, "expected a str (granularity 'character') as record 1, got 3"),
        (["a", b"b"], None, "expected a str (granularity 'character') as record 1, got b'b'"),
        ([b"a", 3], None, "expected bytes or a str (granularity 'byte') as record 1, got 3"),
        ([["a"], "b"], None, "as record 1, got 'b'; split it into tokens with Strings.from_text."),
        ([["a"], ["b", 3]], None, "got 3 as token 1 of record 1; convert it with str."),
        ([[], ["a"], [None]], None, "got None as token 0 of record 2"),
    ],
)
def test_other_values_are_named(values, granularity, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        Strings(values, granularity)


@pytest.mark.parametrize("values", ["ACGT", b"ACGT", 3, None, {"a": "b"}, np.array([["a"]]), pd.DataFrame(np.eye(2))])
def test_what_is_no_list_is_refused(values):
    with pytest.raises(TypeError, match=r"Strings: expected a list, a 1-D array or a column"):
        Strings(values)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="granularity must be one of 'character', 'byte', 'token', got 'word'"):
        Strings(["a"], "word")
    with pytest.raises(ValueError, match="names must have 1 entries, got 2"):
        Strings(["a"], names=["x", "y"])


def test_a_million_reads_pack():
    packed = Strings(["ACGT" * 25] * 999_999 + ["TTTT" * 25])
    assert packed.codes.nbytes == 100_000_000
    assert packed[[-1, 0]].to_list() == ["TTTT" * 25, "ACGT" * 25]
    assert repr(packed) == "Strings(1000000 of length 100, 4 symbols: ACGT)"


def test_iterators_and_arrays_of_tokens_pack():
    assert Strings(iter(["ox", "cow"])) == Strings(["ox", "cow"])
    assert Strings([np.array(["to", "be"]), ["or"]]) == Strings([["to", "be"], ["or"]])


# ---- tokens


@pytest.mark.parametrize(
    ("tokenizer", "expected"),
    [
        (None, ("To", "be,", "or", "not")),
        (r"\w+", ("To", "be", "or", "not")),
        (r"(\w)(\w*)", ("To", "be", "or", "not")),
        (re.compile(r"[a-z]+"), ("o", "be", "or", "not")),
        (lambda text: iter(text.split(",")), ("To be", "  or not")),
    ],
)
def test_text_is_split_as_asked(tokenizer, expected):
    text = "To be,  or not"
    assert Strings.from_text([text], tokenizer)[0] == expected
    assert Strings.from_text(Strings([text], names=["q"]), tokenizer).names == ("q",)


def test_splitting_refuses_other_things():
    with pytest.raises(TypeError, match=r"Strings.from_text: expected a str as record 1, got b'a'"):
        Strings.from_text(["a", b"a"])
    with pytest.raises(ValueError, match=r"record 0 is missing"):
        Strings.from_text(pl.Series([None, "a"]))
    with pytest.raises(TypeError, match="tokenizer must be a regular expression, a callable or None, got 3"):
        Strings.from_text(["a"], 3)


def test_tokens_have_the_same_codes_in_every_container():
    one, two = Strings([["ox", "cow"]]), Strings([["cow"], ["owl", "ox"]])
    assert one.codes[1] == two.codes[0]
    assert one.codes[0] == two.codes[2]
    assert len(np.unique(two.codes)) == 3


@given(TEXTS)
def test_texts_are_hashed_together_as_one_by_one(texts):
    assert text_codes(texts).tolist() == [code(text) for text in texts]


def test_tokens_that_share_a_hash_are_refused(monkeypatch):
    def by_length(texts):
        return np.array([float(len(text)) for text in texts])

    monkeypatch.setattr(mercer.data.hashing.texts, "text_codes", by_length)
    one, two = Strings([["ox", "cow"]]), Strings([["be"]])
    with pytest.raises(ValueError, match="'ox' and 'be' have the same hash; rename one of them"):
        one + two
    with pytest.raises(ValueError, match="'ox' and 'be' have the same hash"):
        Strings([["ox", "be"]])


# ---- indexing


@given(TEXTS | BYTES | TOKENS, st.data())
def test_rows_are_chosen_as_from_an_array(values, data):
    packed, n = Strings(values, names=range(len(values))), len(values)
    expected = [plain(value) for value in values]
    rows = data.draw(st.lists(st.integers(-n, n - 1), max_size=6) if n else st.just([]))
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    part = data.draw(st.slices(n))
    for key in (rows, np.array(rows, dtype=np.int32), (np.array(rows, dtype=int), ...)):
        assert packed[key].to_list() == [expected[i] for i in rows]
        assert packed[key].names == tuple(str(i % n) for i in rows)
    assert packed[np.array(mask, dtype=bool)].to_list() == [
        v for v, chosen in zip(expected, mask, strict=True) if chosen
    ]
    assert packed[part].to_list() == expected[part]
    assert packed[part].names == tuple(map(str, range(n)))[part]


@pytest.mark.parametrize("values", LISTS)
def test_choices_are_closed_under_choices(values):
    packed = Strings(values)
    assert packed[1:][[0, 2]] == packed[[1, 3]]
    assert packed[::-1][::-1] == packed
    assert packed[np.int64(-1)] == plain(values[-1])
    assert packed[np.array(1)] == plain(values[1])


def test_a_slice_copies_no_symbols():
    packed = Strings(["GATTACA", "CAT", "TAG"])
    assert np.shares_memory(packed[1:].codes, packed.codes)
    assert not np.shares_memory(packed[[1, 2]].codes, packed.codes)
    assert packed[2:1].to_list() == []


@pytest.mark.parametrize("key", [4, -5, [0, 4], [True], 1.0, "a", (0, 1), [[0]], (0, 1, 2)])
def test_wrong_rows_raise_index_errors(key):
    with pytest.raises(IndexError, match="Strings"):
        Strings(LISTS[0])[key]


def test_strings_are_immutable():
    packed = Strings(["abc"])
    with pytest.raises(ValueError, match="read-only"):
        packed.codes[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        packed[[0]].offsets[0] = 1
    with pytest.raises(AttributeError, match="immutable"):
        packed.codes = np.zeros(1)
    with pytest.raises(AttributeError, match="immutable"):
        del packed.codes
    with pytest.raises(TypeError, match="unhashable"):
        hash(packed)


@pytest.mark.parametrize("values", LISTS)
def test_pickles_and_copies_are_equal_and_immutable(values):
    packed = Strings(values, names="wxyz")
    for other in (pickle.loads(pickle.dumps(packed)), copy.copy(packed), copy.deepcopy(packed), Strings(packed)):
        assert other == packed
        assert other.names == packed.names
        assert other.to_list() == packed.to_list()
        assert not other.codes.flags.writeable


def test_the_pickle_of_a_choice_holds_its_own_tokens_only():
    packed = Strings([[str(i)] for i in range(100)])
    other = pickle.loads(pickle.dumps(packed[[3]]))
    assert list(other.texts.values()) == ["3"]


@pytest.mark.parametrize(("values", "others"), [(a, b) for a in LISTS for b in LISTS])
def test_strings_are_equal_if_their_symbols_are(values, others):
    assert (Strings(values) == Strings(others)) == (values is others)
    assert Strings(values) != values


def test_equality_looks_at_bounds_and_not_at_names():
    assert Strings(["ab", "c"]) != Strings(["a", "bc"])
    assert Strings(["ab"], names=["x"]) == Strings(["ab"])
    assert Strings(["ab", "\u0100"])[:1] == Strings(["ab"])


@given(TEXTS, TEXTS)
def test_concatenation_is_that_of_lists(one, two):
    assert (Strings(one) + Strings(two)).to_list() == one + two
    assert Strings.concatenate([Strings(one), Strings(two), Strings(one)]).to_list() == one + two + one


def test_concatenation_keeps_names_and_tokens():
    one, two = Strings([["a"]], names=["x"]), Strings([["b", "a"]], names=["y"])
    both = one + two
    assert both.names == ("x", "y")
    assert both.to_list() == [("a",), ("b", "a")]
    assert (one + Strings([["c"]])).names is None
    assert Strings.concatenate([one]) is one


def test_concatenation_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="cannot concatenate strings of granularity 'byte' and 'character'"):
        Strings(["a"]) + Strings([b"a"])
    with pytest.raises(TypeError, match=r"expected parts of type Strings, got \['a'\] as part 1"):
        Strings.concatenate([Strings(["a"]), ["a"]])
    with pytest.raises(ValueError, match="at least one part"):
        Strings.concatenate([])
    with pytest.raises(TypeError):
        Strings(["a"]) + "a"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (["ACGT", "GG"], "Strings(2 of length 2 to 4, 4 symbols: ACGT)"),
        (["aaa"], "Strings(1 of length 3, 1 symbol: a)"),
        (["a b\n"], "Strings(1 of length 4, 4 symbols: '\\n ab')"),
        ([b"ab"], "Strings(1 of length 2, 2 bytes: b'ab')"),
        ([["to", "be"], ["to"]], "Strings(2 of 1 to 2 tokens, 2 distinct)"),
        (
            ["".join(map(chr, range(65, 123)))],
            f"Strings(1 of length 58, 58 symbols: {''.join(map(chr, range(65, 97)))}...)",
        ),
        ([], "Strings(0 of length 0)"),
    ],
)
def test_repr_is_short(values, text):
    assert repr(Strings(values)) == text


# ---- scikit-learn, and the conversions kernels use


class Longest(ClassifierMixin, BaseEstimator):
    """Guesses the class whose strings were longest."""

    def fit(self, X, y):
        assert isinstance(X, Strings)
        self.classes_ = np.unique(y)
        self.mean_ = X.lengths.mean()
        return self

    def predict(self, X):
        assert isinstance(X, Strings)
        return (X.lengths > self.mean_).astype(int)


def test_scikit_learn_splits_strings():
    packed = Strings(["a" * (7 if i % 3 else 2) for i in range(40)])
    y = (packed.lengths > 3).astype(int)
    train, test, y_train, y_test = train_test_split(packed, y, random_state=0)
    assert isinstance(train, Strings)
    assert np.array_equal(train.lengths > 3, y_train)
    assert np.array_equal(test.lengths > 3, y_test)
    for rows, _ in KFold(4, shuffle=True, random_state=0).split(packed):
        assert _safe_indexing(packed, rows) == packed[rows]
    assert _safe_indexing(packed, np.arange(40) < 3) == packed[:3]
    assert _safe_indexing(packed, slice(1, 3)) == packed[1:3]
    assert _safe_indexing(packed, [2, 1]) == packed[[2, 1]]
    assert cross_val_score(Longest(), packed, y, cv=4, error_score="raise").tolist() == [1.0] * 4


def test_conversions_know_strings():
    packed = Strings(LISTS[0])
    assert n_samples(packed) == 4
    assert take(packed, [-1, 0]) == packed[[3, 0]]
    assert as_items(packed) == LISTS[0]


def test_estimators_take_strings():
    packed = Strings(["a" * (7 if i % 3 else 2) for i in range(40)])
    kernel = user(pair=lambda a, b: float(len(a) * len(b)))
    scores = cross_val_score(SVC(kernel=kernel, C=100.0), packed, packed.lengths > 3, cv=4, error_score="raise")
    assert scores.tolist() == [1.0] * 4


def test_a_kernel_written_in_python_sees_plain_strings():
    kernel = user(pair=lambda a, b: float(len(set(a) & set(b))))
    assert kernel(Strings(["GATTACA", "CAT"])).tolist() == kernel(["GATTACA", "CAT"]).tolist()


# ---- symbols


@given(TEXTS)
def test_alphabet_holds_what_occurs(values):
    assert Strings(values).alphabet == "".join(sorted(set("".join(values))))


def test_alphabet_is_readable_at_every_granularity():
    assert Strings([b"ba", b"b"]).alphabet == b"ab"
    assert Strings([["to", "be"], ["to"]])[:1].alphabet == ("be", "to")


@given(TEXTS | BYTES | TOKENS)
def test_case_is_folded_as_python_does(values):
    packed = Strings(values, names=range(len(values)))
    for how in ("upper", "lower"):
        folded = getattr(packed, how)()
        each = [[getattr(t, how)() for t in v] if isinstance(v, list) else getattr(v, how)() for v in values]
        assert folded == Strings(each, packed.granularity)
        assert folded.to_list() == list(map(plain, each))
        assert folded.names == packed.names


@pytest.mark.parametrize("text", ["stra\xdfe", "\xff", "\xb5", "\u039f\u03a3 \u03a3", "\u0130"])
def test_case_folding_may_change_lengths_and_look_at_neighbours(text):
    assert Strings([text]).upper()[0] == text.upper()
    assert Strings([text]).lower()[0] == text.lower()
