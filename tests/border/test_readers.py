"""Damaged files at every reader: no crash, no hang, every refusal a sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.border.files import FORMATS, SHARES, file_case
from tests.border.readers import SOURCE, planned
from tests.border.runner import run

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
    assert {kind for kind, _ in planned(1000, [])} == set(FORMATS)


@pytest.mark.parametrize("kind", FORMATS)
def test_cases_are_reproducible(kind):
    assert file_case(1, kind, 7).what == file_case(1, kind, 7).what != file_case(2, kind, 7).what


def test_a_crash_and_a_hang_are_found(monkeypatch):
    """The harness finds what it looks for, and names the command that shows it."""
    import time
    from dataclasses import replace

    from tests.border.case import Case

    calls = {2: os.abort, 4: lambda: time.sleep(60), 5: lambda: (_ for _ in ()).throw(KeyError("x"))}
    source = replace(SOURCE, make=lambda seed, kind, i: Case("a", "b", calls.get(i, lambda: 1.0)), patience=0.5)
    found = run([("csv", i) for i in range(7)], batch=7, source=source)
    assert [(finding.case, finding.symptom) for finding in found] == [(2, "crash"), (4, "crash"), (5, "exception")]
    assert found[0].command == "python -m tests.border.readers --kind csv --case 2"
    assert "SIGABRT" in found[0].detail
    assert "nothing for 0.5 s" in found[1].detail
