"""Threads, forks, interrupts and memory limits."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import mercer._core as _core
from mercer._runtime import engine, limits
from mercer.exceptions import MemoryLimitError
from mercer.kernels import RBF, Linear, user

KERNEL = RBF(gamma=0.5) + Linear()


def threads_of_libraries():
    return [(library["filepath"], library["num_threads"]) for library in threadpool_info()]


@pytest.fixture
def X(rng):
    return rng.normal(size=(700, 4))


@pytest.fixture
def two_blas_threads():
    """Other tests run with one, of which a change to one would not show."""
    with threadpool_limits(2, "blas"):
        yield


# ---- threads


def test_thread_count_follows_n_jobs_as_joblib_counts(monkeypatch):
    monkeypatch.setattr(_core, "max_threads", lambda: 8)
    monkeypatch.setattr(engine, "cpu_quota", lambda: 6)
    assert engine.thread_count() == engine.thread_count(-1) == 6
    assert [engine.thread_count(n) for n in (1, 2, 6, 7, 100)] == [1, 2, 6, 6, 6]
    assert [engine.thread_count(n) for n in (-2, -6, -100)] == [5, 1, 1]
    assert engine.thread_count(np.int64(2)) == 2


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True, [1]])
def test_bad_n_jobs(n_jobs):
    with pytest.raises(ValueError, match="n_jobs: expected None or a nonzero integer, got"):
        engine.thread_count(n_jobs)


def test_openmp_limits_are_followed(X):
    KERNEL(X)
    with threadpool_limits(1, "openmp"):
        assert engine.thread_count() == engine.thread_count(4) == 1
        single = KERNEL(X)
    np.testing.assert_array_equal(single, KERNEL(X, n_jobs=1))
    np.testing.assert_allclose(single, KERNEL(X), rtol=1e-13)


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_same_call_same_bits(X, n_jobs):
    np.testing.assert_array_equal(KERNEL(X, n_jobs=n_jobs), KERNEL(X, n_jobs=n_jobs))


# ---- nothing of the process is changed


def test_thread_limits_of_other_libraries_are_left_alone(X, two_blas_threads):
    before, seen = threads_of_libraries(), []

    def look(a, b):
        seen.append(threads_of_libraries())
        return 1.0

    (user(look) * KERNEL)(X[:2], n_jobs=1)
    KERNEL(X, n_jobs=1)
    with pytest.raises(ValueError, match="out"):
        KERNEL(X, out=np.empty((1, 1)))
    assert seen == [before] * len(seen)
    assert threads_of_libraries() == before


def test_overlapping_calls_from_several_threads(X, two_blas_threads):
    before, expected = threads_of_libraries(), KERNEL(X, n_jobs=1)
    errors = []

    def work():
        errors.extend(abs(KERNEL(X, n_jobs=1) - expected).max() for _ in range(5))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert errors == [0.0] * 20
    assert threads_of_libraries() == before


# ---- forks


def _gram_sum(X):
    return float(KERNEL(X).sum())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_after_threads_does_not_hang(X):
    expected = float(KERNEL(X, n_jobs=2).sum())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(_gram_sum, [X, X]).get(timeout=60)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(float(KERNEL(X, n_jobs=2).sum()), expected, rtol=1e-12)


# ---- interrupts

INTERRUPTED = """
import sys
import numpy as np
from mercer.kernels import RBF
from mercer.operators import gram
X = np.random.default_rng(0).normal(size=({n}, 50)).astype(np.float32)
RBF(gamma=0.1)(X[:100])
work = {work}
sys.stdout.write("ready\\n"); sys.stdout.flush()
work()
sys.stdout.write("finished\\n")
"""
PANELS = """lambda A=RBF(gamma=0.1).prepare(X): [
    RBF(gamma=0.1).block(A.take(slice(0, 64)), A) for _ in range(10**6)
]"""


@pytest.mark.parametrize(
    ("n", "work"),
    [
        (300_000, "lambda: gram(RBF(gamma=0.1), X).matmul(np.ones((len(X), 4)))"),
        (20_000, PANELS),
    ],
    ids=["matmul", "many blocks"],
)
def test_ctrl_c_stops_a_long_computation(n, work):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(n=n, work=work)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=5)
    finally:
        process.kill()
    assert "finished" not in output
    assert "KeyboardInterrupt" in errors
    assert process.returncode not in (0, -signal.SIGSEGV, -signal.SIGABRT)


def test_an_error_in_a_users_function_is_not_swallowed(X):
    def stop(a, b):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        user(stop)(X[:3])


# ---- memory and container limits


@pytest.fixture
def cgroup(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "_CGROUP", tmp_path)
    limits.cpu_quota.cache_clear()
    yield tmp_path
    limits.cpu_quota.cache_clear()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("max 100000", 8), ("150000 100000", 2), ("20000 100000", 1), ("garbage", 8), ("1 0", 8)],
)
def test_processor_quota(cgroup, monkeypatch, text, expected):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    (cgroup / "cpu.max").write_text(text + "\n")
    assert limits.cpu_quota() == expected


def test_processor_count_without_affinity(cgroup, monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert limits.cpu_quota() == 1


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({"memory.max": "max", "memory.current": "5"}, None),
        ({"memory.max": "1000", "memory.current": "400"}, 600),
        ({"memory.max": "1000", "memory.current": "4000"}, 0),
        ({"memory/memory.limit_in_bytes": "900", "memory/memory.usage_in_bytes": "100"}, 800),
    ],
)
def test_room_in_a_container(cgroup, files, expected):
    (cgroup / "memory").mkdir()
    for name, text in files.items():
        (cgroup / name).write_text(text)
    assert limits._cgroup_room() == expected
    available = limits.available_memory()
    assert available is None or expected is None or available <= expected


def test_available_memory_without_proc(cgroup, monkeypatch):
    monkeypatch.setattr(limits, "_read", lambda path: None)
    assert limits.available_memory() == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(os, "sysconf_names", {})
    assert limits.available_memory() is None
    limits.require_memory(10**30, what="anything", instead="")


def test_a_buffer_that_does_not_fit_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(limits, "available_memory", lambda: 2_000_000)
    X = np.ones((460, 2))
    words = "RBF: a dense 460 x 460 Gram matrix.*1.7 MB.*only 2.0 MB.*80%.*operators.gram"
    with pytest.raises(MemoryLimitError, match=words):
        RBF(gamma=1.0)(X)
    assert RBF(gamma=1.0)(X[:440]).shape == (440, 440)
    assert RBF(gamma=1.0)(X.astype(np.float32)).dtype == np.float32
    assert RBF(gamma=1.0)(X, out=np.empty((460, 460))).shape == (460, 460)


@pytest.mark.parametrize(
    ("n", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (2.5e9, "2.5 GB"), (9e15, "9000.0 TB")],
)
def test_bytes_for_people(n, text):
    assert limits.format_bytes(n) == text


def test_instruction_set_in_use():
    assert engine.simd_level() in _core.simd_levels()
    assert "baseline" in _core.simd_levels()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_import_starts_no_threads():
    count = "import os; print(len(os.listdir('/proc/self/task')))"
    imports = ("import mercer, mercer.kernels", "import numpy, scipy.linalg")
    found = [subprocess.run([sys.executable, "-c", f"{i}; {count}"], capture_output=True, check=True) for i in imports]
    assert int(found[0].stdout) <= int(found[1].stdout)
