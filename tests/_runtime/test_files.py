"""Atomic writing of files."""

import errno
import os
import socket
import stat
import subprocess
import sys
from contextlib import ExitStack

import pytest

from mercer._runtime.files import open_regular, replacing, try_folder, write_whole


def test_files_appear_together_or_not_at_all(tmp_path):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_text("old")
    with pytest.raises(RuntimeError), replacing(old, new) as (first, second):  # noqa: PT012
        first.write_text("half")
        second.write_text("half")
        raise RuntimeError
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["old.txt"]
    with replacing(old, new) as (first, second):
        first.write_text("1")
        second.write_text("2")
        assert old.read_text() == "old"
        assert (first.name, second.name) == ("old.txt", "new.txt")  # suffixes decide formats
    assert (old.read_text(), new.read_text()) == ("1", "2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.txt", "old.txt"]


def test_links_are_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.txt").symlink_to(tmp_path / "real" / "file.txt")
    with replacing(tmp_path / "link.txt") as (path,):
        path.write_text("there")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real" / "file.txt").read_text() == "there"


def test_one_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")
    path.chmod(0o640)

    def fill(file):
        file.write(b"half")
        assert path.read_bytes() == b"old"
        file.seek(0)
        assert file.read() == b"half"

    write_whole(path, fill)
    assert path.read_bytes() == b"half"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "new", lambda file: file.write(b"x"))
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_files_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "file.txt"
    path.write_text("old")

    def fail(*arguments):
        raise OSError("no space")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="no space"):
        write_whole(path, lambda file: file.write(b"new"))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_longest_names_can_be_written(tmp_path):
    path = tmp_path / ("x" * 251 + ".txt")
    write_whole(path, lambda file: file.write(b"1"))
    assert path.read_bytes() == b"1"


def test_errors_name_the_destination(tmp_path):
    absent = tmp_path / "no" / "file.txt"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(absent, lambda file: None)
    assert caught.value.filename == str(absent)
    with pytest.raises(FileNotFoundError):
        try_folder(absent)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),  # without a name, as from write()
        OSError("300000 requested and 123 written"),  # NumPy
        RuntimeError("No space left on device (os error 28)"),  # polars
    ],
)
def test_a_full_disk_names_the_destination(tmp_path, error):
    with pytest.raises(OSError, match="No space left on device") as caught, replacing(tmp_path / "a.bin"):
        raise error
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "a.bin"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.EFBIG])
def test_errors_of_a_temporary_file_name_the_destination_that_it_stands_for(tmp_path, number):
    with pytest.raises(OSError, match=os.strerror(number)) as caught, ExitStack() as stack:  # noqa: PT012
        outer = stack.enter_context(replacing(tmp_path / "a", tmp_path / "b"))
        inner = stack.enter_context(replacing(outer[1]))  # as reports and models that are written together
        raise OSError(number, os.strerror(number), str(inner[0]))
    assert caught.value.filename == str(tmp_path / "b")


def test_other_errors_are_not_renamed(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "a"):
        (tmp_path / "another").read_bytes()
    assert caught.value.filename == str(tmp_path / "another")


LIMITED = """
import resource, sys
from mercer._runtime.files import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    write_whole(sys.argv[1], lambda file: file.write(bytes(100_000)))
except OSError as error:
    print(error.filename)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes")
def test_a_file_that_the_system_refuses_to_write(tmp_path):
    path = tmp_path / "model.mercer"
    path.write_text("old")
    done = subprocess.run([sys.executable, "-c", LIMITED, path], capture_output=True, text=True, check=True)
    assert done.stdout == f"{path}\n"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# ---- remains of killed processes

KILLED = """
import os, sys
from pathlib import Path
from mercer._runtime.files import replacing
with replacing(sys.argv[1]) as (outer,), replacing(outer) as (inner,):
    inner.write_text("half")
    os.kill(os.getpid(), 9)
"""


def test_the_next_file_removes_what_a_killed_process_left(tmp_path):
    path = tmp_path / "model.mercer"
    path.write_text("old")
    subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    left = [entry for entry in tmp_path.iterdir() if entry != path]
    assert len(left) == 1  # this is what the next process finds
    write_whole(tmp_path / "another", lambda file: file.write(b"new"))
    assert {entry.name for entry in tmp_path.iterdir()} == {"model.mercer", "another"}
    assert path.read_text() == "old"


def test_an_empty_folder_of_a_killed_process_is_removed(tmp_path):
    (tmp_path / ".mercer-abcdefgh").mkdir()
    write_whole(tmp_path / "new", lambda file: file.write(b"new"))
    assert [entry.name for entry in tmp_path.iterdir()] == ["new"]


def test_files_of_living_processes_are_kept(tmp_path):
    with replacing(tmp_path / "first") as (first,):
        first.write_text("1")
        write_whole(tmp_path / "second", lambda file: file.write(b"2"))
        assert first.read_text() == "1"
    assert (tmp_path / "first").read_text() == "1"


def test_only_what_was_made_here_is_removed(tmp_path):
    """Folders without a lock, with folders inside, links, and names that only look alike are the user's."""
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / ".lock").touch()
    kept = {".mercer-without_": [], ".mercer-abcdefgh": [".lock", "folder/file"], ".mercer-notes": [".lock"]}
    for name, files in kept.items():
        (tmp_path / name / "folder").mkdir(parents=True)
        for file in files:
            (tmp_path / name / file).touch()
    (tmp_path / ".mercer-linkedto").symlink_to(tmp_path / "target")
    before = sorted(tmp_path.rglob("*"))
    write_whole(tmp_path / "new", lambda file: file.write(b"new"))
    assert sorted(tmp_path.rglob("*")) == sorted([*before, tmp_path / "new"])


# ---- what is not a file


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_only_regular_files_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        for path, kind in {
            tmp_path / "pipe": "a named pipe",
            tmp_path / "socket": "a socket",
            "/dev/zero": "a device",
            tmp_path: "a folder",
        }.items():
            with pytest.raises(ValueError, match=f"{path}: is {kind}, expected a regular file"):
                open_regular(path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "absent")
    (tmp_path / "file").write_bytes(b"content")
    with open_regular(tmp_path / "file") as file:
        assert file.read() == b"content"
