"""Checks of files that a command is to write."""

from pathlib import Path

import pytest

from mercer.cli.shared.destinations import check_folder, check_suffix


def test_places_that_cannot_be_written(folder, monkeypatch):
    check_folder(folder / "fine.txt", None)
    assert list(folder.iterdir()) == []
    with pytest.raises(ValueError, match="exists and is not a regular file"):
        check_folder(folder)
    with pytest.raises(ValueError, match="exists and is not a regular file"):
        check_folder(Path("/dev/null"))
    with pytest.raises(FileNotFoundError, match=r"folder .*absent does not exist; create it"):
        check_folder(folder / "absent" / "file.txt")
    with pytest.raises(OSError, match=r"is not writable \(.*\); choose another"):
        check_folder(Path("/proc/file.txt"))
    (folder / "kept.txt").touch()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="exists and is not writable"):
        check_folder(folder / "kept.txt")


def test_the_ending_decides():
    assert check_suffix(Path("K.NPY"), ".npy", ".npz") == ".npy"
    with pytest.raises(ValueError, match=r"got the suffix '', expected one of \.npy, \.npz;"):
        check_suffix(Path("K"), ".npy", ".npz")
