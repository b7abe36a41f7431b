"""Transcripts of the page of the command line are what its commands print."""

import http.client
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from mercer import SVC
from mercer.cli.app import run
from mercer.persistence import save
from tests.test_documentation import PAGES

BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[+-]?\d+)?(?![\w])")
TIME = re.compile(r"\b[\d.]+ s\b")
LEARNED = ("fit", "predict")  # their numbers depend on optimisers and the BLAS
EXACT = ("embed", "kernels", "check", "gram", "datasets", "faces")


def steps():
    """What the page runs, in its order: programs as text, and commands as arguments and output."""
    for kind, block in BLOCK.findall(PAGES["docs/guide/cli.md"]):
        if kind == "python":
            yield block, None
        else:
            for line, output in PROMPT.findall(block):
                yield shlex.split(line.partition(";")[0])[1:], output


COMMANDS = {argv[0]: (argv, output) for argv, output in steps() if output is not None}


def words(text):
    """Words with their numbers replaced, and the numbers; times are left out, and widths of tables with times."""
    plain = re.sub("─+", "─", TIME.sub("TIME", text))
    return NUMBER.sub("#", plain).split(), [float(number) for number in NUMBER.findall(plain)]


def compare(printed, shown, tolerance):
    """Assert that an output has the words and the numbers of the page, where a word … is any part of it."""
    for part in re.split(r"(?:^|\s)…(?=\s)", shown):
        expected, numbers = words(part)
        found = words(printed)[0]
        starts = [i for i in range(len(found)) if found[i : i + len(expected)] == expected]
        assert starts, f"{part} is not in {printed}"
        before = sum(word.count("#") for word in found[: starts[0]])
        values = words(printed)[1][before : before + len(numbers)]
        np.testing.assert_allclose(values, numbers, rtol=tolerance, atol=1e-9)
    if "…" not in shown.split():
        assert words(printed)[0] == words(shown)[0]


def test_every_command_has_a_transcript():
    assert {*LEARNED, *EXACT, "serve", "doctor"} == set(COMMANDS)


def test_models_are_fitted_and_predict_as_shown(folder, capsys):
    learned = [step for step in steps() if step[1] is None or step[0][0] in LEARNED]
    assert [argv[0] for argv, output in learned if output is not None] == ["fit", "fit", "predict", "predict"]
    for step, output in learned:
        if output is None:
            exec(compile(step, "<page>", "exec"), {})
        else:
            assert run(step) == 0
            compare(capsys.readouterr().out, output, 0.02)


@pytest.mark.parametrize("name", EXACT)
def test_transcripts_are_reproduced(name, folder, capsys):
    argv, output = COMMANDS[name]
    if name == "faces":
        shutil.copy(yale(), folder / argv[1])
    code = run(argv)
    printed = capsys.readouterr().out + (f"{code}\n" if name == "check" else "")
    compare(printed, output, 1e-9)


def yale():
    """The file of faces, below the folder that the environment variable MERCER_DATA names."""
    path = Path(os.environ.get("MERCER_DATA", "")) / "faces" / "yale" / "yale_32x32.mat"
    if not path.is_file():
        pytest.skip("MERCER_DATA names no folder of data sets")
    return path


def test_log_of_the_service(folder):
    argv, output = COMMANDS["serve"]
    X = np.random.default_rng(0).normal(size=(20, 2))
    save(SVC().fit(X, X[:, 0] > 0), folder / argv[1])
    command = [sys.executable, "-m", "mercer.cli", *argv[:-1], "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            first = process.stderr.readline()
            port = int(re.search(r"http://127.0.0.1:(\d+)", first)[1])
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                body = '{"samples": [[0.5, 1.0], [-0.5, 1.0]]}'
                connection.request("POST", "/predict", body, {"Content-Type": "application/json"})
                assert connection.getresponse().read()
            second = process.stderr.readline()
        finally:
            process.kill()
    for line, shown in zip((first, second), output.splitlines(), strict=True):
        assert masked(line) == masked(shown)


def masked(line):
    """A line of the log without the time, the port and the duration."""
    return re.sub(r"(time=|127.0.0.1:|ms=)[^ ]+", r"\1", line.strip())


def test_parts_of_the_diagnosis(folder, capsys):
    """Versions and processors differ; the labels of all lines are the same."""
    argv, output = COMMANDS["doctor"]
    assert run(argv) == 0
    printed = labels(capsys.readouterr().out)
    shown = [label for label in labels(output) if label != "…"]
    assert [label for label in printed if label in shown] == shown


def labels(text):
    """First columns of a table."""
    return [line.split("  ")[0] for line in text.splitlines() if line.strip() and line[0] != " "]
