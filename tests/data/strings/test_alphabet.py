"""Alphabets: membership of symbols, and the other strand."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.data import Alphabet, Strings
from mercer.data.strings.alphabet import as_alphabet


@pytest.mark.parametrize("alphabet", ["dna", "ACGT", b"ACGT", Alphabet("ACGT"), as_alphabet("dna")])
@pytest.mark.parametrize("extra", ["", "\u0100"])
def test_membership_is_by_symbol(alphabet, extra):
    packed = Strings(["ACNGT", "", "acgt" + extra])
    assert packed.belongs(alphabet).tolist() == [c in "ACGT" for c in "ACNGT" + "acgt" + extra]


def test_membership_of_bytes_and_tokens():
    assert Strings([b"A\xff"]).belongs("dna").tolist() == [True, False]
    assert Strings(["ab"]).belongs("a\u0100").tolist() == [True, False]
    assert Strings([["to", "be"], ["or"]]).belongs({"to", "or"}).tolist() == [True, False, True]
    with pytest.raises(TypeError, match="expected a collection of tokens, got 'to'"):
        Strings([["to"]]).belongs("to")


@pytest.mark.parametrize(
    ("packed", "alphabet", "message"),
    [
        (Strings(["ACGT", "", "ACN"]), "dna", "record 2 has 'N' at position 2, which is not in the dna alphabet ACGT"),
        (Strings(["A", "a"], names=["x", "y"]), "dna", "record 1 ('y') has 'a' at position 0"),
        (Strings([b"\xff"]), "protein", "record 0 has b'\\xff' at position 0"),
        (Strings([["to", "be"]]), ["to"], "record 0 has 'be' at position 1, which is not one of the tokens given"),
    ],
)
def test_foreign_symbols_are_named(packed, alphabet, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        packed.require(alphabet)


def test_strings_of_an_alphabet_pass():
    packed = Strings(["ACGT", ""])
    assert packed.require("dna") is packed
    assert Strings(["ACDEFGHIKLMNPQRSTVWY"]).require("protein").granularity == "character"


@pytest.mark.parametrize("alphabet", [None, 3, "", ["A"]])
def test_what_is_no_alphabet_is_refused(alphabet):
    with pytest.raises(TypeError, match="alphabet must be one of 'dna', 'rna', 'protein' or a str with its symbols"):
        Strings(["A"]).belongs(alphabet)


@given(st.lists(st.text("ACGTRYSWKMBDHVNacgtn", max_size=9), max_size=6))
def test_the_other_strand_of_the_other_strand_is_the_first(values):
    packed = Strings(values, names=range(len(values)))
    other = packed.reverse_complement()
    assert other.reverse_complement() == packed
    assert other.names == packed.names
    pairs = dict(zip("ACGTRYSWKMBDHVNacgtn", "TGCAYRSWMKVHDBNtgcan", strict=True))
    assert other.to_list() == ["".join(pairs[c] for c in reversed(value)) for value in values]


def test_other_strands_of_rna_bytes_and_wide_codes():
    assert Strings(["GAUU"]).reverse_complement("rna").to_list() == ["AAUC"]
    assert Strings([b"GATT"]).reverse_complement().to_list() == [b"AATC"]
    assert Strings(["GATT", "\u0100"])[:1].reverse_complement().to_list() == ["AATC"]
    ends = Alphabet("01", complement=("01", "10"))
    assert Strings(["0010"]).reverse_complement(ends).to_list() == ["1011"]


def test_symbols_without_partner_are_named():
    with pytest.raises(ValueError, match="record 1 has 'U' at position 1, which has no complement in the dna alphabet"):
        Strings(["A", "AU"]).reverse_complement()
    with pytest.raises(ValueError, match="the protein alphabet ACDEFGHIKLMNPQRSTVWY has no complement"):
        Strings(["A"]).reverse_complement("protein")
    with pytest.raises(ValueError, match="tokens have no complement"):
        Strings([["A"]]).reverse_complement()
    with pytest.raises(ValueError, match="two ASCII str of equal length"):
        Alphabet("AB", complement=("A", "BA"))
