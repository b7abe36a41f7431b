"""Application object with all commands, exit codes and error output.

The modules of the commands import heavy packages only when a command runs, so that ``mercer --help`` is fast.
"""

import _thread
import io
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

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
from mercer.cli.serve import serve
from mercer.cli.shared.help_texts import FORMATTER, OPTIONS
from mercer.cli.shared.memory import with_memory_limit
from mercer.cli.shared.output import as_options, in_words_of_files
from mercer.cli.shared.terminal import STANDARD_OUTPUT, shielded, terminal
from mercer.exceptions import ClusterError, KernelSyntaxError

__all__ = ["app", "run"]

COMMANDS: dict[str, tuple[Callable[..., Any], ...]] = {
    title: tuple(map(with_memory_limit, functions))
    for title, functions in {
        "Models": (fit, predict, serve, embed),
        "Kernels": (kernels, check, gram),
        "More": (datasets, faces, doctor),
    }.items()
}
EXAMPLES = {
    "": (
        "mercer fit wine --report wine.html",
        "mercer predict wine.mercer new.csv --output answers.csv",
        "mercer check 'rbf(gamma=0.1) - linear'",
    ),
    "fit": (
        "mercer fit wine --report wine.html",
        "mercer fit houses.csv --target price --kinds zip=category",
        "mercer fit reads.fasta --kernel 'spectrum(p=4)' --model svm",
    ),
    "predict": (
        "mercer predict wine.mercer new.csv",
        "mercer predict wine.mercer new.csv --id sample --output answers.csv",
    ),
    "serve": (
        "mercer serve wine.mercer",
        "mercer serve wine.mercer --port 9000 --max-body 1MB --time-limit 5",
    ),
    "embed": (
        "mercer embed wine --output wine.svg",
        "mercer embed wine --target class --method klda --table wine-map.csv",
    ),
    "kernels": ("mercer kernels", "mercer kernels rbf", "mercer kernels 'exp(linear) + rbf'"),
    "check": ("mercer check sigmoid", "mercer check 'rbf[alcohol] + linear[hue]' wine"),
    "gram": ("mercer gram wine rbf --output K.npy", "mercer gram wine linear --normalize --output K.npz"),
    "datasets": ("mercer datasets", "mercer datasets houses.csv"),
    "faces": ("mercer faces yale --components 20 40 60", "mercer faces yale --pictures yale.png"),
    "doctor": ("mercer doctor", "mercer doctor --json"),
}
USAGE = {  # instead of the names of types and ARGS
    "fit": "[OPTIONS] DATA",
    "kernels": "[OPTIONS] [KERNEL]",
    "check": "[OPTIONS] KERNEL [DATA]",
    "gram": "--output FILE [OPTIONS] DATA KERNEL",
    "datasets": "[OPTIONS] [DATA]",
}
AGAIN = 0.02  # seconds after which an interrupt that was lost in a callback is raised again


def _epilogue(command: str = "") -> str:
    """Examples and exit codes, shown at the end of the help."""
    examples = "\n".join(f"- `{line}`" for line in EXAMPLES[command])
    more = "" if command else "mercer COMMAND --help shows the options of a command.\n\n"
    refuted = "3 kernel refuted by mercer check, " if command in ("", "check") else ""
    codes = f"Exit codes: 0 success, 1 invalid input, 2 usage error, {refuted}130 interrupted."
    return f"Examples:\n\n{examples}\n\n{more}{codes}"


app = App(
    name="mercer",
    help="Kernel methods: fit models, compute Gram matrices, prove kernels valid.",
    help_epilogue=_epilogue(),
    help_format="markdown",
    help_formatter=FORMATTER,
    group_parameters=OPTIONS,
    group_commands=OPTIONS,
    version=lambda: mercer.__version__,
    version_flags=["--version"],
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)
app["--version"].help = "Print the version and exit."
app["--help"].help = "Print this help and exit."
for place, (title, commands) in enumerate(COMMANDS.items()):
    group = Group(title, sort_key=place)
    for rank, command in enumerate(commands):
        name = command.__name__
        usage = f"Usage: mercer {name} {USAGE[name]}" if name in USAGE else None
        app.command(command, group=group, sort_key=rank, usage=usage, help_epilogue=_epilogue(name))


def run(argv: Sequence[str]) -> int:
    """Run one command and return the exit code; all that is written is free of control characters of names."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # formulas are not ASCII, but the terminal may be
    with shielded():
        return _run(argv)


class _Interrupt:
    """Whether Ctrl-C was pressed; modules whose import it ends may raise other errors than KeyboardInterrupt.

    Python discards what callbacks of weak references raise. A KeyboardInterrupt that is lost there is raised again.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._unraisable = sys.unraisablehook

    def __enter__(self) -> Self:
        own = threading.current_thread() is threading.main_thread()
        self._before = signal.getsignal(signal.SIGINT) if own else None
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._press)
            sys.unraisablehook = self._lost
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._before)
            sys.unraisablehook = self._unraisable

    def _lost(self, unraisable: Any) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            threading.Timer(AGAIN, _thread.interrupt_main).start()  # when the callback has ended
        else:
            self._unraisable(unraisable)

    def _press(self, number: int, frame: Any) -> None:
        self.pressed = True
        signal.default_int_handler(number, frame)


def _run(argv: Sequence[str]) -> int:
    with _Interrupt() as interrupt:
        return _answered(argv, interrupt)


def _answered(argv: Sequence[str], interrupt: _Interrupt) -> int:
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            code = app(list(argv), exit_on_error=False, console=terminal(), error_console=terminal(stderr=True))
        sys.stdout.flush()
        return int(code or 0)
    except CycloptsError:
        return 2  # cyclopts has printed the message
    except BrokenPipeError:  # `mercer kernels | head`
        _abandon_output()
        return 0
    except KeyboardInterrupt:
        _print_error("interrupted.")
        return 130
    except Exception as error:
        if interrupt.pressed:
            _print_error("interrupted.")
            return 130
        if isinstance(error, OSError) and error.filename == STANDARD_OUTPUT:
            _abandon_output()
        if not _is_expected(error):
            traceback.print_exc()
            _print_error("this is a bug in mercer; please report it with the traceback above.")
        else:
            _print_error("\n".join([_line(error), *getattr(error, "__notes__", ())]))
        return 1


def _abandon_output() -> None:
    """Keep the interpreter from flushing the standard output again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_expected(error: Exception) -> bool:
    """Whether the error concerns the input, the system or a missing extra, so that its message is enough."""
    if isinstance(error, ImportError):
        return error.name is None  # raised by mercer with instructions; Python's own errors name the module
    return isinstance(error, (TypeError, ValueError, OSError, MemoryError, ClusterError))


def _print_error(text: str) -> None:
    print(f"mercer: {text}", file=sys.stderr)


def _line(error: BaseException) -> str:
    """Format the message in one line; system errors start with the name of the file.

    Errors in the text of a kernel keep their lines, since the position is marked below the text.
    """
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror.lower()}."
    if isinstance(error, MemoryError) and not str(error):
        return "not enough memory; use fewer rows."
    text = in_words_of_files(as_options(str(error)))
    return text if isinstance(error, KernelSyntaxError) else " ".join(text.split()) or type(error).__name__


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _print_error(f"warning: {' '.join(str(message).split())}")
