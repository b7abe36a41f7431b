"""Files that would need too much memory, and readers that end their process: one sentence, and nothing is allocated."""

import gzip
import json
import os
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from mercer._runtime.budget import limited_memory
from mercer.data import Graphs, Strings, Trees, read_kelp
from mercer.datasets import apart, read
from mercer.exceptions import MemoryLimitError

LIMIT = "more than the limit of 50.0 MB; use a smaller file, or raise the limit with max_memory="


def zipped(path, head, block, times):
    """A small gzip file that decompresses to `times` blocks."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(times):
            file.write(block)
    return path


@pytest.mark.parametrize(
    ("name", "head", "block"),
    [
        ("a.csv.gz", b"a,b\n", b"1,2\n" * 250_000),
        ("a.tsv.gz", b"a\tb\n", b"1\t2\n" * 250_000),
        ("a.jsonl.gz", b"", b'{"a": 1}\n' * 100_000),
        ("a.fasta.gz", b">a\n", b"A" * 1_000_000),  # one line
        ("a.svm.gz", b"", b"1 1:1\n" * 150_000),
        ("a.smi.gz", b"", b"CCO\n" * 250_000),
    ],
)
def test_small_files_that_decompress_to_large_ones(tmp_path, name, head, block):
    path = zipped(tmp_path / name, head, block, 50)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(MemoryLimitError, match=re.escape(LIMIT)) as caught:
        read(path, max_memory="50 MB")
    assert str(caught.value).startswith(f"{path}: ")
    assert "decompresses to more than 12.5 MB" in str(caught.value) or "lines, which need about" in str(caught.value)


@pytest.mark.parametrize("reader", [Strings.read_fasta, Trees.read_brackets, read_kelp])
def test_readers_of_containers_have_the_same_limit(tmp_path, reader):
    path = zipped(tmp_path / "a.gz", b"", b"A" * 1_000_000, 50)  # one line
    with limited_memory(50_000_000), pytest.raises(MemoryLimitError, match=re.escape(LIMIT)):
        reader(path)


MEASURED = """
import resource, sys
from mercer.datasets import read
import polars
from mercer.exceptions import MemoryLimitError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read(sys.argv[1], max_memory=sys.argv[2] if sys.argv[2:] else None)
except MemoryLimitError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def measured(*argv):
    """The refusal, if any, and the kilobytes of memory that reading took."""
    done = subprocess.run([sys.executable, "-c", MEASURED, *map(str, argv)], capture_output=True, text=True, check=True)
    *said, memory = done.stdout.splitlines()
    return "\n".join(said), int(memory)


@pytest.mark.memory
def test_a_refused_file_takes_little_memory(tmp_path):
    said, memory = measured(zipped(tmp_path / "a.csv.gz", b"a,b\n", b"1,2\n" * 250_000, 300), "200 MB")
    assert "decompresses to more than 50.0 MB" in said
    assert memory < 200_000


@pytest.mark.memory
@pytest.mark.parametrize("n", [20_000, pytest.param(200_000, marks=pytest.mark.exhaustive)])
def test_many_columns_take_kilobytes_each(tmp_path, n):
    (tmp_path / "wide.csv").write_text(",".join(f"c{j}" for j in range(n)) + "\n" + (",".join(["1.5"] * n) + "\n") * 3)
    said, memory = measured(tmp_path / "wide.csv")
    assert said == ""
    assert memory < 5 * n  # 1 GB for 200 000
    assert read(tmp_path / "wide.csv").X.width == n


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wide.csv", ",".join(f"c{j}" for j in range(20_000)) + "\n" + "1," * 19_999 + "1\n"),
        ("wide.jsonl", "".join(json.dumps({f"key {i}": 1}) + "\n" for i in range(3000))),
        ("wide.fasta", "".join(f">a key{i}=1\nACGT\n" for i in range(3000))),
    ],
)
def test_columns_have_a_budget(tmp_path, name, text):
    """Records with a key of their own each make a table with as many columns as rows."""
    (tmp_path / name).write_text(text)
    with pytest.raises(MemoryLimitError, match=r"is a table of \d+ x \d+ values, which needs about .* max_memory="):
        read(tmp_path / name, max_memory="20 MB")


def test_nodes_have_a_budget(tmp_path):
    (tmp_path / "trees.txt").write_text("(S" * 100_000 + ")" * 100_000)
    with limited_memory(2_000_000), pytest.raises(MemoryLimitError, match="has more than 10000 nodes"):
        Trees.read_brackets(tmp_path / "trees.txt")
    for part, text in {"A": "1, 1\n", "graph_indicator": "1000000000\n"}.items():
        (tmp_path / f"X_{part}.txt").write_text(text)
    with limited_memory(10**9), pytest.raises(MemoryLimitError, match="numbers a graph 1000000000"):
        Graphs.read_tu(tmp_path)


def test_pixels_have_a_budget(tmp_path):
    from PIL import Image

    Image.new("L", (3000, 3000)).save(tmp_path / "a.png")
    with pytest.raises(MemoryLimitError, match=r"is an image of 9000000 pixels, which needs about 216\.0 MB"):
        read(tmp_path, max_memory="100 MB")


@pytest.mark.parametrize("wrong", [0, -1, "2 XB", "much", 1.5, True])
def test_limits_that_are_not_sizes(wrong):
    with pytest.raises(ValueError, match="parameter max_memory must be"):
        read("wine", max_memory=wrong)


# ---- what is not a file


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.fasta", "a.jsonl", "a.svm", "a.smi", "a.unknown"])
def test_pipes_and_devices_are_refused_at_once(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match=f"{name}: is a named pipe, expected a regular file"):
        read(tmp_path / name)
    with pytest.raises(ValueError, match="/dev/zero: is a device, expected a regular file"):
        read("/dev/zero", format="csv")


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
@pytest.mark.parametrize("reader", [Strings.read_fasta, Trees.read_brackets, read_kelp])
def test_readers_of_containers_open_files_only(tmp_path, reader):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="is a named pipe"):
        reader(tmp_path / "pipe")


# ---- readers in a child process


@pytest.fixture
def child(monkeypatch):
    """All files are read by a child, which runs this code first."""
    monkeypatch.setattr(apart, "LARGE", 0)

    def with_code(code):
        monkeypatch.setattr(apart, "_CHILD", f"{code}\n{apart._CHILD}")

    return with_code


def test_a_child_returns_what_the_reader_returns(tmp_path, monkeypatch):
    frame = pl.DataFrame({"a": [1, None, 3], "b": ["x", "\x1b", None], "c": [1.5, 2.5, float("nan")]})
    frame = frame.with_columns(d=pl.Series([0, 1, 2]).cast(pl.Date), e=pl.Series(["u", "v", "u"], dtype=pl.Categorical))
    frame.write_parquet(tmp_path / "a.parquet")
    frame.select("a", "c", "d").write_csv(tmp_path / "a.csv")
    for name in ("a.parquet", "a.csv"):
        monkeypatch.setattr(apart, "LARGE", 0)
        there = read(tmp_path / name)
        monkeypatch.setattr("mercer.datasets.reading.must_read_apart", lambda path, ending: False)
        here = read(tmp_path / name)
        assert there.X.equals(here.X)
        assert there.X.schema == here.X.schema
        assert (there.name, there.notes, there.target) == (here.name, here.notes, here.target)
        monkeypatch.undo()


def test_errors_of_a_child_are_errors_here(tmp_path, child):
    (tmp_path / "a.csv").write_text('a,b\n1,2\n"3,4\n')
    with pytest.raises(ValueError, match="line 3: cannot be split into fields"):
        read(tmp_path / "a.csv")
    (tmp_path / "a.parquet").write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(ValueError, match="is a corrupt Parquet file"):
        read(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import os; os.abort()", "signal SIGABRT"),
        ("import os; os._exit(7)", "exit status 7"),
        ("raise SystemExit('the reader panicked')", "the reader panicked"),
    ],
)
def test_a_reader_that_ends_its_process_is_one_sentence(tmp_path, child, code, told):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    child(code)
    with pytest.raises(ValueError, match=f"a.csv: cannot be read; its reader ended abnormally .{told}.\\.$"):
        read(tmp_path / "a.csv")


def test_a_child_whose_thread_has_failed_is_not_waited_for(tmp_path, child, monkeypatch):
    """A thread of polars that panics may leave others waiting."""
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    monkeypatch.setattr(apart, "GRACE", 0.1)
    child("import sys, time; print('thread panicked at x.rs:1', file=sys.stderr, flush=True); time.sleep(600)")
    with pytest.raises(ValueError, match=r"a\.csv: cannot be read; it is damaged in a way"):
        read(tmp_path / "a.csv")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the memory of processes is not known")
def test_a_child_that_needs_too_much_memory_is_ended(tmp_path, child):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    child("kept = [bytearray(b'x' * 10**8) for _ in range(5)]; import time; time.sleep(60)")
    with pytest.raises(MemoryLimitError, match=r"needs more memory to read, more than the limit of 300\.0 MB"):
        read(tmp_path / "a.csv", max_memory="300 MB")


@pytest.fixture
def parts(tmp_path):
    """A folder of two Parquet files, the second one of three row groups, and others."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for name in ("a", "b"):
        frame = pl.DataFrame({"x": np.arange(3000.0)})
        frame.write_parquet(folder / f"{name}.parquet", row_group_size=1000, compression="zstd")
    (folder / "c.parquet").write_text("not a table")
    (folder / "d.txt").write_text("x")
    return folder


def test_parquet_files_are_decoded_by_one_child(parts, monkeypatch):
    started = []
    plain = apart.subprocess.Popen
    monkeypatch.setattr(apart.subprocess, "Popen", lambda *a, **b: started.append(a) or plain(*a, **b))
    apart.check_apart(parts)
    apart.check_apart(parts / "a.parquet")
    assert len(started) == 2
    apart.check_apart(parts / "d.txt")
    apart.check_apart(parts / "absent")
    assert len(started) == 2


def test_the_file_that_cannot_be_decoded_is_named(parts):
    data = bytearray((parts / "b.parquet").read_bytes())
    data[len(data) // 2 : len(data) // 2 + 200] = bytes(200)  # a page of the second row group
    (parts / "b.parquet").write_bytes(data)
    with pytest.raises(ValueError, match=r"b\.parquet: is a corrupt Parquet file \(.+\)\.$"):
        apart.check_apart(parts)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("os.abort()", r"its reader ended abnormally \(signal SIGABRT\)"),
        ("print('panicked at', file=sys.stderr, flush=True) or time.sleep(600)", "it is damaged in a way"),
    ],
)
def test_the_file_at_which_the_child_ends_is_named(parts, monkeypatch, fault, told):
    """As threads of polars do it now and then, on damaged pages."""
    code = "import os, sys, time\nimport polars\nplain = polars.scan_parquet\n"
    code += f"polars.scan_parquet = lambda path, **options: plain(path) if 'a.par' in path else {fault}\n"
    monkeypatch.setattr(apart, "_DECODER", code + apart._DECODER)
    monkeypatch.setattr(apart, "GRACE", 0.1)
    with pytest.raises(ValueError, match=rf"b\.parquet: cannot be read; {told}"):
        apart.check_apart(parts)


@pytest.mark.memory
def test_a_parquet_file_of_few_bytes_and_many_rows(tmp_path):
    """Equal values take almost no bytes in the file."""
    pl.DataFrame({"a": np.zeros(30_000_000)}).write_parquet(tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 1_000_000
    said, memory = measured(tmp_path / "a.parquet", "150 MB")
    assert "needs more memory to read, more than the limit of 150.0 MB" in said
    assert memory < 100_000
