"""What all commands share: help, exit codes, errors in one line, output that is whole or not there."""

import inspect
import json
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from mercer.cli import main
from mercer.cli.app import COMMANDS
from mercer.cli.shared.destinations import check_folder, check_suffix, replacing
from mercer.cli.shared.output import print_json

FUNCTIONS = [function for functions in COMMANDS.values() for function in functions]


def run_instead(monkeypatch, function):
    """Let ``mercer doctor`` do something else."""
    monkeypatch.setattr("mercer.cli.doctor._examine", function)


def test_help_lists_every_command_and_the_exit_codes(capsys):
    assert main(["--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for function in FUNCTIONS:
        assert f"{function.__name__} {inspect.getdoc(function).partition(chr(10))[0]}" in shown
    assert "Exit codes: 0 success, 1 an error in the input, 2 a command not understood, 3 check refuted" in shown
    assert "130 interrupted" in shown


def test_help_imports_nothing_heavy():
    seen = "import sys, mercer.cli; mercer.cli.main(['--help']); sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    modules = set(done.stderr.split())
    assert "mercer.cli.fit" in modules
    assert not modules & {"numpy", "scipy", "sklearn", "polars", "matplotlib", "mercer.kernels"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_help_of_every_command(capsys, function):
    parameters = inspect.signature(function).parameters
    assert {"json", "code"} <= set(parameters)
    assert main([function.__name__, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    for name in parameters:
        words = {"key": "--id"}.get(name, name.replace("_", "-"))
        assert words in shown.lower()
    assert "Exit codes" in shown


def test_a_line_of_its_own_for_what_is_wrong_with_the_input(capsys, monkeypatch):
    def fail(error):
        def examine():
            raise error

        run_instead(monkeypatch, examine)
        assert main(["doctor"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        return err

    assert fail(ValueError("rows:\n  too many")) == "mercer: rows: too many\n"
    assert fail(FileNotFoundError(2, "No such file or directory", "x.csv")) == (
        "mercer: x.csv: no such file or directory.\n"
    )
    assert fail(MemoryError()) == "mercer: not enough memory; use fewer rows.\n"
    assert fail(MemoryError("K needs 8 GB.")) == "mercer: K needs 8 GB.\n"
    assert fail(ImportError("report: needs jinja2")) == "mercer: report: needs jinja2\n"
    noted = ValueError("unknown")
    noted.add_note("  here")
    assert fail(noted) == "mercer: unknown\n  here\n"


@pytest.mark.parametrize("error", [KeyError("x"), ModuleNotFoundError("No module named 'x'", name="x")])
def test_an_error_of_mercer_keeps_its_traceback(capsys, monkeypatch, error):
    def examine():
        raise error

    run_instead(monkeypatch, examine)
    assert main(["doctor"]) == 1
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "please report it" in err.splitlines()[-1]


def test_warnings_are_one_line_each(capsys, monkeypatch):
    def examine():
        warnings.simplefilter("always")
        warnings.warn("scale\n the features", stacklevel=1)
        return {"self_test": {"passed": True}}

    run_instead(monkeypatch, examine)
    assert main(["doctor", "--json"]) == 0
    assert capsys.readouterr().err == "mercer: warning: scale the features\n"


def test_interrupted(capsys, monkeypatch):
    def examine():
        raise KeyboardInterrupt

    run_instead(monkeypatch, examine)
    assert main(["doctor"]) == 130
    assert capsys.readouterr().err == "mercer: interrupted.\n"


def test_json_has_no_nan(capsys):
    print_json({"a": np.array([1.0, np.nan]), "b": np.float32(0.5), "c": np.inf, "d": (True, None, "é"), 5: object})
    data = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert data == {"a": [1.0, None], "b": 0.5, "c": None, "d": [True, None, "é"], "5": str(object)}


# ---- files


def test_files_appear_together_or_not_at_all(folder):
    old, new = folder / "old.txt", folder / "new.txt"
    old.write_text("old")
    with pytest.raises(RuntimeError), replacing(old, new) as (first, second):  # noqa: PT012
        first.write_text("half")
        second.write_text("half")
        raise RuntimeError
    assert old.read_text() == "old"
    assert [path.name for path in folder.iterdir()] == ["old.txt"]
    with replacing(old, new) as (first, second):
        first.write_text("1")
        second.write_text("2")
        assert old.read_text() == "old"
        assert (first.name, second.name) == ("old.txt", "new.txt")  # endings decide formats
    assert (old.read_text(), new.read_text()) == ("1", "2")
    assert sorted(path.name for path in folder.iterdir()) == ["new.txt", "old.txt"]


def test_links_are_followed(folder):
    (folder / "real").mkdir()
    (folder / "link.txt").symlink_to(folder / "real" / "file.txt")
    with replacing(folder / "link.txt") as (path,):
        path.write_text("there")
    assert (folder / "link.txt").is_symlink()
    assert (folder / "real" / "file.txt").read_text() == "there"


def test_places_that_cannot_be_written(folder, monkeypatch):
    check_folder(folder / "fine.txt", None)
    assert list(folder.iterdir()) == []
    with pytest.raises(ValueError, match="expected the name of a file"):
        check_folder(folder)
    with pytest.raises(ValueError, match="expected the name of a file"):
        check_folder(Path("/dev/null"))
    with pytest.raises(FileNotFoundError, match=r"folder .*absent does not exist; make it"):
        check_folder(folder / "absent" / "file.txt")
    with pytest.raises(OSError, match=r"cannot be written \(.*\); choose another"):
        check_folder(Path("/proc/file.txt"))
    (folder / "kept.txt").touch()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="exists and may not be written"):
        check_folder(folder / "kept.txt")


def test_the_ending_decides():
    assert check_suffix(Path("K.NPY"), ".npy", ".npz") == ".npy"
    with pytest.raises(ValueError, match=r"expected \.npy, \.npz; got ''"):
        check_suffix(Path("K"), ".npy", ".npz")


# ---- as a program


def test_ctrl_c_ends_a_program_without_a_traceback():
    code = (
        "import os, signal, sys, mercer.cli, mercer.cli.doctor as d\n"
        "d._examine = lambda: (os.kill(os.getpid(), signal.SIGINT), __import__('time').sleep(60))\n"
        "sys.exit(mercer.cli.main(['doctor']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "mercer: interrupted.\n")
    assert signal.SIGINT == 2
