"""What a column is taken for."""

import numpy as np
import pytest

from mercer.auto import kinds
from mercer.auto.columns import raw_columns
from mercer.auto.kinds import infer_kind, sequence_alphabet

RNG = np.random.default_rng(0)
DNA = ["".join(RNG.choice(list("ACGT"), 30)) for _ in range(60)]
PROTEINS = ["".join(RNG.choice(list("ACDEFGHIKLMNPQRSTVWY"), 50)) for _ in range(60)]
WORDS = ["good", "bad", "tea", "of", "the", "house", "on", "a", "hill"]
REVIEWS = [" ".join(RNG.choice(WORDS, 9)) for _ in range(60)]
SMILES = [f"{'C' * i}(=O)N{'C' * j}c1ccccc1" for i in range(1, 9) for j in range(8)]


def kind_of(values, name="x"):
    return infer_kind(raw_columns("test", {name: values})[name])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.5, 2.5, 2.5], "number"),
        ([0, 1, 1, 0], "number"),  # few integers stay numbers
        ([True, False, True], "category"),
        (["Rome", "Oslo", "Rome"], "category"),
        (["New York", "Los Angeles", "New York"] * 20, "category"),
        (["a", None, "a"], "category"),  # missing or not is something to go by
        ([1, "a", 1], "category"),
        (REVIEWS, "text"),
        ([f"{a} {b}" for a in "abcdefgh" for b in "ijklmnop"], "text"),
        (
            ["a long text with many words that nobody would call a category", "and another text like it"] * 5,
            "text",
        ),
        (DNA, "sequence"),
        ([text.lower() for text in DNA], "sequence"),
        ([f"\t{text} " for text in DNA], "sequence"),
        (PROTEINS, "sequence"),
        (["".join(RNG.choice(list("HEC"), 12)) for _ in range(60)], "sequence"),
        (SMILES, "molecule"),
        ([f"(S (NP {word}) (VP is))" for word in WORDS], "tree"),
        ([f"A-{i}" for i in range(20)], "drop"),
        (["a", "a", "a"], "drop"),
        ([2.0, 2.0], "drop"),
        ([None, None], "drop"),
    ],
)
def test_kinds(values, kind):
    assert kind_of(values).kind == kind


def test_reasons_are_told():
    assert "equal" in kind_of([2.0, 2.0]).why
    assert "missing" in kind_of([None, None]).why
    assert "identifier" in kind_of(["a1", "b2", "c3"]).why
    assert "several types" in kind_of([1, "a", 1]).why
    assert "dna" in kind_of(DNA).why
    assert "CEH" in kind_of(["".join(RNG.choice(list("HEC"), 12)) for _ in range(60)]).why


@pytest.mark.parametrize("name", ["id", "ID", "index", "passenger_id", "PassengerId", "Unnamed: 0", "row"])
def test_numbers_of_rows_are_dropped(name):
    assert kind_of(np.arange(10), name).kind == "drop"
    assert kind_of(np.arange(10)[::-1] + 1, name).kind == "drop"
    assert kind_of([1, 2, 2, 3], name).kind == "number"  # names something, but not the rows
    assert kind_of([0.5, 1.5, 2.5], name).kind == "number"


@pytest.mark.parametrize("name", ["age", "width", "grid", "paid", "x"])
def test_counting_alone_is_no_reason_to_drop(name):
    assert kind_of(np.arange(10), name).kind == "number"


def test_smiles_by_name(monkeypatch):
    assert kind_of(["CCO", "CC", "CCO"], "SMILES").kind == "molecule"
    assert kind_of(["CCO", "CC", "CCO"], "canonical_smiles").kind == "molecule"
    assert kind_of(["CCO", "CC", "CCO"], "code").kind == "category"
    monkeypatch.setattr(kinds, "_chemistry", lambda: None)
    choice = kind_of(["CCO", "CC", "CCO"], "smiles")
    assert choice.kind == "text"
    assert "mercer[chem]" in choice.why
    assert kind_of(SMILES).kind == "drop"


def test_brackets_that_are_no_trees():
    assert kind_of(["(a (b)", "(a b))"] * 3).kind == "category"


@pytest.mark.parametrize(
    ("texts", "alphabet"),
    [
        (DNA, "dna"),
        ([text.replace("T", "U") for text in DNA], "rna"),
        (PROTEINS, "protein"),
        (["0110100110", "1111000010"], "01"),
        (["GATTACANN", "GATTACAGATTACA"], "dna"),
        (["NNNNNNNNNNNN", "RRRRRRRRRRRR"], "NR"),
        (["Margaret", "Frederica"], None),
        (["internationalisation", "misrepresentations"], None),
        (["ACG", "TTA"], None),  # too short
        (["GATTACA GATTACA", "GATTACAGATTACA"], None),  # a blank inside
        ([""], None),
    ],
)
def test_alphabets(texts, alphabet):
    assert sequence_alphabet(texts) == alphabet
