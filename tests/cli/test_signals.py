"""Ctrl-C and SIGKILL at random moments of every command: exit status, time, and the files that were there before."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from PIL import Image

from mercer.cli import main
from mercer.cli.app import COMMANDS, _Interrupt
from mercer.persistence import load
from tests.cli.processes import started

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

NAMES = [function.__name__ for functions in COMMANDS.values() for function in functions]
LONG = {  # calls that take long, on a table of 3000 rows
    "fit": ("fit", "t.csv", "--rows", "0", "-o", "out.mercer"),
    "predict": ("predict", "m.mercer", "t.csv", "-o", "out.csv"),
    "serve": ("serve", "m.mercer", "--port", "0"),
    "embed": ("embed", "t.csv", "--rows", "0", "-o", "out.png"),
    "kernels": ("kernels",),
    "check": ("check", "rbf[0] - linear[1]", "t.csv", "--rows", "0"),
    "gram": ("gram", "n.csv", "rbf", "-o", "out.csv"),
    "datasets": ("datasets", "t.csv"),
    "faces": ("faces", "persons", "--components", "1", "2"),
    "doctor": ("doctor",),
}
# Seconds of the processor between a signal and the end, so that other processes of the machine do not count.
LOST = 30.0  # after which a signal was lost, and the test fails
DONE = {"serve": None, "check": 3}  # exit codes without a signal, if not 0


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Tables, images and a model."""
    folder = tmp_path_factory.mktemp("signals")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8)).round(4)
    columns = {f"x{j}": column for j, column in enumerate(X.T)}
    pl.DataFrame({**columns, "target": np.where(X[:, 0] > 0, "a", "b")}).write_csv(folder / "t.csv")
    pl.DataFrame(columns).write_csv(folder / "n.csv")
    for person in range(12):
        (folder / "persons" / f"p{person}").mkdir(parents=True)
        for number in range(4):
            pixels = rng.integers(0, 60, size=(40, 30)).astype(np.uint8)
            pixels[3 * person : 3 * person + 3] += 150
            Image.fromarray(pixels).save(folder / "persons" / f"p{person}" / f"{number}.png")
    quick = ("--folds", "2", "--model", "svm", "--kernel", "rbf", "--rows", "200", "-o", str(folder / "m.mercer"))
    assert main(["fit", str(folder / "t.csv"), *quick]) == 0
    return folder


def used(process):
    """Seconds of the processor that a process has used; the last known if it has ended."""
    try:
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_interrupt_in_a_callback_is_not_lost(capsys):
    class Loud:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def wait():
        del loud[0]
        patience = time.monotonic() + 30
        while time.monotonic() < patience:
            time.sleep(0.01)

    loud = [Loud()]
    with _Interrupt() as interrupt, pytest.raises(KeyboardInterrupt):
        wait()
    assert interrupt.pressed
    assert capsys.readouterr().err == ""


def test_every_command_is_interrupted():
    assert set(LONG) == set(NAMES)


@pytest.mark.parametrize("moments", [1, pytest.param(6, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", NAMES)
def test_ctrl_c(place, name, moments):
    """Status 130 and one line within a second of processor time; no file appears."""
    rng = np.random.default_rng([sum(map(ord, name)), moments])
    before = sorted(name for name in os.listdir(place) if not name.startswith("out"))
    for _ in range(moments):
        process = started(place, LONG[name])
        time.sleep(float(rng.uniform(0, 2.5)))
        process.send_signal(signal.SIGINT)
        at = last = used(process) or 0.0
        while process.poll() is None:
            last = used(process) or last
            if last - at > LOST:
                process.kill()  # the status is then not 130
            time.sleep(0.01)
        _, err = process.communicate()
        if process.returncode == DONE.get(name, 0):
            continue  # it was done before the signal
        assert process.returncode == 130, err
        assert err.endswith("mercer: interrupted.\n")
        assert "Traceback" not in err
        assert last - at < 1.0
        assert [name for name in sorted(os.listdir(place)) if not name.startswith("out")] == before


@pytest.mark.exhaustive
def test_sigkill_during_a_fit_with_a_report(place, tmp_path):
    """The old model and report stay whole, and the next fit leaves only its own files."""
    model, report = tmp_path / "m.mercer", tmp_path / "r.html"
    argv = ("fit", str(place / "t.csv"), "--folds", "2", "--model", "svm", "--kernel", "rbf", "--rows", "150")
    argv = (*argv, "-o", str(model), "--report", str(report))
    begun = time.monotonic()
    process = started(place, argv)
    process.communicate()
    assert process.returncode == 0
    whole = time.monotonic() - begun
    old = model.read_bytes(), report.read_bytes()
    rng = np.random.default_rng(0)
    killed = 0
    for after in rng.uniform(0, whole, size=30):  # also while the files are written, at the end
        process = started(place, argv)
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.communicate()
        assert load(model).predict(pl.read_csv(place / "t.csv")[:3].drop("target")).shape == (3,)
        assert report.read_text().rstrip().endswith("</html>")
        assert len(model.read_bytes()) == len(old[0])
    assert killed >= 10  # fewer than 30, if the machine had less to do than in the first run
    assert main(list(argv)) == 0
    assert sorted(os.listdir(tmp_path)) == ["m.mercer", "r.html"]
