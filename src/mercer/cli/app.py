"""The commands and how they end.

Each is a file of its own that imports next to nothing: what a command needs it imports when it is called, so that help
comes at once.
"""

import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from cyclopts import App, CycloptsError, Group

import mercer
from mercer.cli.check import check
from mercer.cli.datasets import datasets
from mercer.cli.doctor import doctor
from mercer.cli.embed import embed
from mercer.cli.faces import faces
from mercer.cli.fit import fit
from mercer.cli.gram import gram
from mercer.cli.kernels import kernels
from mercer.cli.predict import predict
from mercer.cli.shared.output import as_options
from mercer.exceptions import KernelSyntaxError

__all__ = ["app", "run"]

COMMANDS: dict[str, tuple[Callable[..., Any], ...]] = {
    "Models": (fit, predict, embed),
    "Kernels": (kernels, check, gram),
    "More": (datasets, faces, doctor),
}
EXIT_CODES = (
    "Every command takes --json (data for programs) and --code (the same in Python).\n\n"
    "Exit codes: 0 success, 1 an error in the input, 2 a command not understood, "
    "3 check refuted the kernel, 130 interrupted."
)

app = App(
    name="mercer",
    help="Kernel methods: one algebra of kernels, and a certificate with every answer.",
    help_epilogue=EXIT_CODES,
    help_format="markdown",
    group_commands=Group("Options", sort_key=len(COMMANDS)),
    version=lambda: mercer.__version__,
    version_flags=["--version"],
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
for place, (title, commands) in enumerate(COMMANDS.items()):
    group = Group(title, sort_key=place)
    for rank, command in enumerate(commands):
        app.command(command, group=group, sort_key=rank)


def run(argv: Sequence[str]) -> int:
    """Run one command and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # formulas are not ASCII, a terminal may be
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = app(list(argv), exit_on_error=False)
        sys.stdout.flush()
        return int(code or 0)
    except CycloptsError:
        return 2  # cyclopts has printed why
    except BrokenPipeError:  # `mercer kernels | head`; keep the interpreter from flushing again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        _say("interrupted.")
        return 130
    except Exception as error:
        if not _is_told(error):
            traceback.print_exc()
            _say("this is an error in mercer itself; please report it with the lines above.")
        else:
            _say("\n".join([_line(error), *getattr(error, "__notes__", ())]))
        return 1


def _is_told(error: Exception) -> bool:
    """Whether the message alone helps: it speaks of the input, the system, or an extra that is not installed."""
    if isinstance(error, ImportError):
        return error.name is None  # a message of mercer's own; those of Python name the module
    return isinstance(error, (TypeError, ValueError, OSError, MemoryError))


def _say(text: str) -> None:
    print(f"mercer: {text}", file=sys.stderr)


def _line(error: BaseException) -> str:
    """The message in one line; errors of the system with the name of the file first.

    Only an error in the text of a kernel has more: the place is marked below.
    """
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror.lower()}."
    if isinstance(error, MemoryError) and not str(error):
        return "not enough memory; use fewer rows."
    text = as_options(str(error))
    return text if isinstance(error, KernelSyntaxError) else " ".join(text.split()) or type(error).__name__


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(f"warning: {' '.join(str(message).split())}")
