"""Malformed inputs at every entry point: no crash, no silent wrong value, every refusal a sentence."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.border.case import Case, judge
from tests.border.kinds import KINDS, SHARES, case_of
from tests.border.odd import ROWS
from tests.border.runner import Finding, planned, run

ROOT = Path(__file__).parents[2]


def _python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "faulthandler", "-m", *arguments]
    settings = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", **environment}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=settings)


@pytest.mark.parametrize(
    ("seed", "cases"), [(0, 1000), *(pytest.param(seed, 5000, marks=pytest.mark.exhaustive) for seed in (0, 1, 2))]
)
def test_every_entry_point_answers_or_refuses(seed, cases, tmp_path):
    """Seeds 1 and 2 start behind the cases of seed 0, so that other pairs of inputs and entry points meet."""
    report = tmp_path / "findings.json"
    first = ["--skip", str(cases * seed)]
    done = _python("tests.border", "--cases", str(cases), "--seed", str(seed), "--json", str(report), *first)
    assert done.returncode in (0, 1), done.stderr[-3000:]
    findings = [json.loads(line) for line in report.read_text().splitlines()]
    assert not findings, done.stdout[-6000:]


@pytest.mark.parametrize("seconds", [6, pytest.param(60, marks=pytest.mark.exhaustive)])
def test_arrays_may_be_rewritten_during_a_call(seconds):
    done = _python("tests.border.rewritten", str(seconds), OMP_NUM_THREADS="2")
    assert done.returncode == 0, done.stderr[-3000:]
    counts = ast.literal_eval(done.stdout)
    assert min(counts.values()) > 0, counts  # right and wrong contents were both seen


# ---- the harness itself: what it is to find, it finds


def _crash() -> Any:
    os.abort()


def _case(call: Any, **options: Any) -> Case:
    return Case("an input", "an entry point", call, **options)


def _raises(error: BaseException) -> Any:
    def call() -> Any:
        raise error

    return call


@pytest.mark.parametrize(
    ("case", "symptom"),
    [
        (_case(lambda: 1.0), None),
        (_case(lambda: 1.0, must="refuse"), "accepted"),
        (_case(lambda: np.nan), "not finite"),
        (_case(lambda: np.ones(2), expected=lambda: np.ones(2) + 1e-9), None),
        (_case(lambda: np.ones(2), expected=lambda: np.full(2, 1.01)), "wrong value"),
        (_case(lambda: np.ones(2), expected=lambda: np.ones(3)), "wrong value"),
        (_case(lambda: ["a"], expected=lambda: ["b"]), "wrong value"),
        (_case(lambda: 1.0, expected=_raises(ValueError("RBF: no."))), "accepted"),
        (_case(_raises(ValueError("RBF: X has 0 samples, expected at least 1.")), must="refuse"), None),
        (_case(_raises(ValueError("RBF: X has 0 samples, expected 1.")), must="answer", expected=lambda: 1), "refused"),
        (_case(_raises(ValueError("index 5 is out of bounds for axis 0 with size 3"))), "words"),
        (_case(_raises(ValueError("RBF: X has 0 samples"))), "words"),
        (_case(_raises(ValueError("")), any_error=True), None),
        (_case(_raises(KeyError("RBF: X has no such key."))), "exception"),
        (_case(lambda: np.array([np.inf]) - np.inf), "exception"),  # a warning of NumPy's
    ],
)
def test_judgement(case, symptom):
    fault = judge(case)
    assert (fault and fault.symptom) == symptom


def test_a_changed_input_is_found():
    X = ROWS[0].copy()
    fault = judge(_case(lambda: X.sort(axis=0), given=X.tobytes))
    assert fault is not None
    assert fault.symptom == "changed"


def test_a_crash_is_traced_to_its_case(monkeypatch):
    def crashing(rng: Any, i: int) -> Case:
        return Case("an input", "an entry point", _crash if i == 5 else lambda: float(i))

    monkeypatch.setitem(KINDS, "crashing", crashing)
    findings = run([("crashing", i) for i in range(9)], batch=4)
    assert [(finding.case, finding.symptom) for finding in findings] == [(5, "crash")]
    assert "SIGABRT" in findings[0].detail
    assert findings[0].command == "python -m tests.border --kind crashing --case 5"


def test_a_crash_that_needs_earlier_cases_names_them(monkeypatch):
    ran: list[int] = []

    def crashing(rng: Any, i: int) -> Case:
        def call() -> float:
            ran.append(i)
            return _crash() if ran[-3:] == [4, 5, 6] else 1.0

        return Case("an input", "an entry point", call)

    monkeypatch.setitem(KINDS, "crashing", crashing)
    findings = run([("crashing", i) for i in range(9)], batch=9)
    assert [finding.case for finding in findings] == [6]
    assert "after the 3 cases before it" in findings[0].detail


def test_cases_are_reproducible():
    for kind in KINDS:
        first, second = case_of(3, kind, 41), case_of(3, kind, 41)
        assert (first.what, first.entry, first.must) == (second.what, second.entry, second.must)


def test_plans_have_every_kind():
    plan = planned(1000)
    assert len(plan) == len(set(plan)) == 1000
    assert {kind for kind, _ in plan} == set(KINDS) == set(SHARES)
    assert sum(SHARES.values()) == 100


def test_findings_name_their_command():
    finding = Finding("csr", 12, 3, "an input", "an entry point", "crash", "SIGSEGV")
    assert finding.command == "python -m tests.border --kind csr --case 12 --seed 3"
