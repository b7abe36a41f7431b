"""Ctrl-C ends fits and predictions of every estimator at once, and leaves the model that was there before."""

import os
import subprocess
import sys

import pytest

from tests.contracts.estimators import ESTIMATORS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signals from timers")

LIMIT = 1.0  # seconds of the processor, so that other processes do not count
GROUPS = [sorted(ESTIMATORS)[start::5] for start in range(5)]  # a process each


@pytest.mark.parametrize(
    ("n", "signals"), [(2500, 1), pytest.param(6000, 6, marks=pytest.mark.exhaustive)], ids=["some", "many"]
)
@pytest.mark.parametrize("names", GROUPS, ids=lambda names: f"{names[0]} and others")
def test_ctrl_c(names, n, signals):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.contracts.interruption", str(n), str(signals), *names]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert process.returncode == 0, process.stderr
    found = [line.split() for line in process.stdout.splitlines()]
    assert {name for name, *_ in found} == set(names)
    late = [line for line in found if not float(line[2]) < LIMIT]
    assert late == []
    assert [line for line in found if line[3] != "whole"] == []
