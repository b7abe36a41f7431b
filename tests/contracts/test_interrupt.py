"""Ctrl-C ends fits and predictions of every estimator at once, and leaves the model that was there before."""

import os
import subprocess
import sys

import pytest

from tests.contracts.estimators import ESTIMATORS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals from timers")

LIMIT = 1.0  # seconds of the processor, so that other processes do not count
GROUPS = [sorted(ESTIMATORS)[start::5] for start in range(5)]  # a process each


@pytest.mark.exhaustive
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: f"{names[0]} and others")
def test_ctrl_c(names):
    interrupt(names, n=6000, signals=6, latest=0.5, threads=1)


@pytest.mark.exhaustive
def test_ctrl_c_ends_workers():
    """Workers of a stack, which signals do not reach, are in ridge regressions of many rows at some of the moments."""
    interrupt(["AutoClassifier", "AutoRegressor"], n=4400, signals=8, latest=20.0, threads=2)


def interrupt(names, n, signals, latest, threads):
    """Run a process that interrupts itself, and check what it prints."""
    # Threads that wait for another one sleep: spinning would take time of the processor on a busy machine.
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [sys.executable, "-m", "tests.contracts.interruption", str(n), str(signals), str(latest), *names]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert process.returncode == 0, process.stderr
    found = [line.split() for line in process.stdout.splitlines()]
    assert {name for name, *_ in found} == set(names)
    late = [line for line in found if not float(line[2]) < LIMIT]
    assert late == []
    assert [line for line in found if line[3] != "whole"] == []
