"""Changed files: none crashes, none runs code, none takes more memory than it has bytes.

Ten thousand in exhaustive runs, three hundred in others.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("seed", "count"), [(0, 300), *(pytest.param(seed, 2500, marks=pytest.mark.exhaustive) for seed in range(4))]
)
def test_changed_files(seed, count):
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.persistence.fuzz", str(seed), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["refused"] + found["loaded"] == count
    assert found["answered"] + found["raised"] == found["loaded"]
    assert found["wrong"] == []  # exceptions other than ValueError
    assert found["forbidden"] == []
    assert found["grown"] < 200  # MB
    assert found["answered"] > count / 50  # the inner layers are reached
