"""Kernel k-means against NumPy loops on the same data from the same starts: ``python -m benchmarks.rivals.cluster``.

scikit-learn has no kernel k-means. The rivals are the two ways it is usually written: sums over clusters as products
with the one-hot matrix of the labels (BLAS), and by fancy indexing. Both hold the Gram matrix and count its
computation, as mercer does. Same starts, same stopping rule (no label changes), hence the same labels: this is checked.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs

from benchmarks.rivals.harness import Case, options, report
from mercer.cluster import KernelKMeans

RESULTS = Path(__file__).parents[1] / "results" / "cluster.json"
Sums = Callable[[np.ndarray, np.ndarray, int], tuple[np.ndarray, np.ndarray]]


class WrongResultError(Exception):
    """Mercer and the loop disagree."""


def gram(X: np.ndarray, gamma: float) -> np.ndarray:
    norms = (X**2).sum(axis=1)
    K = norms[:, None] + norms - 2 * (X @ X.T)
    K *= -gamma
    return np.exp(K, out=K)


def by_product(K: np.ndarray, labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Means of kernel values over clusters, and within clusters."""
    Z = np.eye(k)[labels]
    size = Z.sum(axis=0)
    means = K @ Z / size
    return means, (Z * means).sum(axis=0) / size


def by_indexing(K: np.ndarray, labels: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    means, within = np.empty((len(K), k)), np.empty(k)
    for c in range(k):
        member = labels == c
        means[:, c] = K[:, member].mean(axis=1)
        within[c] = K[member][:, member].mean()
    return means, within


def loop(
    X: np.ndarray, gamma: float, starts: np.ndarray, sums: Sums, max_iter: int = 300
) -> tuple[np.ndarray, float, int]:
    """Labels, inertia and steps of the best start."""
    K, k = gram(X, gamma), starts.shape[1]
    found = []
    for start in starts:
        labels, steps = K[:, start].argmax(axis=1), 1
        while steps < max_iter:
            steps += 1
            means, within = sums(K, labels, k)
            D2 = 1 - 2 * means + within
            new = D2.argmin(axis=1)
            if (new == labels).all():
                break
            labels = new
        found.append((float(D2.min(axis=1).sum()), steps, labels))
    inertia, steps, labels = min(found, key=lambda run: run[0])
    return labels, inertia, steps


def case(name: str, X: np.ndarray, gamma: float, n_init: int, sums: Sums, repeats: int) -> Case:
    rng = np.random.RandomState(0)
    share = np.full(len(X), 1 / len(X))  # a choice by weight draws other numbers than one without
    starts = np.stack([rng.choice(len(X), size=10, replace=False, p=share) for _ in range(n_init)])

    def ours() -> Any:
        model = KernelKMeans(10, gamma=gamma, init="random", n_init=n_init, random_state=0)
        return model.fit(X)

    def rival() -> Any:
        return loop(X, gamma, starts, sums)

    model, (labels, inertia, steps) = ours(), rival()
    if not np.array_equal(model.labels_, labels) or not np.isclose(model.inertia_, inertia, rtol=1e-8):
        raise WrongResultError(f"{name}: inertia {model.inertia_:.12g}, the loop has {inertia:.12g}")
    notes = {
        "steps of the best start": {"mercer": model.n_iter_, "loop": steps},
        "inertia": {"mercer": model.inertia_, "loop": inertia},
        "violation": model.solution_.violation,
    }
    times = [(timed(ours), timed(rival)) for _ in range(repeats)]  # in turn; the check was the warm-up
    mercer, numpy = (statistics.median(column) for column in zip(*times, strict=True))
    return Case(name, mercer, numpy, f"NumPy, {sums.__name__}", 5.0, notes=notes)


def timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def main() -> None:
    parser = options(__doc__ or "")
    parser.set_defaults(repeats=3, json=RESULTS)
    parser.add_argument("--rows", type=int, default=10_000)
    args = parser.parse_args()
    X, _ = make_blobs(args.rows, centers=10, n_features=20, cluster_std=6.0, random_state=0)
    gamma = 1 / (20 * X.var())
    cases = []
    for n_init, sums in ((1, by_product), (10, by_product), (1, by_indexing)):
        name = f"kernel k-means, n_init={n_init}, {sums.__name__}"
        if args.only in name:
            cases.append(case(name, X, gamma, n_init, sums, args.repeats))
    title, packages = f"Kernel k-means, n={args.rows}, d=20, k=10", ["mercer", "numpy", "scipy", "scikit-learn"]
    report(title, cases, {}, packages, args.json)


if __name__ == "__main__":
    main()
