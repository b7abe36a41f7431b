"""Damaged files at every reader: no crash, no hang, every refusal a sentence."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mercer.data import Trees, read_kelp
from mercer.datasets import read
from tests.border.files import FORMATS, SHARES, file_case
from tests.border.parquet import Child, read_by_child
from tests.border.readers import SOURCE
from tests.border.runner import planned, run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("cases", [500, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_every_reader_answers_or_refuses(cases, tmp_path):
    report = tmp_path / "findings.json"
    command = [sys.executable, "-m", "tests.border.readers", "--cases", str(cases), "--json", str(report)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    findings = [json.loads(line) for line in report.read_text().splitlines()]
    assert not findings, done.stdout[-6000:]


def test_formats_and_shares():
    assert set(FORMATS) == set(SHARES)
    assert sum(SHARES.values()) == 100
    assert {kind for kind, _ in planned(1000, shares=SHARES)} == set(FORMATS)


@pytest.mark.parametrize("kind", FORMATS)
def test_cases_are_reproducible(kind):
    assert file_case(1, kind, 7).what == file_case(1, kind, 7).what != file_case(2, kind, 7).what


def test_a_crash_and_a_hang_are_found(monkeypatch):
    """The harness finds what it looks for, and names the command that shows it."""
    from dataclasses import replace

    from tests.border.case import Case

    calls = {2: os.abort, 4: lambda: time.sleep(60), 5: lambda: (_ for _ in ()).throw(KeyError("x"))}
    source = replace(SOURCE, make=lambda seed, kind, i: Case("a", "b", calls.get(i, lambda: 1.0)), patience=0.5)
    found = run([("csv", i) for i in range(7)], batch=7, source=source)
    assert [(finding.case, finding.symptom) for finding in found] == [(2, "crash"), (4, "crash"), (5, "exception")]
    assert found[0].command == "python -m tests.border.readers --kind csv --case 2"
    assert "SIGABRT" in found[0].detail
    assert "nothing for 0.5 s" in found[1].detail


def _behaves(data):
    """What a reader may do, by the first letter of the file."""
    match data[:1]:
        case b"d":
            os._exit(3)
        case b"h":
            os.write(2, b"thread 'x' panicked at y")
            time.sleep(60)
        case b"r":
            raise ValueError("file: cannot be read.")
        case b"f":
            raise KeyError("x")
    return data.decode()


def test_a_child_that_reads_many_files_is_replaced_when_it_ends():
    """Every file gets its own verdict, whatever the ones before it did to the process."""
    found = []
    for data in (b"a", b"d", b"b", b"r", b"c", b"h", b"e", b"f", b"g"):
        try:
            found.append(read_by_child(data, _behaves))
        except (ValueError, AssertionError) as error:
            found.append(f"{type(error).__name__} {error}")
    refused = "ValueError The reader"
    assert found == [
        "a", f"{refused} has ended abnormally.", "b", "ValueError file: cannot be read.", "c",
        f"{refused} hangs since one of its threads failed.", "e", "AssertionError Fault KeyError('x')", "g",
    ]  # fmt: skip


def test_a_fault_counts_only_in_a_child_that_has_read_nothing_else():
    """A reader that one file has spoilt is not held against the next file."""
    before = []

    def spoilt(data):
        before.append(data)
        if len(before) > 1:
            raise KeyError("spoilt")
        return data.decode()

    assert [read_by_child(data, spoilt) for data in (b"a", b"b", b"c")] == ["a", "b", "c"]


def test_a_child_ends_with_its_owner():
    """Also while it reads: a process that is killed leaves no reader behind."""
    line = os.pipe()
    owner = os.fork()
    if owner == 0:
        child = Child(lambda data: time.sleep(600))
        os.write(line[1], str(child.pid).encode())
        child.read(b"")
    child = int(os.read(line[0], 100))
    os.kill(owner, signal.SIGKILL)
    os.waitpid(owner, 0)
    for _ in range(500):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]:
            break
        time.sleep(0.02)
    else:
        pytest.fail("the child outlives its owner")


VERDICTS = """
import json
from tests.border import files
from tests.border.parquet import dismiss

def verdict(call):
    try:
        return call()
    except ValueError as error:
        return str(error)

cases = [files.file_case(5, "parquet", i).call for i in range(30)]
together, alone = [verdict(call) for call in cases], []
for call in cases:
    dismiss(files.read_parquet)
    alone.append(verdict(call))
print(json.dumps([together, alone]))
"""


def test_one_child_gives_the_verdicts_of_many():
    """The slow twin: a new child for every file. Both run in a new process: threads of polars do not survive forks."""
    command = [sys.executable, "-c", VERDICTS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ)
    together, alone = json.loads(done.stdout)
    assert together == alone
    assert len(set(together)) > 5


LONG = "w" * 5_000
WIDE = ",".join(f"c{i}" for i in range(5_000))


@pytest.mark.parametrize(
    ("name", "text", "reader"),
    [
        ("names.csv", f"age,{LONG}\n", read),
        ("wide.csv", f"{WIDE}\n{WIDE.replace('c', '')}\n", lambda path: read(path).split()),
        ("nested.jsonl", json.dumps({LONG: [1]}) + "\n", read),
        ("a.txt", LONG, Trees.read_brackets),
        ("b.txt", f"1 |BT:t| {LONG} |ET|\n", read_kelp),
        ("c.txt", f"1 |BV:v| {LONG} |EV|\n", read_kelp),
        ("d.txt", f"1 |BT:t| (S) |ET| |BT:{LONG}| (S) |ET|\n", lambda path: read_kelp(path, names=["x" * 5_000])),
    ],
)
def test_long_texts_of_a_file_are_not_repeated_in_messages(tmp_path, name, text, reader):
    (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=r"…|more") as caught:
        reader(tmp_path / name)
    assert len(str(caught.value)) < 600


def test_long_column_names_are_not_repeated_in_notes(tmp_path):
    (tmp_path / "a.csv").write_text(f"{LONG},{LONG}\n1,x\nNA,2\n3,-\n")
    notes = read(tmp_path / "a.csv").notes
    assert any("renamed" in note for note in notes)
    assert all(len(note) < 600 for note in notes)
