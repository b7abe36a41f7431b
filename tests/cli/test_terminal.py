"""Control characters in names and contents never reach a terminal, whatever the command prints."""

import io
import json
import pathlib
import re
import subprocess
import sys
import time
import warnings

import numpy as np
import polars as pl
import pytest
from PIL import Image
from rich.table import Table
from rich.text import Text

import mercer.cli
from mercer.cli import main
from mercer.cli.app import COMMANDS
from mercer.cli.shared import progress_bar
from mercer.cli.shared.progress_bar import progress
from mercer.cli.shared.terminal import escaped, print_data, shielded, terminal

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
STYLE = re.compile("\x1b\\[[0-9;]*m")  # what rich itself writes
TITLE, CLEAR, REVERSED, C1 = "\x1b]0;owned\x07", "\x1b[2J", "\u202edetrever\u202c", "\x9b31m"
FILE = f"da{CLEAR}ta.csv"
NAMES = (f"si{TITLE}ze", f"col{REVERSED}", f"te{C1}xt")
CLASSES = (f"y{CLEAR}es", f"n{REVERSED}o")


@pytest.fixture
def hostile(folder):
    """A table, a model fitted to it and images; names and values hold escape sequences."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    columns = {
        NAMES[0]: rng.normal(size=40) + 2 * y,
        NAMES[1]: [f"a{TITLE}" if i % 3 else f"b{REVERSED}" for i in range(40)],
        NAMES[2]: [None if i == 3 else f"{C1}{i % 5}" for i in range(40)],
        f"cla{C1}ss": [CLASSES[i] for i in y],
    }
    pl.DataFrame(columns).write_csv(folder / FILE)
    for person in ("ann\x1b[31m", "bob\u202e"):
        (folder / "faces" / person).mkdir(parents=True)
        for i in range(4):
            pixels = rng.integers(0, 255, size=(8, 8), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / "faces" / person / f"{i}.png")
    return folder


TARGET = ("--target", f"cla{C1}ss")
FIT = (
    "fit",
    FILE,
    *TARGET,
    "--folds",
    "2",
    "--model",
    "svm",
    "--kernel",
    "rbf[0] + overlap[1]",
    "-o",
    f"m{CLEAR}.mercer",
)
CALLS = {  # by command; each is called as it is, with --json and with --code
    "fit": [FIT],
    "predict": [("predict", f"m{CLEAR}.mercer", FILE), ("predict", f"m{CLEAR}.mercer", FILE, "-o", f"a{C1}.csv")],
    "embed": [("embed", FILE, "-o", f"m{TITLE}.svg", "--table", f"t{C1}.csv"), ("embed", FILE, *TARGET, "-o", "m.png")],
    "kernels": [("kernels", "rbf")],
    "check": [("check", "rbf[0]", FILE)],
    "gram": [("gram", FILE, "rbf[0]", "-o", f"K{C1}.npy")],
    "datasets": [("datasets", FILE)],
    "faces": [("faces", "faces", "--components", "2")],
    "doctor": [("doctor",)],
}
WRONG = {
    "fit": ("fit", FILE, "--target", f"cla{C1}s"),
    "predict": ("predict", f"absent{CLEAR}", FILE),
    "embed": ("embed", FILE, "-o", f"map{TITLE}.txt"),
    "kernels": ("kernels", f"rb{CLEAR}f"),
    "check": ("check", f"rbf[{REVERSED}]", FILE),
    "gram": ("gram", f"absent{C1}.csv", "rbf", "-o", "K.npy"),
    "datasets": ("datasets", f"absent{REVERSED}.csv"),
    "faces": ("faces", f"absent{TITLE}"),
    "doctor": ("doctor", f"--{CLEAR}"),
}


def printed(capsys, argv):
    """Exit status, output and errors of a command; neither holds a control character."""
    status = main(list(argv))
    out, err = capsys.readouterr()
    assert CONTROL.search(out) is None, repr(out)
    assert CONTROL.search(err) is None, repr(err)
    return status, out, err


def test_every_command_is_called():
    names = {function.__name__ for functions in COMMANDS.values() for function in functions}
    assert names - {"serve"} == set(CALLS) == set(WRONG)  # serve has tests of its own


def test_no_command_prints_control_characters(capsys, hostile):
    shown = {}
    for command, calls in CALLS.items():
        for argv in calls:
            if argv[:2] == ("predict", f"m{CLEAR}.mercer") and "-o" not in argv:
                continue  # prints the table, see below
            status, out, err = printed(capsys, argv)
            assert status == 0, err
            if command != "fit":  # once is enough
                status, found, err = printed(capsys, (*argv, "--json"))
                assert status == 0, err
                json.loads(found)
            status, _, err = printed(capsys, (*argv, "--code"))
            assert status == 0, err
            shown[command] = out
    assert "cla\\u009b31mss" in shown["fit"]  # shown, not dropped
    assert "si\\u001b]0" in shown["datasets"]


def test_colours_are_the_only_sequences(capsys, hostile, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    for argv in (CALLS["datasets"][0], WRONG["doctor"], ("fit", "--help")):
        main(list(argv))
        out, err = capsys.readouterr()
        assert STYLE.search(out + err)
        assert CONTROL.search(STYLE.sub("", out + err)) is None


@pytest.mark.parametrize("command", WRONG)
def test_errors(capsys, hostile, command):
    status, out, err = printed(capsys, WRONG[command])
    assert status in (1, 2)
    assert out == ""
    assert "\\u" in err or "\\x" in err  # of this module, or of Python's repr


def test_warnings_and_tracebacks(capsys, monkeypatch):
    def examine():
        warnings.simplefilter("always")
        warnings.warn(f"a {CLEAR}", stacklevel=1)
        raise KeyError(f"b {REVERSED}")

    monkeypatch.setattr("mercer.cli.doctor._examine", examine)
    status, _, err = printed(capsys, ["doctor"])
    assert status == 1
    assert "warning: a \\u001b[2J" in err
    assert "Traceback" in err


def test_json_means_the_same(capsys, hostile):
    """The escapes are those of JSON."""
    assert main(["datasets", FILE, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [column["name"] for column in found["columns"]] == [*NAMES, f"cla{C1}ss"]
    assert found["columns"][1]["first"] == f"b{REVERSED}"


def test_predictions_in_a_pipe_are_those_of_the_model(capsys, hostile):
    """Data are escaped on a terminal only: a program must get the labels as they are."""
    assert main(list(FIT)) == 0
    capsys.readouterr()
    assert main(list(CALLS["predict"][0])) == 0
    out, err = capsys.readouterr()
    assert CONTROL.search(err) is None
    assert set(pl.read_csv(io.StringIO(out))["prediction"]) == set(CLASSES)


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_data_on_a_terminal_are_escaped(monkeypatch):
    screen, pipe = _Terminal(), io.StringIO()
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stdout", stream)
        with shielded():
            print_data(f"a,{CLEAR}\n")
    assert (screen.getvalue(), pipe.getvalue()) == ("a,\\u001b[2J\n", f"a,{CLEAR}\n")


def test_progress(monkeypatch):
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with shielded(), progress("start") as step:
        step(1, 2, f"rbf[age{CLEAR}]")
        patience = time.monotonic() + 60  # a thread draws the bar
        while "rbf" not in screen.getvalue() and time.monotonic() < patience:
            time.sleep(0.01)
    assert CLEAR not in screen.getvalue()  # rich itself clears lines, not the screen
    assert "rbf[age\\u0" in STYLE.sub("", screen.getvalue())


def test_progress_never_promises_the_end(monkeypatch):
    state = progress_bar._State("reading")
    assert state.line() == "mercer: after 0 s: reading"  # a share would be invented
    state.step(1, 2, "fit on all rows")
    state.report(1.0, "svm")
    assert state.line() == "mercer: 99% after 0 s: fit on all rows, svm"


def test_the_time_that_is_left_never_grows_without_a_report(monkeypatch):
    """A long step that reports nothing: the estimate made at its beginning counts down, and ends."""
    now = [0.0]
    monkeypatch.setattr(progress_bar.time, "monotonic", lambda: now[0])
    state = progress_bar._State("reading")
    assert state.left == ""
    now[0] = 60.0
    state.step(6, 8, "writing the report")
    found = []
    for now[0] in (60.0, 70.0, 79.0, 90.0):
        found.append(state.left)
    assert found == ["about 20 s left", "about 10 s left", "about 1 s left", ""]
    assert state.line() == "mercer: 75% after 90 s: writing the report"
    state.report(0.5, "curves")
    assert state.left == "about 21 s left"


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["gram", "wine", "rbf", "-o", "K.npy"], "Gram matrix of 178 samples"),
        (["embed", "wine"], "embedding of 178 samples"),
        (["check", "sigmoid[hue]", "wine"], "eigenvalues of the Gram matrix of 178 samples"),
        (["datasets", "wine"], "reading"),
    ],
)
def test_commands_report_progress(capsys, tmp_path, monkeypatch, argv, text):
    from mercer.cli import main

    monkeypatch.chdir(tmp_path)
    told = []
    monkeypatch.setattr(progress_bar._State, "step", lambda _, done, total, text: told.append(text))
    first = progress_bar._State.__init__
    monkeypatch.setattr(
        progress_bar._State, "__init__", lambda self, title: (told.append(title), first(self, title))[1]
    )
    assert main(argv) in (0, 3)  # the sigmoid is refuted
    assert text in told


def test_every_text_of_a_console_is_escaped(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    table = Table(CLEAR, title=C1)
    table.add_row(Text(f"a{REVERSED}b", style="red"))
    table.add_row(Text.assemble(("x", "bold"), C1, ("y", "bold")))
    with shielded():
        for what in (table, CLEAR, Text(CLEAR)):
            terminal().print(what)
        sys.stdout.write(CLEAR)
        out = sys.stdout.behind.getvalue()
    assert CONTROL.search(out) is None
    assert "a\\u202ede" in out
    assert "x\\u009b31" in out


def test_what_is_harmless_stays():
    text = "naïve\tCaffè – 日本 🙂\nΣγ‖x−z‖²"
    assert escaped(text) == text


def test_only_one_module_makes_consoles():
    """rich's own console would write escape sequences of names as they are."""
    folder = pathlib.Path(mercer.cli.__file__).parent
    makers = [path.name for path in folder.rglob("*.py") if re.search(r"Console\(", path.read_text())]
    assert makers == ["terminal.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="no /dev/full")
def test_a_full_disk_behind_the_output(folder):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "mercer.cli", "kernels", "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "mercer: standard output: no space left on device.\n")
