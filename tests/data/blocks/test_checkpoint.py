"""Checkpoints: killed anywhere and run again, a fit has the same model to the bit."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from mercer.cluster import KernelKMeans
from mercer.data import ArrayBlocks, Checkpointed, IterableBlocks
from mercer.decomposition import KernelPCA
from mercer.kernel_approximation import Nystroem
from mercer.ridge import KernelLogisticRegression, KernelRidge

BLOCKS = 12


class Stopped(Exception):
    """What stands for a kill in this process."""


def data(rng, kind=float):
    X = rng.normal(size=(240, 3))
    y = np.sin(X).sum(axis=1)
    return X, y if kind is float else y > 0


def source(X, y, stop=None):
    """Blocks, of which the one with a number, counted over all passes, cannot be read."""
    left = [np.inf if stop is None else stop]

    def blocks():
        for part in zip(np.array_split(X, BLOCKS), np.array_split(y, BLOCKS), strict=True):
            left[0] -= 1
            if left[0] < 0:
                raise Stopped
            yield part

    return IterableBlocks(blocks)


MODELS = {
    "ridge": (KernelRidge(kernel="rbf", alpha=0.1, approximation=30), float),
    "logistic": (KernelLogisticRegression(kernel="rbf", approximation=20), bool),
    "pca": (KernelPCA(3, kernel="rbf", approximation=30), float),
    "k-means": (KernelKMeans(3, kernel="rbf", approximation=30, random_state=0), float),
}


def bits(model, X):
    return (
        model.transform(X) if hasattr(model, "eigenvalues_") else getattr(model, "decision_function", model.predict)(X)
    ).tobytes()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seconds", [0.0, 1e9])
def test_a_fit_that_stops_again_and_again_has_the_same_bits(rng, tmp_path, name, seconds):
    model, kind = MODELS[name]
    X, y = data(rng, kind)
    path = tmp_path / "fit.checkpoint"
    want = bits(model.fit(source(X, y)), X)
    passed, saved = 0, False
    for stop in (5, 30, 47, 61, None):
        try:
            model.fit(Checkpointed(source(X, y, stop), path, seconds=seconds))
        except Stopped:
            passed += 1
            saved |= (path / "fit.json").exists()
        else:
            break
    assert passed >= 2
    assert saved == (seconds == 0)
    assert bits(model, X) == want
    assert not path.exists()


def test_finished_sums_are_not_computed_again(rng, tmp_path):
    X, y = data(rng)
    model = KernelRidge(kernel="rbf", alpha=0.1, approximation=30)
    with pytest.raises(Stopped):  # in the pass after the moments
        model.fit(Checkpointed(source(X, y, 50), tmp_path / "c", seconds=0))
    assert (tmp_path / "c" / "pass-00000.npz").exists()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda model, X, y: (model.set_params(alpha=0.2), X, y), "another estimator or other parameters"),
        (lambda model, X, y: (model, X + (np.arange(len(X)) == 77)[:, None], y), "other data"),
        (lambda model, X, y: (model, X, y + (np.arange(len(X)) == 77)), "other data"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(rng, tmp_path, change, match):
    X, y = data(rng)
    model = KernelRidge(kernel="rbf", alpha=0.1, approximation=30)
    with pytest.raises(Stopped):
        model.fit(Checkpointed(source(X, y, 50), tmp_path / "c", seconds=0))
    model, X, y = change(model, X, y)
    with pytest.raises(ValueError, match=match):
        model.fit(Checkpointed(source(X, y), tmp_path / "c"))
    assert (tmp_path / "c" / "fit.json").exists()


def test_sums_of_other_landmarks_are_not_used(rng, tmp_path):
    X, y = data(rng)
    drawn = Nystroem(n_components=20, landmarks="uniform")  # without random_state
    model = KernelRidge(kernel="rbf", approximation=drawn)
    with pytest.raises(Stopped):
        model.fit(Checkpointed(source(X, y, 45), tmp_path / "c", seconds=0))
    assert (tmp_path / "c" / "fit.json").exists()
    model.fit(Checkpointed(source(X, y), tmp_path / "c", seconds=0))
    assert not (tmp_path / "c").exists()
    given = Nystroem(landmarks=X[model.approximation_.indices])
    again = KernelRidge(kernel="rbf", approximation=given).fit(X, y)
    np.testing.assert_allclose(model.predict(X), again.predict(X), atol=1e-8)


def test_folders_of_users_are_neither_used_nor_removed(rng, tmp_path):
    X, y = data(rng)
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match=r"is not a checkpoint, it contains 'thesis.txt'"):
        KernelRidge(approximation=5).fit(Checkpointed(ArrayBlocks(X, y), tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_spoiled_files_are_refused_and_not_executed(rng, tmp_path):
    X, y = data(rng)
    model, path = KernelRidge(kernel="rbf", approximation=30), tmp_path / "c"
    with pytest.raises(Stopped):
        model.fit(Checkpointed(source(X, y, 50), path, seconds=0))
    np.savez(path / "pass-00000.npz", place=np.array([0, -1]), task=np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"pass-00000.npz: is not the file of a checkpoint"):
        model.fit(Checkpointed(source(X, y), path))
    (path / "fit.json").write_text("[]")
    with pytest.raises(ValueError, match=r"fit.json: is not the file of a checkpoint"):
        model.fit(Checkpointed(source(X, y), path))


def test_litter_of_killed_writes_is_removed(rng, tmp_path):
    X, y = data(rng)
    path = tmp_path / "c"
    (path / ".mercer-1234").mkdir(parents=True)
    KernelRidge(approximation=5).fit(Checkpointed(ArrayBlocks(X, y), path))
    assert not path.exists()


def test_clusters_are_refused():
    da = pytest.importorskip("dask.array")
    from mercer.data.blocks.dask_blocks import DaskBlocks

    with pytest.raises(TypeError, match="a cluster repeats lost work by itself"):
        Checkpointed(DaskBlocks(da.ones((4, 2))), "c")


KILLED = """
import os, signal, sys, threading, time
import numpy as np
from mercer.data import ArrayBlocks, Checkpointed
from mercer.ridge import KernelRidge
path, after = sys.argv[1], float(sys.argv[2])
X = np.random.default_rng(0).normal(size=(6000, 4))
source = ArrayBlocks(X, np.sin(X).sum(axis=1), rows=300)
if after:
    threading.Timer(after, os.kill, (os.getpid(), signal.SIGKILL)).start()
begun = time.monotonic()
model = KernelRidge(kernel="rbf", alpha=0.1, approximation=60).fit(Checkpointed(source, path, seconds=0))
print(model.dual_coef_.tobytes().hex(), time.monotonic() - begun, flush=True)
os._exit(0)
"""


def run(path, after):
    """Coefficients and time of a fit in a process of its own; None if it was killed."""
    command = [sys.executable, "-c", KILLED, str(path), str(after)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.stdout.split() if done.returncode == 0 else None


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
@pytest.mark.exhaustive
def test_a_killed_process_goes_on(tmp_path):
    times = 30
    want, seconds = run(tmp_path / "undisturbed", 0)
    rng, killed = np.random.default_rng(times), 0
    for i in range(times):
        killed += run(tmp_path / "c", rng.uniform(0.05, 0.9) * float(seconds)) is None
        if i % 3 == 2 or i == times - 1:  # killed up to three times before it may finish
            assert run(tmp_path / "c", 0)[0] == want
            assert not (tmp_path / "c").exists()
    assert killed > times / 2


@pytest.mark.parametrize("step", [25, pytest.param(5, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", MODELS)
def test_sums_that_are_saved_later_are_those_of_their_pass(rng, tmp_path, monkeypatch, name, step):
    model, kind = MODELS[name]
    X, y = data(rng, kind)
    want = bits(model.fit(source(X, y)), X)
    for stop in range(15, 90, step):
        calls = iter(range(10**9))
        monkeypatch.setattr("mercer.data.blocks.checkpoint.monotonic", lambda calls=calls: next(calls))
        path = tmp_path / str(stop)
        try:  # a write at every seventh look at the clock
            model.fit(Checkpointed(source(X, y, stop), path, seconds=7))
        except Stopped:
            model.fit(Checkpointed(source(X, y), path, seconds=7))
        assert bits(model, X) == want
