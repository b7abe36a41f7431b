"""Limits on thread pools: contexts of several threads may overlap in any order."""

import os
import threading

import dask.array as da
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from mercer._runtime.pools import limit_pools
from mercer.ridge import KernelRidge


def blas():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, "blas"):
        yield


@pytest.mark.parametrize("first_leaves_first", [True, False])
def test_overlapping_contexts_of_threads_leave_no_limit_behind(first_leaves_first):
    steps = [threading.Event() for _ in range(3)]

    def other():
        with limit_pools(1):
            steps[0].set()
            steps[1].wait(10)
        steps[2].set()

    thread = threading.Thread(target=other)
    with limit_pools(1):
        thread.start()
        assert steps[0].wait(10)
        if not first_leaves_first:
            steps[1].set()
            assert steps[2].wait(10)
        assert blas() == {1}
    if first_leaves_first:
        assert blas() == {1}  # the other thread still needs it
        steps[1].set()
    thread.join(10)
    assert blas() == {2}


def test_the_smallest_limit_of_nested_contexts_holds():
    with limit_pools(2, "blas"):
        with limit_pools(1, "blas"), limit_pools(None), limit_pools(2, "blas"):
            assert blas() == {1}
        assert blas() == {2}
    with limit_pools(1, "openmp"):
        assert blas() == {2}


def test_an_error_ends_the_limit():
    with pytest.raises(KeyError), limit_pools(1):
        raise KeyError
    assert blas() == {2}


def test_a_forked_process_can_limit_its_pools():
    with limit_pools(1):
        child = os.fork()
        if child == 0:
            with limit_pools(1):
                pass
            os._exit(0 if blas() == {1} else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_fit_on_threads_of_dask_leaves_no_limit_behind():
    X = np.random.default_rng(0).normal(size=(4000, 3))
    for _ in range(3):
        KernelRidge(kernel="rbf", approximation=30).fit(da.from_array(X, chunks=(250, 3)), da.from_array(X[:, 0], 250))
        assert blas() == {2}
