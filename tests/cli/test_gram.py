"""The command ``mercer gram``: matrices in files."""

import json

import numpy as np
import pytest

import mercer
from mercer.cli import main
from mercer.datasets import read

IRIS = read("iris").split()


def exact(text="rbf"):
    return mercer.kernel(text)(IRIS.X)


@pytest.mark.parametrize("name", ["K.npy", "K.npz", "K.csv"])
def test_formats_and_the_program(capsys, folder, name):
    readers = {
        "K.npy": np.load,
        "K.npz": lambda path: np.load(path)["K"],
        "K.csv": lambda path: np.loadtxt(path, delimiter=","),
    }
    assert main(["gram", "iris", "rbf", "-o", name]) == 0
    shown = capsys.readouterr().out
    assert "150 × 150, float64" in shown
    assert "✓ PSD" in shown
    np.testing.assert_array_equal(readers[name](name), exact())
    assert [path.name for path in folder.iterdir()] == [name]
    (folder / name).unlink()
    assert main(["gram", "iris", "rbf", "-o", name, "--code"]) == 0
    exec(compile(capsys.readouterr().out, "<gram>", "exec"), {})
    np.testing.assert_array_equal(readers[name](name), exact())


def test_what_npz_holds_and_json(capsys, folder):
    assert main(["gram", "iris", "poly", "-o", "K.npz", "--normalize", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    kernel = mercer.kernel("poly").normalized().resolve(IRIS.X)
    assert found["kernel"] == str(kernel)
    assert found["shape"] == [150, 150]
    with np.load("K.npz") as file:
        assert mercer.kernel(str(file["kernel"])) == kernel
        np.testing.assert_array_equal(file["y"], IRIS.y)
        np.testing.assert_allclose(file["K"].diagonal(), 1)


def test_what_cannot_be(capsys, folder, monkeypatch):
    def error(*argv):
        assert main(["gram", *argv]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert len(err.splitlines()) == 1
        assert list(folder.iterdir()) == []
        return err

    assert "expected one of .npy, .npz, .csv" in error("iris", "rbf", "-o", "K.mat")
    assert "does not exist" in error("iris", "rbf", "-o", "absent/K.npy")
    assert "did you mean the bundled 'iris'" in error("iriss", "rbf", "-o", "K.npy")
    monkeypatch.setattr("mercer._runtime.limits.NEGLIGIBLE", 1)
    monkeypatch.setattr("mercer._runtime.limits.available_memory", lambda: 1000)
    assert "needs 180.0 kB, but only 1.0 kB are available" in error("iris", "rbf", "-o", "K.npy")
