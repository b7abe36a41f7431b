"""Kills processes that write a file, and looks at what is left: ``python -m tests.persistence.killed PATH``.

The processes are forked off this one, which has imported all that takes time. Prints, for each, whether it was killed,
and what the file held then; at last, whether the next file is alone in its folder.
"""

import json
import os
import signal
import sys
import time
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.persistence import archive, load, save

SIZE, MOMENTS = 300_000, 30


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(work: Callable[[], None], after: float | None = None) -> bool:
    """Run in a process of its own; whether that was killed."""
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def at(owner: Any, name: str, path: str) -> None:
    """Write, and die where the function of that name would be called."""
    setattr(owner, name, die)
    save("new", path)


def again_and_again(path: str) -> None:
    for i in range(10**6):
        save([np.full(SIZE, float(i)), float(i)], path)


def main(path: str) -> list[tuple[str, bool, Any]]:
    found: list[tuple[str, bool, Any]] = []
    steps = ((os, "fsync"), (os, "replace"), (zipfile.ZipFile, "writestr"), (archive, "_digest"))
    for owner, name in steps:
        save("old", path)
        done = killed(lambda owner=owner, name=name: at(owner, name, path))
        found.append((name, done, load(path)))
    save([np.full(SIZE, -1.0), -1.0], path)
    rng = np.random.default_rng(0)
    for after in 0.02 + 0.28 * rng.random(MOMENTS):
        done = killed(lambda: again_and_again(path), after=after)
        values, number = load(path)
        found.append(("any time", done, bool((values == number).all()) and len(values) == SIZE))
    killed(lambda: at(os, "fsync", path))
    folder, name = os.path.split(path)
    before = os.listdir(folder)
    save("end", path)
    found.append(("litter", len(before) > 1, os.listdir(folder) == [name]))
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1])))
