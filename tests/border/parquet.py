"""Parquet files at their reader, in a child process that reads many of them.

The product starts a process for every Parquet file, since polars may abort (`mercer.datasets.apart`). That takes most
of a second, nearly all of it for imports. Here one child reads file after file. It is replaced when it dies, when a
thread of polars has failed in it, and before a fault of it counts, so that every verdict is that of a child whose
reader was intact.
"""

import atexit
import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

__all__ = ["Child", "dismiss", "parquet_files", "read_by_child"]

GRACE = 0.3  # seconds that a child may go on after a thread of its reader has failed
LOOK = 0.02  # seconds between two looks at what the child wrote
PANIC = b"panicked at"
WRITING = """
import datetime as dt, sys
import polars as pl
frames = [
    pl.DataFrame({"a": [1, 2, None], "b": ["x", "y", "x"], "c": [0.5, float("nan"), 1.0]}),
    pl.DataFrame({"d": [dt.date(2024, 1, 2)] * 50, "t": [True, None] * 25, "u": ["e"] * 50}),
]
for i, frame in enumerate(frames):
    for compression in ("uncompressed", "snappy", "zstd", "gzip"):
        frame.write_parquet(f"{sys.argv[1]}/{i}-{compression}", compression=compression)
"""


@cache
def parquet_files() -> list[bytes]:
    """Valid files; made before cases are forked, since the threads of polars do not survive that."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", WRITING, folder], check=True)
        return [file.read_bytes() for file in sorted(Path(folder).iterdir())]


class Child:
    """Process that calls a function of bytes, once for every message.

    Parameters
    ----------
    call : callable
        Reads a file of the given content. ValueError and MemoryError are refusals, other exceptions are faults.
    """

    def __init__(self, call: Callable[[bytes], Any]) -> None:
        self.reads = 0
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - held until `end`
        self._line, other = Pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            self._line.close()
            _serve(call, other, self._errors.fileno(), parent)
        other.close()

    def read(self, data: bytes) -> tuple[str, str]:
        """Verdict of one file, "answer", "refusal", "fault" or "end", and the answer or the words of the exception."""
        self.reads += 1
        failed = 0.0
        try:
            self._line.send_bytes(data)
            while not self._line.poll(LOOK):
                if not failed and self.failed:
                    failed = time.monotonic()
                if failed and time.monotonic() - failed > GRACE:
                    return "end", "The reader hangs since one of its threads failed."
            return self._line.recv()  # type: ignore[no-any-return]
        except (EOFError, ConnectionError):
            return "end", "The reader has ended abnormally."

    @property
    def failed(self) -> bool:
        """Whether a thread of polars has failed."""
        return PANIC in os.pread(self._errors.fileno(), 1 << 16, 0)

    def end(self) -> None:
        """End the process."""
        self._line.close()
        self._errors.close()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _serve(call: Callable[[bytes], Any], line: Connection, errors: int, parent: int) -> None:
    """Answer messages until the other end is closed; dies with the parent, also if it hangs then."""
    try:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        os.dup2(errors, 2)
        while os.getppid() == parent:
            data = line.recv_bytes()
            try:
                verdict = "answer", call(data)
            except (ValueError, MemoryError) as error:
                verdict = "refusal", f"{type(error).__name__} {error}"
            except BaseException as error:
                verdict = "fault", f"Fault {error!r}"
            line.send((verdict[0], verdict[1].encode("utf-8", "backslashreplace").decode()))
    finally:
        os._exit(0)


_children: dict[tuple[int, Callable[[bytes], Any]], Child] = {}


def _child(call: Callable[[bytes], Any]) -> Child:
    """The child of this process for a function."""
    key = os.getpid(), call
    if key not in _children:
        for other in [other for other in _children if other[0] != key[0]]:
            del _children[other]  # of the process that forked this one
        _children[key] = Child(call)
        atexit.register(dismiss, call)
    return _children[key]


def dismiss(call: Callable[[bytes], Any]) -> None:
    """End the child for a function; the next file gets a new one."""
    child = _children.pop((os.getpid(), call), None)
    if child is not None:
        child.end()


def read_by_child(data: bytes, call: Callable[[bytes], Any]) -> str:
    """Answer of `call` for one file; refusals raise ValueError, and so does the end of the child, as in the product.

    Faults raise AssertionError. A fault of a child that has read other files before counts if a new child has it too.
    """
    child = _child(call)
    used = child.reads > 0
    verdict, found = child.read(data)
    if verdict in ("fault", "end") or child.failed:
        dismiss(call)
    if verdict == "fault" and used:
        return read_by_child(data, call)
    if verdict == "fault":
        raise AssertionError(found)
    if verdict != "answer":
        raise ValueError(found.partition(" ")[2] if verdict == "refusal" else found)
    return found
