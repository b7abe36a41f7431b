"""Fits on a cluster of two processes: the same models, and workers that die or lack mercer."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from threadpoolctl import threadpool_info

from mercer.cluster import KernelKMeans
from mercer.data.blocks.dask_blocks import DaskBlocks
from mercer.data.blocks.dask_blocks.work import own_version
from mercer.decomposition import KernelPCA
from mercer.exceptions import ClusterError
from mercer.ridge import KernelLogisticRegression, KernelRidge
from mercer.svm import SVR

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed by signals")
OPTIONS = {"processes": True, "dashboard_address": ":0", "threads_per_worker": 1}
WORKER = ("--no-nanny", "--nthreads", "1")
RIDGE = KernelRidge(kernel="rbf", alpha=0.1, approximation=40)


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, **OPTIONS) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def data(rng):
    X = rng.normal(size=(600, 3))
    return X, np.sin(X).sum(axis=1)


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(RIDGE, id="ridge"),
        pytest.param(
            KernelLogisticRegression(kernel="rbf", approximation=15, tol=1e-12),
            id="logistic",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(KernelPCA(2, kernel="rbf", approximation=40), id="pca", marks=pytest.mark.exhaustive),
    ],
)
def test_models_are_those_of_arrays(client, data, model):
    X, y = data
    y = y > 0 if isinstance(model, KernelLogisticRegression) else y
    name = "transform" if isinstance(model, KernelPCA) else "predict"
    want = getattr(model.fit(X, y), name)(X)
    lazy = da.from_array(X, chunks=((0, 100, 499, 1), 3))
    got = getattr(model.fit(lazy, da.from_array(y, chunks=200)), name)(lazy)
    assert isinstance(got, da.Array)
    np.testing.assert_allclose(got.compute(), want, rtol=0, atol=1e-10)


def test_sums_do_not_depend_on_the_scheduler(client, data):
    X, y = (da.from_array(values, chunks=100) for values in data)
    there = RIDGE.fit(X, y).dual_coef_
    with dask.config.set(scheduler="sync"):
        np.testing.assert_array_equal(RIDGE.fit(X, y).dual_coef_, there)


def pools(block):
    return {pool["num_threads"] for pool in threadpool_info()}


def test_tasks_use_one_thread(client, data):
    assert list(DaskBlocks(da.from_array(data[0], chunks=(300, 3))).map(pools)) == [{1}] * 2


def slow_and_marked(X, marker):
    """Chunk that tells once which process computes it."""
    if X.shape[0] == 31 and not os.path.exists(marker):
        with open(f"{marker}.new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(f"{marker}.new", marker)
        time.sleep(20)  # until it is killed
    return X


@pytest.mark.parametrize(
    "model", [RIDGE, pytest.param(SVR(tol=0.05, approximation=10), marks=pytest.mark.exhaustive)], ids=str
)
def test_a_killed_worker_changes_nothing(client, data, tmp_path, model):
    X, y = data
    chunks = ((*[30] * 18, 31, 29), 3)
    want = model.fit(da.from_array(X, chunks=chunks), y).dual_coef_
    marker, killed = str(tmp_path / "pid"), []

    def kill():
        while not os.path.exists(marker):
            time.sleep(0.01)
        with open(marker) as file:
            killed.append(int(file.read()))
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    lazy = da.from_array(X, chunks=chunks).map_blocks(slow_and_marked, marker, dtype=float, meta=np.empty((0, 0)))
    got = model.fit(lazy, y).dual_coef_
    thread.join(10)
    assert killed
    np.testing.assert_array_equal(got, want)


def of_file(path, rows):
    return np.array(np.load(path, mmap_mode="r")[rows])


def limit_memory(more):
    """Let this process allocate a number of bytes beyond what it has."""
    import resource

    with open("/proc/self/status") as file:
        held = next(int(line.split()[1]) for line in file if line.startswith("VmData:"))
    resource.setrlimit(resource.RLIMIT_DATA, (held * 1024 + more,) * 2)


@pytest.mark.exhaustive
@pytest.mark.memory
@pytest.mark.skipif(sys.platform != "linux", reason="the limit on private memory is that of Linux")
def test_more_data_than_the_memory_of_a_worker(tmp_path):
    rows, columns, n_blocks, m = 8000, 200, 100, 40  # 1.3 GB
    budget = 3 * 8 * rows * columns + 80_000_000 + 40 * m**2  # the guide allows 120 MB more
    path, rng = tmp_path / "X.npy", np.random.default_rng(0)
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(rows * n_blocks, columns))
    for start in range(0, len(X), rows):
        X[start : start + rows] = rng.uniform(size=(rows, columns))
    assert X.nbytes > 10 * budget
    y = np.array(X[:, 0])
    read = dask.delayed(of_file)
    parts = [read(path, slice(start, start + rows)) for start in range(0, len(X), rows)]
    lazy = da.concatenate([da.from_delayed(part, (rows, columns), dtype=float) for part in parts])
    with LocalCluster(n_workers=1, memory_limit=0, **OPTIONS) as cluster, Client(cluster) as client:
        RIDGE.fit(lazy[:rows], y[:rows])  # libraries are loaded
        client.run(limit_memory, budget)
        (refused,) = client.run(np.ones, X.shape, on_error="return").values()
        assert isinstance(refused, MemoryError)
        assert RIDGE.fit(lazy, y).approximation_.n_samples == len(X)


def fatal(X):
    if X.shape[0] == 29:
        os.kill(os.getpid(), signal.SIGKILL)
    return X


@pytest.mark.exhaustive
def test_too_many_deaths_are_one_error(data):
    X, y = data
    lazy = da.from_array(X[:89], chunks=(30, 3)).map_blocks(fatal, dtype=float, meta=np.empty((0, 0)))
    few = dask.config.set({"distributed.scheduler.allowed-failures": 1})
    died = pytest.raises(ClusterError, match=r"KernelRidge: workers died .*allowed-failures")
    with few, LocalCluster(n_workers=1, **OPTIONS) as cluster, Client(cluster), died as raised:
        RIDGE.fit(lazy, y[:89])
    assert raised.value.__cause__ is None


MISSING = """
import sys
class Missing:  # before all other finders, those of editable installations included
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] == "mercer":
            raise ModuleNotFoundError("No module named 'mercer'", name="mercer")
sys.meta_path.insert(0, Missing)
"""


@pytest.fixture
def without_mercer(tmp_path):
    """Environment of processes that cannot import mercer."""
    (tmp_path / "sitecustomize.py").write_text(MISSING)
    return {**os.environ, "PYTHONPATH": str(tmp_path)}


@contextmanager
def started(program, *arguments, env=None):
    """Process of a cluster, which ends with the context."""
    command = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *arguments]
    process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:  # a worker sometimes waits for a scheduler that has ended
            process.kill()
            process.wait()


@pytest.fixture
def bare(without_mercer):
    """Cluster whose only worker is a process that cannot import mercer."""
    alone = dask.config.set({"distributed.scheduler.no-workers-timeout": "1s"})  # an error if the worker leaves
    scheduler = {"n_workers": 0, "processes": False, "protocol": "tcp://", "dashboard_address": ":0"}
    with (
        alone,
        LocalCluster(**scheduler) as cluster,
        Client(cluster.scheduler_address) as client,
        started("dask_worker", *WORKER, cluster.scheduler_address, env=without_mercer),
    ):
        client.wait_for_workers(1, timeout=60)
        yield client


@pytest.mark.exhaustive
def test_the_scheduler_needs_no_mercer(without_mercer, data, tmp_path):
    X, y = data
    address = ("--scheduler-file", str(tmp_path / "scheduler.json"))
    with (
        started("dask_scheduler", "--host", "127.0.0.1", "--port", "0", *address, env=without_mercer),
        started("dask_worker", *WORKER, *address),
    ):
        while not os.path.exists(address[1]):
            time.sleep(0.01)
        with Client(scheduler_file=address[1]):
            lazy = da.from_array(X, chunks=(200, 3))
            got = RIDGE.fit(lazy, y).predict(lazy).compute()
    np.testing.assert_allclose(got, RIDGE.fit(X, y).predict(X), rtol=0, atol=1e-10)


NO_MERCER = (
    rf"expected mercer {re.escape(own_version())} on all workers, .* 1 of 1 differ: worker tcp://\S+ has no mercer. "
    "Install the same version on every worker"
)


def test_workers_without_mercer_are_refused_before_the_work(bare, data):
    X, y = data
    lazy = da.from_array(X, chunks=(300, 3))
    with pytest.raises(ClusterError, match=f"^KernelRidge: {NO_MERCER}"):
        RIDGE.fit(lazy, y)
    model = RIDGE.fit(X, y)
    for predict in (model.predict, lambda X: model.score(X, da.from_array(y, chunks=300))):
        with pytest.raises(ClusterError, match=NO_MERCER):
            predict(lazy)


def test_workers_without_mercer_that_join_later_are_named(bare, data, monkeypatch):
    X, y = data
    lazy = da.from_array(X, chunks=(300, 3))
    model = RIDGE.fit(X, y)
    monkeypatch.setattr("mercer.data.blocks.dask_blocks.source.require_workers", lambda who: None)
    with pytest.raises(ClusterError, match=f"^KernelRidge: {NO_MERCER}"):
        RIDGE.fit(lazy, y)
    monkeypatch.setattr("mercer.data.blocks.dask_blocks.source.check_workers", lambda who: None)
    with pytest.raises(ModuleNotFoundError, match="No module named 'mercer'"):
        model.predict(lazy).compute()


def test_workers_with_another_version_are_named(data, monkeypatch):
    X, y = data
    lazy, own = da.from_array(X, chunks=(300, 3)), own_version()
    monkeypatch.setattr("mercer.data.blocks.dask_blocks.cluster.own_version", lambda: "9.9")
    words = rf"KernelRidge: expected mercer 9\.9 on all workers.* worker \S+ has mercer {re.escape(own)}\. Install"
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        with pytest.raises(ClusterError, match=words):
            RIDGE.fit(lazy, y)
        monkeypatch.setattr("mercer.data.blocks.dask_blocks.source.require_workers", lambda who: None)
        with pytest.raises(ClusterError, match=words):  # as if it had joined after the start
            RIDGE.fit(lazy, y)


def test_a_cluster_without_workers_is_refused(data, monkeypatch):
    monkeypatch.setattr("mercer.data.blocks.dask_blocks.cluster._PATIENCE", 0.1)
    refused = pytest.raises(ClusterError, match=r"has had no workers for 0.1 s; start workers")
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster, Client(cluster), refused:
        RIDGE.fit(da.from_array(data[0], chunks=(300, 3)), data[1])


@pytest.mark.exhaustive
def test_k_means_runs_on_processes(client, data):
    X = data[0]
    model = KernelKMeans(3, kernel="rbf", approximation=40, random_state=0)
    want = model.fit(X).labels_
    np.testing.assert_array_equal(np.asarray(model.fit(da.from_array(X, chunks=(250, 3))).labels_), want)
