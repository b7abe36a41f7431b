"""Commands as functions and as programs, in a folder of their own, 80 columns wide."""

import os
import subprocess
import sys

import pytest

from tests.cli.people import write_people


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def program(folder):
    """Run ``python -m mercer.cli`` with warnings as errors."""

    def run(*argv, **environment):
        command = [sys.executable, "-W", "error", "-m", "mercer.cli", *map(str, argv)]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, **environment}
        )

    return run


@pytest.fixture
def people(folder):
    write_people(folder / "people.csv")
    return "people.csv"
