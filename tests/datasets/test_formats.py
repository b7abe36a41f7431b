"""LIBSVM, FASTA, SMILES, folders of graphs and of images."""

import gzip
import re

import numpy as np
import pytest
import scipy.sparse as sp
from PIL import Image

from mercer.datasets import read


@pytest.fixture(params=["plain", "gzip"])
def file(request, tmp_path):
    """Writes a file, plain or compressed."""

    def to(content, name):
        data = content if isinstance(content, bytes) else content.encode()
        path = tmp_path / (name if request.param == "plain" else f"{name}.gz")
        path.write_bytes(data if request.param == "plain" else gzip.compress(data))
        return path

    return to


# ---- LIBSVM


@pytest.mark.parametrize("name", ["heart.svm", "heart.libsvm", "heart.svmlight"])
@pytest.mark.parametrize("first", [0, 1])
def test_libsvm_stays_sparse(file, name, first):
    data = read(file(f"+1 {first}:0.5 {first + 2}:-1 # note\n-1 {first + 1}:2\n\n1\n", name))
    assert sp.issparse(data.X)
    assert data.X.format == "csr"
    assert data.X.toarray().tolist() == [[0.5, 0.0, -1.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]]
    assert data.y.tolist() == [1, -1, 1]
    assert data.y.dtype == np.int64
    assert data.target == "label"
    assert data.name == "heart"
    assert data.notes == ("The highest feature number implies 3 features.",)


def test_libsvm_with_real_targets_and_queries(file):
    data = read(file("0.5 qid:1 1:2\n1 qid:2 1:3\n", "a.svm"))
    assert data.y.tolist() == [0.5, 1.0]
    assert "Query ids (qid) are ignored." in data.notes


@pytest.mark.parametrize(
    ("content", "line", "shown"),
    [
        ("1 1:2\n" * 9 + "x,y,z\n", 10, "'x,y,z'"),
        ("1 1:2\n1 2:1 1:1\n1 1:2\n", 2, "'1 2:1 1:1'"),
        ("1 1:2\n1 1:2\n1 5\n", 3, "'1 5'"),
        (b"\x00\xff\x80", 1, "\\x00\\\\xff\\\\x80"),
        ("1 3000000000000:1\n", 1, "'1 3000000000000:1'"),
    ],
)
def test_bad_lines_of_libsvm_are_located(file, content, line, shown):
    path = file(content, "a.svm")
    with pytest.raises(ValueError, match=re.escape(f"{path}, line {line}: expected 'label feature:value …'")) as caught:
        read(path)
    assert shown in str(caught.value)
    assert "\n" not in str(caught.value)


def test_empty_libsvm(file):
    with pytest.raises(ValueError, match="is empty, expected 'label feature:value …' on each line"):
        read(file("# nothing\n", "a.svm"))


# ---- FASTA and SMILES


@pytest.mark.parametrize("name", ["a.fasta", "a.fa", "a.faa", "a.fna"])
def test_fasta(file, name):
    data = read(file(">s1 label=1 len=2 first one\nAC\nGT\n>s2 label=-1\nacn\n>s3 len=?\n", name))
    assert data.X.to_dict(as_series=False) == {
        "id": ["s1", "s2", "s3"],
        "sequence": ["ACGT", "acn", ""],
        "label": [1, -1, None],
        "len": [2, None, None],
        "description": ["first one", None, None],
    }
    assert data.target is None
    assert data.split(drop_missing=True).target == "label"
    assert "1 in 'label' (absent), 2 in 'len' ('?')" in data.notes[0]


def test_fasta_whose_headers_are_classes(file):
    data = read(file(">1\nAC\n>0\nGT\n>1\nA\n>0\nC\n", "a.fa"))
    assert data.X.to_dict(as_series=False) == {"class": [1, 0, 1, 0], "sequence": ["AC", "GT", "A", "C"]}
    assert data.notes == ("4 sequences share 2 headers, which are used as the class.",)
    assert read(file(">1\nAC\n>0\nGT\n>1\nA\n", "a.fa")).X.columns == ["id", "sequence"]


def test_fasta_with_odd_headers(file):
    data = read(file(">id=7 sequence=x\nAC\n>\nGT\n", "a.fa"))
    assert data.X.to_dict(as_series=False) == {"sequence": ["AC", "GT"], "id": [7, None], "sequence_2": ["x", None]}
    assert "another 'sequence', was renamed to 'sequence_2'" in data.notes[0]
    with pytest.raises(ValueError, match="line 1: expected a header that begins with '>', found no record"):
        read(file("", "a.fa"))


def test_smiles(file):
    data = read(file("smiles name\nCCO ethanol\n\n# rings\nc1ccccc1\tbenzene, pure\nC\n", "a.smi"))
    assert data.X.to_dict(as_series=False) == {
        "smiles": ["CCO", "c1ccccc1", "C"],
        "name": ["ethanol", "benzene, pure", None],
    }
    assert data.notes == ("Header and comment lines were skipped: 2.",)
    assert read(file("C 1.5\nCC 2\n", "a.smi")).X["name"].to_list() == [1.5, 2.0]
    assert read(file("C\nCC\n", "a.smi")).X.columns == ["smiles"]
    with pytest.raises(ValueError, match="is empty, expected a SMILES and a name on each line"):
        read(file("\n", "a.smi"))


# ---- folders


def graphs(folder, name="TOY", labels="1\n-1\n"):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}_A.txt").write_text("1, 2\n2, 1\n3, 4\n4, 3\n")
    (folder / f"{name}_graph_indicator.txt").write_text("1\n1\n2\n2\n")
    if labels:
        (folder / f"{name}_graph_labels.txt").write_text(labels)
    return folder


def test_folder_of_graphs(tmp_path):
    data = read(graphs(tmp_path / "toys"))
    assert repr(data) == "Dataset(toys: 2 samples, Graphs(2 of 2 nodes), target 'class')"
    assert data.y.tolist() == [1, -1]
    assert read(graphs(tmp_path / "real", labels="0.5\n1\n")).target == "target"
    bare = read(graphs(tmp_path / "bare", labels=""))
    assert bare.y is None
    assert bare.target is None
    assert bare.notes == ("The graphs have no labels.",)


def test_folder_of_several_sets_of_graphs(tmp_path):
    graphs(tmp_path / "toys", "A")
    graphs(tmp_path / "toys", "B")
    with pytest.raises(ValueError, match=r"toys: holds several data sets \(A, B\), expected one"):
        read(tmp_path / "toys")


def test_folder_of_images(tmp_path):
    for name, grey in (("a", 0), ("b", 255)):
        (tmp_path / name).mkdir()
        for i in range(2):
            Image.new("L", (3, 2), grey).save(tmp_path / name / f"{i}.png")
    data = read(tmp_path)
    assert data.X.shape == (4, 6)
    assert data.X.dtype == np.float64
    assert data.X.sum(axis=1).tolist() == [0.0, 0.0, 6.0, 6.0]
    assert data.y.tolist() == ["a", "a", "b", "b"]
    assert data.target == "class"
    assert data.shape == (2, 3)
    flat = read(tmp_path / "a")
    assert flat.y is None
    assert flat.target is None
    assert flat.split().y is None
