"""Atomic writing of files."""

import os
import stat

import pytest

from mercer._runtime.files import replacing, try_folder, write_whole


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
