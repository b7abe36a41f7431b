"""Files: FASTA, brackets and KeLP, plain and compressed, and errors that say where."""

import gzip
import os
import pathlib
import re

import numpy as np
import pytest

from mercer.data import Strings, Trees, read_kelp

FASTA = b""">first one
ACGT
acg

; a comment
>
>  third \r
GA TT\r
A*\r
"""
LINE = "NUM |BS:text| How far ? |ES| |BV:bow| a:b:1.0 far:2 |EV| |BT:tree| (S(W(how far))(W)) |ET| "


@pytest.fixture(params=["plain", "gzip"])
def write(request, tmp_path):
    """Writes a file, with an ending that does not tell how."""

    def to(data, name="data.txt"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if request.param == "gzip" else data)
        return path

    return to


@pytest.fixture
def folder():
    """Folder of the data sets, named by the environment variable MERCER_DATA."""
    path = os.environ.get("MERCER_DATA")
    if not path:
        pytest.skip("MERCER_DATA names no folder of data sets")
    return pathlib.Path(path)


# ---- FASTA


def test_fasta(write):
    path = write(FASTA)
    strings = Strings.read_fasta(path)
    assert strings.to_list() == ["ACGTacg", "", "GATTA*"]
    assert strings.names == ("first one", "", "third")
    assert Strings.read_fasta(str(path)) == strings
    assert strings[[2]].names == ("third",)


def test_fasta_without_final_newline(write):
    assert Strings.read_fasta(write(b">a\nAC\n>b\nGT"), "dna").to_list() == ["AC", "GT"]


@pytest.mark.parametrize(
    ("data", "alphabet", "message"),
    [
        (b"", None, "line 1: expected a header that begins with '>', found no record"),
        (b"\n\nACGT\n>a\n", None, "line 3: expected a header that begins with '>', got 'ACGT'"),
        (
            b"@read\nACGT\n+\n!!!!\n",
            None,
            "line 1: expected a header that begins with '>', got '@read'; this looks like",
        ),
        (b">a\nAC\n>b\nA\xe9\n", None, "line 4, record 1 (from 0): expected letters in ASCII, got 'A\\\\xe9'"),
        (b">\xe9\nAC\n", None, "line 1, record 0 (from 0): the header is not UTF-8"),
        (b">a\nAC\n>b\nAC\nANT\n", "dna", "line 5, record 1 (from 0): 'N' does not belong to the dna alphabet ACGT"),
        (b">a\nACx\n", "protein", "line 2, record 0 (from 0): 'x' does not belong to the protein alphabet"),
    ],
)
def test_bad_fasta_is_located(write, data, alphabet, message):
    path = write(data)
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        Strings.read_fasta(path, alphabet)


def test_broken_compression_is_told(tmp_path):
    path = tmp_path / "reads.gz"
    path.write_bytes(gzip.compress(FASTA * 100)[:-20])
    with pytest.raises(ValueError, match=r"reads.gz, line \d+: the compressed data are broken"):
        Strings.read_fasta(path)
    with pytest.raises(FileNotFoundError):
        Strings.read_fasta(tmp_path / "no.fa")


# ---- brackets


def test_brackets_on_one_line_or_several(write):
    trees = Trees.read_brackets(write("(2 (1 It) (3 α))\n\n( (S (NP\n  (DT the)) )\n)\n(A)(B)".encode()))
    assert [tree.to_text() for tree in trees] == ["(2 (1 It) (3 α))", "(S (NP (DT the)))", "(A)", "(B)"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\n", "line 1: found no tree"),
        (b"", "line 1: found no tree"),
        (b"(A b)\n(C d))\n", "line 2, record 2 (from 0): ')' closes no bracket"),
        (b"(A b)\n(C\n(D e)\n", "line 2, record 1 (from 0): the bracket that opens here is not closed"),
        (b"(A b)\nword (C d)\n", "line 2, record 1 (from 0): 'word' stands outside of brackets"),
        (b"(A b)\n(A \xff)\n", "line 2: is not UTF-8"),
    ],
)
def test_bad_brackets_are_located(write, data, message):
    path = write(data)
    with pytest.raises(ValueError, match=re.escape(f"{path}, {message}")):
        Trees.read_brackets(path)


# ---- KeLP


def test_kelp(write):
    y, parts = read_kelp(write(f"{LINE}\n\n{LINE.replace('NUM', 'A B')}\n".encode()))
    assert y == ["NUM", "A B"]
    assert list(parts) == ["text", "bow", "tree"]
    assert parts["text"] == Strings(["How far ?"] * 2)
    assert parts["bow"] == Strings([["a:b", "far", "far"]] * 2)
    assert parts["tree"] == Trees([("S", [("W", ["how far"]), "W"])] * 2)


def test_kelp_reads_what_is_asked_for():
    assert read_kelp([LINE], ["bow"], vectors="dicts") == (["NUM"], {"bow": [{"a:b": 1.0, "far": 2.0}]})
    other = "|BDV:dense| 1,2 |EDV| |BT:tree| (S) |ET|"
    assert read_kelp([other], ["tree"])[1]["tree"] == Trees(["(S)"])
    assert read_kelp([other], ["tree"])[0] == [""]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("NUM", "expected a representation '|BT:name| ... |ET|', got 'NUM'"),
        ("NUM |BT:tree| (S)", "expected a representation '|BT:name| ... |ET|', got '|BT:tree| (S)'"),
        (f"{LINE} and more", "got 'and more'"),
        (f"NUM |BT:x| (S) |ET| and {LINE[4:]}", "got 'and |BS:text| How far ?"),
        (f"{LINE} |BT:tree| (S) |ET|", "has the representation 'tree' twice"),
        (LINE.replace("BV:bow", "BV:bag"), "has no representation 'bow', only 'text', 'bag', 'tree'"),
        (LINE.replace("(W)", "(W"), "'tree' is no tree: a bracket is not closed"),
        (LINE.replace("(W)", "W"), "'tree' is no tree: 'W' stands between nodes"),
        (LINE.replace("far:2", "far:x"), "'bow' has 'far:x', expected feature:value"),
        (LINE.replace("far:2", "far"), "'bow' has 'far', expected feature:value"),
        (LINE.replace("far:2", "far:0.5"), "'bow' has the value 0.5 for 'far', expected a count; use vectors='dicts'"),
        (
            LINE.replace("|BT:tree|", "|BS:tree|").replace("|ET|", "|ES|"),
            "'tree' holds text here, but trees in the first",
        ),
        (LINE.replace("|BT:tree|", "|BDV:tree|").replace("|ET|", "|EDV|"), "'tree' is of kind '|BDV:'"),
    ],
)
def test_bad_lines_of_kelp_are_located(write, line, message):
    path = write(f"{LINE}\n{line}\n".encode())
    with pytest.raises(ValueError, match=re.escape(f"{path}, line 2, record 1 (from 0): ") + ".*" + re.escape(message)):
        read_kelp(path)
    with pytest.raises(ValueError, match=re.escape("read_kelp, line 2, record 1 (from 0): ")):
        read_kelp([LINE, line])


def test_kelp_refuses_nothing_and_unknown_options():
    with pytest.raises(ValueError, match="line 1: found no example"):
        read_kelp([])
    with pytest.raises(ValueError, match="vectors must be 'tokens' or 'dicts', got 'csr'"):
        read_kelp([LINE], vectors="csr")


# ---- the data sets the documentation speaks of


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("EP300", "2000 of length 100, 8 symbols: ACGTacgt"),
        ("ZZZ3", "9966 of length 200, 5 symbols: ACGNT"),
        ("scop_1.1", "2339 of length 16 to 905, 24 symbols: ABCDEFGHIKLMNPQRSTVWXYZx"),
    ],
)
def test_real_sequences(folder, name, shape):
    strings = Strings.read_fasta(folder / "strings" / name / "train.fasta.gz")
    assert repr(strings) == f"Strings({shape})"
    assert set(strings.names) == {"0", "1"}


def test_real_sequences_over_several_lines(folder):
    strings = Strings.read_fasta(folder / "strings" / "celegans_splice" / "C_elegans_acc_seq.fa.gz", "dna")
    assert repr(strings) == "Strings(2200 of length 82, 4 symbols: ACGT)"
    assert {string[40:42] for string in strings} == {"AG"}
    assert sum(name.endswith("label=1") for name in strings.names) == 200


def test_real_questions(folder):
    y, parts = read_kelp(folder / "trees" / "trec_qc" / "TREC_10.coarse.klp.gz")
    counts = dict(zip(*np.unique(y, return_counts=True), strict=True))
    assert counts == {"DESC": 138, "NUM": 113, "ENTY": 94, "LOC": 81, "HUM": 65, "ABBR": 9}
    assert {name for name, part in parts.items() if isinstance(part, Trees)} == {"grct", "lct", "loct", "cgrct", "clct"}
    assert parts["quest"][0] == "How far is it from Denver to Aspen ?"
    assert parts["bow"].lengths[0] == 9
    assert Trees([tree.to_text() for tree in parts["grct"]]) == parts["grct"]
    assert "LEX##denver::n" in parts["grct"][0].to_text()


def test_real_sentences(folder):
    trees = Trees.read_brackets(folder / "trees" / "sst" / "dev.txt.gz")
    roots = trees.labels[trees.offsets[:-1]]
    counts = {trees.texts[int(number)]: int(n) for number, n in zip(*np.unique(roots, return_counts=True), strict=True)}
    assert counts == {"0": 139, "1": 289, "2": 229, "3": 279, "4": 165}
    assert set(trees.n_children.tolist()) == {0, 1, 2}
