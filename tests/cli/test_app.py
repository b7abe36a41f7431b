"""Help, exit codes, and errors in one line."""

import importlib.util
import inspect
import re
import shlex
import signal
import subprocess
import sys
import warnings

import pytest

import mercer
from mercer.cli import main
from mercer.cli.app import COMMANDS, EXAMPLES, app

FUNCTIONS = [function for functions in COMMANDS.values() for function in functions]


def run_instead(monkeypatch, function):
    """Let ``mercer doctor`` do something else."""
    monkeypatch.setattr("mercer.cli.doctor._examine", function)


def test_help_lists_every_command_and_the_exit_codes(capsys):
    assert main(["--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for function in FUNCTIONS:
        assert f"{function.__name__} {inspect.getdoc(function).partition(chr(10))[0]}" in shown
    assert "Exit codes: 0 success, 1 invalid input, 2 usage error, 3 kernel refuted by mercer check" in shown
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


@pytest.mark.parametrize("width", [80, 120])
def test_options_of_fit_are_grouped_and_name_their_values(capsys, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    assert main(["fit", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Usage: mercer fit [OPTIONS] DATA"
    assert max(map(len, lines)) <= width
    panels = [found[1] for line in lines if (found := re.match("╭─ (.*?) ─", line))]
    assert panels == ["Arguments", "Data", "Model", "Scores", "Tables larger than memory", "Options"]
    shown = "\n".join(lines)
    for option in ("-t, --target COL ", "    --kinds COL=KIND... ", "--folds N ", "-o, --output FILE ", "    --json "):
        assert f"│ {option}" in shown


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_examples_in_the_help_are_commands(line):
    program, *argv = shlex.split(line)
    assert program == "mercer"
    assert app.parse_args(argv, exit_on_error=False, print_error=False)[0] in FUNCTIONS


def test_every_command_has_an_example_of_its_own():
    assert set(EXAMPLES) == {"", *(function.__name__ for function in FUNCTIONS)}
    for name, lines in EXAMPLES.items():
        assert all(line.startswith(f"mercer {name}") for line in lines)


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


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == mercer.__version__


@pytest.mark.parametrize("argv", [["nonsense"], ["kernels", "--nonsense"], ["kernels", "a", "b"]])
def test_usage_errors_exit_with_2(capsys, argv):
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err


def test_without_the_extra_one_line_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr("mercer.cli.find_spec", lambda name: None)
    assert main(["kernels"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "pip install 'mercer[app]'" in err


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


def test_it_runs_as_a_program_and_survives_a_closed_pipe():
    assert importlib.util.find_spec("mercer.cli.__main__")
    command = f"{sys.executable} -W error -m mercer.cli kernels --json | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "{\n"
    assert done.stderr == ""


def test_a_terminal_that_knows_only_ascii():
    command = [sys.executable, "-m", "mercer.cli", "kernels", "rbf"]
    environment = {"PYTHONIOENCODING": "ascii", "COLUMNS": "80", "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.startswith("rbf\nGaussian kernel k(x, z) = exp(")
