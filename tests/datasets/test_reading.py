"""Which reader a source gets, and errors about the source itself."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.datasets import Dataset, read

PLAIN = ("csv", "tsv", "txt", "jsonl", "svm", "fasta", "smi")
TABLE = "a,b\n1,2\n"


def test_import_is_light():
    code = "import sys, mercer.datasets; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"polars", "sklearn", "PIL", "pandas", "matplotlib"} & set(done.stdout.split())


def test_paths_of_all_kinds(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    assert read(path).X.equals(read(str(path)).X)
    link = tmp_path / "b.csv"
    link.symlink_to(path)
    assert read(link).name == "b"


def test_format_wins_over_the_ending(tmp_path):
    path = tmp_path / "data"
    path.write_text("1 1:2\n")
    assert read(path, format="libsvm").X.shape == (1, 1)
    assert read(path, format="svmlight").X.shape == (1, 1)
    path.write_text(TABLE)
    assert read(path, format=".CSV").X.shape == (1, 2)


@pytest.mark.parametrize("format", ["xlsx", "", 3])
def test_formats_that_are_none(tmp_path, format):
    with pytest.raises(ValueError, match=r"parameter format must be one of 'csv', 'tsv', .*'tu', 'images', got"):
        read(tmp_path, format=format)


def test_format_that_does_not_fit(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    with pytest.raises(ValueError, match=r"a\.csv: is a file, but format 'tu' is not"):
        read(path, format="tu")
    with pytest.raises(ValueError, match="is a folder, but format 'csv' is not"):
        read(tmp_path, format="csv")


def test_a_file_wins_over_a_bundled_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read("wine").X.shape == (178, 14)
    pathlib.Path("wine").write_text(TABLE)
    assert read("wine", format="csv").X.shape == (1, 2)
    with pytest.raises(ValueError, match=r"wine: unknown file name extension \., expected"):
        read("wine")


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("wien", "did you mean the bundled 'wine'?"),
        ("Breast-Cancer", "did you mean the bundled 'breast_cancer'?"),
        ("nothing.csv", "bundled data sets: wine, iris, digits,"),
        ("a\0b", "bundled data sets: wine"),
    ],
)
def test_what_is_not_there(source, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=re.escape(f"there is no file or folder {source!r}; {hint}")):
        read(source)


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.json", "a.csv.zip", "a.png", "README.md"])
def test_unknown_endings(tmp_path, name):
    path = tmp_path / name
    path.write_text(TABLE)
    with pytest.raises(ValueError, match=r"unknown file name extension .*, expected \.csv \.tsv .* \.smi") as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_folders_with_nothing_known(tmp_path):
    with pytest.raises(ValueError, match=r"expected a folder of images or of graphs \(NAME_A.txt, .*\)\.$"):
        read(tmp_path)
    (tmp_path / "b.csv.gz").write_text(TABLE)
    (tmp_path / "a.fasta").write_text(TABLE)
    with pytest.raises(ValueError, match=r"it contains 'a.fasta', 'b.csv.gz', read one of these\.$"):
        read(tmp_path)


def test_no_source_at_all():
    with pytest.raises(TypeError, match="expected a path or a name, got None"):
        read(None)
    with pytest.raises(TypeError, match=r"expected a path or a name, got \[1, 2\]"):
        read([1, 2])
    with pytest.raises(ValueError, match="got an empty string"):
        read("")


def test_broken_link(tmp_path):
    path = tmp_path / "a.csv"
    path.symlink_to(tmp_path / "nowhere.csv")
    with pytest.raises(FileNotFoundError, match=r"a\.csv"):
        read(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"a\.csv"):
        read(path)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.fasta", "a.smi", "a.svm", "a.txt"])
def test_a_folder_with_the_name_of_a_file(tmp_path, name):
    path = tmp_path / name
    path.mkdir()
    with pytest.raises(ValueError, match="expected a folder of images or of graphs"):
        read(path)


def test_who_needs_polars(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(
        ImportError, match=re.escape("mercer.datasets.read: needs polars; install it with: pip install 'mercer[app]'")
    ):
        read(path)


# Each Parquet file is read in a process of its own.
@pytest.mark.parametrize("format", [*PLAIN, pytest.param("parquet", marks=pytest.mark.exhaustive)])
@given(content=st.binary(max_size=40) | st.text('01,;:\t\n\r"> a{}[].-?#', max_size=40).map(str.encode))
def test_garbage_is_read_or_refused_in_one_line(tmp_path_factory, format, content):
    path = tmp_path_factory.mktemp("garbage") / "data"
    path.write_bytes(content)
    told = None
    try:
        data = read(path, format=format)
    except ValueError as error:
        told = str(error)
    if told is None:
        assert isinstance(data, Dataset)
        assert len(data) > 0
    else:
        assert told.startswith(str(path))
        assert "\n" not in told
