"""Reading in a child process: a reader that crashes, or needs too much memory, does not take this process along.

polars is compiled code. A damaged Parquet file can end its process, and large files can need many times their size.
Such files are read by a child, which writes the frame to a temporary file. The memory of the child is watched; if it
exceeds the limit, the child is ended. Small text files are read in the process itself, since starting a child takes
most of a second. Tables larger than memory are decoded once by one child, before they are read in blocks here.
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

__all__ = ["answer", "check_apart", "decode", "must_read_apart", "read_apart"]

LARGE = 64 << 20  # decompressed bytes from which files are read by a child
_BLOCK = 1 << 20
GRACE = 2.0  # seconds that a child may go on after a thread of its reader has failed: others may wait for it forever
_PANIC = b"panicked at"  # of threads of polars
_WAIT = 0.02  # seconds between two looks at the memory of the child
_CHILD = "import sys; from mercer.datasets.apart import answer; answer(*sys.argv[1:])"
_DECODER = "import sys; from mercer.datasets.apart import decode; decode(*sys.argv[1:])"
_ROWS = 1 << 16  # decoded at a time
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
        status = _watched([_CHILD, os.fspath(path), ending], folder, lambda: path)
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


def check_apart(source: str | os.PathLike[str]) -> None:
    """Decode all Parquet files of a path in one child process, which discards the rows.

    Parameters
    ----------
    source : str or path
        A file, or a folder of files. Files that do not have the suffix .parquet or do not start with the letters PAR1
        are left to their readers.

    Raises
    ------
    MemoryLimitError
        If the child needs more memory than the limit of readers.
    ValueError
        If a file cannot be decoded. The message names it.
    """
    place = pathlib.Path(source)
    found = sorted(place.iterdir()) if place.is_dir() else [place]
    files = [file for file in found if file.suffix.lower() == ".parquet" and file.is_file() and _is_parquet(file)]
    if not files or not sys.executable:
        return
    with tempfile.TemporaryDirectory(prefix="mercer-") as folder:
        present, fault = pathlib.Path(folder, "present"), pathlib.Path(folder, "fault")
        present.write_text("0", encoding="ascii")
        pathlib.Path(folder, "files.json").write_text(json.dumps(list(map(os.fspath, files))), encoding="utf-8")

        def current() -> pathlib.Path:
            return files[int(present.read_text(encoding="ascii") or 0)]

        status = _watched([_DECODER], folder, current)
        if fault.exists():
            what = " ".join(fault.read_text(encoding="utf-8").split())[:120]
            raise refuse(current(), f"is a corrupt Parquet file ({what})")
        if status:
            raise refuse(current(), f"cannot be read; its reader ended abnormally ({_ending(status, folder)})")


def _is_parquet(path: pathlib.Path) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


def _watched(call: list[str], folder: str, current: Callable[[], pathlib.Path]) -> int:
    """Run a child that reads files, the present one by `current`; its exit status."""
    limit = memory_limit()
    command = [sys.executable, "-P", "-c", *call, folder, str(limit), str(os.getpid())]
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
                    raise over_budget(current(), "needs more memory to read")
                if not panicked and _PANIC in said.read_bytes():
                    panicked = time.monotonic()
                if panicked and time.monotonic() - panicked > GRACE:
                    raise refuse(current(), "cannot be read; it is damaged in a way that makes its reader fail")
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


def decode(folder: str, limit: str, parent: str) -> None:
    """Decode the files that are listed in a folder; the number of the present file and a fault are written to it."""
    _prepare(int(parent))
    pl = polars("mercer.datasets.read_blocks")
    present, beside = pathlib.Path(folder, "present"), pathlib.Path(folder, "next")
    with limited_memory(int(limit)):
        for i, path in enumerate(json.loads(pathlib.Path(folder, "files.json").read_text(encoding="utf-8"))):
            beside.write_text(str(i), encoding="ascii")
            beside.replace(present)
            try:
                lazy = pl.scan_parquet(path, glob=False)
                for start in range(0, int(lazy.select(pl.len()).collect().item()), _ROWS):
                    lazy.slice(start, _ROWS).collect()
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
                pathlib.Path(folder, "fault").write_text(str(error), encoding="utf-8")
                return


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
