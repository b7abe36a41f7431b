"""The commands: each parses, calls the public API and writes."""

import io
import json as json_format
import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError
from rich.console import Console

import mercer
from mercer.cli.describe import describe_kernel, describe_kernels
from mercer.cli.tables import show_kernel, show_kernels

__all__ = ["app", "run"]

app = App(
    name="mercer",
    help="Kernel methods: one algebra of kernels, and a certificate with every answer.",
    help_epilogue="Exit codes: 0 success, 1 an error in the input, 2 a command not understood.",
    version=lambda: mercer.__version__,
    result_action="return_value",
)


@app.command
def kernels(kernel: str | None = None, /, *, json: bool = False) -> None:
    """List kernels with formula and definiteness, or explain one.

    In Python: mercer.kernels.registered(), and mercer.kernel("...").certificate().

    Parameters
    ----------
    kernel
        A name (rbf) or an expression in quotes ("rbf(gamma=0.1) + 0.5*linear").
    json
        Print data for programs instead of tables.
    """
    described = describe_kernels() if kernel is None else describe_kernel(kernel)
    if json:
        print(json_format.dumps(described, ensure_ascii=False, indent=2, default=str))
    elif kernel is None:
        show_kernels(Console(), described)
    else:
        show_kernel(Console(), described)


def run(argv: Sequence[str]) -> int:
    """Run one command and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # formulas are not ASCII, a terminal may be
    try:
        app(list(argv), exit_on_error=False)
        sys.stdout.flush()
    except CycloptsError:
        return 2  # cyclopts has printed why
    except (TypeError, ValueError) as error:
        print("\n".join([f"mercer: {error}", *getattr(error, "__notes__", ())]), file=sys.stderr)
        return 1
    except BrokenPipeError:  # `mercer kernels | head`; keep the interpreter from flushing again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
