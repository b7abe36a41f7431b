"""Files as such: written in one step, refused with a reason, told about without being loaded."""

import json
import os
import stat
import subprocess
import sys
import warnings
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

import mercer
from mercer.exceptions import VersionWarning
from mercer.kernels import RBF, Linear
from mercer.persistence import ModelFileError, about, archive, formats, load, save
from mercer.svm import SVC
from tests.persistence.fuzz import Mutator

X, Y = np.arange(12.0).reshape(6, 2), [0, 0, 0, 1, 1, 1]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.mercer"
    save(SVC(kernel=RBF(gamma=0.5) + Linear()).fit(X, Y), path)
    return path


def repacked(path, **changes):
    """The file with another manifest, and a digest that fits it."""
    mutator = Mutator(path.read_bytes(), np.random.default_rng(0))
    told = json.loads(mutator.members["mercer.json"])
    path.write_bytes(mutator.packed({"mercer.json": json.dumps({**told, **changes}).encode()}))


# ---- writing


@pytest.mark.parametrize("name", ["model.mercer", "model", "model.tar.gz", "ü x.mercer", ".hidden"])
@pytest.mark.parametrize("kind", [str, Path])
def test_any_name_will_do(name, kind, tmp_path):
    save(RBF(), kind(tmp_path / name))
    assert load(kind(tmp_path / name)) == RBF()
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(RBF(), "model.mercer")
    assert load("model.mercer") == RBF()


def test_paths_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        save(RBF(), tmp_path / "missing" / "model.mercer")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "model.mercer")
    with pytest.raises(FileNotFoundError):
        about(tmp_path / "model.mercer")
    with pytest.raises(ModelFileError, match="is a folder, expected a regular file"):
        load(tmp_path)
    with pytest.raises(TypeError):
        save(RBF(), 3)


def test_a_file_keeps_its_mode_and_a_new_one_gets_the_usual(path, tmp_path):
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    save(RBF(), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(path, tmp_path):
    link = tmp_path / "link.mercer"
    link.symlink_to(path)
    save(RBF(), link)
    assert link.is_symlink()
    assert load(path) == RBF()


@pytest.mark.parametrize("step", ["fsync", "replace", "digest"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "Ctrl-C"])
def test_what_fails_leaves_the_old_file_and_nothing_else(step, error, path, monkeypatch):
    def fail(*_):
        raise error

    before = path.read_bytes()
    monkeypatch.setattr(*{"digest": (archive, "_digest")}.get(step, (os, step)), fail)
    with pytest.raises(type(error)):
        save(RBF(), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_process_that_is_killed_leaves_a_whole_file(path):
    command = [sys.executable, "-m", "tests.persistence.killed", str(path)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [*map(tuple, found[:4])] == [(step, True, "old") for step in ("fsync", "replace", "writestr", "_digest")]
    assert found[4:-1] == [["any time", True, True]] * 30
    assert found[-1] == ["litter", True, True]  # killed processes left some, and the next file removed it


# ---- reading


def test_what_is_no_model(tmp_path):
    path = tmp_path / "x"
    for content in (b"", b"x", b"P", b"hello" * 1000, bytes(1000)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="x is not a mercer model"):
            load(path)
    with ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{}")
    with pytest.raises(ValueError, match="x is not a mercer model"):
        load(path)


def test_every_truncation_is_noticed(path):
    whole = path.read_bytes()
    for size in [*range(2, len(whole), 997), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=r"is damaged: it is truncated"):
            load(path)


def test_every_flipped_byte_of_the_contents_is_noticed(path):
    whole = path.read_bytes()
    with ZipFile(path) as file:
        spans = [(m.header_offset + 30 + len(m.filename), m.file_size) for m in file.infolist()]
    for start, size in spans:
        for at in range(start, start + size, max(1, size // 7)):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
            with pytest.raises(ValueError, match="is damaged"):
                load(path)


def test_the_digest_is_over_names_too(path):
    mutator = Mutator(path.read_bytes(), np.random.default_rng(0))
    first, second = mutator.arrays[:2]
    members = mutator.members
    members[first], members[second] = members[second], members[first]
    with ZipFile(path, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    with pytest.raises(ValueError, match="is damaged: its contents do not match its digest"):
        load(path)


def test_versions_are_told(path):
    told = about(path)["versions"]
    assert set(told) == {"mercer", "python", "numpy", "scipy", "scikit-learn", "skops"}
    assert told["mercer"] == mercer.__version__
    assert told["numpy"] == np.__version__


@pytest.mark.parametrize("package", ["mercer", "scikit-learn"])
def test_another_minor_version_warns(package, path):
    here = about(path)["versions"]
    repacked(path, versions={**here, package: "0.0.7"})
    with pytest.warns(
        VersionWarning, match=rf"written with {package} 0\.0\.7 \(installed: .*\).*fit and save"
    ) as caught:
        model = load(path)
    assert caught[0].filename == __file__
    assert model.predict(X).tolist() == Y
    repacked(path, versions={**here, package: here[package].rpartition(".")[0] + ".99"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(path)


def test_a_warning_may_be_an_error(path):
    repacked(path, versions={**about(path)["versions"], "mercer": "7.0"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(VersionWarning):
            load(path)


def test_a_later_format_is_refused(path):
    repacked(path, format=formats.FORMAT + 1, versions={**about(path)["versions"], "mercer": "9.0"})
    for read in (load, about):
        with pytest.raises(ValueError, match=r"was written by mercer 9\.0 \(format 3\); .*: update mercer\."):
            read(path)


@pytest.mark.parametrize("change", [{"format": "1"}, {"format": None}, {"versions": {}}, {"versions": 3}])
def test_a_manifest_that_says_nothing(change, path):
    repacked(path, **change)
    with pytest.raises(ValueError, match="is damaged"):
        load(path)


def test_about(path):
    told = about(path)
    assert told["model"] == "mercer.svm.SVC"
    assert told["kernels"] == ["rbf(gamma=0.5) + linear"]
    assert told["format"] == formats.FORMAT
    assert told["untrusted"] == []
    assert told["bytes"] == path.stat().st_size
    assert told["arrays"] > 3
    assert 0 < told["array_bytes"] < told["bytes"]
    assert "mercer.kernels.Sum" in told["classes"]
    assert json.dumps(told)


def test_about_builds_nothing(path, monkeypatch):
    def fail(*_, **__):
        raise AssertionError

    monkeypatch.setattr("mercer.persistence.model_files.restored", fail)
    monkeypatch.setattr("skops.io.load", fail)
    assert about(path)["model"] == "mercer.svm.SVC"


@pytest.mark.parametrize("trusted", [True, "os.system", 3, None])
def test_trusted_is_a_sequence(trusted, path):
    with pytest.raises(TypeError, match="trusted must be a sequence of dotted names or types"):
        load(path, trusted=trusted)


@pytest.mark.parametrize("call", [lambda path: save(RBF(), path), load, about])
def test_without_skops(call, path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(ImportError, match=r"need skops; install it with: pip install 'mercer\[io\]'"):
        call(path)
