"""Tables in files, read in blocks."""

import os
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from mercer.data.blocks.survey import Survey, Surveyed
from mercer.datasets import read_blocks
from mercer.ridge import KernelRidge, KernelRidgeClassifier

N = 1003


@pytest.fixture
def table(rng):
    X = rng.normal(size=(N, 3))
    return pl.DataFrame(
        {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": np.sin(X).sum(axis=1), "w": rng.uniform(1, 2, N)}
    )


def written(table, folder, kind, cuts=(0, 400, 401, N)):
    """Folder with files that together hold the table."""
    for i, (start, stop) in enumerate(pairwise(cuts)):
        part = table[start:stop]
        if kind == "parquet":
            part.write_parquet(folder / f"part-{i}.parquet", row_group_size=150)
        else:
            part.write_csv(folder / f"part-{i}.{kind}", separator="\t" if kind == "tsv" else ",")
    return folder


def everything(source):
    found = Surveyed.together(source.map(Survey("test")))
    return source.take(np.arange(source.n_rows)), found.y, found.weight


@pytest.mark.parametrize("kind", ["parquet", "csv", "tsv"])
@pytest.mark.parametrize("block_bytes", [1, 4000, 10**8])
def test_blocks_are_the_rows_of_the_table(table, tmp_path, kind, block_bytes):
    if block_bytes == 1:
        table = table[:30]
    source = read_blocks(
        written(table, tmp_path, kind, (0, 20, len(table))), target="y", weight="w", block_bytes=block_bytes
    )
    X, y, weight = everything(source)
    np.testing.assert_array_equal(X, table.select("a", "b", "c").to_numpy())
    np.testing.assert_array_equal(y, table["y"].to_numpy())
    np.testing.assert_array_equal(weight, table["w"].to_numpy())
    assert source.feature_names == ["a", "b", "c"]
    assert max(source.map(len)) <= max(1, block_bytes // 40)


def test_csv_lines_are_found_across_chunks(table, tmp_path, monkeypatch):
    monkeypatch.setattr("mercer.datasets.table_files._CHUNK", 100)
    text = table.write_csv().rstrip("\n")  # the last line has no end
    path = tmp_path / "table.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    X, y, _ = everything(read_blocks(path, target="y", columns=["c", "a"], block_bytes=1000))
    np.testing.assert_array_equal(X, table.select("c", "a").to_numpy())
    np.testing.assert_array_equal(y, table["y"].to_numpy())


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_fit_is_that_of_the_table_in_memory(table, tmp_path, kind):
    source = read_blocks(written(table, tmp_path, kind), target="y", weight="w", block_bytes=5000)
    model = KernelRidge(kernel="rbf", alpha=0.1, approximation=40)
    X, y, weight = (table.select("a", "b", "c").to_numpy(), table["y"].to_numpy(), table["w"].to_numpy())
    slow = model.fit(X, y, weight).predict(X)
    fast = model.fit(source).predict(source)
    np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-10)
    assert list(model.feature_names_in_) == ["a", "b", "c"]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_labels_may_be_text(table, tmp_path, kind):
    labelled = table.with_columns(y=pl.when(pl.col("y") > 0).then(pl.lit("high")).otherwise(pl.lit("low")))
    source = read_blocks(written(labelled, tmp_path, kind), target="y", columns=["a", "b", "c"], block_bytes=5000)
    model = KernelRidgeClassifier(kernel="rbf", approximation=40).fit(source)
    assert model.classes_.tolist() == ["high", "low"]
    assert model.score(source) > 0.9


def test_several_targets_and_integers(table, tmp_path):
    table = table.with_columns(w=pl.Series(np.arange(N) % 7), flag=pl.Series(np.arange(N) % 2 == 0))
    path = tmp_path / "table.parquet"
    table.write_parquet(path)
    X, y, _ = everything(read_blocks(path, target=["y", "w"], columns=["a", "flag"]))
    np.testing.assert_array_equal(X, table.select(pl.col("a"), pl.col("flag").cast(float)).to_numpy())
    np.testing.assert_array_equal(y, table.select("y", "w").to_numpy())


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize(("value", "what"), [(np.nan, "not a finite number"), (None, "missing")])
def test_a_bad_value_in_the_last_block_is_named(table, tmp_path, kind, value, what):
    column = table["b"].to_list()
    column[-1] = value
    folder = written(table.with_columns(b=pl.Series(column)), tmp_path, kind)
    source = read_blocks(folder, target="y", block_bytes=8000)
    blocks = sum(-(-n // source._step) for n in (400, 1, 602))
    with pytest.raises(ValueError, match=rf"part-2.{kind}: row 601 .*column 'b', block {blocks - 1}: .*{what}"):
        KernelRidge(approximation=5).fit(source)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_file_that_changes_between_passes_is_noticed(table, tmp_path, kind):
    folder = written(table, tmp_path, kind)
    source = read_blocks(folder, target="y", block_bytes=8000)
    everything(source)
    file = folder / f"part-1.{kind}"
    content = file.read_bytes()
    os.truncate(file, len(content) - 10)
    with pytest.raises(
        ValueError, match=rf"part-1.{kind}: has changed .*from {len(content)} to {len(content) - 10} bytes"
    ):
        everything(source)
    file.write_bytes(content)
    os.utime(file, ns=(1, 1))
    with pytest.raises(ValueError, match="has changed during the fit"):
        everything(source)
    file.unlink()
    with pytest.raises(FileNotFoundError, match="part-1"):
        everything(source)


def test_malformed_csv_is_refused_with_its_rows(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,2\n" * 50 + "\n" + "1,2\n" * 5)
    with pytest.raises(ValueError, match=r"table.csv: row 50 \(from 0\), column 'a', block 0: the value is missing"):
        everything(read_blocks(path))
    path.write_text("a,b\n" + "1,2\n" * 20_000 + "1,x\n")
    with pytest.raises(ValueError, match=r"table.csv: row 20000 \(from 0\) does not have the types"):
        everything(read_blocks(path, block_bytes=1600))
    path.write_text("a,b\n" + "1,2\n" * 20_000 + "1,2,3\n")
    with pytest.raises(ValueError, match=r"table.csv: row 20000 \(from 0\) does not"):
        everything(read_blocks(path))


@pytest.mark.parametrize(
    ("content", "options", "match"),
    [
        ("a,b\n1,x\n", {}, "column 'b' is not a column of numbers"),
        ("a,b\n1,2\n", {"target": "c"}, "X has no column 'c'"),
        ("a\n1\n", {"target": "a"}, "has no columns besides 'a'"),
        ("1.5,2\n1,2\n", {}, "the first line has no column names"),
    ],
)
def test_columns_are_checked_before_anything_is_read(tmp_path, content, options, match):
    path = tmp_path / "table.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=match):
        read_blocks(path, **options)


def test_files_must_fit_together(table, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file or folder"):
        read_blocks(tmp_path / "absent")
    with pytest.raises(ValueError, match=r"expected a .parquet or .csv file, or a folder .*, got an empty folder"):
        read_blocks(tmp_path)
    (tmp_path / "notes.txt").write_text("a")
    with pytest.raises(ValueError, match=r"got a folder of other files, such as 'notes.txt'"):
        read_blocks(tmp_path)
    with pytest.raises(ValueError, match=r"got 'notes.txt'"):
        read_blocks(tmp_path / "notes.txt")
    written(table, tmp_path, "parquet")
    table.rename({"a": "z"}).write_parquet(tmp_path / "part-9.parquet")
    with pytest.raises(
        ValueError, match=r"part-9.parquet: its columns differ from those of part-0.parquet .*; give all"
    ):
        read_blocks(tmp_path)
    (tmp_path / "part-9.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match=r"part-9.parquet: is a corrupt Parquet file"):
        read_blocks(tmp_path)
    table.write_csv(tmp_path / "more.csv")
    with pytest.raises(ValueError, match="both csv and parquet files"):
        read_blocks(tmp_path)


def test_targets_are_numbers_in_all_files_or_in_none(tmp_path):
    for i, labels in enumerate(([1.0, 2.0], ["high", "low"])):
        pl.DataFrame({"a": [1.0, 2.0], "y": labels}).write_parquet(tmp_path / f"{i}.parquet")
    with pytest.raises(ValueError, match=r"1.parquet: the target 'y' is String, but Float64 in 0.parquet; give it one"):
        read_blocks(tmp_path, target="y")


def test_compressed_csv_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"\x1f\x8b1234")
    with pytest.raises(ValueError, match="is compressed"):
        read_blocks(path)
