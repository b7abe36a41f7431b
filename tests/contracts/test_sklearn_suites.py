"""scikit-learn's own tests with mercer's classes fail exactly as docs/coming-from/scikit-learn.md lists."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sklearn

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "coming-from" / "scikit-learn.md"


def listed() -> dict[str, dict[str, str]]:
    """Tests that the page lists, with their reasons, for each test file that it names."""
    found: dict[str, dict[str, str]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"### `(sklearn/\S+\.py)`", line):
            found[heading[1]] = {}
        elif found and (row := re.fullmatch(r"\| `(test_[^`]+)` \| (.+) \|", line)):
            tests = found[list(found)[-1]]
            assert row[1] not in tests, f"{row[1]} is listed twice"
            tests[row[1]] = row[2]
    return found


def run(files: list[str], folder: Path) -> dict[str, bool]:
    """Whether each test of some files of scikit-learn passes with mercer's classes, by its id."""
    modules = [file.removesuffix(".py").replace("/", ".") for file in files]
    plugins = ["-p", "tests.contracts.in_place_of_sklearn", "-p", "no:cacheprovider", "-p", "no:xdist"]
    packages = Path(sklearn.__file__).parents[1]  # ids are paths from here
    alone = ["-c", os.devnull, "--rootdir", str(packages), "--tb=short", "-q", "-rN"]  # without mercer's settings
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SKLEARN"))}
    environment |= {"OUTCOMES": str(folder / "outcomes.json"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path])
    command = [sys.executable, "-m", "pytest", *plugins, *alone, "--pyargs", *modules]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr  # 1: some tests failed
    return dict(json.loads((folder / "outcomes.json").read_text(encoding="utf-8")))


@pytest.mark.exhaustive
def test_the_page_lists_exactly_what_fails(tmp_path):
    page = listed()
    assert {"test_kernel_ridge.py", "test_svm.py", "test_kernel_pca.py"} <= {file.rpartition("/")[2] for file in page}
    outcomes = run(list(page), tmp_path)
    assert {test.partition("::")[0] for test, passed in outcomes.items() if passed} == set(page)
    names = {f"{file}::{name}" for file, tests in page.items() for name in tests}
    excused = {test for test in outcomes if names & {test, test.partition("[")[0]}}
    unlisted = sorted(test for test, passed in outcomes.items() if not passed and test not in excused)
    passing = sorted(test for test in excused if outcomes[test])
    unknown = sorted(name for name in names if not any(name in (test, test.partition("[")[0]) for test in excused))
    assert (unlisted, passing, unknown) == ([], [], []), (
        f"{PAGE.name} differs from scikit-learn {sklearn.__version__}: failing and not listed {unlisted}; listed and "
        f"passing {passing}; listed and not there {unknown}."
    )
