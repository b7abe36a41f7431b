"""Products in pieces, and computations that Ctrl-C abandons."""

import itertools
import os
import signal
import subprocess
import sys
import threading
from contextvars import ContextVar

import numpy as np
import pytest

from mercer._runtime.interrupt import PIECE, interruptible, pieces
from mercer._runtime.lapack import call, column_stride
from mercer._runtime.products import (
    asymmetry,
    inner_products,
    normal_product,
    product,
    symmetric_part,
    symmetric_product,
)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("shape", [(3, 2), (300, 70), (130, 150), (70, 300)])
def test_products(rng, shape):
    F = rng.normal(size=shape)
    G = inner_products(F)
    np.testing.assert_allclose(G, F.T @ F, atol=1e-11)
    assert asymmetry(G) == 0
    assert inner_products(F, out=(out := np.full_like(G, np.nan))) is out
    assert np.array_equal(out, G)
    V = rng.normal(size=(shape[1], 90))
    np.testing.assert_allclose(product(F, V), F @ V, atol=1e-11)
    np.testing.assert_allclose(product(F, V[:, 0]), F @ V[:, 0], atol=1e-11)
    for lower, triangle in ((True, np.tril(G)), (False, np.triu(G))):
        found = symmetric_product(np.asfortranarray(triangle), V, lower=lower)
        np.testing.assert_allclose(found, G @ V, atol=1e-9)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_layouts_of_products(rng, dtype):
    """Row-major, column-major and strided matrices, parts of them, reversed ones and mixed types."""
    A, B = rng.normal(size=(160, 90)).astype(dtype), rng.normal(size=(90, 120)).astype(dtype)
    views = [
        lambda M: M,
        np.asfortranarray,
        lambda M: np.repeat(M, 2, axis=1)[:, ::2],
        lambda M: np.concatenate([M, M], axis=1)[:, : M.shape[1]],
        lambda M: np.ascontiguousarray(M[::-1, ::-1])[::-1, ::-1],
        lambda M: M.astype(np.float64),
    ]
    expected, tolerance = A.astype(np.float64) @ B.astype(np.float64), 1e-11 if dtype == "float64" else 1e-3
    for left, right in itertools.product(views, views):
        np.testing.assert_allclose(product(left(A), right(B)), expected, atol=tolerance)
    out = np.full((160, 300), np.nan, dtype=dtype)
    product(A, B, out=out[:, :120])
    np.testing.assert_allclose(out[:, :120], expected, atol=tolerance)
    assert np.isnan(out[:, 120:]).all()
    for view in views:
        G = inner_products(view(A))
        np.testing.assert_allclose(G, A.T.astype(np.float64) @ A, atol=10 * tolerance)
        assert G.dtype == np.float64
        assert asymmetry(G) == 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(1, 1), (130, 70), (700, 33)])
def test_normal_products(rng, shape, dtype):
    A, V = rng.normal(size=shape).astype(dtype), rng.normal(size=(shape[1], 3))
    wide, scale = A.astype(np.float64), rng.uniform(size=shape[0])
    for n_jobs in (1, 2):
        np.testing.assert_allclose(normal_product(A, V, n_jobs=n_jobs), wide.T @ (wide @ V), atol=1e-11)
        np.testing.assert_allclose(normal_product(A, V, scale), wide.T @ (scale[:, None] * (wide @ V)), atol=1e-11)


@pytest.mark.usefixtures("small_pieces")
def test_symmetric_parts(rng):
    A = rng.normal(size=(150, 150))
    assert asymmetry(A) == np.abs(A - A.T).max()
    assert np.array_equal(symmetric_part(A), (A + A.T) / 2)


def test_pieces_cover_the_range():
    parts = list(pieces(3, 1000, 1e7, least=10))
    assert parts[0][0] == 3
    assert parts[-1][1] == 1000
    assert all(stop == start for (_, stop), (start, _) in itertools.pairwise(parts))
    assert list(pieces(5, 5, 1.0)) == []


def test_other_layouts_are_refused():
    assert column_stride(np.empty((4, 3), order="F")[1:3]) == 4
    with pytest.raises(ValueError, match="column-major"):
        column_stride(np.empty((4, 3)))


def test_routines_check_the_number_of_arguments():
    with pytest.raises(TypeError, match="potrf: expected 5 arguments"):
        call("potrf", np.float64, "L", 1)


def test_where_work_is_done():
    threads = [interruptible(threading.current_thread, operations) for operations in (PIECE, 2 * PIECE)]
    assert threads[0] is threading.main_thread()
    assert threads[1].daemon
    inside = []
    other = threading.Thread(target=lambda: inside.append(interruptible(threading.current_thread, 2 * PIECE)))
    other.start()
    other.join()
    assert inside == [other]


def test_errors_and_settings_cross_the_thread():
    setting = ContextVar("setting", default=0)
    setting.set(5)
    assert interruptible(setting.get, 2 * PIECE) == 5
    with np.errstate(divide="ignore"):
        assert interruptible(lambda: np.ones(1) / np.zeros(1), 2 * PIECE) == np.inf
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 / 0, 2 * PIECE)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals from timers")
def test_ctrl_c_abandons_the_thread():
    released = threading.Event()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            interruptible(lambda: released.wait(60), 2 * PIECE)
    finally:
        signal.signal(signal.SIGALRM, before)
        released.set()


EXIT = """
import signal
import numpy as np
from mercer._runtime.spectra import eigh

A = np.random.default_rng(0).normal(size=(3000, 3000))
signal.signal(signal.SIGPROF, signal.default_int_handler)
eigh(A[:600, :600])
signal.setitimer(signal.ITIMER_PROF, {after})
try:
    while True:
        eigh(A)
except KeyboardInterrupt:
    raise SystemExit(7)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signals from timers")
@pytest.mark.parametrize("after", [0.3, pytest.param(1.5, marks=pytest.mark.exhaustive)])
def test_a_process_can_end_after_ctrl_c(after):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, "-c", EXIT.format(after=after)]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 7, process.stderr
