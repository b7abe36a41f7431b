"""Work side by side: order, errors, interruption."""

import threading
import time

import numpy as np
import pytest

from mercer._runtime import interrupt
from mercer._runtime.products import product
from mercer.auto.stack.workers import side_by_side
from mercer.kernels import RBF


@pytest.mark.parametrize("threads", [1, 2])
def test_results_have_the_order_of_the_items(threads):
    assert side_by_side(lambda i, stop: i * i, range(7), threads) == [i * i for i in range(7)]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_error_is_raised_and_ends_the_others(threads):
    ended = []

    def work(i, stop):
        if i == 0:
            raise ValueError("the first")
        for _ in range(1000):
            stop()
            time.sleep(0.001)
        ended.append(i)

    with pytest.raises(ValueError, match="the first"):
        side_by_side(work, range(4), threads)
    assert not ended


def test_workers_use_one_openmp_thread_each():
    from threadpoolctl import threadpool_info

    def work(i, stop):
        return threading.get_ident(), [p["num_threads"] for p in threadpool_info() if p["user_api"] == "openmp"]

    assert all(set(counts) <= {1} for _, counts in side_by_side(work, range(4), 2))


def test_an_error_ends_linear_algebra_of_other_workers(monkeypatch):
    monkeypatch.setattr(interrupt, "PIECE", 1e8)
    reasons, started, matrix = [], threading.Event(), np.ones((1000, 1000))

    def work(i, stop):
        if i == 0:
            started.wait()
            raise ValueError("the first")
        try:
            while True:
                started.set()
                product(matrix, matrix)  # asks between its pieces, and this loop does not
        except InterruptedError as error:
            reasons.append(str(error))
            raise

    with pytest.raises(ValueError, match="the first"):
        side_by_side(work, range(2), 2)
    assert len(reasons) == 1


def test_an_error_ends_the_core_in_other_workers():
    X, reasons, started = np.random.default_rng(0).normal(size=(4000, 800)), [], threading.Event()

    def work(i, stop):
        if i == 0:
            started.wait()
            raise ValueError("the first")
        try:
            while True:
                started.set()
                RBF(gamma=0.1)(X)
        except InterruptedError as error:
            reasons.append(str(error))
            raise

    with pytest.raises(ValueError, match="the first"):
        side_by_side(work, range(2), 2)
    assert len(reasons) == 1
