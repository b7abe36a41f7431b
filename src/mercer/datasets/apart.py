"""Reading in a child process: a reader that crashes, or needs too much memory, does not take this process along.

polars is compiled code. A damaged Parquet file can end its process, and large files can need many times their size.
Such files are read by a child, which writes the frame to a temporary file. The memory of the child is watched; if it
exceeds the limit, the child is ended. Small text files are read in the process itself, since starting a child takes
most of a second.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from mercer._runtime.budget import limited_memory, memory_limit, over_budget
from mercer._runtime.files import require_regular
from mercer.data.readers.lines import opened
from mercer.datasets.dataset import Dataset
from mercer.datasets.input_files import polars, refuse
from mercer.exceptions import MemoryLimitError

__all__ = ["answer", "must_read_apart", "read_apart"]

LARGE = 64 << 20  # decompressed bytes from which files are read by a child
_BLOCK = 1 << 20
GRACE = 2.0  # seconds that a child may go on after a thread of its reader has failed: others may wait for it forever
_PANIC = b"panicked at"  # of threads of polars
_WAIT = 0.02  # seconds between two looks at the memory of the child
_CHILD = "import sys; from mercer.datasets.apart import answer; answer(*sys.argv[1:])"
_ERRORS: dict[str, type[Exception]] = {
    error.__name__: error for error in (ValueError, TypeError, ImportError, MemoryLimitError, MemoryError)
}

Reader: TypeAlias = Callable[[pathlib.Path], Dataset]


def must_read_apart(path: pathlib.Path, ending: str) -> bool:
    """Whether a file of this ending is read by a child: Parquet, and large text files, also if they are compressed."""
    if not sys.executable or ending in ("svm", "libsvm", "svmlight"):
        return False
    require_regular(path)
    if ending == "parquet" or path.stat().st_size > LARGE:
        return True
    left = LARGE
    with suppress(MemoryLimitError, EOFError, zlib.error, OSError), opened(path) as file:  # the reader reports them
        while left > 0 and (block := file.read(_BLOCK)):
            left -= len(block)
    return left <= 0


def read_apart(path: pathlib.Path, ending: str) -> Dataset:
    """Read a file in a child process.

    Parameters
    ----------
    path : Path
        File.
    ending : str
        Format of the file: a file name extension.

    Returns
    -------
    Dataset
        What the reader of the format returns. Its errors are raised here, too.

    Raises
    ------
    MemoryLimitError
        If the child needs more memory than the limit of readers.
    ValueError
        If the child ends abnormally.
    """
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        status = _watched(path, ending, folder)
        answer = pathlib.Path(folder, "answer.json")
        if not answer.exists():
            raise refuse(path, f"cannot be read; its reader ended abnormally ({_ending(status, folder)})")
        found = json.loads(answer.read_text(encoding="utf-8"))
        if "error" in found:
            raise _raised(found)
        with open(pathlib.Path(folder, "frame.ipc"), "rb") as file:
            frame = polars("mercer.datasets.read").read_ipc(file)
        lines = range(*found["lines"]) if found["regular"] else found["lines"]
        return Dataset(found["name"], frame, target=found["target"], notes=tuple(found["notes"]), lines=lines)


def _watched(path: pathlib.Path, ending: str, folder: str) -> int:
    """Run the child; its exit status."""
    limit = memory_limit()
    command = [sys.executable, "-P", "-c", _CHILD, os.fspath(path), ending, folder, str(limit), str(os.getpid())]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
    panicked, said = 0.0, pathlib.Path(folder, "errors")
    with open(said, "wb") as errors:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, env=environment, close_fds=True
        )
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return child.wait(_WAIT)
                if _resident(child.pid) > limit:
                    raise over_budget(path, "needs more memory to read")
                if not panicked and _PANIC in said.read_bytes():
                    panicked = time.monotonic()
                if panicked and time.monotonic() - panicked > GRACE:
                    raise refuse(path, "cannot be read; it is damaged in a way that makes its reader fail")
        finally:
            child.kill()
            child.wait()


def _resident(pid: int) -> int:
    """Bytes of memory that a process uses; 0 if the system does not report it."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _ending(status: int, folder: str) -> str:
    """How the child ended: the signal, or the last line that it wrote."""
    if status < 0:
        return f"signal {signal.Signals(-status).name}"
    with open(pathlib.Path(folder, "errors"), encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return lines[-1][:200] if lines else f"exit status {status}"


def _raised(found: dict[str, Any]) -> Exception:
    """The error that the child caught."""
    if found["errno"] is not None:
        return OSError(found["errno"], found["strerror"], found["filename"])
    return _ERRORS[found["error"]](found["message"])


# ---- in the child


def answer(path: str, ending: str, folder: str, limit: str, parent: str) -> None:
    """Read a file and write the result, or the error, to a folder; anything else ends the process."""
    _prepare(int(parent))
    from mercer.datasets.reading import READERS

    try:
        with limited_memory(int(limit)):
            data = READERS[ending](pathlib.Path(path))
        data.X.write_ipc(pathlib.Path(folder, "frame.ipc"), compression="uncompressed")
        regular = isinstance(data.lines, range)
        lines = (data.lines.start, data.lines.stop) if isinstance(data.lines, range) else data.lines
        found: dict[str, Any] = {"name": data.name, "target": data.target, "notes": list(data.notes)}
        found |= {"lines": lines, "regular": regular}
    except tuple(_ERRORS.values()) as error:
        kind = next(name for name, known in _ERRORS.items() if type(error) is known or isinstance(error, known))
        found = {"error": kind, "message": str(error), "errno": None}
    except OSError as error:
        if error.errno is None:
            raise
        found = {"error": "OSError", "errno": error.errno, "strerror": error.strerror, "filename": error.filename}
    text = json.dumps(found, ensure_ascii=True)
    pathlib.Path(folder, "answer.json").write_text(text, encoding="utf-8")


def _prepare(parent: int) -> None:
    """Write no core dump, be the first to be ended if memory is short, and end with the parent."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)
