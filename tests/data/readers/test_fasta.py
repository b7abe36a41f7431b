"""FASTA files, plain and compressed, and errors with file and line."""

import gzip
import re

import pytest

from mercer.data import Strings

FASTA = b""">first one
ACGT
acg

; a comment
>
>  third \r
GA TT\r
A*\r
"""


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
    with pytest.raises(ValueError, match=r"reads.gz, line \d+: the compressed data are corrupt"):
        Strings.read_fasta(path)
    with pytest.raises(FileNotFoundError):
        Strings.read_fasta(tmp_path / "no.fa")


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
