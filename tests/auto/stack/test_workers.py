"""Work side by side: order, errors, interruption."""

import threading
import time

import pytest

from mercer.auto.stack.workers import side_by_side


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
