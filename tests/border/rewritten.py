"""Rewrites the arrays of a CSR matrix in one thread while others read it: ``python -m tests.border.rewritten SECONDS``.

What a call returns or raises does not matter here. The interpreter must not crash, so this is a process of its own.
"""

import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.data import joined, take
from mercer.kernels import RBF, Chi2, Laplacian, Linear
from mercer.operators import gram
from mercer.preprocessing import KernelRows
from mercer.ridge import KernelRidge, Ridge
from mercer.svm import SVC, OneClassSVM

__all__ = ["main"]

N, D = 300, 40


def _matrix() -> Any:
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.random((N, D)) * (rng.random((N, D)) < 0.2))
    X.sort_indices()
    return X


def _rewrite(X: Any, stop: threading.Event) -> None:
    """Right and wrong contents in turn, so that many checks see the right ones."""
    rng = np.random.default_rng(1)
    good = {name: getattr(X, name).copy() for name in ("indices", "indptr", "data")}
    bad = {
        "indices": [np.full_like(X.indices, 2**31 - 1), np.full_like(X.indices, -5), good["indices"][::-1]],
        "indptr": [np.full_like(X.indptr, 2**31 - 1), good["indptr"][::-1], good["indptr"] * 1000],
        "data": [np.full_like(X.data, np.nan)],
    }
    while not stop.is_set():
        name = ("indices", "indptr", "indptr", "indices", "data")[int(rng.integers(5))]
        getattr(X, name)[:] = bad[name][int(rng.integers(len(bad[name])))]
        time.sleep(0)
        getattr(X, name)[:] = good[name]
        time.sleep(0)


def _calls(X: Any) -> dict[str, Callable[[], Any]]:
    y = np.arange(N) % 2
    fitted = SVC(kernel="rbf").fit(_matrix(), y)
    return {
        "SVC.fit": lambda: SVC(kernel="rbf").fit(X, y),
        "SVC.predict": lambda: fitted.predict(X),
        "KernelRidge.fit": lambda: KernelRidge(kernel="laplacian").fit(X, y),
        "Ridge.fit": lambda: Ridge().fit(X, y),
        "OneClassSVM.fit": lambda: OneClassSVM().fit(X),
        "KernelRows.fit": lambda: KernelRows(RBF(), landmarks=20, random_state=0).fit(X).transform(X),
        "rbf(X)": lambda: RBF()(X),
        "chi2(X)": lambda: Chi2()(X),
        "laplacian.diag": lambda: Laplacian(gamma=0.1).diag(X),
        "gram @ v": lambda: gram(Linear(), X) @ np.ones(N),
        "feature_map": lambda: Linear().feature_map(X),
        "take": lambda: take(X, [3, 1, 2]),
        "joined": lambda: joined(X, X),
    }


def main(seconds: float) -> dict[str, int]:
    """Call everything for a while; how often calls answered and raised."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    sys.setswitchinterval(1e-5)
    X, stop = _matrix(), threading.Event()
    calls, counts = _calls(X), {"answered": 0, "raised": 0}
    writer = threading.Thread(target=_rewrite, args=(X, stop), daemon=True)
    writer.start()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            for call in calls.values():
                try:
                    call()
                    counts["answered"] += 1
                except Exception:
                    counts["raised"] += 1
    finally:
        stop.set()
        writer.join()
    return counts


if __name__ == "__main__":
    sys.stdout.write(f"{main(float(sys.argv[1]))}\n")
